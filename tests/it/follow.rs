//! `logs --follow` on a terminal: below the log stands what the agents are doing.

use std::process::Stdio;

use agentctl::store::{Store, ThreadStatus};

use crate::{
    pty::Terminal,
    stage::{Stage, until},
};

const SCRIPT: &str = "agents:
  orchestrator:
    turns:
      - tool_calls: [{name: spawn_agent, arguments: {message: Look., agent_type: explorer, thread_note: looks around}}]
      - tool_calls: [{name: wait, arguments: {ids: [explorer#1]}}]
      - tool_calls: [{name: complete_task, arguments: {result: all done}}]
  explorer:
    turns:
      - {delay_ms: 1500, text: Seen.}
";

#[test]
fn whoever_follows_a_log_sees_the_tree_of_agents_below_it() {
    let stage = Stage::bare().file("script.yaml", SCRIPT);
    let mut command = stage.command(&["orchestrator", "Go.", "--model", "script:script.yaml"]);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let path = stage.sandbox.path("~/.local/state/agentctl/threads.db");
    let mut id = String::new();
    until("both agents work", || {
        let Ok(Some(store)) = Store::open_existing(&path) else { return false };
        let working = store.threads(&[ThreadStatus::Running]).unwrap_or_default();
        let main = working.iter().find(|thread| thread.begun.depth == 0);
        id = main.map(|thread| thread.begun.id.clone()).unwrap_or_default();
        working.len() == 2
    });
    let columns = [("COLUMNS", "100")];
    let mut terminal = Terminal::start(&stage.sandbox, &["logs", &id, "--follow"], &columns);
    terminal.expect("→").expect("spawn_agent");
    // The main agent waits, and the other one is below it with its label.
    terminal.expect("orchestrator").expect("waiting for 1 agent");
    terminal.expect("explorer#1").expect("looks around");
    // The view goes when there is more to print, and the log is whole.
    terminal.expect("\x1b[1A\x1b[2K").expect("all done");
    let (shown, exit) = terminal.ends("");
    assert_eq!(exit, Some(0), "{shown}");
    assert!(run.wait().unwrap().success());
}
