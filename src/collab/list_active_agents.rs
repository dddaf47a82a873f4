//! `list_active_agents`: the agents that were started, and what they are doing.

use std::time::SystemTime;

use serde::Deserialize;
use serde_json::{Value, json};

use super::caller::Handle;
use crate::{
    conversation::ToolSpec,
    event::rfc3339,
    session::{Member, Scope, Session},
    tools::{CallCx, Tool, ToolError, ToolFuture, parse},
};

/// The `list_active_agents` tool.
#[derive(Debug)]
pub(super) struct ListActiveAgents(pub Handle);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(default)]
    scope: Scope,
    #[serde(default)]
    include_tree: bool,
    #[serde(default)]
    include_closed: bool,
}

impl Tool for ListActiveAgents {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "list_active_agents".to_owned(),
            description: "Show the agents that were started, and what each is doing.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "scope": {
                        "type": "string",
                        "enum": ["children", "descendants", "all"],
                        "description": "Those you started, everything below you, or everything; \
                                        `children` unless given.",
                    },
                    "include_tree": {
                        "type": "boolean",
                        "description": "Whether to show who started each.",
                    },
                    "include_closed": {
                        "type": "boolean",
                        "description": "Whether to show those that were closed, too.",
                    },
                },
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.list(cx, &parse(arguments)?) })
    }
}

impl ListActiveAgents {
    fn list(&self, cx: CallCx<'_>, arguments: &Arguments) -> Result<String, ToolError> {
        let (session, caller) = self.0.call(cx)?;
        let found = session.listed(&caller, arguments.scope, arguments.include_closed);
        let shown = found.iter().map(|member| shown(&session, member, arguments.include_tree));
        Ok(Value::Array(shown.collect()).to_string())
    }
}

fn shown(session: &Session, member: &Member, with_tree: bool) -> Value {
    let state = member.state();
    let since = SystemTime::now().duration_since(state.since).unwrap_or_default();
    let mut value = json!({
        "thread_id": member.id(),
        "thread_name": member.name(),
        "thread_note": session.note(member),
        "agent_type": member.me.agent_type,
        "agent_name": member.persona(),
        "agent_idx": member.index,
        "status": state.status(),
        "status_duration_sec": since.as_secs(),
        "model": member.model(),
        "reasoning_effort": member.effort(),
        "updated_at": rfc3339(state.since),
    });
    if with_tree {
        let parent = member.parent.and_then(|parent| session.at(parent).ok());
        value["parent_thread_id"] = json!(parent.map(|parent| parent.id().to_owned()));
        value["depth"] = json!(member.depth);
    }
    value
}
