//! A run: everything worked out before it begins, then carried out.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::SystemTime,
};

use anyhow::{Context as _, Result};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::{
    models::{self, Registry},
    order::{Order, environment_wishes},
    screen::{Screen, Terminal, Watch},
    worker,
};
use crate::{
    authority::Circumstances,
    catalog::{Catalog, Entry},
    cli::{
        args::{OnExit, RunFormat},
        trust::{read_trust, trust_file, trusted},
        world::World,
    },
    collab,
    config::{Patience, Settings},
    event::{Decision, Event, Journal, Outcome, Redactor, Sink, Status, is_secret_name, today},
    model::Effect,
    plan::{ApprovalMode, ModelBook, ModelWishes, Plan, PlanError, Situation, plan},
    provider::{Recording, Replay},
    run::{Always, Approver, Surroundings},
    session::{
        Approvals, Launcher, Leaving, Main, Roster, RosterSink, Session, Setup, StoredCall,
        is_trusted, position,
    },
    store::{NewThread, Owner, Store, StoreSink},
    tools::{self, Root, Tool, ToolCx, sandbox::Sandbox},
};

/// A run that is about to begin.
pub(super) struct Job {
    pub plan: Arc<Plan>,
    pub redactor: Redactor,
    registry: Registry,
    patience: Patience,
    root: Root,
    tools: Arc<[Arc<dyn Tool>]>,
    /// The agents it can start; none if it cannot.
    catalog: Option<Catalog>,
    settings: Settings,
    book: ModelBook,
    wishes: ModelWishes,
    today: String,
    helper: (PathBuf, Vec<(OsString, OsString)>),
    entry: Entry,
    call: StoredCall,
}

/// How a run is carried out.
pub(in crate::cli) struct Staging {
    pub format: RunFormat,
    /// Where the thread is kept, and by whom.
    pub kept: Option<(Arc<Store>, Owner)>,
    pub thread: NewThread,
    /// What to tell a thread that goes on.
    pub resumed: Option<Vec<String>>,
    pub cancel: CancellationToken,
}

