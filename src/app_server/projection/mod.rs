//! Events as clients see them: threads, turns and items. A fold over the stream; the same events
//! always give the same names, so whoever reads again finds what it knew.
//!
//! A turn is one run of an agent. It is named after the number of the event that led to it: what a
//! client told the agent, or else its beginning. Whatever begins also ends, at the latest with its
//! turn.

mod call;
mod line;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use line::Line;

use super::protocol::{
    AgentStatus, ErrorNotification, Notification, Thread, ThreadNoteUpdated, ThreadResult,
    ThreadStatusChanged, TurnError,
};
use crate::event::{self, Event, Failure, Life, What};

/// What clients have been told about the agents of a session.
#[derive(Debug, Default)]
pub struct Projection {
    lines: BTreeMap<String, Line>,
}

/// Finds out who an agent is that nobody has heard of.
pub type Who<'a> = &'a dyn Fn(&str) -> Option<Thread>;

impl Projection {
    /// Clients know of an agent already, and what it is doing.
    pub fn know(&mut self, id: &str, status: event::AgentStatus) {
        let mut line = Line::new(id);
        line.life = Life::left(status, String::new(), 0);
        self.lines.insert(id.to_owned(), line);
    }

    /// The turn an agent is in.
    pub fn turn(&self, id: &str) -> Option<&str> {
        self.lines.get(id)?.turn.as_deref()
    }

    /// The turn an agent will begin with, if it has been told something for it.
    pub fn next_turn(&self, id: &str) -> Option<&str> {
        self.lines.get(id)?.next_turn.as_deref()
    }

    /// What clients are told about an event.
    pub fn fold(&mut self, event: &Event, who: Who<'_>) -> Vec<Notification> {
        let mut told = Vec::new();
        let id = event.agent.agent_id.as_str();
        self.introduce(id, who, &mut told);
        if let What::CollabAgentSpawnEnd(end) = &event.what {
            for child in &end.begun.receiver_thread_ids {
                self.introduce(child, who, &mut told);
            }
        }
        if let Some(line) = self.lines.get_mut(id) {
            line.take(event, &mut told);
        }
        match &event.what {
            What::BackgroundEvent(background)
                if background.status == event::AgentStatus::Shutdown =>
            {
                told.extend(self.closed(&background.thread_id));
            }
            What::CollabCloseEnd(end) if end.success => {
                let closed = end.agents_states.iter();
                let closed = closed.filter(|(_, now)| now.status == event::AgentStatus::Shutdown);
                for (id, _) in closed {
                    told.extend(self.closed(id));
                }
            }
            What::CollabResumeEnd(end) if end.success => {
                for id in end.agents_states.keys() {
                    told.extend(self.change(id, Life::reopen));
                }
            }
            What::ThreadNoteUpdated { thread_id, thread_note } => {
                let (thread_id, thread_note) = (thread_id.clone(), thread_note.clone());
                let updated = ThreadNoteUpdated { thread_id, thread_note };
                told.push(Notification::ThreadNoteUpdated(updated));
            }
            What::Retry { error, .. } => told.push(went_wrong(id, error, true)),
            What::Error { error } => told.push(went_wrong(id, error, false)),
            what => told.extend(self.change(id, |life| life.take(what))),
        }
        told
    }

    /// An agent was closed.
    pub fn closed(&mut self, id: &str) -> Option<Notification> {
        self.change(id, Life::close)
    }

    fn introduce(&mut self, id: &str, who: Who<'_>, told: &mut Vec<Notification>) {
        if self.lines.contains_key(id) {
            return;
        }
        self.lines.insert(id.to_owned(), Line::new(id));
        if let Some(thread) = who(id) {
            told.push(Notification::ThreadStarted(ThreadResult { thread }));
        }
    }

    /// Changes what an agent is doing; clients are told if that is something else.
    fn change(&mut self, id: &str, change: impl FnOnce(&mut Life)) -> Option<Notification> {
        let line = self.lines.get_mut(id)?;
        let before = line.life.status();
        change(&mut line.life);
        let status = line.life.status();
        (status != before).then(|| {
            let (thread_id, status) = (id.to_owned(), status.into());
            Notification::ThreadStatusChanged(ThreadStatusChanged { thread_id, status })
        })
    }
}

fn went_wrong(id: &str, error: &Failure, will_retry: bool) -> Notification {
    let (thread_id, error) = (Some(id.to_owned()), error.into());
    Notification::Error(ErrorNotification { thread_id, error, will_retry })
}

impl From<&Failure> for TurnError {
    fn from(failure: &Failure) -> Self {
        Self { kind: failure.kind.name(), message: failure.message.clone() }
    }
}

impl From<event::AgentStatus> for AgentStatus {
    fn from(status: event::AgentStatus) -> Self {
        match status {
            event::AgentStatus::PendingInit => Self::PendingInit,
            event::AgentStatus::Running => Self::Running,
            event::AgentStatus::Interrupted => Self::Interrupted,
            event::AgentStatus::Completed => Self::Completed,
            event::AgentStatus::Errored => Self::Errored,
            event::AgentStatus::Shutdown => Self::Shutdown,
            event::AgentStatus::NotFound => Self::NotFound,
        }
    }
}
