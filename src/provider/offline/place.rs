//! What a file is, by its path alone.

use super::{question::Files, vocabulary::has};

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    /// The program.
    Source,
    /// Tests, and what they need.
    Test,
    /// Texts about the program.
    Doc,
    /// Settings and data.
    Data,
    /// Examples and benchmarks.
    Example,
    /// What a person does not write here: generated, vendored, locked, compressed, recorded.
    Foreign,
}

/// Folders by which a file is recognised; the first line that fits is taken.
const FOLDERS: &[(&str, FileKind)] = &[
    (
        "__snapshots__ dist generated node_modules snapshots target third-party third_party vendor",
        FileKind::Foreign,
    ),
    ("__tests__ corpus fixtures fuzz spec specs test test-data testdata tests", FileKind::Test),
    ("doc docs documentation", FileKind::Doc),
    ("bench benches benchmarks demo demos example examples", FileKind::Example),
];

/// Endings by which a file is recognised.
const ENDINGS: &[(&str, FileKind)] = &[
    (
        ".generated.rs .lock .map .min.css .min.js .pb.go .snap .sum .svg -lock.json -lock.yaml",
        FileKind::Foreign,
    ),
    (
        "_test.go _test.py _test.rs _tests.rs .test.js .test.ts .test.tsx .spec.js .spec.ts \
         _spec.rb /tests.rs /test.rs /conftest.py test.java tests.cs",
        FileKind::Test,
    ),
    (".1 .adoc .html .md .mdx .rst .txt", FileKind::Doc),
    (".cfg .css .csv .ini .json .jsonl .toml .tsv .xml .yaml .yml", FileKind::Data),
];

/// What the file at `path` is.
pub(super) fn kind(path: &str) -> FileKind {
    let lower = format!("/{}", path.to_lowercase());
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let in_folder = |known: &str| folders.split('/').any(|folder| has(known, folder));
    let ends = |known: &str| known.split(' ').any(|ending| lower.ends_with(ending));
    if name.starts_with("changelog") || name.starts_with("license") || name.starts_with("history.")
    {
        return FileKind::Foreign;
    }
    if name.starts_with("test_") {
        return FileKind::Test;
    }
    let by_folder = FOLDERS.iter().find(|(known, _)| in_folder(known));
    let by_ending = ENDINGS.iter().find(|(known, _)| ends(known));
    match (by_folder, by_ending) {
        (_, Some((_, FileKind::Foreign))) => FileKind::Foreign,
        (Some((_, kind)), _) | (None, Some((_, kind))) => *kind,
        (None, None) => FileKind::Source,
    }
}

/// What a file of this kind counts when these files are wanted.
pub(super) fn factor(kind: FileKind, wanted: Files) -> f64 {
    match (kind, wanted) {
        (FileKind::Source, Files::Source)
        | (FileKind::Test, Files::Tests)
        | (FileKind::Doc, Files::Docs) => 1.0,
        (FileKind::Foreign, _) => 0.1,
        (_, Files::Tests | Files::Docs) => 0.15,
        (FileKind::Test, Files::Source) => 0.35,
        (FileKind::Doc, Files::Source) => 0.3,
        (FileKind::Data, Files::Source) => 0.45,
        (FileKind::Example, Files::Source) => 0.5,
    }
}

/// Names of files that stand for their folder.
const FOR_THE_FOLDER: &str = "__init__ index lib main mod";

/// The name that says what the file at `path` is about, and the folders above.
pub(super) fn title(path: &str) -> (&str, &str) {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    if !has(FOR_THE_FOLDER, stem) || folders.is_empty() {
        return (stem, folders);
    }
    folders.rsplit_once('/').map_or((folders, ""), |(above, folder)| (folder, above))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_paths() {
        for (path, expected) in [
            ("src/lint/mod.rs", FileKind::Source),
            ("src/lint/tests.rs", FileKind::Test),
            ("tests/it/main.rs", FileKind::Test),
            ("pkg/a_test.go", FileKind::Test),
            ("test_a.py", FileKind::Test),
            ("README.md", FileKind::Doc),
            ("docs/conf.py", FileKind::Doc),
            ("CHANGELOG.md", FileKind::Foreign),
            ("Cargo.lock", FileKind::Foreign),
            ("vendor/x/a.go", FileKind::Foreign),
            ("agents/Explore.md", FileKind::Doc),
            ("Cargo.toml", FileKind::Data),
            ("Makefile", FileKind::Source),
        ] {
            assert_eq!(kind(path), expected, "{path}");
        }
    }

    #[test]
    fn a_file_that_stands_for_its_folder_is_called_like_it() {
        assert_eq!(title("src/authority/mod.rs"), ("authority", "src"));
        assert_eq!(title("src/cli/exit.rs"), ("exit", "src/cli"));
        assert_eq!(title("a/index.test.ts"), ("a", ""));
        assert_eq!(title("main.c"), ("main", ""));
    }
}
