//! The tool calls of each turn.

use std::iter::once;

use serde_json::{Value, json};

use super::{
    line::DEFINERS,
    question::{Phrase, Question, Term},
};

/// More calls are not made in a turn.
pub(super) const MAX_CALLS: usize = 12;
/// Most lines or files asked of one search.
const MAX_RESULTS: usize = 500;
/// Most lines asked of one file.
const MAX_LINES: usize = 200;
/// Shorter stems are only looked for as whole words.
const MIN_PREFIX: usize = 4;
/// Lines read before a place, for the comment that belongs to it.
const LINES_BEFORE: usize = 6;
/// Lines read around a place.
const LINES_READ: usize = 24;

/// The tool that looks into files.
pub(super) const GREP: &str = "grep_files";
/// The tool that looks for names.
pub(super) const GLOB: &str = "glob_files";
/// The tool that reads.
pub(super) const READ: &str = "read_file";
/// The tool that lists a folder.
pub(super) const LIST: &str = "list_dir";

/// What marks the tests inside of a source file; what follows is about them.
pub(super) const TEST_MARKER: &str = "#[cfg(test)]";

/// A call to make.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub tool: &'static str,
    pub arguments: Value,
}

/// Where things could be: how often each word occurs in which file, and the lines that tell most.
pub(super) fn wide(question: &Question) -> Vec<Call> {
    let mut calls = Vec::new();
    calls.extend(question.paths.iter().take(2).map(|path| named(path)));
    if !question.phrases.is_empty() {
        calls.push(lines(&any(question.phrases.iter().map(phrase))));
    }
    let telling = telling(question);
    if !telling.is_empty() {
        calls.push(lines(&definitions(&telling)));
        let names = telling.iter().map(|term| either_case(&term.stem));
        let pattern = format!("**/*{{{}}}*", names.collect::<Vec<_>>().join(","));
        calls.push(Call { tool: GLOB, arguments: json!({ "pattern": pattern }) });
    }
    calls.extend(question.terms.iter().map(|term| count(&count_pattern(term))));
    if let [first, second, ..] = question.terms.as_slice() {
        calls.push(lines(&together(first, second)));
    }
    calls.extend(question.terms.iter().filter_map(synonym_pattern).map(|pattern| count(&pattern)));
    calls.truncate(MAX_CALLS);
    calls
}

/// Every line of `paths` that has one of the words.
pub(super) fn close(question: &Question, paths: &[&str]) -> Vec<Call> {
    let stems = question.terms.iter().flat_map(|term| once(&term.stem).chain(&term.synonyms));
    // What only looks like one of the words is sorted out later; simple patterns are fast.
    let simple = |stem: &String| {
        if stem.chars().count() >= MIN_PREFIX { escaped(stem) } else { word(stem) }
    };
    let mut patterns: Vec<String> = stems.map(simple).collect();
    patterns.extend(question.phrases.iter().map(phrase));
    patterns.push(escaped(TEST_MARKER));
    let pattern = any(patterns);
    let call = |path: &&str| Call {
        tool: GREP,
        arguments: json!({
            "pattern": pattern, "path": path, "ignore_case": true, "max_results": MAX_LINES,
        }),
    };
    paths.iter().map(call).take(MAX_CALLS).collect()
}

/// The lines around places.
pub(super) fn windows(places: &[(&str, usize)]) -> Vec<Call> {
    let call = |(path, line): &(&str, usize)| {
        let offset = line.saturating_sub(LINES_BEFORE).max(1);
        let arguments = json!({ "path": path, "offset": offset, "limit": LINES_READ });
        Call { tool: READ, arguments }
    };
    places.iter().map(call).take(MAX_CALLS).collect()
}

/// What there is at all.
pub(super) fn overview(can_list: bool) -> Call {
    if can_list {
        Call { tool: LIST, arguments: json!({}) }
    } else {
        Call { tool: GLOB, arguments: json!({ "pattern": "*" }) }
    }
}

/// The pattern with which files are counted that have `term`.
pub(super) fn count_pattern(term: &Term) -> String {
    word(&term.stem)
}

/// The pattern with which files are counted that have a synonym of `term`.
pub(super) fn synonym_pattern(term: &Term) -> Option<String> {
    (!term.synonyms.is_empty()).then(|| any(term.synonyms.iter().map(|stem| word(stem))))
}

fn count(pattern: &str) -> Call {
    let arguments = json!({
        "pattern": pattern, "ignore_case": true, "files_only": true, "max_results": MAX_RESULTS,
    });
    Call { tool: GREP, arguments }
}

fn lines(pattern: &str) -> Call {
    let arguments = json!({ "pattern": pattern, "ignore_case": true, "max_results": MAX_RESULTS });
    Call { tool: GREP, arguments }
}

fn named(path: &str) -> Call {
    let path = path.trim_matches('/').trim_start_matches("./");
    let last = path.rsplit('/').next().unwrap_or(path);
    let below = if last.contains('.') { "" } else { "/**" };
    Call { tool: GLOB, arguments: json!({ "pattern": format!("**/{path}{below}") }) }
}

/// The words that tell something; the others only if there are no such words.
fn telling(question: &Question) -> Vec<&Term> {
    let strong: Vec<&Term> = question.terms.iter().filter(|term| term.weight >= 1.0).collect();
    if strong.is_empty() { question.terms.iter().collect() } else { strong }
}

