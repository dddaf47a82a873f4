//! Changing files: all of a set of changes, or none.
//!
//! New content goes into a temporary file beside the one it replaces and is renamed over it, so
//! nobody sees half a file and nothing is ever written through a link: the other names of a file
//! keep what they had. Whatever belongs to `.git` is left alone, since what is written there is
//! run by others.

use std::{
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use cap_std::fs::{Dir, OpenOptions, Permissions, PermissionsExt as _};

use super::{
    Root, ToolError,
    root::{Links, Obstacle, here, open_folder, open_regular},
};

/// Larger files are not changed.
pub(super) const MAX_BYTES: u64 = 10 << 20;
/// What anyone may do with a file; a program that changes loses its special rights.
const MODE_BITS: u32 = 0o777;

/// A file that may be written.
#[derive(Debug)]
pub(super) struct Target {
    /// The path as the model wrote it.
    pub shown: String,
    /// Its path from the root, without links.
    pub path: PathBuf,
    /// What is there.
    pub before: Option<Content>,
}

/// What is in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Content {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The mode bits; those of any new file if there are none.
    pub mode: Option<u32>,
}

/// A file, and what becomes of it: nothing if it is deleted.
#[derive(Debug)]
pub(super) struct Change {
    /// The file.
    pub target: Target,
    /// What is in it afterwards.
    pub after: Option<Content>,
}

impl Target {
    /// Finds `path` and reads what is there.
    pub fn find(root: &Root, path: &str) -> Result<Self, ToolError> {
        let refuse = |why: &str| ToolError::refused(format_args!("`{path}` {why}"));
        let end = root.resolve(path)?;
        let asked = root.relative(Path::new(path)).unwrap_or(Path::new(path));
        let name = asked.file_name().ok_or_else(|| refuse("is a folder"))?;
        let above = asked.parent().unwrap_or(Path::new("")).to_string_lossy();
        let real = root.resolve(&above)?.join(name);
        if real.iter().chain(&end).any(|name| name.eq_ignore_ascii_case(".git")) {
            return Err(refuse("belongs to git, which is left alone"));
        }
        if real != end {
            let end = end.display();
            return Err(refuse(&format!(
                "is a symbolic link to `{end}`; change that file instead"
            )));
        }
        let before = match read(root.dir(), &real) {
            Ok(content) => Some(content),
            Err(Obstacle::Missing) => None,
            Err(why) => return Err(why.of(path).into()),
        };
        if before.as_ref().is_some_and(|content| content.bytes.len() as u64 > MAX_BYTES) {
            return Err(refuse(&format!("has more than {MAX_BYTES} bytes, which is too large")));
        }
        Ok(Self { shown: path.to_owned(), path: real, before })
    }
}

/// A file's content, as far as anyone may change it.
fn read(dir: &Dir, path: &Path) -> Result<Content, Obstacle> {
    let file = open_regular(dir, path, Links::Refuse)?;
    let mode = file.metadata()?.permissions().mode() & MODE_BITS;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(Content { bytes, mode: Some(mode) })
}

/// Makes all of `changes`, or none of them.
pub(super) fn save(root: &Root, changes: &[Change]) -> Result<(), ToolError> {
    let mut folders = Vec::new();
    let result = stage(root, changes, &mut folders).and_then(|staged| commit(changes, &staged));
    if result.is_err() {
        for folder in folders.iter().rev() {
            // Somebody else may have put something there meanwhile.
            let _left = root.dir().remove_dir(folder);
        }
    }
    result
}

/// A change whose new content lies ready beside the file.
struct Staged {
    folder: Dir,
    /// Removed when dropped, unless it has become the file.
    temporary: Option<String>,
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(name) = &self.temporary {
            // After the rename it is not there any more.
            let _gone = self.folder.remove_file(name);
        }
    }
}

