//! Threads, turns and agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An agent of the catalog.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentInfo {
    /// Its kind.
    pub agent_type: String,
    /// What it is for.
    pub description: Option<String>,
    /// Whose it is: `builtin`, `user` or `project`.
    pub source: String,
    /// The host its file is written for.
    pub dialect: String,
    /// Its file.
    pub path: String,
    /// The file it is hidden by.
    pub shadowed_by: Option<String>,
    /// The tools it gets as a main agent.
    pub tools: Vec<String>,
    /// Its models in order of preference, as far as they are known.
    pub models: Vec<String>,
    /// What its commands may touch.
    pub sandbox: Option<String>,
    /// Why it cannot be run.
    pub problems: Vec<String>,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    /// Its name.
    pub id: String,
    /// The root of its tree.
    pub session_id: String,
    /// The thread that started it.
    pub parent_thread_id: Option<String>,
    /// Its number in its session.
    pub agent_index: u32,
    /// How far below the main agent it is.
    pub depth: u32,
    /// Its kind.
    pub agent_type: String,
    /// Which of its kind it is.
    pub ordinal: u32,
    /// Its persona.
    pub agent_name: Option<String>,
    /// What it is doing.
    pub status: AgentStatus,
    /// Its label.
    pub note: Option<String>,
    /// Its model.
    pub model: Option<String>,
    /// How hard it thinks.
    pub reasoning_effort: Option<String>,
    /// What its commands may touch.
    pub sandbox: String,
    /// Where it works.
    pub cwd: String,
    /// Its task in a few words.
    pub preview: String,
    /// Tokens it may use.
    pub max_juice: Option<u64>,
    /// Tokens it has used.
    pub used_juice: u64,
    /// Whether it can be told something through this server.
    pub is_live: bool,
    /// When it was made, in milliseconds since 1970.
    pub created_at_ms: i64,
    /// When it last changed.
    pub updated_at_ms: i64,
}

/// What an agent is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AgentStatus {
    /// It has not begun.
    PendingInit,
    /// It works.
    Running,
    /// It was stopped in the middle of its work.
    Interrupted,
    /// It said what it had to say.
    Completed,
    /// It failed.
    Errored,
    /// It was closed.
    Shutdown,
    /// There is no such agent.
    NotFound,
}

/// One run of an agent: from what it is told to its last words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// Its name.
    pub id: String,
    /// How it stands.
    pub status: TurnStatus,
    /// What went wrong.
    pub error: Option<TurnError>,
}

/// How a turn stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TurnStatus {
    /// It goes on.
    InProgress,
    /// It is done.
    Completed,
    /// Someone stopped it.
    Interrupted,
    /// It failed.
    Failed,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnError {
    /// What kind of thing.
    pub kind: String,
    /// In words.
    pub message: String,
}
