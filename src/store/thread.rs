//! Threads: one for each agent that was ever started.

use std::time::Duration;

use rusqlite::{OptionalExtension as _, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Durability, Owner, Store, StoreError, error::MAX_CANDIDATES, now};
use crate::event::{AgentRef, Failure, FailureKind, Outcome};

/// What a thread is doing: what its agent is.
pub use crate::event::AgentStatus as ThreadStatus;

/// Why a thread is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closed {
    /// Someone closed it.
    Explicit,
    /// The thread that started it was closed.
    WithParent,
}

impl Closed {
    const ALL: &[(&str, Self)] = &[("explicit", Self::Explicit), ("with_parent", Self::WithParent)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, closed)| *closed == self).map_or("", |(name, _)| name)
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, closed)| *closed)
    }
}

/// A thread that is about to begin.
#[derive(Clone, Debug, PartialEq)]
pub struct NewThread {
    /// Its name: a UUID whose order is that of time.
    pub id: String,
    /// The root of the tree it belongs to; its own name if it is the root.
    pub session: String,
    /// The thread that started it.
    pub parent: Option<String>,
    /// How far below the root it is.
    pub depth: u32,
    /// What kind of agent it is.
    pub agent_type: String,
    /// Which of its kind it is in its session, from 1.
    pub ordinal: u32,
    /// The first model that is asked.
    pub model: String,
    /// What its commands may touch.
    pub sandbox: String,
    /// Where it works.
    pub cwd: String,
    /// The file of its definition.
    pub path: String,
    /// Where that file comes from.
    pub origin: String,
    /// The definition as it was.
    pub definition: String,
    /// Its fingerprint.
    pub hash: String,
    /// How it was called, for whoever runs it.
    pub call: Value,
    /// A label.
    pub note: Option<String>,
    /// Whether nobody waits for it.
    pub background: bool,
}

/// A thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Thread {
    /// What it began with.
    pub begun: NewThread,
    /// Its number in its session.
    pub place: u32,
    /// What it is doing.
    pub status: ThreadStatus,
    /// What its last run came to.
    pub outcome: Option<Outcome>,
    /// Who runs it.
    pub owner: Option<Owner>,
    /// When its owner was last seen, in milliseconds since 1970.
    pub heartbeat: i64,
    /// When it was made.
    pub created: i64,
    /// When it last changed.
    pub updated: i64,
    /// Why it is closed, if it is.
    pub closed: Option<Closed>,
}

pub(super) const COLUMNS: &str = "id, session, parent, place, depth, agent_type, ordinal, model, sandbox, cwd, \
                       path, origin, definition, hash, call, note, background, status, outcome, \
                       owner, heartbeat, created, updated, closed";

pub(super) const BEAT: &str = "
    UPDATE threads SET heartbeat = ?2 WHERE owner = ?1 AND status IN ('pending_init', 'running')";

/// Closes `?1`. What was closed for itself does not become a part of its parent's end.
pub(super) const CLOSE: &str = "
    UPDATE threads SET status = 'shutdown', updated = ?3,
        closed = CASE WHEN closed = 'explicit' THEN closed ELSE ?2 END
    WHERE id = ?1";

/// What is said of a thread whose process is gone.
const DIED: &str = "the process running it died";

/// The threads that `?1` started.
pub(super) const OF_A_PARENT: &str =
    "SELECT {COLUMNS} FROM threads WHERE parent = ?1 ORDER BY place";

/// The threads whose names begin with `?1`, at most `?2` of them, in order.
pub(super) fn by_prefix() -> String {
    format!("SELECT {COLUMNS} FROM threads WHERE id >= ?1 AND id < ?1 || '~' ORDER BY id LIMIT ?2")
}

