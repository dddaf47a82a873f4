//! A run: everything worked out before it begins, then carried out.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use anyhow::{Context as _, Result};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::{
    models::{self, Registry},
    order::Order,
    outcome,
    screen::{Screen, Terminal, Watch},
    thread::Keeper,
};
use crate::{
    authority::{Circumstances, Position},
    catalog::Entry,
    cli::{
        args::{Approve, RunFormat},
        show::is_trusted,
        trust::trusted,
        world::World,
    },
    config::Patience,
    event::{Decision, Event, Journal, Outcome, Redactor, Sink, is_secret_name, today},
    model::Effect,
    plan::{ModelBook, ModelWishes, Plan, PlanError, Situation, plan},
    provider::{Recording, Replay},
    run::{Agent, Always, Approver, Surroundings},
    tools::{self, Root, Tool, ToolCx, sandbox::Sandbox},
};

/// A run that is about to begin.
pub(super) struct Job {
    pub plan: Arc<Plan>,
    pub redactor: Redactor,
    registry: Registry,
    patience: Patience,
    approve: Approve,
    sandbox: Sandbox,
    root: Root,
    tools: Arc<[Arc<dyn Tool>]>,
    web: bool,
}

impl Job {
    /// Works out everything that can go wrong before a model is asked.
    pub fn prepare(
        world: &mut World,
        order: &Order,
        runtime: &Runtime,
    ) -> Result<Result<Self, PlanError>> {
        let settings = world.settings()?.run.clone();
        let patience = settings.patience();
        let cwd = Root::open(&order.cwd)?.path().to_owned();
        let mut book = models::book(world, &settings);
        let redactor = redactor(world, &book);
        let replay = order.replay.as_deref().map(|file| read_replay(file, &cwd, &redactor));
        let replay = replay.transpose()?;
        let date =
            replay.as_ref().map_or_else(|| today(SystemTime::now()), |r| r.today().to_owned());
        if !order.call.no_probe && needs_probe(&book, &order.entry, &order.wishes(world)) {
            book.local = Some(runtime.block_on(models::on_this_machine(&book, patience)));
        }
        let web = settings.web_fetch.unwrap_or(false);
        let allowed = |tool: &Arc<dyn Tool>| web || tool.effect() != Effect::Network;
        let tools: Arc<[Arc<dyn Tool>]> = tools::built_in().into_iter().filter(allowed).collect();
        let names: Vec<String> = tools.iter().map(|tool| tool.spec().name).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let situation = Situation {
            cwd: &cwd,
            today: &date,
            models: &book,
            settings: &settings,
            circumstances: Circumstances {
                caller: Some(&names),
                position: Position::Main,
                background: order.call.background,
                trusted: is_trusted(&trusted(world)?, &order.entry),
            },
            sandbox: order.sandbox().unwrap_or_else(|| settings.sandbox()),
        };
        let plan = match plan(&order.entry, &order.findings, order.planned(world), &situation) {
            Ok(plan) => plan,
            Err(error) => return Ok(Err(error)),
        };
        let root = Root::open(plan.directory())?;
        // A link may lead elsewhere, whatever the name says.
        if !root.path().starts_with(&cwd) {
            return Ok(Err(PlanError::BaseDir(plan.directory().to_owned())));
        }
        mention_what_is_missing(world, &order.entry);
        let recording = match (&order.record, order.dry_run) {
            (Some(file), false) => Some(begin_recording(file, &date, &cwd, redactor.clone())?),
            _ => None,
        };
        let environment = without_keys(world, &book);
        let mut registry = Registry::new(book, order.call.from.clone(), patience, recording);
        for model in plan.models() {
            registry.prepare(model)?;
        }
        if let Some(replay) = replay {
            registry.replay(plan.models()[0].clone(), replay);
        }
        let helper = std::env::current_exe().context("cannot find agentctl itself")?;
        let sandbox = Sandbox::new(plan.sandbox(), helper, environment);
        let (plan, approve) = (Arc::new(plan), order.call.approve);
        Ok(Ok(Self { plan, redactor, registry, patience, approve, sandbox, root, tools, web }))
    }

    /// Carries it out until `cancel`. `keeper` keeps what happens.
    pub async fn run(
        self,
        world: &World,
        format: RunFormat,
        keeper: Keeper,
        cancel: CancellationToken,
    ) -> Result<Outcome> {
        let terminal = world.err_is_terminal();
        let screen = Screen::new(world.err_paint(), world.text_width());
        // What is shown has been kept before.
        let mut sinks: Vec<Box<dyn Sink>> = keeper.sink(&self.redactor).into_iter().collect();
        if format == RunFormat::Jsonl {
            sinks.push(Box::new(Lines(Mutex::new(io::stdout()))));
        }
        let _animation = terminal.then(|| screen.animate());
        if terminal {
            sinks.push(Box::new(Watch(Arc::clone(&screen))));
        }
        let approver: Arc<dyn Approver> = match self.approve {
            Approve::Always => Arc::new(Always(Decision::Approved)),
            Approve::Never => Arc::new(Always(Decision::Denied)),
            Approve::Ask if terminal && File::open("/dev/tty").is_ok() => {
                Arc::new(Terminal::new(screen))
            }
            Approve::Ask => Arc::new(Always(Decision::NobodyToAsk)),
        };
        let around = Surroundings {
            models: Arc::new(self.registry),
            tools: self.tools,
            cx: Arc::new(ToolCx {
                root: self.root,
                sandbox: self.sandbox,
                time_limit: self.patience.tool,
                web: self.web,
            }),
            journal: Arc::new(Journal::from(keeper.next()?, sinks, self.redactor.clone())),
            approver,
            patience: self.patience,
            cancel: cancel.clone(),
            inbox: Arc::default(),
        };
        let inbox = Arc::clone(&around.inbox);
        let past = keeper.past(self.plan.messages(), &self.redactor)?;
        let mut agent = Agent::new(self.plan, around, keeper.id().to_owned(), keeper.ordinal());
        if let Some(past) = past {
            agent = agent.after(past, Vec::new());
        }
        let living = keeper.live(Arc::clone(&inbox), cancel);
        let outcome = agent.run().await;
        drop(living);
        keeper.end(&inbox)?;
        Ok(outcome)
    }
}

/// Whether it depends on this machine's servers which model is asked.
fn needs_probe(book: &ModelBook, entry: &Entry, wishes: &ModelWishes) -> bool {
    let written: Vec<&str> =
        entry.definition.model.chain.iter().map(|name| name.value.as_str()).collect();
    book.chain(&written, wishes).is_ok_and(|chain| chain.models.is_empty())
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

/// What Ctrl-C and a request to end cancel. From here on they end nothing by themselves, so this
/// comes before the thread is anyone's: whoever stops it then finds it interrupted.
pub(super) fn listen(runtime: &Runtime) -> Result<CancellationToken> {
    use tokio::signal::unix::{SignalKind, signal};

    let _within = runtime.enter();
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for signals")?;
    let cancel = CancellationToken::new();
    let cancelled = cancel.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        cancelled.cancel();
    });
    Ok(cancel)
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
