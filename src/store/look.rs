//! What those ask who only look at threads or steer them, and do not run any.

use std::{collections::HashSet, time::Duration};

use rusqlite::{OptionalExtension as _, params};

use super::{
    Closed, Durability, Store, StoreError, Thread, ThreadStatus, now,
    thread::{CLOSE, COLUMNS, read_thread},
};
use crate::{
    conversation::Message,
    event::{Event, What},
};

/// The longest note.
const MAX_NOTE: usize = 200;

/// The first of what happened to a thread.
pub(super) const FIRST_EVENT: &str =
    "SELECT event FROM events WHERE thread = ?1 ORDER BY seq LIMIT 1";

/// What was said to a thread first.
pub(super) const FIRST_MESSAGE: &str =
    "SELECT message FROM messages WHERE thread = ?1 ORDER BY number LIMIT 1";

/// Which threads someone asks for, the newest first.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Only those that are older than this one.
    pub before: Option<String>,
    /// Only those that this one started.
    pub parent: Option<String>,
    /// Whether those that others started are meant, too.
    pub children: bool,
    /// How many at most.
    pub most: usize,
}

impl Thread {
    /// Whether its owner is there to work on it or to take mail for it.
    pub fn is_attended(&self) -> bool {
        let silent = Duration::from_millis(u64::try_from(now() - self.heartbeat).unwrap_or(0));
        match self.status {
            ThreadStatus::PendingInit | ThreadStatus::Running => true,
            ThreadStatus::Interrupted | ThreadStatus::Completed | ThreadStatus::Errored => {
                self.owner.as_ref().is_some_and(|owner| owner.is_alive(silent))
            }
            ThreadStatus::Shutdown | ThreadStatus::NotFound => false,
        }
    }

    /// Whether nothing more will come of it by itself: it has ended, or it was interrupted and
    /// there is no one left to go on.
    pub fn is_over(&self) -> bool {
        self.status.is_final() || !self.is_attended()
    }
}

impl Store {
    /// Everything below `id`, each thread after the one that started it.
    pub fn descendants(&self, id: &str) -> Result<Vec<Thread>, StoreError> {
        let mut found = self.children(id)?;
        // A damaged file may have circles.
        let mut seen: HashSet<String> =
            found.iter().map(|thread| thread.begun.id.clone()).chain([id.to_owned()]).collect();
        let mut next = 0;
        while let Some(id) = found.get(next).map(|thread| thread.begun.id.clone()) {
            let children = self.children(&id)?;
            found.extend(children.into_iter().filter(|child| seen.insert(child.begun.id.clone())));
            next += 1;
        }
        Ok(found)
    }

    /// Some threads, the newest first. Their names are in the order of time.
    pub fn page(&self, page: &Page) -> Result<Vec<Thread>, StoreError> {
        let found = self.read(|store| {
            let mut query = store.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM threads
                 WHERE id < ?1 AND (?2 IS NULL OR parent = ?2)
                     AND (?2 IS NOT NULL OR ?3 OR parent IS NULL)
                 ORDER BY id DESC LIMIT ?4"
            ))?;
            let before = page.before.as_deref().unwrap_or("~");
            let values = params![before, page.parent, page.children, page.most];
            query.query_map(values, read_thread)?.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        found.into_iter().map(|thread| self.buried(thread)).collect()
    }

    /// The task of a thread in a few words, as far as it is known.
    pub fn description(&self, thread: &Thread) -> Result<Option<String>, StoreError> {
        let text = self.read(|store| {
            let mut query = store.prepare_cached(FIRST_EVENT)?;
            query.query_row([&thread.begun.id], |row| row.get::<_, String>(0)).optional()
        })?;
        let event = text.and_then(|text| serde_json::from_str::<Event>(&text).ok());
        match event.map(|event| event.what) {
            Some(What::Started(started)) => return Ok(Some(started.description)),
            Some(What::UserMessage { text, .. }) => return Ok(note(&text)),
            _ => {}
        }
        let said = |key: &str| thread.begun.call.get(key)?.as_str().map(str::to_owned);
        Ok(said("description").or_else(|| said("prompt")))
    }

    /// What a thread was told first.
    pub fn task(&self, id: &str) -> Result<Option<String>, StoreError> {
        let text = self.read(|store| {
            let mut query = store.prepare_cached(FIRST_MESSAGE)?;
            query.query_row([id], |row| row.get::<_, String>(0)).optional()
        })?;
        Ok(match text.and_then(|text| serde_json::from_str(&text).ok()) {
            Some(Message::User { text }) => Some(text),
            _ => None,
        })
    }

    /// Closes a thread unless someone runs it, because someone asked for that. Whether it is
    /// closed.
    pub fn close_idle(&self, id: &str) -> Result<bool, StoreError> {
        self.close_unless_run(id, Closed::Explicit)
    }

    /// Closes a thread unless someone runs it. Whether it is closed. What told it to end has been
    /// done, and must not end it again when it goes on one day.
    pub fn close_unless_run(&self, id: &str, how: Closed) -> Result<bool, StoreError> {
        self.write(Durability::Process, |store| {
            let idle =
                format!("{CLOSE} AND (owner IS NULL OR status NOT IN ('pending_init', 'running'))");
            let closed = store.execute(&idle, params![id, how.name(), now()])?;
            if closed == 1 {
                store.execute(
                    "UPDATE mail SET taken = ?2
                     WHERE thread = ?1 AND taken IS NULL AND kind = 'close'",
                    params![id, now()],
                )?;
            }
            Ok(closed == 1)
        })
    }
}

/// A note as it is kept: one line, not too long; `None` if nothing is left of it.
pub fn note(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(MAX_NOTE).collect();
    let line = line.trim_end();
    (!line.is_empty()).then(|| line.to_owned())
}
