//! `collaboration.wait`: until agents have used so many tokens, or rest.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    super::{
        caller::Handle,
        pair::{Act, Pair, states},
    },
    report::{Report, child, distinct, read},
    send::refused,
};
use crate::{
    conversation::ToolSpec,
    event::CollabBegin,
    session::{Member, Session},
    tools::{CallCx, Tool, ToolError, ToolFuture},
};

/// The `collaboration.wait` tool.
#[derive(Debug)]
pub(in crate::collab) struct Wait(pub Handle);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    max_duration: i64,
    recipients: Option<Vec<u32>>,
}

impl Tool for Wait {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "collaboration.wait".to_owned(),
            description: "Wait until agents you created have used so many tokens together, or all \
                          of them rest. `collaboration.get_state` then shows their results."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "max_duration": {
                        "type": "integer",
                        "minimum": 0,
                        "description": "Tokens to wait for at most.",
                    },
                    "recipients": {
                        "type": "array",
                        "items": { "type": "integer", "minimum": 0 },
                        "description": "The agents' numbers; all you created unless given.",
                    },
                },
                "required": ["max_duration"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.wait(cx, arguments).await })
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl Wait {
    async fn wait(&self, cx: CallCx<'_>, arguments: Value) -> Result<String, ToolError> {
        let (session, caller) = self.0.call(cx)?;
        let found = read(arguments).and_then(|arguments| targets(&session, &caller, arguments));
        let receivers = found.iter().flat_map(|(targets, _)| targets);
        let begun = CollabBegin {
            receiver_thread_ids: receivers.map(|member| member.id().to_owned()).collect(),
            ..CollabBegin::default()
        };
        let pair = Pair::begin(&session, cx, Act::Waiting, begun)?;
        let (targets, budget) = match found {
            Ok(found) => found,
            Err(report) => return refused(pair, report.with("is_wait_success_msg", json!(false))),
        };
        let waited = session.wait_for_tokens(&targets, budget).await;
        pair.worked(states(&targets), |_| {})?;
        let ran = waited.used.iter().map(|(member, tokens)| {
            json!({
                "agent_idx": member.index,
                "delta_tokens": tokens,
                "status": member.state().life.cycle.name(),
            })
        });
        Report::success("Finished waiting.")
            .with("is_wait_success_msg", json!(true))
            .extra("agents_ran", ran.collect())
            .extra("token_budget_exhausted", json!(waited.is_exhausted))
            .answer()
    }
}

/// The agents that are waited for, and for how many tokens.
fn targets(
    session: &Session,
    caller: &Member,
    arguments: Arguments,
) -> Result<(Vec<Arc<Member>>, u64), Report> {
    let budget = u64::try_from(arguments.max_duration)
        .map_err(|_| Report::mistake("max_duration must not be negative"))?;
    let Some(recipients) = arguments.recipients else {
        return Ok((session.children(caller), budget));
    };
    let found: Result<Vec<_>, _> =
        distinct(recipients).into_iter().map(|index| child(session, caller, index)).collect();
    found.map(|found| (found, budget)).map_err(|error| Report::failure(&error))
}
