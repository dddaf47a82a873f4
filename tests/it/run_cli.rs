//! `agentctl run`: what it prints, and the exit codes.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    stage::{DONE, Stage},
    support::{assert_snapshot, closed_pipe, full_device},
};

#[test]
fn every_exit_code_means_one_thing() {
    let ask = "{tool_calls: [{name: shell, arguments: {command: 'true'}}]}";
    let look = "{tool_calls: [{name: list_dir, arguments: {path: .}}]}";
    let cases: &[(i32, &[&str], &[&str])] = &[
        (0, &[DONE], &[]),
        (1, &["{error: {status: 400}}"], &[]),
        (2, &[DONE], &["--input", "unknown=1"]),
        (3, &[DONE], &["--model", "anthropic/claude-sonnet-4-5"]),
        (4, &["{error: {kind: auth}}"], &[]),
        (5, &["{text: Done.}", "{text: Done.}"], &[]),
        (6, &[look, "{text: Done.}"], &["--max-turns", "1"]),
        (7, &[ask, DONE], &[]),
        (124, &["{hang: true}"], &["--timeout", "0.2", "--grace", "0"]),
    ];
    for (exit, turns, arguments) in cases {
        let stage = Stage::new("model: script:script.yaml", turns);
        let seen = stage.sandbox.run(&["trust", "add", "agents/tester.md"]);
        assert_eq!(seen.exit, Some(0), "{seen}");
        let seen = stage.with(arguments).see_with(&["tester"]);
        assert_eq!(seen.exit, Some(*exit), "{seen}");
        assert_eq!(seen.stderr.is_empty(), *exit == 0, "{seen}");
    }
    let mut playing = Stage::new("", &["{hang: true}"]).start();
    playing.wait_for("TURN_START");
    playing.signal("INT");
    playing.finish().ended("aborted", 130);
}

#[test]
fn stdout_holds_the_answer_and_nothing_else() {
    let turn =
        "{thinking: Hm., text: Almost., tool_calls: [{name: list_dir, arguments: {path: .}}]}";
    let seen = Stage::new("", &[turn, DONE]).see();
    assert_eq!((seen.stdout.as_str(), seen.stderr.as_str()), ("done\n", ""));
}

#[test]
fn an_answer_cannot_control_the_terminal() {
    let turn = r#"{tool_calls: [{name: complete_task, arguments: {result: "a\e]0;title\ab\e[31mc\u009bd"}}]}"#;
    let seen = Stage::new("", &[turn]).see();
    assert_eq!(seen.exit, Some(0), "{seen}");
    assert!(!seen.stdout.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{:?}", seen.stdout);
}

#[test]
fn last_words_are_printed_and_called_that() {
    let seen = Stage::new("", &["{text: I think so.}", "{text: Well.}"]).see();
    assert_snapshot!("run-last-words", seen);
}

#[test]
fn json_is_the_result_of_the_last_event() {
    let stage = Stage::new("", &["{text: Hm., tool_calls: [{name: list_dir}]}", DONE]);
    let model = ["tester", "--model", "script:script.yaml", "--format", "json"];
    let object = stage.see_with(&model).json();
    let played = stage.play();
    let shape = |value: &Value| -> Vec<(String, bool)> {
        let entries = value.as_object().unwrap();
        entries.iter().map(|(key, value)| (key.clone(), value.is_string())).collect()
    };
    assert_eq!(shape(&object), shape(played.result()));
    let keys: Vec<_> = object.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "status",
            "result",
            "agent_id",
            "agent_type",
            "model",
            "llm",
            "models",
            "turns_used",
            "duration_seconds",
            "total_tool_use_count",
            "total_duration_ms",
            "total_tokens",
            "usage"
        ]
    );
}

/// The fields of every kind of event.
const FIELDS: &[(&str, &[&str])] = &[
    ("STARTED", &["description", "model", "llm", "tools", "cwd", "progress"]),
    ("TURN_START", &["progress"]),
    ("THOUGHT_CHUNK", &["text"]),
    ("TEXT_CHUNK", &["text"]),
    ("TOOL_CALL_START", &["tool_name", "call_id", "arguments"]),
    ("TOOL_CALL_END", &["tool_name", "call_id", "success", "duration_ms", "output"]),
    ("TURN_COMPLETE", &["progress", "usage"]),
    ("RETRY", &["model", "attempt", "delay_ms", "error"]),
    ("APPROVAL_REQUEST", &["call_id", "tool_name", "detail", "path"]),
    ("APPROVAL_DECISION", &["call_id", "decision"]),
    ("ERROR", &["error"]),
    ("GRACE_PERIOD_START", &["reason", "grace_seconds"]),
    ("GRACE_PERIOD_END", &["success"]),
];

