//! `collaboration.init_agent`: a new agent below the one that calls.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    super::{
        caller::Handle,
        pair::{Act, Pair, states},
    },
    report::{Report, read},
    send::refused,
};
use crate::{
    conversation::{Message, Part, ToolSpec},
    event::CollabBegin,
    plan::{Context, Finish},
    session::Spawn,
    tools::{CallCx, Tool, ToolError, ToolFuture, sandbox::Mode},
};

/// The `collaboration.init_agent` tool.
#[derive(Debug)]
pub(in crate::collab) struct InitAgent(pub Handle);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Ignored: numbers are given out here.
    #[serde(rename = "agent_idx")]
    _agent_idx: Option<Value>,
    #[serde(default)]
    context_strategy: Strategy,
    instructions: Option<String>,
    sandbox_policy: Option<String>,
    model: Option<String>,
    agent_type: Option<String>,
    juice: Option<i64>,
}

/// What the new agent knows when it begins.
#[derive(Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Strategy {
    #[default]
    #[serde(alias = "New")]
    New,
    #[serde(alias = "Fork")]
    Fork,
    #[serde(alias = "Replace")]
    Replace(Vec<Said>),
}

/// Something that was said before.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    role: String,
    content: String,
}

impl Tool for InitAgent {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "collaboration.init_agent".to_owned(),
            description:
                "Create an agent below you. It begins to work when you send it a message; \
                          its number is in `extra.agent_idx`."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "agent_idx": {
                        "type": "integer",
                        "description": "Ignored: the number is given out.",
                    },
                    "context_strategy": {
                        "description": "What it knows when it begins: `new` (nothing; unless \
                                        given), `fork` (this conversation), or `{\"replace\": \
                                        [{\"role\", \"content\"}, …]}`.",
                        "anyOf": [
                            { "type": "string", "enum": ["new", "fork"] },
                            {
                                "type": "object",
                                "properties": {
                                    "replace": {
                                        "type": "array",
                                        "items": {
                                            "type": "object",
                                            "properties": {
                                                "role": {
                                                    "type": "string",
                                                    "enum": ["user", "assistant"],
                                                },
                                                "content": { "type": "string" },
                                            },
                                            "required": ["role", "content"],
                                        },
                                    },
                                },
                                "required": ["replace"],
                            },
                        ],
                    },
                    "instructions": {
                        "type": "string",
                        "description": "What it is told besides its definition.",
                    },
                    "sandbox_policy": {
                        "type": "string",
                        "enum": ["danger_full_access", "workspace_write", "read_only"],
                        "description": "At least as strict as yours; yours unless given.",
                    },
                    "model": { "type": "string", "description": "Yours unless given." },
                    "agent_type": {
                        "type": "string",
                        "description": "The kind of agent; `default` unless given.",
                    },
                    "juice": { "type": "integer", "description": "Tokens it may use at most." },
                },
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.init(cx, arguments) })
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl InitAgent {
    fn init(&self, cx: CallCx<'_>, arguments: Value) -> Result<String, ToolError> {
        let (session, caller) = self.0.call(cx)?;
        let pair = Pair::begin(&session, cx, Act::Spawn, CollabBegin::default())?;
        let started = read(arguments)
            .and_then(|arguments| wish(cx, arguments))
            .and_then(|wish| session.spawn(&caller, wish).map_err(|error| Report::failure(&error)));
        let member = match started {
            Ok(member) => member,
            Err(report) => return refused(pair, report),
        };
        let id = member.id().to_owned();
        pair.worked(states(std::slice::from_ref(&member)), |begun| {
            begun.receiver_thread_ids = vec![id.clone()];
            begun.model = member.model();
            begun.reasoning_effort = member.effort();
        })?;
        Report::success(format_args!("Created agent {} ({}).", member.index, member.name()))
            .extra("agent_idx", json!(member.index))
            .extra("parent_agent_idx", json!(caller.index))
            .extra("depth", json!(member.depth))
            .extra("max_juice", json!(member.juice))
            .extra("thread_id", json!(id))
            .answer()
    }
}

/// What the arguments ask for.
fn wish(cx: CallCx<'_>, arguments: Arguments) -> Result<Spawn, Report> {
    let juice = match arguments.juice.map(u64::try_from).transpose() {
        Ok(Some(0)) | Err(_) => return Err(Report::mistake("juice must be greater than zero")),
        Ok(juice) => juice,
    };
    let sandbox = match &arguments.sandbox_policy {
        None => None,
        Some(name) => Some(Mode::parse(name).ok_or_else(|| {
            let known: Vec<_> = Mode::ALL.iter().map(|(name, _)| *name).collect();
            Report::mistake(format_args!(
                "`{name}` is no sandbox policy; there are {}",
                known.join(", ")
            ))
        })?),
    };
    let context = match arguments.context_strategy {
        Strategy::New => Context::New,
        Strategy::Fork => Context::Fork(cx.history.to_vec()),
        Strategy::Replace(said) => Context::Replace(replaced(said)?),
    };
    Ok(Spawn {
        agent_type: arguments.agent_type,
        instructions: arguments.instructions,
        model: arguments.model.filter(|model| !model.trim().is_empty()),
        sandbox,
        juice,
        context,
        finish: Finish::LastMessage,
        call_id: cx.call_id.to_owned(),
        ..Spawn::default()
    })
}

/// A conversation that was handed in.
fn replaced(said: Vec<Said>) -> Result<Vec<Message>, Report> {
    let messages = said.into_iter().map(|one| match one.role.as_str() {
        "user" => Ok(Message::user(one.content)),
        "assistant" => {
            let parts = vec![Part::Text { text: one.content }];
            Ok(Message::Assistant { parts, by: String::new() })
        }
        role => Err(Report::mistake(format_args!("`{role}` is neither `user` nor `assistant`"))),
    });
    messages.collect()
}
