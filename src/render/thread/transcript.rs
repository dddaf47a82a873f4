//! `agentctl transcript`: a conversation as Markdown.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Listed, moment};
use crate::{
    conversation::{Message, Part},
    event::rfc3339,
    text::{one_line, printable},
};

/// The whole conversation of a thread, for people.
pub fn transcript_text(listed: &Listed, messages: &[Message]) -> String {
    let mut out = String::new();
    head(&mut out, listed);
    for message in messages {
        match message {
            Message::User { text } => section(&mut out, "User", text),
            Message::Assistant { parts, by } => {
                writeln!(out, "\n## Assistant\n\n*{}*", one_line(by)).ok();
                parts.iter().for_each(|part| write_part(&mut out, part));
            }
            Message::Results { results } => {
                for result in results {
                    let failed = if result.is_error { ", which failed" } else { "" };
                    writeln!(out, "\n## Result of {}{failed}\n", code(&result.name)).ok();
                    fenced(&mut out, "", &result.content);
                }
            }
        }
    }
    out
}

fn head(out: &mut String, Listed { thread, description }: &Listed) {
    let begun = &thread.begun;
    writeln!(out, "# {}\n", one_line(&begun.agent_type)).ok();
    let mut row = |name: &str, value: &str| writeln!(out, "- {name}: {value}").unwrap_or_default();
    row("thread", &code(&begun.id));
    if let Some(parent) = &begun.parent {
        row("started by", &code(parent));
    }
    if let Some(about) = description.as_ref().filter(|about| !about.is_empty()) {
        row("task", &one_line(about));
    }
    if let Some(note) = &begun.note {
        row("note", &one_line(note));
    }
    row("model", &code(&begun.model));
    row("directory", &code(&begun.cwd));
    row("created", &rfc3339(moment(thread.created)));
    row("updated", &rfc3339(moment(thread.updated)));
    row("status", thread.status.name());
    if let Some(outcome) = &thread.outcome {
        row("result", outcome.status.name());
        row("turns", &outcome.turns_used.to_string());
        row("tokens", &outcome.total_tokens.to_string());
        if let Some(error) = &outcome.error {
            row("error", &one_line(&error.message));
        }
    }
}

fn write_part(out: &mut String, part: &Part) {
    match part {
        Part::Text { text } => {
            writeln!(out, "\n{}", printable(text.trim_matches('\n'))).ok();
        }
        Part::Thinking { text, .. } => {
            out.push('\n');
            for line in printable(text.trim_matches('\n')).lines() {
                writeln!(out, "{}", format!("> {line}").trim_end()).ok();
            }
        }
        Part::Call(call) => {
            writeln!(out, "\n### Call of {}\n", code(&call.name)).ok();
            match serde_json::from_str::<Value>(&call.arguments) {
                Ok(value) => fenced(out, "json", &format!("{value:#}")),
                Err(_) => fenced(out, "", &call.arguments),
            }
        }
        // Nobody but its provider can read it.
        Part::Opaque { .. } => {}
    }
}

fn section(out: &mut String, title: &str, text: &str) {
    writeln!(out, "\n## {title}\n\n{}", printable(text.trim_matches('\n'))).ok();
}

/// `text` in a block that nothing in it can end.
fn fenced(out: &mut String, language: &str, text: &str) {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let text = printable(text.strip_suffix('\n').unwrap_or(text));
    writeln!(out, "{fence}{language}\n{text}\n{fence}").ok();
}

/// `text` as code within a line.
fn code(text: &str) -> String {
    let line = one_line(text);
    let ticks = "`".repeat(longest_run(&line) + 1);
    let pad = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{line}{pad}{ticks}")
}

/// How many backticks stand side by side at most.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_block_ends_it() {
        for (text, fence) in [("plain", "```"), ("a\n```\nb", "````"), ("`````", "``````")] {
            let mut out = String::new();
            fenced(&mut out, "", text);
            assert_eq!(out, format!("{fence}\n{text}\n{fence}\n"));
        }
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("`a"), "`` `a ``");
    }
}
