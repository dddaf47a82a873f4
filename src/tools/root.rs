//! The directory file tools work in, and cannot leave.

use std::path::{Path, PathBuf};

use cap_std::{ambient_authority, fs::Dir};
use thiserror::Error;

/// A directory. Whatever is opened through it lies below it, whatever `..`, absolute paths and
/// symbolic links say, and whoever swaps them meanwhile.
#[derive(Debug)]
pub struct Root {
    dir: Dir,
    path: PathBuf,
}

/// A directory that cannot be worked in. The user's to mend.
#[derive(Debug, Error)]
#[error("cannot work in {}: {source}", .path.display())]
pub struct RootError {
    /// The directory.
    pub path: PathBuf,
    /// Why.
    pub source: std::io::Error,
}

impl Root {
    /// Opens `path`.
    pub fn open(path: &Path) -> Result<Self, RootError> {
        let refuse = |source| RootError { path: path.to_owned(), source };
        let path = path.canonicalize().map_err(refuse)?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority()).map_err(refuse)?;
        Ok(Self { dir, path })
    }

    /// Where it is, for commands that run there and for people.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory itself.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }
}
