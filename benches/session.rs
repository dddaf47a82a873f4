//! What a tree of agents costs: memory for each agent, waiting for many, and a piece of work where
//! many others are around.
//!
//! Prints figures; asserts nothing. `cargo bench --bench session`.

use std::{
    error::Error,
    fs,
    future::pending,
    io::Write as _,
    path::Path,
    process::Command,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use agentctl::{
    authority::{Circumstances, Trust},
    catalog::{Catalog, File, Origin},
    collab,
    config::{self, Settings},
    conversation::{Answer, Part, Stop, Usage},
    event::{Decision, Journal, Redactor},
    plan::{ApprovalMode, Finish, ModelBook, ModelWishes, Situation, plan},
    provider::{Listener, ModelError, ModelId, Provider, Reply, Request},
    run::{Always, Models, Surroundings},
    session::{
        Approvals, Launcher, Main, Member, Roster, RosterSink, Session, SessionError, Setup, Spawn,
        StoredCall, new_thread, position,
    },
    text::Source,
    tools::{self, Root, ToolCx, sandbox::Sandbox},
};
use tokio_util::sync::CancellationToken;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// How often something short is done to be measured.
const CYCLES: u32 = 200;

const AGENT: &str = "---\nagentType: bench\nwhenToUse: Measures.\nmodel: script:none\n---\nWork.\n";

fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [what, agents, works] = arguments.as_slice()
        && what == "memory"
    {
        return say(&memory(folder.path(), agents.parse()?, works.parse()?)?.to_string());
    }
    for (works, does) in [(false, "rests"), (true, "works")] {
        let (some, twice) = (fresh_memory(1_000, works)?, fresh_memory(2_000, works)?);
        let ratio = twice / some;
        say(&format!(
            "an agent that {does}: {some:.1} KB at 1000, {twice:.1} KB at 2000, {ratio:.2} × as much"
        ))?;
    }
    let [few, some, many] = [10, 100, 1_000].map(|agents| wait(folder.path(), agents));
    let (few, some, many) = (few?, some?, many?);
    say(&format!(
        "waiting: {few:.1} µs of CPU for 10, {some:.1} µs for 100, {many:.1} µs for 1000"
    ))?;
    let (first, second) = (some / few, many / some);
    say(&format!("10.0 × the agents took {first:.1} × and then {second:.1} × the CPU"))?;
    let (alone, among) = (cycle(folder.path(), 10)?, cycle(folder.path(), 1_000)?);
    let ratio = among / alone;
    say(&format!(
        "spawn to end: {alone:.1} µs of CPU among 10, {among:.1} µs among 1000, {ratio:.2} × as much"
    ))
}

