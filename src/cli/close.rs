//! `agentctl close`.

use std::{io::Write as _, time::Duration};

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::{
    Exit, stored,
    thread_args::{CloseArgs, ThreadFormat},
    world::World,
};
use crate::{
    render::json_text,
    store::{Closed, Mail, MailKind, Store, Thread, ThreadStatus},
    text::printable,
};

/// How long a running agent has to end.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn run(world: &mut World, args: &CloseArgs) -> Result<Exit> {
    let Some(store) = stored::open(world)? else {
        let id = args.ids.first().map_or("", String::as_str);
        return Err(stored::unknown(id));
    };
    let threads = with_descendants(&store, &args.ids)?;
    // Whoever runs one of them closes those below it with it.
    for (thread, _) in threads.iter().rev().filter(|(thread, _)| thread.is_attended()) {
        let close = Mail { kind: MailKind::Close, text: String::new() };
        store.send(&thread.begun.id, &close)?;
    }
    let mut open: Vec<(&str, Closed)> =
        threads.iter().map(|(thread, how)| (thread.begun.id.as_str(), *how)).collect();
    stored::until(stored::after(PATIENCE), || {
        let mut still = Vec::new();
        for (id, how) in std::mem::take(&mut open) {
            let thread = store.thread(id)?;
            // One that rests in a process that runs others is that process's to close.
            if thread.is_attended() {
                still.push((id, how));
            } else if thread.status != ThreadStatus::Shutdown {
                store.close_unless_run(id, how)?;
            }
        }
        open = still;
        Ok(open.is_empty().then_some(()))
    })?;
    print(world, args.format, &threads)?;
    for (id, how) in open {
        // Nobody ever began to run it, or takes mail for it.
        if store.close_unless_run(id, how)? {
            continue;
        }
        world.error(&format!(
            "`{id}` has not ended within {} s; it will as soon as its process notices",
            PATIENCE.as_secs()
        ));
    }
    Ok(Exit::Done)
}

/// The threads that are meant and everything below them, those that were started last first. A
/// name that is wrong must not leave half of them closed.
fn with_descendants(store: &Store, ids: &[String]) -> Result<Vec<(Thread, Closed)>> {
    let mut threads: Vec<(Thread, Closed)> = Vec::new();
    for id in ids {
        let thread = stored::look_up(store, id)?.ok_or_else(|| stored::unknown(id))?;
        let below = store.descendants(&thread.begun.id)?.into_iter();
        let below = below.map(|one| (one, Closed::WithParent)).rev();
        for (one, how) in below.chain([(thread, Closed::Explicit)]) {
            match threads.iter_mut().find(|(known, _)| known.begun.id == one.begun.id) {
                Some((_, known)) if how == Closed::Explicit => *known = how,
                Some(_) => {}
                None => threads.push((one, how)),
            }
        }
    }
    Ok(threads)
}

/// Says what each was doing before.
fn print(world: &mut World, format: ThreadFormat, threads: &[(Thread, Closed)]) -> Result<()> {
    match format {
        ThreadFormat::Json => {
            let before = threads.iter().map(|(one, _)| (one.begun.id.clone(), json!(one.status)));
            let before: Map<String, Value> = before.collect();
            writeln!(world.out, "{}", json_text(&json!({ "previous_status": before }))?)?;
        }
        ThreadFormat::Text => {
            for (one, _) in threads {
                writeln!(world.out, "{}  {}", printable(&one.begun.id), one.status)?;
            }
        }
    }
    Ok(world.out.flush()?)
}
