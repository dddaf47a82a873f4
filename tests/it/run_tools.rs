//! `agentctl run`: which tools an agent has, and what becomes of its calls.

use serde_json::{Value, json};

use crate::{
    stage::{DONE, Stage},
    support::column,
};

/// The tools an agent with `keys` is offered.
fn offered(stage: &Stage) -> Vec<String> {
    let played = stage.play().ended("goal", 0);
    let tools = played.all("STARTED")[0]["tools"].as_array().unwrap().clone();
    tools.iter().map(|tool| tool.as_str().unwrap().to_owned()).collect()
}

fn has(tools: &[String], name: &str) -> bool {
    tools.iter().any(|tool| tool == name)
}

#[test]
fn calls_of_a_turn_run_side_by_side_and_are_answered_in_their_order() {
    // The first waits for what the second makes.
    let played = Stage::new(
        "",
        &[
            "{tool_calls: [
                {name: shell, arguments: {command: 'until test -e made; do :; done; echo first', timeout_ms: 20000}},
                {name: shell, arguments: {command: 'touch made; echo second'}},
                {name: list_dir, arguments: {path: agents}}]}",
            "{expect: {last_message: 'first.*second.*tester.md'}, tool_calls: [{name: complete_task, arguments: {result: done}}]}",
        ],
    )
    .trusted()
    .play()
    .ended("goal", 0);
    let calls: Vec<(&str, &Value)> = played
        .events
        .iter()
        .filter_map(|event| Some((event["event_type"].as_str()?, &event["data"]["call_id"])))
        .filter(|(kind, _)| kind.starts_with("TOOL_CALL"))
        .take(6)
        .collect();
    let last_start = calls.iter().rposition(|(kind, _)| *kind == "TOOL_CALL_START").unwrap();
    let end_of = |id: &str| {
        calls.iter().position(|(kind, at)| *kind == "TOOL_CALL_END" && *at == id).unwrap()
    };
    assert!(end_of("call_1_1") > last_start, "{calls:?}");
    let starts = calls.iter().filter(|(kind, _)| *kind == "TOOL_CALL_START").count();
    assert_eq!((calls.len(), starts), (6, 3));
}

#[test]
fn a_tool_that_was_not_granted_is_explained_and_not_used() {
    let stage = Stage::new(
        "tools: [read_file]",
        &[
            "{tool_calls: [{name: shell, arguments: {command: touch made}}, {name: list_dir}]}",
            DONE,
        ],
    );
    let played = stage.play().ended("goal", 0);
    assert_eq!(
        played.told()[0],
        "`shell` is not available to this agent: its file is not trusted: `agentctl trust add` \
         trusts it; there are `complete_task`, `read_file`"
    );
    assert!(played.told()[1].contains("it is not in the definition's list"), "{played}");
    assert!(!stage.sandbox.path("made").exists());
    let kinds: Vec<_> =
        played.all("ERROR").iter().map(|data| data["error"]["kind"].clone()).collect();
    assert_eq!(kinds, ["tool_unauthorized", "tool_unauthorized"]);
    assert_eq!(played.all("TOOL_CALL_END")[0]["success"], false);
}

#[test]
fn an_edited_file_is_no_longer_trusted_with_commands() {
    let stage =
        Stage::new("", &["{tool_calls: [{name: shell, arguments: {command: touch made}}]}", DONE])
            .trusted();
    let agent = "---\nagentType: tester\nwhenToUse: In tests.\n---\n\nDo something else.\n";
    let stage = stage.file("agents/tester.md", agent);
    let played = stage.play().ended("goal", 0);
    assert!(played.told()[0].contains("its file is not trusted"), "{played}");
    assert!(!stage.sandbox.path("made").exists());
}

#[test]
fn a_tool_that_does_not_exist_is_answered_with_those_that_do() {
    let played = Stage::new(
        "tools: [read_file, grep_files]",
        &[
            "{tool_calls: [{name: teleport, arguments: {to: mars}}]}",
            "{expect: {last_message: 'there is no tool called `teleport`; there are `complete_task`, `grep_files`, `read_file`'},
              tool_calls: [{name: complete_task, arguments: {result: done}}]}",
        ],
    );
    played.play().ended("goal", 0);
}

