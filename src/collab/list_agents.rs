//! `list_agents`: the kinds of agents there are.

use serde::Deserialize;
use serde_json::{Value, json};

use super::caller::Handle;
use crate::{
    conversation::ToolSpec,
    render::list_json,
    tools::{CallCx, Tool, ToolError, ToolFuture, parse},
};

/// The `list_agents` tool.
#[derive(Debug)]
pub(super) struct ListAgents(pub Handle);

/// What a model that starts agents has to know about them.
const SHOWN: &[&str] = &[
    "agent_type",
    "description",
    "allow_list",
    "deny_list",
    "agent_names",
    "model",
    "reasoning_effort",
    "default_prompt",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    agent_type: Option<String>,
    #[serde(default)]
    expanded: bool,
}

impl Tool for ListAgents {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "list_agents".to_owned(),
            description: "Show the kinds of agents that can be started, with what each may do and \
                          the personas it has."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "agent_type": { "type": "string", "description": "Only this kind." },
                    "expanded": {
                        "type": "boolean",
                        "description": "Whether to show models, efforts and prompts, too.",
                    },
                },
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, _: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.list(&parse(arguments)?) })
    }
}

impl ListAgents {
    fn list(&self, arguments: &Arguments) -> Result<String, ToolError> {
        let session = self.0.session()?;
        let all = session.catalog().entries.iter().filter(|entry| entry.shadowed_by.is_none());
        let wanted = arguments.agent_type.as_deref();
        let chosen: Vec<_> =
            all.filter(|entry| wanted.is_none_or(|kind| entry.full_name() == kind)).collect();
        if let (Some(kind), true) = (wanted, chosen.is_empty()) {
            let known = session.types().join(", ");
            return Err(ToolError::refused(format_args!(
                "unknown agent_type '{kind}'; there are {known}"
            )));
        }
        let mut list = list_json(session.catalog(), &chosen, arguments.expanded);
        for agent in list.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            agent.retain(|key, _| SHOWN.contains(&key.as_str()));
        }
        Ok(list.to_string())
    }
}
