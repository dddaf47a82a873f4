//! How many agents work, how deep they are, and how many tokens they may use.

use serde_json::json;

use super::{call, scene, spawn, wait};
use crate::stage::DONE;

const SLOW: &str = "{delay_ms: 1500, text: slow}";
const LIMIT: &str = "agent limit reached: 1 agents work in this session at the same time at most; \
                     wait for one of them or close it";

#[test]
fn no_more_agents_work_than_settings_allow() {
    let two = "{tool_calls: [{name: spawn_agent, arguments: {agent_type: leaf, message: a}}, \
               {name: spawn_agent, arguments: {agent_type: leaf, message: b}}]}";
    let stage = scene(&[("lead", &[two, &wait("leaf#1"), DONE]), ("leaf", &[SLOW])]);
    let played = stage.collab("max_agents = 1\n").lead().worked();
    assert_eq!(played.text("spawn_agent", 1), LIMIT);
    assert_eq!(played.all("STARTED").len(), 2, "{played}");
}

#[test]
fn an_agent_that_is_done_makes_room() {
    let lead: &[&str] =
        &[&spawn("leaf", "a"), &wait("leaf#1"), &spawn("leaf", "b"), &wait("leaf#2"), DONE];
    let played = scene(&[("lead", lead), ("leaf", &["{text: done}"])]);
    let played = played.collab("max_agents = 1\n").lead().worked();
    assert_eq!(played.runs("leaf").len(), 2, "{played}");
}

#[test]
fn a_closed_agent_makes_room() {
    let close = call("close_agent", "{id: leaf#1}");
    let lead: &[&str] = &[&spawn("leaf", "a"), &close, &spawn("leaf", "b"), &wait("leaf#2"), DONE];
    let stage = scene(&[("lead", lead), ("leaf#1", &["{hang: true}"]), ("leaf#2", &["{text: b}"])]);
    let played = stage.collab("max_agents = 1\n").lead().worked();
    assert_eq!(played.answer("wait", 0)["result"], "b", "{played}");
}

#[test]
fn the_whole_tree_shares_the_room() {
    let mate: &[&str] = &[&spawn("leaf", "a"), "{text: tried}"];
    let stage = scene(&[
        ("lead", &[&spawn("mate", "Go."), &wait("mate#1"), DONE]),
        ("mate", mate),
        ("leaf", &["{text: never}"]),
    ]);
    let played = stage.collab("max_agents = 1\n").lead().worked();
    assert_eq!(played.answers_of("mate", "spawn_agent"), [LIMIT]);
}

#[test]
fn a_spawn_that_fails_takes_no_room() {
    let bad = call("spawn_agent", "{agent_type: nobody, message: a}");
    let worse = call("spawn_agent", "{agent_type: leaf, message: a, model: nothing}");
    let lead: &[&str] = &[&bad, &worse, &spawn("leaf", "a"), &wait("leaf#1"), DONE];
    let played = scene(&[("lead", lead), ("leaf", &["{text: done}"])]);
    let played = played.collab("max_agents = 1\n").lead().worked();
    assert_eq!(played.answer("wait", 0)["result"], "done", "{played}");
}

#[test]
fn an_agent_that_is_told_more_needs_room_again() {
    let send = call("send_input", "{id: leaf#1, message: more}");
    let lead: &[&str] = &[
        &spawn("leaf", "a"),
        &wait("leaf#1"),
        &spawn("leaf", "b"),
        &send,
        &wait("leaf#2"),
        &send,
        DONE,
    ];
    let leaf: &[&str] = &["{text: one}", "{text: two}"];
    let stage = scene(&[("lead", lead), ("leaf", leaf), ("leaf#2", &[SLOW])]);
    let played = stage.collab("max_agents = 1\n").lead().worked();
    assert_eq!(played.text("send_input", 0), LIMIT);
    assert!(played.answer("send_input", 1)["submission_id"].is_string(), "{played}");
}

