//! The directory file tools work in, and cannot leave.
//!
//! Names are resolved here to say where a link leads, but nothing rests on that: whatever is
//! opened is opened through the directory itself, which the kernel does not let anyone leave. A
//! hard link made below the directory to a file outside of it cannot be told from any other file
//! when it is read; it is never written through.

use std::{
    collections::VecDeque,
    ffi::OsString,
    io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use cap_std::{
    ambient_authority,
    fs::{Dir, File, FileTypeExt as _, Metadata, OpenOptions, OpenOptionsExt as _},
};
use rustix::{fs::OFlags, io::Errno};
use thiserror::Error;

use super::ToolError;

/// More links than this on the way to a file are taken for a circle.
const MAX_LINKS: usize = 40;

/// A directory. Whatever is opened through it lies below it, whatever `..`, absolute paths and
/// symbolic links say, and whoever swaps them meanwhile.
#[derive(Clone, Debug)]
pub struct Root {
    dir: Arc<Dir>,
    path: PathBuf,
    /// As it was given; absolute paths may begin with either.
    given: PathBuf,
}

/// A directory that cannot be worked in. The user's to mend.
#[derive(Debug, Error)]
#[error("cannot work in {}", .path.display())]
pub struct RootError {
    /// The directory.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// A file or folder that cannot be used. The model's to mend.
#[derive(Debug, Error)]
#[error("`{path}` {obstacle}")]
pub struct FileError {
    /// The path, as the model wrote it.
    pub path: String,
    /// What is wrong with it.
    pub obstacle: Obstacle,
}

/// What is wrong with a path.
#[derive(Debug, Error)]
pub enum Obstacle {
    /// It leads out of the root.
    #[error("is outside the working directory")]
    Outside,
    /// Nothing is there.
    #[error("does not exist")]
    Missing,
    /// A folder where a file is wanted.
    #[error("is a folder")]
    Folder,
    /// Something else where a folder is wanted.
    #[error("is not in a folder, or not a folder")]
    NoFolder,
    /// Neither a file nor a folder; reading it could wait forever.
    #[error("is {0}, not a file")]
    Special(&'static str),
    /// The system says no.
    #[error("cannot be opened: {0}")]
    Io(io::Error),
}

impl Obstacle {
    /// The error about `path`.
    pub fn of(self, path: impl Into<String>) -> FileError {
        FileError { path: path.into(), obstacle: self }
    }
}

impl From<io::Error> for Obstacle {
    fn from(error: io::Error) -> Self {
        // The one error the directory makes up itself has no number.
        let made_up = error.raw_os_error().is_none();
        match error.kind() {
            io::ErrorKind::PermissionDenied if made_up => Self::Outside,
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::NotADirectory => Self::NoFolder,
            _ if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
                Self::Special("a socket or device")
            }
            _ => Self::Io(error),
        }
    }
}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> Self {
        Self::refused(error)
    }
}

impl Root {
    /// Opens `path`.
    pub fn open(path: &Path) -> Result<Self, RootError> {
        let refuse = |source| RootError { path: path.to_owned(), source };
        let given = std::path::absolute(path).map_err(refuse)?;
        let path = path.canonicalize().map_err(refuse)?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority()).map_err(refuse)?;
        Ok(Self { dir: Arc::new(dir), path, given })
    }

    /// Where it is, for commands that run there and for people.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory itself.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// The file `path` for reading.
    pub fn file(&self, path: &str) -> Result<File, FileError> {
        let real = self.resolve(path)?;
        open_regular(&self.dir, here(&real), Links::Follow).map_err(|why| why.of(path))
    }

    /// The folder `path`, and its path without links.
    pub fn folder(&self, path: &str) -> Result<(PathBuf, Dir), FileError> {
        let real = self.resolve(path)?;
        let dir = self.dir.open_dir(here(&real)).map_err(|error| Obstacle::from(error).of(path))?;
        Ok((real, dir))
    }

    /// Where `path` leads, relative to the root and without links. What does not exist leads
    /// where it would be.
    pub fn resolve(&self, path: &str) -> Result<PathBuf, FileError> {
        let relative = self.relative(Path::new(path)).ok_or_else(|| Obstacle::Outside.of(path))?;
        self.follow(relative).map_err(|why| why.of(path))
    }

    /// `path` as seen from the root, going by its text alone.
    pub fn relative<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        if !path.has_root() {
            return Some(path);
        }
        path.strip_prefix(&self.path).or_else(|_| path.strip_prefix(&self.given)).ok()
    }

    fn follow(&self, path: &Path) -> Result<PathBuf, Obstacle> {
        let mut ahead = steps(path);
        let mut real = PathBuf::new();
        let mut links = 0;
        while let Some(step) = ahead.pop_front() {
            if step == ".." {
                if !real.pop() {
                    return Err(Obstacle::Outside);
                }
                continue;
            }
            real.push(step);
            let Ok(target) = self.dir.read_link_contents(&real) else { continue };
            links += 1;
            if links > MAX_LINKS {
                return Err(Obstacle::Io(Errno::LOOP.into()));
            }
            if target.has_root() {
                real.clear();
            } else {
                real.pop();
            }
            let mut detour = steps(self.relative(&target).ok_or(Obstacle::Outside)?);
            detour.append(&mut ahead);
            ahead = detour;
        }
        Ok(real)
    }
}

