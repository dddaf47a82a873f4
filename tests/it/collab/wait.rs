//! `wait`: until the first has ended, without costing anything.

use serde_json::json;

use super::{call, scene, spawn, wait};
use crate::stage::DONE;

const OVER: &str = "{text: over}";

#[test]
fn waiting_returns_with_the_first_that_ends() {
    let lead: &[&str] = &[&spawn("leaf", "a"), &spawn("leaf", "b"), &wait("leaf#1, leaf#2"), DONE];
    let stage = scene(&[("lead", lead), ("leaf#1", &["{hang: true}"]), ("leaf#2", &[OVER])]);
    let played = stage.lead_and_cancel().worked();
    let (slow, quick) = (played.thread(0), played.thread(1));
    let answer = played.answer("wait", 0);
    let expected = json!({
        "status": {quick.clone(): {"completed": "over"}},
        "timed_out": false,
        "completed_id": quick,
        "result": "over",
    });
    assert_eq!(answer, expected, "{slow}");
}

#[test]
fn others_that_have_ended_are_reported_too() {
    let lead: &[&str] = &[
        &spawn("leaf", "a"),
        &spawn("leaf", "b"),
        &wait("leaf#1"),
        &wait("leaf#2"),
        &wait("leaf#2, leaf#1"),
        DONE,
    ];
    let played = scene(&[("lead", lead), ("leaf", &[OVER])]).lead().worked();
    let answer = played.answer("wait", 2);
    assert_eq!(answer["status"].as_object().unwrap().len(), 2, "{answer}");
    assert_eq!(answer["completed_id"], json!(played.thread(1)));
}

#[test]
fn an_agent_that_has_ended_is_not_waited_for() {
    let lead: &[&str] = &[&spawn("leaf", "a"), &wait("leaf#1"), &wait("leaf#1"), DONE];
    // The shortest wait is longer than the test would last.
    let stage = scene(&[("lead", lead), ("leaf", &[OVER])]);
    let stage = stage.settings("[collab]\nwait_min_ms = 600000\n");
    let played = stage.lead().worked();
    assert_eq!(played.answer("wait", 1), played.answer("wait", 0));
}

#[test]
fn an_unknown_agent_is_not_found_at_once() {
    let lead: &[&str] = &[&spawn("leaf", "a"), &wait("leaf#1, nobody"), &wait("'0'"), DONE];
    let stage = scene(&[("lead", lead), ("leaf", &["{hang: true}"])]);
    let played = stage.settings("").lead_and_cancel().worked();
    let expected = json!({
        "status": {"nobody": "not_found"},
        "timed_out": false,
        "completed_id": "nobody",
        "result": null,
    });
    assert_eq!(played.answer("wait", 0), expected);
    // Nobody waits for itself or for whoever started it.
    assert_eq!(played.answer("wait", 1)["status"], json!({"0": "not_found"}));
}

#[test]
fn a_wait_that_takes_too_long_says_so() {
    let short = call("wait", "{ids: [leaf#1], timeout_ms: 5}");
    let lead: &[&str] = &[&spawn("leaf", "a"), &short, &wait("leaf#1"), DONE];
    let played = scene(&[("lead", lead), ("leaf", &["{delay_ms: 1000, text: over}"])]);
    let played = played.lead().worked();
    let expected = json!({"status": {}, "timed_out": true, "completed_id": null, "result": null});
    assert_eq!(played.answer("wait", 0), expected);
    assert_eq!(played.answer("wait", 1)["result"], "over", "it went on");
}

#[test]
fn nobody_waits_for_nobody_or_for_no_time() {
    let lead: &[&str] = &[
        &call("wait", "{ids: []}"),
        &call("wait", "{ids: [a], timeout_ms: 0}"),
        &call("wait", "{ids: [a], timeout_ms: -1}"),
        &call("wait", "{}"),
        DONE,
    ];
    let played = scene(&[("lead", lead)]).lead().worked();
    assert_eq!(played.text("wait", 0), "agent ids must be non-empty");
    for at in [1, 2] {
        assert_eq!(played.text("wait", at), "timeout_ms must be greater than zero");
    }
    assert!(played.text("wait", 3).contains("missing field `ids`"), "{played}");
}

#[test]
fn times_to_wait_are_kept_within_the_settings() {
    let ask = |time: &str| call("wait", &format!("{{ids: [leaf#1]{time}}}"));
    let lead: &[&str] = &[
        &spawn("leaf", "a"),
        &ask(", timeout_ms: 1"),
        &ask(", timeout_ms: 3600000"),
        &ask(""),
        DONE,
    ];
    let stage = scene(&[("lead", lead), ("leaf", &["{hang: true}"])]);
    let limits = "[collab]\nwait_min_ms = 150\nwait_default_ms = 250\nwait_max_ms = 350\n";
    let played = stage.settings(limits).lead_and_cancel().worked();
    let took: Vec<u64> = played
        .all("TOOL_CALL_END")
        .iter()
        .filter(|end| end["tool_name"] == "wait")
        .map(|end| end["duration_ms"].as_u64().unwrap())
        .collect();
    // A wait is never shorter than asked for, and how much longer is the machine's business.
    assert!(took[0] >= 150 && took[1] >= 350 && took[2] >= 250, "{took:?}");
    for at in 0..3 {
        assert_eq!(played.answer("wait", at)["timed_out"], true);
    }
}

#[test]
fn limits_that_contradict_each_other_are_refused() {
    let stage = scene(&[("lead", &[DONE])]);
    let stage = stage.settings("[collab]\nwait_min_ms = 20\nwait_max_ms = 10\n");
    let seen = stage.see_with(&["lead", "Go.", "--model", "script:script.yaml"]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    assert!(seen.stderr.contains("the limits of `wait` do not fit together"), "{seen}");
}

#[test]
fn waiting_costs_no_tokens() {
    let lead: &[&str] = &[&spawn("leaf", "a"), &wait("leaf#1"), DONE];
    let leaf = "{delay_ms: 300, text: over}";
    let played = scene(&[("lead", lead), ("leaf", &[leaf])]).lead().worked();
    // Three answers of its own, whatever happens while it waits.
    let run = played.runs("lead")[0];
    assert_eq!((&run["total_tokens"], &run["turns_used"]), (&json!(300), &json!(3)), "{played}");
}

#[test]
fn an_agent_that_fails_has_ended_too() {
    let lead: &[&str] = &[&spawn("leaf", "a"), &wait("leaf#1"), DONE];
    let leaf = "{error: {status: 400, message: no such thing}}";
    let played = scene(&[("lead", lead), ("leaf", &[leaf])]).lead().worked();
    let status = &played.answer("wait", 0)["status"][played.thread(0)];
    let why = status["errored"].as_str().unwrap();
    assert!(why.contains("no such thing"), "{why}");
}

#[test]
fn an_agent_waits_only_for_those_below_it() {
    let mate: &[&str] = &[&wait("leaf#1"), "{text: tried}"];
    let lead: &[&str] = &[&spawn("leaf", "a"), &spawn("mate", "Go."), &wait("mate#1"), DONE];
    let stage = scene(&[("lead", lead), ("mate", mate), ("leaf", &["{hang: true}"])]);
    let played = stage.lead_and_cancel().worked();
    let told: serde_json::Value =
        serde_json::from_str(&played.answers_of("mate", "wait")[0]).unwrap();
    assert_eq!(told["status"], json!({"leaf#1": "not_found"}), "{played}");
}
