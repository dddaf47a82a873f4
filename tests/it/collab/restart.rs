//! A tree that goes on in another process.

use serde_json::{Value, json};

use super::{call, definition, scene, script, spawn, wait};
use crate::stage::{DONE, Played, Stage};

const LIST: &str = "{scope: descendants, include_closed: true, include_tree: true}";

const MATE: &[&str] = &[
    "{tool_calls: [{name: spawn_agent, arguments: {agent_type: leaf, message: a, thread_note: one}}, \
     {name: spawn_agent, arguments: {agent_type: leaf, message: b, thread_note: two}}]}",
    "{tool_calls: [{name: wait, arguments: {ids: [leaf#1]}}, {name: wait, arguments: {ids: [leaf#2]}}]}",
    "{text: both}",
];

fn close(id: &str) -> String {
    call("close_agent", &format!("{{id: '{id}'}}"))
}

fn resume(id: &str) -> String {
    call("resume_agent", &format!("{{id: '{id}'}}"))
}

/// Goes on with the main agent in a new process.
fn again(stage: Stage, before: &Played, agents: &[(&str, &[&str])]) -> Played {
    let root = before.events[0]["agent_id"].as_str().unwrap().to_owned();
    let stage = stage.file("script.yaml", &script(agents));
    stage.play_with(&["--resume", &root, "Go on.", "--model", "script:script.yaml"])
}

/// A `mate` with two leaves, then `more`.
fn before(more: &[&str]) -> (Stage, Played) {
    let spawn = spawn("mate", "Go.");
    let wait = wait("mate#1");
    let list = call("list_active_agents", LIST);
    let lead: Vec<&str> = [spawn.as_str(), &wait]
        .into_iter()
        .chain(more.iter().copied())
        .chain([list.as_str(), DONE])
        .collect();
    let stage = scene(&[("lead", &lead), ("mate", MATE), ("leaf", &["{text: over}"])]);
    let played = stage.lead().worked();
    (stage, played)
}

fn statuses(list: &Value) -> Vec<(String, String)> {
    let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    let all = list.as_array().unwrap().iter();
    all.map(|one| (text(one, "thread_name"), text(one, "status"))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(name, status)| ((*name).to_owned(), (*status).to_owned())).collect()
}

#[test]
fn a_tree_is_what_it_was_after_a_restart() {
    let (stage, first) = before(&[&close("leaf#1")]);
    let list = call("list_active_agents", LIST);
    let second = again(stage, &first, &[("lead", &[&list, DONE])]).worked();
    let (before, after) =
        (first.answer("list_active_agents", 0), second.answer("list_active_agents", 0));
    let expected = [("mate#1", "completed"), ("leaf#1", "shutdown"), ("leaf#2", "completed")];
    assert_eq!(statuses(&after), pairs(&expected), "{second}");
    for (was, is) in before.as_array().unwrap().iter().zip(after.as_array().unwrap()) {
        for key in [
            "thread_id",
            "agent_type",
            "thread_note",
            "parent_thread_id",
            "depth",
            "model",
            "agent_idx",
        ] {
            assert_eq!(was[key], is[key], "{key}: {was} {is}");
        }
    }
}

#[test]
fn agents_of_an_earlier_process_go_on_with_what_they_know_and_who_they_are() {
    let cast = definition("cast", "tools: [read_file]\nagent_names: {ann: {prompt: Be Ann.}}");
    let start = call("spawn_agent", "{agent_type: cast, agent_name: ann, message: Remember 17.}");
    let lead: &[&str] = &[&start, &wait("cast#1"), DONE];
    let stage =
        scene(&[("lead", lead), ("cast", &["{text: noted}"])]).file("agents/cast.md", &cast);
    let first = stage.lead().worked();
    let id = first.thread(0);
    let lead: &[&str] = &[
        &call("wait", "{ids: [cast#1]}"),
        &call("send_input", "{id: cast#1, message: What was it?}"),
        &wait("cast#1"),
        DONE,
    ];
    let told = "{expect: {system: 'You are cast\\..*Be Ann\\..*You are agent 1 of this session', \
                last_message: '^What was it\\?$'}, text: '17'}";
    let second = again(stage, &first, &[("lead", lead), ("cast", &[told])]).worked();
    assert_eq!(second.answer("wait", 0)["status"], json!({id.clone(): {"completed": "noted"}}));
    assert_eq!(second.answer("wait", 1)["status"], json!({id: {"completed": "17"}}), "{second}");
}

#[test]
fn agents_far_below_can_be_told_more_after_a_restart_and_their_parents_hear_of_it() {
    let (stage, first) = before(&[]);
    let lead: &[&str] = &[
        &call("send_input", "{id: leaf#2, message: More.}"),
        &wait("leaf#2"),
        &wait("mate#1"),
        DONE,
    ];
    let mate = "{expect: {last_message: '^agent leaf .* completed in .*: more$'}, text: I know.}";
    let agents: &[(&str, &[&str])] =
        &[("lead", lead), ("leaf", &["{text: more}"]), ("mate", &[mate])];
    let second = again(stage, &first, agents).worked();
    assert_eq!(second.answer("wait", 0)["result"], "more", "{second}");
    assert_eq!(second.results("mate"), pairs(&[("goal", "I know.")]), "{second}");
}

