//! Saving what can be read of a damaged store.
//!
//! SQLite stops at the first page that is wrong, so the file is read here, page by page: what was
//! on a lost page is lost, and nothing else. The damaged file itself is never written to.

mod pages;
mod rows;
mod tree;

use std::{
    collections::{BTreeMap, HashMap},
    fmt, fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use rusqlite::{Connection, params, params_from_iter, types::Value};
use rustix::fs::{FlockOperation, flock};
use serde::Serialize;
use thiserror::Error;

use super::{Store, StoreError, format, keep_private, now};
use crate::event::rfc3339;
use pages::beside;
use rows::{Row, scan};

/// What comes with a file of SQLite's, and belongs to it.
const COMPANIONS: &[&str] = &["-wal", "-shm"];

/// How much of a store can be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Readable {
    /// How many threads.
    pub threads: usize,
    /// How many events of theirs, up to the first that is missing in each.
    pub events: u64,
}

impl Readable {
    /// What can be read of the file at `path`, whatever its state. Nothing is written.
    pub fn of(path: &Path) -> Self {
        let mut numbers: HashMap<String, Vec<u64>> = HashMap::new();
        let mut threads = Vec::new();
        let read = scan(path, |row| {
            match &row {
                Row::Thread(_) => threads.push(row.thread().to_owned()),
                Row::Event(_) => {
                    numbers.entry(row.thread().to_owned()).or_default().push(row.number());
                }
                Row::Name(_) | Row::Message(_) | Row::Mail(_) => {}
            }
            Ok::<(), io::Error>(())
        });
        if read.is_err() {
            return Self::default();
        }
        // A log that is there from its beginning can be read without its thread.
        let begun = numbers.iter().filter(|(_, numbers)| numbers.contains(&0));
        threads.extend(begun.map(|(thread, _)| thread.clone()));
        threads.sort_unstable();
        threads.dedup();
        let logs = threads.iter().filter_map(|thread| numbers.remove(thread));
        Self { threads: threads.len(), events: logs.map(unbroken).sum() }
    }
}

/// How many numbers there are from 0 on before one is missing.
fn unbroken(mut numbers: Vec<u64>) -> u64 {
    numbers.sort_unstable();
    numbers.dedup();
    (0..).zip(numbers).take_while(|(place, number)| place == number).count() as u64
}

impl fmt::Display for Readable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threads, events } = self;
        match threads {
            0 => return f.write_str("nothing in it can be read"),
            1 => f.write_str("1 thread")?,
            count => write!(f, "{count} threads")?,
        }
        match events {
            1 => f.write_str(" with 1 event can still be read"),
            count => write!(f, " with {count} events can still be read"),
        }
    }
}

/// What came of saving a damaged store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recovery {
    /// How many threads were saved.
    pub threads: u64,
    /// How many events.
    pub events: u64,
    /// How many messages.
    pub messages: u64,
    /// How many pieces of mail.
    pub mail: u64,
    /// What is known to be lost, by thread.
    pub lost: BTreeMap<String, Loss>,
    /// How many pages could not be read; nobody knows what was on them.
    pub unreadable_pages: u32,
    /// Where the damaged file is.
    pub damaged_file: PathBuf,
}

/// What a thread lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// Whether only its log is left: it can be read, but it cannot go on.
    pub definition: bool,
    /// Whether the thread itself is lost.
    pub thread: bool,
    /// How many events were read that could not be kept, because one before them is missing.
    pub events: u64,
    /// How many messages, for the same reason.
    pub messages: u64,
}

