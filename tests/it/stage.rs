//! A stage for agents: a definition, a scripted model, and what came of the two.

use std::{
    fmt,
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::{PATIENCE, Sandbox, Seen};

/// A turn that hands in `done`.
pub const DONE: &str = "{tool_calls: [{name: complete_task, arguments: {result: done}}]}";

/// An agent with a script, ready to run.
pub struct Stage {
    pub sandbox: Sandbox,
    arguments: Vec<String>,
    variables: Vec<(String, String)>,
}

impl Stage {
    /// An agent called `tester` that has `keys` in its front matter and is told to do it; its
    /// model has `turns`.
    pub fn new(keys: &str, turns: &[&str]) -> Self {
        Self::with_prompt(keys, "Do it.", turns)
    }

    /// The same with another system prompt.
    pub fn with_prompt(keys: &str, prompt: &str, turns: &[&str]) -> Self {
        let keys = keys.trim();
        let agent =
            format!("---\nagentType: tester\nwhenToUse: In tests.\n{keys}\n---\n\n{prompt}\n");
        Self::bare().file("agents/tester.md", &agent).file("script.yaml", &script(turns))
    }

    /// No agent and no script.
    pub fn bare() -> Self {
        let sandbox = Sandbox::empty();
        sandbox.write("~/.config/agentctl/config.toml", "[run]\nretry_delay_ms = 1\n");
        Self { sandbox, arguments: Vec::new(), variables: Vec::new() }
    }

    /// With a file in the working directory.
    pub fn file(self, path: &str, text: &str) -> Self {
        self.sandbox.write(path, text);
        self
    }

    /// With more arguments.
    pub fn with(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(ToString::to_string));
        self
    }

    /// With a variable.
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With the right to run commands, and nobody asked about them.
    pub fn trusted(self) -> Self {
        let seen = self.sandbox.run(&["trust", "add", "agents/tester.md"]);
        assert_eq!(seen.exit, Some(0), "{seen}");
        self.with(&["--approve", "always"])
    }

    /// `agentctl run` with `arguments` and what the stage has besides.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(&["run"]);
        command.args(arguments).args(&self.arguments).arg("--no-probe");
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        command
    }

    /// Runs the agent on its script and prints what a person would see.
    pub fn see(&self) -> Seen {
        self.sandbox.see(self.command(&["tester", "--model", "script:script.yaml"]))
    }

    /// Runs an agent in any way.
    pub fn see_with(&self, arguments: &[&str]) -> Seen {
        self.sandbox.see(self.command(arguments))
    }

    /// Runs the agent on its script.
    pub fn play(&self) -> Played {
        self.play_with(&["tester", "--model", "script:script.yaml"])
    }

    /// Runs an agent in any way.
    pub fn play_with(&self, arguments: &[&str]) -> Played {
        let mut command = self.command(arguments);
        command.args(["--format", "jsonl"]);
        Played::of(self.sandbox.see(command))
    }

    /// Starts the agent on its script.
    pub fn start(self) -> Playing {
        self.start_with(&["tester", "--model", "script:script.yaml"])
    }

    /// Starts an agent in any way.
    pub fn start_with(self, arguments: &[&str]) -> Playing {
        let mut command = self.command(arguments);
        command.args(["--format", "jsonl"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        Playing::of(command.spawn().unwrap(), self)
    }
}

/// A script with `turns`.
pub fn script(turns: &[&str]) -> String {
    turns.iter().fold("turns:\n".to_owned(), |script, turn| script + "  - " + turn + "\n")
}

/// A run that is over.
pub struct Played {
    seen: Seen,
    pub events: Vec<Value>,
}

impl Played {
    fn of(seen: Seen) -> Self {
        let events = seen.stdout.lines().map(|line| event(line, &seen)).collect();
        Self { seen, events }
    }

    /// Makes sure of how it ended.
    #[track_caller]
    pub fn ended(self, status: &str, exit: i32) -> Self {
        assert_eq!(self.result()["status"], status, "{self}");
        assert_eq!(self.seen.exit, Some(exit), "{self}");
        self
    }

    /// The result object.
    #[track_caller]
    pub fn result(&self) -> &Value {
        let last = self.events.last().unwrap_or_else(|| panic!("no events\n{self}"));
        assert_eq!(last["event_type"], "COMPLETED", "{self}");
        &last["data"]
    }

    /// The types of the events.
    pub fn kinds(&self) -> Vec<&str> {
        self.events.iter().filter_map(|event| event["event_type"].as_str()).collect()
    }

    /// The events of one type.
    pub fn all(&self, kind: &str) -> Vec<&Value> {
        let of_kind = self.events.iter().filter(|event| event["event_type"] == kind);
        of_kind.map(|event| &event["data"]).collect()
    }

    /// What the model was told about its calls, in the order in which they ended.
    pub fn told(&self) -> Vec<&str> {
        self.all("TOOL_CALL_END").iter().filter_map(|data| data["output"].as_str()).collect()
    }

    /// What is wrong, in words.
    pub fn error(&self) -> &str {
        self.result()["error"]["message"].as_str().unwrap_or_default()
    }

    /// What was said on stderr.
    pub fn stderr(&self) -> &str {
        &self.seen.stderr
    }
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.seen.fmt(f)
    }
}

fn event(line: &str, seen: &impl fmt::Display) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}\n{seen}"))
}

/// A run that goes on.
pub struct Playing {
    child: Child,
    lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    stdout: String,
    /// Lives as long as the run does.
    stage: Option<Stage>,
}

impl Playing {
    fn of(mut child: Child, stage: Stage) -> Self {
        let (sender, lines) = mpsc::channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in out.lines() {
                sender.send(line.unwrap()).ok();
            }
        });
        let mut err = child.stderr.take().unwrap();
        let errors = thread::spawn(move || {
            let mut text = String::new();
            err.read_to_string(&mut text).unwrap();
            text
        });
        Self { child, lines, errors: Some(errors), stdout: String::new(), stage: Some(stage) }
    }

    /// Where it runs.
    pub fn stage(&self) -> &Stage {
        self.stage.as_ref().unwrap()
    }

    /// Waits for an event of this type.
    pub fn wait_for(&mut self, kind: &str) -> Value {
        loop {
            let Ok(line) = self.lines.recv_timeout(PATIENCE) else {
                panic!("no {kind} in\n{}", self.stdout);
            };
            let happened = event(&line, &self.stdout);
            self.stdout.push_str(&line);
            self.stdout.push('\n');
            if happened["event_type"] == kind {
                return happened;
            }
        }
    }

    /// Sends it a signal.
    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Waits for the end; what `look` finds then, while everything is still there.
    pub fn finish_in<T>(self, look: impl FnOnce() -> T) -> (T, Played) {
        let (played, _stage) = self.over();
        (look(), played)
    }

    /// Waits for the end.
    pub fn finish(self) -> Played {
        self.over().0
    }

    fn over(mut self) -> (Played, Option<Stage>) {
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.stdout.push_str(&line);
            self.stdout.push('\n');
        }
        let mut status = None;
        until("the process has ended", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        let stderr = self.errors.take().unwrap().join().unwrap();
        let exit = status.and_then(|status| status.code());
        let played = Played::of(Seen { exit, stdout: std::mem::take(&mut self.stdout), stderr });
        (played, self.stage.take())
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        // A test that failed must not leave anything running.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Waits until `fine`, and fails if that takes too long.
#[track_caller]
pub fn until(what: &str, mut fine: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !fine() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}
