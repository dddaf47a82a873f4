//! `Task`: a sub-agent for one piece of work.

use serde::Deserialize;
use serde_json::{Value, json};

use super::caller::Handle;
use crate::{
    conversation::ToolSpec,
    event::Outcome,
    session::Spawn,
    tools::{CallCx, Tool, ToolError, ToolFuture, parse},
};

/// The longest list of agents in the description.
const MAX_AGENTS: usize = 40;

/// The `Task` tool.
#[derive(Debug)]
pub(super) struct TaskTool(pub Handle);

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
        let agents = self.agents();
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

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.delegate(cx, parse(arguments)?).await })
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl TaskTool {
    /// The agents there are, one a line.
    fn agents(&self) -> Vec<String> {
        let Ok(session) = self.0.session() else { return Vec::new() };
        let all = session.catalog().entries.iter();
        let visible = all.filter(|entry| entry.shadowed_by.is_none()).take(MAX_AGENTS);
        visible
            .map(|entry| {
                let what = entry.definition.description.as_ref().map_or("", |text| &text.value);
                format!("- {}: {}", entry.full_name(), crate::text::one_line(what))
            })
            .collect()
    }

    async fn delegate(&self, cx: CallCx<'_>, arguments: Arguments) -> Result<String, ToolError> {
        let (session, caller) = self.0.call(cx)?;
        let Arguments { subagent_type, prompt, description, model, run_in_background, resume } =
            arguments;
        if let Some(id) = resume {
            if run_in_background {
                return Err(ToolError::refused(
                    "a sub-agent cannot be resumed in the background; leave out one of the two",
                ));
            }
            return answered(&session.resume_task(&caller, &id, prompt).await?);
        }
        let context = session.offered(&subagent_type, cx.history);
        let task = Spawn {
            description: Some(description.clone()),
            model,
            call_id: cx.call_id.to_owned(),
            ..Spawn::task(subagent_type, prompt, context)
        };
        if !run_in_background {
            return answered(&session.run_task(&caller, task).await?);
        }
        let started =
            tokio::task::spawn_blocking(move || session.start_in_background(&caller, task)).await;
        let id = started.map_err(ToolError::refused)??;
        let answer =
            json!({ "status": "async_launched", "agent_id": id, "description": description });
        Ok(answer.to_string())
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
