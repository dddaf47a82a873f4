//! `glob_files`: files by name, the newest first.

use std::{cmp::Reverse, ops::ControlFlow, path::Path, time::SystemTime};

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    CallCx, Root, Tool, ToolError, ToolFuture, ToolSpec,
    blocking::{Stop, blocking},
    parse,
    root::{Obstacle, shown},
    walk::{Hidden, walk},
};

/// Most paths one call returns.
const MAX_PATHS: usize = 200;

/// The `glob_files` tool.
#[derive(Debug)]
pub struct GlobFiles;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    #[serde(default)]
    path: String,
}

impl Tool for GlobFiles {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "glob_files".to_owned(),
            description: format!(
                "Find files by name, the most recently changed first. Ignored files are left out, \
                 hidden ones are not. At most {MAX_PATHS} paths are returned, relative to the \
                 working directory. To search in files use grep_files."
            ),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": {
                        "type": "string",
                        "description": "A glob such as `*.rs`, `src/**/*.{ts,tsx}` or `**/test_?.py`. \
                                        Without a `/` it is compared with file names in every \
                                        folder, otherwise with paths below `path`.",
                    },
                    "path": {
                        "type": "string",
                        "description": "The folder to look in, relative to the working directory; \
                                        all of it unless given.",
                    },
                },
                "required": ["pattern"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments = parse(arguments)?;
            blocking(&cx, move |root, stop| find(root, stop, &arguments)).await
        })
    }
}

fn find(root: &Root, stop: &Stop, arguments: &Arguments) -> Result<String, ToolError> {
    let pattern = Pattern::new(root, &arguments.pattern)?;
    let mut found: Vec<(Reverse<SystemTime>, String)> = Vec::new();
    walk(root, &arguments.path, Hidden::Visit, stop, &mut |file| {
        if pattern.fits(file.below)
            && let Ok(metadata) = file.folder.symlink_metadata(file.name)
        {
            let changed =
                metadata.modified().map_or(SystemTime::UNIX_EPOCH, |time| time.into_std());
            found.push((Reverse(changed), shown(file.path)));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    found.sort();
    let total = found.len();
    let mut lines: Vec<String> = found.into_iter().take(MAX_PATHS).map(|(_, path)| path).collect();
    if lines.is_empty() {
        lines.push("no files match".to_owned());
    }
    if total > MAX_PATHS {
        lines.push(format!("[the newest {MAX_PATHS} of {total} files; narrow the pattern]"));
    }
    Ok(lines.join("\n"))
}

/// A glob as people mean it.
#[derive(Debug)]
pub(super) struct Pattern {
    glob: GlobMatcher,
    /// Without a slash, only names are compared.
    by_name: bool,
}

impl Pattern {
    /// Reads a glob. One that begins with the path of the root means what is below it.
    pub fn new(root: &Root, text: &str) -> Result<Self, ToolError> {
        let outside = || ToolError::from(Obstacle::Outside.of(text));
        let below = root.relative(Path::new(text)).and_then(Path::to_str).ok_or_else(outside)?;
        if Path::new(below).components().any(|part| part.as_os_str() == "..") {
            return Err(outside());
        }
        let below = below.trim_start_matches("./");
        let everything = if text.ends_with('/') { "**" } else { "" };
        let separator = if everything.is_empty() || below.ends_with('/') { "" } else { "/" };
        let mut glob = GlobBuilder::new(&format!("{below}{separator}{everything}"))
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| ToolError::refused(format_args!("the glob is not valid: {error}")))?
            .compile_matcher();
        let by_name = !glob.glob().glob().contains('/');
        if below.is_empty() {
            glob = globset::Glob::new("**").map_err(ToolError::refused)?.compile_matcher();
        }
        Ok(Self { glob, by_name })
    }

    /// Whether `path` fits.
    pub fn fits(&self, path: &Path) -> bool {
        let compared = if self.by_name { path.file_name().map(Path::new) } else { Some(path) };
        compared.is_some_and(|path| self.glob.is_match(path))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, File},
        os::unix::fs::symlink,
        time::Duration,
    };

    use super::*;
    use crate::tools::tests::cx;

    async fn call(root: &Path, arguments: Value) -> Result<String, String> {
        GlobFiles.call((&cx(root)).into(), arguments).await.map_err(|error| error.to_string())
    }

    /// Writes files, each a second older than the one before.
    fn files(root: &Path, paths: &[&str]) {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        for (age, path) in paths.iter().enumerate() {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            let file = File::create(root.join(path)).unwrap();
            file.set_modified(now - Duration::from_secs(age as u64)).unwrap();
        }
    }

    #[tokio::test]
    async fn patterns_mean_what_people_expect() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        files(
            root,
            &["src/b.rs", "a.rs", "src/deep/c.rs", ".github/ci.yml", "src/d.ts", "out/e.rs"],
        );
        fs::write(root.join(".gitignore"), "/out\n").unwrap();
        let whole = root.join("src/*.rs").display().to_string();
        for (pattern, expected) in [
            ("*.rs", "src/b.rs\na.rs\nsrc/deep/c.rs"),
            ("**/*.rs", "src/b.rs\na.rs\nsrc/deep/c.rs"),
            ("src/*.rs", "src/b.rs"),
            (&*whole, "src/b.rs"),
            ("./src/*.rs", "src/b.rs"),
            ("src/**/*.{rs,ts}", "src/b.rs\nsrc/deep/c.rs\nsrc/d.ts"),
            ("src/", "src/b.rs\nsrc/deep/c.rs\nsrc/d.ts"),
            ("*.yml", ".github/ci.yml"),
            ("?.ts", "src/d.ts"),
            ("nothing", "no files match"),
        ] {
            let found = call(root, json!({ "pattern": pattern })).await.unwrap();
            assert_eq!(found, expected, "{pattern}");
        }
        let found = call(root, json!({ "pattern": "deep/*", "path": "src" })).await.unwrap();
        assert_eq!(found, "src/deep/c.rs");
        let said = call(root, json!({ "pattern": "a[" })).await.unwrap_err();
        assert!(said.starts_with("the glob is not valid: "), "{said}");
        assert!(call(root, json!({ "pattern": "*", "type": "f" })).await.is_err());
    }

    #[tokio::test]
    async fn a_long_list_says_how_much_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..=MAX_PATHS).map(|n| format!("{n:03}")).collect();
        files(dir.path(), &names.iter().map(String::as_str).collect::<Vec<_>>());
        let found = call(dir.path(), json!({ "pattern": "*" })).await.unwrap();
        assert!(found.starts_with("000\n001\n"));
        assert!(found.ends_with("199\n[the newest 200 of 201 files; narrow the pattern]"));
    }

    #[tokio::test]
    async fn refuses_to_leave_the_working_directory() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        files(dir.path(), &["root/a", "secret"]);
        symlink("..", root.join("up")).unwrap();
        for path in ["..", "up", "/proc/self/root"] {
            let said = call(&root, json!({ "pattern": "*", "path": path })).await.unwrap_err();
            assert_eq!(said, format!("`{path}` is outside the working directory"));
        }
        for pattern in ["../*", "/etc/*"] {
            let said = call(&root, json!({ "pattern": pattern })).await.unwrap_err();
            assert_eq!(said, format!("`{pattern}` is outside the working directory"));
        }
        assert_eq!(call(&root, json!({ "pattern": "**" })).await.unwrap(), "a");
        let found = call(&root, json!({ "pattern": "up/*" })).await.unwrap();
        assert_eq!(found, "no files match");
    }
}
