//! `agentctl logs`.

use std::{io::Write as _, sync::Arc};

use anyhow::Result;
use serde_json::json;

use super::{
    Exit,
    run::Screen,
    stored,
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
    let mut live = Live::new(world, args, &thread);
    loop {
        // Looked at before the events are: what comes after its end is not waited for.
        let thread = store.thread(&thread.begun.id)?;
        let entries = store.events(&thread.begun.id, next, BATCH)?;
        printer.is_current = false;
        if let Some(live) = &live {
            live.screen.hide();
        }
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
        if let Some(live) = live.as_mut().filter(|_| entries.is_empty()) {
            live.show(&store, &printer.log)?;
        }
        if entries.is_empty() {
            stored::pause();
        }
    }
}

/// What the agents of a session are doing, below their log.
struct Live {
    session: String,
    screen: Arc<Screen>,
    /// The next event it has not seen.
    next: u64,
}

impl Live {
    /// Nothing where nobody watches, and nothing below an agent that is not the main one.
    fn new(world: &World, args: &LogsArgs, thread: &Thread) -> Option<Self> {
        let watched = args.follow && args.format == LogFormat::Text && world.err_is_terminal();
        let is_main = thread.begun.session == thread.begun.id;
        (watched && is_main && world.width.is_some()).then(|| Self {
            session: thread.begun.id.clone(),
            screen: Screen::new(world.err_paint(), world.text_width()),
            next: 0,
        })
    }

    /// Draws the view below what has been printed, unless that is in the middle of a line.
    fn show(&mut self, store: &Store, log: &Log) -> Result<()> {
        store.stream(&self.session, self.next, |event| {
            self.screen.fold(event);
            self.next = event.seq + 1;
            true
        })?;
        if log.is_at_line_start() {
            self.screen.show();
        }
        Ok(())
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