impl Store {
    /// Makes a thread. It belongs to `owner`, or to nobody yet.
    pub fn create(&self, thread: &NewThread, owner: Option<&Owner>) -> Result<(), StoreError> {
        self.write(Durability::Machine, |store| {
            let place: u32 = store.query_row(
                "SELECT coalesce(max(place) + 1, 0) FROM threads WHERE session = ?1",
                [&thread.session],
                |row| row.get(0),
            )?;
            let time = now();
            store.execute(
                "INSERT INTO threads (id, session, parent, place, depth, agent_type, ordinal, model,
                     sandbox, cwd, path, origin, definition, hash, call, note, background, status,
                     owner, heartbeat, created, updated)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                     ?18, ?19, ?20, ?20, ?20)",
                params![
                    thread.id,
                    thread.session,
                    thread.parent,
                    place,
                    thread.depth,
                    thread.agent_type,
                    thread.ordinal,
                    thread.model,
                    thread.sandbox,
                    thread.cwd,
                    thread.path,
                    thread.origin,
                    thread.definition,
                    thread.hash,
                    thread.call.to_string(),
                    thread.note,
                    thread.background,
                    ThreadStatus::PendingInit.name(),
                    owner.map(ToString::to_string),
                    time,
                ],
            )?;
            Ok(())
        })
    }

    /// The thread called `id`, or whose name begins like that. A thread whose owner is gone is
    /// found to have ended.
    pub fn thread(&self, id: &str) -> Result<Thread, StoreError> {
        let most = MAX_CANDIDATES + 1;
        let mut found = self.read(|store| {
            let mut query = store.prepare_cached(&by_prefix())?;
            let rows = query.query_map(params![id, most], read_thread)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        // The whole name of one may be the beginning of another's.
        if found.first().is_some_and(|first| first.begun.id == id) {
            found.truncate(1);
        }
        match <[Thread; 1]>::try_from(found) {
            _ if id.is_empty() => Err(StoreError::NoThread(String::new())),
            Ok([thread]) => self.buried(thread),
            Err(none) if none.is_empty() => Err(StoreError::NoThread(id.to_owned())),
            Err(several) => Err(StoreError::Ambiguous {
                prefix: id.to_owned(),
                candidates: several.into_iter().map(|thread| thread.begun.id).collect(),
            }),
        }
    }

    /// The threads that are in one of `statuses`, or all of them, the newest last.
    pub fn threads(&self, statuses: &[ThreadStatus]) -> Result<Vec<Thread>, StoreError> {
        let names: Vec<String> =
            statuses.iter().map(|status| format!("'{}'", status.name())).collect();
        let which = if names.is_empty() {
            String::new()
        } else {
            format!("WHERE status IN ({})", names.join(", "))
        };
        let found = self.read(|store| {
            let mut query = store
                .prepare(&format!("SELECT {COLUMNS} FROM threads {which} ORDER BY created, id"))?;
            query.query_map([], read_thread)?.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        found.into_iter().map(|thread| self.buried(thread)).collect()
    }

    /// The threads `id` started.
    pub fn children(&self, id: &str) -> Result<Vec<Thread>, StoreError> {
        let found = self.read(|store| {
            let mut query = store.prepare_cached(&OF_A_PARENT.replace("{COLUMNS}", COLUMNS))?;
            query.query_map([id], read_thread)?.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        found.into_iter().map(|thread| self.buried(thread)).collect()
    }

    /// Makes `owner` the one who runs `id`, unless someone alive does already. Of several who try
    /// at once, one succeeds.
    pub fn take_over(&self, id: &str, owner: &Owner) -> Result<(), StoreError> {
        let thread = self.thread(id)?;
        if thread.owner.is_some() && thread.is_attended() {
            return Err(StoreError::Owned);
        }
        let before = thread.owner.as_ref().map(ToString::to_string);
        let taken = self.write(Durability::Process, |store| {
            store.execute(
                "UPDATE threads SET owner = ?2, heartbeat = ?3, status = 'pending_init',
                     updated = ?3, closed = NULL
                 WHERE id = ?1 AND owner IS ?4 AND status = ?5",
                params![thread.begun.id, owner.to_string(), now(), before, thread.status.name()],
            )
        })?;
        if taken == 1 { Ok(()) } else { Err(StoreError::Owned) }
    }

    /// Makes `to` the one who runs `id`, which `from` has made or taken over and nobody has begun.
    /// `from` need not be alive any more, as long as nobody has noticed.
    pub fn hand_over(&self, id: &str, from: &Owner, to: &Owner) -> Result<(), StoreError> {
        let taken = self.write(Durability::Process, |store| {
            store.execute(
                "UPDATE threads SET owner = ?3, heartbeat = ?4, updated = ?4
                 WHERE id = ?1 AND owner = ?2 AND status = 'pending_init'",
                params![id, from.to_string(), to.to_string(), now()],
            )
        })?;
        if taken == 1 { Ok(()) } else { Err(StoreError::Owned) }
    }

    /// `owner` no longer attends to a thread that does not work.
    pub fn release(&self, owner: &Owner, id: &str) -> Result<(), StoreError> {
        self.write(Durability::Process, |store| {
            store.execute(
                "UPDATE threads SET owner = NULL WHERE id = ?1 AND owner = ?2
                 AND status NOT IN ('pending_init', 'running')",
                params![id, owner.to_string()],
            )
        })?;
        Ok(())
    }

    /// Says how a thread is called by whoever runs it next, in the background.
    pub fn call_again(&self, id: &str, call: &Value) -> Result<(), StoreError> {
        self.write(Durability::Process, |store| {
            store.execute(
                "UPDATE threads SET call = ?2, background = 1 WHERE id = ?1",
                params![id, call.to_string()],
            )
        })?;
        Ok(())
    }

    /// Says how a thread is called from now on.
    pub fn set_call(&self, id: &str, call: &Value) -> Result<(), StoreError> {
        self.write(Durability::Process, |store| {
            let call = call.to_string();
            store.execute("UPDATE threads SET call = ?2 WHERE id = ?1", params![id, call])
        })?;
        Ok(())
    }

    /// Says that `owner` is alive, for every thread it runs.
    pub fn beat(&self, owner: &Owner) -> Result<(), StoreError> {
        self.write(Durability::Process, |store| {
            store.execute(BEAT, params![owner.to_string(), now()])
        })?;
        Ok(())
    }

    /// Closes a thread that nobody runs, because someone asked for that.
    pub fn shut_down(&self, id: &str) -> Result<(), StoreError> {
        self.close(id, Closed::Explicit)
    }

    /// Closes a thread, whoever runs it.
    pub fn close(&self, id: &str, how: Closed) -> Result<(), StoreError> {
        self.write(Durability::Process, |store| {
            store.execute(CLOSE, params![id, how.name(), now()])
        })?;
        Ok(())
    }

    /// Makes a thread that was closed what it was before, run by nobody. One that is not closed
    /// stays as it is.
    pub fn reopen(&self, id: &str) -> Result<(), StoreError> {
        let found = self.write(Durability::Process, |store| {
            let query = format!("SELECT {COLUMNS} FROM threads WHERE id = ?1");
            let Some(thread) = store.query_row(&query, [id], read_thread).optional()? else {
                return Ok(false);
            };
            let before = thread
                .outcome
                .map_or(ThreadStatus::PendingInit, |outcome| ThreadStatus::after(outcome.status));
            store.execute(
                "UPDATE threads SET status = ?2, owner = NULL, closed = NULL, updated = ?3
                 WHERE id = ?1 AND status = 'shutdown'",
                params![id, before.name(), now()],
            )?;
            Ok(true)
        })?;
        if found { Ok(()) } else { Err(StoreError::NoThread(id.to_owned())) }
    }

    /// Labels a thread.
    pub fn set_note(&self, id: &str, note: Option<&str>) -> Result<(), StoreError> {
        self.write(Durability::Process, |store| {
            store.execute("UPDATE threads SET note = ?2 WHERE id = ?1", params![id, note])
        })?;
        Ok(())
    }

    /// `thread` as it really is: without its process, it no longer runs.
    pub(super) fn buried(&self, thread: Thread) -> Result<Thread, StoreError> {
        let Some(owner) = thread.owner.as_ref().filter(|_| thread.status.is_active()) else {
            return Ok(thread);
        };
        let silent = u64::try_from(now() - thread.heartbeat).unwrap_or_default();
        if owner.is_alive(Duration::from_millis(silent)) {
            return Ok(thread);
        }
        let outcome = died(&thread);
        let written = serde_json::to_string(&outcome).unwrap_or_default();
        self.write(Durability::Process, |store| {
            store.execute(
                "UPDATE threads SET status = ?3, outcome = ?4, owner = NULL, updated = ?5
                 WHERE id = ?1 AND owner = ?2 AND status IN ('pending_init', 'running')",
                params![
                    thread.begun.id,
                    owner.to_string(),
                    ThreadStatus::Errored.name(),
                    written,
                    now()
                ],
            )
        })?;
        // It may have come back to life meanwhile.
        self.read(|store| {
            let query = format!("SELECT {COLUMNS} FROM threads WHERE id = ?1");
            store.query_row(&query, [&thread.begun.id], read_thread).optional()
        })?
        .ok_or(StoreError::NoThread(thread.begun.id))
    }
}

/// What a run comes to whose process is gone.
fn died(thread: &Thread) -> Outcome {
    let NewThread { id, agent_type, model, .. } = &thread.begun;
    let agent = AgentRef { agent_id: id.clone(), agent_type: agent_type.clone() };
    let failure = Failure { kind: FailureKind::ProcessDied, message: DIED.to_owned() };
    Outcome::failed(&agent, model.clone(), failure)
}

pub(super) fn read_thread(row: &Row<'_>) -> rusqlite::Result<Thread> {
    let json = |text: Option<String>| text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(Thread {
        begun: NewThread {
            id: row.get("id")?,
            session: row.get("session")?,
            parent: row.get("parent")?,
            depth: row.get("depth")?,
            agent_type: row.get("agent_type")?,
            ordinal: row.get("ordinal")?,
            model: row.get("model")?,
            sandbox: row.get("sandbox")?,
            cwd: row.get("cwd")?,
            path: row.get("path")?,
            origin: row.get("origin")?,
            definition: row.get("definition")?,
            hash: row.get("hash")?,
            call: json(row.get("call")?).unwrap_or_default(),
            note: row.get("note")?,
            background: row.get("background")?,
        },
        place: row.get("place")?,
        status: ThreadStatus::parse(&row.get::<_, String>("status")?),
        outcome: row
            .get::<_, Option<String>>("outcome")?
            .and_then(|text| serde_json::from_str(&text).ok()),
        owner: row.get::<_, Option<String>>("owner")?.and_then(|text| text.parse().ok()),
        heartbeat: row.get("heartbeat")?,
        created: row.get("created")?,
        updated: row.get("updated")?,
        closed: row.get::<_, Option<String>>("closed")?.and_then(|text| Closed::parse(&text)),
    })
}

#[cfg(test)]
mod tests;
