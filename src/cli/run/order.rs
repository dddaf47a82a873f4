//! What was asked for: an agent and how to call it, from a command line or from a stored thread.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value};

use super::MODEL_VARIABLES;
use crate::{
    catalog::{Catalog, Entry, Keep},
    cli::{
        args::{HowArgs, RunArgs},
        world::World,
    },
    document::{self, Format},
    lint::Finding,
    plan::{Finish, ModelWishes},
    provider::{ModelId, REPLAY},
    session::{StoredCall, stored_entry},
    store::Thread,
    text::Source,
};

/// The longest text on stdin.
const MAX_TEXT: u64 = 4 << 20;

/// An agent and how to call it.
pub(in crate::cli) struct Order {
    pub entry: Entry,
    /// What the linter says about it.
    pub findings: Vec<Finding>,
    pub call: StoredCall,
    /// The agents it can start; none if it cannot.
    pub catalog: Option<Catalog>,
    /// Where it works.
    pub cwd: PathBuf,
    pub record: Option<PathBuf>,
    pub replay: Option<PathBuf>,
    pub dry_run: bool,
}

impl Order {
    /// What the command line asks for.
    pub fn typed(
        world: &World,
        args: &RunArgs,
        entry: Entry,
        findings: Vec<Finding>,
        catalog: Catalog,
    ) -> Result<Self> {
        let call = StoredCall {
            prompt: prompt(args.prompt.as_deref())?,
            inputs: args.input_file.as_deref().map(read_inputs).transpose()?.unwrap_or_default(),
            texts: args.input.clone(),
            model: args.how.model.clone(),
            max_turns: args.how.max_turns,
            timeout: args.how.timeout,
            grace: args.how.grace,
            require_llm: args.how.require_llm,
            approve: args.how.approve.into(),
            sandbox: args.how.sandbox.map(|mode| mode.name().to_owned()),
            no_probe: args.how.no_probe,
            background: args.how.background,
            dialect: entry.dialect.id.to_owned(),
            from: world.cwd().to_owned(),
            ..StoredCall::default()
        };
        let cwd = args.cwd.as_ref().map_or(world.cwd().to_owned(), |dir| world.cwd().join(dir));
        let (record, replay) = (args.record.clone(), args.replay.clone());
        let catalog = Some(catalog);
        Ok(Self { entry, findings, call, catalog, cwd, record, replay, dry_run: args.how.dry_run })
    }

    /// A conversation: what the agent is to do is said later, and its last message is its answer.
    pub fn spoken(
        world: &World,
        args: &HowArgs,
        entry: Entry,
        findings: Vec<Finding>,
        catalog: Catalog,
        cwd: PathBuf,
    ) -> Self {
        let call = StoredCall {
            model: args.model.clone(),
            approve: args.approve.into(),
            sandbox: args.sandbox.map(|mode| mode.name().to_owned()),
            no_probe: args.no_probe,
            finish: Finish::LastMessage,
            dialect: entry.dialect.id.to_owned(),
            from: world.cwd().to_owned(),
            ..StoredCall::default()
        };
        let (record, replay, catalog) = (None, None, Some(catalog));
        Self { entry, findings, call, catalog, cwd, record, replay, dry_run: false }
    }

    /// What was asked for when `thread` began, with its definition as it was then.
    pub fn stored(world: &mut World, thread: &Thread) -> Result<Self> {
        let begun = &thread.begun;
        let call: StoredCall = serde_json::from_value(begun.call.clone())
            .context("how the thread was called cannot be read")?;
        let entry = stored_entry(begun, &call).context("the thread's definition cannot be read")?;
        let cwd = PathBuf::from(&begun.cwd);
        let (findings, record, replay) = (Vec::new(), None, None);
        // Only a main agent starts others.
        let main = call.caller.is_none() && !call.background;
        let catalog = if main { Some(world.catalog(&[], Keep::Text)?) } else { None };
        Ok(Self { entry, findings, call, catalog, cwd, record, replay, dry_run: false })
    }

    /// What the command line asks for instead of what was asked for before.
    pub fn replace(&mut self, args: &HowArgs) {
        let call = &mut self.call;
        call.model = args.model.clone().or(call.model.take());
        call.max_turns = args.max_turns.or(call.max_turns);
        call.timeout = args.timeout.or(call.timeout);
        call.grace = args.grace.or(call.grace);
        call.require_llm |= args.require_llm;
        call.no_probe |= args.no_probe;
        call.approve = args.approve.into();
        call.background = args.background;
        // What was allowed then need not be allowed now.
        call.sandbox = args.sandbox.map(|mode| mode.name().to_owned());
        self.dry_run = args.dry_run;
    }

    /// What was said about the model.
    pub fn wishes(&self, world: &World) -> ModelWishes {
        if let Some(file) = &self.replay {
            let model = format!("{REPLAY}:{}", file.display());
            return ModelWishes { variable: Some(("--replay", model)), ..ModelWishes::default() };
        }
        ModelWishes {
            call: self.call.model.clone(),
            parent: self.call.parent_model.as_deref().and_then(ModelId::parse),
            ..environment_wishes(world)
        }
    }
}

/// What the environment says about the model.
pub(in crate::cli) fn environment_wishes(world: &World) -> ModelWishes {
    let set = MODEL_VARIABLES.iter().find_map(|name| Some((*name, world.variable(name)?)));
    ModelWishes { variable: set, ..ModelWishes::default() }
}

/// The prompt, from stdin if it is `-`.
pub(super) fn prompt(typed: Option<&str>) -> Result<Option<String>> {
    typed.map(|typed| typed_or_stdin(typed, "prompt")).transpose()
}

/// What was typed, or what stands on stdin if that is `-`.
pub(in crate::cli) fn typed_or_stdin(typed: &str, what: &str) -> Result<String> {
    if typed != "-" {
        return Ok(typed.to_owned());
    }
    let mut text = String::new();
    let read = io::stdin().lock().take(MAX_TEXT + 1).read_to_string(&mut text);
    read.with_context(|| format!("cannot read the {what} from stdin"))?;
    if text.len() as u64 > MAX_TEXT {
        bail!("the {what} on stdin is longer than {} MiB", MAX_TEXT >> 20);
    }
    Ok(text)
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