/// Writes temporary files for all changes. `created` tells which folders had to be made.
fn stage(
    root: &Root,
    changes: &[Change],
    created: &mut Vec<PathBuf>,
) -> Result<Vec<Staged>, ToolError> {
    let stage = |change: &Change, created: &mut Vec<PathBuf>| -> io::Result<Staged> {
        let above = change.target.path.parent().unwrap_or(Path::new(""));
        let folder = make_folder(root, above, created)?;
        let temporary = change.after.as_ref().map(|content| write(&folder, content)).transpose()?;
        Ok(Staged { folder, temporary })
    };
    changes
        .iter()
        .map(|change| stage(change, created).map_err(|error| cannot_write(change, &error)))
        .collect()
}

fn cannot_write(change: &Change, error: &io::Error) -> ToolError {
    ToolError::refused(format_args!("`{}` cannot be written: {error}", change.target.shown))
}

/// Opens a folder below the root, making what is missing. No step of the way is a link.
fn make_folder(root: &Root, path: &Path, created: &mut Vec<PathBuf>) -> io::Result<Dir> {
    let mut folder = root.dir().open_dir(here(Path::new("")))?;
    let mut way = PathBuf::new();
    for name in path {
        way.push(name);
        folder = match open_folder(&folder, Path::new(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                folder.create_dir(name)?;
                created.push(way.clone());
                open_folder(&folder, Path::new(name))?
            }
            opened => opened?,
        };
    }
    Ok(folder)
}

/// Writes `content` to a new file, and returns its name.
fn write(folder: &Dir, content: &Content) -> io::Result<String> {
    let name = format!(".agentctl-{:016x}.tmp", fastrand::u64(..));
    let mut file = folder.open_with(&name, OpenOptions::new().write(true).create_new(true))?;
    let mut fill = || {
        // Before there is anything to read.
        if let Some(mode) = content.mode {
            file.set_permissions(Permissions::from_mode(mode))?;
        }
        file.write_all(&content.bytes)?;
        file.sync_all()
    };
    match fill() {
        Ok(()) => Ok(name),
        Err(error) => {
            let _gone = folder.remove_file(&name);
            Err(error)
        }
    }
}

/// Puts everything in its place; if that fails midway, puts everything back.
fn commit(changes: &[Change], staged: &[Staged]) -> Result<(), ToolError> {
    // Nothing is removed before everything new is there.
    let (written, removed): (Vec<_>, Vec<_>) =
        changes.iter().zip(staged).partition(|(change, _)| change.after.is_some());
    let mut done: Vec<(&Change, &Staged)> = Vec::new();
    for (change, staged) in written.into_iter().chain(removed) {
        if let Err(error) = put(change, staged) {
            let lost: Vec<String> = done
                .iter()
                .rev()
                .filter(|(change, staged)| restore(change, staged).is_err())
                .map(|(change, _)| format!("; `{}` could not be restored", change.target.shown))
                .collect();
            let said = cannot_write(change, &error);
            return Err(ToolError::refused(format_args!("{said}{}", lost.concat())));
        }
        done.push((change, staged));
    }
    Ok(())
}

/// Makes one change, unless the file is not what it was when the change was worked out.
fn put(change: &Change, staged: &Staged) -> io::Result<()> {
    let Some(name) = change.target.path.file_name() else { return Ok(()) };
    let now = match read(&staged.folder, Path::new(name)) {
        Ok(content) => Some(content),
        Err(Obstacle::Missing) => None,
        Err(why) => return Err(io::Error::other(format!("it {why}"))),
    };
    if now != change.target.before {
        return Err(io::Error::other("somebody else changed it meanwhile"));
    }
    match &staged.temporary {
        Some(temporary) => staged.folder.rename(temporary, &staged.folder, name),
        None => staged.folder.remove_file(name),
    }
}

