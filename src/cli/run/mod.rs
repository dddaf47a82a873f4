//! `agentctl run`.

mod job;
mod models;
mod order;
pub(super) mod outcome;
mod screen;
pub(super) mod served;
mod thread;
mod worker;

use std::{io::Write as _, path::PathBuf};

use anyhow::{Context as _, Result, bail};
use tokio::runtime::Runtime;

pub(super) use job::{Job, Staging, listen};
pub(super) use models::book;
pub(super) use order::{Order, environment_wishes, typed_or_stdin};
pub(super) use screen::{CHOICES, Screen, answer, asked, cut};
pub(super) use thread::store;
pub(super) use worker::{WORKER, work};

use super::{
    Exit,
    args::{HowArgs, RunArgs, RunFormat},
    show::unknown_agent,
    world::{Whose, World},
};
use crate::{
    authority::fingerprint,
    catalog::{Catalog, Entry, Keep, Origin},
    event::Outcome,
    lint::{self, FileReport, Finding, Level},
    plan::PlanError,
    render::{drawn, json_text, sheet_text},
    session::new_thread,
    store::{Mail, MailKind, Owner, Store, Thread},
};

/// Variables that choose the model of every agent, the first that is set.
const MODEL_VARIABLES: &[&str] = &["AGENTCTL_SUBAGENT_MODEL", "CODEX_SUBAGENT_MODEL"];

pub(super) fn run(world: &mut World, args: &RunArgs) -> Result<Exit> {
    if let Some(id) = &args.resume {
        return resume(world, args, id);
    }
    let agent = args.agent.as_deref().context("no agent was named")?;
    let Some((catalog, entry, findings)) = find(world, agent)? else { return Ok(Exit::Usage) };
    let mut order = Order::typed(world, args, entry, findings, catalog)?;
    let runtime = runtime()?;
    let job = match Job::prepare(world, &mut order, &runtime)? {
        Ok(job) => job,
        Err(error) => return refuse(world, agent, &order.findings, &error),
    };
    if args.how.dry_run {
        return dry_run(world, args, &job);
    }
    let thread = new_thread(&order.entry, &job.plan, &order.call, &order.cwd, &job.redactor);
    if args.how.background {
        let store = thread::store(world)?.context("a background run has to be kept")?;
        store.create(&thread, Some(&Owner::this_process()))?;
        worker::start(world.cwd(), &thread.id)?;
        return launched(world, args, &thread.id, job.plan.description());
    }
    let store = thread::store(world)?;
    let cancel = job::listen(&runtime)?;
    let kept = store.map(|store| (store, Owner::this_process()));
    if let Some((store, owner)) = &kept {
        store.create(&thread, Some(owner))?;
    }
    let staging = Staging { format: args.how.format, kept, thread, resumed: None, cancel };
    let outcome = runtime.block_on(job.run(world, staging, args.how.on_exit))?;
    end(world, args.how.format, runtime, &outcome)
}

/// Goes on with a thread that nobody runs.
fn resume(world: &mut World, args: &RunArgs, id: &str) -> Result<Exit> {
    let store = thread::store(world)?.context("there is nothing to go on with")?;
    let thread = store.thread(id)?;
    let id = &thread.begun.id;
    if thread.status.is_active() && thread.owner.is_some() {
        world.error(&format!("{id} is still running"));
        world.note(&format!("help: `agentctl send {id} \"…\"` tells it something"));
        return Ok(Exit::Usage);
    }
    // With a thread, the first word is what it is told.
    let typed = match (&args.agent, &args.prompt) {
        (Some(agent), Some(prompt)) if *agent == thread.begun.agent_type => Some(prompt.as_str()),
        (Some(agent), Some(_)) => {
            bail!("{id} is a thread of `{}`, not of `{agent}`", thread.begun.agent_type)
        }
        (prompt, _) => prompt.as_deref(),
    };
    let prompt = order::prompt(typed)?;
    point_out_changes(world, &thread);
    let mut order = Order::stored(world, &thread)?;
    order.replace(&args.how);
    let runtime = runtime()?;
    let job = match Job::prepare(world, &mut order, &runtime)? {
        Ok(job) => job,
        Err(error) => return refuse(world, &thread.begun.agent_type, &[], &error),
    };
    if args.how.dry_run {
        return dry_run(world, args, &job);
    }
    if args.how.background {
        let mail = prompt.map(|text| Mail { kind: MailKind::Input, text });
        launch_again(world, &store, id, &order, &job, mail.as_ref())?;
        return launched(world, args, id, job.plan.description());
    }
    let cancel = job::listen(&runtime)?;
    let owner = Owner::this_process();
    store.take_over(id, &owner)?;
    let staging = Staging {
        format: args.how.format,
        kept: Some((store, owner)),
        resumed: Some(prompt.into_iter().collect()),
        thread: thread.begun,
        cancel,
    };
    let outcome = runtime.block_on(job.run(world, staging, args.how.on_exit))?;
    end(world, args.how.format, runtime, &outcome)
}

