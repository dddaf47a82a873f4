//! `list_dir`: what is in a folder.

use std::path::Path;

use cap_std::fs::{Dir, DirEntry};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    CallCx, Root, Tool, ToolError, ToolFuture, ToolSpec,
    blocking::{Stop, blocking},
    parse,
    root::{Obstacle, kind, open_folder, shown},
};

/// Most entries one call returns.
const MAX_ENTRIES: usize = 500;
/// How far down a listing goes.
const MAX_DEPTH: usize = 3;

/// The `list_dir` tool.
#[derive(Debug)]
pub struct ListDir;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(default = "here")]
    path: String,
    #[serde(default = "one")]
    depth: usize,
}

fn here() -> String {
    ".".to_owned()
}

fn one() -> usize {
    1
}

impl Tool for ListDir {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "list_dir".to_owned(),
            description: format!(
                "List a folder: folders end with `/`, files have their size, links say where they \
                 lead. Hidden and ignored files are listed too, the content of `.git` is not. At \
                 most {MAX_ENTRIES} entries are returned. To find files by name use glob_files."
            ),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {
                        "type": "string",
                        "description": "The folder, relative to the working directory; `.` unless \
                                        given.",
                    },
                    "depth": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MAX_DEPTH,
                        "description": "How many levels to list; 1 unless given.",
                    },
                },
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments = parse(arguments)?;
            blocking(&cx, move |root, stop| list(root, stop, &arguments)).await
        })
    }
}

fn list(root: &Root, stop: &Stop, arguments: &Arguments) -> Result<String, ToolError> {
    let Arguments { path, depth } = arguments;
    if !(1..=MAX_DEPTH).contains(depth) {
        return Err(ToolError::refused(format_args!("`depth` is 1 to {MAX_DEPTH}")));
    }
    let (real, folder) = root.folder(path)?;
    if real.iter().any(|name| name == ".git") {
        return Ok("[the content of .git is not listed]".to_owned());
    }
    let mut listing = Listing { stop, depth: *depth, lines: Vec::new(), full: false };
    listing.folder(&folder, Path::new(""), 1).map_err(|error| match error {
        Failure::Stopped(error) => error,
        Failure::Unreadable(why) => why.of(path).into(),
    })?;
    let Listing { mut lines, full, .. } = listing;
    if lines.is_empty() {
        lines.push("[the folder is empty]".to_owned());
    }
    if full {
        lines.push(format!(
            "[the first {MAX_ENTRIES} entries; list a folder below, or use glob_files]"
        ));
    }
    Ok(lines.join("\n"))
}

enum Failure {
    Stopped(ToolError),
    Unreadable(Obstacle),
}

struct Listing<'a> {
    stop: &'a Stop,
    depth: usize,
    lines: Vec<String>,
    /// Whether there was more.
    full: bool,
}

impl Listing<'_> {
    fn folder(&mut self, folder: &Dir, above: &Path, level: usize) -> Result<(), Failure> {
        let entries = folder.entries().map_err(|error| Failure::Unreadable(error.into()))?;
        let mut entries: Vec<DirEntry> = entries.filter_map(Result::ok).collect();
        entries.sort_by_key(DirEntry::file_name);
        for entry in entries {
            self.stop.check().map_err(Failure::Stopped)?;
            if self.lines.len() == MAX_ENTRIES {
                self.full = true;
                return Ok(());
            }
            let name = entry.file_name();
            let path = above.join(&name);
            self.lines.push(describe(folder, &entry, &path));
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if !is_folder || level == self.depth || name == ".git" {
                continue;
            }
            // A folder that cannot be opened has been listed, and that is all there is to say.
            if let Ok(inner) = open_folder(folder, Path::new(&name))
                && let Err(Failure::Stopped(error)) = self.folder(&inner, &path, level + 1)
            {
                return Err(Failure::Stopped(error));
            }
        }
        Ok(())
    }
}

/// The line about one entry.
fn describe(folder: &Dir, entry: &DirEntry, path: &Path) -> String {
    let line = shown(path);
    let name = entry.file_name();
    let Ok(metadata) = folder.symlink_metadata(&name) else { return line };
    if metadata.is_symlink() {
        let target = folder.read_link_contents(&name).unwrap_or_default();
        return format!("{line} -> {}", shown(&target));
    }
    match kind(&metadata) {
        None if metadata.len() == 1 => format!("{line} (1 byte)"),
        None => format!("{line} ({} bytes)", metadata.len()),
        Some(Obstacle::Special(kind)) => format!("{line} ({kind})"),
        Some(_) => format!("{line}/"),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;
    use crate::tools::tests::{cx, fifo};

    async fn call(root: &Path, arguments: Value) -> Result<String, String> {
        ListDir.call((&cx(root)).into(), arguments).await.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn entries_are_sorted_and_say_what_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("src/deep/deeper")).unwrap();
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        fs::write(root.join("src/deep/x.rs"), "x").unwrap();
        fs::write(root.join(".hidden"), "").unwrap();
        fs::write(root.join("two\nlines"), "12").unwrap();
        symlink("/etc/passwd", root.join("link")).unwrap();
        fifo(&root.join("pipe"));
        let flat = ".git/\n.hidden (0 bytes)\nlink -> /etc/passwd\npipe (a named pipe)\nsrc/\n\
                    two\\nlines (2 bytes)";
        assert_eq!(call(root, json!({})).await.unwrap(), flat);
        let deep = call(root, json!({ "path": "src", "depth": 2 })).await.unwrap();
        assert_eq!(deep, "deep/\ndeep/deeper/\ndeep/x.rs (1 byte)");
        let deep = call(root, json!({ "depth": 3 })).await.unwrap();
        assert!(!deep.contains("hooks") && deep.contains("src/deep/deeper/\n"));
        let empty = call(root, json!({ "path": "src/deep/deeper" })).await.unwrap();
        assert_eq!(empty, "[the folder is empty]");
        let git = call(root, json!({ "path": ".git/hooks" })).await.unwrap();
        assert_eq!(git, "[the content of .git is not listed]");
    }

    #[tokio::test]
    async fn a_long_listing_says_that_it_is_cut() {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..=MAX_ENTRIES {
            fs::write(dir.path().join(format!("{n:04}")), "").unwrap();
        }
        let listing = call(dir.path(), json!({})).await.unwrap();
        assert_eq!(listing.lines().count(), MAX_ENTRIES + 1);
        let note =
            "0499 (0 bytes)\n[the first 500 entries; list a folder below, or use glob_files]";
        assert!(listing.ends_with(note));
    }

    #[tokio::test]
    async fn refuses_to_leave_the_working_directory() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir(&root).unwrap();
        symlink("..", root.join("up")).unwrap();
        for path in ["..", "up", "up/..", "/", "/proc/self/root"] {
            let said = call(&root, json!({ "path": path })).await.unwrap_err();
            assert_eq!(said, format!("`{path}` is outside the working directory"));
        }
        fs::write(root.join("file"), "").unwrap();
        assert_eq!(
            call(&root, json!({ "path": "file" })).await.unwrap_err(),
            "`file` is not in a folder, or not a folder"
        );
        assert_eq!(call(&root, json!({ "path": "no" })).await.unwrap_err(), "`no` does not exist");
        assert_eq!(call(&root, json!({ "depth": 4 })).await.unwrap_err(), "`depth` is 1 to 3");
        assert!(call(&root, json!({ "all": 1 })).await.unwrap_err().contains("`all`"));
    }
}
