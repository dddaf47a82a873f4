//! `list_agents` and `list_active_agents`.

use serde_json::{Value, json};

use super::{call, definition, scene, spawn, wait};
use crate::{stage::DONE, support::column};

/// An agent of a kind that has everything a list can show.
fn cast() -> String {
    definition(
        "cast",
        "tools: [read_file]\ndisallowedTools: [shell]\nmodelConfig: {model: sonnet, reasoningEffort: low}\n\
         agent_names: {ann: {description: Is Ann., model: haiku, reasoning_effort: high, prompt: Be Ann.}}",
    )
}

#[test]
fn the_kinds_of_agents_are_listed_with_what_they_may_do() {
    let lead: &[&str] = &[&call("list_agents", "{}"), DONE];
    let played = scene(&[("lead", lead)]).file("agents/cast.md", &cast()).lead().worked();
    let list = played.answer("list_agents", 0);
    let kinds = column(&list, "agent_type");
    for kind in ["Explore", "Plan", "cast", "default", "lead", "orchestrator", "worker"] {
        assert!(kinds.iter().any(|one| one == kind), "{kind}: {kinds:?}");
    }
    let cast = list.as_array().unwrap().iter().find(|one| one["agent_type"] == "cast").unwrap();
    let expected = json!({
        "agent_type": "cast",
        "description": "Is cast.",
        "allow_list": ["read_file"],
        "deny_list": ["shell"],
        "agent_names": [{"name": "ann", "description": "Is Ann."}],
    });
    assert_eq!(cast, &expected);
}

#[test]
fn one_kind_can_be_listed_with_its_models_and_prompts() {
    let lead: &[&str] = &[
        &call("list_agents", "{agent_type: cast, expanded: true}"),
        &call("list_agents", "{agent_type: nobody}"),
        DONE,
    ];
    let played = scene(&[("lead", lead)]).file("agents/cast.md", &cast()).lead().worked();
    let list = played.answer("list_agents", 0);
    assert_eq!(list.as_array().unwrap().len(), 1);
    assert_eq!(list[0]["reasoning_effort"], "low", "{list}");
    assert!(list[0]["default_prompt"].as_str().unwrap().contains("You are cast."));
    assert!(list[0]["model"].to_string().contains("sonnet"), "{list}");
    let ann = &list[0]["agent_names"][0];
    assert_eq!((&ann["model"], &ann["reasoning_effort"]), (&json!("haiku"), &json!("high")));
    assert_eq!(ann["prompt"], "Be Ann.");
    let said = played.text("list_agents", 1);
    assert!(said.starts_with("unknown agent_type 'nobody'; there are Explore, "), "{said}");
}

/// A tree of two mates, of whom the first has a leaf; what `lead` sees of it.
fn tree(list: &str) -> (Value, Vec<String>) {
    let lead: &[&str] = &[
        &spawn("mate", "Go."),
        &wait("mate#1"),
        &spawn("mate", "Rest."),
        &wait("mate#2"),
        list,
        DONE,
    ];
    let stage = scene(&[
        ("lead", lead),
        ("mate#1", &[&spawn("leaf", "a"), &wait("leaf#1"), "{text: one}"]),
        ("mate#2", &["{text: two}"]),
        ("leaf", &["{text: over}"]),
    ]);
    let played = stage.lead().worked();
    let threads = (0..3).map(|at| played.thread(at)).collect();
    (played.answer("list_active_agents", 0), threads)
}

#[test]
fn running_agents_are_listed_with_all_that_is_known() {
    let (list, threads) = tree(&call("list_active_agents", "{}"));
    // Agents that are done can be told more.
    assert_eq!(column(&list, "thread_id"), [threads[0].as_str(), &threads[2]]);
    let first = list[0].as_object().unwrap();
    let mut keys: Vec<&str> = first.keys().map(String::as_str).collect();
    keys.sort_unstable();
    let expected = [
        "agent_idx",
        "agent_name",
        "agent_type",
        "model",
        "reasoning_effort",
        "status",
        "status_duration_sec",
        "thread_id",
        "thread_name",
        "thread_note",
        "updated_at",
    ];
    assert_eq!(keys, expected);
    assert_eq!(first["status"], "completed");
    assert_eq!(first["thread_name"], "mate#1");
    assert_eq!(first["model"], "script:script.yaml");
    assert!(first["status_duration_sec"].as_u64().unwrap() < 60);
    let at = first["updated_at"].as_str().unwrap();
    assert!(at.starts_with("20") && at.contains('T'), "{at}");
}

#[test]
fn a_list_reaches_as_far_as_it_is_asked_to() {
    let ask = |scope: &str| {
        call("list_active_agents", &format!("{{scope: {scope}, include_tree: true}}"))
    };
    let (list, threads) = tree(&ask("descendants"));
    assert_eq!(column(&list, "thread_name"), ["mate#1", "mate#2", "leaf#1"], "{threads:?}");
    let leaf = &list[2];
    assert_eq!((&leaf["parent_thread_id"], &leaf["depth"]), (&json!(threads[0]), &json!(2)));
    let (list, _) = tree(&ask("all"));
    assert_eq!(list.as_array().unwrap().len(), 3);
    let (list, _) = tree(&ask("children"));
    assert_eq!(column(&list, "thread_name"), ["mate#1", "mate#2"]);
}

#[test]
fn an_agent_below_sees_its_own_children_or_everyone() {
    let below = call("list_active_agents", "{}");
    let everyone = call("list_active_agents", "{scope: all}");
    let lead: &[&str] =
        &[&spawn("leaf", "a"), &wait("leaf#1"), &spawn("mate", "Go."), &wait("mate#1"), DONE];
    let stage = scene(&[
        ("lead", lead),
        ("mate", &[&below, &everyone, "{text: looked}"]),
        ("leaf", &["{text: over}"]),
    ]);
    let played = stage.lead().worked();
    let seen = played.answers_of("mate", "list_active_agents");
    assert_eq!(seen[0], "[]");
    let seen: Value = serde_json::from_str(&seen[1]).unwrap();
    assert_eq!(column(&seen, "thread_name"), ["leaf#1", "mate#1"]);
    assert_eq!(column(&seen, "status"), ["completed", "running"]);
}

#[test]
fn closed_agents_are_listed_only_if_asked_for() {
    let lead: &[&str] = &[
        &spawn("leaf", "a"),
        &wait("leaf#1"),
        &call("close_agent", "{id: leaf#1}"),
        &call("list_active_agents", "{}"),
        &call("list_active_agents", "{include_closed: true}"),
        DONE,
    ];
    let played = scene(&[("lead", lead), ("leaf", &["{text: over}"])]).lead().worked();
    assert_eq!(played.answer("list_active_agents", 0), json!([]));
    assert_eq!(played.answer("list_active_agents", 1)[0]["status"], "shutdown");
}
