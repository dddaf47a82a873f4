//! Searches.

use std::{fs, os::unix::fs::symlink};

use super::*;
use crate::tools::tests::{cx, fifo, while_swapping};

async fn call(root: &Path, arguments: Value) -> Result<String, String> {
    GrepFiles.call((&cx(root)).into(), arguments).await.map_err(|error| error.to_string())
}

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        fs::create_dir_all(dir.path().join(path).parent().unwrap()).unwrap();
        fs::write(dir.path().join(path), text).unwrap();
    }
    dir
}

#[tokio::test]
async fn matches_are_printed_as_ripgrep_prints_them() {
    let dir = project(&[
        ("b.txt", "one\ntwo\r\nthree\n"),
        ("a/x.rs", "two\n"),
        ("a-b/x.rs", "nothing"),
        ("binary", "two\0"),
        (".hidden", "two"),
        (".gitignore", "*.log"),
        ("x.log", "two"),
    ]);
    let found = call(dir.path(), json!({ "pattern": "two$" })).await.unwrap();
    assert_eq!(found, "a/x.rs:1:two\nb.txt:2:two\n[2 matches in 2 files]");
    let found = call(dir.path(), json!({ "pattern": "TWO", "ignore_case": true, "glob": "*.rs" }));
    assert_eq!(found.await.unwrap(), "a/x.rs:1:two\n[1 matches in 1 files]");
    let found = call(dir.path(), json!({ "pattern": "two", "glob": "!*.rs" })).await.unwrap();
    assert_eq!(found, "b.txt:2:two\n[1 matches in 1 files]");
    let found = call(dir.path(), json!({ "pattern": "o", "files_only": true })).await.unwrap();
    assert_eq!(found, "a/x.rs:1\na-b/x.rs:1\nb.txt:2\n[4 matches in 3 files]");
    for path in [".hidden", "x.log"] {
        let found = call(dir.path(), json!({ "pattern": "t", "path": path })).await.unwrap();
        assert_eq!(found, format!("{path}:1:two\n[1 matches in 1 files]"));
    }
    assert_eq!(call(dir.path(), json!({ "pattern": "four" })).await.unwrap(), "no matches");
}

#[tokio::test]
async fn lines_around_a_match_are_told_apart_and_groups_separated() {
    let dir = project(&[("a", "1\n2\nx\n4\n5\n6\nx\nx\n9\n"), ("b", "x\n"), ("c", "y\n")]);
    let found = call(dir.path(), json!({ "pattern": "x", "context": 1 })).await.unwrap();
    let shown = "a-2-2\na:3:x\na-4-4\n--\na-6-6\na:7:x\na:8:x\na-9-9\n--\nb:1:x\n\
                 [4 matches in 2 files]";
    assert_eq!(found, shown);
}

#[tokio::test]
async fn a_search_that_finds_too_much_stops_and_says_so() {
    let dir = project(&[("a", &"x\n".repeat(100)), ("b", "x\ny\nx\n")]);
    let found = call(dir.path(), json!({ "pattern": "x" })).await.unwrap();
    assert_eq!(found.lines().count(), 101);
    let note = "a:100:x\n[the first 100 of at least 100 matches; narrow the pattern or raise \
                max_results]";
    assert!(found.ends_with(note), "{found}");
    let found = call(dir.path(), json!({ "pattern": "x", "max_results": 102 })).await.unwrap();
    assert!(found.ends_with("b:1:x\nb:3:x\n[102 matches in 2 files]"));
    let arguments = json!({ "pattern": "x", "path": "b", "max_results": 1, "context": 1 });
    let found = call(dir.path(), arguments).await.unwrap();
    let note = "[the first 1 of at least 1 matches; narrow the pattern or raise max_results]";
    assert_eq!(found, format!("b:1:x\nb-2-y\n{note}"));
    let arguments = json!({ "pattern": "x", "max_results": 1, "files_only": true });
    let note = "[the first 1 of at least 1 files; narrow the pattern or raise max_results]";
    assert_eq!(call(dir.path(), arguments).await.unwrap(), format!("a:100\n{note}"));
    let said = call(dir.path(), json!({ "pattern": "x", "max_results": 501 })).await.unwrap_err();
    assert_eq!(said, "`max_results` is 1 to 500");
    let said = call(dir.path(), json!({ "pattern": "x", "context": 11 })).await.unwrap_err();
    assert_eq!(said, "`context` is 0 to 10");
}

