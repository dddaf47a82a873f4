//! What clients are told without asking.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentStatus, ApprovalDecision, ThreadItem, ThreadResult, Turn, TurnError};

/// What the server tells clients.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "method", content = "params")]
pub enum Notification {
    /// A thread was started.
    #[serde(rename = "thread/started")]
    ThreadStarted(ThreadResult),
    /// An agent is doing something else.
    #[serde(rename = "thread/status/changed")]
    ThreadStatusChanged(ThreadStatusChanged),
    /// An agent was labelled.
    #[serde(rename = "thread/note/updated")]
    ThreadNoteUpdated(ThreadNoteUpdated),
    /// Something happened, as it is in the store. Only for clients that asked for it.
    #[serde(rename = "thread/event")]
    ThreadEvent(ThreadEvent),
    /// A turn begins.
    #[serde(rename = "turn/started")]
    TurnStarted(TurnNotification),
    /// A turn is over.
    #[serde(rename = "turn/completed")]
    TurnCompleted(TurnNotification),
    /// Something in a turn begins.
    #[serde(rename = "item/started")]
    ItemStarted(ItemStarted),
    /// It is over.
    #[serde(rename = "item/completed")]
    ItemCompleted(ItemCompleted),
    /// The agent says more.
    #[serde(rename = "item/agentMessage/delta")]
    AgentMessageDelta(ItemDelta),
    /// The agent thinks more.
    #[serde(rename = "item/reasoning/delta")]
    ReasoningDelta(ItemDelta),
    /// Somebody has answered an approval request, or nobody did in time.
    #[serde(rename = "approval/resolved")]
    ApprovalResolved(ApprovalResolved),
    /// Something went wrong.
    #[serde(rename = "error")]
    Error(ErrorNotification),
    /// The client was too slow: what happened from `fromSeq` on has to be read again.
    #[serde(rename = "client/fellBehind")]
    FellBehind(FellBehind),
}

/// An agent is doing something else.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThreadStatusChanged {
    /// The thread.
    pub thread_id: String,
    /// What it is doing.
    pub status: AgentStatus,
}

/// An agent was labelled.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThreadNoteUpdated {
    /// The thread.
    pub thread_id: String,
    /// The label.
    pub thread_note: Option<String>,
}

/// Something happened.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThreadEvent {
    /// The root of the tree.
    pub session_id: String,
    /// What happened, as `run --format jsonl` prints it.
    pub event: Value,
}

/// A turn.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnNotification {
    /// The thread.
    pub thread_id: String,
    /// The turn.
    pub turn: Turn,
}

/// Something in a turn begins.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemStarted {
    /// The thread.
    pub thread_id: String,
    /// The turn.
    pub turn_id: String,
    /// What it is.
    pub item: ThreadItem,
    /// When, in milliseconds since 1970.
    pub started_at_ms: i64,
}

/// Something in a turn is over.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemCompleted {
    /// The thread.
    pub thread_id: String,
    /// The turn.
    pub turn_id: String,
    /// What it is.
    pub item: ThreadItem,
    /// When, in milliseconds since 1970.
    pub completed_at_ms: i64,
}

/// More words.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemDelta {
    /// The thread.
    pub thread_id: String,
    /// The turn.
    pub turn_id: String,
    /// What they belong to.
    pub item_id: String,
    /// The words.
    pub delta: String,
}

/// An approval request that needs no answer any more.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResolved {
    /// The question.
    pub approval_id: String,
    /// The thread that asked.
    pub thread_id: String,
    /// The answer, if anyone gave one.
    pub decision: Option<ApprovalDecision>,
}

/// Something went wrong.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorNotification {
    /// The thread.
    pub thread_id: Option<String>,
    /// What.
    pub error: TurnError,
    /// Whether it is tried again.
    pub will_retry: bool,
}

/// A client was too slow.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FellBehind {
    /// The root of the tree.
    pub session_id: String,
    /// The number of the first event it missed.
    pub from_seq: u64,
}
