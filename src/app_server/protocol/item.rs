//! What a turn consists of.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentStatus, UserInput};

/// Something in a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ThreadItem {
    /// What the agent was told.
    UserMessage {
        /// Its name.
        id: String,
        /// What it says.
        content: Vec<UserInput>,
    },
    /// What the agent said.
    AgentMessage {
        /// Its name.
        id: String,
        /// The words.
        text: String,
    },
    /// What the agent thought.
    Reasoning {
        /// Its name.
        id: String,
        /// The words.
        text: String,
    },
    /// A command.
    CommandExecution {
        /// The call.
        id: String,
        /// The command.
        command: String,
        /// How it stands.
        status: CallStatus,
        /// What it printed.
        aggregated_output: Option<String>,
        /// How long it took.
        duration_ms: Option<u64>,
    },
    /// A file that is written or changed.
    FileChange {
        /// The call.
        id: String,
        /// The tool.
        tool: String,
        /// What it was asked.
        arguments: Value,
        /// How it stands.
        status: CallStatus,
        /// What the agent was told.
        output: Option<String>,
        /// How long it took.
        duration_ms: Option<u64>,
    },
    /// A tool of an MCP server.
    McpToolCall {
        /// The call.
        id: String,
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// What it was asked.
        arguments: Value,
        /// How it stands.
        status: CallStatus,
        /// What the agent was told.
        result: Option<String>,
        /// How long it took.
        duration_ms: Option<u64>,
    },
    /// Any other tool.
    ToolCall {
        /// The call.
        id: String,
        /// The tool.
        tool: String,
        /// What it was asked.
        arguments: Value,
        /// How it stands.
        status: CallStatus,
        /// What the agent was told.
        output: Option<String>,
        /// How long it took.
        duration_ms: Option<u64>,
    },
    /// Something one agent does to others.
    CollabAgentToolCall {
        /// The call.
        id: String,
        /// What it does.
        tool: CollabTool,
        /// How it stands.
        status: CallStatus,
        /// Who does it.
        sender_thread_id: String,
        /// To whom.
        receiver_thread_ids: Vec<String>,
        /// What they are told.
        prompt: Option<String>,
        /// The model of an agent that is started.
        model: Option<String>,
        /// Its effort.
        reasoning_effort: Option<String>,
        /// What they are doing.
        agents_states: BTreeMap<String, CollabAgentState>,
    },
}

/// How a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CallStatus {
    /// It goes on.
    InProgress,
    /// It worked.
    Completed,
    /// It did not.
    Failed,
}

/// What one agent does to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CollabTool {
    /// Starts one.
    SpawnAgent,
    /// Tells them something.
    SendInput,
    /// Opens one again.
    ResumeAgent,
    /// Waits for them.
    Wait,
    /// Closes them.
    CloseAgent,
}

/// What an agent is doing, and its last words if it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CollabAgentState {
    /// What it is doing.
    pub status: AgentStatus,
    /// Its last words.
    pub message: Option<String>,
}
