//! `agentctl run`.

mod models;
pub(super) mod outcome;
mod screen;

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use anyhow::{Context as _, Result, bail};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use models::Registry;
pub(super) use models::book;
use screen::{Screen, Terminal, Watch};

use super::{
    Exit,
    args::{Approve, RunArgs, RunFormat},
    show::unknown_agent,
    world::{Whose, World},
};
use crate::{
    authority::{Circumstances, Position},
    catalog::{Catalog, Entry, Keep},
    config::Patience,
    document::{self, Format},
    event::{Decision, Event, Journal, Outcome, Redactor, Sink, is_secret_name, today},
    lint::{self, FileReport, Finding, Level},
    model::Effect,
    plan::{Call, Given, LimitWishes, ModelBook, ModelWishes, Plan, PlanError, Situation, plan},
    provider::{REPLAY, Recording, Replay},
    render::{drawn, json_text, sheet_text},
    run::{Agent, Always, Approver, Surroundings},
    text::Source,
    tools::{self, Root, Tool, ToolCx, sandbox::Sandbox},
};

/// The longest prompt on stdin.
const MAX_PROMPT: u64 = 4 << 20;

/// Variables that choose the model of every agent, the first that is set.
pub(super) const MODEL_VARIABLES: &[&str] = &["AGENTCTL_SUBAGENT_MODEL", "CODEX_SUBAGENT_MODEL"];

pub(super) fn run(world: &mut World, args: &RunArgs) -> Result<Exit> {
    let Some((entry, findings)) = find(world, &args.agent)? else { return Ok(Exit::Usage) };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")?;
    let job = Job::prepare(world, args, &entry, &findings, &runtime)?;
    let job = match job {
        Ok(job) => job,
        Err(error) => return refuse(world, &args.agent, &findings, &error),
    };
    if args.dry_run {
        return dry_run(world, args, &job);
    }
    let format = args.format;
    let outcome = runtime.block_on(job.run(world, args))?;
    // A tool that does not end in time must not keep the process.
    runtime.shutdown_background();
    outcome::print(world, format, &outcome)?;
    Ok(outcome::exit(&outcome))
}

/// The agent, and what the linter says about its file.
fn find(world: &mut World, name: &str) -> Result<Option<(Entry, Vec<Finding>)>> {
    let file = PathBuf::from(name);
    let is_file = file.is_file();
    let paths = if is_file { std::slice::from_ref(&file) } else { &[] };
    // Only the files of agents with this name are worth checking.
    let inspect = |file: &crate::catalog::File| {
        let named = |entry: &Entry| entry.name() == name || entry.full_name() == name;
        (is_file || file.entries.iter().any(named)).then(|| lint::lint_file(file))
    };
    let (catalog, reports) = world.read(paths, Whose::Everyone, Keep::Text, Vec::new(), inspect)?;
    let entry = if is_file {
        match catalog.entries.as_slice() {
            [one] => Some(one),
            [] => None,
            several => {
                let names: Vec<_> = several.iter().map(|one| format!("`{}`", one.name())).collect();
                bail!("{name} holds several agents: run {} by name", names.join(", "));
            }
        }
    } else {
        catalog.find(name).ok()
    };
    let Some(entry) = entry.cloned() else {
        if !world.report_unreadable(&catalog) {
            world.error(&missing(&catalog, name, is_file));
        }
        return Ok(None);
    };
    let path = entry.path.display().to_string();
    let report = reports.into_iter().flatten().find(|report| report.path == path);
    let findings = settled(world, report.unwrap_or_default())?;
    Ok(Some((entry, findings)))
}

fn missing(catalog: &Catalog, name: &str, is_file: bool) -> String {
    if is_file {
        return format!(
            "{name} is not an agent definition\nhelp: `--dialect` reads any file as one"
        );
    }
    unknown_agent(catalog, name)
}

/// The findings that count.
fn settled(world: &mut World, report: FileReport) -> Result<Vec<Finding>> {
    let mut reports = [report];
    lint::suppress(&mut reports);
    let [mut report] = reports;
    let path = world.cwd().join(&report.path);
    let settings = world.settings()?.lint.clone();
    report.findings.retain_mut(|finding| match settings.level(finding, &path) {
        Some(level) => {
            finding.level = level;
            true
        }
        None => false,
    });
    Ok(report.findings)
}

