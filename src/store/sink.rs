//! A store as the first reader of the stream of events.

use std::{io, sync::Arc};

use super::{Owner, Store};
use crate::{
    conversation::Message,
    event::{AgentRef, Event, Redactor, Sink},
};

/// Writes everything down before anyone else sees it.
#[derive(Debug)]
pub struct StoreSink {
    store: Arc<Store>,
    owner: Owner,
    redactor: Redactor,
}

impl StoreSink {
    /// Writes to `store` what happens to the threads of `owner`.
    pub fn new(store: Arc<Store>, owner: Owner, redactor: Redactor) -> Self {
        Self { store, owner, redactor }
    }
}

impl Sink for StoreSink {
    fn take(&self, event: &Event) -> io::Result<()> {
        Ok(self.store.append(&self.owner, event)?)
    }

    fn said(&self, agent: &AgentRef, message: &Message) -> io::Result<()> {
        let value = serde_json::to_value(message).map_err(io::Error::other)?;
        Ok(self.store.say(&self.owner, &agent.agent_id, &self.redactor.value(value))?)
    }
}
