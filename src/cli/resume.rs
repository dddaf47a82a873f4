//! `agentctl resume`.

use std::io::Write as _;

use anyhow::Result;
use serde_json::json;

use super::{
    Exit,
    args::{RunArgs, RunFormat},
    run, stored,
    thread_args::ResumeArgs,
    world::World,
};
use crate::store::{Mail, MailKind, Store, Thread};

pub(super) fn run(world: &mut World, args: &ResumeArgs) -> Result<Exit> {
    let (store, thread) = stored::find(world, &args.id)?;
    if thread.status.is_active() && thread.owner.is_some() {
        return still_running(world, args, &store, &thread);
    }
    drop(store);
    run::run(world, &again(&thread, args))
}

/// What `run` is asked for when `thread` goes on.
fn again(thread: &Thread, args: &ResumeArgs) -> RunArgs {
    let begun = &thread.begun;
    RunArgs {
        // A word alone would be the prompt as well, even if it were the agent's name.
        agent: args.prompt.as_ref().map(|_| begun.agent_type.clone()),
        prompt: args.prompt.clone(),
        resume: Some(begun.id.clone()),
        input: Vec::new(),
        input_file: None,
        cwd: None,
        how: args.how.clone(),
        record: None,
        replay: None,
    }
}

/// There is nothing to do, but what was said must not be lost.
fn still_running(
    world: &mut World,
    args: &ResumeArgs,
    store: &Store,
    thread: &Thread,
) -> Result<Exit> {
    let id = &thread.begun.id;
    let mut note = format!("note: `{id}` is running");
    if let Some(prompt) = &args.prompt {
        let text = run::typed_or_stdin(prompt, "prompt")?;
        store.send(id, &Mail { kind: MailKind::Input, text })?;
        note += "; it reads this after its present turn";
    }
    world.note(&note);
    if args.how.format != RunFormat::Text {
        writeln!(world.out, "{}", json!({ "status": thread.status, "agent_id": id }))?;
    }
    Ok(Exit::Done)
}
