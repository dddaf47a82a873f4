//! `write_file`: a whole file at once.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    CallCx, Root, Tool, ToolCx, ToolError, ToolFuture, ToolSpec,
    blocking::blocking,
    difference::difference,
    parse,
    save::{Change, Content, Target, save},
};

/// Longer content is refused.
const MAX_BYTES: usize = 5 << 20;

/// The `write_file` tool.
#[derive(Debug)]
pub struct WriteFile;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    content: String,
}

impl Tool for WriteFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "write_file".to_owned(),
            description: "Write a whole file, replacing what is there. Missing folders are made. \
                          To change a part of a file use apply_patch."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {
                        "type": "string",
                        "description": "The file, relative to the working directory.",
                    },
                    "content": {
                        "type": "string",
                        "description": "Everything that will be in the file.",
                    },
                },
                "required": ["path", "content"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments = parse(arguments)?;
            blocking(&cx, move |root, stop| {
                let change = plan(root, arguments)?;
                stop.check()?;
                write(root, change)
            })
            .await
        })
    }

    fn preview(&self, cx: &ToolCx, arguments: &Value) -> String {
        let change = parse(arguments.clone()).and_then(|arguments| plan(&cx.root, arguments));
        change
            .map_or_else(|error| format!("will be refused: {error}"), |change| difference(&change))
    }
}

fn plan(root: &Root, Arguments { path, content }: Arguments) -> Result<Change, ToolError> {
    if content.len() > MAX_BYTES {
        return Err(ToolError::refused(format_args!("`content` has more than {MAX_BYTES} bytes")));
    }
    let target = Target::find(root, &path)?;
    let mode = target.before.as_ref().and_then(|before| before.mode);
    Ok(Change { target, after: Some(Content { bytes: content.into_bytes(), mode }) })
}

fn write(root: &Root, change: Change) -> Result<String, ToolError> {
    let changes = [change];
    save(root, &changes)?;
    let [Change { target, after }] = &changes;
    let text = after.as_ref().map(|after| String::from_utf8_lossy(&after.bytes));
    let lines = text.map_or(0, |text| text.lines().count());
    let unit = if lines == 1 { "line" } else { "lines" };
    let how = if target.before.is_some() { "replaced" } else { "created" };
    Ok(format!("wrote {lines} {unit} to {} ({how})", target.shown))
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt as _, symlink},
        path::Path,
    };

    use super::*;
    use crate::tools::tests::{cx, fifo};

    async fn call(root: &Path, path: &str, content: &str) -> Result<String, String> {
        let arguments = json!({ "path": path, "content": content });
        WriteFile.call((&cx(root)).into(), arguments).await.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn files_are_created_with_their_folders_and_replaced_with_their_mode() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a/b/c.sh");
        let said = call(dir.path(), "a/b/c.sh", "one\ntwo").await.unwrap();
        assert_eq!(said, "wrote 2 lines to a/b/c.sh (created)");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let whole = file.display().to_string();
        let said = call(dir.path(), &whole, "x\n").await.unwrap();
        assert_eq!(said, format!("wrote 1 line to {whole} (replaced)"));
        assert_eq!(fs::read_to_string(&file).unwrap(), "x\n");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o755);
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
        let arguments = json!({ "path": "x", "content": "", "mode": 1 });
        assert!(WriteFile.call((&cx(dir.path())).into(), arguments).await.is_err());
        let long = "x".repeat(MAX_BYTES + 1);
        let said = call(dir.path(), "x", &long).await.unwrap_err();
        assert_eq!(said, "`content` has more than 5242880 bytes");
    }

    #[tokio::test]
    async fn refuses_to_leave_the_working_directory() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir(&root).unwrap();
        fs::write(dir.path().join("secret"), "SECRET").unwrap();
        symlink("../secret", root.join("link")).unwrap();
        symlink("../new", root.join("dangling")).unwrap();
        symlink("..", root.join("up")).unwrap();
        let absolute = dir.path().join("secret").display().to_string();
        for path in
            ["../secret", "link", "dangling", "up/secret", "up/new", "x/../../new", &absolute]
        {
            let said = call(&root, path, "evil").await.unwrap_err();
            assert_eq!(said, format!("`{path}` is outside the working directory"));
        }
        assert_eq!(fs::read_to_string(dir.path().join("secret")).unwrap(), "SECRET");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
        assert_eq!(fs::read_dir(&root).unwrap().count(), 3);
    }

    #[tokio::test]
    async fn links_are_not_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        fs::create_dir(at("root")).unwrap();
        fs::write(at("outside"), "SECRET").unwrap();
        fs::hard_link(at("outside"), at("root/hard")).unwrap();
        call(&at("root"), "hard", "new").await.unwrap();
        assert_eq!(fs::read_to_string(at("outside")).unwrap(), "SECRET");
        assert_eq!(fs::read_to_string(at("root/hard")).unwrap(), "new");
        symlink("hard", at("root/soft")).unwrap();
        let said = call(&at("root"), "soft", "newer").await.unwrap_err();
        assert_eq!(said, "`soft` is a symbolic link to `hard`; change that file instead");
        fs::create_dir(at("root/real")).unwrap();
        symlink("real", at("root/folder")).unwrap();
        call(&at("root"), "folder/file", "through a folder").await.unwrap();
        assert_eq!(fs::read_to_string(at("root/real/file")).unwrap(), "through a folder");
    }

    #[tokio::test]
    async fn git_folders_and_what_is_no_file_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".git/hooks")).unwrap();
        symlink(".git", dir.path().join("alias")).unwrap();
        symlink(".git/config", dir.path().join("config")).unwrap();
        fifo(&dir.path().join("pipe"));
        let paths = [".git/hooks/post-commit", "alias/config", "config", ".GIT/config", "a/.git"];
        for path in paths {
            let said = call(dir.path(), path, "evil").await.unwrap_err();
            assert_eq!(said, format!("`{path}` belongs to git, which is left alone"));
        }
        let said = call(dir.path(), "pipe", "x").await.unwrap_err();
        assert_eq!(said, "`pipe` is a named pipe, not a file");
        assert_eq!(call(dir.path(), ".", "x").await.unwrap_err(), "`.` is a folder");
        assert_eq!(call(dir.path(), "alias/..", "x").await.unwrap_err(), "`alias/..` is a folder");
        call(dir.path(), ".gitignore", "x").await.unwrap();
    }

    #[tokio::test]
    async fn a_person_sees_what_will_change() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), "one\ntwo\nthree\n").unwrap();
        let cx = cx(dir.path());
        let preview = |path: &str, content: &str| {
            WriteFile.preview(&cx, &json!({ "path": path, "content": content }))
        };
        assert_eq!(
            preview("a", "one\n2\u{1b}[31m\nthree\n"),
            "changes a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\u{fffd}[31m\n three"
        );
        assert_eq!(preview("new/b", "x\ny"), "creates new/b (2 lines)\n+x\n+y");
        let long = preview("c", &"x\n".repeat(300));
        assert!(long.ends_with("+x\n[... 100 more lines]") && long.lines().count() == 202);
        assert_eq!(preview("a", "one\ntwo\nthree\n"), "changes a\n[nothing changes]");
        let said = "will be refused: `../x` is outside the working directory";
        assert_eq!(preview("../x", ""), said);
        assert!(!dir.path().join("new").exists());
    }
}
