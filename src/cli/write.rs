//! Writes files so that nothing is lost: all of the new text or all of the old.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use thiserror::Error;

/// Why a file was not written. It is as it was.
#[derive(Debug, Error)]
pub(super) enum WriteError {
    /// A link may lead out of the project.
    #[error("it is a symbolic link")]
    Link,
    /// Someone else changed it since it was read.
    #[error("it changed while it was being checked")]
    Changed,
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Replaces the text of the file at `path`, which must still be `old`.
pub(super) fn replace(path: &Path, old: &str, new: &str) -> Result<(), WriteError> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_symlink() {
        return Err(WriteError::Link);
    }
    if fs::read(path)? != old.as_bytes() {
        return Err(WriteError::Changed);
    }
    Ok(rename_over(path, new, Some(metadata.permissions()))?)
}

/// Writes the file at `path`, whatever was there, and the folder it lies in.
pub(super) fn put(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    rename_over(path, text, None)
}

fn rename_over(path: &Path, text: &str, permissions: Option<fs::Permissions>) -> io::Result<()> {
    let (temporary, mut file) = beside(path)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions)))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        fs::remove_file(&temporary).ok();
    }
    written
}

/// A new file in the same folder, so that renaming it is one step.
fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut attempt = 0;
    loop {
        let temporary =
            path.with_file_name(format!(".{name}.{}-{attempt}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => {
                attempt += 1
            }
            Err(error) => return Err(error),
        }
    }
}