#[test]
fn arguments_that_are_not_json_are_told_and_the_others_are_carried_out() {
    let played = Stage::new(
        "",
        &[
            r#"{tool_calls: [{name: read_file, arguments: '{"path": ', id: c1},
                             {name: list_dir, arguments: {path: agents}, id: c2},
                             {name: list_dir, arguments: '[1]', id: c3},
                             {name: list_dir, arguments: '', id: c4}]}"#,
            "{expect: {last_message: 'arguments of `read_file` are not valid JSON.*one JSON object.*tester.md.*must be a JSON object.*agents/'},
              tool_calls: [{name: complete_task, arguments: {result: done}}]}",
        ],
    )
    .play()
    .ended("goal", 0);
    let starts = played.all("TOOL_CALL_START");
    assert_eq!(starts[0]["arguments"], "{\"path\": ");
    assert_eq!(starts[1]["arguments"], json!({"path": "agents"}));
    let ends = Value::Array(played.all("TOOL_CALL_END").into_iter().cloned().collect());
    let mut ids = column(&ends, "call_id");
    ids.sort();
    assert_eq!(ids, ["c1", "c2", "c3", "c4", "call_2_1"]);
}

#[test]
fn a_tool_that_fails_is_told_and_the_agent_goes_on() {
    let played = Stage::new(
        "",
        &[
            "{tool_calls: [{name: read_file, arguments: {path: ghost.txt}},
                           {name: read_file, arguments: {file: ghost.txt}}]}",
            "{expect: {last_message: 'ghost.txt.*the arguments do not fit'}, tool_calls: [{name: complete_task, arguments: {result: done}}]}",
        ],
    )
    .play()
    .ended("goal", 0);
    let success: Vec<_> =
        played.all("TOOL_CALL_END").iter().map(|data| data["success"].clone()).collect();
    assert_eq!(success, [false, false, true]);
}

#[test]
fn a_command_that_fails_is_a_result_like_any_other() {
    let played = Stage::new(
        "",
        &[
            "{tool_calls: [{name: shell, arguments: {command: 'echo no >&2; exit 3'}}]}",
            "{expect: {last_message: 'exit code: 3.*no'}, tool_calls: [{name: complete_task, arguments: {result: done}}]}",
        ],
    );
    played.trusted().play().ended("goal", 0);
}

#[test]
fn a_refused_call_is_told_and_the_agent_goes_on() {
    let stage = Stage::bare().file(
        "script.yaml",
        "turns:
  - {tool_calls: [{name: shell, arguments: {command: touch made}}]}
  - expect: {last_message: 'the user refused this call of `shell`. Do not try it again'}
    tool_calls: [{name: complete_task, arguments: {result: done}}]
",
    );
    let arguments = ["worker", "Go.", "--model", "script:script.yaml", "--approve", "never"];
    let played = stage.play_with(&arguments).ended("goal", 0);
    assert!(!stage.sandbox.path("made").exists());
    assert_eq!(played.all("APPROVAL_DECISION")[0]["decision"], "denied");
    let request = played.all("APPROVAL_REQUEST")[0];
    assert_eq!(request["detail"], "touch made\nin <work>\nsandbox: workspace_write");
}

#[test]
fn where_nobody_can_be_asked_the_run_says_what_it_needed() {
    let stage = Stage::bare().file(
        "script.yaml",
        "turns:
  - {tool_calls: [{name: shell, arguments: {command: touch made}}]}
  - expect: {last_message: 'nobody can be asked'}
    tool_calls: [{name: complete_task, arguments: {result: done}}]
",
    );
    let played =
        stage.play_with(&["worker", "Go.", "--model", "script:script.yaml"]).ended("goal", 7);
    assert!(!stage.sandbox.path("made").exists());
    assert_eq!(played.result()["unapproved"], json!(["shell"]));
    assert!(played.stderr().starts_with("error: `shell` needed an approval"), "{played}");
}

