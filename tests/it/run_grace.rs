//! `agentctl run`: limits, and the grace period after them.

use serde_json::json;

use crate::stage::{DONE, Played, Stage};

const LOOK: &str = "{text: Looking., tool_calls: [{name: list_dir, arguments: {path: .}}]}";

/// The last chance, on which the model is offered nothing but a way to finish.
const LAST: &str = "{expect: {tools: [complete_task], last_message: 'one last chance'},
    tool_calls: [{name: complete_task, arguments: {result: what I have}}]}";

/// How many turns the model was asked for.
fn asked(played: &Played) -> usize {
    let graceful = !played.all("GRACE_PERIOD_START").is_empty();
    played.all("TURN_START").len() + usize::from(graceful)
}

#[test]
fn an_agent_that_stops_calling_tools_is_asked_once_and_fails() {
    let played = Stage::new(
        "",
        &["{text: I am done.}", "{expect: {tools: [complete_task]}, text: Really.}", DONE],
    )
    .play()
    .ended("error_no_complete_task_call", 5);
    assert_eq!(played.error(), "the agent stopped calling tools and did not call `complete_task`");
    assert_eq!(played.result()["error"]["kind"], "no_complete_task");
    assert_eq!(played.result()["result"], "Really.", "its last words");
    assert_eq!(played.result()["turns_used"], 1);
    assert_eq!(
        played.kinds()[3..],
        [
            "TURN_COMPLETE",
            "ERROR",
            "GRACE_PERIOD_START",
            "TEXT_CHUNK",
            "GRACE_PERIOD_END",
            "COMPLETED"
        ]
    );
    assert_eq!(played.all("GRACE_PERIOD_END")[0], &json!({"success": false}));
}

#[test]
fn an_agent_that_stops_calling_tools_can_still_hand_in_its_result() {
    let told = "{expect: {last_message: '^You have stopped calling tools without finishing. .*`complete_task`'},
        tool_calls: [{name: complete_task, arguments: {result: late}}]}";
    let played = Stage::new("", &["{text: I am done.}", told]).play().ended("goal", 0);
    assert_eq!(played.result()["result"], "late");
    assert_eq!(played.result().get("error"), None);
    assert_eq!(played.all("GRACE_PERIOD_END")[0], &json!({"success": true}));
}

#[test]
fn an_agent_that_says_nothing_at_all_is_asked_once_more() {
    Stage::new("", &["{}", LAST]).play().ended("goal", 0);
}

#[test]
fn two_turns_are_two_turns_and_one_last_chance() {
    let played = Stage::new("runConfig: {maxTurns: 2}", &[LOOK, LOOK, "{text: Too late.}", DONE])
        .play()
        .ended("max_turns", 6);
    assert_eq!(asked(&played), 3);
    assert_eq!(played.result()["turns_used"], 2);
    assert_eq!(played.error(), "the agent did not finish within 2 turns");
    let start = played.all("GRACE_PERIOD_START")[0];
    assert_eq!(start, &json!({"reason": "max_turns", "grace_seconds": 60.0}));
}

#[test]
fn the_call_says_how_many_turns_there_are() {
    let played = Stage::new("runConfig: {maxTurns: 9}", &[LOOK, "{text: Too late.}"])
        .with(&["--max-turns", "1"])
        .play()
        .ended("max_turns", 6);
    assert_eq!(played.all("STARTED")[0]["progress"]["max_turns"], 1);
}

#[test]
fn a_result_in_the_last_chance_reaches_the_goal() {
    let played = Stage::new("runConfig: {maxTurns: 1}", &[LOOK, LAST]).play().ended("goal", 0);
    assert_eq!(played.result()["result"], "what I have");
    assert_eq!(played.result()["turns_used"], 1);
    let kinds = played.kinds();
    let end = kinds.iter().position(|kind| *kind == "GRACE_PERIOD_END");
    assert_eq!(end, Some(kinds.len() - 2));
}

#[test]
fn another_tool_in_the_last_chance_is_not_carried_out_and_wastes_it() {
    let stage = Stage::new(
        "runConfig: {maxTurns: 1}",
        &[LOOK, "{tool_calls: [{name: shell, arguments: {command: touch made}}]}", DONE],
    )
    .trusted();
    let played = stage.play().ended("max_turns", 6);
    assert!(!stage.sandbox.path("made").exists(), "{played}");
    assert!(played.told()[1].starts_with("`shell` is no longer available"), "{played}");
    assert_eq!(played.all("APPROVAL_REQUEST").len(), 0);
}

