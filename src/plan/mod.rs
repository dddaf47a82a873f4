//! What exactly will happen when an agent is run. Nothing is left to decide afterwards.
//!
//! Pure: reads no files and asks no models. [`plan`] is the only way to a [`Plan`], so nothing can
//! run a definition that has errors, or with a tool the authority did not grant.

mod inputs;
mod limits;
mod models;
mod output;
mod prompt;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use thiserror::Error;

pub use inputs::{Given, input_schema};
pub use limits::{LimitWishes, Limits};
pub use models::{Chain, ModelBook, ModelWishes, Step, UnknownModel};
pub use output::{Handed, OutputSpec};
pub use prompt::{PromptError, Renderer};

use crate::{
    authority::{Circumstances, Verdict, authority, granted},
    catalog::Entry,
    config::RunSettings,
    conversation::{Message, Part, forked},
    dialect::Template,
    lint::{Finding, Level},
    model::{Definition, TEMPLATE_VARIABLES},
    provider::{ModelId, Sampling, offline},
    tools::sandbox::Mode,
};

/// What the first message is where nobody says anything.
pub const DEFAULT_QUERY: &str = "Get Started!";

/// What every agent is told about finishing.
const COMPLETION: &str = include_str!("../../templates/prompts/completion.md");
/// The same for an agent that hands in a structured result.
const COMPLETION_WITH_SCHEMA: &str =
    include_str!("../../templates/prompts/completion_with_schema.md");

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
    /// The conversation of whoever calls, for agents that start with it.
    pub context: Vec<Message>,
    /// Whether only a language model will do.
    pub require_llm: bool,
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
}

/// Who is asked before something is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalMode {
    /// Whoever started the agent.
    RouteToParent,
    /// Nobody: what would need an approval is denied.
    Suppress,
    /// Nobody, as long as commands run in a sandbox.
    AutoApproveInSandbox,
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
    #[error("`{}` ({}) is no model agentctl knows", .0.name, .0.from)]
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
    let system = texts.system(&renderer, output.has_schema())?;
    let mut messages = Vec::new();
    if definition.behaviour.fork_context.is_some_and(|flag| flag.value) && !call.context.is_empty()
    {
        messages = forked(&call.context);
    }
    messages.extend(texts.initial_messages(&renderer)?);
    messages.push(Message::user(texts.query(&renderer)?));
    let description =
        prompt.clone().or_else(|| definition.description.as_ref().map(|text| text.value.clone()));
    let mut plan = Plan {
        agent_type: entry.full_name(),
        description: description.unwrap_or_default(),
        chain: Chain { steps: Vec::new(), models: Vec::new() },
        sampling: sampling(definition),
        limits: Limits::of(definition, situation.settings, &call.limits),
        verdicts,
        system,
        messages,
        output,
        approval: approval(definition),
        sandbox: sandbox(definition, situation.sandbox)?,
        directory: directory(definition, situation.cwd)?,
    };
    plan.chain = chain(entry, &plan, &call.models, situation, call.require_llm)?;
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
}

/// The texts of a definition, and what goes into them.
struct Texts<'a> {
    entry: &'a Entry,
    situation: &'a Situation<'a>,
    prompt: Option<&'a str>,
}

