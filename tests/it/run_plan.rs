//! `agentctl run`: inputs, prompts, and everything else that is settled before a model is asked.

use serde_json::{Value, json};

use crate::stage::{DONE, Stage};

const INPUTS: &str = r#"
inputConfig:
  inputs:
    file: {type: string, required: true, description: The file}
    count: {type: integer, required: true, description: How many}
    ratio: {type: number, description: How much, default: 0.5}
    strict: {type: boolean, description: Whether, default: false}
    tags: {type: "string[]", description: Which}
    weights: {type: "number[]", description: How heavy, default: [1, 2]}
promptConfig:
  query: "${file}|${count}|${ratio}|${strict}|${tags}|${weights}"
"#;

/// A turn that is only right if the first message is `text`.
fn first_message(text: &str) -> String {
    let pattern = format!("^{}$", regex_escape(text)).replace('\'', "''");
    format!(
        "{{expect: {{last_message: '{pattern}'}}, tool_calls: [{{name: complete_task, arguments: {{result: done}}}}]}}"
    )
}

fn regex_escape(text: &str) -> String {
    let special = |c: char| "\\.+*?()|[]{}^$#&-~".contains(c);
    let escaped: String =
        text.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect();
    escaped.replace('\n', "\\n")
}

/// What would be run.
fn sheet(stage: &Stage, arguments: &[&str]) -> Value {
    let model = ["tester", "--model", "script:script.yaml", "--dry-run", "--format", "json"];
    let seen = stage.see_with(&[&model, arguments].concat());
    assert_eq!((seen.exit, seen.stderr.as_str()), (Some(0), ""), "{seen}");
    seen.json()
}

/// What an agent that cannot be run is refused with; its model is never asked.
fn refused(stage: &Stage, arguments: &[&str]) -> String {
    let model = ["tester", "--model", "script:script.yaml", "--format", "jsonl"];
    let seen = stage.see_with(&[&model, arguments].concat());
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(2), ""), "{seen}");
    seen.stderr
}

#[test]
fn an_agent_that_is_told_nothing_gets_started() {
    Stage::new("", &[&first_message("Get Started!")]).play().ended("goal", 0);
    let stage = Stage::new("", &[&first_message("Get Started!")]);
    stage.play_with(&["tester", " ", "--model", "script:script.yaml"]).ended("goal", 0);
}

#[test]
fn a_prompt_is_the_first_message_where_there_is_no_query() {
    let stage = Stage::new("", &[&first_message("Look at ${cwd}.")]);
    stage
        .play_with(&["tester", "Look at ${cwd}.", "--model", "script:script.yaml"])
        .ended("goal", 0);
}

#[test]
fn a_prompt_never_vanishes() {
    let cases = [
        ("promptConfig: {query: Begin.}", "Do it.", "Begin.\n\nNow."),
        ("promptConfig: {query: 'Begin: ${prompt}'}", "Do it.", "Begin: Now."),
        ("promptConfig: {query: Begin.}", "Do this: ${prompt}", "Begin."),
    ];
    for (keys, prompt, expected) in cases {
        let stage = Stage::with_prompt(keys, prompt, &[&first_message(expected)]);
        let arguments = ["tester", "Now.", "--model", "script:script.yaml"];
        stage.play_with(&arguments).ended("goal", 0);
    }
}

#[test]
fn inputs_are_read_as_what_they_are_declared_to_be() {
    let stage = Stage::new(INPUTS, &[&first_message("a=b.txt|3|1.5|true|x, y|1, 2")]);
    let inputs = ["file=a=b.txt", "count=3", "ratio=1.5", "strict=true", "tags=x", "tags=y"];
    let inputs = inputs.iter().flat_map(|input| ["--input", input]).collect::<Vec<_>>();
    stage.with(&inputs).play().ended("goal", 0);
}

