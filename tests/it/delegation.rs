//! `Task` and `TaskOutput`: a main agent and those it starts.

use agentctl::store::{Store, ThreadStatus};
use serde_json::{Value, json};

use crate::stage::{Played, Stage, until};

/// A script with turns for a main agent, `default`, and for the agents it starts.
fn stage(main: &str, others: &str) -> Stage {
    let script = format!("agents:\n  default:\n    turns:\n{main}{others}");
    Stage::bare().file("script.yaml", &script)
}

const EXPLORE: &str = "  Explore:
    turns:
      - {tool_calls: [{name: complete_task, arguments: {result: seen}}]}
      - {tool_calls: [{name: complete_task, arguments: {result: seen again}}]}
";
const DONE: &str = "      - {tool_calls: [{name: complete_task, arguments: {result: done}}]}\n";

const ARGUMENTS: &[&str] = &["default", "Go.", "--model", "script:script.yaml"];

fn call(name: &str, arguments: &str) -> String {
    format!("      - {{tool_calls: [{{name: {name}, arguments: {arguments}}}]}}\n")
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What the main agent was told about its first call of `tool`.
fn answer(played: &Played, tool: &str) -> Value {
    let ended = played.all("TOOL_CALL_END");
    let found = ended.iter().find(|data| data["tool_name"] == tool);
    parsed(found.unwrap_or_else(|| panic!("{played}"))["output"].as_str().unwrap())
}

#[test]
fn a_task_gives_the_result_of_a_sub_agent_with_its_metrics() {
    let task = call("Task", "{subagent_type: Explore, prompt: Look., description: Look around}");
    let played = stage(&format!("{task}{DONE}"), EXPLORE).play_with(ARGUMENTS).ended("goal", 0);
    let result = answer(&played, "Task");
    assert_eq!(result["status"], "goal");
    assert_eq!(result["result"], "seen");
    assert_eq!(result["agent_type"], "Explore");
    for metric in ["turns_used", "duration_seconds", "total_tool_use_count", "total_tokens"] {
        assert!(result[metric].is_number(), "{metric}: {result}");
    }
    let started = played.all("STARTED");
    assert_eq!(started.len(), 2, "events of the sub-agent are in the stream: {played}");
    assert_eq!(played.all("COMPLETED").len(), 2);
}

#[test]
fn a_sub_agent_cannot_start_others_and_has_no_more_than_its_caller() {
    let task = call("Task", "{subagent_type: worker, prompt: Work., description: Work}");
    let worker = "  worker:
    turns:
      - expect: {tools: [apply_patch, complete_task, exec_command, glob_files, grep_files, list_dir, read_file, shell, write_file]}
        tool_calls: [{name: complete_task, arguments: {result: worked}}]
";
    let played = stage(&format!("{task}{DONE}"), worker).play_with(ARGUMENTS).ended("goal", 0);
    assert_eq!(answer(&played, "Task")["result"], "worked", "{played}");
    // A main agent that only reads cannot have a worker that writes.
    let reader =
        "---\nagentType: reader\nwhenToUse: In tests.\ntools: [Task, read_file]\n---\nGo.\n";
    let worker = worker.replace(
        "[apply_patch, complete_task, exec_command, glob_files, grep_files, list_dir, read_file, shell, write_file]",
        "[complete_task, read_file]",
    );
    let script = format!("agents:\n  reader:\n    turns:\n{task}{DONE}{worker}");
    let stage = Stage::bare().file("script.yaml", &script).file("agents/reader.md", reader);
    let played = stage.play_with(&["reader", "Go.", "--model", "script:script.yaml"]);
    assert_eq!(answer(&played.ended("goal", 0), "Task")["result"], "worked");
}

#[test]
fn an_unknown_type_is_answered_with_those_there_are() {
    let task = call("Task", "{subagent_type: Nope, prompt: Look., description: Look}");
    let played = stage(&format!("{task}{DONE}"), EXPLORE).play_with(ARGUMENTS).ended("goal", 0);
    let told = played.told()[0];
    assert!(told.starts_with("unknown subagent type `Nope`; available: Explore, Plan"), "{told}");
}

#[test]
fn a_task_without_a_description_is_refused() {
    let task = call("Task", "{subagent_type: Explore, prompt: Look.}");
    let played = stage(&format!("{task}{DONE}"), EXPLORE).play_with(ARGUMENTS).ended("goal", 0);
    assert!(played.told()[0].contains("missing field `description`"), "{played}");
}

#[test]
fn a_task_that_fails_is_an_error_with_everything_that_is_known() {
    let task = call("Task", "{subagent_type: Explore, prompt: Look., description: Look}");
    let explore = "  Explore:\n    turns:\n      - {text: Hm.}\n      - {text: Still no.}\n";
    let played = stage(&format!("{task}{DONE}"), explore).play_with(ARGUMENTS).ended("goal", 0);
    let result = answer(&played, "Task");
    assert_eq!(result["status"], "error_no_complete_task_call");
    assert_eq!(result["result"], "Still no.");
}

#[test]
fn a_task_in_the_background_returns_at_once_and_its_result_can_be_had_later() {
    // The id is only known at run time, so the next agent looks it up by its beginning.
    let task = call(
        "Task",
        "{subagent_type: Explore, prompt: Look., description: Look around, run_in_background: true}",
    );
    let missing = call("TaskOutput", "{agent_id: nobody}");
    let stage = stage(&format!("{task}{missing}{DONE}"), EXPLORE);
    let played = stage.play_with(ARGUMENTS).ended("goal", 0);
    let launched = answer(&played, "Task");
    assert_eq!(launched["status"], "async_launched");
    assert_eq!(launched["description"], "Look around");
    let unknown = answer(&played, "TaskOutput");
    let expected = json!({"status": "not_found", "message": "No task found with that agent_id"});
    assert_eq!(unknown, expected);
    // The run did not end before its child had.
    let id = launched["agent_id"].as_str().unwrap();
    let again = call("TaskOutput", &format!("{{agent_id: {id}, block: false}}"));
    let script = format!("agents:\n  default:\n    turns:\n{again}{DONE}");
    let stage = stage.file("script.yaml", &script);
    for _ in 0..2 {
        let played = stage.play_with(ARGUMENTS).ended("goal", 0);
        assert_eq!(answer(&played, "TaskOutput")["result"], "seen", "{played}");
    }
}

#[test]
fn a_task_can_be_resumed_with_all_it_knows() {
    let task = call("Task", "{subagent_type: Explore, prompt: Look., description: Look}");
    let stage = stage(&format!("{task}{DONE}"), EXPLORE);
    let played = stage.play_with(ARGUMENTS).ended("goal", 0);
    let id = answer(&played, "Task")["agent_id"].as_str().unwrap().to_owned();
    let more = call(
        "Task",
        &format!("{{subagent_type: Explore, prompt: Again., description: More, resume: {id}}}"),
    );
    let explore = "  Explore:
    turns:
      - expect: {last_message: '^Again\\.$'}
        tool_calls: [{name: complete_task, arguments: {result: more}}]
";
    let script = format!("agents:\n  default:\n    turns:\n{more}{DONE}{explore}");
    let played = stage.file("script.yaml", &script).play_with(ARGUMENTS).ended("goal", 0);
    let result = answer(&played, "Task");
    assert_eq!((&result["result"], &result["agent_id"]), (&json!("more"), &json!(id)));
}

/// Ends a run while the agent it started in the background is still thinking; what that is doing
/// then, and what became of it.
fn left_behind(on_exit: &str) -> (ThreadStatus, ThreadStatus) {
    let task = call(
        "Task",
        "{subagent_type: Explore, prompt: Look., description: Look, run_in_background: true}",
    );
    let explore = "  Explore:
    turns:
      - {delay_ms: 1500, tool_calls: [{name: complete_task, arguments: {result: seen}}]}
";
    let stage = stage(&format!("{task}{DONE}"), explore);
    let arguments = [ARGUMENTS, &["--on-exit", on_exit]].concat();
    let played = stage.play_with(&arguments).ended("goal", 0);
    let id = answer(&played, "Task")["agent_id"].as_str().unwrap().to_owned();
    let store = Store::open(&stage.sandbox.path("~/.local/state/agentctl/threads.db")).unwrap();
    let status = || store.thread(&id).unwrap().status;
    let then = status();
    until("the agent in the background ends", || status().is_final());
    (then, status())
}

#[test]
fn agents_in_the_background_are_waited_for_left_or_ended() {
    let (then, at_last) = left_behind("wait");
    assert_eq!((then, at_last), (ThreadStatus::Completed, ThreadStatus::Completed));
    let (then, at_last) = left_behind("detach");
    assert!(then.is_active(), "{then}");
    assert_eq!(at_last, ThreadStatus::Completed);
    let (then, at_last) = left_behind("cancel");
    assert!(!then.is_active(), "{then}");
    assert_eq!(at_last, ThreadStatus::Shutdown);
}

#[test]
fn paths_in_a_call_start_where_the_main_agent_was_started() {
    let task = call(
        "Task",
        "{subagent_type: Explore, prompt: Look., description: Look, run_in_background: true}",
    );
    let stage = stage(&format!("{task}{DONE}"), EXPLORE).file("inner/here.txt", "");
    let arguments = [ARGUMENTS, &["--cwd", "inner"]].concat();
    let played = stage.play_with(&arguments).ended("goal", 0);
    let launched = answer(&played, "Task");
    assert_eq!(launched["status"], "async_launched", "{played}");
    let id = launched["agent_id"].as_str().unwrap();
    let seen = stage.sandbox.run(&["output", id]);
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), "seen\n"), "{seen}");
}

