//! `collaboration.close`: agents that are no longer needed, and everything below them.

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
    tools::{CallCx, Tool, ToolError, ToolFuture},
};

/// The `collaboration.close` tool.
#[derive(Debug)]
pub(in crate::collab) struct Close(pub Handle);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    recipients: Vec<u32>,
}

impl Tool for Close {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "collaboration.close".to_owned(),
            description: "Close agents you created, and every agent below them.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "recipients": {
                        "type": "array",
                        "items": { "type": "integer", "minimum": 0 },
                        "description": "The agents' numbers.",
                    },
                },
                "required": ["recipients"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.close(cx, arguments).await })
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl Close {
    async fn close(&self, cx: CallCx<'_>, arguments: Value) -> Result<String, ToolError> {
        let (session, caller) = self.0.call(cx)?;
        let found = read(arguments).and_then(|Arguments { recipients }| {
            if recipients.is_empty() {
                return Err(Report::mistake("recipients must not be empty"));
            }
            // All of them or none.
            let all = distinct(recipients).into_iter().map(|index| child(&session, &caller, index));
            all.collect::<Result<Vec<_>, _>>().map_err(|error| Report::failure(&error))
        });
        let receivers = found.iter().flatten().map(|member| member.id().to_owned()).collect();
        let begun = CollabBegin { receiver_thread_ids: receivers, ..CollabBegin::default() };
        let pair = Pair::begin(&session, cx, Act::Close, begun)?;
        let targets = match found {
            Ok(targets) => targets,
            Err(report) => return refused(pair, report),
        };
        let mut closed = Vec::new();
        for target in &targets {
            closed.extend(session.close(target, Some(&caller)).await);
        }
        pair.worked(states(&closed), |_| {})?;
        let indices: Vec<u32> = closed.iter().map(|member| member.index).collect();
        let (count, plural) = (targets.len(), if targets.len() == 1 { "" } else { "s" });
        Report::success(format_args!("Closed {count} agent{plural} (and their descendants)."))
            .extra("closed_agent_indices", json!(indices))
            .answer()
    }
}
