//! Models behind one trait.
//!
//! A provider returns a whole [`Answer`] or a typed [`ModelError`], never half an answer: what
//! arrives on the way is only shown. Retrying and choosing another model is the caller's business,
//! and so are limits: dropping the future ends the call.

mod endpoint;
mod error;
pub mod http;
pub mod offline;
mod record;
mod script;

use std::{fmt, future::Future, pin::Pin};

pub use endpoint::{ENDPOINTS, Endpoint, EndpointTemplate, Secret, Wire, efforts};
pub use error::{ModelError, Remedy};
pub use record::{RecordError, Recorder, Recording, Replay};
pub use script::{Script, ScriptError};
use serde::{Deserialize, Serialize};

use crate::conversation::{Answer, Message, ToolSpec};

/// A future of an answer.
pub type Reply<'a> = Pin<Box<dyn Future<Output = Result<Answer, ModelError>> + Send + 'a>>;

/// Hears what a model says while it says it.
pub type Listener<'a> = &'a (dyn Fn(Delta<'_>) + Send + Sync);

/// Something that answers.
pub trait Provider: fmt::Debug + Send + Sync {
    /// Asks for one answer. `heard` is told the words as they arrive.
    fn answer<'a>(&'a self, request: &'a Request<'a>, heard: Listener<'a>) -> Reply<'a>;

    /// Whether a language model answers.
    fn is_llm(&self) -> bool {
        true
    }
}

/// Words that have just arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta<'a> {
    /// Of the answer.
    Text(&'a str),
    /// Of the thinking before it.
    Thinking(&'a str),
}

/// What a model is asked.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Who asks.
    pub caller: &'a Caller,
    /// The model, by the provider's own name.
    pub model: &'a str,
    /// The system prompt.
    pub system: &'a str,
    /// The conversation. It begins with a user message.
    pub messages: &'a [Message],
    /// The tools it may call.
    pub tools: &'a [ToolSpec],
    /// How it chooses words.
    pub sampling: &'a Sampling,
}

/// The agent on whose behalf a model is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Its thread.
    pub agent_id: String,
    /// Its kind.
    pub agent_type: String,
    /// Which of its kind it is in the session, from 1.
    pub ordinal: u32,
}

/// How a model chooses words. What a model does not have is left out by its adapter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// Temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Tokens for thinking: -1 is unlimited, 0 is off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_budget: Option<i64>,
    /// How hard to think, in words: `low`, `medium`, `high`…
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
}

/// A model by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelId {
    /// The provider: an endpoint's name, `script`, `replay` or `offline`.
    pub provider: String,
    /// The model there; for `script` and `replay` the file.
    pub model: String,
}

/// The provider that is no language model.
pub const OFFLINE: &str = "offline";
/// The provider that reads its answers from a file.
pub const SCRIPT: &str = "script";
/// The provider that says again what was recorded.
pub const REPLAY: &str = "replay";

impl ModelId {
    /// The model that is displayed as `text`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == OFFLINE {
            return Some(Self::offline());
        }
        let special = [SCRIPT, REPLAY].into_iter().find_map(|provider| {
            let model = text.strip_prefix(provider)?.strip_prefix(':')?;
            Some((provider, model))
        });
        let (provider, model) = special.or_else(|| text.split_once('/'))?;
        Some(Self { provider: provider.to_owned(), model: model.to_owned() })
    }

    /// The searching provider that is no language model.
    pub fn offline() -> Self {
        Self { provider: OFFLINE.to_owned(), model: String::new() }
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.provider.as_str() {
            OFFLINE => f.write_str(OFFLINE),
            provider @ (SCRIPT | REPLAY) => write!(f, "{provider}:{}", self.model),
            provider => write!(f, "{provider}/{}", self.model),
        }
    }
}
