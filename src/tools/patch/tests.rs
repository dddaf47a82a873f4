//! Patches, without files.

use std::time::Duration;

use proptest::prelude::*;
use similar::TextDiff;

use super::*;
use crate::tools::blocking::Stop;

fn hunks(patch: &str) -> Vec<Hunk> {
    match parse(patch).unwrap().remove(0) {
        Operation::Update { hunks, .. } | Operation::Delete { hunks, .. } => hunks,
        Operation::Add { .. } => Vec::new(),
    }
}

fn patched(text: &str, patch: &str) -> Result<String, String> {
    apply(text, &hunks(patch), &Stop::after(Duration::MAX)).map_err(|error| error.to_string())
}

/// `lines` as the only hunk of an envelope.
fn update(lines: &str) -> String {
    format!("*** Begin Patch\n*** Update File: f\n{lines}\n*** End Patch")
}

/// `lines` as the only file of a diff.
fn diff(lines: &str) -> String {
    format!("--- a/f\n+++ b/f\n{lines}\n")
}

#[test]
fn an_envelope_may_do_everything_at_once() {
    let patch = "*** Begin Patch\n*** Add File: new\n+a\n+\n\n*** Delete File: old\n\
                 *** Update File: from\n*** Move to: to\n@@ fn x()\n-a\n+b\n\n*** End Patch\n\n";
    let operations = parse(patch).unwrap();
    let hunk = Hunk {
        anchors: vec!["fn x()".to_owned()],
        lines: vec![Line::read("-a").unwrap(), Line::read("+b").unwrap()],
        ..Hunk::default()
    };
    assert_eq!(
        operations,
        [
            Operation::Add { path: "new".to_owned(), text: "a\n\n".to_owned() },
            Operation::Delete { path: "old".to_owned(), hunks: Vec::new() },
            Operation::Update {
                path: "from".to_owned(),
                moved_to: Some("to".to_owned()),
                hunks: vec![hunk]
            },
        ]
    );
    assert_eq!(parse(&patch.replace('\n', "\r\n")).unwrap(), operations);
}

#[test]
fn a_diff_may_do_everything_at_once() {
    let patch = "diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n\
                 @@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n\
                 diff --git a/old b/old\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\
                 diff --git a/from b/to\nsimilarity index 100%\nrename from from\nrename to to\n\
                 diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -3 +3 @@\n-a\n\
                 +b\n-- \n2.40.0\n";
    let operations = parse(patch).unwrap();
    let update = |path: &str, to: &str, hunks| Operation::Update {
        path: path.to_owned(),
        moved_to: Some(to.to_owned()),
        hunks,
    };
    let lines = |texts: &[&str]| texts.iter().map(|text| Line::read(text).unwrap()).collect();
    assert_eq!(
        operations,
        [
            Operation::Add { path: "new".to_owned(), text: "a\nb".to_owned() },
            Operation::Delete {
                path: "old".to_owned(),
                hunks: vec![Hunk { line: Some(1), lines: lines(&["-a"]), ..Hunk::default() }]
            },
            update("from", "to", Vec::new()),
            update(
                "x",
                "y",
                vec![Hunk { line: Some(3), lines: lines(&["-a", "+b"]), ..Hunk::default() }]
            ),
        ]
    );
}

#[test]
fn patches_that_cannot_be_read_say_why() {
    for (patch, said) in [
        ("", "the patch changes no file"),
        ("hello", "the patch begins neither with `*** Begin Patch` nor with"),
        ("*** Begin Patch\n*** End Patch", "the patch changes no file"),
        ("*** Begin Patch\n*** Delete File: x", "the patch does not end with `*** End Patch`"),
        ("*** Begin Patch\nfoo\n*** End Patch", "line 2 of the patch is not expected there: `foo`"),
        (&update(""), "the patch says nothing about what to do with `f`"),
        (&update("@@\nfoo"), "line 4 of the patch is not expected there: `foo`; lines of a file"),
        ("*** Begin Patch\n*** Add File: f\nfoo\n*** End Patch", "line 3 of the patch"),
        ("--- a/f\nfoo", "line 1 of the patch is not expected there: `--- a/f`"),
        ("--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b", "line 2 of the patch"),
        ("--- a/f\n+++ b/f\n", "the patch says nothing about what to do with `f`"),
        (&diff("@@ -1 +1 @@\n-a\n+b\nfoo\n+c"), "line 7 of the patch is not expected there: `+c`"),
        (&diff("@@ x @@\n-a"), "line 3 of the patch is not expected there: `@@ x @@`; hunks begin"),
        ("diff --git a/x b/x\nnew file mode 120000", "the patch contains a symbolic link"),
        ("diff --git a/x b/x\nGIT binary patch", "the patch contains a binary file"),
    ] {
        let error = parse(patch).unwrap_err().to_string();
        assert!(error.starts_with(said), "{patch}: {error}");
    }
}

