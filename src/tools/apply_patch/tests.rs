//! Patches of files.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
};

use super::*;
use crate::tools::tests::cx;

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        fs::create_dir_all(dir.path().join(path).parent().unwrap()).unwrap();
        fs::write(dir.path().join(path), text).unwrap();
    }
    dir
}

/// Every file below a folder, with its content.
fn tree(root: &Path) -> Vec<(String, String)> {
    let entries = walkdir::WalkDir::new(root).sort_by_file_name().into_iter();
    let files = entries.map(Result::unwrap).filter(|entry| !entry.file_type().is_dir());
    let name = |path: &Path| path.strip_prefix(root).unwrap().display().to_string();
    files.map(|file| (name(file.path()), fs::read_to_string(file.path()).unwrap())).collect()
}

async fn call(root: &Path, arguments: Value) -> Result<String, String> {
    ApplyPatch.call((&cx(root)).into(), arguments).await.map_err(|error| error.to_string())
}

async fn patch(root: &Path, lines: &str) -> Result<String, String> {
    let patch = format!("*** Begin Patch\n{lines}\n*** End Patch");
    call(root, json!({ "patch": patch })).await
}

#[tokio::test]
async fn files_are_added_updated_moved_and_deleted() {
    let dir = project(&[("a", "1\n2\n"), ("b", "x\n"), ("c", "gone\n")]);
    let mode = |path: &str| fs::metadata(dir.path().join(path)).unwrap().permissions().mode();
    fs::set_permissions(dir.path().join("a"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::set_permissions(dir.path().join("b"), fs::Permissions::from_mode(0o700)).unwrap();
    let lines = "*** Update File: a\n 1\n-2\n+two\n*** Update File: b\n*** Move to: sub/b2\n-x\n+y\n\
                 *** Delete File: c\n*** Add File: new/d\n+d";
    let said = patch(dir.path(), lines).await.unwrap();
    assert_eq!(said, "updated a\nmoved b to sub/b2\ndeleted c\nadded new/d");
    let files = [("a", "1\ntwo\n"), ("new/d", "d\n"), ("sub/b2", "y\n")];
    assert_eq!(tree(dir.path()), files.map(|(path, text)| (path.to_owned(), text.to_owned())));
    assert_eq!((mode("a") & 0o777, mode("sub/b2") & 0o777), (0o750, 0o700));
}

#[tokio::test]
async fn a_unified_diff_works_too() {
    let dir = project(&[("a", "1\n2\n"), ("b", "x")]);
    let diff = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+two\n--- a/b\n+++ /dev/null\n\
                @@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n--- /dev/null\n+++ b/c\n\
                @@ -0,0 +1 @@\n+c\n";
    assert_eq!(
        call(dir.path(), json!({ "patch": diff })).await.unwrap(),
        "updated a\ndeleted b\nadded c"
    );
    assert_eq!(tree(dir.path()).len(), 2);
    let diff = "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n";
    let said = call(dir.path(), json!({ "patch": diff })).await.unwrap_err();
    assert_eq!(said, "`a` is not what the patch says it deletes");
}

#[tokio::test]
async fn a_string_can_be_replaced() {
    let dir = project(&[("a", "x y x\n"), ("empty", "")]);
    let replace =
        |old: &str, new: &str| json!({ "path": "a", "old_string": old, "new_string": new });
    assert_eq!(call(dir.path(), replace("y", "z")).await.unwrap(), "updated a");
    let said = call(dir.path(), replace("x", "w")).await.unwrap_err();
    assert!(said.starts_with("`a` is not as expected: these lines are in it more than once"));
    let said = call(dir.path(), replace("q", "w")).await.unwrap_err();
    assert_eq!(said, "`a` is not as expected: these lines are not in it:\nq");
    let said = call(dir.path(), replace("", "w")).await.unwrap_err();
    assert!(said.contains("`old_string` is empty"), "{said}");
    assert_eq!(
        call(dir.path(), replace("x", "x")).await.unwrap_err().matches("more than").count(),
        1
    );
    assert_eq!(
        call(dir.path(), replace("z", "z")).await.unwrap_err(),
        "nothing would change in `a`"
    );
    let all = json!({ "path": "a", "old_string": "x", "new_string": "w", "replace_all": true });
    assert_eq!(call(dir.path(), all).await.unwrap(), "updated a");
    for path in ["new/b", "empty"] {
        let create = json!({ "path": path, "old_string": "", "new_string": "b" });
        call(dir.path(), create).await.unwrap();
    }
    let files = [("a", "w z w\n"), ("empty", "b"), ("new/b", "b")];
    assert_eq!(tree(dir.path()), files.map(|(path, text)| (path.to_owned(), text.to_owned())));
}

#[tokio::test]
async fn exactly_one_way_to_say_it_is_used() {
    let dir = project(&[("a", "x")]);
    for arguments in [
        json!({}),
        json!({ "path": "a" }),
        json!({ "path": "a", "old_string": "x" }),
        json!({ "patch": "p", "path": "a", "old_string": "x", "new_string": "y" }),
        json!({ "patch": "p", "replace_all": false }),
    ] {
        let said = call(dir.path(), arguments).await.unwrap_err();
        assert_eq!(said, "give either `patch` alone, or `path`, `old_string` and `new_string`");
    }
    let said = call(dir.path(), json!({ "input": "x" })).await.unwrap_err();
    assert!(said.contains("unknown field `input`"), "{said}");
}

#[tokio::test]
async fn nothing_is_written_unless_everything_fits() {
    let dir = project(&[("a", "1\n"), ("b", "x\nx\n"), ("c", "c\n")]);
    let before = tree(dir.path());
    let good = "*** Update File: a\n-1\n+2\n*** Delete File: c\n*** Add File: new/d\n+d\n";
    for (bad, said) in [
        ("*** Update File: b\n-y\n+z", "`b` is not as expected: these lines are not in it:\ny"),
        ("*** Update File: b\n-x\n+z", "`b` is not as expected: these lines are in it more than"),
        ("*** Update File: no\n-x\n+z", "`no` does not exist"),
        ("*** Delete File: no", "`no` does not exist"),
        ("*** Add File: b\n+x", "`b` exists already"),
        ("*** Update File: b\n*** Move to: c\n x\n x", "`c` is in the patch more than once"),
        ("*** Update File: ./new/../a\n-1\n+3", "`./new/../a` is in the patch more than once"),
        ("*** Update File: b\n x\n x", "nothing would change in `b`"),
        ("*** Update File: ../x\n-x\n+z", "`../x` is outside the working directory"),
        ("*** Add File: .git/hooks/x\n+x", "`.git/hooks/x` belongs to git"),
        ("*** Update File: b\n*** Move to: ../x", "`../x` is outside the working directory"),
    ] {
        let error = patch(dir.path(), &format!("{good}{bad}")).await.unwrap_err();
        assert!(error.starts_with(said), "{error}");
        assert_eq!(tree(dir.path()), before);
    }
    assert!(!dir.path().join("new").exists());
}

#[tokio::test]
async fn links_are_not_written_through() {
    let dir = project(&[("outside", "1\n"), ("root/real", "1\n")]);
    let root = dir.path().join("root");
    fs::hard_link(dir.path().join("outside"), root.join("hard")).unwrap();
    symlink("../outside", root.join("out")).unwrap();
    symlink("real", root.join("soft")).unwrap();
    patch(&root, "*** Update File: hard\n-1\n+2").await.unwrap();
    assert_eq!(fs::read_to_string(root.join("hard")).unwrap(), "2\n");
    let said = patch(&root, "*** Update File: out\n-1\n+2").await.unwrap_err();
    assert_eq!(said, "`out` is outside the working directory");
    let said = patch(&root, "*** Delete File: soft").await.unwrap_err();
    assert_eq!(said, "`soft` is a symbolic link to `real`; change that file instead");
    assert_eq!(fs::read_to_string(dir.path().join("outside")).unwrap(), "1\n");
}

#[tokio::test]
async fn a_person_sees_what_will_change() {
    let dir = project(&[("a", "1\n2\n"), ("b", "x\n"), ("m", "m\n"), ("n", "n\n")]);
    let patch = "*** Begin Patch\n*** Update File: a\n 1\n-2\n+two\n*** Delete File: b\n\
                 *** Add File: c\n+c\n*** Update File: m\n*** Move to: m2\n\
                 *** Update File: n\n*** Move to: n2\n-n\n+N\n*** End Patch";
    let seen = ApplyPatch.preview(&cx(dir.path()), &json!({ "patch": patch }));
    let expected = "changes a\n@@ -1,2 +1,2 @@\n 1\n-2\n+two\ndeletes b (1 lines)\n-x\n\
                    creates c (1 lines)\n+c\nmoves m to m2\nmoves n to n2\n@@ -1 +1 @@\n-n\n+N";
    assert_eq!(seen, expected);
    let seen = ApplyPatch.preview(&cx(dir.path()), &json!({ "patch": "x" }));
    assert!(seen.starts_with("will be refused: the patch begins neither"), "{seen}");
    assert_eq!(tree(dir.path()).len(), 4);
}
