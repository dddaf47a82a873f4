//! What happened to a thread and what was said in it, in order, for ever.

use rusqlite::{Transaction, params};
use serde_json::Value;

use super::{Durability, Owner, Store, StoreError, ThreadStatus, mail::TAKE_UP_TO, now};
use crate::{
    conversation::Message,
    event::{Event, What},
};

pub(super) const APPEND: &str = "
    INSERT INTO events (thread, seq, stream, at, event)
    SELECT ?1, coalesce(max(seq) + 1, 0), ?2, ?3, ?4 FROM events WHERE thread = ?1";
pub(super) const CHANGE: &str =
    "UPDATE threads SET status = ?2, outcome = ?3, updated = ?4, closed = NULL WHERE id = ?1";
pub(super) const SAY: &str = "
    INSERT INTO messages (thread, number, message)
    SELECT ?1, coalesce(max(number) + 1, 0), ?2 FROM messages WHERE thread = ?1";
pub(super) const EVENTS: &str =
    "SELECT seq, event FROM events WHERE thread = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3";
pub(super) const BACKWARDS: &str =
    "SELECT seq, event FROM events WHERE thread = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3";
pub(super) const MESSAGES: &str =
    "SELECT message FROM messages WHERE thread = ?1 AND number >= ?2 ORDER BY number";
pub(super) const OWNED: &str = "SELECT 1 FROM threads WHERE id = ?1 AND owner = ?2";

/// How many events are read at once on the way back to the beginning of a turn.
pub(super) const BATCH: usize = 64;

/// Something that happened to a thread.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    /// Its number in the thread, without gaps.
    pub seq: u64,
    /// What happened. Its own number is that of the session.
    pub event: Event,
}

impl Store {
    /// Writes down what happened to a thread that `owner` runs.
    pub fn append(&self, owner: &Owner, event: &Event) -> Result<(), StoreError> {
        let id = &event.agent.agent_id;
        let text = serde_json::to_string(event).unwrap_or_default();
        let (status, outcome) = match &event.what {
            What::Started(_) => (Some(ThreadStatus::Running), None),
            What::Completed(outcome) => {
                let outcome_text = serde_json::to_string(outcome).unwrap_or_default();
                (Some(ThreadStatus::after(outcome.status)), Some(outcome_text))
            }
            _ => (None, None),
        };
        let written = self.write(durability(&event.what), |store| {
            if !is_owner(store, id, owner)? {
                return Ok(false);
            }
            let mut insert = store.prepare_cached(APPEND)?;
            insert.execute(params![id, event.seq, event.at, text])?;
            if let Some(status) = status {
                store.execute(CHANGE, params![id, status.name(), outcome, now()])?;
            }
            Ok(true)
        })?;
        if written { Ok(()) } else { Err(StoreError::Owned) }
    }

    /// Writes down what was said in a thread that `owner` runs.
    pub fn say(&self, owner: &Owner, id: &str, message: &Value) -> Result<(), StoreError> {
        let text = message.to_string();
        let written = self.write(Durability::Process, |store| {
            if !is_owner(store, id, owner)? {
                return Ok(false);
            }
            let mut insert = store.prepare_cached(SAY)?;
            insert.execute(params![id, text])?;
            Ok(true)
        })?;
        if written { Ok(()) } else { Err(StoreError::Owned) }
    }

    /// Writes down what is said first when a thread goes on, together with what was sent to it up to
    /// number `mail`, which is part of that.
    pub fn go_on(
        &self,
        owner: &Owner,
        id: &str,
        messages: &[Value],
        mail: i64,
    ) -> Result<(), StoreError> {
        let written = self.write(Durability::Process, |store| {
            if !is_owner(store, id, owner)? {
                return Ok(false);
            }
            let mut insert = store.prepare_cached(SAY)?;
            for message in messages {
                insert.execute(params![id, message.to_string()])?;
            }
            store.execute(TAKE_UP_TO, params![id, mail, now()])?;
            Ok(true)
        })?;
        if written { Ok(()) } else { Err(StoreError::Owned) }
    }

    /// What happened to a thread, from number `from` on, at most `most` of it.
    pub fn events(&self, id: &str, from: u64, most: usize) -> Result<Vec<LogEntry>, StoreError> {
        self.read(|store| {
            let mut query = store.prepare_cached(EVENTS)?;
            let rows = query.query_map(params![id, from, most], |row| {
                Ok((row.get::<_, u64>(0)?, row.get::<_, String>(1)?))
            })?;
            let mut entries = Vec::new();
            for row in rows {
                let (seq, text) = row?;
                // What a newer agentctl wrote of kinds unknown here is passed over.
                if let Ok(event) = serde_json::from_str(&text) {
                    entries.push(LogEntry { seq, event });
                }
            }
            Ok(entries)
        })
    }

    /// What happened in the last turn of a thread, from its beginning on, or everything if there
    /// was none. What happened before that turn costs nothing.
    pub fn last_turn(&self, id: &str) -> Result<Vec<What>, StoreError> {
        self.read(|store| {
            let mut query = store.prepare_cached(BACKWARDS)?;
            let (mut turn, mut before) = (Vec::new(), i64::MAX);
            loop {
                let mut rows = query.query(params![id, before, BATCH])?;
                let mut read = 0;
                while let Some(row) = rows.next()? {
                    (before, read) = (row.get(0)?, read + 1);
                    let Ok(event) = serde_json::from_str::<Event>(row.get_ref(1)?.as_str()?) else {
                        continue;
                    };
                    let begins = matches!(event.what, What::TurnStart { .. });
                    turn.push(event.what);
                    if begins {
                        return Ok(in_order(turn));
                    }
                }
                if read < BATCH {
                    return Ok(in_order(turn));
                }
            }
        })
    }

    /// What was said in a thread.
    pub fn messages(&self, id: &str) -> Result<Vec<Message>, StoreError> {
        self.messages_from(id, 0)
    }

    /// What was said in a thread, from number `from` on.
    pub fn messages_from(&self, id: &str, from: usize) -> Result<Vec<Message>, StoreError> {
        self.read(|store| {
            let mut query = store.prepare_cached(MESSAGES)?;
            let texts = query.query_map(params![id, from], |row| row.get::<_, String>(0))?;
            texts
                .map(|text| {
                    serde_json::from_str(&text?).map_err(|error| {
                        let kind = rusqlite::types::Type::Text;
                        rusqlite::Error::FromSqlConversionFailure(0, kind, Box::new(error))
                    })
                })
                .collect()
        })
    }

    /// The number the next event of a session gets.
    pub fn next_in_session(&self, session: &str) -> Result<u64, StoreError> {
        self.read(|store| {
            store.query_row(
                "SELECT coalesce(max(stream) + 1, 0) FROM events
                 WHERE thread IN (SELECT id FROM threads WHERE session = ?1)",
                [session],
                |row| row.get(0),
            )
        })
    }
}

/// What was read backwards, as it happened.
fn in_order(mut backwards: Vec<What>) -> Vec<What> {
    backwards.reverse();
    backwards
}

/// What cannot be undone has to be known even after the machine has stopped.
fn durability(what: &What) -> Durability {
    match what {
        What::ToolCallStart { .. } | What::Completed(_) => Durability::Machine,
        _ => Durability::Process,
    }
}

/// Whether `owner` still runs the thread. One that was thought dead must not go on writing.
fn is_owner(store: &Transaction<'_>, id: &str, owner: &Owner) -> rusqlite::Result<bool> {
    let mut query = store.prepare_cached(OWNED)?;
    query.exists(params![id, owner.to_string()])
}
