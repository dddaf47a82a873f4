//! `[run]`, `[models]`, `[providers]` and `[tools]`: how agents are run.

use std::{collections::BTreeMap, time::Duration};

use schemars::JsonSchema;
use serde::Deserialize;

use super::patterns::BadValue;
use crate::{provider::Wire, tools::sandbox::Mode};

/// What `[run]` may say.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunOptions {
    /// The model of agents that do not choose one: `provider/model`, a name from `[models]`,
    /// `script:FILE` or `offline`.
    pub model: Option<String>,
    /// Turns an agent may take unless its definition says otherwise. 50 without it.
    #[schemars(range(min = 1))]
    pub max_turns: Option<u32>,
    /// Seconds an agent may take unless its definition says otherwise. 300 without it.
    pub timeout_seconds: Option<f64>,
    /// Seconds to hand in a result after a limit. 60 without it.
    pub grace_seconds: Option<f64>,
    /// Seconds one answer of a model may take. 600 without it.
    pub answer_timeout_seconds: Option<f64>,
    /// Seconds a model may be silent. 120 without it.
    pub idle_timeout_seconds: Option<f64>,
    /// Seconds a tool may take. 120 without it.
    pub tool_timeout_seconds: Option<f64>,
    /// Seconds someone has to answer when an agent asks for an approval. 1800 without it.
    pub approval_timeout_seconds: Option<f64>,
    /// How often a failed model call is tried again. 4 without it.
    pub retries: Option<u32>,
    /// Milliseconds before the first retry; each further one waits twice as long. 500 without it.
    pub retry_delay_ms: Option<u64>,
}

/// What `[providers.NAME]` may say.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderOptions {
    /// How the server is spoken to: `anthropic`, `openai` (Responses), `openai-chat`, `gemini` or
    /// `ollama`.
    pub kind: String,
    /// Where it is.
    pub base_url: String,
    /// The variable that holds its key; without it, it needs none.
    pub api_key_env: Option<String>,
}

/// What `[tools]` may say.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolOptions {
    /// Whether agents may fetch web pages. Not without it.
    pub web_fetch: Option<bool>,
    /// The least strict sandbox commands may run in: `read_only`, `workspace_write` or
    /// `danger_full_access`. `workspace_write` without it.
    pub sandbox: Option<String>,
}

/// What a name in `[models]` stands for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ModelAlias {
    /// One model.
    One(String),
    /// Several, in order of preference.
    Several(Vec<String>),
}

impl ModelAlias {
    fn names(self) -> Vec<String> {
        match self {
            Self::One(name) => vec![name],
            Self::Several(names) => names,
        }
    }
}

/// A server from `[providers]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderSettings {
    /// How it is spoken to.
    pub wire: Wire,
    /// Where it is.
    pub base_url: String,
    /// The variable that holds its key.
    pub key_variable: Option<String>,
}

/// How agents are run, resolved. What nobody set is `None`; [`RunSettings::patience`] and the plan
/// know what that means.
#[derive(Clone, Debug, Default)]
pub struct RunSettings {
    /// The model of agents that do not choose one.
    pub model: Option<String>,
    /// Turns.
    pub max_turns: Option<u32>,
    /// Running time.
    pub timeout: Option<Duration>,
    /// Time to hand in a result after a limit.
    pub grace: Option<Duration>,
    answer_timeout: Option<Duration>,
    idle_timeout: Option<Duration>,
    tool_timeout: Option<Duration>,
    approval_timeout: Option<Duration>,
    retries: Option<u32>,
    retry_delay: Option<Duration>,
    /// Names for models.
    pub models: BTreeMap<String, Vec<String>>,
    /// Servers.
    pub providers: BTreeMap<String, ProviderSettings>,
    /// Whether agents may fetch web pages.
    pub web_fetch: Option<bool>,
    sandbox: Option<Mode>,
}

/// How long things may take, and how often they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For one answer of a model.
    pub answer: Duration,
    /// For a model that is silent.
    pub idle: Duration,
    /// For a tool.
    pub tool: Duration,
    /// For someone who is asked for an approval.
    pub approval: Duration,
    /// How often a failed model call is tried again.
    pub retries: u32,
    /// How long to wait before the first time.
    pub retry_delay: Duration,
}

