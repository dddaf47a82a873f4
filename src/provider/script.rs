//! A scripted model, for tests of agents and of agentctl itself.
//!
//! Every call takes the next turn of the agent's script; a retry does, too. What the script
//! expects and does not get fails the run, so that a test cannot pass by accident.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::{Delta, Listener, ModelError, Provider, Reply, Request};
use crate::{
    conversation::{Answer, Message, Part, Stop, ToolCall, Usage},
    document::{self, Format},
    text::Source,
};

/// A scripted model. Each agent that asks has a place of its own in it.
#[derive(Debug)]
pub struct Script {
    file: ScriptFile,
    /// Where each agent is, by its thread.
    places: Mutex<HashMap<String, usize>>,
}

/// A script that cannot be used. Its author's to mend.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct ScriptError {
    /// What is wrong, and where.
    pub message: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    usage: Option<Usage>,
    #[serde(default)]
    turns: Vec<Turn>,
    #[serde(default)]
    agents: BTreeMap<String, AgentScript>,
    #[serde(default)]
    repeat: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentScript {
    turns: Vec<Turn>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Turn {
    expect: Option<Expectation>,
    delay_ms: u64,
    thinking: Option<String>,
    text: Option<String>,
    /// How many bytes of the text come at once; all of it without a number.
    piece: Option<usize>,
    tool_calls: Vec<ScriptedCall>,
    usage: Option<Usage>,
    error: Option<ScriptedError>,
    hang: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    tools: Option<Vec<String>>,
    last_message: Option<Pattern>,
    /// All of the conversation, one message after the other.
    messages: Option<Pattern>,
    system: Option<Pattern>,
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Pattern(Regex);

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(pattern: String) -> Result<Self, String> {
        // Messages have many lines, and a dot that stops at their ends surprises.
        Regex::new(&format!("(?s){pattern}"))
            .map(Self)
            .map_err(|error| format!("`{pattern}` is no regular expression: {error}"))
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
    name: String,
    #[serde(default)]
    arguments: Value,
    id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedError {
    status: Option<u16>,
    kind: Option<ErrorKind>,
    retry_after_ms: Option<u64>,
    message: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ErrorKind {
    Overloaded,
    RateLimited,
    ContextLength,
    Truncated,
    Disconnect,
    Garbage,
    Auth,
    Idle,
    UnknownModel,
}

impl Script {
    /// Reads a script: YAML or JSON.
    pub fn parse(source: &Source) -> Result<Self, ScriptError> {
        let refuse = |message: String| ScriptError {
            message: format!("the script {} cannot be used: {message}", source.name()),
        };
        let (document, problems) = document::parse(source, Format::Yaml);
        if let Some(problem) = problems.first() {
            let at = source.position(problem.span.start as usize);
            return Err(refuse(format!("line {}: {}", at.line, problem.kind)));
        }
        let file: ScriptFile = serde_json::from_value(document.root.to_json())
            .map_err(|error| refuse(error.to_string()))?;
        if file.turns.is_empty() && file.agents.is_empty() {
            return Err(refuse("it has neither `turns` nor `agents`".to_owned()));
        }
        Ok(Self { file, places: Mutex::default() })
    }

    /// The turns of the agent that asks, and the number of the one it is at.
    fn next(&self, request: &Request<'_>) -> Result<(&[Turn], usize), ModelError> {
        let caller = request.caller;
        let own = format!("{}#{}", caller.agent_type, caller.ordinal);
        let agents = &self.file.agents;
        let script = agents.get(&own).or_else(|| agents.get(&caller.agent_type));
        let turns = script.map_or(self.file.turns.as_slice(), |script| &script.turns);
        if turns.is_empty() {
            return Err(mismatch(format!("the script has no turns for `{}`", caller.agent_type)));
        }
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let place = places.entry(caller.agent_id.clone()).or_default();
        let mut at = *place;
        if at >= turns.len() {
            if !self.file.repeat {
                return Err(mismatch(format!(
                    "the script has no turn {} for `{}`",
                    at + 1,
                    caller.agent_type
                )));
            }
            at = 0;
        }
        *place = at + 1;
        Ok((turns, at))
    }

    async fn play(&self, request: &Request<'_>, heard: Listener<'_>) -> Result<Answer, ModelError> {
        let (turns, at) = self.next(request)?;
        let turn = &turns[at];
        if let Some(expected) = &turn.expect {
            expected.check(request).map_err(|what| {
                mismatch(format!("turn {} of the script does not fit: {what}", at + 1))
            })?;
        }
        if turn.delay_ms > 0 {
            tokio::time::sleep(Duration::from_millis(turn.delay_ms)).await;
        }
        if turn.hang {
            std::future::pending::<()>().await;
        }
        if let Some(error) = &turn.error {
            return Err(error.model_error());
        }
        turn.say(heard).await;
        Ok(turn.answer(at, self.file.usage.as_ref()))
    }
}

impl Provider for Script {
    fn answer<'a>(&'a self, request: &'a Request<'a>, heard: Listener<'a>) -> Reply<'a> {
        Box::pin(self.play(request, heard))
    }
}

impl Turn {
    /// Says what is to be heard on the way. Between two pieces others get on with their work, as
    /// they do when a model speaks.
    async fn say(&self, heard: Listener<'_>) {
        if let Some(thinking) = &self.thinking {
            heard(Delta::Thinking(thinking));
        }
        let text = self.text.as_deref().unwrap_or_default();
        for piece in pieces(text, self.piece.unwrap_or(text.len())) {
            heard(Delta::Text(piece));
            if self.piece.is_some() {
                tokio::task::yield_now().await;
            }
        }
    }

    fn answer(&self, at: usize, usage: Option<&Usage>) -> Answer {
        let mut parts = Vec::new();
        if let Some(thinking) = &self.thinking {
            parts.push(Part::Thinking { text: thinking.clone(), signature: None });
        }
        if let Some(text) = &self.text {
            parts.push(Part::Text { text: text.clone() });
        }
        let calls = self.tool_calls.iter().enumerate();
        parts.extend(calls.map(|(index, call)| Part::Call(call.tool_call(at, index))));
        let stop = if self.tool_calls.is_empty() { Stop::End } else { Stop::Calls };
        let usage = self.usage.as_ref().or(usage).cloned().unwrap_or_default();
        Answer { parts, usage, stop }
    }
}

impl ScriptedCall {
    fn tool_call(&self, turn: usize, index: usize) -> ToolCall {
        let arguments = match &self.arguments {
            // A text is sent as it is, so that it can be malformed.
            Value::String(text) => text.clone(),
            Value::Null => "{}".to_owned(),
            value => value.to_string(),
        };
        let id = self.id.clone().unwrap_or_else(|| format!("call_{}_{}", turn + 1, index + 1));
        ToolCall { id, name: self.name.clone(), arguments, signature: None }
    }
}

impl Expectation {
    fn check(&self, request: &Request<'_>) -> Result<(), String> {
        if let Some(expected) = &self.tools {
            let sorted = |mut names: Vec<String>| {
                names.sort();
                names
            };
            let expected = sorted(expected.clone());
            let offered = sorted(request.tools.iter().map(|tool| tool.name.clone()).collect());
            if expected != offered {
                return Err(format!(
                    "it expects the tools [{}], and the agent has [{}]",
                    expected.join(", "),
                    offered.join(", ")
                ));
            }
        }
        let last = request.messages.last().map(message_text).unwrap_or_default();
        matches(self.last_message.as_ref(), "the last message", &last)?;
        if self.messages.is_some() {
            let all: Vec<String> = request.messages.iter().map(message_text).collect();
            matches(self.messages.as_ref(), "the conversation", &all.join("\n"))?;
        }
        matches(self.system.as_ref(), "the system prompt", request.system)
    }
}

/// A text in pieces of `size` bytes, or of a character where that is longer.
fn pieces(mut text: &str, size: usize) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let first = text.chars().next()?;
        let end = text.floor_char_boundary(size).max(first.len_utf8());
        let (piece, rest) = text.split_at(end);
        text = rest;
        Some(piece)
    })
}

fn matches(pattern: Option<&Pattern>, what: &str, text: &str) -> Result<(), String> {
    match pattern {
        Some(Pattern(pattern)) if !pattern.is_match(text) => {
            let pattern = pattern.as_str().trim_start_matches("(?s)");
            Err(format!("{what} does not match `{pattern}`; it is {text:?}"))
        }
        _ => Ok(()),
    }
}

/// What a message says, for expectations.
fn message_text(message: &Message) -> String {
    match message {
        Message::User { text } => text.clone(),
        Message::Assistant { parts, .. } => crate::conversation::text_of(parts),
        Message::Results { results } => {
            results.iter().map(|result| result.content.as_str()).collect::<Vec<_>>().join("\n")
        }
    }
}

impl ScriptedError {
    fn model_error(&self) -> ModelError {
        let retry_after = self.retry_after_ms.map(Duration::from_millis);
        let message = self.message.clone().unwrap_or_else(|| "the script says so".to_owned());
        match (self.kind, self.status) {
            (Some(ErrorKind::RateLimited), _) | (None, Some(429)) => {
                ModelError::RateLimited { retry_after, message }
            }
            (Some(ErrorKind::Overloaded), _) | (None, Some(503 | 529)) => {
                ModelError::Overloaded { retry_after, message }
            }
            (Some(ErrorKind::ContextLength), _) => ModelError::ContextLength { message },
            (Some(ErrorKind::Truncated | ErrorKind::Disconnect), _) => {
                ModelError::Truncated { message }
            }
            (Some(ErrorKind::Garbage), _) => ModelError::NotAStream { message },
            (Some(ErrorKind::Idle), _) => {
                ModelError::Idle { after: retry_after.unwrap_or_default() }
            }
            (Some(ErrorKind::UnknownModel), _) | (None, Some(404)) => {
                ModelError::UnknownModel { message }
            }
            (Some(ErrorKind::Auth), status) => {
                ModelError::Auth { status: status.unwrap_or(401), message }
            }
            (None, Some(status @ (401 | 403))) => ModelError::Auth { status, message },
            (None, Some(status)) if status >= 500 => ModelError::Server { status, message },
            (None, status) => ModelError::BadRequest { status: status.unwrap_or(400), message },
        }
    }
}

fn mismatch(message: String) -> ModelError {
    ModelError::Script { message }
}
