//! `collaboration.get_state`: every agent of the session and what it is doing.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    super::caller::Handle,
    report::{Report, read},
};
use crate::{
    conversation::ToolSpec,
    session::Member,
    tools::{CallCx, Tool, ToolError, ToolFuture},
};

/// How much of an agent's last message is shown.
const MAX_SHOWN: usize = 20_000;

/// The `collaboration.get_state` tool.
#[derive(Debug)]
pub(in crate::collab) struct GetState(pub Handle);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {}

impl Tool for GetState {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "collaboration.get_state".to_owned(),
            description: "Show every agent of the session: what it is doing, what it said last, \
                          and how many tokens it used."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {},
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.state(cx, arguments) })
    }
}

impl GetState {
    fn state(&self, cx: CallCx<'_>, arguments: Value) -> Result<String, ToolError> {
        let (session, caller) = self.0.call(cx)?;
        if let Err(report) = read::<Arguments>(arguments) {
            return report.answer();
        }
        let members = session.members();
        let lines: Vec<String> = members.iter().map(|member| line(member, &caller)).collect();
        Report::success(lines.join("\n"))
            .extra("agents", members.iter().map(|member| shown(member)).collect())
            .answer()
    }
}

fn line(member: &Member, caller: &Member) -> String {
    let life = member.state().life;
    let who = if member.index == caller.index { " (you)" } else { "" };
    let parent = member.parent.map(|parent| format!(", child of {parent}")).unwrap_or_default();
    let juice = member.juice.map(|most| format!(" of {most}")).unwrap_or_default();
    let said = life.message().map(|message| format!(": {}", cut(message))).unwrap_or_default();
    let (kind, status, tokens) = (&member.me.agent_type, life.cycle.name(), life.tokens());
    format!("Agent {}{who} [{kind}{parent}] {status}, {tokens}{juice} tokens{said}", member.index)
}

fn shown(member: &Member) -> Value {
    let life = member.state().life;
    json!({
        "agent_idx": member.index,
        "parent_agent_idx": member.parent,
        "depth": member.depth,
        "status": life.cycle.name(),
        "used_juice": life.tokens(),
        "max_juice": member.juice,
        "agent_type": member.me.agent_type,
        "thread_id": member.id(),
        "last_agent_message": life.message().map(cut),
    })
}

fn cut(text: &str) -> String {
    if text.len() <= MAX_SHOWN {
        return text.to_owned();
    }
    format!("{} [… cut]", &text[..text.floor_char_boundary(MAX_SHOWN)])
}
