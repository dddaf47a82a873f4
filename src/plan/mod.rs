//! What exactly will happen when an agent is run. Nothing is left to decide afterwards.
//!
//! Pure: reads no files and asks no models. [`plan`] is the only way to a [`Plan`], so nothing can
//! run a definition that has errors, or with a tool the authority did not grant.

mod inputs;
mod limits;
mod models;
mod output;
mod prompt;
mod sheet;
mod texts;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use inputs::{Given, input_schema};
pub use limits::{LimitWishes, Limits};
pub use models::{Chain, ModelBook, ModelWishes, Step, UnknownModel};
pub use output::{Handed, OutputSpec};
pub use prompt::{PromptError, Renderer};
pub use sheet::{Sheet, preview};
use texts::Texts;

use crate::{
    authority::{Circumstances, Verdict, authority, granted},
    catalog::Entry,
    config::RunSettings,
    conversation::{Message, forked},
    lint::{Finding, Level},
    model::{Definition, Persona},
    provider::{ModelId, Sampling, offline},
    tools::sandbox::Mode,
};

/// What the first message is where nobody says anything.
pub const DEFAULT_QUERY: &str = "Get Started!";

/// What is asked of an agent.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// The task.
    pub prompt: Option<String>,
    /// Its inputs.
    pub inputs: Given,
    /// What was said about the model.
    pub models: ModelWishes,
    /// Limits that replace the definition's.
    pub limits: LimitWishes,
    /// What it knows when it begins.
    pub context: Context,
    /// Whether only a language model will do.
    pub require_llm: bool,
    /// Which of the definition's personas it is.
    pub persona: Option<String>,
    /// How hard to think.
    pub effort: Option<String>,
    /// How hard whoever calls thinks, where nothing else is said.
    pub parent_effort: Option<String>,
    /// What follows its system prompt.
    pub notes: Vec<String>,
    /// How it finishes.
    pub finish: Finish,
}

/// What an agent knows when it begins.
#[derive(Clone, Debug, Default)]
pub enum Context {
    /// Nothing.
    #[default]
    New,
    /// The conversation of whoever calls, if its definition asks for that.
    Offered(Vec<Message>),
    /// The conversation of whoever calls.
    Fork(Vec<Message>),
    /// A conversation of its own.
    Replace(Vec<Message>),
}

/// How an agent finishes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It hands in its result.
    #[default]
    CompleteTask,
    /// Its last message is its result, unless its definition has a schema for that.
    LastMessage,
}

/// Where an agent is run.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The working directory.
    pub cwd: &'a Path,
    /// The date.
    pub today: &'a str,
    /// The models there are.
    pub models: &'a ModelBook,
    /// How agents are run by default.
    pub settings: &'a RunSettings,
    /// What decides about tools.
    pub circumstances: Circumstances<'a>,
    /// The least strict sandbox its commands may run in.
    pub sandbox: Mode,
    /// The least strict way in which its calls are approved.
    pub approval: ApprovalMode,
}

/// Who is asked before something is changed, the strictest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ApprovalMode {
    /// Nobody, as long as commands run in a sandbox.
    AutoApproveInSandbox,
    /// Whoever started the agent.
    RouteToParent,
    /// Nobody: what would need an approval is denied.
    Suppress,
}

impl ApprovalMode {
    /// As definitions write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::RouteToParent => "route_to_parent",
            Self::Suppress => "suppress",
            Self::AutoApproveInSandbox => "auto_approve_in_sandbox",
        }
    }
}

/// A run that cannot begin.
#[derive(Debug, Error)]
pub enum PlanError {
    /// Its author's to mend: what the linter found.
    #[error("its definition has errors")]
    Invalid,
    /// Its author's to mend.
    #[error("{0}")]
    Prompt(PromptError),
    /// Its author's to mend.
    #[error("it has no system prompt, so a model would not know what to do")]
    NoPrompt,
    /// The caller's to mend: everything that is wrong with the inputs.
    #[error("the inputs do not fit:\n{}", .0.iter().map(|one| format!("- {one}")).collect::<Vec<_>>().join("\n"))]
    Inputs(Vec<String>),
    /// The name of a model that is none.
    #[error("`{}` ({}) is no model agentctl knows{}", .0.name, .0.from, .0.hint())]
    UnknownModel(UnknownModel),
    /// There is no model to be had.
    #[error("no model is available: {0}")]
    NoModel(String),
    /// It asks for more than it may have.
    #[error("it asks for the sandbox `{}`, and may have `{}` at most", .asked.name(), .allowed.name())]
    Sandbox {
        /// What it asks for.
        asked: Mode,
        /// What it may have.
        allowed: Mode,
    },
    /// Its author's to mend.
    #[error("the output schema cannot be used: {0}")]
    OutputSchema(String),
    /// The caller's to mend.
    #[error("it has no persona called `{asked}`{}", personas(.known))]
    Persona {
        /// What was asked for.
        asked: String,
        /// What there is.
        known: Vec<String>,
    },
    /// It wants to work somewhere it may not.
    #[error("its `baseDir` `{}` is not below the working directory", .0.display())]
    BaseDir(PathBuf),
}

