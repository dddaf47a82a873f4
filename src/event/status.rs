//! What an agent is doing, as everyone else sees it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Status;

/// What an agent is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentStatus {
    /// It has not begun.
    PendingInit,
    /// It works.
    Running,
    /// It was stopped in the middle of its work.
    Interrupted,
    /// It handed in its result.
    Completed,
    /// It ended without one.
    Errored,
    /// It was closed.
    Shutdown,
    /// There is no such agent.
    NotFound,
}

impl AgentStatus {
    /// Every one with its name.
    pub const ALL: &[(&str, Self)] = &[
        ("pending_init", Self::PendingInit),
        ("running", Self::Running),
        ("interrupted", Self::Interrupted),
        ("completed", Self::Completed),
        ("errored", Self::Errored),
        ("shutdown", Self::Shutdown),
        ("not_found", Self::NotFound),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, status)| *status == self).map_or("", |(name, _)| name)
    }

    /// Whether nothing more will happen by itself.
    pub fn is_final(self) -> bool {
        match self {
            Self::PendingInit | Self::Running | Self::Interrupted => false,
            Self::Completed | Self::Errored | Self::Shutdown | Self::NotFound => true,
        }
    }

    /// Whether someone is working on it, or is about to.
    pub fn is_active(self) -> bool {
        matches!(self, Self::PendingInit | Self::Running)
    }

    /// The one called `name`; what is unknown here has ended in some way.
    pub fn parse(name: &str) -> Self {
        let known = Self::ALL.iter().find(|(known, _)| *known == name);
        known.map_or(Self::Errored, |(_, status)| *status)
    }

    /// What a run that ended like this leaves behind.
    pub fn after(outcome: Status) -> Self {
        match outcome {
            Status::Goal => Self::Completed,
            Status::Aborted => Self::Interrupted,
            Status::Timeout
            | Status::MaxTurns
            | Status::Error
            | Status::ErrorNoCompleteTaskCall => Self::Errored,
        }
    }
}

impl fmt::Display for AgentStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
