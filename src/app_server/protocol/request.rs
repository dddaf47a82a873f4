//! What clients ask, and what they get.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentInfo, ApprovalRequest, Thread, Turn};

/// Introduces a client.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    /// Who it is.
    pub client_info: Option<ClientInfo>,
    /// What it wants.
    #[serde(default)]
    pub capabilities: Capabilities,
}

/// A client.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientInfo {
    /// Its name.
    pub name: String,
    /// Its version.
    #[serde(default)]
    pub version: String,
}

/// What a client wants.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Capabilities {
    /// Every event as it happened, as `thread/event`, besides items.
    pub events: bool,
}

/// Introduces the server.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// Who it is.
    pub server_info: ClientInfo,
    /// The version of the protocol.
    pub protocol_version: u32,
}

/// Starts a conversation with a main agent.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ThreadStartParams {
    /// The kind of agent; `orchestrator` unless given.
    pub agent: Option<String>,
    /// Where it works; where the server was started unless given.
    pub cwd: Option<String>,
    /// Another model than its own.
    pub model: Option<String>,
    /// How hard it thinks.
    pub reasoning_effort: Option<String>,
    /// How it works with whoever it talks to.
    pub collaboration_mode: Option<CollaborationMode>,
    /// What answers where an approval is needed: `ask` unless given.
    pub approvals: Option<ApprovalPolicy>,
    /// What its commands may touch at most: `read_only`, `workspace_write` or
    /// `danger_full_access`.
    pub sandbox: Option<String>,
    /// Its label.
    pub note: Option<String>,
}

/// What answers where an approval is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ApprovalPolicy {
    /// The clients.
    Ask,
    /// No.
    Never,
    /// Yes.
    Always,
}

/// Goes on with a conversation that is in the store.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ThreadResumeParams {
    /// The thread, or the beginning of its id.
    pub thread_id: String,
    /// What answers where an approval is needed: `ask` unless given.
    #[serde(default)]
    pub approvals: Option<ApprovalPolicy>,
}

/// A thread that was started or goes on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThreadResult {
    /// The thread.
    pub thread: Thread,
}

/// Asks for threads, the newest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ThreadListParams {
    /// How many at most; 50 unless given.
    pub limit: Option<u32>,
    /// Where to go on, from the answer before.
    pub cursor: Option<String>,
    /// Only those that this one started.
    pub parent_thread_id: Option<String>,
    /// Whether threads that others started are shown, too.
    pub include_children: bool,
}

/// Threads.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThreadListResult {
    /// The threads.
    pub data: Vec<Thread>,
    /// Where to go on, if there are more.
    pub next_cursor: Option<String>,
}

/// Asks for a thread, those below it, and what happened to them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ThreadReadParams {
    /// The thread.
    pub thread_id: String,
    /// The number of the first event; from the beginning unless given.
    #[serde(default)]
    pub from_seq: u64,
    /// How many events at most; 1,000 unless given.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// A thread, those below it, and what happened to them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThreadReadResult {
    /// The thread.
    pub thread: Thread,
    /// Those below it, each after the one that started it.
    pub descendants: Vec<Thread>,
    /// What happened to all of them, as `run --format jsonl` prints it.
    pub events: Vec<Value>,
    /// The number of the first event that is not among these.
    pub next_seq: u64,
    /// Whether more has happened already.
    pub has_more: bool,
    /// What someone has to answer now.
    pub approvals: Vec<ApprovalRequest>,
}

/// Labels a thread.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ThreadNoteSetParams {
    /// The thread.
    pub thread_id: String,
    /// The label; blank takes it away.
    pub note: String,
}

/// A label as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThreadNoteSetResult {
    /// The label.
    pub thread_note: Option<String>,
}

/// Closes a thread and everything below it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ThreadCloseParams {
    /// The thread.
    pub thread_id: String,
}

/// Tells an agent something.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TurnStartParams {
    /// The thread.
    pub thread_id: String,
    /// What it is told.
    pub input: Vec<UserInput>,
    /// How it works from now on: model, effort and instructions.
    #[serde(default)]
    pub collaboration_mode: Option<CollaborationMode>,
}

/// Something an agent is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum UserInput {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
}

/// A turn that has begun, or will after the present one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnStartResult {
    /// The turn.
    pub turn: Turn,
}

/// Stops what an agent and those below it are doing.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TurnInterruptParams {
    /// The thread.
    pub thread_id: String,
    /// The turn; whatever it does now unless given.
    #[serde(default)]
    pub turn_id: Option<String>,
}

/// How a main agent works with whoever it talks to. Names inside of `settings` are in snake_case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollaborationMode {
    /// `plan`, `pair_programming`, `execute` or `custom`; `default` and `code` mean `execute`.
    pub mode: String,
    /// What it changes.
    #[serde(default)]
    pub settings: CollaborationSettings,
}

/// What a mode changes. What is not set stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CollaborationSettings {
    /// The model.
    pub model: Option<String>,
    /// How hard it thinks.
    pub reasoning_effort: Option<String>,
    /// What it is told besides; the mode's own text unless given.
    pub developer_instructions: Option<String>,
}

/// The modes there are.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CollaborationModeListResult {
    /// The modes.
    pub data: Vec<CollaborationModePreset>,
}

/// A mode to choose.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CollaborationModePreset {
    /// What people call it.
    pub name: String,
    /// Its name.
    pub mode: String,
    /// The model it brings.
    pub model: Option<String>,
    /// The effort it brings.
    pub reasoning_effort: Option<String>,
}

/// The agents there are.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentsListResult {
    /// The agents.
    pub data: Vec<AgentInfo>,
}
