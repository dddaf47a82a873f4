//! `Task`: a sub-agent for one piece of work.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    conversation::ToolSpec,
    event::Outcome,
    session::{Session, Task},
    tools::{Tool, ToolCx, ToolError, ToolFuture, parse},
};

/// The longest list of agents in the description.
const MAX_AGENTS: usize = 40;

/// The `Task` tool.
#[derive(Debug)]
pub struct TaskTool(pub Arc<Session>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    subagent_type: String,
    prompt: String,
    description: String,
    model: Option<String>,
    #[serde(default)]
    run_in_background: bool,
    resume: Option<String>,
}

impl Tool for TaskTool {
    fn spec(&self) -> ToolSpec {
        let visible = self.0.catalog.entries.iter().filter(|entry| entry.shadowed_by.is_none());
        let agents: Vec<String> = visible
            .take(MAX_AGENTS)
            .map(|entry| {
                let what = entry.definition.description.as_ref().map_or("", |text| &text.value);
                format!("- {}: {}", entry.full_name(), crate::text::one_line(what))
            })
            .collect();
        ToolSpec {
            name: "Task".to_owned(),
            description: format!(
                "Start a sub-agent for a focused piece of work and get its result. It sees nothing \
                 of this conversation: put everything it needs into the prompt. Several calls in \
                 one turn run side by side. Types:\n{}",
                agents.join("\n")
            ),
            parameters: json!({
                "type": "object",
                "properties": {
                    "subagent_type": { "type": "string", "description": "The kind of sub-agent." },
                    "prompt": { "type": "string", "description": "What it is to do, in full." },
                    "description": {
                        "type": "string",
                        "description": "The same in three to five words, for people.",
                    },
                    "model": {
                        "type": "string",
                        "description": "Another model than its own: `sonnet`, `haiku`, `opus`, \
                                        `inherit` or `provider/model`.",
                    },
                    "run_in_background": {
                        "type": "boolean",
                        "description": "Return at once with its id; TaskOutput gets the result.",
                    },
                    "resume": {
                        "type": "string",
                        "description": "The id of a sub-agent that ended: it goes on with all it \
                                        knows, and `prompt` is what it is told.",
                    },
                },
                "required": ["subagent_type", "prompt", "description"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, _: &'a ToolCx, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.delegate(parse(arguments)?).await })
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl TaskTool {
    async fn delegate(&self, arguments: Arguments) -> Result<String, ToolError> {
        let Arguments { subagent_type, prompt, description, model, run_in_background, resume } =
            arguments;
        let task = Task { agent_type: subagent_type, prompt, description, model };
        if run_in_background {
            if resume.is_some() {
                return Err(ToolError::refused(
                    "a sub-agent cannot be resumed in the background; leave out one of the two",
                ));
            }
            let session = Arc::clone(&self.0);
            let description = task.description.clone();
            let started = tokio::task::spawn_blocking(move || session.start(&task)).await;
            let id = started.map_err(ToolError::refused)?.map_err(ToolError::refused)?;
            let answer =
                json!({ "status": "async_launched", "agent_id": id, "description": description });
            return Ok(answer.to_string());
        }
        let outcome = match resume {
            Some(id) => self.0.resume(&id, &task).await,
            None => self.0.run(task).await,
        };
        answered(&outcome.map_err(ToolError::refused)?)
    }
}

/// The result of a sub-agent, for the model that asked for it. One that was not reached is an
/// error, with everything that is known.
pub(super) fn answered(outcome: &Outcome) -> Result<String, ToolError> {
    let text = serde_json::to_string(outcome).unwrap_or_default();
    if outcome.status == crate::event::Status::Goal {
        Ok(text)
    } else {
        Err(ToolError::Refused(text))
    }
}
