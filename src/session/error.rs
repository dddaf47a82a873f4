//! What cannot be done in a session. The model that asked for it is told.

use std::{io, path::PathBuf};

use thiserror::Error;

use crate::{
    plan::PlanError,
    store::StoreError,
    tools::{RootError, sandbox::Mode},
};

/// What cannot be done in a session.
#[derive(Debug, Error)]
pub enum SessionError {
    /// There is no such kind of agent.
    #[error("unknown subagent type `{asked}`; available: {}", .available.join(", "))]
    UnknownType {
        /// What was asked for.
        asked: String,
        /// What there is.
        available: Vec<String>,
    },
    /// The definition has errors.
    #[error("`{agent_type}` cannot be run: {first}")]
    Invalid {
        /// The kind of agent.
        agent_type: String,
        /// The first error.
        first: String,
    },
    /// It cannot be planned.
    #[error("`{agent_type}` cannot be run: {source}")]
    Plan {
        /// The kind of agent.
        agent_type: String,
        /// Why.
        source: PlanError,
    },
    /// A model nobody knows.
    #[error("Unknown model `{asked}` for spawn_agent. Available models: {}", .available.join(", "))]
    UnknownModel {
        /// What was asked for.
        asked: String,
        /// What there is.
        available: Vec<String>,
    },
    /// An effort the model does not know.
    #[error(
        "Reasoning effort `{asked}` is not supported for model `{model}`. Supported reasoning \
         efforts: {}", .supported.join(", ")
    )]
    UnsupportedEffort {
        /// What was asked for.
        asked: String,
        /// The model.
        model: String,
        /// What it knows.
        supported: Vec<&'static str>,
    },
    /// Its directory cannot be worked in.
    #[error(transparent)]
    Root(#[from] RootError),
    /// It may not work there without anyone's approval.
    #[error("`{}` is not the directory of the agent that starts it, and nobody allowed it", .0.display())]
    Directory(PathBuf),
    /// It asks for less strictness than its parent has.
    #[error("the sandbox `{}` is less strict than the parent's, `{}`", .asked.name(), .allowed.name())]
    Sandbox {
        /// What was asked for.
        asked: Mode,
        /// What its parent has.
        allowed: Mode,
    },
    /// It is too far down.
    #[error("Agent depth limit reached. Solve the task yourself.")]
    Depth,
    /// Too many agents work.
    #[error(
        "agent limit reached: {0} agents work in this session at the same time at most; wait for one of them or close it"
    )]
    Limit(usize),
    /// Its tokens are used up.
    #[error("agent {0} has used up its {1} tokens")]
    Exhausted(String, u64),
    /// There is no such agent, or it is none of the caller's.
    #[error("agent with id {0} not found")]
    NotFound(String),
    /// It was closed.
    #[error("agent with id {0} is closed")]
    Closed(String),
    /// The one that started it was closed.
    #[error("the agent that started {0} is closed")]
    ParentClosed(String),
    /// It may not be closed by the one who asks.
    #[error("an agent may close only itself and the agents below it, and {0} is neither")]
    NotBelow(String),
    /// Only a direct child can be acted on.
    #[error("agent {0} is not a direct child of the caller")]
    NotAChild(String),
    /// Its authority has shrunk since it was started.
    #[error("agent {0} may no longer use {1}; close it and start another")]
    Narrowed(String, String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What happened could not be written down.
    #[error("what happened could not be written down: {0}")]
    Journal(io::Error),
    /// Nothing is kept, so nothing can be found again.
    #[error("this run is not kept, so agents can neither be resumed nor run in the background")]
    NotKept,
    /// It is still running.
    #[error("the agent {0} is still running")]
    Running(String),
    /// Its process did not start.
    #[error("the process for it did not start: {0}")]
    Launch(String),
    /// What was kept of it cannot be read.
    #[error("what was kept of {0} cannot be read")]
    Unreadable(String),
    /// The session is over.
    #[error("the session is over")]
    Over,
}

impl SessionError {
    /// Whether whoever asked made a mistake. Otherwise something has run out or broken that they
    /// could not know of.
    pub fn is_a_mistake(&self) -> bool {
        match self {
            Self::UnknownType { .. }
            | Self::UnknownModel { .. }
            | Self::UnsupportedEffort { .. }
            | Self::Directory(_)
            | Self::Sandbox { .. }
            | Self::NotFound(_)
            | Self::Closed(_)
            | Self::NotBelow(_)
            | Self::NotAChild(_)
            | Self::Running(_) => true,
            Self::Invalid { .. }
            | Self::Plan { .. }
            | Self::Root(_)
            | Self::Depth
            | Self::Limit(_)
            | Self::Exhausted(..)
            | Self::ParentClosed(_)
            | Self::Narrowed(..)
            | Self::Store(_)
            | Self::Journal(_)
            | Self::NotKept
            | Self::Launch(_)
            | Self::Unreadable(_)
            | Self::Over => false,
        }
    }
}
