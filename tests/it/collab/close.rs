//! `close_agent` and `resume_agent` within one process.

use serde_json::json;

use super::{call, scene, spawn, wait};
use crate::stage::DONE;

fn close(id: &str) -> String {
    call("close_agent", &format!("{{id: '{id}'}}"))
}

fn resume(id: &str) -> String {
    call("resume_agent", &format!("{{id: '{id}'}}"))
}

const ALL: &str = "{scope: descendants, include_closed: true}";

/// A `mate` with two leaves, done with its work.
const MATE: &[&str] = &[
    "{tool_calls: [{name: spawn_agent, arguments: {agent_type: leaf, message: a}}, \
     {name: spawn_agent, arguments: {agent_type: leaf, message: b}}]}",
    "{tool_calls: [{name: wait, arguments: {ids: [leaf#1]}}, {name: wait, arguments: {ids: [leaf#2]}}]}",
    "{text: both}",
    "{text: again}",
];

#[test]
fn closing_says_what_the_agent_was_doing() {
    let lead: &[&str] = &[
        &spawn("leaf", "a"),
        &close("leaf#1"),
        &spawn("leaf", "b"),
        &wait("leaf#2"),
        &close("leaf#2"),
        &close("leaf#2"),
        &close("nobody"),
        DONE,
    ];
    let stage = scene(&[("lead", lead), ("leaf#1", &["{hang: true}"]), ("leaf#2", &["{text: b}"])]);
    let played = stage.lead().worked();
    let first = played.answer("close_agent", 0)["previous_status"].clone();
    assert!(first == "running" || first == "pending_init", "{first}");
    assert_eq!(played.answer("close_agent", 1)["previous_status"], json!({"completed": "b"}));
    assert_eq!(played.answer("close_agent", 2)["previous_status"], "shutdown");
    assert_eq!(played.text("close_agent", 3), "agent with id nobody not found");
}

#[test]
fn closing_an_agent_closes_everything_below_it() {
    let list = call("list_active_agents", ALL);
    let lead: &[&str] = &[&spawn("mate", "Go."), &wait("mate#1"), &close("mate#1"), &list, DONE];
    let stage = scene(&[("lead", lead), ("mate", MATE), ("leaf", &["{text: over}"])]);
    let played = stage.lead().worked();
    let list = played.answer("list_active_agents", 0);
    assert_eq!(list.as_array().unwrap().len(), 3);
    assert!(list.as_array().unwrap().iter().all(|one| one["status"] == "shutdown"), "{list}");
}

#[test]
fn agents_at_work_below_a_closed_one_are_stopped() {
    let lead: &[&str] =
        &[&spawn("mate", "Go."), &wait("mate#1"), &close("mate#1"), &wait("leaf#1"), DONE];
    let mate: &[&str] = &[&spawn("leaf", "a"), "{text: I rest.}"];
    let stage = scene(&[("lead", lead), ("mate", mate), ("leaf", &["{hang: true}"])]);
    let played = stage.lead().worked();
    assert_eq!(played.answer("wait", 1)["status"], json!({played.thread(1): "shutdown"}));
    assert_eq!(played.runs("leaf")[0]["status"], "aborted", "{played}");
    assert_eq!(played.runs("mate").len(), 1, "nobody is told of what it closed: {played}");
}

#[test]
fn an_agent_closes_only_itself_and_those_below_it() {
    let mate: &[&str] = &[&close("leaf#1"), &close("0"), "{text: tried}"];
    let lead: &[&str] =
        &[&spawn("leaf", "a"), &spawn("mate", "Go."), &wait("mate#1"), &wait("leaf#1"), DONE];
    let leaf = "{delay_ms: 200, text: over}";
    let played = scene(&[("lead", lead), ("mate", mate), ("leaf", &[leaf])]).lead().worked();
    let said = |id: &str| {
        format!("an agent may close only itself and the agents below it, and {id} is neither")
    };
    assert_eq!(played.answers_of("mate", "close_agent"), [said("leaf#1"), said("0")]);
    assert_eq!(played.answer("wait", 1)["result"], "over");
}

