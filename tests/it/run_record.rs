//! `agentctl run`: recordings, and keys that must not be in them or anywhere else.

use std::fs;

use crate::{
    stage::{DONE, Stage},
    support::{Seen, assert_snapshot},
};

const KEY: &str = "sk-0123456789-very-secret";

const LOOK: &str = "{thinking: Hm., text: Looking.,
    tool_calls: [{name: read_file, arguments: {path: notes.txt}}]}";

/// A stage that has recorded a look at a file and a result.
fn recorded(prompt: &str) -> Stage {
    let stage = Stage::new("tools: [read_file]", &[LOOK, DONE]).file("notes.txt", "one\n");
    let arguments =
        ["tester", prompt, "--model", "script:script.yaml", "--record", "recording.jsonl"];
    let played = stage.play_with(&arguments).ended("goal", 0);
    assert_eq!(played.result()["turns_used"], 2);
    fs::remove_file(stage.sandbox.path("script.yaml")).unwrap();
    stage
}

fn replay(stage: &Stage, prompt: &str) -> Seen {
    stage.see_with(&["tester", prompt, "--replay", "recording.jsonl"])
}

#[test]
fn a_recording_gives_the_same_result_without_the_model() {
    let stage = recorded("Look.");
    let arguments = ["tester", "Look.", "--replay", "recording.jsonl"];
    let played = stage.play_with(&arguments).ended("goal", 0);
    assert_eq!(played.result()["result"], "done");
    assert_eq!(played.result()["model"], "replay:recording.jsonl");
    assert_eq!(played.all("TEXT_CHUNK").len() + played.all("THOUGHT_CHUNK").len(), 2);
    assert!(played.told()[0].contains("one"), "tools are used again: {played}");
}

#[test]
fn a_recording_can_be_replayed_in_another_place() {
    let stage = Stage::with_prompt("tools: [read_file]", "You are in ${cwd}.", &[LOOK, DONE]);
    let stage = stage.file("notes.txt", "one\n");
    let record = ["tester", "--model", "script:script.yaml", "--record", "recording.jsonl"];
    stage.play_with(&record).ended("goal", 0);
    let recording = fs::read_to_string(stage.sandbox.path("recording.jsonl")).unwrap();
    assert!(!recording.contains(stage.sandbox.work().to_str().unwrap()), "{recording}");
    let elsewhere = Stage::with_prompt("tools: [read_file]", "You are in ${cwd}.", &[])
        .file("notes.txt", "one\n")
        .file("recording.jsonl", &recording);
    elsewhere.play_with(&["tester", "--replay", "recording.jsonl"]).ended("goal", 0);
}

#[test]
fn a_replay_that_is_asked_something_else_says_where_the_two_part() {
    let stage = recorded("Look.");
    let seen = replay(&stage, "Look again.");
    assert_snapshot!("run-replay-other-prompt", seen);
    stage.sandbox.write("notes.txt", "two\n");
    let seen = replay(&stage, "Look.");
    assert_snapshot!("run-replay-other-result", seen);
}

#[test]
fn a_replay_that_is_asked_for_more_says_so() {
    let stage = recorded("Look.");
    let recording = fs::read_to_string(stage.sandbox.path("recording.jsonl")).unwrap();
    let first: String = recording.lines().take(2).map(|line| format!("{line}\n")).collect();
    stage.sandbox.write("recording.jsonl", &first);
    let seen = replay(&stage, "Look.");
    assert_snapshot!("run-replay-too-short", seen);
}

#[test]
fn a_file_that_is_no_recording_is_refused_before_anything_starts() {
    let stage = Stage::new("", &[DONE])
        .file("empty.jsonl", "")
        .file("other.jsonl", "{\"a\": 1}\n")
        .file("newer.jsonl", "{\"agentctl_recording\": 99, \"today\": \"2026-01-01\"}\n");
    for (file, why) in [
        ("ghost.jsonl", "cannot read ghost.jsonl"),
        ("empty.jsonl", "it is empty"),
        ("other.jsonl", "line 1 of the recording cannot be read"),
        ("newer.jsonl", "the recording has format 99"),
    ] {
        let seen = stage.see_with(&["tester", "--replay", file, "--format", "jsonl"]);
        assert_eq!((seen.exit, seen.stdout.as_str()), (Some(2), ""), "{seen}");
        assert!(seen.stderr.contains(why), "{seen}");
    }
}

#[test]
fn a_recording_that_cannot_be_written_is_an_error_before_anything_starts() {
    let stage = Stage::new("", &[DONE]).with(&["--record", "ghost/recording.jsonl"]);
    let seen = stage.see();
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(2), ""), "{seen}");
    assert!(seen.stderr.contains("cannot write ghost/recording.jsonl"), "{seen}");
}

