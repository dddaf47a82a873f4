//! What happened in a session: the logs of its threads as one. However long the session is, only
//! what is asked for is read.

use std::collections::VecDeque;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{Store, StoreError, log::EVENTS};
use crate::event::Event;

/// How many events of a thread are read at once.
const BATCH: usize = 128;

const THREADS: &str = "SELECT id FROM threads WHERE session = ?1 ORDER BY place";
const LAST: &str = "SELECT seq, stream FROM events WHERE thread = ?1 ORDER BY seq DESC LIMIT 1";
const AT: &str = "SELECT stream FROM events WHERE thread = ?1 AND seq >= ?2 ORDER BY seq LIMIT 1";

/// How far the log of a thread has been read.
struct Reader {
    thread: String,
    /// The number in the thread of what is read next.
    next: u64,
    read: VecDeque<Event>,
    is_over: bool,
}

impl Store {
    /// What happened in a session from number `from` on, in order. It ends where `take` says that
    /// it has enough, before that event. Whether there is more.
    pub fn stream(
        &self,
        session: &str,
        from: u64,
        mut take: impl FnMut(&Event) -> bool,
    ) -> Result<bool, StoreError> {
        self.read(|store| {
            let mut readers = readers(store, session, from)?;
            loop {
                for reader in &mut readers {
                    reader.fill(store)?;
                }
                readers.retain(|reader| !reader.read.is_empty());
                let first = readers.iter_mut().min_by_key(|reader| reader.seq());
                let Some(event) = first.and_then(|reader| reader.read.pop_front()) else {
                    return Ok(false);
                };
                if event.seq >= from && !take(&event) {
                    return Ok(true);
                }
            }
        })
    }
}

/// The threads of a session to which something happened from number `from` on.
fn readers(store: &Connection, session: &str, from: u64) -> rusqlite::Result<Vec<Reader>> {
    let mut query = store.prepare_cached(THREADS)?;
    let ids = query.query_map([session], |row| row.get::<_, String>(0))?;
    let mut readers = Vec::new();
    for id in ids {
        let thread = id?;
        if let Some(next) = beginning(store, &thread, from)? {
            readers.push(Reader { thread, next, read: VecDeque::new(), is_over: false });
        }
    }
    Ok(readers)
}

/// The number in the thread of the first event whose number in the session is at least `from`.
fn beginning(store: &Connection, thread: &str, from: u64) -> rusqlite::Result<Option<u64>> {
    let mut last = store.prepare_cached(LAST)?;
    let last = last
        .query_row([thread], |row| Ok((row.get::<_, u64>(0)?, row.get::<_, u64>(1)?)))
        .optional()?;
    let Some((mut high, _)) = last.filter(|(_, stream)| *stream >= from) else {
        return Ok(None);
    };
    let mut at = store.prepare_cached(AT)?;
    let mut low = 0;
    while low < high {
        let middle = low + (high - low) / 2;
        let stream: u64 = at.query_row(params![thread, middle], |row| row.get(0))?;
        if stream < from {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(Some(low))
}

impl Reader {
    fn seq(&self) -> u64 {
        self.read.front().map_or(u64::MAX, |event| event.seq)
    }

    /// Makes sure that something has been read, if there is anything left.
    fn fill(&mut self, store: &Connection) -> rusqlite::Result<()> {
        while self.read.is_empty() && !self.is_over {
            let mut query = store.prepare_cached(EVENTS)?;
            let mut rows = query.query(params![self.thread, self.next, BATCH])?;
            let mut count = 0;
            while let Some(row) = rows.next()? {
                count += 1;
                self.next = row.get::<_, u64>(0)? + 1;
                // What a newer agentctl wrote of kinds unknown here is passed over.
                self.read.extend(serde_json::from_str::<Event>(row.get_ref(1)?.as_str()?));
            }
            self.is_over = count < BATCH;
        }
        Ok(())
    }
}
