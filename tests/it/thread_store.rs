//! A store filled as a run would fill it, beside the program that reads it.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Instant,
};

use agentctl::{
    conversation::{Message, Usage},
    event::{AgentRef, Event, Failure, FailureKind, Outcome, Progress, Started, Status, What},
    store::{NewThread, Owner, Store},
};
use serde_json::json;

use crate::support::{PATIENCE, Sandbox, Seen};

/// Names of threads.
pub const ROOT: &str = "01890000-0001-7000-8000-000000000001";
pub const CHILD: &str = "01890000-0002-7000-8000-000000000002";
pub const GRANDCHILD: &str = "01890000-0003-7000-8000-000000000003";
pub const OTHER: &str = "01890001-0001-7000-8000-000000000004";

/// A sandbox whose home has a store.
pub struct Threads {
    pub sandbox: Sandbox,
    pub store: Store,
    pub me: Owner,
}

impl Threads {
    pub fn new() -> Self {
        let sandbox = Sandbox::empty();
        let store = Store::open(&database(&sandbox)).unwrap();
        Self { sandbox, store, me: Owner::this_process() }
    }

    /// A thread that has not begun.
    pub fn pending(&self, id: &str, parent: Option<&str>) {
        self.store.create(&new_thread(id, parent), Some(&self.me)).unwrap();
    }

    /// A thread that works.
    pub fn running(&self, id: &str, parent: Option<&str>) {
        self.pending(id, parent);
        self.begin(id);
    }

    /// A thread that has handed in its result.
    pub fn completed(&self, id: &str, parent: Option<&str>) {
        self.running(id, parent);
        self.end(id, outcome(id, Status::Goal, "It is in src/main.rs."));
    }

    pub fn begin(&self, id: &str) {
        self.begin_again(id);
        self.said(id, &Message::user("Where does it begin?"));
    }

    /// A run begins, and nothing new is said.
    pub fn begin_again(&self, id: &str) {
        self.happens(
            id,
            What::Started(Started {
                description: "find the entry point".to_owned(),
                model: "test/model".to_owned(),
                llm: true,
                tools: vec!["grep_files".to_owned()],
                cwd: "/project".to_owned(),
                progress: Progress::default(),
                path: Vec::new(),
            }),
        );
    }

    pub fn end(&self, id: &str, outcome: Outcome) {
        self.happens(id, What::Completed(Box::new(outcome)));
    }

    pub fn speaks(&self, id: &str, text: &str) {
        self.happens(id, What::TextChunk { text: text.to_owned() });
    }

    pub fn happens(&self, id: &str, what: What) {
        let agent = AgentRef { agent_id: id.to_owned(), agent_type: "finder".to_owned() };
        let at = "2026-11-18T09:30:00.000Z".to_owned();
        self.store.append(&self.me, &Event { seq: 40, at, agent, what }).unwrap();
    }

    pub fn said(&self, id: &str, message: &Message) {
        self.store.say(&self.me, id, &serde_json::to_value(message).unwrap()).unwrap();
    }

    /// Changes rows behind the program's back.
    pub fn sql(&self, statement: &str) {
        rusqlite::Connection::open(self.store.path()).unwrap().execute_batch(statement).unwrap();
    }

    /// Makes every thread as old as `created` and `updated` say, in seconds.
    pub fn aged(&self, created: u64, updated: u64) {
        let now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
        self.sql(&format!(
            "UPDATE threads SET created = {now} - {created} * 1000, updated = {now} - {updated} * 1000"
        ));
    }

    pub fn run(&self, arguments: &[&str]) -> Seen {
        self.sandbox.run(arguments)
    }

    /// Starts the program and waits until it looks at the store.
    pub fn watching(&self, arguments: &[&str]) -> Child {
        let mut command = self.sandbox.command(arguments);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let open = || {
            let links = fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten();
            links.flatten().any(|link| {
                fs::read_link(link.path()).is_ok_and(|file| file.ends_with("threads.db"))
            })
        };
        eventually(|| open() || !fs::exists("/proc/self/fd").unwrap());
        child
    }

    /// What a program that was started has printed by its end.
    pub fn seen(&self, child: Child) -> Seen {
        let (sender, receiver) = channel();
        thread::spawn(move || sender.send(child.wait_with_output()));
        self.sandbox.seen(&receiver.recv_timeout(PATIENCE).unwrap().unwrap())
    }
}

/// Where the program keeps threads.
pub fn database(sandbox: &Sandbox) -> PathBuf {
    sandbox.path("~/.local/state/agentctl/threads.db")
}

/// Waits until something is so.
pub fn eventually(mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < PATIENCE, "it never happened");
        thread::yield_now();
    }
}

/// The lines a program prints, as they come.
pub fn lines(child: &mut Child) -> Receiver<String> {
    let (sender, receiver) = channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    thread::spawn(move || {
        stdout.lines().try_for_each(|line| sender.send(line.unwrap()).map_err(drop))
    });
    receiver
}

pub fn new_thread(id: &str, parent: Option<&str>) -> NewThread {
    NewThread {
        id: id.to_owned(),
        session: parent.map_or(id, |_| ROOT).to_owned(),
        parent: parent.map(str::to_owned),
        depth: match parent {
            None => 0,
            Some(ROOT) => 1,
            Some(_) => 2,
        },
        agent_type: "finder".to_owned(),
        ordinal: 1,
        model: "test/model".to_owned(),
        sandbox: "read_only".to_owned(),
        cwd: "/project".to_owned(),
        path: "agents/finder.md".to_owned(),
        origin: "project".to_owned(),
        definition: "text".to_owned(),
        hash: "hash".to_owned(),
        call: json!({ "prompt": "not begun yet" }),
        note: None,
        background: true,
    }
}

pub fn outcome(id: &str, status: Status, result: &str) -> Outcome {
    let kind = match status {
        Status::Goal => None,
        Status::Timeout => Some(FailureKind::Timeout),
        Status::MaxTurns => Some(FailureKind::MaxTurns),
        Status::Aborted => Some(FailureKind::Cancelled),
        Status::Error => Some(FailureKind::Server),
        Status::ErrorNoCompleteTaskCall => Some(FailureKind::NoCompleteTask),
    };
    Outcome {
        status,
        result: result.to_owned(),
        output: None,
        agent_id: id.to_owned(),
        agent_type: "finder".to_owned(),
        model: "test/model".to_owned(),
        llm: true,
        models: Vec::new(),
        turns_used: 3,
        duration_seconds: 12.3,
        total_tool_use_count: 2,
        total_duration_ms: 12_300,
        total_tokens: 1_234,
        usage: Usage { input_tokens: 1_000, output_tokens: 234, ..Usage::default() },
        unapproved: Vec::new(),
        error: kind.map(|kind| Failure { kind, message: "something went wrong".to_owned() }),
    }
}
