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

    fn said(&self, agent: &AgentRef, messages: &[Message]) -> io::Result<()> {
        let values: Result<Vec<_>, _> = messages.iter().map(serde_json::to_value).collect();
        let values = values.map_err(io::Error::other)?;
        let values: Vec<_> = values.into_iter().map(|value| self.redactor.value(value)).collect();
        Ok(self.store.go_on(&self.owner, &agent.agent_id, &values, 0)?)
    }
}
