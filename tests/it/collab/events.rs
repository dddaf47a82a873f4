//! What happens between agents, as events.

use serde_json::{Value, json};

use super::{call, scene, spawn, wait};
use crate::stage::{DONE, Played};

const ACTS: &[&str] = &["AGENT_SPAWN", "AGENT_INTERACTION", "WAITING", "CLOSE", "RESUME"];

/// Makes sure that every beginning has exactly one end, after it and by the same agent.
#[track_caller]
fn assert_paired(played: &Played) {
    for act in ACTS {
        let of = |side: &str| -> Vec<(&Value, &Value)> {
            let kind = format!("COLLAB_{act}_{side}");
            let all = played.events.iter().filter(|event| event["event_type"] == kind.as_str());
            all.map(|event| (&event["agent_id"], &event["data"]["call_id"])).collect()
        };
        let (mut begun, mut ended) = (of("BEGIN"), of("END"));
        let key = |pair: &(&Value, &Value)| (pair.0.to_string(), pair.1.to_string());
        begun.sort_by_key(key);
        ended.sort_by_key(key);
        assert_eq!(begun, ended, "{act}: {played}");
    }
}

#[test]
fn every_act_begins_and_ends_with_an_event() {
    let lead: &[&str] = &[
        &spawn("leaf", "a"),
        &wait("leaf#1"),
        &call("send_input", "{id: leaf#1, message: More.}"),
        &wait("leaf#1"),
        &call("close_agent", "{id: leaf#1}"),
        &call("resume_agent", "{id: leaf#1}"),
        DONE,
    ];
    let leaf: &[&str] = &["{text: one}", "{text: two}"];
    let played = scene(&[("lead", lead), ("leaf", leaf)]).lead().worked();
    assert_paired(&played);
    let id = played.thread(0);
    let spawned = played.all("COLLAB_AGENT_SPAWN_END")[0];
    let expected = json!({
        "call_id": "call_1_1",
        "receiver_thread_ids": [id],
        "prompt": "a",
        "model": "script:script.yaml",
        "success": true,
        "agents_states": {id.clone(): {"status": "pending_init", "message": null}},
    });
    assert_eq!(spawned, &expected);
    let waited = played.all("COLLAB_WAITING_END")[0];
    let over = json!({id.clone(): {"status": "completed", "message": "one"}});
    assert_eq!(waited["agents_states"], over);
    let told = played.all("COLLAB_AGENT_INTERACTION_BEGIN")[0];
    assert_eq!((&told["prompt"], &told["receiver_thread_ids"]), (&json!("More."), &json!([id])));
    assert_eq!(played.all("COLLAB_CLOSE_END")[0]["agents_states"][&id]["status"], "shutdown");
    assert_eq!(played.all("COLLAB_RESUME_END")[0]["agents_states"][&id]["status"], "completed");
}

#[test]
fn the_other_vocabulary_has_the_same_events() {
    let lead: &[&str] = &[
        &call("collaboration.init_agent", "{agent_type: leaf}"),
        &call("collaboration.send", "{recipients: [1], message: a}"),
        &call("collaboration.wait", "{max_duration: 10000}"),
        &call("collaboration.close", "{recipients: [1]}"),
        DONE,
    ];
    let played = scene(&[("lead", lead), ("leaf", &["{text: one}"])]).lead().worked();
    assert_paired(&played);
    for act in &ACTS[..4] {
        assert_eq!(played.all(&format!("COLLAB_{act}_END")).len(), 1, "{act}: {played}");
    }
}