/// Goes on with a thread that nobody runs, in a process of its own, which is handed `mail`.
pub(super) fn start_again(
    world: &mut World,
    store: &Store,
    thread: &Thread,
    mail: Option<&Mail>,
) -> Result<Exit> {
    point_out_changes(world, thread);
    let mut order = Order::stored(world, thread)?;
    order.replace(&HowArgs::in_background());
    let job = match Job::prepare(world, &mut order, &runtime()?)? {
        Ok(job) => job,
        Err(error) => return refuse(world, &thread.begun.agent_type, &[], &error),
    };
    launch_again(world, store, &thread.begun.id, &order, &job, mail)?;
    Ok(Exit::Done)
}

/// Starts a process that goes on with a thread. It knows nothing but the store.
fn launch_again(
    world: &World,
    store: &Store,
    id: &str,
    order: &Order,
    job: &Job,
    mail: Option<&Mail>,
) -> Result<()> {
    // From here on nobody else can go on with it.
    store.take_over(id, &Owner::this_process())?;
    store.call_again(id, &job.redactor.value(serde_json::to_value(&order.call)?))?;
    if let Some(mail) = mail {
        store.send(id, mail)?;
    }
    worker::start(world.cwd(), id)
}

/// A thread goes on with its definition as it was; whoever changed the file should know.
pub(super) fn point_out_changes(world: &mut World, thread: &Thread) {
    let begun = &thread.begun;
    if begun.origin == Origin::Builtin.name() {
        return;
    }
    let now = std::fs::read(&begun.path).ok().map(|bytes| fingerprint(&bytes));
    if now.as_ref() != Some(&begun.hash) {
        let what = if now.is_some() { "has changed since" } else { "is gone" };
        world.note(&format!("note: {} {what}; the thread goes on with what it was", begun.path));
    }
}

/// A process of its own runs it.
fn launched(world: &mut World, args: &RunArgs, id: &str, description: &str) -> Result<Exit> {
    if args.how.format == RunFormat::Text {
        writeln!(world.out, "{id}")?;
        world.note(&format!("note: `agentctl output {id}` waits for its result"));
        return Ok(Exit::Done);
    }
    let value = serde_json::json!({
        "status": "async_launched",
        "agent_id": id,
        "description": description,
    });
    writeln!(world.out, "{value}")?;
    Ok(Exit::Done)
}

fn end(world: &mut World, format: RunFormat, runtime: Runtime, outcome: &Outcome) -> Result<Exit> {
    // A tool that does not end in time must not keep the process.
    runtime.shutdown_background();
    outcome::print(world, format, outcome)?;
    Ok(outcome::exit(outcome))
}

pub(super) fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start")
}

/// The agents there are, the one that is meant, and what the linter says about its file. Says so
/// if there is none.
pub(super) fn find(world: &mut World, name: &str) -> Result<Option<Found>> {
    match look_up(world, name)? {
        Ok(found) => Ok(Some(found)),
        Err((catalog, why)) => {
            if !world.report_unreadable(&catalog) {
                world.error(&why);
            }
            Ok(None)
        }
    }
}

/// The agents there are, one of them, and what the linter says about its file.
pub(super) type Found = (Catalog, Entry, Vec<Finding>);

/// The same, or the agents there are and why that one is not among them.
fn look_up(world: &mut World, name: &str) -> Result<Result<Found, (Catalog, String)>> {
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
        let why = missing(&catalog, name, is_file);
        return Ok(Err((catalog, why)));
    };
    let path = entry.path.display().to_string();
    let report = reports.into_iter().flatten().find(|report| report.path == path);
    let findings = settled(world, report.unwrap_or_default())?;
    Ok(Ok((catalog, entry, findings)))
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
    let path = world.cwd().join(&report.path);
    Ok(world.settings()?.lint.settle(report, &path))
}

/// Says why the agent cannot be run.
pub(super) fn refuse(
    world: &mut World,
    agent: &str,
    findings: &[Finding],
    error: &PlanError,
) -> Result<Exit> {
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

fn dry_run(world: &mut World, args: &RunArgs, job: &Job) -> Result<Exit> {
    let sheet = job.plan.sheet();
    let value = || Ok::<_, anyhow::Error>(job.redactor.value(serde_json::to_value(&sheet)?));
    let text = match args.how.format {
        RunFormat::Text => job.redactor.text(&sheet_text(&sheet, world.paint)).into_owned(),
        RunFormat::Json => json_text(&value()?)? + "\n",
        RunFormat::Jsonl => value()?.to_string() + "\n",
    };
    write!(world.out, "{text}")?;
    Ok(Exit::Done)
}
