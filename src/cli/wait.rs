//! `agentctl wait`.

use std::io::Write as _;

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::{
    Exit,
    notify::{self, Waited},
    stored,
    thread_args::{ThreadFormat, WaitArgs},
    world::World,
};
use crate::{
    render::json_text,
    store::{Store, Thread, ThreadStatus},
    text::printable,
};

/// A thread that has ended, or never was.
struct Ended {
    id: String,
    thread: Option<Thread>,
}

pub(super) fn run(world: &mut World, args: &WaitArgs) -> Result<Exit> {
    let store = stored::open(world)?;
    let ids = resolved(store.as_ref(), &args.ids)?;
    let patience = world.settings()?.collab.wait().time(args.timeout_ms);
    let look = || {
        let ended = ended(store.as_ref(), &ids)?;
        Ok((!ended.is_empty()).then_some(ended))
    };
    let waited = notify::until(world, patience, look, |ended| {
        ended.iter().filter_map(|one| one.thread.as_ref()).collect()
    });
    let ended = match waited? {
        Waited::Found(ended) => Some(ended),
        Waited::TimedOut => None,
        Waited::Cancelled => return Ok(Exit::Cancelled),
    };
    let found = ended.as_deref().unwrap_or_default();
    match args.format {
        ThreadFormat::Json => writeln!(world.out, "{}", json_text(&report(found))?)?,
        ThreadFormat::Text => {
            for one in found {
                writeln!(world.out, "{}  {}", printable(&one.id), one.status())?;
            }
        }
    }
    world.out.flush()?;
    if ended.is_some() {
        return Ok(Exit::Done);
    }
    world.error(&format!("nothing has ended within {} s", patience.as_secs()));
    Ok(Exit::Timeout)
}

/// The whole names of threads; a name that means none stays as it is.
fn resolved(store: Option<&Store>, ids: &[String]) -> Result<Vec<String>> {
    let mut whole: Vec<String> = Vec::new();
    for id in ids {
        let thread = store.map(|store| stored::look_up(store, id)).transpose()?.flatten();
        let id = thread.map_or_else(|| id.clone(), |thread| thread.begun.id);
        if !whole.contains(&id) {
            whole.push(id);
        }
    }
    Ok(whole)
}

/// Those of `ids` that have ended.
fn ended(store: Option<&Store>, ids: &[String]) -> Result<Vec<Ended>> {
    let mut found = Vec::new();
    for id in ids {
        let thread = store.map(|store| stored::look_up(store, id)).transpose()?.flatten();
        if thread.as_ref().is_none_or(Thread::is_over) {
            found.push(Ended { id: id.clone(), thread });
        }
    }
    Ok(found)
}

impl Ended {
    fn status(&self) -> ThreadStatus {
        self.thread.as_ref().map_or(ThreadStatus::NotFound, |thread| thread.status)
    }
}

fn report(ended: &[Ended]) -> Value {
    let statuses: Map<String, Value> =
        ended.iter().map(|one| (one.id.clone(), json!(one.status()))).collect();
    // One that was never there has not completed anything.
    let first = ended.iter().find(|one| one.thread.is_some()).or(ended.first());
    let outcome = first.and_then(|one| one.thread.as_ref()?.outcome.as_ref());
    json!({
        "status": statuses,
        "timed_out": ended.is_empty(),
        "completed_id": first.map(|one| &one.id),
        "result": outcome.map(|outcome| &outcome.result),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_time_runs_out_nothing_has_a_status() {
        let report = report(&[]);
        let expected = json!({
            "status": {}, "timed_out": true, "completed_id": null, "result": null,
        });
        assert_eq!(report, expected);
    }
}
