//! `close_agent`: an agent that is no longer needed, and everything below it.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    caller::Handle,
    pair::{Act, Pair, states},
    wait::status,
};
use crate::{
    conversation::ToolSpec,
    event::CollabBegin,
    session::SessionError,
    tools::{CallCx, Tool, ToolError, ToolFuture, parse},
};

/// The `close_agent` tool.
#[derive(Debug)]
pub(super) struct CloseAgent(pub Handle);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: String,
}

impl Tool for CloseAgent {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "close_agent".to_owned(),
            description: "Close an agent you no longer need, and every agent below it. What it is \
                          doing is stopped."
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
        Box::pin(async move { self.close(cx, parse(arguments)?).await })
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl CloseAgent {
    async fn close(&self, cx: CallCx<'_>, arguments: Arguments) -> Result<String, ToolError> {
        let (session, caller) = self.0.call(cx)?;
        let target = session.find(&arguments.id).and_then(|found| {
            let is_main = found.index == 0;
            if is_main || !session.is_within(&found, &caller) {
                return Err(SessionError::NotBelow(arguments.id.clone()));
            }
            Ok(found)
        });
        let known = target.as_ref().map_or(&arguments.id, |member| &member.me.agent_id);
        let begun =
            CollabBegin { receiver_thread_ids: vec![known.clone()], ..CollabBegin::default() };
        let pair = Pair::begin(&session, cx, Act::Close, begun)?;
        let target = match target {
            Ok(target) => target,
            Err(error) => return Err(pair.failed(error)),
        };
        let before = target.state().told();
        let closed = session.close(&target, Some(&caller)).await;
        pair.worked(states(&closed), |_| {})?;
        Ok(json!({ "previous_status": status(&before) }).to_string())
    }
}
