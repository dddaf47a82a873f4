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

/// The text of the value at the end of `path`.
fn written<'a>(format: Format, text: &'a str, path: &[&str]) -> &'a str {
    let (document, _) = read(format, text);
    let mut node = &document.root;
    for key in path {
        node = match &node.value {
            Value::List(items) => &items[key.parse::<usize>().unwrap()],
            _ => node.as_map().unwrap().get(key).unwrap(),
        };
    }
    &text[node.span.range()]
}

#[test]
fn a_block_scalar_reaches_from_its_header_to_its_last_line() {
    for (text, place) in [
        ("|\n  \t\n", "|\n  \t\n"),
        ("a: |\n  x  \n     \n\nb: 1\n", "|\n  x  \n     \n"),
        ("a: |+\n  x\n\n  \nb: 1\n", "|+\n  x\n\n  \n"),
        ("a: |- # c\n  x\n\nb: 1\n", "|- # c\n  x"),
        ("a: | # c\nb: 1\n", "|"),
        ("a: |\n>\n", "|"),
        ("a: |+\n  ", "|+\n  "),
        ("a: # c | d\n  &x !!str >\n  x\u{85}\n", ">\n  x\u{85}\n"),
    ] {
        let path: &[&str] = if text.starts_with('a') { &["a"] } else { &[] };
        assert_eq!(written(Format::Yaml, text, path), place, "{text:?}");
    }
}

#[test]
fn a_block_scalar_leaves_the_indentation_of_what_follows_alone() {
    let text = "a:\n  b: |+\n\n  c: 1\n";
    assert_eq!(written(Format::Yaml, text, &["a", "b"]), "|+\n\n");
}

#[test]
fn a_mapping_with_a_merge_key_covers_its_own_lines() {
    let text = "a: &a {x: 1}\nb:\n  <<: *a\nc: 1\n";
    assert_eq!(written(Format::Yaml, text, &["b"]), "<<: *a");
    assert_eq!(written(Format::Yaml, text, &["b", "x"]), "1");
}

#[test]
fn a_pair_in_a_list_ends_with_its_value() {
    assert_eq!(written(Format::Yaml, "[a: ]", &["0"]), "a:");
    assert_eq!(written(Format::Yaml, "a: {'\n\t\n", &["a"]), "{");
}

#[test]
fn a_list_starts_with_its_first_dash() {
    for (text, place) in [
        ("k:\n- a\n- b\n", "- a\n- b"),
        ("k:\n  - a\n", "- a"),
        ("k:\n- - a\n", "- - a"),
        ("k: &x !!seq # c - d\n# e\n- # f\n a\n", "- # f\n a"),
        ("j:\n- x\n-\nk:\n-\n- b\n", "-\n- b"),
        ("j: |\n  x\nk:\n- a\n", "- a"),
    ] {
        assert_eq!(written(Format::Yaml, text, &["k"]), place, "{text:?}");
    }
}

#[test]
fn an_empty_toml_table_is_its_header() {
    let text = "x = 1\n[y]\n[z.w]\n";
    assert_eq!(written(Format::Toml, text, &["y"]), "[y]");
    assert_eq!(written(Format::Toml, text, &["z"]), "[z.w]");
}

#[test]
fn a_key_over_two_lines_is_folded() {
    let (document, _) = read(Format::Yaml, "? a\n  b\n: 1\n0x10: 2\n");
    let keys: Vec<_> =
        document.root.as_map().unwrap().entries.iter().map(|entry| &entry.key.value).collect();
    assert_eq!(keys, ["a b", "0x10"]);
}

#[test]
fn repaired_text_loses_nothing_to_later_repairs() {
    for (text, value) in [
        ("a: b: c\n|\n  d\n", "b: c\nd"),
        ("&k a: b: c\n\n  - d: *e\n", "b: c\n- d: *e"),
        ("a: x: ä\0y\n", "x: ä y"),
    ] {
        let (document, _) = read(Format::Yaml, text);
        assert_eq!(
            document.root.as_map().unwrap().get("a").unwrap().as_text(),
            Some(value),
            "{text:?}"
        );
    }
}

#[test]
fn errors_inside_painted_characters_do_no_harm() {
    read(Format::Yaml, "  c: []|2+\n   x\n\n\na: \u{85}\n");
    read(Format::Yaml, "    d: []|2+\n   x\n\n\n  c: \u{feff}\n");
}

#[test]
fn a_value_that_quotes_do_not_help_is_left_out_with_its_line() {
    let (document, problems) = read(Format::Yaml, "? a\n- - \n");
    assert!(document.root.as_map().unwrap().get("a").unwrap().is_null());
    assert!(
        matches!(&problems[..], [Problem { kind: ProblemKind::Syntax(_), .. }]),
        "{problems:?}"
    );
}

fn kinds(format: Format, text: &str) -> Vec<ProblemKind> {
    read(format, text).1.into_iter().map(|problem| problem.kind).collect()
}

#[test]
fn bytes_that_are_no_text_are_clear_problems() {
    assert_eq!(kinds(Format::Yaml, "a: x\0y\nb: 1\n"), [ProblemKind::NulByte]);
    let bytes = b"---\nname: a\xff\n---\n".to_vec();
    let (document, problems) = parse(&Source::new("x", bytes), Format::Markdown);
    assert_eq!(problems[0].kind, ProblemKind::InvalidUtf8);
    assert_eq!(document.root.as_map().unwrap().get("name").unwrap().as_text(), Some("a?"));
}

#[test]
fn any_number_of_comments_leaves_json_well_formed() {
    let comments = "// c\n".repeat(100);
    assert!(kinds(Format::Json, &format!("{comments}1")).iter().all(|kind| !kind.is_malformed()));
    assert!(kinds(Format::Json, &format!("{comments}x")).iter().any(ProblemKind::is_malformed));
}

#[test]
fn copies_nest_no_deeper_than_text_may() {
    let mut text = "a0: &a0 [x]\n".to_owned();
    for level in 1..500 {
        writeln!(text, "a{level}: &a{level} [*a{}]", level - 1).unwrap();
    }
    assert!(kinds(Format::Yaml, &text).contains(&ProblemKind::TooDeep));
    assert!(
        !kinds(Format::Yaml, "a: &a [x]\nb: &b [*a]\nc: [*b]\n").contains(&ProblemKind::TooDeep)
    );
}

#[test]
fn a_toml_file_of_endless_lines_is_not_read() {
    assert_eq!(kinds(Format::Toml, &"=\n".repeat(300_000)), [ProblemKind::TooManyNodes]);
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
