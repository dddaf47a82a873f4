//! `send_input`: more to do for an agent, after its present work or at once.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    caller::{Handle, below},
    items::{self, Item},
    pair::{Act, Pair, states},
};
use crate::{
    conversation::ToolSpec,
    event::CollabBegin,
    session::{Delivery, Member},
    tools::{CallCx, Tool, ToolError, ToolFuture, parse},
};

/// The `send_input` tool.
#[derive(Debug)]
pub(super) struct SendInput(pub Handle);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: String,
    message: Option<String>,
    items: Option<Vec<Item>>,
    #[serde(default)]
    interrupt: bool,
}

impl Tool for SendInput {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "send_input".to_owned(),
            description: "Tell an agent you started more. It reads that when it is done with what \
                          it is doing; one that is done begins again."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "id": { "type": "string", "description": "The agent's id." },
                    "message": { "type": "string", "description": "What to tell it." },
                    "items": items::schema(),
                    "interrupt": {
                        "type": "boolean",
                        "description": "Whether it drops what it is doing and reads this at once; \
                                        not unless given.",
                    },
                },
                "required": ["id"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.send(cx, parse(arguments)?) })
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl SendInput {
    fn send(&self, cx: CallCx<'_>, arguments: Arguments) -> Result<String, ToolError> {
        let (session, caller) = self.0.call(cx)?;
        let target = below(&session, &caller, &arguments.id);
        let known = target.as_ref().map_or(&arguments.id, |member| &member.me.agent_id);
        let begun = CollabBegin {
            receiver_thread_ids: vec![known.clone()],
            prompt: arguments.message.clone(),
            ..CollabBegin::default()
        };
        let pair = Pair::begin(&session, cx, Act::Interaction, begun)?;
        let sent = target.map_err(ToolError::from).and_then(|member| {
            let text = items::text(arguments.message, arguments.items)?;
            let delivery =
                if arguments.interrupt { Delivery::Interrupt } else { Delivery::AfterWork };
            session.send(&member, text.clone(), delivery)?;
            Ok((member, text))
        });
        let (member, text) = match sent {
            Ok(sent) => sent,
            Err(error) => return Err(pair.failed(error)),
        };
        pair.worked(states(&[member]), |begun| begun.prompt = Some(text))?;
        Ok(json!({ "submission_id": Member::submission() }).to_string())
    }
}
