//! What the tools have said so far, read from the conversation. Lines that make no sense are
//! passed over: tools are allowed to fail, to be cut short and to add remarks.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::search::{GLOB, GREP, LIST, READ};
use crate::conversation::{FORK_BOUNDARY, Message, Part, ToolCall, ToolResult};

/// Lines of files, by path and number.
pub(super) type Lines<'a> = BTreeMap<&'a str, BTreeMap<usize, &'a str>>;

/// A task and what was done about it.
#[derive(Debug)]
pub(super) struct Task<'a> {
    /// What was asked.
    pub text: &'a str,
    /// How often tools were called.
    pub turns: usize,
    /// What they said.
    pub evidence: Evidence<'a>,
}

/// What the tools have said.
#[derive(Debug, Default)]
pub(super) struct Evidence<'a> {
    /// How many lines of a file match a pattern.
    pub counts: HashMap<String, Count<'a>>,
    /// Lines that were found.
    pub found: Lines<'a>,
    /// Lines that were read.
    pub read: BTreeMap<String, BTreeMap<usize, &'a str>>,
    /// Files whose every match is in `found`.
    pub examined: BTreeSet<String>,
    /// Files that were found by name.
    pub names: BTreeSet<&'a str>,
    /// What the top folder holds.
    pub listing: Vec<&'a str>,
    /// Calls that failed.
    pub failed: usize,
}

/// How many lines of which file match.
#[derive(Debug, Default)]
pub(super) struct Count<'a> {
    /// By path.
    pub files: BTreeMap<&'a str, usize>,
    /// Whether there are more files.
    pub capped: bool,
}

impl<'a> Task<'a> {
    /// The task that `messages` end with.
    pub(super) fn of(messages: &'a [Message], finish: &str) -> Self {
        let start = messages
            .iter()
            .rposition(|message| matches!(message, Message::User { text } if text == FORK_BOUNDARY))
            .map_or(0, |at| at + 1);
        let mut task = Self { text: "", turns: 0, evidence: Evidence::default() };
        let mut calls: &[Part] = &[];
        let mut finished = true;
        for message in &messages[start..] {
            match message {
                // Whatever else is said while the task is worked on does not change it.
                Message::User { text } if finished => {
                    task = Self { text, turns: 0, evidence: Evidence::default() };
                    finished = false;
                }
                Message::User { .. } => {}
                Message::Assistant { parts, .. } => {
                    calls = parts;
                    finished = ends(parts, finish);
                    task.turns += usize::from(!finished);
                }
                Message::Results { results } => {
                    let failed = |result: &ToolResult| result.name == finish && result.is_error;
                    finished &= !results.iter().any(failed);
                    for result in results {
                        task.evidence.take(&called(calls, result), result);
                    }
                }
            }
        }
        task
    }
}

/// Whether nothing follows from what was said: it hands in the result, or calls nothing.
fn ends(parts: &[Part], finish: &str) -> bool {
    let mut calls = parts.iter().filter_map(as_call).peekable();
    calls.peek().is_none() || calls.any(|call| call.name == finish)
}

fn as_call(part: &Part) -> Option<&ToolCall> {
    match part {
        Part::Call(call) => Some(call),
        _ => None,
    }
}

/// The arguments of the call that `result` belongs to.
fn called(parts: &[Part], result: &ToolResult) -> Value {
    let call = parts.iter().filter_map(as_call).find(|call| call.id == result.call_id);
    call.and_then(|call| serde_json::from_str(&call.arguments).ok()).unwrap_or_default()
}

impl<'a> Evidence<'a> {
    fn take(&mut self, arguments: &Value, result: &'a ToolResult) {
        if result.is_error {
            self.failed += 1;
            return;
        }
        let text = result.content.as_str();
        match result.name.as_str() {
            GREP if arguments["files_only"] == true => self.take_counts(arguments, text),
            GREP => self.take_lines(arguments, text),
            GLOB if arguments["pattern"] == "*" => self.listing = entries(text).collect(),
            GLOB => self.names.extend(entries(text)),
            LIST => self.listing = entries(text).collect(),
            READ => self.take_page(arguments, text),
            _ => {}
        }
    }

    fn take_counts(&mut self, arguments: &Value, text: &'a str) {
        let pattern = arguments["pattern"].as_str().unwrap_or_default();
        let capped = text.lines().next_back().is_some_and(is_cut);
        let files = text.lines().filter_map(counted).collect();
        self.counts.insert(pattern.to_owned(), Count { files, capped });
    }

    fn take_lines(&mut self, arguments: &Value, text: &'a str) {
        for (path, line, text) in text.lines().filter_map(found) {
            self.found.entry(path).or_default().insert(line, text);
        }
        self.examined.extend(arguments["path"].as_str().map(str::to_owned));
    }