/// Says why the agent cannot be run.
fn refuse(world: &mut World, agent: &str, findings: &[Finding], error: &PlanError) -> Result<Exit> {
    if matches!(error, PlanError::Invalid) {
        let errors: Vec<&Finding> =
            findings.iter().filter(|finding| finding.level == Level::Error).collect();
        let text = drawn(&errors, world.text_width(), world.err_paint());
        world.note_raw(&text);
    }
    world.error(&format!("`{agent}` cannot be run: {error}"));
    match error {
        PlanError::NoModel(_) => {
            world.note(NO_MODEL);
            Ok(Exit::NoModel)
        }
        PlanError::Sandbox { asked, .. } => {
            world.note(&format!("help: `--sandbox {}` allows it", asked.name()));
            Ok(Exit::Usage)
        }
        PlanError::UnknownModel(_) => {
            world.note(
                "help: write `provider/model` (anthropic, openai, openai-chat, gemini, ollama, or a \
                 name from `[providers]`), a name from `[models]`, `script:FILE` or `offline`",
            );
            Ok(Exit::Usage)
        }
        _ => Ok(Exit::Usage),
    }
}

/// The ways to get a model.
const NO_MODEL: &str = "\
help: any of these provides a model:
  - a key: set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY
  - a server on this machine: Ollama, LM Studio or llama.cpp
  - any other server: `[providers.NAME]` in ~/.config/agentctl/config.toml, then `--model NAME/MODEL`";

/// A run that is about to begin.
struct Job {
    plan: Arc<Plan>,
    registry: Registry,
    patience: Patience,
    redactor: Redactor,
    sandbox: Sandbox,
    root: Root,
    tools: Arc<[Arc<dyn Tool>]>,
    web: bool,
}

impl Job {
    /// Works out everything that can go wrong before a model is asked.
    fn prepare(
        world: &mut World,
        args: &RunArgs,
        entry: &Entry,
        findings: &[Finding],
        runtime: &tokio::runtime::Runtime,
    ) -> Result<Result<Self, PlanError>> {
        let settings = world.settings()?.run.clone();
        let patience = settings.patience();
        let cwd =
            args.cwd.as_ref().map_or_else(|| world.cwd().to_owned(), |dir| world.cwd().join(dir));
        let outer = Root::open(&cwd)?;
        let cwd = outer.path().to_owned();
        let mut book = models::book(world, &settings);
        let redactor = redactor(world, &book);
        let replay = args.replay.as_deref().map(|file| read_replay(file, &cwd, &redactor));
        let replay = replay.transpose()?;
        let date =
            replay.as_ref().map_or_else(|| today(SystemTime::now()), |r| r.today().to_owned());
        let wishes = wishes(world, args);
        if !args.no_probe && needs_probe(&book, entry, &wishes) {
            book.local = Some(runtime.block_on(models::on_this_machine(&book, patience)));
        }
        let web = settings.web_fetch.unwrap_or(false);
        let allowed = |tool: &Arc<dyn Tool>| web || tool.effect() != Effect::Network;
        let tools: Arc<[Arc<dyn Tool>]> = tools::built_in().into_iter().filter(allowed).collect();
        let names: Vec<String> = tools.iter().map(|tool| tool.spec().name).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let ceiling = args.sandbox.unwrap_or_else(|| settings.sandbox());
        let situation = Situation {
            cwd: &cwd,
            today: &date,
            models: &book,
            settings: &settings,
            circumstances: circumstances(world, entry, &names)?,
            sandbox: ceiling,
        };
        let plan = match plan(entry, findings, call(args, wishes)?, &situation) {
            Ok(plan) => plan,
            Err(error) => return Ok(Err(error)),
        };
        let root = Root::open(plan.directory())?;
        // A link may lead elsewhere, whatever the name says.
        if !root.path().starts_with(&cwd) {
            return Ok(Err(PlanError::BaseDir(plan.directory().to_owned())));
        }
        mention_what_is_missing(world, entry);
        let recording = match (&args.record, args.dry_run) {
            (Some(file), false) => Some(begin_recording(file, &date, &cwd, redactor.clone())?),
            _ => None,
        };
        let environment = without_keys(world, &book);
        let mut registry = Registry::new(book, world.cwd().to_owned(), patience, recording);
        for model in plan.models() {
            registry.prepare(model)?;
        }
        if let Some(replay) = replay {
            registry.replay(plan.models()[0].clone(), replay);
        }
        let helper = std::env::current_exe().context("cannot find agentctl itself")?;
        let sandbox = Sandbox::new(plan.sandbox(), helper, environment);
        let plan = Arc::new(plan);
        Ok(Ok(Self { plan, registry, patience, redactor, sandbox, root, tools, web }))
    }