#[test]
fn agents_are_as_deep_as_settings_allow_and_no_deeper() {
    // At the deepest place an agent is not even offered the tools.
    let stage = |depth: u32, mate: &str| {
        let mates: &[&str] = &[mate, "{text: up}"];
        scene(&[
            ("lead", &[&spawn("mate", "Go."), &wait("mate#1"), DONE]),
            ("mate", mates),
            ("leaf", &["{text: deep}"]),
        ])
        .collab(&format!("max_depth = {depth}\n"))
    };
    let waits = "{tool_calls: [{name: spawn_agent, arguments: {agent_type: leaf, message: a}}]}";
    let played = stage(2, waits).lead().worked();
    assert_eq!(played.results("leaf").len(), 1, "{played}");
    let played = stage(1, "{expect: {tools: [complete_task, read_file]}, text: alone}").lead();
    assert_eq!(played.worked().results("mate"), [("goal".to_owned(), "alone".to_owned())]);
}

#[test]
fn a_main_agent_that_may_go_no_deeper_is_told_so() {
    let lead: &[&str] = &[&spawn("leaf", "a"), &call("collaboration.init_agent", "{}"), DONE];
    let played = scene(&[("lead", lead)]).collab("max_depth = 0\n").lead().worked();
    let limit = "Agent depth limit reached. Solve the task yourself.";
    assert_eq!(played.text("spawn_agent", 0), limit);
    let report = played.answer("collaboration.init_agent", 0);
    assert_eq!(report["content"], limit);
    assert_eq!(report["metadata"]["message_tool_call_error_should_penalize_model"], false);
}

#[test]
fn an_agent_stops_one_turn_after_its_tokens_are_used_up() {
    let read = call("read_file", "{path: nothing}");
    let leaf: &[&str] = &[&read, &read, &read, "{text: never}"];
    let lead: &[&str] = &[
        &call("collaboration.init_agent", "{agent_type: leaf, juice: 150}"),
        &call("collaboration.send", "{recipients: [1], message: Go.}"),
        &call("collaboration.wait", "{max_duration: 100000}"),
        &call("collaboration.get_state", "{}"),
        &call("collaboration.send", "{recipients: [1], message: More.}"),
        &wait("leaf#1"),
        DONE,
    ];
    let played = scene(&[("lead", lead), ("leaf", leaf)]).lead().worked();
    let state = &played.answer("collaboration.get_state", 0)["metadata"]["extra"]["agents"][1];
    assert_eq!(state["status"], "exhausted", "{played}");
    assert_eq!((&state["used_juice"], &state["max_juice"]), (&json!(200), &json!(150)));
    let report = played.answer("collaboration.send", 1);
    let id = played.thread(0);
    assert_eq!(report["metadata"]["message_tool_call_success"], false);
    assert_eq!(report["metadata"]["message_tool_call_error_should_penalize_model"], false);
    let said = report["content"].as_str().unwrap();
    assert!(said.contains(&format!("agent {id} has used up its 150 tokens")), "{said}");
    let status = &played.answer("wait", 0)["status"][&id];
    let used = "the agent used 200 tokens of the 150 it may use";
    assert_eq!(status, &json!({"errored": used}), "{played}");
    assert_eq!(played.all("COMPLETED").len(), 2, "it does not run again: {played}");
}

#[test]
fn an_answer_that_uses_up_the_tokens_counts_and_is_the_last() {
    let lead: &[&str] = &[
        &call("collaboration.init_agent", "{agent_type: leaf, juice: 100}"),
        &call("collaboration.send", "{recipients: [1], message: Go.}"),
        &wait("leaf#1"),
        &call("send_input", "{id: leaf#1, message: More.}"),
        DONE,
    ];
    let played = scene(&[("lead", lead), ("leaf", &["{text: whole}"])]).lead().worked();
    assert_eq!(played.answer("wait", 0)["result"], "whole");
    assert!(played.text("send_input", 0).ends_with("has used up its 100 tokens"), "{played}");
    assert_eq!(played.runs("leaf").len(), 1, "{played}");
}

#[test]
fn settings_can_give_every_agent_the_same_number_of_tokens() {
    let lead: &[&str] =
        &[&spawn("leaf", "a"), &wait("leaf#1"), &call("collaboration.get_state", "{}"), DONE];
    let leaf: &[&str] = &[&call("read_file", "{path: nothing}"), "{text: never}"];
    let played = scene(&[("lead", lead), ("leaf", leaf)]).collab("juice = 50\n").lead().worked();
    let state = &played.answer("collaboration.get_state", 0)["metadata"]["extra"]["agents"][1];
    assert_eq!((&state["status"], &state["max_juice"]), (&json!("exhausted"), &json!(50)));
}
