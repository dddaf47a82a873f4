//! `resume_agent`: an agent that was closed, opened again.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    caller::{Handle, below},
    pair::{Act, Pair, states},
    wait::status,
};
use crate::{
    conversation::ToolSpec,
    event::CollabBegin,
    tools::{CallCx, Tool, ToolError, ToolFuture, parse},
};

/// The `resume_agent` tool.
#[derive(Debug)]
pub(super) struct ResumeAgent(pub Handle);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: String,
}

impl Tool for ResumeAgent {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "resume_agent".to_owned(),
            description: "Open an agent again that was closed, with all it knows, and the agents \
                          below it that were closed with it. `send_input` then tells it what to do."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "id": { "type": "string", "description": "The agent's id." },
                },
                "required": ["id"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.resume(cx, &parse(arguments)?) })
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl ResumeAgent {
    fn resume(&self, cx: CallCx<'_>, arguments: &Arguments) -> Result<String, ToolError> {
        let (session, caller) = self.0.call(cx)?;
        let target = below(&session, &caller, &arguments.id);
        let known = target.as_ref().map_or(&arguments.id, |member| &member.me.agent_id);
        let begun =
            CollabBegin { receiver_thread_ids: vec![known.clone()], ..CollabBegin::default() };
        let pair = Pair::begin(&session, cx, Act::Resume, begun)?;
        let resumed = target.and_then(|member| Ok((session.resume(&member)?, member)));
        let (opened, member) = match resumed {
            Ok(resumed) => resumed,
            Err(error) => return Err(pair.failed(error)),
        };
        pair.worked(states(&opened), |_| {})?;
        Ok(json!({ "status": status(&member.state().told()) }).to_string())
    }
}