/// A store that is not recovered. Nothing was changed.
#[derive(Debug, Error)]
pub enum RecoverError {
    /// A thread in it is being run.
    #[error("the thread `{0}` is being run by another process")]
    Running(String),
    /// Someone writes to it, or recovers it too.
    #[error("{} is being used by another process", .0.display())]
    Busy(PathBuf),
    /// A file cannot be read or written.
    #[error("the files of the store cannot be used")]
    Files(#[from] io::Error),
    /// What was saved cannot be used, or the store is of a newer format.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// Puts what can be read of the damaged store at `path` in its place, and the damaged one
    /// aside; `None` if there is no store, or nothing is wrong with it. This process must not have
    /// it open.
    pub fn recover(path: &Path) -> Result<Option<Recovery>, RecoverError> {
        let file = match fs::File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        // Where files cannot be locked, at least nobody is disturbed.
        if flock(&file, FlockOperation::NonBlockingLockExclusive) == Err(rustix::io::Errno::AGAIN) {
            return Err(RecoverError::Busy(path.to_owned()));
        }
        let before = state(path);
        if is_sound(path)? {
            return Ok(None);
        }
        let new = beside(path, ".recovered");
        let saved = save(path, &new).and_then(|recovery| {
            check(&new)?;
            if state(path) != before {
                return Err(RecoverError::Busy(path.to_owned()));
            }
            Ok(Recovery { damaged_file: replace(path, &new)?, ..recovery })
        });
        remove(&new);
        saved.map(Some)
    }
}

/// Whether nothing is wrong with the file at `path`. A copy is asked, because SQLite changes what
/// it opens.
fn is_sound(path: &Path) -> Result<bool, RecoverError> {
    if format::check_length(path).is_err() {
        return Ok(false);
    }
    let copy = beside(path, ".checked");
    remove(&copy);
    fs::copy(path, &copy)?;
    let log = fs::copy(beside(path, "-wal"), beside(&copy, "-wal"));
    let sound = match log {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => inspect(&copy, path),
    };
    remove(&copy);
    sound
}

/// Whether nothing is wrong with the copy of the file at `path`.
fn inspect(copy: &Path, path: &Path) -> Result<bool, RecoverError> {
    let wrong = |error| StoreError::at(path, error);
    let sound = Connection::open(copy).map_err(wrong).and_then(|copy| {
        let is_new = format::known_version(&copy, path)? == 0;
        let fine = is_whole(&copy)
            .and_then(|whole| Ok(whole && (is_new || has_threads(&copy)? && is_plausible(&copy)?)));
        fine.map_err(wrong)
    });
    match sound {
        Err(StoreError::Damaged { .. }) => Ok(false),
        sound => Ok(sound?),
    }
}

fn has_threads(connection: &Connection) -> rusqlite::Result<bool> {
    connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'threads'")?.exists([])
}

fn is_whole(connection: &Connection) -> rusqlite::Result<bool> {
    let all = "PRAGMA integrity_check(1)";
    let said: String = connection.query_row(all, [], |row| row.get(0))?;
    let strangers = connection.prepare("PRAGMA foreign_key_check")?.exists([])?;
    Ok(said == "ok" && !strangers)
}

/// Whether every row can be what was written. SQLite does not look into them.
fn is_plausible(connection: &Connection) -> rusqlite::Result<bool> {
    for (table, columns) in rows::TABLES {
        let mut query = connection.prepare(&format!("SELECT {columns} FROM {table}"))?;
        let count = query.column_count();
        let mut found = query.query([])?;
        while let Some(row) = found.next()? {
            let values: rusqlite::Result<Vec<Value>> = (0..count).map(|at| row.get(at)).collect();
            if !values.is_ok_and(|values| rows::row(table, Some(0), values).is_some()) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Writes what can be read of the file at `path` to a new one at `new`.
fn save(path: &Path, new: &Path) -> Result<Recovery, RecoverError> {
    remove(new);
    keep_private(new);
    let wrong = |error| RecoverError::Store(StoreError::at(new, error));
    let mut connection = Connection::open(new).map_err(wrong)?;
    format::lay_out(&connection).map_err(wrong)?;
    connection.pragma_update(None, "foreign_keys", false).map_err(wrong)?;
    let transaction = connection.transaction().map_err(wrong)?;
    transaction.execute_batch("CREATE TEMP TABLE names (id TEXT PRIMARY KEY)").map_err(wrong)?;
    let unreadable_pages = scan(path, |row| keep(&transaction, &row, wrong))?;
    let lost = tidy(&transaction).map_err(wrong)?;
    let count = |table: &str| {
        let all = format!("SELECT count(*) FROM {table}");
        transaction.query_row(&all, [], |row| row.get(0)).map_err(wrong)
    };
    let recovery = Recovery {
        threads: count("threads")?,
        events: count("events")?,
        messages: count("messages")?,
        mail: count("mail")?,
        lost,
        unreadable_pages,
        damaged_file: PathBuf::new(),
    };
    transaction.commit().map_err(wrong)?;
    Ok(recovery)
}

/// Writes a row that was read, unless its place is taken. A thread that is being run stops that.
fn keep(
    new: &Connection,
    row: &Row,
    wrong: impl Fn(rusqlite::Error) -> RecoverError,
) -> Result<(), RecoverError> {
    if row.is_being_run() {
        return Err(RecoverError::Running(row.thread().to_owned()));
    }
    let (table, values) = match row {
        Row::Name(name) => {
            let insert = "INSERT OR IGNORE INTO names VALUES (?1)";
            return new.execute(insert, [name]).map(drop).map_err(wrong);
        }
        Row::Thread(values) => ("threads", values),
        Row::Event(values) => ("events", values),
        Row::Message(values) => ("messages", values),
        Row::Mail(values) => ("mail", values),
    };
    let marks = vec!["?"; values.len()].join(", ");
    let insert = format!("INSERT OR IGNORE INTO {table} VALUES ({marks})");
    let written = new
        .prepare_cached(&insert)
        .and_then(|mut insert| insert.execute(params_from_iter(values.iter())));
    written.map(drop).map_err(wrong)
}

/// A thread for a log that has lost its own. What it was is read off its first event.
const STAND_IN: &str = "
    INSERT INTO threads (id, session, place, depth, agent_type, ordinal, model, sandbox, cwd, path,
        origin, definition, hash, call, note, background, status, heartbeat, created, updated)
    SELECT thread, thread, 0, 0, coalesce(json_extract(event, '$.agent_type'), ''), 1,
        coalesce(json_extract(event, '$.data.model'), ''), '',
        coalesce(json_extract(event, '$.data.cwd'), ''), '', '', '', '', '{}',
        'recovered; its definition is lost', 0, 'errored', ?2, ?2, ?2
    FROM events WHERE thread = ?1 AND seq = 0";

/// Takes away what has lost its thread or what came before it. What that was, by thread.
fn tidy(new: &Connection) -> rusqlite::Result<BTreeMap<String, Loss>> {
    let mut lost: BTreeMap<String, Loss> = BTreeMap::new();
    for (thread, _) in strays(
        new,
        "SELECT thread, 1 FROM events WHERE seq = 0
        AND thread NOT IN (SELECT id FROM threads)",
    )? {
        new.execute(STAND_IN, params![thread, now()])?;
        lost.entry(thread).or_default().definition = true;
    }
    for thread in strays(new, "SELECT id, 1 FROM names WHERE id NOT IN (SELECT id FROM threads)")? {
        lost.entry(thread.0).or_default().thread = true;
    }
    for (table, number) in [("events", "seq"), ("messages", "number")] {
        let stray = "thread NOT IN (SELECT id FROM threads)";
        let behind = format!(
            "(thread, {number}) IN (SELECT thread, {number} FROM (
                 SELECT thread, {number},
                     row_number() OVER (PARTITION BY thread ORDER BY {number}) - 1 AS place
                 FROM {table}) WHERE {number} <> place)"
        );
        for (which, with_thread) in [(stray, true), (&behind, false)] {
            let count =
                format!("SELECT thread, count(*) FROM {table} WHERE {which} GROUP BY thread");
            for (thread, count) in strays(new, &count)? {
                let loss = lost.entry(thread).or_default();
                loss.thread |= with_thread;
                *(if table == "events" { &mut loss.events } else { &mut loss.messages }) += count;
            }
            new.execute(&format!("DELETE FROM {table} WHERE {which}"), [])?;
        }
    }
    new.execute_batch(
        "DELETE FROM mail WHERE thread NOT IN (SELECT id FROM threads);
         UPDATE threads SET parent = NULL WHERE parent NOT IN (SELECT id FROM threads);
         DROP TABLE names;",
    )?;
    Ok(lost)
}

fn strays(new: &Connection, query: &str) -> rusqlite::Result<Vec<(String, u64)>> {
    let mut query = new.prepare(query)?;
    query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Makes sure that the file at `new` is a store and on the disk.
fn check(new: &Path) -> Result<(), RecoverError> {
    let store = Store::open(new)?;
    if !store.read(|store| Ok(is_whole(store)? && is_plausible(store)?))? {
        return Err(StoreError::damaged(new, "what was saved is not whole".to_owned()).into());
    }
    store.threads(&[])?;
    drop(store);
    Ok(fs::File::open(new)?.sync_all()?)
}

/// Puts the file at `new` in the place of the one at `path`, and that aside. Where it is then.
fn replace(path: &Path, new: &Path) -> Result<PathBuf, RecoverError> {
    let time: String =
        rfc3339(SystemTime::now()).chars().filter(|c| !matches!(c, '-' | ':')).collect();
    let aside = beside(path, &format!(".damaged-{time}"));
    if aside.exists() {
        return Err(RecoverError::Busy(aside));
    }
    // With two names there is a store at any moment; not every disk can do that.
    fs::hard_link(path, &aside).or_else(|_| fs::rename(path, &aside))?;
    for end in COMPANIONS {
        match fs::rename(beside(path, end), beside(&aside, end)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    fs::rename(new, path)?;
    if let Some(folder) = path.parent() {
        fs::File::open(folder)?.sync_all()?;
    }
    Ok(aside)
}

/// How long the file and its log are, and when they were changed.
fn state(path: &Path) -> Vec<Option<(u64, SystemTime)>> {
    let of = |path: PathBuf| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    };
    vec![of(path.to_owned()), of(beside(path, "-wal"))]
}

/// Removes a file that was made here, with what SQLite made of it.
fn remove(path: &Path) {
    for end in [""].iter().chain(COMPANIONS).chain(&["-journal"]) {
        fs::remove_file(beside(path, end)).ok();
    }
}