/// Everything about one run. It cannot be put together by hand.
#[derive(Debug)]
pub struct Plan {
    agent_type: String,
    description: String,
    chain: Chain,
    sampling: Sampling,
    limits: Limits,
    verdicts: Vec<Verdict>,
    system: String,
    messages: Vec<Message>,
    output: OutputSpec,
    approval: ApprovalMode,
    sandbox: Mode,
    directory: PathBuf,
    finish: Finish,
}

/// Works out what running `entry` means. `findings` is what the linter says about it.
pub fn plan(
    entry: &Entry,
    findings: &[Finding],
    call: Call,
    situation: &Situation<'_>,
) -> Result<Plan, PlanError> {
    if findings.iter().any(|finding| finding.level == Level::Error) {
        return Err(PlanError::Invalid);
    }
    let definition = &entry.definition;
    let verdicts = authority(entry, &situation.circumstances);
    let output = OutputSpec::of(definition).map_err(PlanError::OutputSchema)?;
    let values = inputs::resolve(&definition.inputs, call.inputs).map_err(PlanError::Inputs)?;
    let prompt = call.prompt.filter(|prompt| !prompt.trim().is_empty());
    let texts = Texts { entry, situation, prompt: prompt.as_deref() };
    let renderer = Renderer::new(texts.variables(values));
    let persona = persona(definition, call.persona.as_deref())?;
    let finish = if output.has_schema() { Finish::CompleteTask } else { call.finish };
    let mut system = texts.system(&renderer, output.has_schema(), finish)?;
    let role = persona.and_then(|persona| persona.prompt.as_ref()).map(|role| role.value.as_str());
    for note in role.into_iter().chain(call.notes.iter().map(String::as_str)) {
        system.push_str("\n\n");
        system.push_str(note.trim());
    }
    let mut messages = known(definition, call.context);
    messages.extend(texts.initial_messages(&renderer)?);
    messages.push(Message::user(texts.query(&renderer)?));
    let description =
        prompt.clone().or_else(|| definition.description.as_ref().map(|text| text.value.clone()));
    let mut plan = Plan {
        agent_type: entry.full_name(),
        description: description.unwrap_or_default(),
        chain: Chain { steps: Vec::new(), models: Vec::new() },
        sampling: sampling(definition, persona, call.effort, call.parent_effort),
        limits: Limits::of(definition, situation.settings, &call.limits),
        verdicts,
        system,
        messages,
        output,
        approval: approval(definition).max(situation.approval),
        sandbox: sandbox(definition, situation.sandbox)?,
        directory: directory(definition, situation.cwd)?,
        finish,
    };
    let tools: Vec<&str> = granted(&plan.verdicts).collect();
    let has_schema = plan.output.has_schema();
    let mut wishes = call.models;
    if let Some(model) = persona.and_then(|persona| persona.model.as_ref()) {
        wishes.call.get_or_insert_with(|| model.value.clone());
    }
    plan.chain = chain(entry, &tools, has_schema, &wishes, situation, call.require_llm)?;
    Ok(plan)
}

impl Plan {
    /// What kind of agent it is.
    pub fn agent_type(&self) -> &str {
        &self.agent_type
    }

    /// The task in words.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The models in order of preference; at least one.
    pub fn models(&self) -> &[ModelId] {
        &self.chain.models
    }

    /// How the models were chosen.
    pub fn steps(&self) -> &[Step] {
        &self.chain.steps
    }

    /// How the model chooses words.
    pub fn sampling(&self) -> &Sampling {
        &self.sampling
    }

    /// When it must stop.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What was decided about each tool.
    pub fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }

    /// Whether it may use the tool called `name`.
    pub fn grants(&self, name: &str) -> bool {
        granted(&self.verdicts).any(|tool| tool == name)
    }

    /// The system prompt.
    pub fn system(&self) -> &str {
        &self.system
    }

    /// The conversation it starts with.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// What it hands in.
    pub fn output(&self) -> &OutputSpec {
        &self.output
    }

    /// Who is asked before something is changed.
    pub fn approval(&self) -> ApprovalMode {
        self.approval
    }

    /// What its commands may touch.
    pub fn sandbox(&self) -> Mode {
        self.sandbox
    }

    /// Where it works.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether its last message is its result.
    pub fn ends_with_a_message(&self) -> bool {
        self.finish == Finish::LastMessage
    }
}

/// What the agent knows when it begins.
fn known(definition: &Definition, context: Context) -> Vec<Message> {
    let wants_it = definition.behaviour.fork_context.is_some_and(|flag| flag.value);
    match context {
        Context::Offered(messages) if wants_it && !messages.is_empty() => forked(&messages),
        Context::New | Context::Offered(_) => Vec::new(),
        Context::Fork(messages) => forked(&messages),
        Context::Replace(messages) => messages,
    }
}

