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
    store::{Mail, MailKind, Store, Thread, ThreadStatus},
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
    for thread in threads.iter().filter(|thread| thread.is_attended()) {
        let close = Mail { kind: MailKind::Close, text: String::new() };
        store.send(&thread.begun.id, &close)?;
    }
    let mut open: Vec<&str> = threads.iter().map(|thread| thread.begun.id.as_str()).collect();
    stored::until(stored::after(PATIENCE), || {
        let mut still = Vec::new();
        for id in std::mem::take(&mut open) {
            match store.thread(id)?.status {
                status if status.is_active() => still.push(id),
                ThreadStatus::Shutdown => {}
                _ => _ = store.close_idle(id)?,
            }
        }
        open = still;
        Ok(open.is_empty().then_some(()))
    })?;
    print(world, args.format, &threads)?;
    for id in open {
        // Nobody ever began to run it.
        if store.close_idle(id)? {
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
fn with_descendants(store: &Store, ids: &[String]) -> Result<Vec<Thread>> {
    let mut threads: Vec<Thread> = Vec::new();
    for id in ids {
        let thread = stored::look_up(store, id)?.ok_or_else(|| stored::unknown(id))?;
        let mut family = store.descendants(&thread.begun.id)?;
        family.insert(0, thread);
        for one in family.into_iter().rev() {
            if !threads.iter().any(|known| known.begun.id == one.begun.id) {
                threads.push(one);
            }
        }
    }
    Ok(threads)
}

/// Says what each was doing before.
fn print(world: &mut World, format: ThreadFormat, threads: &[Thread]) -> Result<()> {
    match format {
        ThreadFormat::Json => {
            let before = threads.iter().map(|one| (one.begun.id.clone(), json!(one.status)));
            let before: Map<String, Value> = before.collect();
            writeln!(world.out, "{}", json_text(&json!({ "previous_status": before }))?)?;
        }
        ThreadFormat::Text => {
            for one in threads {
                writeln!(world.out, "{}  {}", printable(&one.begun.id), one.status)?;
            }
        }
    }
    Ok(world.out.flush()?)
}
