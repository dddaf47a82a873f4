//! Random text never breaks what a tree promises.
//!
//! The promises themselves, and what is exempt from them, are in `document_invariants`.

use agentctl::document::Format;
use proptest::{collection::vec, prelude::*, sample::select};

use crate::document_invariants::check;

const FORMATS: [Format; 4] = [Format::Markdown, Format::Yaml, Format::Toml, Format::Json];

/// What YAML gives a meaning, and what people write next to it, each ended by `¦`.
const YAML: &str = concat!(
    "a¦key¦ä¦日本¦12¦0x1F¦-.5e3¦true¦null¦~¦.nan¦x y¦: ¦:¦:\n¦\n¦\n\n¦\r\n¦\n  ¦\n    ¦",
    "\n- ¦\n  - ¦- ¦-¦? ¦\n? ¦\n: ¦ ¦  ¦\t¦'¦\"¦'it''s'¦\"q\\n\"¦\"\\¦''¦*¦*a¦*a ¦&a¦",
    "&a ¦&b\n¦!!str¦!!str ¦!t ¦!¦|¦|\n  ¦|-\n ¦|2+\n   x\n\n¦|+\n  x\n\n¦>¦>-\n  ¦",
    ">\n  x\n\n  y\n¦[¦]¦{¦}¦,¦, ¦[]¦{}¦[a, b]¦{a: 1}¦#¦ # c¦# c\n¦\n#¦---¦\n---\n¦",
    "\n...\n¦<<: *a¦<<: *a\n¦a: b¦\na: b¦\n  b: c¦a: b: c¦@¦`¦%¦%YAML 1.2\n¦\u{feff}¦",
    "\0¦\u{85}¦\u{2028}¦\r¦&a {a: 1}¦&a [x, *a]¦&a\n  k: v\n",
);

const TOML: &str = concat!(
    "a¦key¦ä¦\"k\"¦'k'¦.¦ = ¦=¦\n¦\r\n¦[¦]¦[a]\n¦[a.b]\n¦[[a]]\n¦[[a.c]]\n¦{¦}¦, ¦",
    "{a = 1}¦{a.b = 1, c = 2}¦[1, 2]¦[\n1,\n]¦12¦0x1F¦0o7¦1_000¦1.5¦1e3¦inf¦-nan¦true¦",
    "1979-05-27¦1979-05-27T07:32:00Z¦07:32:00¦\"s\"¦'s'¦\"\"\"¦'''¦",
    "\"\"\"\nx\\\n  y\"\"\"¦'''\nx\n'''¦\"\\u00e4\"¦\"\\q\"¦# c\n¦ ¦\t¦\u{feff}¦\0¦",
    "a = 1\n¦a.b = 1\n¦b = \"x\"\n¦99999999999999999999",
);

const JSON: &str = concat!(
    "{¦}¦[¦]¦:¦,¦\"¦\"a\"¦\"ä\"¦\"\\n\"¦\"\\ud83d\\ude00\"¦\"\\ud83d\"¦\\¦1¦-0¦1.5e3¦",
    "1e999¦99999999999999999999¦true¦null¦nope¦ ¦\n¦\r\n¦\t¦// c\n¦/* c */¦/*¦//¦",
    "\"a\": 1¦\"a\": 1,¦{\"a\": [1, 2]}¦\u{feff}¦\0¦ä¦NaN",
);

/// Lines that may be taken for fences.
const FENCES: &str = concat!(
    "---\n¦---\r\n¦--- \n¦---¦----\n¦...\n¦ ---\n¦--- x\n¦\u{feff}¦\n¦\r\n¦ ¦\t¦",
    "a: 1\n¦a: 1\r\n¦b: x: y\n¦# c\n¦# Title\n¦text\n¦ä\n¦k: |\n  x\n¦k: ---\n",
);

/// Up to `most` of `tokens`, written one after the other.
fn text_of(tokens: &'static str, most: usize) -> impl Strategy<Value = String> {
    let tokens: Vec<&str> = tokens.split('¦').collect();
    vec(select(tokens), 0..most).prop_map(|tokens| tokens.concat())
}

/// Block YAML with keys, so that most of it means something.
fn yaml_lines() -> impl Strategy<Value = String> {
    let start = select(
        &["a: ", "b: ", "- ", "  c: ", "  - ", "? ", "    d: ", "", "- - ", "- e: ", "<<: "][..],
    );
    let line = (start, text_of(YAML, 4)).prop_map(|(start, rest)| format!("{start}{rest}\n"));
    vec(line, 0..8).prop_map(|lines| lines.concat())
}

fn toml_lines() -> impl Strategy<Value = String> {
    let start =
        select(&["a = ", "b = ", "\"k\" = ", "a.b = ", "[", "[[", "", "c = [", "d = {"][..]);
    let line = (start, text_of(TOML, 3)).prop_map(|(start, rest)| format!("{start}{rest}\n"));
    vec(line, 0..8).prop_map(|lines| lines.concat())
}

fn markdown() -> impl Strategy<Value = String> {
    (text_of(FENCES, 4), yaml_lines(), text_of(FENCES, 4))
        .prop_map(|(open, yaml, close)| open + &yaml + &close)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(4_000))]

    #[test]
    fn any_bytes_keep_the_promises(bytes in vec(any::<u8>(), 0..64)) {
        for format in FORMATS {
            check(&bytes, format);
        }
    }

    #[test]
    fn tokens_of_every_format_keep_the_promises(
        text in prop_oneof![text_of(YAML, 12), text_of(TOML, 12), text_of(JSON, 12), text_of(FENCES, 12)]
    ) {
        for format in FORMATS {
            check(text.as_bytes(), format);
        }
    }

    #[test]
    fn yaml_keeps_the_promises(text in prop_oneof![text_of(YAML, 16), yaml_lines()]) {
        check(text.as_bytes(), Format::Yaml);
        check(format!("---\n{text}\n---\nbody").as_bytes(), Format::Markdown);
    }

    #[test]
    fn toml_keeps_the_promises(text in prop_oneof![text_of(TOML, 16), toml_lines()]) {
        check(text.as_bytes(), Format::Toml);
    }

    #[test]
    fn json_keeps_the_promises(text in text_of(JSON, 16)) {
        check(text.as_bytes(), Format::Json);
        check(format!("{{\"k\": [{text}]}}").as_bytes(), Format::Json);
    }

    #[test]
    fn front_matter_keeps_the_promises(text in markdown()) {
        check(text.as_bytes(), Format::Markdown);
    }
}