#[test]
fn what_was_closed_stays_closed_after_a_restart_and_opens_with_its_parent() {
    let (stage, first) = before(&[&close("leaf#1"), &close("mate#1")]);
    let lead: &[&str] = &[
        &call("list_active_agents", LIST),
        &resume("mate#1"),
        &call("list_active_agents", LIST),
        &call("send_input", "{id: mate#1, message: More.}"),
        &wait("mate#1"),
        DONE,
    ];
    let second = again(stage, &first, &[("lead", lead), ("mate", &["{text: again}"])]).worked();
    let closed = [("mate#1", "shutdown"), ("leaf#1", "shutdown"), ("leaf#2", "shutdown")];
    assert_eq!(statuses(&second.answer("list_active_agents", 0)), pairs(&closed), "{second}");
    assert_eq!(second.answer("resume_agent", 0)["status"], json!({"completed": "both"}));
    let open = [("mate#1", "completed"), ("leaf#1", "shutdown"), ("leaf#2", "completed")];
    assert_eq!(statuses(&second.answer("list_active_agents", 1)), pairs(&open), "{second}");
    assert_eq!(second.answer("wait", 0)["result"], "again");
}

#[test]
fn closing_by_itself_what_was_closed_with_its_parent_is_remembered() {
    let (stage, first) = before(&[&close("mate#1"), &close("leaf#1")]);
    let lead: &[&str] = &[&resume("mate#1"), &call("list_active_agents", LIST), DONE];
    let second = again(stage, &first, &[("lead", lead)]).worked();
    let open = [("mate#1", "completed"), ("leaf#1", "shutdown"), ("leaf#2", "completed")];
    assert_eq!(statuses(&second.answer("list_active_agents", 0)), pairs(&open), "{second}");
}

#[test]
fn tokens_that_were_used_stay_used_after_a_restart() {
    let read = call("read_file", "{path: x}");
    let lead: &[&str] = &[
        &call("collaboration.init_agent", "{agent_type: leaf, juice: 350}"),
        &call("collaboration.send", "{recipients: [1], message: a}"),
        &wait("leaf#1"),
        &call("collaboration.send", "{recipients: [1], message: b}"),
        &wait("leaf#1"),
        DONE,
    ];
    let leaf: &[&str] = &[&read, "{text: one}", "{text: two}"];
    let stage = scene(&[("lead", lead), ("leaf", leaf)]);
    let first = stage.lead().worked();
    let state = call("collaboration.get_state", "{}");
    let send = call("collaboration.send", "{recipients: [1], message: c}");
    let lead: &[&str] = &[&state, &send, &wait("leaf#1"), &send, DONE];
    let second = again(stage, &first, &[("lead", lead), ("leaf", &[&read, &read])]).worked();
    let agent = &second.answer("collaboration.get_state", 0)["metadata"]["extra"]["agents"][1];
    assert_eq!((&agent["used_juice"], &agent["max_juice"]), (&json!(300), &json!(350)));
    assert_eq!(second.runs("leaf")[0]["turns_used"], 1, "{second}");
    assert!(
        second.text("collaboration.send", 1).contains("has used up its 350 tokens"),
        "{second}"
    );
}

#[test]
fn a_parent_that_may_less_after_a_restart_has_children_that_may_less() {
    let tools = |name: &str| format!("tools: [read_file, write_file{name}]");
    let lead_file = definition("lead", &tools(&format!(", {}", super::TOOLS)));
    let scribe_file = definition("scribe", &tools(""));
    let expects =
        |tools: &str| format!("{{expect: {{tools: [complete_task, {tools}]}}, text: as expected}}");
    let lead: &[&str] = &[&spawn("scribe", "a"), &wait("scribe#1"), &close("scribe#1"), DONE];
    let stage = scene(&[("lead", lead), ("scribe", &[&expects("read_file, write_file")])])
        .file("agents/lead.md", &lead_file)
        .file("agents/scribe.md", &scribe_file);
    for name in ["lead", "scribe"] {
        stage.sandbox.run(&["trust", "add", &format!("agents/{name}.md")]);
    }
    let first = stage.lead().worked();
    assert_eq!(first.answer("wait", 0)["result"], "as expected", "{first}");
    // Only the parent has lost trust.
    stage.sandbox.run(&["trust", "remove", "agents/lead.md"]);
    let lead: &[&str] = &[
        &resume("scribe#1"),
        &call("send_input", "{id: scribe#1, message: More.}"),
        &wait("scribe#1"),
        DONE,
    ];
    let second =
        again(stage, &first, &[("lead", lead), ("scribe", &[&expects("read_file")])]).worked();
    assert_eq!(second.answer("wait", 0)["result"], "as expected", "{second}");
}

#[test]
fn an_agent_that_was_never_told_anything_can_be_told_after_a_restart() {
    let init = call("collaboration.init_agent", "{agent_type: leaf}");
    let stage = scene(&[("lead", &[&init, DONE])]);
    let first = stage.lead().worked();
    let lead: &[&str] = &[
        &call("collaboration.get_state", "{}"),
        &call("collaboration.send", "{recipients: [1], message: Go.}"),
        &wait("leaf#1"),
        DONE,
    ];
    let leaf = "{expect: {last_message: '^From agent 0: Go\\.$'}, text: over}";
    let second = again(stage, &first, &[("lead", lead), ("leaf", &[leaf])]).worked();
    let agents = &second.answer("collaboration.get_state", 0)["metadata"]["extra"]["agents"];
    assert_eq!(agents[1]["status"], "pending_init", "{second}");
    assert_eq!(second.answer("wait", 0)["result"], "over", "{second}");
}

#[test]
fn an_agent_that_is_too_deep_by_now_is_not_opened_again() {
    let (stage, first) = before(&[&close("leaf#1")]);
    let lead: &[&str] = &[&resume("leaf#1"), DONE];
    let second = again(stage.collab("max_depth = 1\n"), &first, &[("lead", lead)]).worked();
    let limit = "Agent depth limit reached. Solve the task yourself.";
    assert_eq!(second.text("resume_agent", 0), limit);
}