    fn take_page(&mut self, arguments: &Value, text: &'a str) {
        let Some(path) = arguments["path"].as_str() else { return };
        let page = self.read.entry(path.to_owned()).or_default();
        page.extend(text.lines().filter_map(numbered));
    }

    /// Every file that was seen.
    pub(super) fn files(&self) -> BTreeSet<&'a str> {
        let counted = self.counts.values().flat_map(|count| count.files.keys());
        counted.chain(self.found.keys()).chain(&self.names).copied().collect()
    }

    /// The text of a line, if it was seen.
    pub(super) fn line(&self, path: &str, number: usize) -> Option<&'a str> {
        let read = self.read.get(path).and_then(|lines| lines.get(&number));
        read.or_else(|| self.found.get(path)?.get(&number)).copied()
    }
}

fn is_cut(line: &str) -> bool {
    line.starts_with("[the first ")
}

/// Paths, one a line, without remarks.
fn entries(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim_end);
    lines.filter(|line| !line.is_empty() && !line.starts_with('[') && *line != "no files match")
}

/// `path:count`.
fn counted(line: &str) -> Option<(&str, usize)> {
    let (path, count) = line.rsplit_once(':')?;
    (!path.is_empty()).then_some(())?;
    Some((path, count.parse().ok()?))
}

/// `path:line:text`. The path ends at the first number between colons.
fn found(line: &str) -> Option<(&str, usize, &str)> {
    for (at, _) in line.match_indices(':') {
        let rest = &line[at + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if at > 0 && digits > 0 && rest[digits..].starts_with(':') {
            let number = rest[..digits].parse().ok()?;
            return Some((&line[..at], number, &rest[digits + 1..]));
        }
    }
    None
}

/// A number, a tab and the line.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let (number, text) = line.split_once('\t')?;
    Some((number.trim_start().parse().ok()?, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_found_line_is_cut_at_the_first_number_between_colons() {
        assert_eq!(
            found("src/a.rs:12:fn x() { a:3:4 }"),
            Some(("src/a.rs", 12, "fn x() { a:3:4 }"))
        );
        assert_eq!(found("C:/odd:name.rs:3:"), Some(("C:/odd:name.rs", 3, "")));
        for line in ["--", "no matches", "src/a.rs-11-}", "[2 matches in 1 files]", ":3:x", ""] {
            assert_eq!(found(line), None, "{line}");
        }
        assert_eq!(counted("a:b.rs:7"), Some(("a:b.rs", 7)));
        assert_eq!(counted("[7 matches in 2 files]"), None);
        assert_eq!(numbered("    12\t\tlet x;"), Some((12, "\tlet x;")));
        assert_eq!(numbered("[... 300 more lines; continue with offset = 2001]"), None);
    }

    fn said(name: &str) -> Message {
        let call = ToolCall {
            id: "1".to_owned(),
            name: name.to_owned(),
            arguments: r#"{"pattern": "x"}"#.to_owned(),
            signature: None,
        };
        Message::Assistant { parts: vec![Part::Call(call)], by: "offline".to_owned() }
    }

    fn heard(name: &str, content: &str, is_error: bool) -> Message {
        let (call_id, name) = ("1".to_owned(), name.to_owned());
        let results = vec![ToolResult { call_id, name, content: content.to_owned(), is_error }];
        Message::Results { results }
    }

    #[test]
    fn the_task_is_what_follows_the_fork_and_is_not_changed_on_the_way() {
        let messages = [
            Message::user("old"),
            said(GREP),
            heard(GREP, "a.rs:1:x", false),
            Message::user(FORK_BOUNDARY),
            Message::user("new"),
            said(GREP),
            heard(GREP, "b.rs:1:x\nno sense", false),
            Message::user("hurry"),
        ];
        let task = Task::of(&messages, "complete_task");
        assert_eq!((task.text, task.turns), ("new", 1));
        assert_eq!(task.evidence.files().into_iter().collect::<Vec<_>>(), ["b.rs"]);
    }

    #[test]
    fn what_is_asked_after_the_result_is_a_new_task() {
        let mut messages = vec![
            Message::user("first"),
            said(GREP),
            heard(GREP, "a.rs:1:x", false),
            said("complete_task"),
            heard("complete_task", "ok", false),
            Message::user("second"),
        ];
        let task = Task::of(&messages, "complete_task");
        assert_eq!((task.text, task.turns), ("second", 0));
        messages[4] = heard("complete_task", "no", true);
        assert_eq!(Task::of(&messages, "complete_task").text, "first");
    }

    #[test]
    fn failed_calls_are_counted_and_otherwise_ignored() {
        let messages = [Message::user("x"), said(GREP), heard(GREP, "a.rs:1:x", true)];
        let task = Task::of(&messages, "complete_task");
        assert_eq!(task.evidence.failed, 1);
        assert!(task.evidence.files().is_empty());
    }
}
