//! How an agent was called, as it is kept with its thread.

use std::{path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Mode, ModeKind};
use crate::{
    plan::{Call, Context, Finish, Given, LimitWishes, ModelWishes},
    tools::sandbox,
};

/// What answers where an approval is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approvals {
    /// Whoever can be asked.
    #[default]
    Ask,
    /// No.
    Never,
    /// Yes.
    Always,
}

/// How an agent was called.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StoredCall {
    /// The task.
    pub prompt: Option<String>,
    /// The task in a few words.
    pub description: Option<String>,
    /// Inputs that are values.
    pub inputs: Map<String, Value>,
    /// Inputs that are texts.
    pub texts: Vec<(String, String)>,
    /// The model.
    pub model: Option<String>,
    /// The model of the agent that started it.
    pub parent_model: Option<String>,
    /// Turns.
    pub max_turns: Option<u32>,
    /// Seconds.
    pub timeout: Option<f64>,
    /// Seconds to hand in a result after a limit.
    pub grace: Option<f64>,
    /// Whether only a language model will do.
    pub require_llm: bool,
    /// What answers where an approval is needed.
    pub approve: Approvals,
    /// The least strict sandbox.
    pub sandbox: Option<String>,
    /// Whether servers on this machine are not looked for.
    pub no_probe: bool,
    /// Whether nobody waits for it.
    pub background: bool,
    /// The tools of the agent that started it; everything there is, if nobody did.
    pub caller: Option<Vec<String>>,
    /// Which persona of its definition it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// How hard it thinks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// How hard the agent that started it thinks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_effort: Option<String>,
    /// Tokens it may use over all of its runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub juice: Option<u64>,
    /// What it is told besides its definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// How it works with whoever it talks to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// How it finishes.
    pub finish: Finish,
    /// The call that started it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call_id: String,
    /// The dialect of its definition.
    pub dialect: String,
    /// Where paths in the call start.
    pub from: PathBuf,
}

impl StoredCall {
    /// What the planner is asked; `models` is what was said about the model besides.
    pub fn planned(&self, mut models: ModelWishes) -> Call {
        let mode = self.mode.as_ref();
        let settings = mode.map(|mode| &mode.settings);
        if let Some(model) = settings.and_then(|settings| settings.model.clone()) {
            models.call = Some(model);
        }
        models.plan_mode |= self.is_planning();
        let effort = settings.and_then(|settings| settings.reasoning_effort.clone());
        Call {
            prompt: self.prompt.clone(),
            inputs: Given { values: self.inputs.clone(), texts: self.texts.clone() },
            models,
            limits: LimitWishes {
                max_turns: self.max_turns,
                time: self.timeout.map(Duration::from_secs_f64),
                grace: self.grace.map(Duration::from_secs_f64),
            },
            context: Context::New,
            require_llm: self.require_llm,
            persona: self.persona.clone(),
            effort: effort.or_else(|| self.effort.clone()),
            parent_effort: self.parent_effort.clone(),
            notes: self
                .instructions
                .iter()
                .cloned()
                .chain(mode.and_then(Mode::instructions))
                .collect(),
            finish: self.finish,
        }
    }

    /// The least strict sandbox that was asked for. Whoever plans changes nothing.
    pub fn sandbox(&self) -> Option<sandbox::Mode> {
        if self.is_planning() {
            return Some(sandbox::Mode::ReadOnly);
        }
        self.sandbox.as_deref().and_then(sandbox::Mode::parse)
    }

    fn is_planning(&self) -> bool {
        self.mode.as_ref().is_some_and(|mode| mode.mode == ModeKind::Plan)
    }
}
