//! What holds for every format.

use serde_json::json;

use super::*;
use crate::{
    conversation::{Message, ToolCall, ToolResult, ToolSpec},
    provider::{Caller, Sampling},
};

static CALLER: Caller = Caller { agent_id: String::new(), agent_type: String::new(), ordinal: 1 };
static PLAIN: Sampling =
    Sampling { temperature: None, top_p: None, thinking_budget: None, effort: None };

/// A request that asks nothing.
pub(super) fn question() -> Request<'static> {
    Request { caller: &CALLER, model: "m", system: "", messages: &[], tools: &[], sampling: &PLAIN }
}

/// A call of `name` without arguments.
pub(super) fn call(id: &str, name: &str) -> Part {
    let (id, name) = (id.to_owned(), name.to_owned());
    Part::Call(ToolCall { id, name, arguments: "{}".to_owned(), signature: None })
}

/// A result.
pub(super) fn result(call_id: &str, content: &str) -> ToolResult {
    let (call_id, content) = (call_id.to_owned(), content.to_owned());
    ToolResult { call_id, name: String::new(), content, is_error: false }
}

/// A tool without arguments.
pub(super) fn tool(name: &str) -> ToolSpec {
    let parameters = json!({"type": "object", "properties": {}});
    ToolSpec { name: name.to_owned(), description: String::new(), parameters }
}