#[tokio::test]
async fn long_lines_and_long_results_are_cut() {
    let line = format!("{}\n", "ä".repeat(600));
    let dir = project(&[("a", &line.repeat(500))]);
    let found = call(dir.path(), json!({ "pattern": "ä", "max_results": 500 })).await.unwrap();
    assert!(found.starts_with(&format!("a:1:{} [... line cut]\na:2:", "ä".repeat(500))));
    assert!(found.chars().count() <= 50_100);
    assert!(found.ends_with("matches; narrow the pattern or raise max_results]"), "{found}");
}

#[tokio::test]
async fn a_pattern_that_is_not_valid_is_explained() {
    let dir = project(&[]);
    for (pattern, said) in [
        ("foo(bar", "the pattern is not valid at character 4: unclosed group"),
        ("ä{2", "the pattern is not valid at character 2: "),
        ("a\\nb", "the pattern contains a line break, but lines are matched one by one"),
        ("(\\w{1000}){1000}", "the pattern is not valid: compiled regex exceeds size limit"),
    ] {
        let error = call(dir.path(), json!({ "pattern": pattern })).await.unwrap_err();
        assert!(error.starts_with(said), "{error}");
    }
    let error = call(dir.path(), json!({ "pattern": "x", "-i": true })).await.unwrap_err();
    assert!(error.contains("unknown field `-i`"));
}

#[tokio::test]
async fn refuses_to_leave_the_working_directory() {
    let dir = project(&[("secret", "SECRET"), ("root/a", "a")]);
    let root = dir.path().join("root");
    symlink("../secret", root.join("link")).unwrap();
    symlink("..", root.join("up")).unwrap();
    let found = call(&root, json!({ "pattern": "SECRET|a" })).await.unwrap();
    assert_eq!(found, "a:1:a\n[1 matches in 1 files]");
    for path in ["..", "link", "up", "up/secret", "/proc/self/root", "/"] {
        let said = call(&root, json!({ "pattern": "S", "path": path })).await.unwrap_err();
        assert_eq!(said, format!("`{path}` is outside the working directory"));
    }
}

#[tokio::test]
async fn pipes_are_passed_by() {
    let dir = project(&[("a", "x")]);
    fifo(&dir.path().join("pipe"));
    let found = call(dir.path(), json!({ "pattern": "x" })).await.unwrap();
    assert_eq!(found, "a:1:x\n[1 matches in 1 files]");
    let said = call(dir.path(), json!({ "pattern": "x", "path": "pipe" })).await.unwrap_err();
    assert_eq!(said, "`pipe` is a named pipe, not a file");
}

#[test]
fn a_folder_swapped_during_the_search_shows_nothing_of_what_is_outside() {
    let dir = project(&[("out/f", "SECRET"), ("root/in/f", "fine"), ("root/z", "fine")]);
    let root = dir.path().join("root");
    symlink("../out", root.join("door")).unwrap();
    let arguments: Arguments = parse(json!({ "pattern": "SECRET|fine" })).unwrap();
    let opened = Root::open(&root).unwrap();
    let stop = Stop::after(std::time::Duration::MAX);
    let search = |_| search(&opened, &stop, &arguments).unwrap();
    let seen = while_swapping([&root.join("in"), &root.join("door")], 1_000, search);
    assert!(seen.iter().all(|found| found.contains("z:1:fine") && !found.contains("SECRET")));
}