/// The same in a process of its own, which has no memory left over from before.
fn fresh_memory(agents: u32, works: bool) -> Result<f64> {
    let mut command = Command::new(std::env::current_exe()?);
    let output = command.args(["memory", &agents.to_string(), &works.to_string()]).output()?;
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// Kilobytes for each of `agents`.
fn memory(folder: &Path, agents: u32, works: bool) -> Result<f64> {
    runtime()?.block_on(async {
        let (session, model) = session(folder)?;
        model.hangs.store(works, Ordering::Relaxed);
        let before = resident()?;
        let all = start(&session, agents)?;
        if works {
            tokio::time::sleep(Duration::from_millis(1_000)).await;
        } else {
            rest(&all).await;
        }
        let bytes = resident()?.saturating_sub(before) as f64;
        let main = session.main()?;
        session.close(&main, None).await;
        Ok(bytes / 1024.0 / f64::from(agents))
    })
}

/// Microseconds of CPU to wait for the first of `agents` to end.
fn wait(folder: &Path, agents: u32) -> Result<f64> {
    runtime()?.block_on(async {
        let (session, model) = session(folder)?;
        model.hangs.store(true, Ordering::Relaxed);
        let all = start(&session, agents)?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        let ids: Vec<String> = all.iter().map(|one| one.id().to_owned()).collect();
        let before = cpu()?;
        for _ in 0..CYCLES {
            let targets = ids.iter().map(|id| (id.clone(), session.find(id).ok())).collect();
            session.wait(targets, Duration::from_nanos(1)).await;
        }
        let took = (cpu()? - before).as_secs_f64() * 1e6 / f64::from(CYCLES);
        session.close(&session.main()?, None).await;
        Ok(took)
    })
}

/// Microseconds of CPU for an agent from its start to its end, where `others` are around.
fn cycle(folder: &Path, others: u32) -> Result<f64> {
    runtime()?.block_on(async {
        let (session, model) = session(folder)?;
        let resting = start(&session, others / 2)?;
        rest(&resting).await;
        model.hangs.store(true, Ordering::Relaxed);
        start(&session, others / 2)?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        model.hangs.store(false, Ordering::Relaxed);
        let before = cpu()?;
        for _ in 0..CYCLES {
            rest(&start(&session, 1)?).await;
        }
        let took = (cpu()? - before).as_secs_f64() * 1e6 / f64::from(CYCLES);
        session.close(&session.main()?, None).await;
        Ok(took)
    })
}

async fn rest(all: &[Arc<Member>]) {
    for one in all {
        one.rests().await;
    }
}

fn start(session: &Session, agents: u32) -> std::result::Result<Vec<Arc<Member>>, SessionError> {
    let main = session.main()?;
    let wish = || Spawn {
        agent_type: Some("bench".to_owned()),
        message: Some("Work.".to_owned()),
        finish: Finish::LastMessage,
        ..Spawn::default()
    };
    (0..agents).map(|_| session.spawn(&main, wish())).collect()
}

/// A session that is not kept, with every tool there is.
fn session(folder: &Path) -> Result<(Arc<Session>, Arc<Model>)> {
    let source = Source::new("agentctl.toml".to_owned(), "[collab]\nmax_agents = 5000\n".into());
    let settings = Settings::parse(&source, folder, config::Owner::User)?;
    let file = File::new(Path::new("agents/bench.md"), AGENT.into(), Origin::Builtin, &[]);
    let entry = file.entries[0].clone();
    let catalog = Catalog { entries: file.entries, files: 1, ..Catalog::default() };
    let call = StoredCall {
        // The one that measures does not work itself.
        finish: Finish::CompleteTask,
        prompt: Some("Nothing.".to_owned()),
        dialect: entry.dialect.id.to_owned(),
        from: folder.to_owned(),
        ..StoredCall::default()
    };
    let book = ModelBook::default();
    let situation = Situation {
        cwd: folder,
        today: "2026-01-01",
        models: &book,
        settings: &settings.run,
        circumstances: Circumstances {
            caller: None,
            position: position(&call, settings.collab.max_depth()),
            background: false,
            trusted: false,
        },
        sandbox: settings.run.sandbox(),
        approval: ApprovalMode::AutoApproveInSandbox,
    };
    let plan = plan(&entry, &[], call.planned(ModelWishes::default()), &situation)?;
    let thread = new_thread(&entry, &plan, &call, folder, &Redactor::default());
    let roster = Arc::new(Roster::default());
    let model = Arc::new(Model::default());
    let patience = settings.run.patience();
    let around = Surroundings {
        models: Arc::new(Only(Arc::clone(&model))),
        tools: tools::built_in().into(),
        cx: Arc::new(ToolCx {
            root: Root::open(folder)?,
            sandbox: Sandbox::new(plan.sandbox(), "agentctl".into(), []),
            time_limit: patience.tool,
            web: false,
        }),
        journal: Arc::new(Journal::new(
            vec![Box::new(RosterSink(Arc::clone(&roster)))],
            Redactor::default(),
        )),
        approver: Arc::new(Always(Decision::Denied)),
        patience,
        cancel: CancellationToken::new(),
        inbox: Arc::default(),
        path: Arc::new([]),
    };
    let setup = Setup {
        catalog,
        trust: Box::new(Trust::default),
        lint: settings.lint,
        run: settings.run,
        collab: settings.collab,
        book,
        wishes: ModelWishes::default(),
        today: "2026-01-01".to_owned(),
        around,
        approve: Approvals::Never,
        helper: ("agentctl".into(), Vec::new()),
        kept: None,
        launcher: Arc::new(Nowhere),
        roster,
        from: folder.to_owned(),
    };
    let main = Main { thread, entry, plan: Arc::new(plan), call, resumed: None };
    let session = Session::new(setup, main, |session: &Weak<Session>| collab::tools(session))?;
    Ok((session, model))
}

/// A model that says one word, or never answers.
#[derive(Debug, Default)]
struct Model {
    hangs: AtomicBool,
}

impl Provider for Model {
    fn answer<'a>(&'a self, _: &'a Request<'a>, _: Listener<'a>) -> Reply<'a> {
        Box::pin(async {
            if self.hangs.load(Ordering::Relaxed) {
                pending::<()>().await;
            }
            let parts = vec![Part::Text { text: "Done.".to_owned() }];
            Ok(Answer { parts, usage: Usage::default(), stop: Stop::End })
        })
    }
}

/// One model, whoever asks.
struct Only(Arc<Model>);

impl Models for Only {
    fn provider(&self, _: &ModelId) -> std::result::Result<Arc<dyn Provider>, ModelError> {
        Ok(Arc::clone(&self.0) as Arc<dyn Provider>)
    }
}

/// No process is started.
struct Nowhere;

impl Launcher for Nowhere {
    fn launch(&self, _: &str) -> std::result::Result<(), String> {
        Err("not here".to_owned())
    }
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

fn say(line: &str) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}

/// CPU time of this thread.
fn cpu() -> Result<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(Duration::from_nanos(text.split_whitespace().next().unwrap_or_default().parse()?))
}

/// Resident memory of this process, in bytes.
fn resident() -> Result<usize> {
    let text = fs::read_to_string("/proc/self/statm")?;
    Ok(text.split_whitespace().nth(1).unwrap_or_default().parse::<usize>()? * 4096)
}