#[test]
fn lines_are_found_where_they_are_the_same_or_differ_in_blanks_at_their_ends() {
    assert_eq!(patched("a\nb\nc\n", &update(" a\n-b\n+x")).unwrap(), "a\nx\nc\n");
    assert_eq!(patched("a \t\nb  \nc\n", &update(" a\n-b\n+x")).unwrap(), "a \t\nx\nc\n");
    assert_eq!(patched("b  \nb\n", &update("-b\n+x")).unwrap(), "b  \nx\n");
    assert_eq!(patched("  b\n", &update("-b\n+x")).unwrap_err(), "these lines are not in it:\nb");
    assert_eq!(
        patched("a\nb\nb\n", &update("-b\n+x")).unwrap_err(),
        "these lines are in it more than once (at lines 2, 3); give more lines around them:\nb"
    );
    let two = update(" c\n-d\n@@\n-a\n+x");
    let said = "these lines are not in it after line 2:\na";
    assert_eq!(patched("c\nd\n", &two).unwrap_err(), said);
    assert_eq!(patched("a\nc\nd\na\n", &two).unwrap(), "a\nc\nx\n");
}

#[test]
fn anchors_line_numbers_and_the_end_of_the_file_tell_places_apart() {
    let text = "class A\n  def f\n    x\nclass B\n  def f\n    x\n";
    let in_b = "class A\n  def f\n    x\nclass B\n  def f\n    y\n";
    let in_a = "class A\n  def f\n    y\nclass B\n  def f\n    x\n";
    for (hunk, expected) in [
        ("@@ class B\n@@   def f\n-    x\n+    y", in_b),
        ("@@ class A\n-    x\n+    y", in_a),
        ("@@\n-    x\n+    y\n*** End of File", in_b),
        ("@@ -6,1 +6,1 @@\n-    x\n+    y", in_b),
    ] {
        assert_eq!(patched(text, &update(hunk)).unwrap(), expected, "{hunk}");
    }
    let said = patched(text, &update("@@   def f\n-    x\n+    y")).unwrap_err();
    assert!(said.starts_with("these lines are in it more than once (at lines 2, 5)"), "{said}");
    assert!(patched(text, &update("@@ class C\n-    x")).unwrap_err().ends_with(":\nclass C"));
    let wrong = diff("@@ -5,1 +5,1 @@\n-    x\n+    y");
    assert!(patched(text, &wrong).unwrap_err().starts_with("these lines are in it more than once"));
    assert_eq!(patched("a\nb\n", &diff("@@ -9,1 +9,1 @@\n-b\n+c")).unwrap(), "a\nc\n");
}

#[test]
fn lines_can_be_added_without_old_ones() {
    assert_eq!(patched("a\n", &update("+b")).unwrap(), "a\nb\n");
    assert_eq!(patched("a\nc\n", &update("@@ a\n+b")).unwrap(), "a\nb\nc\n");
    assert_eq!(patched("a\nc\n", &diff("@@ -1,0 +2 @@\n+b")).unwrap(), "a\nb\nc\n");
    assert!(patched("a\n", &diff("@@ -5,0 +6 @@\n+b")).is_err());
    assert_eq!(patched("", &update("+b")).unwrap(), "b\n");
}

