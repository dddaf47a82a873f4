//! What every agent of a session is doing: a reader of the stream of events.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

use super::member::{State, change_state};
use crate::event::{AgentStatus, Event, Sink, What};

/// The agents of a session by their threads, and what each is doing.
#[derive(Debug, Default)]
pub struct Roster {
    states: Mutex<HashMap<String, Arc<watch::Sender<State>>>>,
}

impl Roster {
    pub(super) fn add(&self, id: &str, state: &Arc<watch::Sender<State>>) {
        self.states().insert(id.to_owned(), Arc::clone(state));
    }

    fn of(&self, id: &str) -> Option<Arc<watch::Sender<State>>> {
        self.states().get(id).cloned()
    }

    fn states(&self) -> MutexGuard<'_, HashMap<String, Arc<watch::Sender<State>>>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what happened to `id`.
    fn fold(&self, id: &str, what: &What) {
        let Some(state) = self.of(id) else { return };
        change_state(&state, |state| {
            state.life.take(what);
            if let What::Completed(_) = what {
                state.last = Some(state.life.state());
            }
        });
    }
}

/// A roster as a reader of events.
#[derive(Debug)]
pub struct RosterSink(pub Arc<Roster>);

impl Sink for RosterSink {
    fn take(&self, event: &Event) -> io::Result<()> {
        let roster = &self.0;
        match &event.what {
            // Words are many and change nothing.
            What::TextChunk { .. } | What::ThoughtChunk { .. } => {}
            What::BackgroundEvent(background) => {
                if let Some(state) = roster.of(&background.thread_id)
                    && background.status == AgentStatus::Shutdown
                {
                    change_state(&state, |state| state.life.close());
                }
            }
            What::CollabResumeEnd(end) if end.success => {
                for id in end.agents_states.keys() {
                    if let Some(state) = roster.of(id) {
                        change_state(&state, |state| state.life.reopen());
                    }
                }
            }
            what => roster.fold(&event.agent.agent_id, what),
        }
        Ok(())
    }
}
