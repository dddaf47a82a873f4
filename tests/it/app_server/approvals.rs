//! Questions to clients.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Client, stage};
use crate::{
    stage::Stage,
    support::{not_tested, repository},
};

const WRITE: &str =
    "{tool_calls: [{name: write_file, id: c1, arguments: {path: a.txt, content: hi}}]}";

fn writer() -> Stage {
    stage(&[("orchestrator", &[WRITE, "{text: Done.}", WRITE, "{text: Done.}"])])
}

/// Starts a thread that asks before it writes, and waits for the question.
fn asked(client: &mut Client) -> (String, Value) {
    let thread = client.start(json!({ "sandbox": "danger_full_access" }));
    client.tell(&thread, "Go.");
    let question = client.until(|message| message["method"] == "approval/request");
    (thread, question)
}

fn answer(question: &Value, decision: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "decision": decision } })
}

#[test]
fn a_client_decides_whether_a_call_happens() {
    for (decision, happens) in [("accept", true), ("acceptForSession", true), ("decline", false)] {
        let stage = writer();
        let mut client = Client::new(&stage);
        let (thread, question) = asked(&mut client);
        let params = &question["params"];
        assert_eq!(params["approvalId"], question["id"]);
        assert_eq!(params["threadId"], thread.as_str());
        assert_eq!(params["itemId"], "c1");
        assert_eq!(params["tool"], "write_file");
        assert_eq!(params["agentPath"], json!(["orchestrator"]));
        assert!(params["turnId"].is_string(), "{question}");
        // A client that comes later finds the question.
        let read = client.ask("thread/read", json!({ "threadId": thread }));
        assert_eq!(read["approvals"], json!([params]));
        client.send(&answer(&question, decision));
        // A second answer changes nothing.
        client.send(&answer(&question, if happens { "decline" } else { "accept" }));
        assert_eq!(client.turn_ends(&thread)["status"], "completed");
        assert_eq!(stage.sandbox.path("a.txt").exists(), happens, "{decision}");
        let resolved = client.all("approval/resolved");
        assert_eq!(resolved.len(), 1);
        assert_eq!(resolved[0]["decision"], decision);
        let item = client.items("fileChange")[0];
        assert_eq!(item["status"], if happens { "completed" } else { "failed" });
        client.assert_balanced();
    }
}

#[test]
fn a_question_can_be_answered_with_a_request() {
    let stage = writer();
    let mut client = Client::new(&stage);
    let (thread, question) = asked(&mut client);
    let params = json!({ "approvalId": question["id"], "decision": "accept" });
    assert_eq!(client.ask("approval/answer", params.clone()), json!({ "applied": true }));
    assert_eq!(client.ask("approval/answer", params), json!({ "applied": false }));
    client.send(&answer(&question, "decline"));
    client.turn_ends(&thread);
    assert!(stage.sandbox.path("a.txt").exists());
}

#[test]
fn a_client_that_cannot_answer_is_nobody_to_ask() {
    let stage = writer();
    let mut client = Client::new(&stage);
    let (thread, question) = asked(&mut client);
    let error = json!({ "code": -32601, "message": "no such method" });
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "error": error }));
    client.turn_ends(&thread);
    assert!(!stage.sandbox.path("a.txt").exists());
    assert_eq!(client.all("approval/resolved")[0]["decision"], Value::Null);
}

#[test]
fn a_question_is_taken_back_when_the_agent_is_stopped() {
    let stage = writer();
    let mut client = Client::new(&stage);
    let (thread, question) = asked(&mut client);
    client.ask("turn/interrupt", json!({ "threadId": thread }));
    client.until(|message| message["method"] == "approval/resolved");
    client.turn_ends(&thread);
    let params = json!({ "approvalId": question["id"], "decision": "accept" });
    assert_eq!(client.ask("approval/answer", params), json!({ "applied": false }));
    client.assert_balanced();
    assert!(!stage.sandbox.path("a.txt").exists());
}

#[test]
fn who_asks_for_nobody_to_be_asked_gets_that() {
    for (policy, happens) in [("never", false), ("always", true)] {
        let stage = writer();
        let mut client = Client::new(&stage);
        let thread = client.start(json!({ "sandbox": "danger_full_access", "approvals": policy }));
        client.play(&thread, "Go.");
        assert_eq!(client.all("approval/request"), Vec::<&Value>::new());
        assert_eq!(stage.sandbox.path("a.txt").exists(), happens);
    }
}

#[test]
fn a_program_in_another_language_plays_a_whole_session() {
    let stage = writer();
    let script = repository().join("tests/clients/jsonrpc_client.py");
    let mut command = Command::new("python3");
    command
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_agentctl"))
        .current_dir(stage.sandbox.work())
        .stdin(Stdio::null())
        .env("HOME", stage.sandbox.home());
    let Ok(output) = command.output() else {
        return not_tested("another language: install Python 3 (`apt-get install python3`)");
    };
    let seen = stage.sandbox.seen(&output);
    assert_eq!(seen.exit, Some(0), "{seen}");
    assert_eq!(seen.stdout.lines().last(), Some("Done."), "{seen}");
    assert!(stage.sandbox.path("a.txt").exists(), "{seen}");
}