#[test]
fn line_ends_byte_order_marks_and_a_missing_last_line_end_survive() {
    assert_eq!(patched("a\r\nb\r\n", &update(" a\n-b\n+x\n+y")).unwrap(), "a\r\nx\r\ny\r\n");
    assert_eq!(patched("a\nb", &update(" a\n-b\n+x")).unwrap(), "a\nx");
    assert_eq!(patched("a\r\nb", &update(" b\n+x")).unwrap(), "a\r\nb\r\nx");
    assert_eq!(patched("\u{feff}a\nb", &update("-a\n+x")).unwrap(), "\u{feff}x\nb");
    let dropped = "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file";
    assert_eq!(patched("a\n", &diff(dropped)).unwrap(), "b");
    let added = "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a";
    assert_eq!(patched("a", &diff(added)).unwrap(), "a\n");
}

#[test]
fn strings_are_replaced_where_they_are_meant() {
    let once = |text, old, new| replace(text, old, new, Times::Once).map_err(|e| e.to_string());
    assert_eq!(once("a b c", "b", "x").unwrap(), "a x c");
    assert_eq!(once("a\r\nb\r\nc", "a\nb", "x\ny").unwrap(), "x\r\ny\r\nc");
    assert_eq!(once("a\r\nb", "b", "x\ny").unwrap(), "a\r\nx\r\ny");
    assert_eq!(once("a\nb\r\n", "a\nb", "x\ny").unwrap(), "x\ny\r\n");
    assert_eq!(once("a", "b", "x").unwrap_err(), "these lines are not in it:\nb");
    let said =
        "these lines are in it more than once (at lines 1, 2); give more lines around them:\nb";
    assert_eq!(once("b\nb", "b", "x").unwrap_err(), said);
    assert_eq!(replace("b\nb", "b", "x", Times::Always).unwrap(), "x\nx");
    assert!(once("b", "", "x").is_err());
}

/// A line that may look like anything a diff contains.
fn line() -> impl Strategy<Value = String> {
    let tricky = ["", "a", "b", " a", "a ", "-- a", "++ b", "- ", "+", "@@ -1 +1 @@", "\\ x", "ä"];
    let marks = ["*** End Patch", "--- a/f", "+++ b/f", "diff --git a b", "--", "\t"];
    prop::sample::select([&tricky[..], &marks[..]].concat()).prop_map(str::to_owned)
}

/// A text, and whether it ends with a line end.
fn text() -> impl Strategy<Value = String> {
    (prop::collection::vec(line(), 0..24), any::<bool>())
        .prop_map(|(lines, ends)| lines.join("\n") + if ends { "\n" } else { "" })
}

proptest! {
    #[test]
    fn a_diff_makes_the_new_text_of_the_old_one(old in text(), new in text(), context in 0..5_usize) {
        prop_assume!(old != new);
        let diff = TextDiff::from_lines(&old, &new);
        let patch = diff.unified_diff().context_radius(context).header("a/f", "b/f").to_string();
        prop_assert_eq!(patched(&old, &patch), Ok(new), "{}", patch);
    }

    #[test]
    fn a_diff_of_a_windows_text_makes_a_windows_text(old in text(), new in text()) {
        let windows = |text: &str| text.replace('\n', "\r\n");
        prop_assume!(old != new && old.contains('\n') && new.contains('\n'));
        let diff = TextDiff::from_lines(&old, &new);
        let patch = diff.unified_diff().header("a/f", "b/f").to_string();
        prop_assert_eq!(patched(&windows(&old), &patch), Ok(windows(&new)), "{}", patch);
        let (old, new) = (windows(&old), windows(&new));
        let diff = TextDiff::from_lines(&old, &new);
        let patch = diff.unified_diff().header("a/f", "b/f").to_string();
        prop_assert_eq!(patched(&old, &patch), Ok(new), "{}", patch);
    }

    #[test]
    fn no_patch_breaks_the_reader(patch in prop::collection::vec(line(), 0..30), kind in 0..3_usize) {
        let start = ["*** Begin Patch\n*** Update File: f\n", "--- a/f\n+++ b/f\n", ""][kind];
        if let Ok(operations) = parse(&format!("{start}{}", patch.join("\n"))) {
            prop_assert!(!operations.is_empty());
        }
    }
}