#[test]
fn a_list_can_be_given_as_json_and_a_file_holds_all_of_them() {
    let stage = Stage::new(INPUTS, &[&first_message("f|7|0.5|false|x, y, z|3")])
        .file("inputs.yaml", "{file: e, count: 7, tags: [x], weights: [3]}\n")
        .with(&[
            "--input-file",
            "inputs.yaml",
            "--input",
            "file=f",
            "--input",
            r#"tags=["y","z"]"#,
        ]);
    stage.play().ended("goal", 0);
    let stage = Stage::new(INPUTS, &[&first_message("f|7|0.5|false||1, 2")])
        .file("inputs.json", r#"{"file": "f", "count": 7}"#)
        .with(&["--input-file", "inputs.json"]);
    stage.play().ended("goal", 0);
}

#[test]
fn everything_that_is_wrong_with_the_inputs_is_said_at_once() {
    let stage = Stage::new(INPUTS, &[DONE]);
    let said = refused(
        &stage,
        &[
            "--input",
            "count=many",
            "--input",
            "strict=perhaps",
            "--input",
            "fiel=x",
            "--input",
            "weights=heavy",
        ],
    );
    for line in [
        "error: `tester` cannot be run: the inputs do not fit:",
        "- `fiel` is not an input of this agent; it takes `file`, `count`, `ratio`, `strict`, `tags`, `weights`",
        "- `file` is missing (The file)",
        "- `count` must be of type integer, and is \"many\"",
        "- `strict` must be of type boolean, and is \"perhaps\"",
        "- `weights` must be of type number[], and is [\"heavy\"]",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}\n{said}");
    }
}

#[test]
fn a_file_with_inputs_that_cannot_be_read_is_named() {
    let stage = Stage::new(INPUTS, &[DONE]).file("list.yaml", "[1]\n").file("bad.yaml", "a: [\n");
    assert!(refused(&stage, &["--input-file", "ghost.yaml"]).contains("cannot read ghost.yaml"));
    assert!(refused(&stage, &["--input-file", "bad.yaml"]).contains("bad.yaml:"));
    let said = refused(&stage, &["--input-file", "list.yaml"]);
    assert!(said.contains("list.yaml must hold one value for each input"), "{said}");
}

#[test]
fn what_comes_through_a_variable_is_never_expanded_again() {
    let hostile = "${cwd} ${ghost} $${x} {{ 7 * 7 }}";
    let stage = Stage::new(INPUTS, &[&first_message(&format!("{hostile}|1|0.5|false||1, 2"))]);
    let file = format!("file={hostile}");
    stage.with(&["--input", &file, "--input", "count=1"]).play().ended("goal", 0);
}

#[test]
fn two_dollars_are_one_that_stays() {
    let stage =
        Stage::with_prompt("", "Run $${HOME}/x in ${cwd} with $PATH as ${agent_type}.", &[DONE]);
    let sheet = sheet(&stage, &[]);
    let system = sheet["system_prompt"].as_str().unwrap();
    assert!(system.starts_with("Run ${HOME}/x in <work> with $PATH as tester.\n"), "{system}");
}

#[test]
fn a_name_that_nothing_defines_is_an_error_before_any_model_is_asked() {
    let stage = Stage::with_prompt("", "Look at ${ghost} and ${spectre} in ${cwd}.", &[DONE]);
    let said = refused(&stage, &[]);
    for what in ["`ghost`", "`spectre`", "agents/tester.md:7:", "cannot be run"] {
        assert!(said.contains(what), "{what}: {said}");
    }
}

#[test]
fn an_agent_without_a_system_prompt_is_refused_before_any_model_is_asked() {
    let said = refused(&Stage::with_prompt("", "  ", &[DONE]), &[]);
    assert!(said.contains("it has no system prompt"), "{said}");
}

#[test]
fn a_definition_with_errors_is_refused_with_what_is_wrong() {
    let said = refused(&Stage::new("tools: [read_fil]", &[DONE]), &[]);
    assert!(said.contains("read_fil") && said.contains("agents/tester.md:4:"), "{said}");
    let said = refused(&Stage::new("source: builtin", &[DONE]), &[]);
    assert!(said.contains("builtin"), "{said}");
}