impl Texts<'_> {
    fn variables(&self, mut values: Map<String, Value>) -> Map<String, Value> {
        for name in TEMPLATE_VARIABLES {
            let value = match *name {
                "agent_type" => self.entry.name().to_owned(),
                "cwd" => self.situation.cwd.display().to_string(),
                "prompt" => self.prompt.unwrap_or_default().to_owned(),
                _ => self.situation.today.to_owned(),
            };
            values.insert((*name).to_owned(), Value::String(value));
        }
        values
    }

    /// Only texts in which `${…}` means something are rendered; a shell script in another host's
    /// prompt stays what it is.
    fn template(&self) -> Option<Template> {
        self.entry.form.prompts.template.filter(|template| template.open == "${")
    }

    fn uses(&self, text: &str, name: &str) -> bool {
        self.template().is_some_and(|template| template.uses(text).any(|found| found.name == name))
    }

    fn render(&self, renderer: &Renderer, text: &str) -> Result<String, PlanError> {
        if self.template().is_none() {
            return Ok(text.to_owned());
        }
        renderer.render(text).map_err(PlanError::Prompt)
    }

    fn system(&self, renderer: &Renderer, has_schema: bool) -> Result<String, PlanError> {
        let text = self.entry.system_prompt().unwrap_or_default();
        if text.trim().is_empty() {
            return Err(PlanError::NoPrompt);
        }
        let mut system = self.render(renderer, text)?.trim().to_owned();
        if !self.uses(text, "cwd") {
            let cwd = self.situation.cwd.display();
            system.push_str(&format!(
                "\n\nWorking directory: {cwd}\nToday: {}",
                self.situation.today
            ));
        }
        system.push_str("\n\n");
        system.push_str(if has_schema { COMPLETION_WITH_SCHEMA } else { COMPLETION }.trim());
        Ok(system)
    }

    fn initial_messages(&self, renderer: &Renderer) -> Result<Vec<Message>, PlanError> {
        let written = &self.entry.definition.prompt.initial_messages;
        let messages = written.iter().map(|message| {
            let text = self.render(renderer, &message.content.value)?;
            Ok(match message.role.value.as_str() {
                "assistant" | "model" => {
                    Message::Assistant { parts: vec![Part::Text { text }], by: String::new() }
                }
                _ => Message::user(text),
            })
        });
        messages.collect()
    }

    /// The first message of the task. A prompt never vanishes: where no text of the definition
    /// mentions it, it follows the query.
    fn query(&self, renderer: &Renderer) -> Result<String, PlanError> {
        let Some(query) = &self.entry.definition.prompt.query else {
            return Ok(self.prompt.unwrap_or(DEFAULT_QUERY).to_owned());
        };
        let mut rendered = self.render(renderer, &query.value)?;
        let system = self.entry.system_prompt().unwrap_or_default();
        let mentioned = self.uses(&query.value, "prompt") || self.uses(system, "prompt");
        if let Some(prompt) = self.prompt.filter(|_| !mentioned) {
            rendered.push_str("\n\n");
            rendered.push_str(prompt);
        }
        Ok(rendered)
    }
}

fn sampling(definition: &Definition) -> Sampling {
    let model = &definition.model;
    Sampling {
        temperature: model.temperature.map(|value| value.value),
        top_p: model.top_p.map(|value| value.value),
        thinking_budget: model.thinking_budget.map(|value| value.value),
        effort: model.effort.as_ref().map(|effort| effort.value.clone()),
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
    plan: &Plan,
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
        let tools: Vec<&str> = granted(&plan.verdicts).collect();
        offline::serves(&offline::Served {
            agent_type: entry.name(),
            description: definition.description.as_ref().map_or("", |text| &text.value),
            tools: &tools,
            has_output_schema: plan.output.has_schema(),
        })
    };
    if chain.models.is_empty() && !require_llm {
        match served() {
            Ok(()) => chain.models.push(ModelId::offline()),
            Err(why) => return Err(PlanError::NoModel(why)),
        }
        if let Some(step) = chain.steps.last_mut() {
            step.says = format!("offline ({})", step.says);
            step.decides = true;
        }
    }
    if require_llm {
        chain.models.retain(|model| *model != ModelId::offline());
    } else if chain.models.contains(&ModelId::offline()) {
        served().map_err(PlanError::NoModel)?;
    }
    let missing: Vec<String> = chain
        .models
        .iter()
        .filter_map(|model| Some(format!("{model} needs `{}`", book.missing_key(model)?)))
        .collect();
    if chain.models.is_empty() {
        return Err(PlanError::NoModel("there is no key and no server on this machine".to_owned()));
    }
    if missing.len() == chain.models.len() {
        return Err(PlanError::NoModel(missing.join(", ")));
    }
    Ok(chain)
}
