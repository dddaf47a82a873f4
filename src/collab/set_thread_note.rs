//! `set_thread_note`: a label for an agent.

use serde::Deserialize;
use serde_json::{Value, json};

use super::caller::Handle;
use crate::{
    conversation::ToolSpec,
    session::{Member, SessionError},
    tools::{CallCx, Tool, ToolError, ToolFuture, parse},
};

/// The `set_thread_note` tool.
#[derive(Debug)]
pub(super) struct SetThreadNote(pub Handle);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: String,
    note: String,
}

impl Tool for SetThreadNote {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "set_thread_note".to_owned(),
            description: "Label yourself or an agent below you, for people. An empty note takes \
                          the label away."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "id": { "type": "string", "description": "The agent's id." },
                    "note": { "type": "string", "description": "The label: one short line." },
                },
                "required": ["id", "note"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.set(cx, &parse(arguments)?) })
    }
}

impl SetThreadNote {
    fn set(&self, cx: CallCx<'_>, arguments: &Arguments) -> Result<String, ToolError> {
        let (session, caller) = self.0.call(cx)?;
        let member = session.find(&arguments.id)?;
        if !session.is_within(&member, &caller) {
            return Err(SessionError::NotFound(arguments.id.clone()).into());
        }
        let note = session.set_note(&member, &arguments.note)?;
        Ok(json!({ "submission_id": Member::submission(), "thread_note": note }).to_string())
    }
}
