//! A run: everything worked out before it begins, then carried out.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use anyhow::{Context as _, Result};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::{
    models::{self, Registry},
    order::{Order, environment_wishes},
    outcome,
    screen::{Screen, Terminal, Watch},
    thread::Keeper,
    worker,
};
use crate::{
    authority::{Circumstances, MAX_DEPTH, Position, Trust},
    catalog::{Catalog, Entry},
    cli::{
        args::{OnExit, RunFormat},
        trust::trusted,
        world::World,
    },
    collab::{TaskOutputTool, TaskTool},
    config::{Patience, RunSettings},
    event::{Decision, Event, Journal, Outcome, Redactor, Sink, Status, is_secret_name, today},
    model::Effect,
    plan::{ModelBook, ModelWishes, Plan, PlanError, Situation, plan},
    provider::{Recording, Replay},
    run::{Agent, Always, Approver, Surroundings},
    session::{Approvals, Launcher, Main, Session, is_trusted},
    tools::{self, Root, Tool, ToolCx, sandbox::Sandbox},
};

/// A run that is about to begin.
pub(super) struct Job {
    pub plan: Arc<Plan>,
    pub redactor: Redactor,
    registry: Registry,
    patience: Patience,
    approve: Approvals,
    sandbox: Sandbox,
    root: Root,
    tools: Arc<[Arc<dyn Tool>]>,
    web: bool,
    /// What it takes to start other agents.
    delegation: Option<Delegation>,
}

/// What it takes to start other agents.
struct Delegation {
    catalog: Catalog,
    trust: Trust,
    settings: RunSettings,
    book: ModelBook,
    wishes: ModelWishes,
    today: String,
    cwd: PathBuf,
    helper: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

/// The tools with which a main agent starts others.
const DELEGATING: &[&str] = &["Task", "TaskOutput"];

impl Job {
    /// Works out everything that can go wrong before a model is asked.
    pub fn prepare(
        world: &mut World,
        order: &mut Order,
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
        let catalog = order.catalog.take();
        let names = available(&tools, catalog.is_some(), order.call.caller.as_deref());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let trust = trusted(world)?;
        let situation = Situation {
            cwd: &cwd,
            today: &date,
            models: &book,
            settings: &settings,
            circumstances: Circumstances {
                caller: Some(&names),
                position: match order.call.caller {
                    None => Position::Main,
                    Some(_) => Position::Below { depth: 1, max_depth: MAX_DEPTH },
                },
                background: order.call.background,
                trusted: is_trusted(&trust, &order.entry),
            },
            sandbox: order.call.sandbox().unwrap_or_else(|| settings.sandbox()),
        };
        let plan = match plan(
            &order.entry,
            &order.findings,
            order.call.planned(order.wishes(world)),
            &situation,
        ) {
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
        let helper = std::env::current_exe().context("cannot find agentctl itself")?;
        let delegation = catalog.map(|catalog| Delegation {
            catalog,
            trust,
            settings,
            book: book.clone(),
            wishes: environment_wishes(world),
            today: date,
            cwd,
            helper: helper.clone(),
            environment: environment.clone(),
        });
        let mut registry = Registry::new(book, order.call.from.clone(), patience, recording);
        for model in plan.models() {
            registry.prepare(model)?;
        }
        if let Some(replay) = replay {
            registry.replay(plan.models()[0].clone(), replay);
        }
        let sandbox = Sandbox::new(plan.sandbox(), helper, environment);
        let (plan, approve) = (Arc::new(plan), order.call.approve);
        Ok(Ok(Self {
            plan,
            redactor,
            registry,
            patience,
            approve,
            sandbox,
            root,
            tools,
            web,
            delegation,
        }))
    }

    /// Carries it out until `cancel`. `keeper` keeps what happens.
    pub async fn run(
        self,
        world: &World,
        format: RunFormat,
        keeper: Keeper,
        cancel: CancellationToken,
        on_exit: OnExit,
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
            Approvals::Always => Arc::new(Always(Decision::Approved)),
            Approvals::Never => Arc::new(Always(Decision::Denied)),
            Approvals::Ask if terminal && File::open("/dev/tty").is_ok() => {
                Arc::new(Terminal::new(screen))
            }
            Approvals::Ask => Arc::new(Always(Decision::NobodyToAsk)),
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
        let around = match self.delegation {
            Some(delegation) => {
                delegating(delegation, &self.plan, around, self.approve, &keeper, world.cwd())
            }
            None => around,
        };
        let past = keeper.past(self.plan.messages(), &self.redactor)?;
        let mut agent = Agent::new(self.plan, around, keeper.id().to_owned(), keeper.ordinal());
        if let Some(past) = past {
            agent = agent.after(past, Vec::new());
        }
        let living = keeper.live(Arc::clone(&inbox), cancel.clone());
        let outcome = agent.run().await;
        drop(living);
        keeper.end(&inbox)?;
        // Whoever cancels an agent means those it started as well.
        let on_exit = if outcome.status == Status::Aborted { OnExit::Cancel } else { on_exit };
        keeper.settle_children(on_exit, &cancel).await?;
        Ok(outcome)
    }
}

/// The tools an agent can be given: those there are, and of these those its caller has.
fn available(tools: &[Arc<dyn Tool>], delegates: bool, caller: Option<&[String]>) -> Vec<String> {
    let built_in = tools.iter().map(|tool| tool.spec().name);
    let delegating = DELEGATING.iter().filter(|_| delegates).map(|name| (*name).to_owned());
    let all = built_in.chain(delegating);
    all.filter(|name| caller.is_none_or(|caller| caller.contains(name))).collect()
}

/// `around` with the tools that start other agents, for the main agent.
fn delegating(
    delegation: Delegation,
    plan: &Plan,
    around: Surroundings,
    approve: Approvals,
    keeper: &Keeper,
    started_in: &Path,
) -> Surroundings {
    let Delegation { catalog, trust, settings, book, wishes, today, cwd, helper, environment } =
        delegation;
    let names = around.tools.iter().map(|tool| tool.spec().name);
    let session = Arc::new(Session {
        main: Main {
            id: keeper.id().to_owned(),
            cwd,
            from: started_in.to_owned(),
            sandbox: plan.sandbox(),
            tools: names.filter(|name| plan.grants(name)).collect(),
            model: plan.models().first().cloned(),
        },
        catalog,
        trust,
        settings,
        book,
        wishes,
        today,
        around: around.clone(),
        approve,
        helper: (helper, environment),
        kept: keeper.kept(),
        launcher: Arc::new(Processes { started_in: started_in.to_owned() }),
        ordinals: Mutex::default(),
    });
    let more: [Arc<dyn Tool>; 2] =
        [Arc::new(TaskTool(Arc::clone(&session))), Arc::new(TaskOutputTool(session))];
    let tools = around.tools.iter().cloned().chain(more).collect();
    Surroundings { tools, ..around }
}

/// Starts a process for each agent in the background.
struct Processes {
    started_in: PathBuf,
}

impl Launcher for Processes {
    fn launch(&self, id: &str) -> Result<(), String> {
        worker::start(&self.started_in, id).map_err(|error| format!("{error:#}"))
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
