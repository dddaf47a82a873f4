//! The format of the file, and how an older one becomes the present one.

use std::{fs, path::Path};

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use super::StoreError;

/// What leads from each format to the next; the first from an empty file.
const STEPS: &[&str] = &[FIRST, SECOND];

pub(super) const FIRST: &str = "
CREATE TABLE threads (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    parent TEXT REFERENCES threads (id) ON DELETE SET NULL,
    place INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    agent_type TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    model TEXT NOT NULL,
    sandbox TEXT NOT NULL,
    cwd TEXT NOT NULL,
    path TEXT NOT NULL,
    origin TEXT NOT NULL,
    definition TEXT NOT NULL,
    hash TEXT NOT NULL,
    call TEXT NOT NULL,
    note TEXT,
    background INTEGER NOT NULL,
    status TEXT NOT NULL,
    outcome TEXT,
    owner TEXT,
    heartbeat INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX threads_of_a_session ON threads (session, place);
CREATE INDEX threads_of_a_parent ON threads (parent);
CREATE INDEX threads_by_status ON threads (status, created);
CREATE INDEX threads_by_age ON threads (updated);

CREATE TABLE events (
    thread TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    stream INTEGER NOT NULL,
    at TEXT NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (thread, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
    thread TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (thread, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE mail (
    id INTEGER PRIMARY KEY,
    thread TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    sent INTEGER NOT NULL,
    taken INTEGER
) STRICT;
CREATE INDEX mail_of_a_thread ON mail (thread, taken, id);
";

/// Who closed a thread, and which threads a process runs.
const SECOND: &str = "
ALTER TABLE threads ADD COLUMN closed TEXT;
UPDATE threads SET closed = 'explicit' WHERE status = 'shutdown';
CREATE INDEX threads_of_an_owner ON threads (owner, status);
";

/// No format will ever have a higher number.
const HIGHEST: i64 = 999;

/// How long a page is at least, and so a file.
const SMALLEST: u64 = 512;

/// Refuses a file so short that SQLite takes it for a new one. It is not opened for that: closing it
/// would give up the locks that other connections of this process have.
pub(super) fn check_length(path: &Path) -> Result<(), StoreError> {
    if fs::metadata(path).is_ok_and(|file| (1..SMALLEST).contains(&file.len())) {
        return Err(StoreError::damaged(path, "the file ends in its header".to_owned()));
    }
    Ok(())
}

/// Lays out an empty file in the present format.
pub(super) fn lay_out(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    for step in STEPS {
        connection.execute_batch(step)?;
    }
    connection.pragma_update(None, "user_version", present())
}

/// The present format.
fn present() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Whether the header says what ours says of its letters, and nothing of a newer SQLite.
fn has_sane_header(connection: &Connection) -> rusqlite::Result<bool> {
    let encoding = connection.pragma_query_value(None, "encoding", |row| row.get::<_, String>(0));
    match encoding {
        Ok(encoding) => Ok(encoding == "UTF-8"),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::Unknown) => Ok(false),
        Err(error) => Err(error),
    }
}

fn has_tables(connection: &Connection) -> rusqlite::Result<bool> {
    connection.prepare("SELECT 1 FROM sqlite_schema LIMIT 1")?.exists([])
}

/// The format of the file at `path`, if it is known here.
pub(super) fn known_version(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let wrong = |error| StoreError::at(path, error);
    if !has_sane_header(connection).map_err(wrong)? {
        return Err(StoreError::damaged(path, "its header makes no sense".to_owned()));
    }
    let found = version(connection).map_err(wrong)?;
    if !(0..=HIGHEST).contains(&found) {
        return Err(StoreError::damaged(path, format!("there is no format {found}")));
    }
    if found == 0 && has_tables(connection).map_err(wrong)? {
        return Err(StoreError::damaged(path, "it has no format".to_owned()));
    }
    if found > present() {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: present() });
    }
    Ok(found)
}

/// Makes the file at `path` one of the present format. All of it or nothing happens.
pub(super) fn bring_up_to_date(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let wrong = |error| StoreError::at(path, error);
    if version(connection).map_err(wrong)? == present() {
        return Ok(());
    }
    // Several processes may see the old format; the first one to get here changes it.
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrong)?;
    let found = known_version(&transaction, path)?;
    for step in STEPS.iter().skip(usize::try_from(found).unwrap_or_default()) {
        transaction.execute_batch(step).map_err(wrong)?;
    }
    transaction.pragma_update(None, "user_version", present()).map_err(wrong)?;
    transaction.commit().map_err(wrong)
}