    async fn run(self, world: &mut World, args: &RunArgs) -> Result<Outcome> {
        let terminal = world.err_is_terminal();
        let screen = Screen::new(world.err_paint(), world.text_width());
        let mut sinks: Vec<Box<dyn Sink>> = Vec::new();
        if args.format == RunFormat::Jsonl {
            sinks.push(Box::new(Lines(Mutex::new(io::stdout()))));
        }
        let _animation = terminal.then(|| screen.animate());
        if terminal {
            sinks.push(Box::new(Watch(Arc::clone(&screen))));
        }
        let approver: Arc<dyn Approver> = match args.approve {
            Approve::Always => Arc::new(Always(Decision::Approved)),
            Approve::Never => Arc::new(Always(Decision::Denied)),
            Approve::Ask if terminal && File::open("/dev/tty").is_ok() => {
                Arc::new(Terminal::new(screen))
            }
            Approve::Ask => Arc::new(Always(Decision::NobodyToAsk)),
        };
        let cancel = CancellationToken::new();
        listen(&cancel)?;
        let around = Surroundings {
            models: Arc::new(self.registry),
            tools: self.tools,
            cx: Arc::new(ToolCx {
                root: self.root,
                sandbox: self.sandbox,
                time_limit: self.patience.tool,
                web: self.web,
            }),
            journal: Arc::new(Journal::new(sinks, self.redactor)),
            approver,
            patience: self.patience,
            cancel,
        };
        let id = Uuid::now_v7().to_string();
        Ok(Agent::new(self.plan, around, id, 1).run().await)
    }
}

/// What the caller asked for.
fn call(args: &RunArgs, models: ModelWishes) -> Result<Call> {
    let prompt = match args.prompt.as_deref() {
        Some("-") => {
            let mut text = String::new();
            let read = io::stdin().lock().take(MAX_PROMPT + 1).read_to_string(&mut text);
            read.context("cannot read the prompt from stdin")?;
            if text.len() as u64 > MAX_PROMPT {
                bail!("the prompt on stdin is longer than {} MiB", MAX_PROMPT >> 20);
            }
            Some(text)
        }
        prompt => prompt.map(str::to_owned),
    };
    let mut inputs = Given::default();
    if let Some(file) = &args.input_file {
        inputs.values = read_inputs(file)?;
    }
    inputs.texts.clone_from(&args.input);
    let limits = LimitWishes {
        max_turns: args.max_turns,
        time: args.timeout.map(Duration::from_secs_f64),
        grace: args.grace.map(Duration::from_secs_f64),
    };
    Ok(Call { prompt, inputs, models, limits, context: Vec::new(), require_llm: args.require_llm })
}

/// Inputs from a file: JSON or YAML.
fn read_inputs(file: &Path) -> Result<serde_json::Map<String, serde_json::Value>> {
    let shown = file.display();
    let bytes = fs::read(file).with_context(|| format!("cannot read {shown}"))?;
    let source = Source::new(shown.to_string(), bytes);
    let (document, problems) = document::parse(&source, Format::Yaml);
    if let Some(problem) = problems.first() {
        let at = source.position(problem.span.start as usize);
        bail!("{shown}:{}: {}", at.line, problem.kind);
    }
    match document.root.to_json() {
        serde_json::Value::Object(values) => Ok(values),
        _ => bail!("{shown} must hold one value for each input"),
    }
}

fn wishes(world: &World, args: &RunArgs) -> ModelWishes {
    if let Some(file) = &args.replay {
        let model = format!("{REPLAY}:{}", file.display());
        return ModelWishes { variable: Some(("--replay", model)), ..ModelWishes::default() };
    }
    ModelWishes { call: args.model.clone(), ..environment_wishes(world) }
}