#[test]
fn what_fails_ends_with_an_event_too() {
    let lead: &[&str] = &[
        &spawn("nobody", "a"),
        &call("send_input", "{id: nobody, message: a}"),
        &call("wait", "{ids: []}"),
        &call("close_agent", "{id: nobody}"),
        &call("resume_agent", "{id: nobody}"),
        &call("collaboration.init_agent", "{juice: -1}"),
        &call("collaboration.send", "{recipients: [7], message: a}"),
        &call("collaboration.send", "{}"),
        &call("collaboration.wait", "{max_duration: -1}"),
        &call("collaboration.close", "{recipients: [7]}"),
        DONE,
    ];
    let played = scene(&[("lead", lead)]).lead().worked();
    assert_paired(&played);
    let ends: Vec<&Value> =
        ACTS.iter().flat_map(|act| played.all(&format!("COLLAB_{act}_END"))).collect();
    assert_eq!(ends.len(), 10, "{played}");
    for end in ends {
        assert_eq!((&end["success"], end["error"].is_string()), (&json!(false), true), "{end}");
    }
}

#[test]
fn a_call_that_is_cut_off_ends_with_an_event_too() {
    let lead: &[&str] = &[&spawn("mate", "Go."), &wait("mate#1"), DONE];
    let mate: &[&str] = &[&spawn("leaf", "a"), &wait("leaf#1"), "{text: never}"];
    let stage = scene(&[("lead", lead), ("mate", mate), ("leaf", &["{hang: true}"])]);
    let mut playing = stage.start_lead();
    playing.wait_for("COLLAB_WAITING_BEGIN");
    playing.wait_for("COLLAB_WAITING_BEGIN");
    playing.signal("INT");
    let played = playing.finish();
    assert_paired(&played);
    let ends = played.all("COLLAB_WAITING_END");
    assert_eq!(ends.len(), 2, "{played}");
    for end in ends {
        assert_eq!(end["error"], "the call was stopped", "{played}");
    }
    assert!(played.all("COMPLETED").iter().all(|run| run["status"] == "aborted"), "{played}");
}

#[test]
fn whoever_started_an_agent_sees_what_becomes_of_it() {
    let lead: &[&str] = &[
        &spawn("leaf", "a"),
        &wait("leaf#1"),
        &call("send_input", "{id: leaf#1, message: b}"),
        &wait("leaf#1"),
        &call("close_agent", "{id: leaf#1}"),
        DONE,
    ];
    let leaf: &[&str] = &["{text: one}", "{error: {status: 400, message: broken}}"];
    let played = scene(&[("lead", lead), ("leaf", leaf)]).lead().worked();
    let id = played.thread(0);
    let seen: Vec<(&str, bool)> = played
        .all("BACKGROUND_EVENT")
        .iter()
        .map(|event| {
            assert_eq!(event["thread_id"], json!(id));
            (event["status"].as_str().unwrap(), event["is_final"].as_bool().unwrap())
        })
        .collect();
    let expected = [
        ("running", false),
        ("completed", true),
        ("running", false),
        ("errored", true),
        ("shutdown", true),
    ];
    assert_eq!(seen, expected, "{played}");
    let message = played.all("BACKGROUND_EVENT")[1]["message"].as_str().unwrap();
    let start = format!("agent leaf ({id}) [call_1_1] completed in ");
    assert!(message.starts_with(&start) && message.ends_with("s: one"), "{message}");
}

#[test]
fn the_stream_of_a_tree_has_no_gaps() {
    let lead: &[&str] = &[&spawn("mate", "Go."), &wait("mate#1"), DONE];
    let mate: &[&str] = &[&spawn("leaf", "a"), &wait("leaf#1"), "{text: over}"];
    let stage = scene(&[("lead", lead), ("mate", mate), ("leaf", &["{text: a}"])]);
    let played = stage.lead().worked();
    let numbers: Vec<u64> = played.events.iter().map(|one| one["seq"].as_u64().unwrap()).collect();
    let expected: Vec<u64> = (0..numbers.len() as u64).collect();
    assert_eq!(numbers, expected);
    for kind in ["lead", "mate", "leaf"] {
        let last = played.events.iter().rev().find(|event| event["agent_type"] == kind).unwrap();
        assert_eq!(last["event_type"], "COMPLETED", "{kind}: {played}");
    }
}