/// The persona called `name`.
fn persona<'a>(
    definition: &'a Definition,
    name: Option<&str>,
) -> Result<Option<&'a Persona>, PlanError> {
    let Some(name) = name else { return Ok(None) };
    let found = definition.personas.iter().find(|persona| persona.name.value == name);
    found.map(Some).ok_or_else(|| PlanError::Persona {
        asked: name.to_owned(),
        known: definition.personas.iter().map(|persona| persona.name.value.clone()).collect(),
    })
}

/// The personas there are, to be added to a message.
fn personas(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!("; there are {}", known.join(", ")) }
}

fn sampling(
    definition: &Definition,
    persona: Option<&Persona>,
    effort: Option<String>,
    inherited: Option<String>,
) -> Sampling {
    let model = &definition.model;
    Sampling {
        temperature: model.temperature.map(|value| value.value),
        top_p: model.top_p.map(|value| value.value),
        thinking_budget: model.thinking_budget.map(|value| value.value),
        effort: effort
            .or_else(|| {
                let role = persona.and_then(|persona| persona.reasoning_effort.as_ref());
                role.or(model.effort.as_ref()).map(|effort| effort.value.clone())
            })
            .or(inherited),
    }
}

fn approval(definition: &Definition) -> ApprovalMode {
    let mode = definition.behaviour.approval_mode.as_ref().map(|mode| mode.value.as_str());
    match mode {
        Some("suppress") => ApprovalMode::Suppress,
        Some("auto_approve_in_sandbox") => ApprovalMode::AutoApproveInSandbox,
        _ => ApprovalMode::RouteToParent,
    }
}

fn sandbox(definition: &Definition, allowed: Mode) -> Result<Mode, PlanError> {
    let behaviour = &definition.behaviour;
    if behaviour.read_only.is_some_and(|flag| flag.value) {
        return Ok(Mode::ReadOnly);
    }
    let asked = behaviour.sandbox.as_ref().and_then(|mode| Mode::parse(&mode.value));
    match asked {
        Some(asked) if asked < allowed => Err(PlanError::Sandbox { asked, allowed }),
        asked => Ok(asked.unwrap_or(allowed)),
    }
}

/// Where it works: below the working directory, as far as names can tell. Whoever opens the
/// directory makes sure of the rest.
fn directory(definition: &Definition, cwd: &Path) -> Result<PathBuf, PlanError> {
    use std::path::Component;

    let Some(written) = &definition.behaviour.base_dir else { return Ok(cwd.to_owned()) };
    let below = Path::new(&written.value);
    let fine = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !below.components().all(fine) {
        return Err(PlanError::BaseDir(below.to_owned()));
    }
    Ok(cwd.join(below))
}

/// The models, with `offline` where nothing else is to be had and the agent only searches.
fn chain(
    entry: &Entry,
    tools: &[&str],
    has_output_schema: bool,
    wishes: &ModelWishes,
    situation: &Situation<'_>,
    require_llm: bool,
) -> Result<Chain, PlanError> {
    let definition = &entry.definition;
    let written: Vec<&str> =
        definition.model.chain.iter().map(|name| name.value.as_str()).collect();
    let book = situation.models;
    let mut chain = book.chain(&written, wishes).map_err(PlanError::UnknownModel)?;
    let served = || {
        offline::serves(&offline::Served {
            agent_type: entry.name(),
            description: definition.description.as_ref().map_or("", |text| &text.value),
            tools,
            has_output_schema,
        })
    };
    if chain.models.is_empty() && !require_llm {
        match served() {
            Ok(()) => chain.models.push(ModelId::offline()),
            Err(why) => return Err(no_model(book, &why)),
        }
        if let Some(step) = chain.steps.last_mut() {
            step.says = format!("offline ({})", step.says);
            step.decides = true;
        }
    }
    if require_llm {
        chain.models.retain(|model| *model != ModelId::offline());
    } else if chain.models.contains(&ModelId::offline())
        && let Err(why) = served()
    {
        // The others of the chain may still answer.
        chain.models.retain(|model| *model != ModelId::offline());
        if chain.models.is_empty() {
            return Err(PlanError::NoModel(format!("`offline` was asked for, and {why}")));
        }
    }
    let missing: Vec<String> = chain
        .models
        .iter()
        .filter_map(|model| Some(format!("{model} needs `{}`", book.missing_key(model)?)))
        .collect();
    if chain.models.is_empty() {
        return Err(PlanError::NoModel(book.nothing().to_owned()));
    }
    if missing.len() == chain.models.len() {
        return Err(PlanError::NoModel(missing.join(", ")));
    }
    Ok(chain)
}

/// Without a language model, the agent cannot be served.
fn no_model(book: &ModelBook, why: &offline::NotServed) -> PlanError {
    PlanError::NoModel(format!("{}; `offline` does not do because {why}", book.nothing()))
}

#[cfg(test)]
mod tests;
