//! Where prose tells its reader to use a tool. Rather misses one than makes one up.

use crate::lint::{
    landmarks::{Landmarks, searcher},
    prose::Line,
};

/// A tool that the reader is told to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mention<'t> {
    /// Its name, as written.
    pub name: &'t str,
    /// Where that stands in the text.
    pub at: usize,
    /// Whether it is written as code.
    pub code: bool,
    /// Whether it is called a tool.
    pub called_tool: bool,
}

impl Mention<'_> {
    /// Whether the name can hardly be anything but a tool, as it is written.
    pub fn is_plain(&self) -> bool {
        let upper = self.name.chars().filter(char::is_ascii_uppercase).count();
        let compound = self.name.contains('_') || (upper >= 2 && upper < self.name.len());
        let proper = self.name.starts_with(|c: char| c.is_ascii_uppercase());
        if self.called_tool { self.code || compound || proper } else { self.code && compound }
    }
}

const VERBS: &[&str] = &["use", "using", "call", "calling", "invoke", "invoking"];

/// The verbs as they stand in a text.
static VERBS_WRITTEN: Landmarks = Landmarks::new(|| {
    let upper = |verb: &str| verb[..1].to_uppercase() + &verb[1..];
    searcher(VERBS.iter().flat_map(|verb| [(*verb).to_owned(), upper(verb), verb.to_uppercase()]))
});

/// Whether a line of `text` may hold a mention: a verb, and then something called a tool or written
/// as code. Most texts are done here.
pub(super) fn may_mention(text: &str) -> bool {
    VERBS_WRITTEN.positions(text).any(|at| {
        let line = text[at..].split('\n').next().unwrap_or_default();
        line.contains('`') || line.contains("tool")
    })
}

/// Words before a bare verb that leave it an instruction.
const LEADING: &[&str] = &[
    "always", "also", "and", "can", "first", "must", "next", "please", "should", "then", "to",
    "will", "you",
];

/// Words that make a sentence something else than an instruction to its reader.
const OTHERWISE: &[&str] = &[
    "access",
    "agents",
    "allowed",
    "available",
    "avoid",
    "aren't",
    "can't",
    "cannot",
    "caller",
    "claude",
    "didn't",
    "doesn't",
    "don't",
    "don'ts",
    "disallowed",
    "forbidden",
    "i",
    "i'll",
    "i'm",
    "instead",
    "isn't",
    "let",
    "me",
    "mustn't",
    "neither",
    "never",
    "no",
    "nor",
    "not",
    "orchestrator",
    "parent",
    "permission",
    "prohibited",
    "rather",
    "refuse",
    "shouldn't",
    "subagent",
    "subagents",
    "they",
    "unable",
    "unavailable",
    "unless",
    "user",
    "users",
    "which",
    "without",
    "won't",
    "anti-pattern",
    "anti-patterns",
    "limitations",
    "skill",
    "skills",
    "wrong",
    "bad",
    "assistant",
];

/// Subjects that are somebody else, before the verb.
const SOMEBODY_ELSE: &[&str] = &["agent", "command", "hook", "it", "that", "who", "that's"];

/// The tools that `line` tells its reader to use.
pub(super) fn mentions<'t>(line: &Line<'t>) -> Vec<Mention<'t>> {
    let mut found = Vec::new();
    // Most lines are done here.
    if !line.text.contains("tool") && !line.text.contains('`') {
        return found;
    }
    let mut previous: Option<&str> = None;
    for (at, word) in words(line.text) {
        let before = previous.replace(word);
        let verb = VERBS.iter().find(|verb| verb.eq_ignore_ascii_case(word));
        let Some(verb) = verb.filter(|_| !in_code(line.text, at)) else { continue };
        if is_instruction(line, at, verb, before) {
            tools_after(line, at + word.len(), &mut found);
        }
    }
    found
}

/// Words with their places; apostrophes and hyphens are part of them.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '_');
    text.split(move |c| !is_part(c)).filter(|word| !word.trim_matches('-').is_empty()).map(
        move |word| {
            let at = word.as_ptr() as usize - text.as_ptr() as usize;
            (at, word)
        },
    )
}

fn in_code(text: &str, at: usize) -> bool {
    text[..at].matches('`').count() % 2 == 1
}

