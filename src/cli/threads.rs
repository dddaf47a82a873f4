//! `agentctl threads`.

use std::{io::Write as _, time::Duration};

use anyhow::Result;
use serde_json::json;

use super::{
    Exit, ps, stored,
    thread_args::{PsArgs, ThreadFormat, ThreadsCommand},
    world::World,
};
use crate::{
    store::{Loss, Recovery, Store},
    text::printable,
};

pub(super) fn run(world: &mut World, command: &ThreadsCommand) -> Result<Exit> {
    match command {
        ThreadsCommand::List { tree, format } => {
            let all = PsArgs { all: true, tree: *tree, scope: None, of: None, format: *format };
            ps::run(world, &all)
        }
        ThreadsCommand::Prune { older_than } => prune(world, *older_than),
        ThreadsCommand::Recover { format } => recover(world, *format),
    }
}

fn prune(world: &mut World, age: Duration) -> Result<Exit> {
    let forgotten = match stored::open(world)? {
        Some(store) => store.prune(age)?,
        None => 0,
    };
    match forgotten {
        1 => writeln!(world.out, "1 thread was forgotten")?,
        count => writeln!(world.out, "{count} threads were forgotten")?,
    }
    Ok(Exit::Done)
}

fn recover(world: &mut World, format: ThreadFormat) -> Result<Exit> {
    let path = world.state_file("threads.db")?;
    let recovery = Store::recover(&path)?;
    let text = match (format, recovery) {
        (ThreadFormat::Text, None) => "the store is not damaged\n".to_owned(),
        (ThreadFormat::Text, Some(recovery)) => report(&recovery),
        (ThreadFormat::Json, recovery) => {
            let object = json!({ "damaged": recovery.is_some(), "recovered": recovery });
            format!("{}\n", serde_json::to_string_pretty(&object)?)
        }
    };
    write!(world.out, "{text}")?;
    Ok(Exit::Done)
}

/// What was saved, what was not, and where the rest may be looked for.
fn report(recovery: &Recovery) -> String {
    let Recovery { threads, events, messages, mail, lost, unreadable_pages, damaged_file } =
        recovery;
    let saved = listed(&[
        (*threads, "thread", "threads"),
        (*events, "event", "events"),
        (*messages, "message", "messages"),
        (*mail, "piece of mail", "pieces of mail"),
    ]);
    let mut lines = vec![format!("saved {}", saved.as_deref().unwrap_or("nothing"))];
    if *unreadable_pages > 0 {
        let pages = listed(&[(u64::from(*unreadable_pages), "page", "pages")]).unwrap_or_default();
        lines.push(format!("{pages} of the file could not be read"));
    }
    lines.extend(lost.iter().map(|(thread, loss)| format!("{thread}: {}", lost_of(*loss))));
    lines.push(format!("the damaged file is {}", damaged_file.display()));
    let lines = lines.iter().map(|line| printable(line).into_owned() + "\n");
    lines.collect()
}

fn lost_of(loss: Loss) -> String {
    let rest = listed(&[(loss.events, "event", "events"), (loss.messages, "message", "messages")]);
    if loss.definition {
        let dropped = rest.map(|rest| format!("; dropped {rest} behind a gap")).unwrap_or_default();
        return format!(
            "its definition is lost: its log can be read, but it cannot go on{dropped}"
        );
    }
    match (loss.thread, rest) {
        (true, None) => "lost".to_owned(),
        (true, Some(rest)) => format!("lost, although {rest} of it can be read"),
        (false, rest) => {
            format!("cut short: dropped {} behind a gap", rest.as_deref().unwrap_or("nothing"))
        }
    }
}

/// What there is some of, in words; `None` if there is nothing.
fn listed(counts: &[(u64, &str, &str)]) -> Option<String> {
    let some = counts.iter().filter(|(count, ..)| *count > 0);
    let mut words: Vec<String> = some
        .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
        .collect();
    let last = words.pop()?;
    Some(if words.is_empty() { last } else { format!("{} and {last}", words.join(", ")) })
}
