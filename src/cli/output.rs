//! `agentctl output`.

use std::{io::Write as _, time::Duration};

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    Exit,
    args::RunFormat,
    notify::{self, Waited},
    run::outcome,
    stored,
    thread_args::{OutputArgs, ThreadFormat},
    world::World,
};
use crate::{
    render::json_text,
    store::{Store, Thread, ThreadStatus},
};

pub(super) fn run(world: &mut World, args: &OutputArgs) -> Result<Exit> {
    let store = stored::open(world)?;
    let thread = match &store {
        Some(store) => stored::look_up(store, &args.id)?.map(|thread| (store, thread)),
        None => None,
    };
    let Some((store, thread)) = thread else { return not_found(world, args) };
    let wait = if args.no_block { 0.0 } else { args.timeout };
    let id = thread.begun.id.clone();
    let look = || {
        let thread = store.thread(&id)?;
        Ok(thread.is_over().then_some(thread))
    };
    match notify::until(world, Duration::from_secs_f64(wait), look, |thread| vec![thread])? {
        Waited::Found(thread) => finished(world, args, &thread),
        Waited::TimedOut => unfinished(world, args, store, &thread),
        Waited::Cancelled => Ok(Exit::Cancelled),
    }
}

fn finished(world: &mut World, args: &OutputArgs, thread: &Thread) -> Result<Exit> {
    if let Some(outcome) = &thread.outcome {
        let format = match args.format {
            ThreadFormat::Text => RunFormat::Text,
            ThreadFormat::Json => RunFormat::Json,
        };
        outcome::print(world, format, outcome)?;
        return Ok(outcome::exit(outcome));
    }
    let (message, exit) = match thread.status {
        ThreadStatus::Shutdown => ("it was closed before it had a result", Exit::Cancelled),
        ThreadStatus::Interrupted => ("it was stopped before it had a result", Exit::Cancelled),
        _ => ("its result cannot be read", Exit::Failed),
    };
    answer(world, args, &about(thread, thread.status.name(), message))?;
    world.error(message);
    Ok(exit)
}

fn unfinished(
    world: &mut World,
    args: &OutputArgs,
    store: &Store,
    thread: &Thread,
) -> Result<Exit> {
    let mut object = about(thread, "running", "Task still running or timed out waiting");
    if let (Some(object), Some(task)) = (object.as_object_mut(), store.description(thread)?) {
        object.insert("description".to_owned(), json!(task));
    }
    answer(world, args, &object)?;
    let id = &thread.begun.id;
    if !args.no_block {
        world.error(&format!("`{id}` has not ended within {} s", args.timeout));
        return Ok(Exit::Timeout);
    }
    if args.format == ThreadFormat::Text {
        world.note(&format!("`{id}` is still running"));
    }
    Ok(Exit::Done)
}

fn not_found(world: &mut World, args: &OutputArgs) -> Result<Exit> {
    let object = json!({
        "status": "not_found",
        "agent_id": args.id,
        "message": "No task found with that agent_id",
    });
    answer(world, args, &object)?;
    Err(stored::unknown(&args.id))
}

fn about(thread: &Thread, status: &str, message: &str) -> Value {
    json!({
        "status": status,
        "agent_id": thread.begun.id,
        "agent_type": thread.begun.agent_type,
        "message": message,
    })
}

/// Prints what programs are told.
fn answer(world: &mut World, args: &OutputArgs, object: &Value) -> Result<()> {
    if args.format == ThreadFormat::Json {
        writeln!(world.out, "{}", json_text(object)?)?;
        world.out.flush()?;
    }
    Ok(())
}