#[test]
fn every_event_has_the_fields_it_is_documented_with() {
    let played = Stage::new(
        "runConfig: {maxTurns: 2}",
        &[
            "{error: {status: 503}}",
            "{thinking: Hm., text: Looking., tool_calls: [
                {name: shell, arguments: {command: 'true'}}, {name: teleport}]}",
            "{tool_calls: [{name: list_dir}]}",
            DONE,
        ],
    )
    .trusted()
    .play()
    .ended("goal", 0);
    let mut seen: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (at, event) in played.events.iter().enumerate() {
        let keys: Vec<_> = event.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["seq", "at", "agent_id", "agent_type", "event_type", "data"]);
        assert_eq!(event["seq"], at, "{played}");
        let kind = event["event_type"].as_str().unwrap();
        let data = event["data"].as_object().unwrap().keys().map(String::as_str).collect();
        seen.insert(kind, data);
    }
    assert!(seen.remove("COMPLETED").is_some());
    let expected: BTreeMap<&str, Vec<&str>> =
        FIELDS.iter().map(|(kind, fields)| (*kind, fields.to_vec())).collect();
    assert_eq!(seen, expected);
    assert_eq!(played.kinds().iter().filter(|kind| **kind == "COMPLETED").count(), 1);
    let id = &played.events[0]["agent_id"];
    assert!(played.events.iter().all(|event| event["agent_id"] == *id), "{played}");
}

#[test]
fn a_long_output_is_cut_in_the_stream_and_whole_for_the_model() {
    let text = format!("{}\nthe end\n", "x".repeat(70)).repeat(300);
    let turn = "{expect: {last_message: 'the end\\s*$'}, tool_calls: [{name: complete_task, arguments: {result: done}}]}";
    let stage = Stage::new(
        "",
        &["{tool_calls: [{name: shell, arguments: {command: 'cat long.txt'}}]}", turn],
    )
    .file("long.txt", &text)
    .trusted();
    let played = stage.play().ended("goal", 0);
    let told = played.told()[0];
    assert!(told.len() < 11_000 && told.contains("more bytes"), "{}", told.len());
}

#[test]
fn a_reader_that_goes_away_ends_the_run() {
    let look = "{tool_calls: [{name: list_dir}]}";
    for stdout in [closed_pipe(), full_device().into()] {
        let stage = Stage::new("", &[look, look, "{hang: true}"]);
        let arguments = ["tester", "--model", "script:script.yaml", "--format", "jsonl"];
        let seen = stage.sandbox.see_with_stdout(stage.command(&arguments), stdout);
        assert_eq!(seen.exit, Some(1), "{seen}");
        assert!(seen.stderr.contains("could not be written down"), "{seen}");
    }
}

#[test]
fn an_agent_that_does_not_exist_is_answered_with_one_that_does() {
    let seen = Stage::new("", &[DONE]).see_with(&["testr", "--model", "script:script.yaml"]);
    assert_snapshot!("run-unknown-agent", seen);
}

#[test]
fn a_model_that_does_not_exist_is_answered_with_how_models_are_written() {
    let seen = Stage::new("", &[DONE]).see_with(&["tester", "--model", "sonet"]);
    assert_snapshot!("run-unknown-model", seen);
}

#[test]
fn an_agent_without_a_model_is_answered_with_how_to_get_one() {
    let seen = Stage::new("", &[DONE]).see_with(&["tester"]);
    assert_snapshot!("run-no-model", seen);
}

#[test]
fn a_script_that_cannot_be_used_is_refused_with_what_is_wrong() {
    let stage = Stage::new("", &[DONE])
        .file("unknown.yaml", "turns:\n  - {txt: Hi.}\n")
        .file("broken.yaml", "turns: [\n")
        .file("pattern.yaml", "turns: [{expect: {last_message: '('}}]\n")
        .file("nothing.yaml", "repeat: true\n");
    let scripts = ["unknown", "broken", "pattern", "nothing", "ghost"];
    let seen = scripts.map(|name| {
        let seen = stage.see_with(&["tester", "--model", &format!("script:{name}.yaml")]);
        assert_eq!((seen.exit, seen.stdout.as_str()), (Some(2), ""), "{seen}");
        seen.stderr
    });
    assert_snapshot!("run-bad-scripts", seen.join("\n"));
}

#[test]
fn inputs_that_do_not_fit_are_listed() {
    let keys = "
inputConfig:
  inputs:
    file: {type: string, required: true, description: The file}
    count: {type: integer, description: How many}
";
    let stage = Stage::new(keys, &[DONE]).with(&["--input", "count=many", "--input", "fiel=x"]);
    assert_snapshot!("run-bad-inputs", stage.see());
}

#[test]
fn what_would_be_run_is_shown() {
    let stage = Stage::new("tools: [read_file]", &[DONE]).with(&["--dry-run"]);
    let seen = stage.see();
    let today = seen.stdout.lines().find_map(|line| line.trim().strip_prefix("Today: "));
    let today = today.unwrap_or_else(|| panic!("{seen}")).to_owned();
    assert_snapshot!("run-dry-run", seen.to_string().replace(&today, "<today>"));
}
