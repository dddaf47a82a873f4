//! What clients are told about what happens.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::event::{
    AgentRef, AgentState, CollabBegin, CollabEnd, FailureKind, Outcome, Progress, Started, Status,
};

/// Folds `events` of `main`, numbered from 0; what clients are told, without the times.
fn told(events: Vec<What>) -> Vec<Value> {
    let mut projection = Projection::default();
    projection.know("main", event::AgentStatus::PendingInit);
    fold(&mut projection, 0, events)
}

fn fold(projection: &mut Projection, first: u64, events: Vec<What>) -> Vec<Value> {
    let agent = AgentRef { agent_id: "main".to_owned(), agent_type: "tester".to_owned() };
    let at = "2026-11-18T00:00:00.000Z".to_owned();
    let mut told = Vec::new();
    for (seq, what) in (first..).zip(events) {
        let event = Event { seq, at: at.clone(), agent: agent.clone(), what };
        told.extend(projection.fold(&event, &|_| None));
    }
    told.iter().map(|one| serde_json::to_value(one).unwrap()).collect()
}

/// What was told of items and turns, in a few words each.
fn lines(told: &[Value]) -> Vec<String> {
    let line = |one: &Value| {
        let (method, params) = (one["method"].as_str().unwrap(), &one["params"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match method {
            "turn/started" | "turn/completed" => {
                format!(
                    "{method} {} {}",
                    text(&params["turn"]["id"]),
                    text(&params["turn"]["status"])
                )
            }
            "item/started" | "item/completed" => {
                let item = &params["item"];
                let rest = [text(&item["text"]), text(&item["status"])].concat();
                format!("{method} {} {} {rest}", text(&item["type"]), text(&item["id"]))
            }
            "thread/status/changed" => format!("{method} {}", text(&params["status"])),
            "error" => format!("{method} {}", params["willRetry"]),
            _ => format!("{method} {}", text(&params["delta"])),
        }
    };
    told.iter().map(|one| line(one).trim_end().to_owned()).collect()
}

fn started() -> What {
    What::Started(Started {
        description: "Go.".to_owned(),
        model: "script:x".to_owned(),
        llm: true,
        tools: Vec::new(),
        cwd: "/".to_owned(),
        progress: Progress::default(),
    })
}

fn completed(status: Status) -> What {
    let agent = AgentRef { agent_id: "main".to_owned(), agent_type: "tester".to_owned() };
    let outcome = Outcome::failed(&agent, String::new(), failure());
    What::Completed(Box::new(Outcome { status, ..outcome }))
}

fn failure() -> Failure {
    Failure { kind: FailureKind::Overloaded, message: "too much".to_owned() }
}

fn text(text: &str) -> What {
    What::TextChunk { text: text.to_owned() }
}

fn user(text: &str, later: bool) -> What {
    What::UserMessage { text: text.to_owned(), later }
}

fn call(tool_name: &str) -> What {
    let (tool_name, call_id) = (tool_name.to_owned(), "c1".to_owned());
    What::ToolCallStart { tool_name, call_id, arguments: json!({ "command": "ls" }) }
}

fn call_end(tool_name: &str) -> What {
    let (tool_name, call_id) = (tool_name.to_owned(), "c1".to_owned());
    let output = "no".to_owned();
    What::ToolCallEnd { tool_name, call_id, success: false, duration_ms: 3, output }
}

#[test]
fn a_turn_is_named_after_what_the_agent_was_told() {
    let events = vec![user("Hi.", false), started(), text("A"), text("B"), completed(Status::Goal)];
    assert_eq!(
        lines(&told(events)),
        [
            "turn/started turn-0 inProgress",
            "item/started userMessage user-0",
            "item/completed userMessage user-0",
            "thread/status/changed running",
            "item/started agentMessage message-2",
            "item/agentMessage/delta A",
            "item/agentMessage/delta B",
            "item/completed agentMessage message-2 AB",
            "turn/completed turn-0 completed",
            "thread/status/changed completed",
        ]
    );
}

#[test]
fn what_is_told_for_later_waits_for_the_next_turn() {
    let events = vec![
        started(),
        user("Now.", false),
        user("Then.", true),
        completed(Status::Goal),
        started(),
        completed(Status::Aborted),
    ];
    assert_eq!(
        lines(&told(events)),
        [
            "turn/started turn-0 inProgress",
            "thread/status/changed running",
            "item/started userMessage user-1",
            "item/completed userMessage user-1",
            "turn/completed turn-0 completed",
            "thread/status/changed completed",
            "turn/started turn-2 inProgress",
            "item/started userMessage user-2",
            "item/completed userMessage user-2",
            "thread/status/changed running",
            "turn/completed turn-2 interrupted",
            "thread/status/changed interrupted",
        ]
    );
}

#[test]
fn a_retry_takes_back_what_was_said() {
    let retry =
        What::Retry { model: String::new(), attempt: 1, delay_ms: 1, error: failure(), next: None };
    let events = vec![started(), text("Ha"), retry, text("Hello"), completed(Status::Goal)];
    assert_eq!(
        lines(&told(events))[2..],
        [
            "item/started agentMessage message-1",
            "item/agentMessage/delta Ha",
            "item/completed agentMessage message-1",
            "error true",
            "item/started agentMessage message-3",
            "item/agentMessage/delta Hello",
            "item/completed agentMessage message-3 Hello",
            "turn/completed turn-0 completed",
            "thread/status/changed completed",
        ]
    );
}

#[test]
fn whatever_began_ends_with_its_turn() {
    let thought = What::ThoughtChunk { text: "Hm.".to_owned() };
    let events = vec![started(), thought, call("shell"), completed(Status::Aborted)];
    assert_eq!(
        lines(&told(events))[2..],
        [
            "item/started reasoning reasoning-1",
            "item/reasoning/delta Hm.",
            "item/completed reasoning reasoning-1 Hm.",
            "item/started commandExecution c1 inProgress",
            "item/completed commandExecution c1 failed",
            "turn/completed turn-0 interrupted",
            "thread/status/changed interrupted",
        ]
    );
}

#[test]
fn a_run_that_could_not_begin_is_a_turn() {
    let told = told(vec![user("Hi.", false), completed(Status::Error)]);
    assert_eq!(
        lines(&told),
        [
            "turn/started turn-0 inProgress",
            "item/started userMessage user-0",
            "item/completed userMessage user-0",
            "turn/completed turn-0 failed",
            "thread/status/changed errored",
        ]
    );
    let error = &told[3]["params"]["turn"]["error"];
    assert_eq!(*error, json!({ "kind": "overloaded", "message": "too much" }));
}

#[test]
fn a_call_that_acts_on_others_is_shown_once() {
    let begun = CollabBegin {
        call_id: "c1".to_owned(),
        receiver_thread_ids: vec!["child".to_owned()],
        prompt: Some("Do it.".to_owned()),
        ..CollabBegin::default()
    };
    let state = AgentState { status: event::AgentStatus::Shutdown, message: None };
    let end = CollabEnd {
        begun: begun.clone(),
        success: true,
        agents_states: BTreeMap::from([("child".to_owned(), state)]),
        error: None,
    };
    let events = vec![
        started(),
        call("close_agent"),
        What::CollabCloseBegin(begun),
        What::CollabCloseEnd(end),
        call_end("close_agent"),
    ];
    let all = told(events);
    assert_eq!(
        lines(&all)[2..],
        [
            "item/started collabAgentToolCall c1 inProgress",
            "item/completed collabAgentToolCall c1 completed",
        ]
    );
    let item = &all[3]["params"]["item"];
    assert_eq!(item["senderThreadId"], "main");
    assert_eq!(item["receiverThreadIds"], json!(["child"]));
    assert_eq!(item["agentsStates"], json!({ "child": { "status": "shutdown", "message": null } }));
    // One that was refused before it was clear on whom it acts is a call like any other.
    let refused = told(vec![started(), call("close_agent"), call_end("close_agent")]);
    assert_eq!(
        lines(&refused)[2..],
        ["item/started toolCall c1 inProgress", "item/completed toolCall c1 failed"]
    );
}

#[test]
fn whoever_reads_again_finds_the_same_names() {
    let events = || vec![user("Hi.", false), started(), text("A"), completed(Status::Goal)];
    let mut projection = Projection::default();
    projection.know("main", event::AgentStatus::PendingInit);
    let once = fold(&mut projection, 7, events());
    let mut projection = Projection::default();
    projection.know("main", event::AgentStatus::PendingInit);
    assert_eq!(fold(&mut projection, 7, events()), once);
    assert_eq!(once[0]["params"]["turn"]["id"], "turn-7");
}