#[test]
fn a_definition_that_suppresses_questions_gets_no_for_an_answer() {
    let stage = Stage::new(
        "approvalMode: suppress\nreadOnly: true\ntools: [web_fetch]",
        &["{tool_calls: [{name: web_fetch, arguments: {url: 'https://example.com'}}]}", DONE],
    );
    let played = stage.with(&["--approve", "always"]).play().ended("goal", 0);
    assert!(played.told()[0].contains("says that nobody is asked"), "{played}");
    assert_eq!(played.all("APPROVAL_REQUEST").len(), 0);
}

#[test]
fn a_sandbox_can_stand_in_for_a_person() {
    let stage = Stage::new(
        "approvalMode: auto_approve_in_sandbox",
        &["{tool_calls: [{name: shell, arguments: {command: touch made}}]}", DONE],
    );
    let seen = stage.sandbox.run(&["trust", "add", "agents/tester.md"]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    let played = stage.play().ended("goal", 0);
    assert_eq!(played.all("APPROVAL_REQUEST").len(), 0);
    assert!(stage.sandbox.path("made").exists());
}

#[test]
fn an_agent_that_lists_no_tools_has_those_nobody_has_to_trust_it_with() {
    let unsaid = offered(&Stage::new("", &[DONE]));
    let star = offered(&Stage::new("tools: '*'", &[DONE]));
    assert_eq!(unsaid, star);
    for tool in ["complete_task", "glob_files", "grep_files", "list_dir", "read_file"] {
        assert!(has(&unsaid, tool), "{tool}: {unsaid:?}");
    }
    for tool in ["shell", "exec_command", "write_file", "apply_patch"] {
        assert!(!has(&unsaid, tool), "{tool}: {unsaid:?}");
    }
    let trusted = offered(&Stage::new("", &[DONE]).trusted());
    assert!(has(&trusted, "shell") && has(&trusted, "exec_command"), "{trusted:?}");
}

#[test]
fn an_empty_list_leaves_a_way_to_finish_and_nothing_else() {
    let turn = "{expect: {tools: [complete_task]}, tool_calls: [{name: complete_task, arguments: {result: done}}]}";
    assert_eq!(offered(&Stage::new("tools: []", &[turn])), ["complete_task"]);
}

#[test]
fn a_list_in_any_spelling_is_offered_under_our_names() {
    let turn = "{expect: {tools: [complete_task, grep_files, read_file]}, tool_calls: [{name: complete_task, arguments: {result: done}}]}";
    offered(&Stage::new("tools: [Read, Grep, Bash]\ndisallowedTools: [shell]", &[turn]));
}

#[test]
fn a_server_in_a_list_grants_nothing_else() {
    let turn = "{expect: {tools: [complete_task, read_file]}, tool_calls: [{name: complete_task, arguments: {result: done}}]}";
    offered(&Stage::new("tools: [mcp__catalog__*, read_file]", &[turn]));
}

#[test]
fn files_outside_of_the_working_directory_are_out_of_reach() {
    let stage = Stage::new(
        "",
        &["{tool_calls: [{name: read_file, arguments: {path: ../outside.txt}}]}", DONE],
    )
    .file("../outside.txt", "not for agents\n");
    let played = stage.play().ended("goal", 0);
    assert_eq!(played.all("TOOL_CALL_END")[0]["success"], false);
    assert!(!played.told()[0].contains("not for agents"), "{played}");
}

#[test]
fn an_agent_works_where_it_is_told_to() {
    let look = "{tool_calls: [{name: list_dir, arguments: {path: .}}]}";
    let stage = Stage::new("baseDir: inner", &[look, DONE]).file("inner/here.txt", "");
    assert!(stage.play().ended("goal", 0).told()[0].starts_with("here.txt"));
    let stage = Stage::new("", &[look, DONE]).file("other/there.txt", "");
    let played = stage.with(&["--cwd", "other"]).play().ended("goal", 0);
    assert!(played.told()[0].starts_with("there.txt"), "{played}");
}
