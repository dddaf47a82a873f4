//! Our readers against independent ones: the splitter against `gray_matter`, the YAML tree against
//! `serde_yaml`. Where they differ on purpose, the difference is listed here with its reason.

use std::path::{Path, PathBuf};

use agentctl::{
    document::{Format, Problem, ProblemKind, parse},
    text::Source,
};
use gray_matter::{Matter, ParsedEntity, engine::YAML};
use proptest::{collection::vec, prelude::*, sample::select};
use serde::Deserialize as _;
use serde_json::Value as Json;

/// Files with exact fences: both splitters find the same parts.
const SPLIT_ALIKE: &[&str] = &[
    "",
    "# Title\n\nText.\n",
    "text\n---\na: 1\n---\n",
    "---\na: 1\n---\nbody\n",
    "---\na: 1\n---",
    "---\na: 1\n---\n",
    "---\r\na: 1\r\nb: 2\r\n---\r\nbody\r\n\r\nmore\r\n",
    "--- \t\na: 1\n---  \nbody",
    "---\n---\nbody",
    "---\n\n---\n\n\nbody\n\n\n",
    "---\na: 1\n ---\n---\nbody",
    "---\na: |\n  ---\n  x\n---\nbody",
    "---\na: 1\n---\nbody\n\n---\n\nmore\n---\n",
    "---\nä: \"日本\"\n---\nö",
];

/// Where the two differ, and why ours is meant to.
const SPLIT_APART: &[(&str, &str)] = &[
    (
        "\u{feff}---\na: 1\n---\nbody",
        "a byte order mark hides the fence from them; we report it and go on",
    ),
    ("\n---\na: 1\n---\nbody", "blank lines hide the fence from them; we report them and go on"),
    ("----\na: 1\n----\nbody", "a long fence around keys is a typo to us and prose to them"),
    ("---\na: 1\n----\nbody", "a long closing fence is a typo to us and no fence to them"),
    ("---\na: 1\n...\nbody", "YAML's own end marker is a wrong fence to us and no fence to them"),
    (
        "---\na: 1\n\nbody",
        "without a closing fence we end the front matter at a blank line; they find none",
    ),
    (
        "---\u{a0}\na: 1\n---\nbody",
        "only blanks and tabs may follow our fence, any white space theirs",
    ),
];

#[test]
fn well_formed_files_are_split_like_gray_matter_does() {
    for text in SPLIT_ALIKE {
        assert_eq!(ours(text), theirs(text), "{text:?}");
    }
    for (text, why) in SPLIT_APART {
        assert_ne!(ours(text), theirs(text), "no longer different: {why}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_well_formed_file_is_split_like_gray_matter_does(
        keys in vec(select(&["x", "\"q: r\"", "[a, b]", "ä # c", "|\n  one\n\n  --- two", ""][..]), 0..5),
        body in vec(select(&["text", "", "---", "# Title", "  ---", "ä", "a: b", "...", "```"][..]), 0..6),
        (fence, line_end) in (select(&["---", "--- ", "---\t"][..]), select(&["\n", "\r\n"][..])),
    ) {
        let yaml: String = keys.iter().enumerate().map(|(at, value)| format!("k{at}: {value}\n")).collect();
        let text = format!("{fence}\n{yaml}{fence}\n{}", body.join("\n")).replace('\n', line_end);
        prop_assert_eq!(ours(&text), theirs(&text), "{:?}", text);
    }
}

/// Front matter and body as our splitter finds them, in `gray_matter`'s terms: it trims the front
/// matter, turns CRLF into LF, and drops blank lines before the body and one line break after it.
fn ours(text: &str) -> (String, String) {
    let source = Source::new("ours", text.as_bytes().to_vec());
    let (document, _) = parse(&source, Format::Markdown);
    let part = |span| source.slice(span).replace("\r\n", "\n");
    let yaml = document.front_matter.map(|front| part(front.yaml)).unwrap_or_default();
    let body = document.body.map(part).unwrap_or_default();
    let body = body.strip_suffix('\n').unwrap_or(&body);
    (yaml.trim().to_owned(), body.trim_start_matches('\n').to_owned())
}

fn theirs(text: &str) -> (String, String) {
    let parsed: ParsedEntity = Matter::<YAML>::new().parse(text).unwrap();
    (parsed.matter, parsed.content)
}

/// Files that exactly one of the two readers refuses, and why. Paths from `tests/projects`.
const ONE_REFUSES: &[(&str, &str)] =
    &[("oracle/agents/beyond-64-bits.yaml", "an integer of more than 64 bits is a float to us")];

#[test]
fn every_project_file_means_what_serde_yaml_reads() {
    let mut compared = 0;
    let mut unused: Vec<_> = ONE_REFUSES.iter().map(|(name, _)| *name).collect();
    for path in project_files() {
        let name = path.strip_prefix(projects()).unwrap().to_string_lossy().replace('\\', "/");
        let Some((ours, yaml)) = read_ours(&path) else { continue };
        let theirs = read_theirs(&yaml);
        let listed = unused.contains(&name.as_str());
        unused.retain(|listed| *listed != name);
        match (ours, theirs) {
            (Err(_), Err(_)) => assert!(!listed, "{name}: both refuse it"),
            (Ok(ours), Ok(theirs)) => {
                assert!(!listed, "{name}: both read it");
                assert!(agree(&ours, &theirs), "{name}\n  ours: {ours}\ntheirs: {theirs:?}");
                compared += 1;
            }
            (Err(problem), Ok(_)) => assert!(listed, "{name}: only we refuse it: {problem:?}"),
            (Ok(_), Err(error)) => assert!(listed, "{name}: only serde_yaml refuses it: {error}"),
        }
    }
    assert!(compared > 0, "no file was compared");
    assert!(unused.is_empty(), "listed but not there: {unused:?}");
}

fn projects() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects")
}

