//! `spawn_agent`: another agent, below the one that calls.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    caller::Handle,
    items::{self, Item},
    pair::{Act, Pair, states},
};
use crate::{
    conversation::ToolSpec,
    event::CollabBegin,
    plan::{Context, Finish},
    session::{DEFAULT_TYPE, Member, Session, SessionError, Spawn, resolved},
    tools::{CallCx, Tool, ToolError, ToolFuture, parse},
};

/// The `spawn_agent` tool.
#[derive(Debug)]
pub(super) struct SpawnAgent {
    session: Handle,
    /// The directories someone was asked about, by the calls that need them.
    asked: Mutex<HashMap<Call, PathBuf>>,
}

/// An agent and its call.
type Call = (String, String);

impl SpawnAgent {
    pub fn new(session: Handle) -> Self {
        Self { session, asked: Mutex::default() }
    }
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    message: Option<String>,
    items: Option<Vec<Item>>,
    agent_type: Option<String>,
    agent_name: Option<String>,
    working_directory: Option<PathBuf>,
    model: Option<String>,
    reasoning_effort: Option<String>,
    thread_note: Option<String>,
    #[serde(default)]
    fork_context: bool,
}

impl Tool for SpawnAgent {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "spawn_agent".to_owned(),
            description:
                "Start an agent that works beside you, and get its id. It knows only what \
                          you write to it. Several calls in one turn start several agents. You are \
                          told when it ends; `wait` waits for that."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "message": { "type": "string", "description": "What it is to do, in full." },
                    "items": items::schema(),
                    "agent_type": {
                        "type": "string",
                        "description": "The kind of agent; `list_agents` shows them. `default` \
                                        unless given.",
                    },
                    "agent_name": {
                        "type": "string",
                        "description": "One of the personas `list_agents` shows for that kind.",
                    },
                    "working_directory": {
                        "type": "string",
                        "description": "Another directory than yours; a person is asked first.",
                    },
                    "model": { "type": "string", "description": "Another model than its own." },
                    "reasoning_effort": {
                        "type": "string",
                        "description": "How hard it thinks: `low`, `medium`, `high`…",
                    },
                    "thread_note": { "type": "string", "description": "A label, for people." },
                    "fork_context": {
                        "type": "boolean",
                        "description": "Whether it starts with this conversation; not unless given.",
                    },
                },
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.spawn(cx, parse(arguments)?) })
    }

    fn asks(&self, cx: CallCx<'_>, arguments: &Value) -> Option<String> {
        self.asked().remove(&call(cx));
        let arguments: Arguments = serde_json::from_value(arguments.clone()).ok()?;
        let (session, caller) = self.session.call(cx).ok()?;
        let elsewhere = elsewhere(&caller, arguments.working_directory.as_deref())?;
        // Nobody is asked about what would be refused anyway.
        let wish = wish(&session, cx, &caller, arguments).ok()?;
        session.check(&caller, &wish).ok()?;
        let kind = wish.agent_type.unwrap_or_else(|| "default".to_owned());
        let (there, here) = (elsewhere.display(), caller.cwd.display());
        let question = format!("start `{kind}` in {there} instead of {here}");
        self.asked().insert(call(cx), elsewhere);
        Some(question)
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl SpawnAgent {
    fn spawn(&self, cx: CallCx<'_>, arguments: Arguments) -> Result<String, ToolError> {
        let allowed = self.asked().remove(&call(cx));
        let (session, caller) = self.session.call(cx)?;
        let begun = CollabBegin {
            prompt: arguments.message.clone(),
            model: arguments.model.clone(),
            reasoning_effort: arguments.reasoning_effort.clone(),
            ..CollabBegin::default()
        };
        let pair = Pair::begin(&session, cx, Act::Spawn, begun)?;
        let wish = match wish(&session, cx, &caller, arguments) {
            Ok(wish) => wish,
            Err(error) => return Err(pair.failed(error)),
        };
        // What a name leads to may have changed since someone was asked, or not had to be.
        if let Some(there) = wish.cwd.as_ref().filter(|there| is_elsewhere(&caller, there))
            && allowed.as_ref() != Some(there)
        {
            let unasked = SessionError::Directory(there.clone());
            return Err(pair.failed(session.check(&caller, &wish).err().unwrap_or(unasked)));
        }
        let prompt = wish.message.clone();
        let note = wish.note.clone();
        let member = match session.spawn(&caller, wish) {
            Ok(member) => member,
            Err(error) => return Err(pair.failed(error)),
        };
        label(&session, &member, note.as_deref());
        let id = member.id().to_owned();
        pair.worked(states(std::slice::from_ref(&member)), |begun| {
            begun.receiver_thread_ids = vec![id.clone()];
            begun.prompt = prompt;
            begun.model = member.model();
            begun.reasoning_effort = member.effort();
        })?;
        Ok(json!({ "agent_id": id, "agent_idx": member.index }).to_string())
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<Call, PathBuf>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The call someone makes.
fn call(cx: CallCx<'_>) -> Call {
    (cx.agent.agent_id.clone(), cx.call_id.to_owned())
}

/// Makes the label known. An agent without one works all the same.
fn label(session: &Session, member: &Member, note: Option<&str>) {
    let note = note.map(str::to_owned).or_else(|| member.note()).unwrap_or_default();
    if let Err(error) = session.set_note(member, &note) {
        session.warn(member, &format!("its note could not be set: {error}"));
    }
}

/// The directory that is asked for, if it is not the caller's own.
fn elsewhere(caller: &Member, asked: Option<&Path>) -> Option<PathBuf> {
    let here = caller.plan()?.directory().to_owned();
    let there = resolved(&here, asked?).ok()?;
    is_elsewhere(caller, &there).then_some(there)
}

/// Whether `there` is not the caller's own directory.
fn is_elsewhere(caller: &Member, there: &Path) -> bool {
    let here = caller.plan().map(|plan| plan.directory().to_owned()).unwrap_or_default();
    resolved(&here, Path::new("")).ok().as_deref() != Some(there)
}

/// What the arguments ask for.
fn wish(
    session: &Session,
    cx: CallCx<'_>,
    caller: &Member,
    arguments: Arguments,
) -> Result<Spawn, ToolError> {
    let message = items::text(arguments.message, arguments.items)?;
    let cwd = match arguments.working_directory {
        Some(asked) => {
            let here = caller.plan().map(|plan| plan.directory().to_owned()).unwrap_or_default();
            Some(resolved(&here, &asked)?)
        }
        None => None,
    };
    let blank = |text: &String| !text.trim().is_empty();
    let agent_type = arguments.agent_type.filter(blank);
    let context = if arguments.fork_context {
        Context::Fork(cx.history.to_vec())
    } else {
        session.offered(agent_type.as_deref().unwrap_or(DEFAULT_TYPE), cx.history)
    };
    Ok(Spawn {
        message: Some(message),
        persona: arguments.agent_name.filter(blank),
        model: arguments.model,
        effort: arguments.reasoning_effort,
        cwd,
        note: arguments.thread_note,
        context,
        agent_type,
        finish: Finish::LastMessage,
        call_id: cx.call_id.to_owned(),
        ..Spawn::default()
    })
}
