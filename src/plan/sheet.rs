//! A plan for people and programs to read.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    Finish, Limits, ModelWishes, OutputSpec, Plan, PlanError, Renderer, Situation, Step, Texts,
    approval, chain, directory, input_schema, sampling, sandbox,
};
use crate::{
    authority::{authority, granted},
    catalog::Entry,
    conversation::{Message, ToolSpec},
    provider::Sampling,
};

/// What will happen when an agent is run.
#[derive(Clone, Debug, Serialize)]
pub struct Sheet {
    /// What kind of agent it is.
    pub agent_type: String,
    /// How the models were chosen.
    pub model_steps: Vec<Step>,
    /// The models in order of preference.
    pub models: Vec<String>,
    /// How the model chooses words.
    pub sampling: Sampling,
    /// Turns.
    pub max_turns: u32,
    /// Running time.
    pub max_time_seconds: f64,
    /// Time to hand in a result after a limit.
    pub grace_period_seconds: f64,
    /// Tokens over all turns.
    pub max_tokens: Option<u64>,
    /// Who is asked before something is changed.
    pub approval_mode: &'static str,
    /// What commands may touch.
    pub sandbox: Option<&'static str>,
    /// Where it works.
    pub directory: String,
    /// The tools it gets.
    pub tools: Vec<&'static str>,
    /// What it takes.
    pub input_schema: Option<Value>,
    /// The system prompt, filled in.
    pub system_prompt: Option<String>,
    /// The conversation it starts with.
    pub messages: Vec<Message>,
    /// How it hands in its result.
    pub complete_task: Option<ToolSpec>,
    /// Why it could not be run like this.
    pub problems: Vec<String>,
}

impl Plan {
    /// The plan for people and programs to read.
    pub fn sheet(&self) -> Sheet {
        Sheet {
            agent_type: self.agent_type.clone(),
            model_steps: self.chain.steps.clone(),
            models: self.chain.models.iter().map(ToString::to_string).collect(),
            sampling: self.sampling.clone(),
            max_turns: self.limits.max_turns,
            max_time_seconds: self.limits.time.as_secs_f64(),
            grace_period_seconds: self.limits.grace.as_secs_f64(),
            max_tokens: self.limits.max_tokens,
            approval_mode: self.approval.name(),
            sandbox: Some(self.sandbox.name()),
            directory: self.directory.display().to_string(),
            tools: granted(&self.verdicts).collect(),
            input_schema: None,
            system_prompt: Some(self.system.clone()),
            messages: self.messages.clone(),
            complete_task: Some(self.output.tool()),
            problems: Vec::new(),
        }
    }
}

/// What running `entry` would mean, as far as that can be said without a task. Names stand in the
/// prompts for what a call would fill in.
pub fn preview(entry: &Entry, wishes: &ModelWishes, situation: &Situation<'_>) -> Sheet {
    let mut problems = Vec::new();
    let definition = &entry.definition;
    let verdicts = authority(entry, &situation.circumstances);
    let tools: Vec<&'static str> = granted(&verdicts).collect();
    let output = kept(OutputSpec::of(definition).map_err(PlanError::OutputSchema), &mut problems);
    let has_schema = output.as_ref().is_some_and(OutputSpec::has_schema);
    let texts = Texts { entry, situation, prompt: Some("${prompt}") };
    let names = definition.inputs.iter().map(|input| &input.name.value);
    let placeholders: Map<String, Value> =
        names.map(|name| (name.clone(), json!(format!("${{{name}}}")))).collect();
    let renderer = Renderer::new(texts.variables(placeholders));
    let system_prompt =
        kept(texts.system(&renderer, has_schema, Finish::CompleteTask), &mut problems);
    let query = kept(texts.query(&renderer), &mut problems).map(Message::user);
    let mut messages = kept(texts.initial_messages(&renderer), &mut problems).unwrap_or_default();
    messages.extend(query);
    let written: Vec<&str> =
        definition.model.chain.iter().map(|name| name.value.as_str()).collect();
    let steps = situation.models.chain(&written, wishes).map(|chain| chain.steps);
    let chain = chain(entry, &tools, has_schema, wishes, situation, false);
    let chain = kept(chain, &mut problems);
    let limits = Limits::of(definition, situation.settings, &Default::default());
    let sandbox = kept(sandbox(definition, situation.sandbox), &mut problems);
    let directory = kept(directory(definition, situation.cwd), &mut problems);
    Sheet {
        agent_type: entry.full_name(),
        models: chain.iter().flat_map(|chain| &chain.models).map(ToString::to_string).collect(),
        model_steps: chain.map(|chain| chain.steps).or(steps.ok()).unwrap_or_default(),
        sampling: sampling(definition, None, None, None),
        max_turns: limits.max_turns,
        max_time_seconds: limits.time.as_secs_f64(),
        grace_period_seconds: limits.grace.as_secs_f64(),
        max_tokens: limits.max_tokens,
        approval_mode: approval(definition).name(),
        sandbox: sandbox.map(|mode| mode.name()),
        directory: directory.unwrap_or_default().display().to_string(),
        tools,
        input_schema: (!definition.inputs.is_empty()).then(|| input_schema(&definition.inputs)),
        system_prompt,
        messages,
        complete_task: output.map(|output| output.tool()),
        problems,
    }
}

/// A part of the plan, or why there is none.
fn kept<T>(result: Result<T, PlanError>, problems: &mut Vec<String>) -> Option<T> {
    result.map_err(|error| problems.push(error.to_string())).ok()
}