/// A word and its forms, also inside of identifiers, but not in the middle of other words.
///
/// Boundaries are those of ASCII: with Unicode's, automata give up at the first foreign letter.
fn word(stem: &str) -> String {
    let (plain, hump) = (escaped(stem), escaped(&capitalised(stem)));
    let start = if stem.starts_with(|c: char| c.is_ascii()) { r"(?:(?-u:\b)|_)" } else { "" };
    if stem.chars().count() >= MIN_PREFIX {
        format!("{start}{plain}|(?-i:{hump})")
    } else {
        let last = escaped(&stem.chars().next_back().map(String::from).unwrap_or_default());
        let end = format!("{last}?{SHORT_ENDINGS}(?:(?-u:\\b)|_|(?-i:[A-Z]))");
        format!("{start}{plain}{end}|(?-i:{hump}){end}")
    }
}

/// What a short stem may end with.
const SHORT_ENDINGS: &str = "(?:e?s|e[dr]?s?|ing|y|ie[ds])?";

/// Words side by side, however they are joined.
fn phrase(phrase: &Phrase) -> String {
    let stems: Vec<String> = phrase.stems.iter().map(|stem| escaped(stem)).collect();
    stems.join("[a-z]{0,6}(?:[ _./-]|::)?")
}

/// Lines that define something whose name has one of the words.
fn definitions(terms: &[&Term]) -> String {
    let stems = terms.iter().flat_map(|term| once(&term.stem).chain(&term.synonyms));
    let stems = any(stems.map(|stem| escaped(stem)));
    let definers = any(DEFINERS.split(' ').map(str::to_owned));
    let name = format!("[a-z0-9_]*{stems}");
    format!(r"(?-u:\b){definers}!? +(?:\([^)]*\) *)?{name}|#define +{name}")
}

/// Lines that have both words.
fn together(first: &Term, second: &Term) -> String {
    let either = |term: &Term| any(once(&term.stem).chain(&term.synonyms).map(|stem| word(stem)));
    let (first, second) = (either(first), either(second));
    format!("{first}.*{second}|{second}.*{first}")
}

fn any(patterns: impl IntoIterator<Item = String>) -> String {
    format!("(?:{})", patterns.into_iter().collect::<Vec<_>>().join("|"))
}

fn capitalised(stem: &str) -> String {
    let mut chars = stem.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// `stem` as a glob that does not mind how its first letter is written.
fn either_case(stem: &str) -> String {
    let Some(first) = stem.chars().next() else { return String::new() };
    let rest = &stem[first.len_utf8()..];
    format!("[{first}{}]{rest}", first.to_uppercase())
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_alphanumeric() && !c.is_whitespace() && c != '_' {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use grep_matcher::Matcher as _;
    use grep_regex::RegexMatcherBuilder;

    use super::*;

    fn finds(pattern: &str, text: &str) -> bool {
        let regex = RegexMatcherBuilder::new().case_insensitive(true).build(pattern).unwrap();
        regex.is_match(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_phrase_is_found_however_it_is_joined() {
        let question = Question::of("where is the blue whale?");
        let pattern = phrase(&question.phrases[0]);
        for text in [
            "blue_whale",
            "BlueWhale",
            "blueWhale",
            "blue-whale",
            "BLUE_WHALE",
            "Blues whaled",
            "blue::whale",
        ] {
            assert!(finds(&pattern, text), "{text}");
        }
        assert!(!finds(&pattern, "a blue and a whale"));
    }

    #[test]
    fn a_word_is_found_in_identifiers_but_not_inside_of_other_words() {
        for text in ["table", "EXIT_TABLE", "exitTable", "tables"] {
            assert!(finds(&word("tabl"), text), "{text}");
        }
        assert!(!finds(&word("tabl"), "stable"));
        assert!(finds(&word("id"), "agentIdOf") && finds(&word("id"), "agent_ids"));
        assert!(finds(&word("den"), "denied") && finds(&word("den"), "x_deny"));
        assert!(finds(&word("run"), "running") && finds(&word("run"), "isRunning"));
        assert!(!finds(&word("id"), "idle") && !finds(&word("id"), "provided"));
    }

    #[test]
    fn definitions_are_asked_for_by_name() {
        let question = Question::of("filters");
        let pattern = definitions(&telling(&question));
        assert!(finds(&pattern, "pub fn blue_filter()"));
        assert!(finds(&pattern, "func (s *S) Filter() {"));
        assert!(finds(&pattern, "#define FILTER 1"));
        assert!(!finds(&pattern, "x.filter()"));
    }

    #[test]
    fn no_turn_has_too_many_calls() {
        let prompt = "where are `a_b`, src/x.rs, src/y.rs and shadow filter redact delete config \
                      parse encode spawn cancel timeout";
        let question = Question::of(prompt);
        assert!(wide(&question).len() <= MAX_CALLS);
        let paths: Vec<&str> = std::iter::repeat_n("p", 40).collect();
        assert!(close(&question, &paths).len() <= MAX_CALLS);
        for call in wide(&question).iter().chain(&close(&question, &paths)) {
            if let Some(pattern) = call.arguments["pattern"].as_str().filter(|_| call.tool == GREP)
            {
                finds(pattern, "");
            }
        }
    }
}
