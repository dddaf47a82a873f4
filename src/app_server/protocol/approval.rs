//! Questions to people, and their answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Asks a client whether a call may happen. The first answer of any client counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequest {
    /// The question, to tell it from others.
    pub approval_id: String,
    /// The thread that asks.
    pub thread_id: String,
    /// Its turn.
    pub turn_id: Option<String>,
    /// The call.
    pub item_id: String,
    /// Where the agent is: the agents from the main one down to it.
    pub agent_path: Vec<String>,
    /// The tool.
    pub tool: String,
    /// Exactly what will happen.
    pub detail: String,
}

/// An answer to that.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalResponse {
    /// The answer.
    pub decision: ApprovalDecision,
}

/// Answers a question as a request, for a client that no longer knows who asked it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalAnswerParams {
    /// The question.
    pub approval_id: String,
    /// The answer.
    pub decision: ApprovalDecision,
}

/// What came of that.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAnswerResult {
    /// Whether this was the answer that counts.
    pub applied: bool,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ApprovalDecision {
    /// Yes, this time.
    Accept,
    /// Yes, and the same tool need not ask again.
    AcceptForSession,
    /// No.
    Decline,
}