/// The names and `..` of a relative path.
fn steps(path: &Path) -> VecDeque<OsString> {
    let steps = path.components().filter(|step| *step != Component::CurDir);
    steps.map(|step| step.as_os_str().to_owned()).collect()
}

/// `path`, or `.` if it is empty.
pub(super) fn here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// `path` for the model, on one line whatever characters are in it.
pub(super) fn shown(path: &Path) -> String {
    let mut text = String::new();
    for c in path.to_string_lossy().chars() {
        if c.is_control() {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    text
}

/// What to do with a symbolic link at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    /// Open what it leads to.
    Follow,
    /// Refuse it.
    Refuse,
}

impl Links {
    fn flags(self) -> OFlags {
        match self {
            Self::Follow => OFlags::empty(),
            Self::Refuse => OFlags::NOFOLLOW,
        }
    }
}

/// Opens a file for reading, without ever waiting for somebody to write to it. What it is, is
/// asked of what was opened.
pub(super) fn open_regular(dir: &Dir, path: &Path, links: Links) -> Result<File, Obstacle> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | links.flags();
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags.bits().cast_signed());
    let file = dir.open_with(path, &options)?;
    match kind(&file.metadata()?) {
        None => Ok(file),
        Some(obstacle) => Err(obstacle),
    }
}

/// What keeps something from being a file.
pub(super) fn kind(metadata: &Metadata) -> Option<Obstacle> {
    let kind = metadata.file_type();
    match kind {
        _ if kind.is_file() => None,
        _ if kind.is_dir() => Some(Obstacle::Folder),
        _ if kind.is_symlink() => Some(Obstacle::Special("a symbolic link")),
        _ if kind.is_fifo() => Some(Obstacle::Special("a named pipe")),
        _ if kind.is_socket() => Some(Obstacle::Special("a socket")),
        _ => Some(Obstacle::Special("a device")),
    }
}

/// Opens the folder `name` of `dir`, which must not be a link.
pub(super) fn open_folder(dir: &Dir, name: &Path) -> io::Result<Dir> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags.bits().cast_signed());
    Ok(Dir::from_std_file(dir.open_with(name, &options)?.into_std()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_lead_where_they_say_as_long_as_they_stay_inside() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        symlink("b", dir.path().join("a/link")).unwrap();
        symlink(dir.path().join("a"), dir.path().join("absolute")).unwrap();
        symlink("../..", dir.path().join("a/out")).unwrap();
        symlink("circle", dir.path().join("circle")).unwrap();
        let root = Root::open(dir.path()).unwrap();
        let resolve = |path: &str| root.resolve(path).map(|path| path.display().to_string());
        assert_eq!(resolve("a/link/../x").unwrap(), "a/x");
        assert_eq!(resolve("absolute/link/new/file").unwrap(), "a/b/new/file");
        assert_eq!(resolve("./a//b/.").unwrap(), "a/b");
        assert_eq!(resolve(dir.path().join("a/link").to_str().unwrap()).unwrap(), "a/b");
        let said = |path: &str| resolve(path).unwrap_err().to_string();
        for path in ["..", "../secret", "a/../../x", "a/out/x", "/etc/passwd", "/proc/self/root"] {
            assert_eq!(said(path), format!("`{path}` is outside the working directory"));
        }
        assert!(said("circle").starts_with("`circle` cannot be opened: "));
    }

    #[test]
    fn a_root_given_by_a_link_is_known_by_both_its_names() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("real")).unwrap();
        let link = dir.path().join("link");
        symlink("real", &link).unwrap();
        let root = Root::open(&link).unwrap();
        for name in [link, root.path().to_owned()] {
            assert_eq!(root.resolve(name.join("x").to_str().unwrap()).unwrap(), Path::new("x"));
        }
    }
}