impl RunSettings {
    pub(super) fn resolve(
        run: RunOptions,
        models: BTreeMap<String, ModelAlias>,
        providers: BTreeMap<String, ProviderOptions>,
        tools: ToolOptions,
    ) -> Result<Self, BadValue> {
        let mut servers = BTreeMap::new();
        for (name, options) in providers {
            servers.insert(name, server(options)?);
        }
        Ok(Self {
            model: run.model,
            max_turns: run.max_turns,
            timeout: seconds(run.timeout_seconds)?,
            grace: seconds(run.grace_seconds)?,
            answer_timeout: seconds(run.answer_timeout_seconds)?,
            idle_timeout: seconds(run.idle_timeout_seconds)?,
            tool_timeout: seconds(run.tool_timeout_seconds)?,
            approval_timeout: seconds(run.approval_timeout_seconds)?,
            retries: run.retries,
            retry_delay: run.retry_delay_ms.map(Duration::from_millis),
            models: models.into_iter().map(|(name, alias)| (name, alias.names())).collect(),
            providers: servers,
            web_fetch: tools.web_fetch,
            sandbox: tools.sandbox.map(|name| sandbox(&name)).transpose()?,
        })
    }

    pub(super) fn over(mut self, lower: Self) -> Self {
        for (name, models) in lower.models {
            self.models.entry(name).or_insert(models);
        }
        for (name, provider) in lower.providers {
            self.providers.entry(name).or_insert(provider);
        }
        Self {
            model: self.model.or(lower.model),
            max_turns: self.max_turns.or(lower.max_turns),
            timeout: self.timeout.or(lower.timeout),
            grace: self.grace.or(lower.grace),
            answer_timeout: self.answer_timeout.or(lower.answer_timeout),
            idle_timeout: self.idle_timeout.or(lower.idle_timeout),
            tool_timeout: self.tool_timeout.or(lower.tool_timeout),
            approval_timeout: self.approval_timeout.or(lower.approval_timeout),
            retries: self.retries.or(lower.retries),
            retry_delay: self.retry_delay.or(lower.retry_delay),
            web_fetch: self.web_fetch.or(lower.web_fetch),
            sandbox: self.sandbox.or(lower.sandbox),
            ..self
        }
    }

    /// The least strict sandbox.
    pub fn sandbox(&self) -> Mode {
        self.sandbox.unwrap_or(Mode::WorkspaceWrite)
    }

    /// How long things may take.
    pub fn patience(&self) -> Patience {
        Patience {
            answer: self.answer_timeout.unwrap_or(Duration::from_secs(600)),
            idle: self.idle_timeout.unwrap_or(Duration::from_secs(120)),
            tool: self.tool_timeout.unwrap_or(Duration::from_secs(120)),
            approval: self.approval_timeout.unwrap_or(Duration::from_secs(1800)),
            retries: self.retries.unwrap_or(4),
            retry_delay: self.retry_delay.unwrap_or(Duration::from_millis(500)),
        }
    }
}

fn server(options: ProviderOptions) -> Result<ProviderSettings, BadValue> {
    let ProviderOptions { kind, base_url, api_key_env } = options;
    let Some(wire) = Wire::parse(&kind) else {
        let known: Vec<_> = Wire::ALL.iter().map(|(name, _)| format!("`{name}`")).collect();
        let message = format!("`{kind}` is no kind of provider: use {}", known.join(", "));
        return Err(BadValue { written: kind, message });
    };
    if !["http://", "https://"].iter().any(|scheme| base_url.starts_with(scheme)) {
        let message = format!("`{base_url}` is no address: it starts with `http://` or `https://`");
        return Err(BadValue { written: base_url, message });
    }
    let base_url = base_url.trim_end_matches('/').to_owned();
    Ok(ProviderSettings { wire, base_url, key_variable: api_key_env })
}

fn sandbox(name: &str) -> Result<Mode, BadValue> {
    Mode::parse(name).ok_or_else(|| {
        let known: Vec<_> = Mode::ALL.iter().map(|(name, _)| format!("`{name}`")).collect();
        let message = format!("`{name}` is no sandbox: use {}", known.join(", "));
        BadValue { written: name.to_owned(), message }
    })
}

/// A number of seconds that is one.
fn seconds(value: Option<f64>) -> Result<Option<Duration>, BadValue> {
    let Some(value) = value else { return Ok(None) };
    Duration::try_from_secs_f64(value).map(Some).map_err(|_| BadValue {
        written: value.to_string(),
        message: format!("`{value}` is no number of seconds"),
    })
}
