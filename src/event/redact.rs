//! Takes keys out of texts before anyone can read them.

use std::borrow::Cow;

use aho_corasick::AhoCorasick;
use serde_json::Value;

use super::{AgentState, CollabBegin, CollabEnd, Failure, Outcome, What};

/// What stands where a key stood.
pub const REDACTED: &str = "[redacted]";

/// Shorter values are no keys, and would be found everywhere.
const MIN_LENGTH: usize = 8;

/// Words in the names of variables that hold secrets.
const SECRET_WORDS: &[&str] = &[
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTH",
    "COOKIE",
    "PRIVATE",
    "APIKEY",
    "PAT",
];

/// Whether a variable of this name holds a secret, as far as one can tell.
pub fn is_secret_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    // `SSH_AUTH_SOCK` and its like hold a path.
    upper.split(['_', '-', '.']).any(|word| SECRET_WORDS.contains(&word))
        && !upper.ends_with("_SOCK")
}

/// Takes known keys out of texts.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    keys: Option<AhoCorasick>,
}

impl Redactor {
    /// Takes out each of `keys`.
    pub fn new(keys: impl IntoIterator<Item = String>) -> Self {
        let mut keys: Vec<String> = keys
            .into_iter()
            .map(|key| key.trim().to_owned())
            .filter(|key| key.len() >= MIN_LENGTH)
            .collect();
        // A key that begins another must not leave the rest of the other one standing.
        keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
        let build = || {
            let kind = aho_corasick::MatchKind::LeftmostLongest;
            AhoCorasick::builder().match_kind(kind).build(&keys).ok()
        };
        Self { keys: if keys.is_empty() { None } else { build() } }
    }

    /// `text` without keys.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.keys {
            Some(keys) if keys.is_match(text) => {
                let mut clean = String::with_capacity(text.len());
                keys.replace_all_with(text, &mut clean, |_, _, clean| {
                    clean.push_str(REDACTED);
                    true
                });
                Cow::Owned(clean)
            }
            _ => Cow::Borrowed(text),
        }
    }

    /// `value` without keys, wherever they are in it.
    pub fn value(&self, value: Value) -> Value {
        if self.keys.is_none() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.string(text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(entries) => entries
                .into_iter()
                .map(|(key, value)| (self.string(key), self.value(value)))
                .collect(),
            other => other,
        }
    }

    pub(super) fn event(&self, what: What) -> What {
        if self.keys.is_none() {
            return what;
        }
        match what {
            What::ToolCallStart { tool_name, call_id, arguments } => What::ToolCallStart {
                tool_name: self.string(tool_name),
                call_id: self.string(call_id),
                arguments: self.value(arguments),
            },
            What::ToolCallEnd { tool_name, call_id, success, duration_ms, output } => {
                let output = self.string(output);
                What::ToolCallEnd { tool_name, call_id, success, duration_ms, output }
            }
            What::ThoughtChunk { text } => What::ThoughtChunk { text: self.string(text) },
            What::TextChunk { text } => What::TextChunk { text: self.string(text) },
            What::UserMessage { text, later } => {
                What::UserMessage { text: self.string(text), later }
            }
            What::ApprovalRequest { call_id, tool_name, detail, path } => {
                What::ApprovalRequest { call_id, tool_name, detail: self.string(detail), path }
            }
            What::Retry { model, attempt, delay_ms, error, next } => {
                What::Retry { model, attempt, delay_ms, error: self.failure(error), next }
            }
            What::Error { error } => What::Error { error: self.failure(error) },
            What::Started(mut started) => {
                started.description = self.string(started.description);
                What::Started(started)
            }
            What::Completed(outcome) => What::Completed(Box::new(self.outcome(*outcome))),
            What::CollabAgentSpawnBegin(begun) => What::CollabAgentSpawnBegin(self.begun(begun)),
            What::CollabAgentSpawnEnd(end) => What::CollabAgentSpawnEnd(self.end(end)),
            What::CollabAgentInteractionBegin(begun) => {
                What::CollabAgentInteractionBegin(self.begun(begun))
            }
            What::CollabAgentInteractionEnd(end) => What::CollabAgentInteractionEnd(self.end(end)),
            What::CollabWaitingBegin(begun) => What::CollabWaitingBegin(self.begun(begun)),
            What::CollabWaitingEnd(end) => What::CollabWaitingEnd(self.end(end)),
            What::CollabCloseBegin(begun) => What::CollabCloseBegin(self.begun(begun)),
            What::CollabCloseEnd(end) => What::CollabCloseEnd(self.end(end)),
            What::CollabResumeBegin(begun) => What::CollabResumeBegin(self.begun(begun)),
            What::CollabResumeEnd(end) => What::CollabResumeEnd(self.end(end)),
            What::BackgroundEvent(mut event) => {
                event.message = self.string(event.message);
                What::BackgroundEvent(event)
            }
            What::ThreadNoteUpdated { thread_id, thread_note } => {
                let thread_note = thread_note.map(|note| self.string(note));
                What::ThreadNoteUpdated { thread_id, thread_note }
            }
            what @ (What::TurnStart { .. }
            | What::TurnComplete { .. }
            | What::GracePeriodStart { .. }
            | What::GracePeriodEnd { .. }
            | What::ApprovalDecision { .. }) => what,
        }
    }

    /// A result without keys.
    pub fn outcome(&self, outcome: Outcome) -> Outcome {
        Outcome {
            result: self.string(outcome.result),
            output: outcome.output.map(|output| self.value(output)),
            error: outcome.error.map(|error| self.failure(error)),
            models: outcome
                .models
                .into_iter()
                .map(|mut tried| {
                    tried.error = tried.error.map(|error| self.failure(error));
                    tried
                })
                .collect(),
            ..outcome
        }
    }

    fn begun(&self, begun: CollabBegin) -> CollabBegin {
        CollabBegin { prompt: begun.prompt.map(|prompt| self.string(prompt)), ..begun }
    }

    fn end(&self, end: CollabEnd) -> CollabEnd {
        let states = end.agents_states.into_iter().map(|(id, state)| {
            let message = state.message.map(|message| self.string(message));
            (id, AgentState { message, ..state })
        });
        CollabEnd {
            agents_states: states.collect(),
            begun: self.begun(end.begun),
            error: end.error.map(|error| self.string(error)),
            ..end
        }
    }

    fn failure(&self, failure: Failure) -> Failure {
        Failure { message: self.string(failure.message), ..failure }
    }

    fn string(&self, text: String) -> String {
        match self.text(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(clean) => clean,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_keys_inside_of_anything() {
        let redactor = Redactor::new(["sk-12345678".to_owned(), "sk-12345678-long".to_owned()]);
        assert_eq!(
            redactor.text("a sk-12345678-long b sk-12345678."),
            "a [redacted] b [redacted]."
        );
        let value = serde_json::json!({"a": ["x", {"sk-12345678": "k=sk-12345678"}], "n": 1});
        let clean = serde_json::json!({"a": ["x", {"[redacted]": "k=[redacted]"}], "n": 1});
        assert_eq!(redactor.value(value), clean);
    }

    #[test]
    fn short_values_are_no_keys() {
        assert_eq!(Redactor::new(["yes".to_owned(), String::new()]).text("yes"), "yes");
    }

    #[test]
    fn tells_secrets_by_the_names_of_their_variables() {
        for name in ["ANTHROPIC_API_KEY", "github_token", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD"] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["PATH", "HOME", "KEYBOARD", "SSH_AUTH_SOCK", "MONKEY", "TERM"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
