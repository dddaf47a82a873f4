//! `TaskOutput`: the result of a sub-agent in the background.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{caller::Handle, task::answered};
use crate::{
    conversation::ToolSpec,
    session::SessionError,
    store::StoreError,
    tools::{CallCx, Tool, ToolError, ToolFuture, parse},
};

/// How often a sub-agent is looked at while it works.
const LOOK: Duration = Duration::from_millis(100);

/// The `TaskOutput` tool.
#[derive(Debug)]
pub(super) struct TaskOutputTool(pub Handle);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    agent_id: String,
    #[serde(default = "yes")]
    block: bool,
    #[serde(default = "five_minutes")]
    timeout: u64,
}

fn yes() -> bool {
    true
}

fn five_minutes() -> u64 {
    300
}

impl Tool for TaskOutputTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "TaskOutput".to_owned(),
            description: "Get the result of a sub-agent that runs in the background.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "agent_id": { "type": "string", "description": "The id `Task` returned." },
                    "block": {
                        "type": "boolean",
                        "description": "Whether to wait until it ends; yes unless given.",
                    },
                    "timeout": {
                        "type": "integer",
                        "minimum": 0,
                        "description": "Seconds to wait at most; 300 unless given.",
                    },
                },
                "required": ["agent_id"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, _: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.wait(parse(arguments)?).await })
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl TaskOutputTool {
    async fn wait(&self, arguments: Arguments) -> Result<String, ToolError> {
        let Arguments { agent_id, block, timeout } = arguments;
        let session = self.0.session()?;
        let (store, _) = session.kept().ok_or(SessionError::NotKept)?;
        let until = Instant::now() + Duration::from_secs(timeout);
        loop {
            let thread = match store.thread(&agent_id) {
                Ok(thread) => thread,
                Err(StoreError::NoThread(_)) => {
                    return refused("not_found", "No task found with that agent_id");
                }
                Err(error) => return Err(ToolError::refused(error)),
            };
            if !thread.status.is_active()
                && let Some(outcome) = &thread.outcome
            {
                session.has_heard(&thread.begun.id);
                return answered(outcome);
            }
            if !block || Instant::now() >= until {
                let status = thread.status.name();
                return refused(status, "Task still running or timed out waiting");
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

fn refused(status: &str, message: &str) -> Result<String, ToolError> {
    Err(ToolError::Refused(json!({ "status": status, "message": message }).to_string()))
}
