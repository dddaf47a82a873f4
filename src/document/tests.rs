//! What the tree promises, on texts chosen to break it.

use std::fmt::Write as _;

use super::*;

fn read(format: Format, text: &str) -> (Document, Vec<Problem>) {
    parse(&Source::new("x", text.as_bytes().to_vec()), format)
}

/// Every key and value with its place and its text, one a line, then the problems.
fn outline(format: Format, text: &str) -> String {
    let (document, problems) = read(format, text);
    let mut out = String::new();
    walk(&mut out, text, "", &document.root);
    for comment in document.comments {
        writeln!(out, "comment {:?}", &text[comment.range()]).unwrap();
    }
    for Problem { kind, span } in problems {
        writeln!(out, "! {:?}: {kind}", &text[span.range()]).unwrap();
    }
    out
}

fn walk(out: &mut String, text: &str, path: &str, node: &Node) {
    let Span { start, end } = node.span;
    let written = &text[node.span.range()];
    match &node.value {
        Value::Map(map) => {
            writeln!(out, "{path} {start}..{end} map").unwrap();
            for Entry { key, value } in &map.entries {
                let written = &text[key.span.range()];
                assert!(written.contains('\\') || written.contains(&key.value), "{key:?}");
                walk(out, text, &format!("{path}.{key}"), value);
            }
        }
        Value::List(items) => {
            writeln!(out, "{path} {start}..{end} list").unwrap();
            for (index, item) in items.iter().enumerate() {
                walk(out, text, &format!("{path}[{index}]"), item);
            }
        }
        value => writeln!(out, "{path} {start}..{end} {written:?} = {value:?}").unwrap(),
    }
}

#[test]
fn every_way_of_writing_yaml_keeps_exact_places() {
    let text = "\u{feff}---\r\nname: äö # note\r\nlist:\r\n  - a\r\n  - {b: 'c''d', e: [1, .5]}\r\nlit: |-\r\n  one\r\n\r\n  two\r\n\r\nbase: &b {x: 1}\r\ncopy: *b\r\ntag: !!str 3\r\nempty:\r\ntab:\t\"q\\n\"\r\n---\r\nbody";
    assert_snapshot!("document-yaml-places", outline(Format::Markdown, text));
}

#[test]
fn an_unquoted_colon_is_read_as_if_quoted() {
    let text = "---\ndescription: Use when: you need a: b\n  and c: d\n\n  more\nmodel: x\ntools: *\nhint: [a] [b]\nat: @you\nq: 'it's'\nitems:\n  - k: v: w\n  - *.rs\n---\n";
    assert_snapshot!("document-yaml-needs-quotes", outline(Format::Markdown, text));
}

#[test]
fn the_rest_is_read_after_lines_that_mean_nothing() {
    let text = "description: foo\n<example>\nContext: x\n</example>\nmodel: y\n\tz: 1\nlast: 2\n";
    assert_snapshot!("document-yaml-left-out", outline(Format::Yaml, text));
}

#[test]
fn json_keeps_exact_places_and_what_came_before_an_error() {
    assert_snapshot!(
        "document-json",
        outline(
            Format::Json,
            "{\n\t\"a\": [1, 2.5, null,], // c\n\t\"ä\": {\"b\\n\": \"\\u00e4\"},\n\t\"a\": true,\n\t\"x\": nope, \"y\": 1}"
        )
    );
}

#[test]
fn toml_keeps_exact_places_and_goes_on_after_an_error() {
    assert_snapshot!(
        "document-toml",
        outline(
            Format::Toml,
            "name = \"ä\"\ntext = '''\nx\n'''\nbad = = 1\nname = 2\nlist = [1, 2.5]\n[agents.r]\ninline = {a = 1}\n[[hooks]]\nx = 1979-05-27\n"
        )
    );
}

#[test]
fn hostile_input_is_a_clear_problem() {
    let kinds = |format, text: &str| -> Vec<ProblemKind> {
        read(format, text).1.into_iter().map(|problem| problem.kind).collect()
    };
    for format in [Format::Yaml, Format::Json] {
        assert_eq!(kinds(format, &"[".repeat(10_000)), [ProblemKind::TooDeep]);
    }
    let nested: String =
        (0..10_000).map(|depth| format!("{}a:\n", " ".repeat(depth.min(400)))).collect();
    assert_eq!(kinds(Format::Yaml, &nested), [ProblemKind::TooDeep]);
    assert!(!kinds(Format::Toml, &format!("a = {}", "[".repeat(10_000))).is_empty());

    let keys: String = (0..50_000).map(|key| format!("k{key}: 1\n")).collect();
    assert_eq!(kinds(Format::Yaml, &keys), [ProblemKind::TooManyNodes]);
    let keys: String = (0..50_000).map(|key| format!("k{key} = 1\n")).collect();
    assert_eq!(kinds(Format::Toml, &keys), [ProblemKind::TooManyNodes]);

    let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (from, to) in "abcdefghijklm".chars().zip("bcdefghijklmn".chars()) {
        let aliases = vec![format!("*{from}"); 9].join(", ");
        writeln!(bomb, "{to}: &{to} [{aliases}]").unwrap();
    }
    let (document, problems) = read(Format::Yaml, &bomb);
    assert!(problems.iter().any(|problem| problem.kind == ProblemKind::AliasBomb));
    assert!(document.root.count() <= 2 * MAX_NODES);

    assert_eq!(kinds(Format::Yaml, "a: x\0y\nb: 1\n"), [ProblemKind::NulByte]);
    let bytes = b"---\nname: a\xff\n---\n".to_vec();
    let (document, problems) = parse(&Source::new("x", bytes), Format::Markdown);
    assert_eq!(problems[0].kind, ProblemKind::InvalidUtf8);
    assert_eq!(document.root.as_map().unwrap().get("name").unwrap().as_text(), Some("a?"));
}

#[test]
fn the_second_of_two_equal_keys_is_reported() {
    for (format, text) in [
        (Format::Yaml, "a: 1\nb: 2\na: 3\n"),
        (Format::Json, "{\"a\": 1, \"b\": 2, \"a\": 3}"),
        (Format::Toml, "a = 1\nb = 2\na = 3\n"),
    ] {
        let (_, problems) = read(format, text);
        let [Problem { kind: ProblemKind::DuplicateKey { key, first }, span }] = &problems[..]
        else {
            panic!("{format:?}: {problems:?}")
        };
        assert_eq!(key, "a");
        assert!(first.start < 3 && span.start > 9, "{format:?}: {span:?}");
    }
}
