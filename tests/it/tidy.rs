//! What the source looks like, whoever writes it.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use walkdir::WalkDir;

use crate::support::{projects, repository};

/// Each module, and the modules it may name. Lower layers come first.
const LAYERS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("document", &["text"]),
    ("model", &["text", "document"]),
    ("dialect", &["text", "document", "model"]),
    ("catalog", &["text", "document", "model", "dialect"]),
    ("lint", &["text", "document", "model", "dialect", "catalog"]),
    ("authority", &["text", "document", "model", "dialect", "catalog"]),
    ("conversation", &[]),
    ("event", &["conversation"]),
    ("tools", &["text", "model", "conversation", "event"]),
    ("provider", &["text", "document", "conversation", "event"]),
    ("config", &["text", "dialect", "lint", "provider", "tools"]),
    ("store", &["conversation", "event"]),
    (
        "plan",
        &[
            "text",
            "document",
            "model",
            "dialect",
            "catalog",
            "lint",
            "authority",
            "config",
            "conversation",
            "provider",
            "tools",
        ],
    ),
    (
        "run",
        &["model", "authority", "config", "conversation", "event", "tools", "provider", "plan"],
    ),
    (
        "session",
        &[
            "text",
            "dialect",
            "catalog",
            "lint",
            "authority",
            "config",
            "conversation",
            "event",
            "tools",
            "provider",
            "plan",
            "run",
            "store",
        ],
    ),
    ("collab", &["text", "conversation", "event", "tools", "store", "session", "plan", "render"]),
    (
        "render",
        &[
            "text",
            "document",
            "model",
            "dialect",
            "catalog",
            "lint",
            "authority",
            "conversation",
            "event",
            "plan",
            "store",
        ],
    ),
    (
        "app_server",
        &[
            "text",
            "catalog",
            "lint",
            "authority",
            "config",
            "conversation",
            "event",
            "plan",
            "run",
            "store",
            "session",
            "render",
        ],
    ),
    ("serve", &["text", "catalog", "lint", "event", "store", "session", "render", "app_server"]),
    (
        "cli",
        &[
            "text",
            "document",
            "model",
            "dialect",
            "catalog",
            "lint",
            "authority",
            "config",
            "conversation",
            "event",
            "tools",
            "provider",
            "plan",
            "run",
            "render",
            "store",
            "session",
            "collab",
            "app_server",
            "serve",
        ],
    ),
];

/// Past this many lines a file is split.
const MAX_LINES: usize = 500;
/// The binary only hands over.
const MAX_MAIN_LINES: usize = 40;

/// Never in the program; tests may.
const NOT_IN_THE_PROGRAM: &[&str] =
    &[".unwrap()", ".expect(\"", "panic!", "println!", "unreachable!", "process::exit"];
/// Never anywhere.
const NOWHERE: &[&str] = &["#[allow", "#![allow", "TO\u{44}O", "FIX\u{4d}E"];

/// A text file of the repository.
struct File {
    path: PathBuf,
    text: String,
}

/// The text files below `folder` whose names end with `ending`, by paths from the repository.
fn files(folder: &str, ending: &str) -> Vec<File> {
    let wanted = |path: &Path| path.to_str().is_some_and(|path| path.ends_with(ending));
    let files = WalkDir::new(repository().join(folder)).sort_by_file_name().into_iter();
    files
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.is_file() && wanted(path))
        .map(|path| File {
            text: String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned(),
            path: path.strip_prefix(repository()).unwrap().to_owned(),
        })
        .collect()
}

/// The program without its tests and comments, line by line.
fn program(file: &File) -> Vec<(usize, &str)> {
    if file.path.ends_with("tests.rs") {
        return Vec::new();
    }
    let lines = file.text.lines().enumerate().map(|(at, line)| (at + 1, line));
    lines
        .take_while(|(_, line)| *line != "#[cfg(test)]" || file.path.ends_with("lib.rs"))
        .map(|(at, line)| (at, line.split("//").next().unwrap_or_default()))
        .collect()
}

#[test]
fn modules_only_look_down() {
    for file in files("src", ".rs") {
        let mut parts = file.path.components().skip(1);
        let Some(module) = parts.next().and_then(|part| part.as_os_str().to_str()) else {
            continue;
        };
        if module.ends_with(".rs") {
            continue;
        }
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == module) else {
            panic!("{}: `{module}` is missing from LAYERS", file.path.display());
        };
        let code: String = program(&file).into_iter().map(|(_, line)| line).collect();
        for named in code.split("crate::").skip(1).flat_map(named_modules) {
            let fine = named == module || allowed.contains(&named.as_str());
            assert!(fine, "{}: `{module}` must not use `{named}`", file.path.display());
        }
    }
}

