//! What can go wrong when a model is asked.

use std::time::Duration;

use thiserror::Error;

use crate::event::{Failure, FailureKind};

/// A model call without an answer. Whose fault it is decides what follows: the same call again,
/// the next model, or the end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModelError {
    /// The user has not configured a key.
    #[error("no key: set `{variable}`")]
    NoKey {
        /// The variable it is looked for in.
        variable: String,
    },
    /// The provider refuses the key.
    #[error("the provider refused the credentials ({status}): {message}")]
    Auth {
        /// The status of its answer.
        status: u16,
        /// What it says.
        message: String,
    },
    /// Too many requests.
    #[error("rate limited: {message}")]
    RateLimited {
        /// How long the provider wants us to wait.
        retry_after: Option<Duration>,
        /// What it says.
        message: String,
    },
    /// The provider cannot keep up.
    #[error("overloaded: {message}")]
    Overloaded {
        /// How long the provider wants us to wait.
        retry_after: Option<Duration>,
        /// What it says.
        message: String,
    },
    /// The conversation does not fit into the model.
    #[error("the conversation is too long for the model: {message}")]
    ContextLength {
        /// What the provider says.
        message: String,
    },
    /// The provider does not understand the request.
    #[error("the provider rejected the request ({status}): {message}")]
    BadRequest {
        /// The status of its answer.
        status: u16,
        /// What it says.
        message: String,
    },
    /// The provider does not have the model.
    #[error("the provider does not have this model: {message}")]
    UnknownModel {
        /// What it says.
        message: String,
    },
    /// The provider failed.
    #[error("the provider failed ({status}): {message}")]
    Server {
        /// The status of its answer.
        status: u16,
        /// What it says.
        message: String,
    },
    /// The answer ended before it was complete.
    #[error("the answer broke off: {message}")]
    Truncated {
        /// How.
        message: String,
    },
    /// What came back is not an answer at all.
    #[error("the provider did not answer in its own format: {message}")]
    NotAStream {
        /// What it was.
        message: String,
    },
    /// Nothing came for too long.
    #[error("nothing came from the provider for {} s", .after.as_secs_f64())]
    Idle {
        /// How long.
        after: Duration,
    },
    /// There is no connection.
    #[error("cannot reach the provider: {message}")]
    Unreachable {
        /// Why.
        message: String,
    },
    /// The script or recording that stands in for a model does not fit what the agent did.
    #[error("{message}")]
    Script {
        /// How.
        message: String,
    },
}

/// What follows a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The same request may succeed later.
    Again,
    /// Another model may answer, this one will not.
    NextModel,
    /// No model will answer.
    Stop,
}

impl ModelError {
    /// What to do about it.
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::RateLimited { .. }
            | Self::Overloaded { .. }
            | Self::Server { .. }
            | Self::Truncated { .. }
            | Self::NotAStream { .. }
            | Self::Idle { .. }
            | Self::Unreachable { .. } => Remedy::Again,
            Self::NoKey { .. } | Self::Auth { .. } | Self::UnknownModel { .. } => Remedy::NextModel,
            Self::ContextLength { .. } | Self::BadRequest { .. } | Self::Script { .. } => {
                Remedy::Stop
            }
        }
    }

    /// How long the provider wants us to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Overloaded { retry_after, .. } => {
                *retry_after
            }
            _ => None,
        }
    }

    /// The same error with another message, where it has one from outside.
    pub(crate) fn map_message(mut self, map: impl FnOnce(String) -> String) -> Self {
        match &mut self {
            Self::Auth { message, .. }
            | Self::RateLimited { message, .. }
            | Self::Overloaded { message, .. }
            | Self::ContextLength { message }
            | Self::BadRequest { message, .. }
            | Self::UnknownModel { message }
            | Self::Server { message, .. }
            | Self::Truncated { message }
            | Self::NotAStream { message }
            | Self::Unreachable { message } => *message = map(std::mem::take(message)),
            Self::NoKey { .. } | Self::Idle { .. } | Self::Script { .. } => {}
        }
        self
    }

    /// The same for results and events.
    pub fn failure(&self) -> Failure {
        let kind = match self {
            Self::NoKey { .. } => FailureKind::NoModel,
            Self::Auth { .. } => FailureKind::Auth,
            Self::RateLimited { .. } => FailureKind::RateLimited,
            Self::Overloaded { .. } => FailureKind::Overloaded,
            Self::ContextLength { .. } => FailureKind::ContextLength,
            Self::BadRequest { .. } => FailureKind::BadRequest,
            Self::UnknownModel { .. } => FailureKind::UnknownModel,
            Self::Server { .. } => FailureKind::Server,
            Self::Truncated { .. } => FailureKind::TruncatedStream,
            Self::NotAStream { .. } => FailureKind::NotAStream,
            Self::Idle { .. } => FailureKind::Idle,
            Self::Unreachable { .. } => FailureKind::Unreachable,
            Self::Script { .. } => FailureKind::Script,
        };
        Failure { kind, message: self.to_string() }
    }
}