#[test]
fn a_result_that_does_not_fit_can_be_repaired_once() {
    let wrong = "{tool_calls: [{name: complete_task, arguments: {}}]}";
    let told = "{expect: {tools: [complete_task], last_message: 'argument `result` is missing'},
        tool_calls: [{name: complete_task, arguments: {result: repaired}}]}";
    let played =
        Stage::new("runConfig: {maxTurns: 1}", &[LOOK, wrong, told]).play().ended("goal", 0);
    assert_eq!(played.result()["result"], "repaired");
    let played = Stage::new("runConfig: {maxTurns: 1}", &[LOOK, wrong, wrong, DONE]).play();
    assert_eq!(played.ended("max_turns", 6).told().len(), 3);
}

#[test]
fn without_a_grace_period_there_is_no_last_chance() {
    for stage in [
        Stage::new("runConfig: {maxTurns: 1, gracePeriodSeconds: 0}", &[LOOK, DONE]),
        Stage::new("runConfig: {maxTurns: 1}", &[LOOK, DONE]).with(&["--grace", "0"]),
    ] {
        let played = stage.play().ended("max_turns", 6);
        assert_eq!(played.all("GRACE_PERIOD_START").len(), 0);
    }
}

#[test]
fn a_model_that_takes_too_long_is_not_waited_for() {
    let played = Stage::new("", &["{hang: true}", "{text: Where was I?}"])
        .with(&["--timeout", "0.3"])
        .play()
        .ended("timeout", 124);
    assert_eq!(asked(&played), 2);
    assert_eq!(played.error(), "the agent did not finish within 0.3 s");
    assert_eq!(played.result()["error"]["kind"], "timeout");
    assert!(played.result()["duration_seconds"].as_f64().unwrap() >= 0.3);
}

#[test]
fn a_tool_that_takes_too_long_is_stopped_and_the_model_is_told() {
    let played = Stage::new(
        "",
        &[
            "{tool_calls: [{name: shell, arguments: {command: sleep 60}},
                           {name: list_dir, arguments: {path: .}}]}",
            "{expect: {last_message: 'exceeded the time limit'}, text: Pity.}",
        ],
    )
    .with(&["--timeout", "0.5"])
    .trusted()
    .play()
    .ended("timeout", 124);
    let told = played.told();
    assert_eq!(told.len(), 2, "{played}");
    assert!(told[0].contains("script.yaml"), "what was done in time counts: {played}");
    assert_eq!(told[1], "the call was stopped: the time limit was reached");
}

#[test]
fn after_the_time_limit_a_result_can_still_be_handed_in() {
    let played =
        Stage::new("", &["{hang: true}", LAST]).with(&["--timeout", "0.2"]).play().ended("goal", 0);
    assert_eq!(played.all("GRACE_PERIOD_START")[0]["reason"], "timeout");
}

#[test]
fn the_grace_period_ends_as_well() {
    for (first, status, exit) in
        [("{hang: true}", "timeout", 124), ("{text: So far.}", "error_no_complete_task_call", 5)]
    {
        let played = Stage::new("", &[first, "{hang: true}"])
            .with(&["--timeout", "0.2", "--grace", "0.2"])
            .play()
            .ended(status, exit);
        assert_eq!(played.all("GRACE_PERIOD_END")[0], &json!({"success": false}));
    }
}

#[test]
fn the_definition_says_how_much_time_there_is() {
    let keys = "runConfig: {maxTimeSeconds: 7, gracePeriodSeconds: 3}";
    let played = Stage::new(keys, &["{text: So far.}", DONE]).play().ended("goal", 0);
    assert_eq!(played.all("STARTED")[0]["progress"]["max_seconds"], 7.0);
    assert_eq!(played.all("GRACE_PERIOD_START")[0]["grace_seconds"], 3.0);
}

#[test]
fn a_model_that_fails_in_the_grace_period_leaves_the_reason_as_it_was() {
    Stage::new("runConfig: {maxTurns: 1}", &[LOOK, "{error: {kind: context_length}}"])
        .play()
        .ended("max_turns", 6);
}