impl Job {
    /// Works out everything that can go wrong before a model is asked.
    pub fn prepare(
        world: &mut World,
        order: &mut Order,
        runtime: &Runtime,
    ) -> Result<Result<Self, PlanError>> {
        let settings = world.settings()?.clone();
        let patience = settings.run.patience();
        let cwd = Root::open(&order.cwd)?.path().to_owned();
        let mut book = models::book(world, &settings.run);
        let redactor = redactor(world, &book);
        let replay = order.replay.as_deref().map(|file| read_replay(file, &cwd, &redactor));
        let replay = replay.transpose()?;
        let date =
            replay.as_ref().map_or_else(|| today(SystemTime::now()), |r| r.today().to_owned());
        if !order.call.no_probe && needs_probe(&book, &order.entry, &order.wishes(world)) {
            book.local = Some(runtime.block_on(models::on_this_machine(&book, patience)));
        }
        let web = settings.run.web_fetch.unwrap_or(false);
        let allowed = |tool: &Arc<dyn Tool>| web || tool.effect() != Effect::Network;
        let tools: Arc<[Arc<dyn Tool>]> = tools::built_in().into_iter().filter(allowed).collect();
        let catalog = order.catalog.take();
        let names = available(&tools, catalog.is_some(), order.call.caller.as_deref());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let situation = Situation {
            cwd: &cwd,
            today: &date,
            models: &book,
            settings: &settings.run,
            circumstances: Circumstances {
                caller: Some(&names),
                position: position(&order.call, settings.collab.max_depth()),
                background: order.call.background,
                trusted: is_trusted(&trusted(world)?, &order.entry),
            },
            sandbox: order.call.sandbox().unwrap_or_else(|| settings.run.sandbox()),
            approval: ApprovalMode::AutoApproveInSandbox,
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
        let mut registry =
            Registry::new(book.clone(), order.call.from.clone(), patience, recording);
        for model in plan.models() {
            registry.prepare(model)?;
        }
        if let Some(replay) = replay {
            registry.replay(plan.models()[0].clone(), replay);
        }
        Ok(Ok(Self {
            plan: Arc::new(plan),
            redactor,
            registry,
            patience,
            root,
            tools,
            catalog,
            settings,
            book,
            wishes: environment_wishes(world),
            today: date,
            helper: (helper, environment),
            entry: order.entry.clone(),
            call: order.call.clone(),
        }))
    }

    /// What answers where an approval is needed.
    pub fn approvals(&self) -> Approvals {
        self.call.approve
    }

    /// Carries it out, and takes care of those it started.
    pub async fn run(self, world: &World, staging: Staging, on_exit: OnExit) -> Result<Outcome> {
        let terminal = world.err_is_terminal();
        let screen = Screen::new(world.err_paint(), world.text_width());
        let mut sinks: Vec<Box<dyn Sink>> = Vec::new();
        if staging.format == RunFormat::Jsonl {
            sinks.push(Box::new(Lines(Mutex::new(io::stdout()))));
        }
        let _animation = terminal.then(|| screen.animate());
        if terminal {
            sinks.push(Box::new(Watch(Arc::clone(&screen))));
        }
        let approver: Arc<dyn Approver> = match self.call.approve {
            Approvals::Always => Arc::new(Always(Decision::Approved)),
            Approvals::Never => Arc::new(Always(Decision::Denied)),
            Approvals::Ask if terminal && File::open("/dev/tty").is_ok() => {
                Arc::new(Terminal::new(screen))
            }
            Approvals::Ask => Arc::new(Always(Decision::NobodyToAsk)),
        };
        let session = self.session(world, staging, sinks, approver)?;
        let living = session.live();
        let outcome = session.run_main().await?;
        // Whoever cancels an agent means those it started as well.
        let aborted = outcome.status == Status::Aborted;
        session.leave(if aborted { Leaving::Cancel } else { on_exit.into() }).await?;
        drop(living);
        session.end()?;
        Ok(outcome)
    }

    /// The session of the run. What happens is kept before `sinks` see it.
    pub fn session(
        self,
        world: &World,
        staging: Staging,
        sinks: Vec<Box<dyn Sink>>,
        approver: Arc<dyn Approver>,
    ) -> Result<Arc<Session>> {
        let Staging { kept, thread, resumed, cancel, .. } = staging;
        let roster = Arc::new(Roster::default());
        let mut all: Vec<Box<dyn Sink>> = Vec::new();
        let mut next = 0;
        if let Some((store, owner)) = &kept {
            next = store.next_in_session(&thread.session)?;
            let redactor = self.redactor.clone();
            all.push(Box::new(StoreSink::new(Arc::clone(store), owner.clone(), redactor)));
        }
        all.push(Box::new(RosterSink(Arc::clone(&roster))));
        all.extend(sinks);
        let web = self.settings.run.web_fetch.unwrap_or(false);
        let (helper, environment) = self.helper.clone();
        let around = Surroundings {
            models: Arc::new(self.registry),
            tools: self.tools,
            cx: Arc::new(ToolCx {
                root: self.root,
                sandbox: Sandbox::new(self.plan.sandbox(), helper, environment),
                time_limit: self.patience.tool,
                web,
            }),
            journal: Arc::new(Journal::from(next, all, self.redactor)),
            approver,
            patience: self.patience,
            cancel,
            inbox: Arc::default(),
            path: Arc::new([]),
        };
        let trust_file = trust_file(world);
        let delegates = self.catalog.is_some();
        let setup = Setup {
            catalog: self.catalog.unwrap_or_default(),
            trust: Box::new(move || read_trust(trust_file.as_deref())),
            lint: self.settings.lint,
            run: self.settings.run,
            collab: self.settings.collab,
            book: self.book,
            wishes: self.wishes,
            today: self.today,
            around,
            approve: self.call.approve,
            helper: self.helper,
            kept,
            launcher: Arc::new(Processes { started_in: world.cwd().to_owned() }),
            roster,
            from: self.call.from.clone(),
        };
        let main = Main { thread, entry: self.entry, plan: self.plan, call: self.call, resumed };
        let tools = |session: &Weak<Session>| {
            if delegates { collab::tools(session) } else { Vec::new() }
        };
        Ok(Session::new(setup, main, tools)?)
    }
}

/// The tools an agent can be given: those there are, and of these those its caller has.
fn available(tools: &[Arc<dyn Tool>], delegates: bool, caller: Option<&[String]>) -> Vec<String> {
    let built_in = tools.iter().map(|tool| tool.spec().name);
    let delegating = collab::names().filter(|_| delegates).map(str::to_owned);
    let all = built_in.chain(delegating);
    all.filter(|name| caller.is_none_or(|caller| caller.contains(name))).collect()
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
pub(in crate::cli) fn listen(runtime: &Runtime) -> Result<CancellationToken> {
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
        let mut line = serde_json::to_string(&event.streamed()).map_err(io::Error::other)?;
        line.push('\n');
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(line.as_bytes())?;
        out.flush()
    }
}