#[test]
fn whoever_stops_the_main_agent_stops_those_it_waits_for() {
    let task = call("Task", "{subagent_type: Explore, prompt: Look., description: Look}");
    let explore = "  Explore:\n    turns:\n      - {hang: true}\n";
    for signal in ["INT", "TERM"] {
        let stage = stage(&format!("{task}{DONE}"), explore);
        let home = stage.sandbox.path("~/.local/state/agentctl/threads.db");
        let mut playing = stage.start_with(ARGUMENTS);
        // The main agent's first turn, and the first of the one it waits for.
        playing.wait_for("TURN_START");
        playing.wait_for("TURN_START");
        playing.signal(signal);
        let played = playing.finish_in(|| Store::open(&home).unwrap().threads(&[]).unwrap());
        let (threads, played) = played;
        assert_eq!(played.all("COMPLETED").len(), 2, "{played}");
        let left: Vec<_> = threads.iter().map(|thread| thread.status).collect();
        assert_eq!(left, [ThreadStatus::Interrupted; 2], "{played}");
    }
}

const FORKING: &str = "---
agentType: forker
whenToUse: In tests.
forkContext: true
---

Do it.
";

#[test]
fn an_agent_that_asks_for_it_knows_what_its_caller_knows() {
    for background in ["false", "true"] {
        let task = call(
            "Task",
            &format!(
                "{{subagent_type: forker, prompt: 'And now this.', description: Look, run_in_background: {background}}}"
            ),
        );
        let forker = "  forker:
    turns:
      - expect: {last_message: '^And now this', messages: 'Go\\..*ENTERING SUB-AGENT'}
        tool_calls: [{name: complete_task, arguments: {result: knows}}]
";
        let stage = stage(&format!("{task}{DONE}"), forker).file("agents/forker.md", FORKING);
        let played = stage.play_with(ARGUMENTS).ended("goal", 0);
        let id = answer(&played, "Task")["agent_id"].as_str().unwrap().to_owned();
        let store = Store::open(&stage.sandbox.path("~/.local/state/agentctl/threads.db")).unwrap();
        let thread = store.thread(&id).unwrap();
        assert_eq!(thread.outcome.unwrap().result, "knows", "{played}");
    }
}

#[test]
fn an_agent_whose_process_does_not_start_has_failed() {
    let task = call(
        "Task",
        "{subagent_type: Explore, prompt: Look., description: Look, run_in_background: true}",
    );
    // The process that would run it refuses settings that were spoilt meanwhile.
    let spoil = "  default:\n    turns:\n";
    let script = format!(
        "agents:\n{spoil}{}{task}{DONE}{EXPLORE}",
        call("shell", "{command: 'echo nonsense >> agentctl.toml'}")
    );
    let stage = Stage::bare().file("script.yaml", &script).file("agentctl.toml", "");
    let arguments = [ARGUMENTS, &["--approve", "always"]].concat();
    let played = stage.play_with(&arguments).ended("goal", 0);
    let told = played.told();
    assert!(told[1].contains("the process for it did not start"), "{played}");
    let store = Store::open(&stage.sandbox.path("~/.local/state/agentctl/threads.db")).unwrap();
    let child = store.threads(&[ThreadStatus::Errored]).unwrap().pop().unwrap();
    assert_eq!((child.begun.agent_type.as_str(), child.owner), ("Explore", None));
}
