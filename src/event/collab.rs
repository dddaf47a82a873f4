//! Agents that act on each other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::AgentStatus;

/// An agent begins to act on others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollabBegin {
    /// The call.
    pub call_id: String,
    /// The threads it is about, as far as they are known.
    pub receiver_thread_ids: Vec<String>,
    /// What they are told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The model that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The effort that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
}

/// What came of that. Every beginning has exactly one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollabEnd {
    /// What was begun. Who was started, and the model it really has, are known now.
    #[serde(flatten)]
    pub begun: CollabBegin,
    /// Whether it worked.
    pub success: bool,
    /// The threads afterwards.
    pub agents_states: BTreeMap<String, AgentState>,
    /// Why it did not work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// An agent at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentState {
    /// What it is doing.
    pub status: AgentStatus,
    /// Its last words, if it ended.
    pub message: Option<String>,
}

/// What became of an agent, for the one that started it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Background {
    /// The agent.
    pub thread_id: String,
    /// What it is doing now.
    pub status: AgentStatus,
    /// In words.
    pub message: String,
    /// Whether nothing more will come of it by itself.
    pub is_final: bool,
}