/// A stage with a key in the environment and in everything an agent says, reads and is told.
fn with_key() -> Stage {
    let told = format!("Use {KEY}.");
    let look = format!(
        "{{thinking: 'It is {KEY}.', text: 'The key is {KEY}.', tool_calls: [
            {{name: read_file, arguments: {{path: key.txt}}}},
            {{name: shell, arguments: {{command: 'cat key.txt; env; echo {KEY}'}}}},
            {{name: teleport, arguments: {{to: '{KEY}'}}}},
            {{name: read_file, arguments: '{KEY}'}}]}}"
    );
    let fails = format!("{{error: {{status: 500, message: 'bad key {KEY}'}}}}");
    let done =
        format!("{{tool_calls: [{{name: complete_task, arguments: {{result: 'It is {KEY}'}}}}]}}");
    Stage::with_prompt("", &told, &[&look, &fails, &done])
        .file("key.txt", KEY)
        .variable("ANTHROPIC_API_KEY", KEY)
        .trusted()
}

fn has_no_key(what: &str, text: &str) {
    assert!(!text.contains(KEY), "{what}: {text}");
}

#[test]
fn a_key_is_never_in_what_is_printed_or_recorded() {
    let stage = with_key();
    let prompt = format!("Say {KEY}.");
    let model = ["tester", &prompt, "--model", "script:script.yaml"];
    for format in ["text", "json", "jsonl"] {
        let record = ["--format", format, "--record", "recording.jsonl"];
        let seen = stage.see_with(&[&model[..], &record].concat());
        assert_eq!(seen.exit, Some(0), "{seen}");
        assert!(seen.stdout.contains("[redacted]"), "{seen}");
        has_no_key("stdout", &seen.stdout);
        has_no_key("stderr", &seen.stderr);
        let recording = fs::read_to_string(stage.sandbox.path("recording.jsonl")).unwrap();
        assert!(recording.contains("[redacted]"), "{recording}");
        has_no_key("recording", &recording);
    }
}

#[test]
fn a_key_is_never_in_what_would_be_run() {
    let stage = with_key();
    let prompt = format!("Say {KEY}.");
    for format in ["text", "json", "jsonl"] {
        let model = ["tester", &prompt, "--model", "anthropic/claude-sonnet-4-5"];
        let dry = ["--format", format, "--dry-run"];
        let seen = stage.see_with(&[&model[..], &dry].concat());
        assert_eq!(seen.exit, Some(0), "{seen}");
        has_no_key("stdout", &seen.stdout);
        has_no_key("stderr", &seen.stderr);
    }
}

#[test]
fn a_key_in_the_prompt_does_not_keep_a_recording_from_being_replayed() {
    let prompt = format!("Say {KEY}.");
    let stage = Stage::new("tools: []", &[DONE]).variable("ANTHROPIC_API_KEY", KEY);
    let record =
        ["tester", &prompt, "--model", "script:script.yaml", "--record", "recording.jsonl"];
    stage.play_with(&record).ended("goal", 0);
    stage.play_with(&["tester", &prompt, "--replay", "recording.jsonl"]).ended("goal", 0);
}

#[test]
fn commands_do_not_see_keys() {
    let stage = Stage::new(
        "",
        &["{tool_calls: [{name: shell, arguments: {command: 'echo [$ANTHROPIC_API_KEY$MY_TOKEN] $PLAIN'}}]}", DONE],
    )
    .variable("ANTHROPIC_API_KEY", KEY)
    .variable("MY_TOKEN", "0123456789abcdef")
    .variable("PLAIN", "plain")
    .trusted();
    assert_eq!(stage.play().ended("goal", 0).told()[0], "exit code: 0\n[] plain\n");
}

#[test]
fn a_key_is_one_whatever_its_variable_is_called() {
    let stage = Stage::new(
        "",
        &["{text: It is letmein-letmein., tool_calls: [{name: shell, arguments: {command: 'echo [$OUR_SERVER] | rev'}}]}", DONE],
    )
    .variable("OUR_SERVER", "letmein-letmein")
    .trusted();
    let settings = "[providers.ours]\nkind = 'openai'\nbase_url = 'http://127.0.0.1:1'\n\
                    api_key_env = 'OUR_SERVER'\n";
    stage.sandbox.write("~/.config/agentctl/config.toml", settings);
    let played = stage.play().ended("goal", 0);
    assert_eq!(played.told()[0], "exit code: 0\n][\n");
    assert_eq!(played.all("TEXT_CHUNK")[0]["text"], "It is [redacted].");
}

#[test]
fn a_recording_keeps_a_last_chance() {
    let stage = Stage::new("", &["{}", DONE]);
    let record = ["tester", "--model", "script:script.yaml", "--record", "recording.jsonl"];
    stage.play_with(&record).ended("goal", 0);
    let played = stage.play_with(&["tester", "--replay", "recording.jsonl"]).ended("goal", 0);
    assert_eq!(played.all("GRACE_PERIOD_START").len(), 1);
}

#[test]
fn a_dry_run_asks_no_model_and_records_nothing() {
    let turn = "{expect: {system: never}}";
    let stage = Stage::new("", &[turn]).with(&["--dry-run", "--record", "recording.jsonl"]);
    let seen = stage.see();
    assert_eq!((seen.exit, seen.stderr.as_str()), (Some(0), ""), "{seen}");
    assert!(seen.stdout.contains("Do it."), "{seen}");
    assert!(!stage.sandbox.path("recording.jsonl").exists());
}
