//! What the executor itself costs: CPU per turn, memory per agent, a cold start.
//!
//! Prints figures; asserts nothing. `cargo bench --bench run`.

use std::{
    error::Error,
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use agentctl::{
    authority::{Circumstances, Position},
    catalog::{File, Origin},
    config::Settings,
    conversation::ToolSpec,
    event::{Decision, Journal, Redactor},
    plan::{ApprovalMode, Call, ModelBook, ModelWishes, Plan, Situation, plan},
    provider::{ModelError, ModelId, Provider, Script},
    run::{Agent, Always, Models, Surroundings},
    text::Source,
    tools::{
        self, CallCx, Root, Tool, ToolCx, ToolFuture,
        sandbox::{Mode, Sandbox},
    },
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const TURNS: u32 = 50_000;
const AGENTS: usize = 1_000;
const STARTS: u32 = 50;

const AGENT: &str = "---\nagentType: bench\nwhenToUse: Measures.\n---\nWork in \
                     ${cwd} on ${prompt}.\n";

fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    per_turn(folder.path())?;
    per_agent(folder.path())?;
    cold_start(folder.path())
}

/// CPU of a turn with one tool call, where model and tool do nothing.
fn per_turn(folder: &Path) -> Result<()> {
    let script = "turns: [{text: Go on., tool_calls: [{name: list_dir, arguments: {path: .}}]}]\n\
                  repeat: true\n";
    let cost = |turns: u32| -> Result<Duration> {
        let around = surroundings(folder, script, vec![Arc::new(Nothing)])?;
        let agent = Agent::new(the_plan(folder, turns)?, around, "bench".to_owned(), 1);
        let before = cpu()?;
        let outcome = runtime()?.block_on(agent.run());
        if outcome.turns_used != turns {
            return Err(format!("{:?}", outcome.error).into());
        }
        Ok(cpu()? - before)
    };
    cost(100)?;
    let (few, many) = (cost(TURNS / 10)?, cost(TURNS)?);
    let micros = |cost: Duration, turns: u32| cost.as_secs_f64() * 1e6 / f64::from(turns);
    say(&format!("a turn: {:.1} µs of CPU over {TURNS} turns", micros(many, TURNS)))?;
    let growth = many.as_secs_f64() / few.as_secs_f64();
    say(&format!("10.0 × the turns took {growth:.1} × the CPU"))
}

/// Memory of agents that wait for their models.
fn per_agent(folder: &Path) -> Result<()> {
    let around = surroundings(folder, "turns: [{hang: true}]\nrepeat: true\n", tools::built_in())?;
    let before = resident()?;
    runtime()?.block_on(async {
        let mut tasks = Vec::new();
        for at in 0..AGENTS {
            let plan = the_plan(folder, 50)?;
            let agent = Agent::new(plan, around.clone(), format!("agent-{at}"), 1);
            tasks.push(tokio::spawn(agent.run()));
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        let kilobytes = resident()?.saturating_sub(before) as f64 / 1024.0;
        say(&format!("an agent: {:.1} KB at {AGENTS} agents", kilobytes / AGENTS as f64))?;
        around.cancel.cancel();
        for task in tasks {
            task.await?;
        }
        Ok(())
    })
}

/// `agentctl run` with a script, next to `agentctl --version`.
fn cold_start(folder: &Path) -> Result<()> {
    let script = folder.join("script.yaml");
    let text = "turns: [{tool_calls: [{name: complete_task, arguments: {result: done}}]}]\n";
    fs::write(&script, text)?;
    let timed = |arguments: &[&str]| -> Result<Duration> {
        let begun = Instant::now();
        for _ in 0..STARTS {
            let mut command = Command::new(env!("CARGO_BIN_EXE_agentctl"));
            command.args(arguments).current_dir(folder).env_clear().env("HOME", folder);
            let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
            if !status.success() {
                return Err(format!("{arguments:?}: {status}").into());
            }
        }
        Ok(begun.elapsed() / STARTS)
    };
    let version = timed(&["--version"])?.as_secs_f64() * 1e3;
    let run = timed(&["run", "Explore", "hello", "--model", "script:script.yaml"])?;
    let run = run.as_secs_f64() * 1e3;
    let ratio = run / version;
    say(&format!("a cold run: {run:.1} ms, {ratio:.1} × the {version:.1} ms of `--version`"))
}

fn the_plan(folder: &Path, turns: u32) -> Result<Arc<Plan>> {
    let file = File::new(Path::new("agents/bench.md"), AGENT.into(), Origin::Builtin, &[]);
    let settings = Settings::default();
    let models = ModelBook::default();
    let situation = Situation {
        cwd: folder,
        today: "2026-01-01",
        models: &models,
        settings: &settings.run,
        circumstances: Circumstances {
            caller: None,
            position: Position::Main,
            background: false,
            trusted: false,
        },
        sandbox: Mode::ReadOnly,
        approval: ApprovalMode::AutoApproveInSandbox,
    };
    let mut call = Call { prompt: Some("nothing".to_owned()), ..Call::default() };
    call.models = ModelWishes { call: Some("script:bench".to_owned()), ..ModelWishes::default() };
    call.limits.max_turns = Some(turns);
    call.limits.time = Some(Duration::from_secs(600));
    call.limits.grace = Some(Duration::ZERO);
    Ok(Arc::new(plan(&file.entries[0], &[], call, &situation)?))
}

fn surroundings(folder: &Path, script: &str, tools: Vec<Arc<dyn Tool>>) -> Result<Surroundings> {
    let script = Script::parse(&Source::new("script".to_owned(), script.into()))?;
    Ok(Surroundings {
        models: Arc::new(One(Arc::new(script))),
        tools: tools.into(),
        cx: Arc::new(ToolCx {
            root: Root::open(folder)?,
            sandbox: Sandbox::new(Mode::ReadOnly, "agentctl".into(), []),
            time_limit: Duration::from_secs(60),
            web: false,
        }),
        journal: Arc::new(Journal::new(Vec::new(), Redactor::default())),
        approver: Arc::new(Always(Decision::Denied)),
        patience: Settings::default().run.patience(),
        cancel: CancellationToken::new(),
        inbox: Arc::default(),
        path: Arc::new([]),
    })
}

/// One model, whoever asks.
struct One(Arc<Script>);

impl Models for One {
    fn provider(&self, _: &ModelId) -> std::result::Result<Arc<dyn Provider>, ModelError> {
        Ok(Arc::clone(&self.0) as Arc<dyn Provider>)
    }
}

/// A tool that does nothing, under the name of one that is granted.
#[derive(Debug)]
struct Nothing;

impl Tool for Nothing {
    fn spec(&self) -> ToolSpec {
        let description = "Does nothing.".to_owned();
        ToolSpec { name: "list_dir".to_owned(), description, parameters: json!({"type": "object"}) }
    }

    fn call<'a>(&'a self, _: CallCx<'a>, _: Value) -> ToolFuture<'a> {
        Box::pin(std::future::ready(Ok("nothing".to_owned())))
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