fn restore(change: &Change, staged: &Staged) -> io::Result<()> {
    let Some(name) = change.target.path.file_name() else { return Ok(()) };
    match &change.target.before {
        None => staged.folder.remove_file(name),
        Some(before) => {
            let temporary = write(&staged.folder, before)?;
            staged.folder.rename(&temporary, &staged.folder, name)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt as _, symlink},
    };

    use super::*;
    use crate::tools::tests::while_swapping;

    fn change(root: &Root, path: &str, after: Option<&str>) -> Change {
        let target = Target::find(root, path).unwrap();
        let mode = target.before.as_ref().and_then(|before| before.mode);
        let after = after.map(|text| Content { bytes: text.into(), mode });
        Change { target, after }
    }

    /// Everything below a folder, with contents.
    fn tree(path: &Path) -> Vec<(PathBuf, String)> {
        let entries = walkdir::WalkDir::new(path).sort_by_file_name().into_iter();
        let paths = entries.map(|entry| entry.unwrap().into_path());
        paths.map(|path| (path.clone(), fs::read_to_string(path).unwrap_or_default())).collect()
    }

    #[test]
    fn a_failure_midway_leaves_everything_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        for name in ["a", "b", "c"] {
            fs::write(at(name), name).unwrap();
        }
        fs::set_permissions(at("a"), fs::Permissions::from_mode(0o751)).unwrap();
        let root = Root::open(dir.path()).unwrap();
        let changes = [
            change(&root, "c", None),
            change(&root, "a", Some("new")),
            change(&root, "new/folder/d", Some("new")),
            change(&root, "b", Some("new")),
        ];
        // Nothing can be renamed over a folder.
        fs::remove_file(at("b")).unwrap();
        fs::create_dir(at("b")).unwrap();
        let before = tree(dir.path());
        let error = save(&root, &changes).unwrap_err();
        assert_eq!(error.to_string(), "`b` cannot be written: it is a folder");
        assert_eq!(tree(dir.path()), before);
        assert_eq!(fs::metadata(at("a")).unwrap().permissions().mode() & 0o777, 0o751);
    }

    #[test]
    fn a_file_that_changed_since_it_was_read_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), "old").unwrap();
        let root = Root::open(dir.path()).unwrap();
        let changes = [change(&root, "new", Some("x")), change(&root, "a", Some("mine"))];
        fs::write(dir.path().join("a"), "theirs").unwrap();
        let error = save(&root, &changes).unwrap_err();
        let said = "`a` cannot be written: somebody else changed it meanwhile";
        assert_eq!(error.to_string(), said);
        assert_eq!(tree(dir.path()).len(), 2);
        assert_eq!(fs::read_to_string(dir.path().join("a")).unwrap(), "theirs");
    }

    #[test]
    fn a_folder_swapped_during_the_call_lets_nothing_out() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        fs::create_dir_all(at("root/in")).unwrap();
        fs::create_dir_all(at("out")).unwrap();
        symlink("../out", at("root/door")).unwrap();
        let root = Root::open(&at("root")).unwrap();
        let write = |n: usize| -> Result<(), ToolError> {
            let target = Target::find(&root, &format!("in/{n}"))?;
            let content = Content { bytes: b"x".to_vec(), mode: None };
            save(&root, &[Change { target, after: Some(content) }])
        };
        // What comes of a call depends on who is faster; where it writes does not.
        while_swapping([&at("root/in"), &at("root/door")], 200, write);
        assert_eq!(fs::read_dir(at("out")).unwrap().count(), 0);
    }

    #[test]
    fn nothing_is_written_through_a_folder_that_became_a_link() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("root/sub")).unwrap();
        fs::create_dir_all(dir.path().join("root/.git/hooks")).unwrap();
        fs::create_dir_all(dir.path().join("out")).unwrap();
        let root = Root::open(&dir.path().join("root")).unwrap();
        for target in ["../out", ".git/hooks"] {
            let changes = [change(&root, "sub/post-commit", Some("evil"))];
            fs::remove_dir(dir.path().join("root/sub")).unwrap();
            symlink(target, dir.path().join("root/sub")).unwrap();
            let before = tree(dir.path());
            assert!(save(&root, &changes).is_err());
            assert_eq!(tree(dir.path()), before);
            fs::remove_file(dir.path().join("root/sub")).unwrap();
            fs::create_dir(dir.path().join("root/sub")).unwrap();
        }
    }
}
