//! `agentctl app-server`, as the programs see it that talk to it.

mod approvals;
mod collab;
mod messages;
mod modes;
mod pages;
mod slow;
mod threads;

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
};

use serde_json::{Value, json};

use crate::{
    stage::{Stage, until},
    support::PATIENCE,
};

/// A client, and the server it has started.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// What is not read yet, for a client that does not.
    unread: Option<(ChildStdout, mpsc::Sender<String>)>,
    next: u64,
    /// Everything that came, besides answers.
    pub seen: Vec<Value>,
    /// How much of that has been looked at.
    looked: usize,
}

impl Client {
    /// One that has introduced itself.
    pub fn new(stage: &Stage) -> Self {
        let mut client = Self::silent(stage);
        client.read();
        client.ask("initialize", json!({ "clientInfo": { "name": "test" } }));
        client
    }

    /// One that has said nothing and reads nothing.
    pub fn silent(stage: &Stage) -> Self {
        let mut command = stage.sandbox.command(&["app-server"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let unread = Some((child.stdout.take().unwrap(), sender));
        let stdin = child.stdin.take();
        Self { child, stdin, lines, unread, next: 0, seen: Vec::new(), looked: 0 }
    }

    /// Begins to read.
    pub fn read(&mut self) {
        let (stdout, sender) = self.unread.take().unwrap();
        thread::spawn(move || {
            let lines = BufReader::new(stdout).lines().map_while(Result::ok);
            lines.into_iter().try_for_each(|line| sender.send(line))
        });
    }

    /// Sends bytes as they are, and a line's end.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.send_raw(message.to_string().as_bytes());
    }

    /// Sends a request, without waiting for the answer. Its id.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        message["params"] = params;
        self.send(&message);
        id
    }

    /// The next message, whatever it is.
    #[track_caller]
    pub fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE);
        let line = line.unwrap_or_else(|_| panic!("nothing comes any more: {:#?}", self.seen));
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The next message that is an answer to `id`.
    #[track_caller]
    pub fn answer_to(&mut self, id: &Value) -> Value {
        loop {
            let message = self.receive();
            if message["id"] == *id && message.get("method").is_none() {
                return message;
            }
            self.seen.push(message);
        }
    }

    /// Asks, and what it is answered.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let mut answer = self.answer_to(&json!(id));
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Asks for something it cannot have; the code and the words.
    #[track_caller]
    pub fn refused(&mut self, method: &str, params: Value) -> (i64, String) {
        let id = self.request(method, params);
        let answer = self.answer_to(&json!(id));
        let error = &answer["error"];
        let code = error["code"].as_i64().unwrap_or_else(|| panic!("{method}: {answer}"));
        (code, error["message"].as_str().unwrap().to_owned())
    }

    /// Looks at what has come since it was last looked, and reads on until something is `wanted`.
    #[track_caller]
    pub fn until(&mut self, mut wanted: impl FnMut(&Value) -> bool) -> Value {
        loop {
            while let Some(message) = self.seen.get(self.looked) {
                self.looked += 1;
                if wanted(message) {
                    return message.clone();
                }
            }
            let message = self.receive();
            self.seen.push(message);
        }
    }

    /// Starts a thread on the script; its id.
    #[track_caller]
    pub fn start(&mut self, mut params: Value) -> String {
        params["model"] = json!("script:script.yaml");
        let started = self.ask("thread/start", params);
        started["thread"]["id"].as_str().unwrap().to_owned()
    }

    /// Tells a thread something; the turn's id.
    #[track_caller]
    pub fn tell(&mut self, thread: &str, text: &str) -> String {
        let input = json!([{ "type": "text", "text": text }]);
        let turn = self.ask("turn/start", json!({ "threadId": thread, "input": input }));
        turn["turn"]["id"].as_str().unwrap().to_owned()
    }

    /// Waits for the end of a turn of a thread; how it ended.
    #[track_caller]
    pub fn turn_ends(&mut self, thread: &str) -> Value {
        let mut ended = self.until(|message| {
            message["method"] == "turn/completed" && message["params"]["threadId"] == thread
        });
        ended["params"]["turn"].take()
    }

    /// Tells a thread something, and waits for the end of its turn.
    #[track_caller]
    pub fn play(&mut self, thread: &str, text: &str) -> Value {
        self.tell(thread, text);
        self.turn_ends(thread)
    }

    /// Everything that came of one method.
    pub fn all(&self, method: &str) -> Vec<&Value> {
        let fit = self.seen.iter().filter(|message| message["method"] == method);
        fit.map(|message| &message["params"]).collect()
    }

    /// The items of one type that have ended.
    pub fn items(&self, kind: &str) -> Vec<&Value> {
        let ended = self.all("item/completed").into_iter().map(|params| &params["item"]);
        ended.filter(|item| item["type"] == kind).collect()
    }

    /// Whatever began has ended, exactly once.
    pub fn assert_balanced(&self) {
        let ids = |method: &str| {
            let all = self.all(method).into_iter();
            let mut ids: Vec<String> = all
                .map(|one| format!("{} {} {}", one["threadId"], one["turnId"], one["item"]["id"]))
                .collect();
            ids.sort();
            ids
        };
        assert_eq!(ids("item/started"), ids("item/completed"));
    }

    /// Says nothing more, and waits for the server's end; its exit code.
    pub fn hang_up(&mut self) -> Option<i32> {
        self.stdin = None;
        self.ends()
    }

    /// Waits for the server's end; its exit code.
    pub fn ends(&mut self) -> Option<i32> {
        let mut status = None;
        until("the server has ended", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.seen.push(serde_json::from_str(&line).unwrap());
        }
        status.unwrap().code()
    }

    /// Sends the server a signal.
    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that failed must not leave anything running.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A stage whose main agent has `turns`, and others theirs: `name: [turn, …]`.
pub fn stage(agents: &[(&str, &[&str])]) -> Stage {
    let mut script = "agents:\n".to_owned();
    for (name, turns) in agents {
        script.push_str(&format!("  \"{name}\":\n    turns:\n"));
        for turn in *turns {
            script.push_str(&format!("      - {turn}\n"));
        }
    }
    Stage::bare().file("script.yaml", &script)
}
