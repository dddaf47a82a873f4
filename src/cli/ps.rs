//! `agentctl ps`.

use std::{io::Write as _, time::SystemTime};

use anyhow::{Result, bail};

use super::{
    Exit, stored,
    thread_args::{PsArgs, Scope, ThreadFormat},
    world::World,
};
use crate::{
    render::{Arrangement, Listed, arranged, json_text, thread_json, threads_text},
    store::{Store, Thread, ThreadStatus},
};

/// What an agent is doing that has not ended.
const ACTIVE: &[ThreadStatus] =
    &[ThreadStatus::PendingInit, ThreadStatus::Running, ThreadStatus::Interrupted];

pub(super) fn run(world: &mut World, args: &PsArgs) -> Result<Exit> {
    if args.of.is_none() && matches!(args.scope, Some(Scope::Children | Scope::Descendants)) {
        bail!("`--scope` needs to know whose\nhelp: add `--of ID`");
    }
    let store = stored::open(world)?;
    let threads = match (&store, &args.of) {
        (Some(store), _) => wanted(store, args)?,
        (None, Some(id)) => return Err(stored::unknown(id)),
        (None, None) => Vec::new(),
    };
    let arrangement = if args.tree { Arrangement::Tree } else { Arrangement::Flat };
    let threads = arranged(threads, arrangement);
    match args.format {
        ThreadFormat::Json => {
            let list = threads.iter().map(|(_, listed)| thread_json(listed)).collect();
            writeln!(world.out, "{}", json_text(&list)?)?;
        }
        ThreadFormat::Text if threads.is_empty() => world.note("no agents are running"),
        ThreadFormat::Text => {
            let text = threads_text(&threads, SystemTime::now(), world.width, world.paint);
            write!(world.out, "{text}")?;
        }
    }
    Ok(Exit::Done)
}

/// The threads that were asked for, the newest last.
fn wanted(store: &Store, args: &PsArgs) -> Result<Vec<Listed>> {
    let of = match &args.of {
        Some(id) => Some(stored::look_up(store, id)?.ok_or_else(|| stored::unknown(id))?),
        None => None,
    };
    let scope = args.scope.unwrap_or(Scope::Descendants);
    let mut threads = match (&of, scope) {
        (Some(of), Scope::Children) => store.children(&of.begun.id)?,
        (Some(of), Scope::Descendants) => store.descendants(&of.begun.id)?,
        (_, _) => store.threads(if args.all { &[] } else { ACTIVE })?,
    };
    // One may have been found to have ended only now.
    threads.retain(|thread| args.all || !thread.status.is_final());
    threads.sort_by(|a, b| order(a).cmp(&order(b)));
    threads.into_iter().map(|thread| stored::listed(store, thread)).collect()
}

fn order(thread: &Thread) -> (i64, &str) {
    (thread.created, &thread.begun.id)
}
