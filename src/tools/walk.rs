//! Every file below a folder that version control would keep, in a fixed order.
//!
//! Folders are opened one through the other and links are not followed, so a walk cannot leave
//! the root. Ignore files above the root, or the user's own, are not read: they are outside.

use std::{
    ffi::OsStr,
    io::Read as _,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use cap_std::fs::{Dir, DirEntry};
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use super::{
    Root, ToolError,
    blocking::Stop,
    root::{Links, Obstacle, here, open_folder, open_regular},
};

/// Folders nested deeper are left out.
const MAX_DEPTH: usize = 100;
/// Larger ignore files are read no further.
const MAX_IGNORE_BYTES: u64 = 1 << 20;
/// From the weakest to the strongest.
const IGNORE_FILES: &[&str] = &[".git/info/exclude", ".gitignore", ".ignore"];

/// Whether names that begin with a dot are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hidden {
    /// They are, except for `.git`.
    Visit,
    /// They are not.
    Skip,
}

/// A file on the way. It may be gone or something else by the time it is opened.
#[derive(Debug)]
pub(super) struct Found<'a> {
    /// The folder it is in.
    pub folder: &'a Dir,
    /// Its name there.
    pub name: &'a OsStr,
    /// Its path from the root.
    pub path: &'a Path,
    /// Its path from where the walk began.
    pub below: &'a Path,
}

/// What a visit returns: whether to go on.
pub(super) type Visited = Result<ControlFlow<()>, ToolError>;

/// Visits the files below `start`, or `start` itself if it is a file. What `start` names is
/// visited even if it is hidden or ignored.
pub(super) fn walk(
    root: &Root,
    start: &str,
    hidden: Hidden,
    stop: &Stop,
    visit: &mut dyn FnMut(&Found<'_>) -> Visited,
) -> Result<(), ToolError> {
    let (path, dir) = match root.folder(start) {
        Ok(folder) => folder,
        Err(error) if matches!(error.obstacle, Obstacle::NoFolder) => {
            return visit_file(root, start, visit);
        }
        Err(error) => return Err(error.into()),
    };
    let mut walk = Walk { hidden, stop, visit, ignores: Vec::new(), start: path.clone() };
    for above in path.ancestors().skip(1).collect::<Vec<_>>().into_iter().rev() {
        if let Ok(folder) = root.dir().open_dir(here(above)) {
            walk.ignores.push(Ignores::read(&folder, above));
        }
    }
    walk.folder(&dir, &path, 0).map(|_| ())
}

fn visit_file(
    root: &Root,
    file: &str,
    visit: &mut dyn FnMut(&Found<'_>) -> Visited,
) -> Result<(), ToolError> {
    // Says what is wrong, if anything is.
    root.file(file)?;
    let path = root.resolve(file)?;
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let folder =
        root.dir().open_dir(here(above)).map_err(|error| Obstacle::from(error).of(file))?;
    visit(&Found { folder: &folder, name, path: &path, below: Path::new(name) }).map(|_| ())
}

struct Walk<'a> {
    hidden: Hidden,
    stop: &'a Stop,
    visit: &'a mut dyn FnMut(&Found<'_>) -> Visited,
    /// Of the folders on the way down, the outermost first.
    ignores: Vec<Ignores>,
    start: PathBuf,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Dir, path: &Path, depth: usize) -> Visited {
        let Ok(entries) = folder.entries() else { return Ok(ControlFlow::Continue(())) };
        let mut entries: Vec<DirEntry> = entries.filter_map(Result::ok).collect();
        entries.sort_by_key(DirEntry::file_name);
        self.ignores.push(Ignores::read(folder, path));
        for entry in entries {
            self.stop.check()?;
            if self.entry(folder, path, &entry, depth)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        self.ignores.pop();
        Ok(ControlFlow::Continue(()))
    }

    fn entry(&mut self, folder: &Dir, above: &Path, entry: &DirEntry, depth: usize) -> Visited {
        let name = entry.file_name();
        let path = above.join(&name);
        let is_dir = match entry.file_type() {
            Ok(kind) if kind.is_dir() => true,
            Ok(kind) if kind.is_file() => false,
            _ => return Ok(ControlFlow::Continue(())),
        };
        if self.leaves_out(&name, &path, is_dir) {
            return Ok(ControlFlow::Continue(()));
        }
        if !is_dir {
            let below = path.strip_prefix(&self.start).unwrap_or(&path);
            return (self.visit)(&Found { folder, name: &name, path: &path, below });
        }
        match open_folder(folder, Path::new(&name)) {
            Ok(inner) if depth < MAX_DEPTH => self.folder(&inner, &path, depth + 1),
            _ => Ok(ControlFlow::Continue(())),
        }
    }

    fn leaves_out(&self, name: &OsStr, path: &Path, is_dir: bool) -> bool {
        let hidden = name.as_encoded_bytes().starts_with(b".");
        if name == ".git" || hidden && self.hidden == Hidden::Skip {
            return true;
        }
        self.ignores.iter().rev().find_map(|ignores| ignores.judge(path, is_dir)).unwrap_or(false)
    }
}

