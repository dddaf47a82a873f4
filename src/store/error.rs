//! What can go wrong with the store.

use std::{
    io,
    path::{Path, PathBuf},
    str::Utf8Error,
};

use rusqlite::{ErrorCode, ffi::SQLITE_IOERR_SHORT_READ};
use thiserror::Error;

use super::Readable;

/// A store that cannot be used, or not for this.
#[derive(Debug, Error)]
pub enum StoreError {
    /// There is no place for it.
    #[error("cannot make the folder {}", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Nobody can tell whether it is there.
    #[error("cannot look for {}", .path.display())]
    Unreachable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A newer agentctl wrote it. Nothing was changed.
    #[error(
        "{} was written by a newer agentctl: it has format {found}, and this one reads up to \
         {known}", .path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format there is here.
        known: i64,
    },
    /// The file is not what it was.
    #[error("{} is damaged: {left} ({reason})", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How.
        reason: String,
        /// What can be saved.
        left: Readable,
    },
    /// There is no more room.
    #[error("there is no room left for {}", .path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// There is no such thread.
    #[error("there is no thread `{0}`")]
    NoThread(String),
    /// Several threads begin like this.
    #[error("several threads begin with `{prefix}`: {}", several(.candidates))]
    Ambiguous {
        /// What was asked for.
        prefix: String,
        /// Some of those that begin so.
        candidates: Vec<String>,
    },
    /// Someone else runs the thread.
    #[error("the thread is being run by another process")]
    Owned,
    /// Anything else.
    #[error("{} cannot be used: {cause}", .path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: rusqlite::Error,
    },
}

impl StoreError {
    pub(super) fn at(path: &Path, error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            _ if is_damage(&error) => Self::damaged(path, error.to_string()),
            Some(ErrorCode::DiskFull) => Self::Full { path: path.to_owned() },
            _ => Self::Other { path: path.to_owned(), cause: error },
        }
    }

    pub(super) fn damaged(path: &Path, reason: String) -> Self {
        Self::Damaged { path: path.to_owned(), reason, left: Readable::of(path) }
    }

    /// What to do about it, if there is anything.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Damaged { left: Readable { threads: 0, .. }, .. } => {
                Some("`agentctl threads recover` sets it aside and starts anew")
            }
            Self::Damaged { .. } => Some("`agentctl threads recover` keeps them"),
            _ => None,
        }
    }
}

/// Whether an error says that the file is not what was written.
fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::Utf8Error(..) => true,
        rusqlite::Error::FromSqlConversionFailure(_, _, cause) => {
            cause.is::<Utf8Error>()
                || cause
                    .downcast_ref::<serde_json::Error>()
                    .is_some_and(|error| error.is_syntax() || error.is_eof())
        }
        // A page that ends early is none that could not be read.
        rusqlite::Error::SqliteFailure(error, _) => {
            matches!(error.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
                || error.extended_code == SQLITE_IOERR_SHORT_READ
        }
        _ => false,
    }
}

/// The most threads that are named where one was meant.
pub(super) const MAX_CANDIDATES: usize = 5;

fn several(candidates: &[String]) -> String {
    let shown: Vec<String> =
        candidates.iter().take(MAX_CANDIDATES).map(|id| format!("`{id}`")).collect();
    let more = if candidates.len() > MAX_CANDIDATES { " and more" } else { "" };
    format!("{}{more}", shown.join(", "))
}

impl From<StoreError> for io::Error {
    fn from(error: StoreError) -> Self {
        Self::other(error)
    }
}