fn is_instruction(line: &Line<'_>, at: usize, verb: &str, previous: Option<&str>) -> bool {
    let (start, end) = sentence(line.text, at);
    let first_in_sentence = line.text[start..at].chars().all(|c| !c.is_alphanumeric());
    // A sentence may have begun on the line before.
    let carried = if start == 0 { last_sentence(line.before) } else { "" };
    let whole = &line.text[start..end];
    let otherwise = |text: &str| words(text).any(|(_, word)| is_one_of(word, OTHERWISE));
    if [whole, carried, line.lead, line.heading].iter().any(|text| otherwise(text)) {
        return false;
    }
    let subject = |text: &str| words(text).any(|(_, word)| is_one_of(word, SOMEBODY_ELSE));
    if subject(&line.text[start..at]) || subject(carried) || whole.contains(['"', '“']) {
        return false;
    }
    if verb.ends_with("ing") {
        return true;
    }
    let starts = first_in_sentence && carried.is_empty();
    starts || previous.is_some_and(|word| is_one_of(word, LEADING))
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    let word = word.replace('’', "'");
    list.iter().any(|other| other.eq_ignore_ascii_case(&word))
}

/// The sentence of `text` around `at`.
fn sentence(text: &str, at: usize) -> (usize, usize) {
    let ends = |from: usize| {
        text[from..].char_indices().find_map(move |(offset, c)| {
            let next = text[from + offset + c.len_utf8()..].chars().next();
            let stops = matches!(c, '.' | '!' | '?' | ';')
                && next.is_none_or(|next| next.is_whitespace() || next == '*');
            stops.then_some(from + offset + c.len_utf8())
        })
    };
    let mut start = 0;
    while let Some(end) = ends(start) {
        if end > at {
            return (start, end);
        }
        start = end;
    }
    (start, text.len())
}

/// What of a line before belongs to the sentence that goes on.
fn last_sentence(line: &str) -> &str {
    let line = line.trim_end();
    if line.ends_with(['.', '!', '?', ':', ';']) {
        return "";
    }
    line.rsplit(". ").next().unwrap_or(line)
}

/// Reads `the Read, Grep and Bash tools` or `` `grep_search` `` after a verb.
fn tools_after<'t>(line: &Line<'t>, from: usize, found: &mut Vec<Mention<'t>>) {
    const MOST: usize = 8;
    let text = line.text;
    let mut at = skip(text, from, &["the ", "your ", "both ", "either "]);
    let first = found.len();
    let mut alternatives = false;
    for _ in 0..MOST {
        let Some((name, name_at, code, end)) = name_at(text, at) else { break };
        found.push(Mention { name, at: line.at + name_at, code, called_tool: false });
        let rest = &text[end..];
        let separators = [", and the ", ", and ", " and the ", " and ", ", or ", " or ", "/", ", "];
        let Some(separator) = separators.iter().find(|one| rest.starts_with(**one)) else {
            at = end;
            break;
        };
        alternatives |= separator.contains("or ") || *separator == "/";
        at = end + separator.len();
    }
    let called = words(&text[at..]).next().is_some_and(|(offset, word)| {
        text[at..at + offset].chars().all(|c| matches!(c, ' ' | '*' | '`'))
            && matches!(word, "tool" | "tools")
    });
    // Of alternatives one is enough.
    if alternatives {
        found.truncate(first);
    }
    let single = found.len() == first + 1;
    found[first..].iter_mut().for_each(|mention| mention.called_tool = called);
    if !called && !single {
        found.truncate(first);
    }
}

/// Past blanks and any of `words`.
fn skip(text: &str, mut at: usize, words: &[&str]) -> usize {
    loop {
        at += text[at..].len() - text[at..].trim_start_matches(' ').len();
        match words.iter().find(|word| text[at..].starts_with(**word)) {
            Some(word) => at += word.len(),
            None => return at,
        }
    }
}

/// A name, perhaps in backticks or bold: itself, its place, whether it is code, and where it ends.
fn name_at(text: &str, at: usize) -> Option<(&str, usize, bool, usize)> {
    let marks = text[at..].len() - text[at..].trim_start_matches(['*', '`']).len();
    let start = at + marks;
    let code = text[at..start].contains('`');
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = text[start..].find(|c| !is_part(c)).unwrap_or(text[start..].len());
    let name = &text[start..start + length];
    let after = &text[start + length..];
    let closing = after.len() - after.trim_start_matches(['*', '`']).len();
    // `Bash(git:*)` and `npm test` are not names of tools.
    let closed = !code || after.starts_with(['`', '*']);
    let plausible = !name.is_empty() && closed && !matches!(name, "tool" | "tools");
    plausible.then_some((name, start, code, start + length + closing))
}
