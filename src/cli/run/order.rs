//! What was asked for: an agent and how to call it, from a command line or from a stored thread.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::MODEL_VARIABLES;
use crate::{
    authority::fingerprint,
    catalog::{Entry, File, Origin},
    cli::{
        args::{Approve, RunArgs},
        world::World,
    },
    dialect,
    document::{self, Format},
    lint::Finding,
    plan::{Call, Given, LimitWishes, ModelWishes},
    provider::REPLAY,
    store::Thread,
    text::Source,
    tools::sandbox::Mode,
};

/// The longest prompt on stdin.
const MAX_PROMPT: u64 = 4 << 20;

/// An agent and how to call it.
pub(super) struct Order {
    pub entry: Entry,
    /// What the linter says about it.
    pub findings: Vec<Finding>,
    pub call: StoredCall,
    /// Where it works.
    pub cwd: PathBuf,
    pub record: Option<PathBuf>,
    pub replay: Option<PathBuf>,
    pub dry_run: bool,
}

/// How an agent was called, as it is kept with its thread.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct StoredCall {
    pub prompt: Option<String>,
    pub inputs: Map<String, Value>,
    pub texts: Vec<(String, String)>,
    pub model: Option<String>,
    pub max_turns: Option<u32>,
    pub timeout: Option<f64>,
    pub grace: Option<f64>,
    pub require_llm: bool,
    pub approve: Approve,
    pub sandbox: Option<String>,
    pub no_probe: bool,
    pub background: bool,
    /// The dialect of its definition.
    pub dialect: String,
    /// Where paths in the call start.
    pub from: PathBuf,
}

impl Order {
    /// What the command line asks for.
    pub fn typed(
        world: &World,
        args: &RunArgs,
        entry: Entry,
        findings: Vec<Finding>,
    ) -> Result<Self> {
        let call = StoredCall {
            prompt: prompt(args.prompt.as_deref())?,
            inputs: args.input_file.as_deref().map(read_inputs).transpose()?.unwrap_or_default(),
            texts: args.input.clone(),
            model: args.model.clone(),
            max_turns: args.max_turns,
            timeout: args.timeout,
            grace: args.grace,
            require_llm: args.require_llm,
            approve: args.approve,
            sandbox: args.sandbox.map(|mode| mode.name().to_owned()),
            no_probe: args.no_probe,
            background: args.background,
            dialect: entry.dialect.id.to_owned(),
            from: world.cwd().to_owned(),
        };
        let cwd = args.cwd.as_ref().map_or(world.cwd().to_owned(), |dir| world.cwd().join(dir));
        let (record, replay) = (args.record.clone(), args.replay.clone());
        Ok(Self { entry, findings, call, cwd, record, replay, dry_run: args.dry_run })
    }

    /// What was asked for when `thread` began, with its definition as it was then.
    pub fn stored(thread: &Thread) -> Result<Self> {
        let begun = &thread.begun;
        let call: StoredCall = serde_json::from_value(begun.call.clone())
            .context("how the thread was called cannot be read")?;
        let origin = match begun.origin.as_str() {
            "builtin" => Origin::Builtin,
            "user" => Origin::User,
            _ => Origin::Project,
        };
        let hosts: Vec<_> = dialect::dialect(&call.dialect).into_iter().collect();
        let path = Path::new(&begun.path);
        let file = File::new(path, begun.definition.clone().into_bytes(), origin, &hosts);
        let named = |entry: &Entry| entry.full_name() == begun.agent_type;
        let entry = file.entries.into_iter().find(named);
        let entry = entry.context("the thread's definition cannot be read")?;
        let cwd = PathBuf::from(&begun.cwd);
        let (findings, record, replay) = (Vec::new(), None, None);
        Ok(Self { entry, findings, call, cwd, record, replay, dry_run: false })
    }

    /// What the command line asks for instead of what was asked for before.
    pub fn replace(&mut self, args: &RunArgs) {
        let call = &mut self.call;
        call.model = args.model.clone().or(call.model.take());
        call.max_turns = args.max_turns.or(call.max_turns);
        call.timeout = args.timeout.or(call.timeout);
        call.grace = args.grace.or(call.grace);
        call.require_llm |= args.require_llm;
        call.no_probe |= args.no_probe;
        call.approve = args.approve;
        call.background = args.background;
        // What was allowed then need not be allowed now.
        call.sandbox = args.sandbox.map(|mode| mode.name().to_owned());
        self.dry_run = args.dry_run;
    }

    /// What the planner is asked.
    pub fn planned(&self, world: &World) -> Call {
        let StoredCall { prompt, inputs, texts, max_turns, timeout, grace, .. } = &self.call;
        Call {
            prompt: prompt.clone(),
            inputs: Given { values: inputs.clone(), texts: texts.clone() },
            models: self.wishes(world),
            limits: LimitWishes {
                max_turns: *max_turns,
                time: timeout.map(Duration::from_secs_f64),
                grace: grace.map(Duration::from_secs_f64),
            },
            context: Vec::new(),
            require_llm: self.call.require_llm,
        }
    }

    /// What was said about the model.
    pub fn wishes(&self, world: &World) -> ModelWishes {
        if let Some(file) = &self.replay {
            let model = format!("{REPLAY}:{}", file.display());
            return ModelWishes { variable: Some(("--replay", model)), ..ModelWishes::default() };
        }
        ModelWishes { call: self.call.model.clone(), ..environment_wishes(world) }
    }

    /// The least strict sandbox that was asked for.
    pub fn sandbox(&self) -> Option<Mode> {
        self.call.sandbox.as_deref().and_then(Mode::parse)
    }

    /// The definition's text, its file, and its fingerprint.
    pub fn definition(&self) -> (String, PathBuf, String) {
        let text = self.entry.source.as_ref().map_or("", |source| source.text()).to_owned();
        let path = if self.entry.origin == Origin::Builtin {
            self.entry.path.clone()
        } else {
            self.call.from.join(&self.entry.path)
        };
        let hash = fingerprint(text.as_bytes());
        (text, path, hash)
    }
}

/// What the environment says about the model.
pub(in crate::cli) fn environment_wishes(world: &World) -> ModelWishes {
    let set = MODEL_VARIABLES.iter().find_map(|name| Some((*name, world.variable(name)?)));
    ModelWishes { variable: set, ..ModelWishes::default() }
}

/// The prompt, from stdin if it is `-`.
pub(super) fn prompt(typed: Option<&str>) -> Result<Option<String>> {
    if typed != Some("-") {
        return Ok(typed.map(str::to_owned));
    }
    let mut text = String::new();
    let read = io::stdin().lock().take(MAX_PROMPT + 1).read_to_string(&mut text);
    read.context("cannot read the prompt from stdin")?;
    if text.len() as u64 > MAX_PROMPT {
        bail!("the prompt on stdin is longer than {} MiB", MAX_PROMPT >> 20);
    }
    Ok(Some(text))
}

/// Inputs from a file: JSON or YAML.
fn read_inputs(file: &Path) -> Result<Map<String, Value>> {
    let shown = file.display();
    let bytes = fs::read(file).with_context(|| format!("cannot read {shown}"))?;
    let source = Source::new(shown.to_string(), bytes);
    let (document, problems) = document::parse(&source, Format::Yaml);
    if let Some(problem) = problems.first() {
        let at = source.position(problem.span.start as usize);
        bail!("{shown}:{}: {}", at.line, problem.kind);
    }
    match document.root.to_json() {
        Value::Object(values) => Ok(values),
        _ => bail!("{shown} must hold one value for each input"),
    }
}
