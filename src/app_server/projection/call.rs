//! Calls of tools as items.

use serde_json::Value;

use super::super::protocol::{CallStatus, CollabAgentState, CollabTool, ThreadItem};
use crate::event::{CollabBegin, CollabEnd, What};

/// Tools that act on other agents. They say so themselves, once it is clear on whom.
const ON_OTHERS: &[&str] = &[
    "spawn_agent",
    "send_input",
    "wait",
    "resume_agent",
    "close_agent",
    "collaboration.init_agent",
    "collaboration.send",
    "collaboration.wait",
    "collaboration.close",
];

/// How a call ended.
pub(super) struct End<'a> {
    pub status: CallStatus,
    pub output: &'a str,
    pub duration_ms: Option<u64>,
}

/// Whether a tool acts on other agents.
pub(super) fn acts_on_others(tool: &str) -> bool {
    ON_OTHERS.contains(&tool)
}

/// A call that has begun.
pub(super) fn item(tool: &str, call_id: &str, arguments: &Value) -> ThreadItem {
    let (id, status) = (call_id.to_owned(), CallStatus::InProgress);
    let (tool_name, arguments) = (tool.to_owned(), arguments.clone());
    match tool {
        "shell" | "exec_command" => ThreadItem::CommandExecution {
            id,
            command: command(&arguments),
            status,
            aggregated_output: None,
            duration_ms: None,
        },
        "write_file" | "apply_patch" => ThreadItem::FileChange {
            id,
            tool: tool_name,
            arguments,
            status,
            output: None,
            duration_ms: None,
        },
        _ => ThreadItem::ToolCall {
            id,
            tool: tool_name,
            arguments,
            status,
            output: None,
            duration_ms: None,
        },
    }
}

/// The command of a call, in one line of a shell or as a program with its arguments.
fn command(arguments: &Value) -> String {
    if let Some(command) = arguments["command"].as_str() {
        return command.to_owned();
    }
    let program = arguments["program"].as_str().into_iter();
    let more = arguments["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
    program.chain(more).collect::<Vec<_>>().join(" ")
}

/// The same call, now that it is over.
pub(super) fn ended(mut item: ThreadItem, end: &End<'_>) -> ThreadItem {
    let told = Some(end.output.to_owned());
    match &mut item {
        ThreadItem::CommandExecution { status, aggregated_output: output, duration_ms, .. }
        | ThreadItem::FileChange { status, output, duration_ms, .. }
        | ThreadItem::McpToolCall { status, result: output, duration_ms, .. }
        | ThreadItem::ToolCall { status, output, duration_ms, .. } => {
            (*status, *output, *duration_ms) = (end.status, told, end.duration_ms);
        }
        ThreadItem::CollabAgentToolCall { status, .. } => *status = end.status,
        ThreadItem::UserMessage { .. }
        | ThreadItem::AgentMessage { .. }
        | ThreadItem::Reasoning { .. } => {}
    }
    item
}

/// What one agent begins to do to others.
pub(super) fn begins(what: &What) -> Option<(CollabTool, &CollabBegin)> {
    match what {
        What::CollabAgentSpawnBegin(begun) => Some((CollabTool::SpawnAgent, begun)),
        What::CollabAgentInteractionBegin(begun) => Some((CollabTool::SendInput, begun)),
        What::CollabWaitingBegin(begun) => Some((CollabTool::Wait, begun)),
        What::CollabCloseBegin(begun) => Some((CollabTool::CloseAgent, begun)),
        What::CollabResumeBegin(begun) => Some((CollabTool::ResumeAgent, begun)),
        _ => None,
    }
}

/// What came of that.
pub(super) fn ends(what: &What) -> Option<(CollabTool, &CollabEnd)> {
    match what {
        What::CollabAgentSpawnEnd(end) => Some((CollabTool::SpawnAgent, end)),
        What::CollabAgentInteractionEnd(end) => Some((CollabTool::SendInput, end)),
        What::CollabWaitingEnd(end) => Some((CollabTool::Wait, end)),
        What::CollabCloseEnd(end) => Some((CollabTool::CloseAgent, end)),
        What::CollabResumeEnd(end) => Some((CollabTool::ResumeAgent, end)),
        _ => None,
    }
}

/// Something one agent begins to do to others, as an item.
pub(super) fn collab(tool: CollabTool, sender: &str, begun: &CollabBegin) -> ThreadItem {
    ThreadItem::CollabAgentToolCall {
        id: begun.call_id.clone(),
        tool,
        status: CallStatus::InProgress,
        sender_thread_id: sender.to_owned(),
        receiver_thread_ids: begun.receiver_thread_ids.clone(),
        prompt: begun.prompt.clone(),
        model: begun.model.clone(),
        reasoning_effort: begun.reasoning_effort.clone(),
        agents_states: Default::default(),
    }
}

/// The same, now that it is over.
pub(super) fn collab_ended(tool: CollabTool, sender: &str, end: &CollabEnd) -> ThreadItem {
    let mut item = collab(tool, sender, &end.begun);
    if let ThreadItem::CollabAgentToolCall { status, agents_states, .. } = &mut item {
        *status = if end.success { CallStatus::Completed } else { CallStatus::Failed };
        *agents_states = end
            .agents_states
            .iter()
            .map(|(id, now)| {
                let message = now.message.clone();
                (id.clone(), CollabAgentState { status: now.status.into(), message })
            })
            .collect();
    }
    item
}
