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
    render::{Log, Told, json_line},
    store::{LogEntry, Store, Thread},
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
        told: Told::default(),
        is_current: false,
    };
    let mut next = 0;
    loop {
        // Looked at before the events are: what comes after its end is not waited for.
        let thread = store.thread(&thread.begun.id)?;
        let entries = store.events(&thread.begun.id, next, BATCH)?;
        printer.is_current = false;
        for (at, entry) in entries.iter().enumerate() {
            printer.print(world, entry, &entries[at + 1..])?;
            next = entry.seq + 1;
        }
        let over = entries.is_empty() && thread.is_over();
        if over || (entries.is_empty() && !args.follow) {
            printer.end(world, over.then_some(&thread))?;
            return Ok(Exit::Done);
        }
        if entries.is_empty() {
            printer.tell_so_far(world)?;
        }
        world.out.flush()?;
        if entries.is_empty() {
            stored::pause();
        }
    }
}

/// Prints what happened, and at its place what the agent was told.
struct Printer<'a> {
    store: &'a Store,
    id: &'a str,
    format: LogFormat,
    log: Log,
    told: Told,
    /// Whether all messages are known that belong to the events that are being printed.
    is_current: bool,
}

impl Printer<'_> {
    /// Prints `entry`, which `after` follows.
    fn print(&mut self, world: &mut World, entry: &LogEntry, after: &[LogEntry]) -> Result<()> {
        if self.format == LogFormat::Jsonl {
            let mut event = serde_json::to_value(&entry.event)?;
            event["seq"] = json!(entry.seq);
            writeln!(world.out, "{}", json_line(&event))?;
            return Ok(());
        }
        if self.told.is_short(&entry.event.what) {
            self.read()?;
        }
        let after = after.iter().map(|entry| &entry.event.what);
        let told = self.told.before(&entry.event.what, after);
        self.tell(world, &told)?;
        write!(world.out, "{}", self.log.take(&entry.event))?;
        Ok(())
    }

    /// Prints what the agent is told right now. That may be written down a moment after it has
    /// begun.
    fn tell_so_far(&mut self, world: &mut World) -> Result<()> {
        if self.told.is_due() {
            self.read()?;
            let told = self.told.so_far();
            self.tell(world, &told)?;
        }
        Ok(())
    }

    /// Prints how `thread` ended, or that it has not.
    fn end(&mut self, world: &mut World, thread: Option<&Thread>) -> Result<()> {
        if self.format == LogFormat::Jsonl {
            return Ok(());
        }
        self.tell_so_far(world)?;
        let Some(thread) = thread else {
            write!(world.out, "{}", self.log.pause())?;
            return Ok(());
        };
        self.read()?;
        let told = self.told.rest();
        self.tell(world, &told)?;
        write!(world.out, "{}", self.log.end(thread))?;
        Ok(())
    }

    /// Reads what was said, at most once for each look at the events: what belongs to an event was
    /// written down before it.
    fn read(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.is_current, true) {
            self.told.add(self.store.messages_from(self.id, self.told.read())?);
        }
        Ok(())
    }

    fn tell(&mut self, world: &mut World, told: &[String]) -> Result<()> {
        for text in told {
            write!(world.out, "{}", self.log.user(text))?;
        }
        Ok(())
    }
}