#[test]
fn the_model_is_told_where_it_is_and_how_to_finish() {
    let turn = "{expect: {system: '^Do it\\.\\n\\nWorking directory: /.*/work\\nToday: \\d{4}-\\d\\d-\\d\\d\\n\\n## Finishing.*`complete_task`'}, tool_calls: [{name: complete_task, arguments: {result: done}}]}";
    Stage::new("", &[turn]).play().ended("goal", 0);
}

#[test]
fn a_conversation_can_begin_before_the_task() {
    let keys = "
promptConfig:
  query: Begin.
  initialMessages:
    - {role: user, content: 'You work in ${cwd}.'}
    - {role: assistant, content: Understood.}
";
    let stage = Stage::new(keys, &[DONE]);
    let messages = &sheet(&stage, &[])["messages"];
    assert_eq!(messages[0], json!({"role": "user", "text": "You work in <work>."}));
    assert_eq!(messages[1]["role"], "assistant");
    assert_eq!(messages[1]["parts"][0]["text"], "Understood.");
    assert_eq!(messages[2], json!({"role": "user", "text": "Begin."}));
    stage.play().ended("goal", 0);
}

#[test]
fn an_agent_that_wants_its_callers_conversation_does_without_if_there_is_none() {
    let stage = Stage::new("forkContext: true", &[&first_message("Get Started!")]);
    assert_eq!(sheet(&stage, &[])["messages"].as_array().unwrap().len(), 1);
    stage.play().ended("goal", 0);
}

#[test]
fn a_prompt_can_come_from_stdin() {
    let stage = Stage::new("", &[&first_message("From\nelsewhere.\n")])
        .file("prompt.txt", "From\nelsewhere.\n");
    let mut command = stage.command(&["tester", "-", "--model", "script:script.yaml"]);
    command.stdin(std::fs::File::open(stage.sandbox.path("prompt.txt")).unwrap());
    let seen = stage.sandbox.see(command);
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), "done\n"), "{seen}");
}

#[test]
fn a_directory_outside_of_the_working_directory_is_refused() {
    for directory in ["..", "/tmp", "inner/../.."] {
        let said = refused(&Stage::new(&format!("baseDir: {directory}"), &[DONE]), &[]);
        assert!(said.contains("below the working directory"), "{directory}: {said}");
    }
    let stage = Stage::new("baseDir: link", &[DONE]);
    std::os::unix::fs::symlink("..", stage.sandbox.path("link")).unwrap();
    let said = refused(&stage, &[]);
    assert!(said.contains("below the working directory"), "{said}");
}

#[test]
fn a_project_cannot_send_keys_elsewhere_or_loosen_tools() {
    for settings in [
        "[providers.x]\nkind = 'openai'\nbase_url = 'http://127.0.0.1:1'\n",
        "[tools]\nsandbox = 'danger_full_access'\n",
    ] {
        let stage = Stage::new("", &[DONE]).file("agentctl.toml", settings);
        let said = refused(&stage, &[]);
        assert!(said.contains("is only read from the user's own file"), "{said}");
    }
}

#[test]
fn a_file_is_run_by_its_path() {
    let agent = "---\nagentType: loose\nwhenToUse: In tests.\n---\n\nDo it.\n";
    let stage = Stage::new("", &[DONE]).file("elsewhere/loose.md", agent);
    let arguments = ["elsewhere/loose.md", "--model", "script:script.yaml"];
    let played = stage.play_with(&arguments).ended("goal", 0);
    assert_eq!(played.result()["agent_type"], "loose");
}

#[test]
fn an_agent_of_another_host_is_run_as_it_is_written() {
    let agent =
        "---\nname: borrowed\ndescription: In tests.\ntools: Read, Bash\n---\n\nUse ${HOME}.\n";
    let turn = "{expect: {system: '^Use \\$\\{HOME\\}\\.', tools: [complete_task, read_file]}, tool_calls: [{name: complete_task, arguments: {result: done}}]}";
    let stage = Stage::new("", &[turn]).file(".claude/agents/borrowed.md", agent);
    stage.play_with(&["borrowed", "--model", "script:script.yaml"]).ended("goal", 0);
}