fn project_files() -> impl Iterator<Item = PathBuf> {
    let entries = walkdir::WalkDir::new(projects()).sort_by_file_name().into_iter();
    entries
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| entry.into_path())
}

/// Our value, or why we refuse it, and the text it was read from; `None` if there is no YAML.
fn read_ours(path: &Path) -> Option<(Result<Json, Problem>, String)> {
    let format =
        Format::of_path(path).filter(|format| matches!(format, Format::Markdown | Format::Yaml))?;
    let source = Source::new("ours", std::fs::read(path).unwrap());
    let (document, problems) = parse(&source, format);
    let yaml = match (format, &document.front_matter) {
        (Format::Markdown, front) => source.slice(front.as_ref()?.yaml),
        _ => source.text().trim_start_matches('\u{feff}'),
    };
    let refused = problems
        .into_iter()
        .find(|problem| problem.kind.is_malformed() && !is_about_fences(problem));
    Some((refused.map_or(Ok(document.root.to_json()), Err), yaml.to_owned()))
}

/// `serde_yaml` never sees the fences.
fn is_about_fences(problem: &Problem) -> bool {
    matches!(
        problem.kind,
        ProblemKind::WrongOpeningFence { .. }
            | ProblemKind::WrongClosingFence { .. }
            | ProblemKind::Unterminated
    )
}

/// The first document, which is the one we read, with its merge keys applied: `serde_yaml` leaves
/// that to the caller.
fn read_theirs(yaml: &str) -> Result<serde_yaml::Value, serde_yaml::Error> {
    let Some(first) = serde_yaml::Deserializer::from_str(yaml).next() else {
        return Ok(serde_yaml::Value::Null);
    };
    let mut value = serde_yaml::Value::deserialize(first)?;
    value.apply_merge()?;
    Ok(value)
}

/// Whether both read the same value. What may differ is listed case by case.
fn agree(ours: &Json, theirs: &serde_yaml::Value) -> bool {
    use serde_yaml::Value as Yaml;
    match (ours, theirs) {
        // We keep a tag's place and read the value as if it were not there.
        (_, Yaml::Tagged(tagged)) => agree(ours, &tagged.value),
        (Json::Null, Yaml::Null) => true,
        // JSON has no infinity and no NaN.
        (Json::Null, Yaml::Number(number)) => !number.as_f64().is_some_and(f64::is_finite),
        (Json::Bool(ours), Yaml::Bool(theirs)) => ours == theirs,
        // `!!float 1` is an integer to us, and what exceeds 64 bits a float: compared as floats.
        (Json::Number(ours), Yaml::Number(theirs)) => ours.as_f64() == theirs.as_f64(),
        // `0777` is decimal by the core schema, and text to `serde_yaml`, which fears for octal.
        (Json::Number(ours), Yaml::String(theirs)) => {
            let digits = theirs.trim_start_matches(['+', '-']);
            digits.starts_with('0') && theirs.parse().ok() == ours.as_f64()
        }
        (Json::String(ours), Yaml::String(theirs)) => ours == theirs,
        (Json::Array(ours), Yaml::Sequence(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().zip(theirs).all(|(ours, theirs)| agree(ours, theirs))
        }
        (Json::Object(ours), Yaml::Mapping(theirs)) => {
            let found = |(key, theirs): (&Yaml, &Yaml)| {
                ours.get(&spelling(key)).is_some_and(|ours| agree(ours, theirs))
            };
            ours.len() == theirs.len() && theirs.iter().all(found)
        }
        _ => false,
    }
}

/// Our keys are text: a number or a word like `true` is the key that it spells.
fn spelling(key: &serde_yaml::Value) -> String {
    key.as_str()
        .map_or_else(|| serde_yaml::to_string(key).unwrap().trim_end().to_owned(), str::to_owned)
}
