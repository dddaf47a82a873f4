//! `agentctl logs`.

use std::io::Write as _;

use anyhow::Result;
use serde_json::json;

use super::{
    Exit, stored,
    thread_args::{LogFormat, LogsArgs},
    world::World,
};
use crate::{
    event::What,
    render::{Log, json_line},
    store::{LogEntry, Store},
};

/// How many events are read at once.
const BATCH: usize = 500;

pub(super) fn run(world: &mut World, args: &LogsArgs) -> Result<Exit> {
    let (store, thread) = stored::find(world, &args.id)?;
    let mut printer = Printer {
        store: &store,
        id: &thread.begun.id,
        format: args.format,
        log: Log::new(world.paint),
        begun: false,
        told: false,
    };
    let mut next = 0;
    loop {
        // Looked at before the events are: what comes after its end is not waited for.
        let thread = store.thread(&thread.begun.id)?;
        let entries = store.events(&thread.begun.id, next, BATCH)?;
        for entry in &entries {
            printer.print(world, entry)?;
            next = entry.seq + 1;
        }
        printer.tell(world)?;
        world.out.flush()?;
        if !entries.is_empty() {
            continue;
        }
        if thread.is_over() {
            if args.format == LogFormat::Text {
                write!(world.out, "{}", printer.log.end(&thread))?;
            }
            return Ok(Exit::Done);
        }
        if !args.follow {
            if args.format == LogFormat::Text {
                write!(world.out, "{}", printer.log.pause())?;
            }
            return Ok(Exit::Done);
        }
        stored::pause();
    }
}

/// Prints what happened, and at its place what the agent was told.
struct Printer<'a> {
    store: &'a Store,
    id: &'a str,
    format: LogFormat,
    log: Log,
    /// Whether the agent has begun.
    begun: bool,
    /// Whether its task has been printed.
    told: bool,
}

impl Printer<'_> {
    fn print(&mut self, world: &mut World, entry: &LogEntry) -> Result<()> {
        if self.format == LogFormat::Jsonl {
            let mut event = serde_json::to_value(&entry.event)?;
            event["seq"] = json!(entry.seq);
            writeln!(world.out, "{}", json_line(&event))?;
            return Ok(());
        }
        self.tell(world)?;
        self.begun |= matches!(entry.event.what, What::Started(_));
        write!(world.out, "{}", self.log.take(&entry.event))?;
        Ok(())
    }

    /// Prints what the agent was told. That may be written down a moment after it has begun.
    fn tell(&mut self, world: &mut World) -> Result<()> {
        if self.format == LogFormat::Text
            && self.begun
            && !self.told
            && let Some(task) = self.store.task(self.id)?
        {
            self.told = true;
            write!(world.out, "{}", self.log.user(&task))?;
        }
        Ok(())
    }
}