/// The modules named after `crate::`: one, or those of a list in braces.
fn named_modules(rest: &str) -> Vec<String> {
    let word = |text: &str| {
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
        text[..end].to_owned()
    };
    let Some(list) = rest.strip_prefix('{') else { return vec![word(rest)] };
    let mut depth = 0_usize;
    let mut items = vec![String::new()];
    for c in list.chars() {
        match c {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => items.push(String::new()),
            _ => {}
        }
        items.last_mut().unwrap().push(c);
    }
    let words = items.iter().map(|item| word(item.trim_start_matches([',', ' '])));
    words.filter(|word| !word.is_empty()).collect()
}

#[test]
fn named_modules_are_found_in_lists() {
    assert_eq!(named_modules("text::Span;"), ["text"]);
    assert_eq!(named_modules("{    a::{b, c},    d,};"), ["a", "d"]);
}

#[test]
fn files_are_short_and_say_what_they_are() {
    for File { path, text } in files("src", ".rs") {
        let lines = text.lines().count();
        assert!(lines <= MAX_LINES, "{}: {lines} lines", path.display());
        assert!(text.starts_with("//!"), "{}: no module comment", path.display());
    }
    for File { path, text } in files("tests", ".rs") {
        assert!(text.starts_with("//!"), "{}: no module comment", path.display());
    }
    let main = fs::read_to_string(repository().join("src/main.rs")).unwrap();
    assert!(main.lines().count() <= MAX_MAIN_LINES);
}

#[test]
fn the_program_does_not_panic_or_print_on_its_own() {
    for file in files("src", ".rs") {
        for (at, line) in program(&file) {
            for never in NOT_IN_THE_PROGRAM {
                assert!(!line.contains(never), "{}:{at}: {never}", file.path.display());
            }
        }
    }
}

#[test]
fn nothing_is_left_undone_or_waved_through() {
    for File { path, text } in files("src", ".rs").into_iter().chain(files("tests/it", ".rs")) {
        for never in NOWHERE.iter().filter(|_| !path.ends_with("tidy.rs")) {
            assert!(!text.contains(never), "{}: {never}", path.display());
        }
    }
}

/// Snapshots whose names are put together when a test runs.
fn computed_snapshots() -> impl Iterator<Item = String> {
    projects().into_iter().map(|project| format!("list-{project}"))
}

#[test]
fn every_snapshot_belongs_to_a_test() {
    let code: Vec<File> = files("src", ".rs").into_iter().chain(files("tests", ".rs")).collect();
    let computed: BTreeSet<String> = computed_snapshots().collect();
    for File { path, .. } in files("snapshots", "") {
        let name = path.file_name().unwrap().to_str().unwrap();
        let Some(name) = name.strip_suffix(".snap") else {
            panic!("{}: not a snapshot", path.display());
        };
        let quoted = format!("\"{name}\"");
        let used = code.iter().any(|file| file.text.contains(&quoted));
        assert!(used || computed.contains(name), "{}: no test compares with it", path.display());
    }
}

#[test]
fn published_catalogs_are_measured_and_never_copied() {
    let authors = ["wshobson", "voltagent", "rshah515", "awesome-copilot"];
    let folders = ["src", "tests", "snapshots", "docs", "agents"];
    for File { path, text } in folders.iter().flat_map(|folder| files(folder, "")) {
        let excused = path.ends_with("tidy.rs") || path.ends_with("corpus.rs");
        for author in authors.iter().filter(|_| !excused) {
            assert!(!text.to_lowercase().contains(author), "{}: {author}", path.display());
        }
    }
}

#[test]
fn nothing_names_a_place_on_somebodys_machine() {
    let roots = ["/home/", "/Users/", "/work/", "/root/", "C:\\Users"];
    let folders = ["src", "tests", "snapshots", "docs", "agents", "README.md", "Cargo.toml"];
    for File { path, text } in folders.iter().flat_map(|folder| files(folder, "")) {
        for root in roots.iter().filter(|_| !path.ends_with("tidy.rs")) {
            assert!(!text.contains(root), "{}: {root}", path.display());
        }
    }
}

#[test]
fn the_documents_name_files_that_exist() {
    for document in
        ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "docs/README.md", "docs/validate.md"]
    {
        let text = fs::read_to_string(repository().join(document)).unwrap();
        let code = text.split('`').skip(1).step_by(2);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let folder = Path::new(document).parent().unwrap();
        let named = code
            .filter(|name| {
                ["src/", "tests/", "docs/", "benches/", "fuzz/"]
                    .iter()
                    .any(|top| name.starts_with(top))
            })
            .filter(|name| !name.contains(|c: char| c.is_whitespace() || "…*<".contains(c)))
            .map(|name| repository().join(name))
            .chain(
                links
                    .filter(|link| !link.contains("://"))
                    .map(|link| repository().join(folder).join(link)),
            );
        for path in named {
            assert!(
                path.exists()
                    || ["your_rule.rs", "your_tool.rs"].iter().any(|name| path.ends_with(name)),
                "{document} names {}",
                path.display()
            );
        }
    }
}