/// What the environment says about the model.
pub(super) fn environment_wishes(world: &World) -> ModelWishes {
    let set = MODEL_VARIABLES.iter().find_map(|name| Some((*name, world.variable(name)?)));
    ModelWishes { variable: set, ..ModelWishes::default() }
}

/// Whether it depends on this machine's servers which model is asked.
fn needs_probe(book: &ModelBook, entry: &Entry, wishes: &ModelWishes) -> bool {
    let written: Vec<&str> =
        entry.definition.model.chain.iter().map(|name| name.value.as_str()).collect();
    book.chain(&written, wishes).is_ok_and(|chain| chain.models.is_empty())
}

/// What decides about the tools of an agent that is run from the command line.
pub(super) fn circumstances<'a>(
    world: &World,
    entry: &Entry,
    available: &'a [&'a str],
) -> Result<Circumstances<'a>> {
    let trust = super::trust::trusted(world)?;
    Ok(Circumstances {
        caller: Some(available),
        position: Position::Main,
        background: false,
        trusted: super::show::is_trusted(&trust, entry),
    })
}

/// Keys must not appear anywhere.
fn redactor(world: &World, book: &ModelBook) -> Redactor {
    let keys = book.endpoints.iter().filter_map(|endpoint| endpoint.key.as_ref());
    let keys = keys.map(|key| key.expose().to_owned());
    let secrets = world.variables().iter().filter_map(|(name, value)| {
        is_secret_name(name.to_str()?).then(|| value.to_str().map(str::to_owned))?
    });
    Redactor::new(keys.chain(secrets))
}

/// The variables commands may see: not those settings take keys from, whatever they are called.
fn without_keys(world: &World, book: &ModelBook) -> Vec<(OsString, OsString)> {
    let holds_key = |name: &OsString| {
        let mut keys = book.endpoints.iter().filter_map(|endpoint| endpoint.key_variable.as_ref());
        keys.any(|key| name == key.as_str())
    };
    world.variables().iter().filter(|(name, _)| !holds_key(name)).cloned().collect()
}

/// Says what a definition asks for and a run does not have.
fn mention_what_is_missing(world: &mut World, entry: &Entry) {
    let references = &entry.definition.references;
    for (what, names) in [("MCP servers", &references.mcp_servers), ("skills", &references.skills)]
    {
        if names.is_empty() {
            continue;
        }
        let names: Vec<_> = names.iter().map(|name| format!("`{}`", name.value)).collect();
        world.note(&format!("note: its {what} are not available here: {}", names.join(", ")));
    }
}

fn read_replay(file: &Path, cwd: &Path, redactor: &Redactor) -> Result<Replay> {
    let shown = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))?;
    Replay::parse(&text, cwd, redactor.clone())
        .with_context(|| format!("{shown} cannot be replayed"))
}

fn begin_recording(
    file: &Path,
    date: &str,
    cwd: &Path,
    redactor: Redactor,
) -> Result<Arc<Recording>> {
    let shown = file.display();
    let out = File::create(file).with_context(|| format!("cannot write {shown}"))?;
    Ok(Recording::begin(Box::new(out), date, cwd, redactor)?)
}

/// Ctrl-C and a request to end cancel the run.
fn listen(cancel: &CancellationToken) -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for signals")?;
    let cancel = cancel.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        cancel.cancel();
    });
    Ok(())
}

fn dry_run(world: &mut World, args: &RunArgs, job: &Job) -> Result<Exit> {
    let sheet = job.plan.sheet();
    let value = || Ok::<_, anyhow::Error>(job.redactor.value(serde_json::to_value(&sheet)?));
    let text = match args.format {
        RunFormat::Text => job.redactor.text(&sheet_text(&sheet, world.paint)).into_owned(),
        RunFormat::Json => json_text(&value()?)? + "\n",
        RunFormat::Jsonl => value()?.to_string() + "\n",
    };
    write!(world.out, "{text}")?;
    Ok(Exit::Done)
}

/// Events, one a line.
struct Lines(Mutex<io::Stdout>);

impl Sink for Lines {
    fn take(&self, event: &Event) -> io::Result<()> {
        let mut line = serde_json::to_string(&outcome::capped(event)).map_err(io::Error::other)?;
        line.push('\n');
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(line.as_bytes())?;
        out.flush()
    }
}
