//! Going on with a conversation that is in the store.

use super::{Session, SessionError};
use crate::{conversation::Message, event::Life, run::recovered, store::NewThread};

/// How many events are read at once.
const PAGE: usize = 1_000;

/// What an agent is told that goes on without anything new to do.
const GO_ON: &str = "Go on where you were stopped.";

impl Session {
    /// The conversation of a thread, and what it goes on with: results for calls that broke off,
    /// the conversation it starts with if there was none, and `prompts`.
    pub(super) fn past(
        &self,
        id: &str,
        first: &[Message],
        mut prompts: Vec<String>,
    ) -> Result<(Vec<Message>, Vec<Message>), SessionError> {
        let (store, _) = self.kept().ok_or(SessionError::NotKept)?;
        let past = store.messages(id)?;
        let mut more: Vec<Message> = recovered(&past, &store.last_turn(id)?).into_iter().collect();
        // A conversation that ends with its user needs no further word.
        let waits = more.is_empty() && !matches!(past.last(), Some(Message::Assistant { .. }));
        if past.is_empty() {
            more.extend_from_slice(first);
        }
        if prompts.is_empty() && !waits {
            prompts.push(GO_ON.to_owned());
        }
        more.extend(prompts.into_iter().map(Message::user));
        Ok((past, more))
    }

    /// What became of a thread in earlier processes.
    pub(super) fn life_of(&self, begun: &NewThread) -> Result<Life, SessionError> {
        let (store, _) = self.kept().ok_or(SessionError::NotKept)?;
        let (mut life, mut from) = (Life::default(), 0);
        loop {
            let page = store.events(&begun.id, from, PAGE)?;
            page.iter().for_each(|entry| life.take(&entry.event.what));
            match page.last() {
                Some(last) => from = last.seq + 1,
                None => return Ok(life),
            }
        }
    }
}
