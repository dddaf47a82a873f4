//! The tools agents have.
//!
//! A tool sees a root directory, a sandbox, its own limits and who calls it, never the session.
//! What a call may do has been decided before it gets here. Dropping the future ends a call, and
//! nothing it started lives on.

mod apply_patch;
mod blocking;
mod difference;
mod exec_command;
mod glob_files;
mod grep_files;
mod list_dir;
mod patch;
mod read_file;
mod root;
pub mod sandbox;
mod save;
mod shell;
mod todo_write;
mod walk;
mod web_fetch;
mod write_file;

use std::{fmt, future::Future, ops::Deref, pin::Pin, sync::Arc, time::Duration};

pub use exec_command::ExecCommand;
pub use root::{FileError, Obstacle, Root, RootError};
use sandbox::Sandbox;
use serde::de::DeserializeOwned;
use serde_json::Value;
pub use shell::Shell;
use thiserror::Error;
pub use web_fetch::WebFetch;

use crate::{
    conversation::{Message, ToolSpec},
    event::AgentRef,
    model::{Effect, canonical_tool},
};

/// A future of what a tool returns.
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<String, ToolError>> + Send + 'a>>;

/// Something an agent can do.
pub trait Tool: fmt::Debug + Send + Sync {
    /// What a model is told about it. The name is canonical.
    fn spec(&self) -> ToolSpec;

    /// Does it. The result is capped and says how to get the rest.
    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a>;

    /// Exactly what a call would do, for a person who has to allow it: the command, or the files
    /// with the lines that change.
    fn preview(&self, _cx: &ToolCx, arguments: &Value) -> String {
        serde_json::to_string_pretty(arguments).unwrap_or_default()
    }

    /// What a person has to allow in this call in particular, whatever the tool may do otherwise.
    fn asks(&self, _cx: CallCx<'_>, _arguments: &Value) -> Option<String> {
        None
    }

    /// Whether the time limit for tools holds for it. What has limits of its own needs no other.
    fn is_timed(&self) -> bool {
        true
    }

    /// What it can do to the world.
    fn effect(&self) -> Effect {
        canonical_tool(&self.spec().name).map_or(Effect::Execute, |tool| tool.effect)
    }
}

/// What tools work with.
#[derive(Debug)]
pub struct ToolCx {
    /// The directory no file tool leaves.
    pub root: Root,
    /// What commands may touch.
    pub sandbox: Sandbox,
    /// How long a call may take.
    pub time_limit: Duration,
    /// Whether web pages may be fetched.
    pub web: bool,
}

/// A call: what tools work with, and whose call it is.
#[derive(Clone, Copy, Debug)]
pub struct CallCx<'a> {
    /// What tools work with.
    pub tools: &'a ToolCx,
    /// Who calls.
    pub agent: &'a AgentRef,
    /// The call.
    pub call_id: &'a str,
    /// The caller's conversation.
    pub history: &'a [Message],
}

/// Nobody in particular.
static NOBODY: AgentRef = AgentRef { agent_id: String::new(), agent_type: String::new() };

impl<'a> From<&'a ToolCx> for CallCx<'a> {
    /// A call that is no agent's.
    fn from(tools: &'a ToolCx) -> Self {
        Self { tools, agent: &NOBODY, call_id: "", history: &[] }
    }
}

impl Deref for CallCx<'_> {
    type Target = ToolCx;

    fn deref(&self) -> &ToolCx {
        self.tools
    }
}

/// A call without a result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ToolError {
    /// The model asked for something that does not work; it is told and may try something else.
    #[error("{0}")]
    Refused(String),
    /// The tool cannot work on this machine, whatever the model asks of it. The run stops.
    #[error("{0}")]
    Broken(String),
}

impl ToolError {
    /// The model is told `why`.
    pub fn refused(why: impl fmt::Display) -> Self {
        Self::Refused(why.to_string())
    }
}

/// Reads the arguments of a call. The model is told what is wrong with them.
pub fn parse<T: DeserializeOwned>(arguments: Value) -> Result<T, ToolError> {
    serde_json::from_value(arguments)
        .map_err(|error| ToolError::refused(format_args!("the arguments do not fit: {error}")))
}

/// Every built-in tool, sorted by name.
pub fn built_in() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(todo_write::TodoWrite),
        Arc::new(apply_patch::ApplyPatch),
        Arc::new(ExecCommand),
        Arc::new(glob_files::GlobFiles),
        Arc::new(grep_files::GrepFiles),
        Arc::new(list_dir::ListDir),
        Arc::new(read_file::ReadFile),
        Arc::new(Shell),
        Arc::new(WebFetch::new()),
        Arc::new(write_file::WriteFile),
    ]
}

#[cfg(test)]
mod tests;