/// The ignore files of one folder.
struct Ignores {
    folder: PathBuf,
    rules: Gitignore,
}

impl Ignores {
    fn read(dir: &Dir, folder: &Path) -> Self {
        // Relative to the folder: paths are shortened before they are compared.
        let mut rules = GitignoreBuilder::new(".");
        for name in IGNORE_FILES {
            let Ok(file) = open_regular(dir, Path::new(name), Links::Refuse) else { continue };
            let mut bytes = Vec::new();
            // Half a file that could not be read is better than none.
            let _read = file.take(MAX_IGNORE_BYTES).read_to_end(&mut bytes);
            for line in String::from_utf8_lossy(&bytes).lines() {
                // A line that is no pattern ignores nothing.
                let _added = rules.add_line(None, line);
            }
        }
        let rules = rules.build().unwrap_or_else(|_| Gitignore::empty());
        Self { folder: folder.to_owned(), rules }
    }

    /// Whether `path` is ignored, if anything is said about it here.
    fn judge(&self, path: &Path, is_dir: bool) -> Option<bool> {
        let below = path.strip_prefix(&self.folder).unwrap_or(path);
        match self.rules.matched(below, is_dir) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink, time::Duration};

    use super::*;

    fn visited(root: &Path, start: &str, hidden: Hidden) -> Result<Vec<String>, ToolError> {
        let stop = Stop::after(Duration::MAX);
        let mut paths = Vec::new();
        walk(&Root::open(root).unwrap(), start, hidden, &stop, &mut |found| {
            paths.push(found.path.display().to_string());
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(paths)
    }

    fn touch(root: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
    }

    #[test]
    fn ignored_files_are_left_out_and_the_nearest_rule_wins() {
        let dir = tempfile::tempdir().unwrap();
        touch(
            dir.path(),
            &[
                (".gitignore", "*.log\n/target/\nsub/only\n"),
                (".git/info/exclude", "private\n"),
                (".git/config", ""),
                (".hidden/x", ""),
                ("a.log", ""),
                ("private", ""),
                ("sub/.gitignore", "!keep.log\n"),
                ("sub/keep.log", ""),
                ("sub/lost.log", ""),
                ("sub/only", ""),
                ("sub/target/x", ""),
                ("target/x", ""),
                ("z.rs", ""),
            ],
        );
        let all =
            [".gitignore", ".hidden/x", "sub/.gitignore", "sub/keep.log", "sub/target/x", "z.rs"];
        assert_eq!(visited(dir.path(), ".", Hidden::Visit).unwrap(), all);
        let seen = ["sub/keep.log", "sub/target/x", "z.rs"];
        assert_eq!(visited(dir.path(), "", Hidden::Skip).unwrap(), seen);
        assert_eq!(visited(dir.path(), "sub", Hidden::Skip).unwrap(), seen[..2]);
        assert_eq!(visited(dir.path(), "target", Hidden::Skip).unwrap(), ["target/x"]);
        assert_eq!(visited(dir.path(), "a.log", Hidden::Skip).unwrap(), ["a.log"]);
    }

    #[test]
    fn links_are_not_followed_and_ignore_files_outside_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        touch(
            dir.path(),
            &[("out/x", ""), (".gitignore", "*\n"), ("root/a", ""), ("rules", "*\n")],
        );
        symlink("../out", dir.path().join("root/link")).unwrap();
        symlink("../out/x", dir.path().join("root/file")).unwrap();
        symlink("../rules", dir.path().join("root/.gitignore")).unwrap();
        let root = dir.path().join("root");
        assert_eq!(visited(&root, ".", Hidden::Visit).unwrap(), ["a"]);
        let error = visited(&root, "link", Hidden::Visit).unwrap_err();
        assert_eq!(error.to_string(), "`link` is outside the working directory");
    }

    #[test]
    fn a_walk_ends_when_told() {
        let dir = tempfile::tempdir().unwrap();
        touch(dir.path(), &[("a", ""), ("b", "")]);
        let root = Root::open(dir.path()).unwrap();
        let mut ignore = |_: &Found<'_>| Ok(ControlFlow::Continue(()));
        let stop = Stop::after(Duration::ZERO);
        assert!(walk(&root, ".", Hidden::Visit, &stop, &mut ignore).is_err());
    }
}