#[test]
fn an_agent_can_close_itself() {
    let mate: &[&str] = &[&close("mate#1"), "{text: never}"];
    let lead: &[&str] = &[&spawn("mate", "Go."), &wait("mate#1"), DONE];
    let played = scene(&[("lead", lead), ("mate", mate)]).lead().worked();
    assert_eq!(played.answer("wait", 0)["status"], json!({played.thread(0): "shutdown"}));
}

#[test]
fn the_main_agent_cannot_be_closed() {
    let played = scene(&[("lead", &[&close("0"), DONE])]).lead().worked();
    assert!(played.text("close_agent", 0).ends_with("and 0 is neither"), "{played}");
}

#[test]
fn a_resumed_agent_is_the_same_and_knows_what_it_knew() {
    let send = call("send_input", "{id: leaf#1, message: What was it?}");
    let lead: &[&str] = &[
        &call("spawn_agent", "{agent_type: leaf, message: Remember 17., thread_note: keeper}"),
        &wait("leaf#1"),
        &close("leaf#1"),
        &resume("leaf#1"),
        &call("list_active_agents", "{}"),
        &send,
        &wait("leaf#1"),
        DONE,
    ];
    let leaf: &[&str] = &["{text: noted}", "{text: '17'}"];
    let stage = scene(&[("lead", lead), ("leaf", leaf)]);
    let played = stage.lead().worked();
    let id = played.thread(0);
    assert_eq!(played.answer("resume_agent", 0)["status"], json!({"completed": "noted"}));
    let one = &played.answer("list_active_agents", 0)[0];
    assert_eq!((&one["thread_id"], &one["agent_type"]), (&json!(id), &json!("leaf")));
    assert_eq!(one["thread_note"], "keeper");
    assert_eq!(played.answer("wait", 1)["result"], "17");
    let said = stage.sandbox.run(&["transcript", &id]).stdout;
    assert!(said.contains("Remember 17.") && said.contains("What was it?"), "{said}");
}

#[test]
fn resuming_an_agent_that_is_open_changes_nothing() {
    let lead: &[&str] = &[
        &spawn("leaf", "a"),
        &wait("leaf#1"),
        &resume("leaf#1"),
        &resume("nobody"),
        &spawn("leaf", "b"),
        &resume("leaf#2"),
        &wait("leaf#2"),
        DONE,
    ];
    let stage = scene(&[
        ("lead", lead),
        ("leaf", &["{text: over}"]),
        ("leaf#2", &["{delay_ms: 1500, text: over}"]),
    ]);
    let played = stage.lead().worked();
    assert_eq!(played.answer("resume_agent", 0)["status"], json!({"completed": "over"}));
    assert_eq!(played.text("resume_agent", 1), "agent with id nobody not found");
    let busy = played.answer("resume_agent", 2)["status"].clone();
    assert!(busy == "running" || busy == "pending_init", "{busy}");
    assert_eq!(played.answer("wait", 1)["result"], "over", "it was not disturbed");
}

#[test]
fn what_was_closed_with_an_agent_is_opened_with_it_and_nothing_else() {
    let list = call("list_active_agents", ALL);
    let lead: &[&str] = &[
        &spawn("mate", "Go."),
        &wait("mate#1"),
        &close("leaf#1"),
        &close("mate#1"),
        &resume("leaf#2"),
        &resume("mate#1"),
        &list,
        &resume("leaf#1"),
        &call("send_input", "{id: leaf#2, message: more}"),
        &wait("leaf#2"),
        DONE,
    ];
    let leaf: &[&str] = &["{text: over}", "{text: more}"];
    let played = scene(&[("lead", lead), ("mate", MATE), ("leaf", leaf)]).lead().worked();
    let below = played.text("resume_agent", 0);
    assert!(
        below.starts_with("the agent that started ") && below.ends_with(" is closed"),
        "{below}"
    );
    let list = played.answer("list_active_agents", 0);
    let status = |name: &str| {
        let all = list.as_array().unwrap();
        all.iter().find(|one| one["thread_name"] == name).unwrap()["status"].clone()
    };
    assert_eq!(status("mate#1"), "completed", "{played}");
    assert_eq!((status("leaf#1"), status("leaf#2")), (json!("shutdown"), json!("completed")));
    // It can still be opened by itself.
    assert_eq!(played.answer("resume_agent", 2)["status"], json!({"completed": "over"}));
    assert_eq!(played.answer("wait", 1)["result"], "more", "{played}");
}
