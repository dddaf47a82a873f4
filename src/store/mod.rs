//! Threads that survive the process that ran them: SQLite in the state directory.
//!
//! Many processes share one file. Whatever is shown elsewhere is written here first, one
//! transaction at a time; nothing is ever changed once it is in a log. A thread has one owner, the
//! process that runs it, and everyone can tell whether that is still alive.

mod error;
mod format;
mod log;
mod look;
mod mail;
mod owner;
mod prune;
mod recover;
mod sink;
mod stream;
mod thread;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

pub use error::StoreError;
pub use log::LogEntry;
pub use look::{Page, note};
pub use mail::{Mail, MailKind};
pub use owner::{HEARTBEAT, Owner};
pub use recover::{Loss, Readable, RecoverError, Recovery};
pub use sink::StoreSink;
pub use thread::{Closed, NewThread, Thread, ThreadStatus};

/// How long a process waits for another one to finish writing.
const PATIENCE: Duration = Duration::from_secs(30);

/// What agents did and are doing.
#[derive(Debug)]
pub struct Store {
    connection: Mutex<Connection>,
    path: PathBuf,
}

/// How sure a write has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// It survives the end of the process.
    Process,
    /// It survives the end of the machine.
    Machine,
}

impl Store {
    /// Opens the store at `path`, and makes it if there is none.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let wrong = |error| StoreError::at(path, error);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .map_err(|source| StoreError::Folder { path: folder.to_owned(), source })?;
        }
        keep_private(path);
        format::check_length(path)?;
        let mut connection = Connection::open(path).map_err(wrong)?;
        connection.busy_timeout(PATIENCE).map_err(wrong)?;
        // A file of a newer format is not touched at all.
        let version = format::known_version(&connection, path)?;
        settle(&connection, version).map_err(wrong)?;
        format::bring_up_to_date(&mut connection, path)?;
        Ok(Self { connection: Mutex::new(connection), path: path.to_owned() })
    }

    /// Opens the store at `path` if there is one.
    pub fn open_existing(path: &Path) -> Result<Option<Self>, StoreError> {
        match path.try_exists() {
            Ok(true) => Self::open(path).map(Some),
            Ok(false) => Ok(None),
            Err(source) => Err(StoreError::Unreachable { path: path.to_owned(), source }),
        }
    }

    /// Opens the store at `path` to look at it, whatever its state.
    pub fn peek(path: &Path) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(path, flags).map_err(|error| StoreError::at(path, error))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads.
    fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        read(&self.connection()).map_err(|error| StoreError::at(&self.path, error))
    }

    /// Writes all of it or nothing.
    fn write<T>(
        &self,
        durability: Durability,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut connection = self.connection();
        let written = (|| {
            let sure = match durability {
                Durability::Process => "NORMAL",
                Durability::Machine => "FULL",
            };
            connection.pragma_update(None, "synchronous", sure)?;
            // Whoever means to write says so at once: a reader that becomes a writer can fail.
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = write(&transaction)?;
            transaction.commit()?;
            Ok(value)
        })();
        written.map_err(|error| StoreError::at(&self.path, error))
    }
}

/// Makes a file that only its user can read, if there is none: whole conversations are in it.
/// Where that fails, opening it says why.
fn keep_private(path: &Path) {
    use std::os::unix::fs::OpenOptionsExt as _;

    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).ok();
}

/// How every connection to a file of this format behaves.
fn settle(connection: &Connection, version: i64) -> rusqlite::Result<()> {
    if version == 0 {
        // Only an empty file can become one that shrinks.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
