//! The stream itself: numbers events and hands each to every reader, in order.

use std::{
    io,
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use super::{AgentRef, Event, Redactor, What, rfc3339};
use crate::conversation::Message;

/// A reader of the stream.
pub trait Sink: Send + Sync {
    /// Takes one event. An error stops the agent it is about: what cannot be written down must
    /// not go on happening.
    fn take(&self, event: &Event) -> io::Result<()>;

    /// Takes what was said in a conversation, all of it or nothing. Most readers are told by events.
    fn said(&self, _agent: &AgentRef, _messages: &[Message]) -> io::Result<()> {
        Ok(())
    }
}

/// Numbers events and hands them on.
pub struct Journal {
    next: Mutex<u64>,
    sinks: Vec<Box<dyn Sink>>,
    redactor: Redactor,
    now: fn() -> SystemTime,
}

impl Journal {
    /// A journal whose events go to `sinks`, in that order.
    pub fn new(sinks: Vec<Box<dyn Sink>>, redactor: Redactor) -> Self {
        Self::from(0, sinks, redactor)
    }

    /// A journal that goes on with number `next`.
    pub fn from(next: u64, sinks: Vec<Box<dyn Sink>>, redactor: Redactor) -> Self {
        Self { next: Mutex::new(next), sinks, redactor, now: SystemTime::now }
    }

    /// Writes down that `what` happened to `agent`.
    pub fn record(&self, agent: &AgentRef, what: What) -> io::Result<()> {
        let what = self.redactor.event(what);
        // Numbering and handing on are one step, so that every reader sees the same order.
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let event = Event { seq: *next, at: rfc3339((self.now)()), agent: agent.clone(), what };
        for sink in &self.sinks {
            sink.take(&event)?;
        }
        *next += 1;
        Ok(())
    }

    /// Writes down what was said in the conversation of `agent`.
    pub fn said(&self, agent: &AgentRef, messages: &[Message]) -> io::Result<()> {
        self.sinks.iter().try_for_each(|sink| sink.said(agent, messages))
    }

    /// What takes keys out of texts.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").field("sinks", &self.sinks.len()).finish_non_exhaustive()
    }
}
