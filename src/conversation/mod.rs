//! What is said between an agent and a model: messages, tool calls and their results.
//!
//! The same types are sent to providers, written to transcripts and recordings, and forked into
//! other agents. What a provider needs besides, such as a signature, travels in them unread.

mod fork;
mod usage;

pub use fork::{FORK_BOUNDARY, forked};
pub use usage::Usage;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// From whoever gave the task.
    User {
        /// What they say.
        text: String,
    },
    /// From the model.
    Assistant {
        /// What it said, in order.
        parts: Vec<Part>,
        /// The model, as `provider/model`. Signatures mean nothing to any other.
        by: String,
    },
    /// What the tools called in the message before returned: one for each call, in call order.
    Results {
        /// The results.
        results: Vec<ToolResult>,
    },
}

impl Message {
    /// A message from whoever gave the task.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }
}

/// A part of what a model said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// Thinking, as far as the provider shows it.
    Thinking {
        /// The text.
        text: String,
        /// What the provider wants back with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// A tool call.
    Call(ToolCall),
    /// Something only the provider understands and wants back as it was.
    Opaque {
        /// The provider's value.
        value: Value,
    },
}

/// A call of a tool, as the model wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// What ties the result to it; empty if the provider gives none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as sent: JSON, if the model made no mistake.
    pub arguments: String,
    /// What the provider wants back with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// What the model is told.
    pub content: String,
    /// Whether it failed.
    pub is_error: bool,
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its canonical name.
    pub name: String,
    /// What it does and how to use it.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// A whole answer. There is no such thing as half of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// What was said, in order.
    pub parts: Vec<Part>,
    /// What it cost.
    pub usage: Usage,
    /// Why it ended.
    pub stop: Stop,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The model had nothing to add.
    #[default]
    End,
    /// It waits for the results of its calls.
    Calls,
    /// It reached the longest answer the provider gives.
    Length,
    /// It or its provider declined.
    Refused,
}

impl Answer {
    /// The calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            _ => None,
        })
    }

    /// The text, without thinking.
    pub fn text(&self) -> String {
        text_of(&self.parts)
    }
}

/// The text of `parts`, without thinking.
pub fn text_of(parts: &[Part]) -> String {
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    texts.join("\n")
}
