//! `wait`: until the first of several agents has ended.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    caller::{Handle, below},
    pair::{Act, Pair},
};
use crate::{
    conversation::ToolSpec,
    event::{AgentState, CollabBegin},
    session::Waited,
    tools::{CallCx, Tool, ToolError, ToolFuture, parse},
};

/// The `wait` tool.
#[derive(Debug)]
pub(super) struct Wait(pub Handle);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    ids: Vec<String>,
    timeout_ms: Option<i64>,
}

impl Tool for Wait {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "wait".to_owned(),
            description: "Wait until the first of these agents has ended; its status and its last \
                          message. Name all you wait for. A time-out means they still work."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "ids": {
                        "type": "array",
                        "items": { "type": "string" },
                        "minItems": 1,
                        "description": "The agents' ids.",
                    },
                    "timeout_ms": {
                        "type": "integer",
                        "description": "Milliseconds to wait at most; 300000 unless given, at least \
                                        10000 and at most 1800000 unless settings say otherwise.",
                    },
                },
                "required": ["ids"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.wait(cx, parse(arguments)?).await })
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl Wait {
    async fn wait(&self, cx: CallCx<'_>, arguments: Arguments) -> Result<String, ToolError> {
        let (session, caller) = self.0.call(cx)?;
        let targets: Vec<_> = arguments
            .ids
            .iter()
            .map(|id| match below(&session, &caller, id) {
                Ok(member) => (member.id().to_owned(), Some(member)),
                Err(_) => (id.clone(), None),
            })
            .collect();
        let receiver_thread_ids = targets.iter().map(|(id, _)| id.clone()).collect();
        let begun = CollabBegin { receiver_thread_ids, ..CollabBegin::default() };
        let pair = Pair::begin(&session, cx, Act::Waiting, begun)?;
        if targets.is_empty() {
            return Err(pair.failed(ToolError::refused("agent ids must be non-empty")));
        }
        let asked = match arguments.timeout_ms.map(u64::try_from).transpose() {
            Ok(asked) if asked != Some(0) => asked,
            _ => {
                return Err(pair.failed(ToolError::refused("timeout_ms must be greater than zero")));
            }
        };
        let time = session.collab().wait().time(asked);
        let waited = session.wait_as(Some(&caller), targets, time).await;
        let answer = answer(&waited);
        pair.worked(waited.ended, |_| {})?;
        Ok(answer)
    }
}

fn answer(waited: &Waited) -> String {
    let statuses: Map<String, Value> =
        waited.ended.iter().map(|(id, state)| (id.clone(), status(state))).collect();
    let first = waited.first.as_ref();
    let result = first.and_then(|first| waited.ended.get(first)?.message.clone());
    json!({
        "status": statuses,
        "timed_out": waited.timed_out,
        "completed_id": first,
        "result": result,
    })
    .to_string()
}

/// A status, with the last message of an agent that has one.
pub(super) fn status(state: &AgentState) -> Value {
    let name = state.status.name();
    match &state.message {
        Some(message) => json!({ name: message }),
        None => Value::String(name.to_owned()),
    }
}
