//! `spawn_agent`: what it takes, what comes first, and what is refused before anything starts.

use serde_json::json;

use super::{call, definition, scene, spawn, wait};
use crate::stage::DONE;

#[test]
fn a_spawned_agent_has_an_id_and_a_number_and_its_last_message_is_its_result() {
    let lead: &[&str] = &[&spawn("leaf", "Look."), &wait("leaf#1"), DONE];
    let leaf = "{expect: {last_message: 'Look\\.'}, text: seen}";
    let played = scene(&[("lead", lead), ("leaf", &[leaf])]).lead().worked();
    let spawned = played.answer("spawn_agent", 0);
    assert_eq!(spawned["agent_idx"], 1);
    let id = spawned["agent_id"].as_str().unwrap();
    assert!(id.len() == 36 && id.as_bytes()[14] == b'7', "{id}");
    assert_eq!(played.answer("wait", 0)["status"], json!({id: {"completed": "seen"}}));
}

#[test]
fn an_agent_may_also_hand_in_its_result() {
    let lead: &[&str] = &[&spawn("leaf", "Look."), &wait("leaf#1"), DONE];
    let played = scene(&[("lead", lead), ("leaf", &[DONE])]).lead().worked();
    assert_eq!(played.answer("wait", 0)["result"], "done");
}

#[test]
fn a_message_is_a_text_or_items_and_never_both_or_nothing() {
    let text = "items: [{type: text, text: One.}, {type: mention, name: a, path: src/a.rs}]";
    let lead: &[&str] = &[
        &call("spawn_agent", &format!("{{message: a, {text}}}")),
        &call("spawn_agent", "{}"),
        &call("spawn_agent", "{message: '  '}"),
        &call("spawn_agent", "{items: []}"),
        &call("spawn_agent", "{items: [{type: text, text: ' '}]}"),
        &call("spawn_agent", "{message: a, unheard: of}"),
        &call("spawn_agent", &format!("{{agent_type: leaf, {text}}}")),
        &wait("leaf#1"),
        DONE,
    ];
    let leaf = "{expect: {last_message: 'One\\..*\\[file a: src/a\\.rs\\]'}, text: read}";
    let played = scene(&[("lead", lead), ("leaf", &[leaf])]).lead().worked();
    let said: Vec<String> = (0..5).map(|at| played.text("spawn_agent", at)).collect();
    let empty = "Empty message can't be sent to an agent";
    let expected = [
        "Provide either message or items, but not both",
        "Provide one of: message or items",
        empty,
        "Items can't be empty",
        empty,
    ];
    assert_eq!(said, expected);
    assert!(played.text("spawn_agent", 5).contains("unheard"), "{played}");
    assert_eq!(played.answer("wait", 0)["result"], "read");
}

#[test]
fn without_a_type_the_default_agent_is_started() {
    let lead: &[&str] = &[&call("spawn_agent", "{message: a}"), &wait("default#1"), DONE];
    let played = scene(&[("lead", lead), ("default", &["{text: ok}"])]).lead().worked();
    assert_eq!(played.answer("wait", 0)["result"], "ok");
}

#[test]
fn an_unknown_type_or_persona_is_refused_with_those_there_are() {
    let lead: &[&str] = &[
        &spawn("nobody", "a"),
        &call("spawn_agent", "{agent_type: cast, agent_name: nobody, message: a}"),
        DONE,
    ];
    let cast = definition("cast", "agent_names: {ann: {}, bob: {}}");
    let played = scene(&[("lead", lead)]).file("agents/cast.md", &cast).lead().worked();
    let said = played.text("spawn_agent", 0);
    assert!(
        said.starts_with("unknown subagent type `nobody`; available: Explore, Plan, "),
        "{said}"
    );
    let said = played.text("spawn_agent", 1);
    assert!(said.ends_with("it has no persona called `nobody`; there are ann, bob"), "{said}");
}

#[test]
fn the_call_beats_the_persona_which_beats_the_template_which_beats_the_parent() {
    let cast = definition(
        "cast",
        "modelConfig: {model: 'script:template.yaml', reasoningEffort: low}\n\
         agent_names: {ann: {model: 'script:ann.yaml', reasoning_effort: medium, prompt: Be Ann.}}",
    );
    let ask = |more: &str| call("spawn_agent", &format!("{{agent_type: cast, message: a{more}}}"));
    let called = ", agent_name: ann, model: 'script:call.yaml', reasoning_effort: high";
    let lead: &[&str] = &[
        &ask(called),
        &ask(", agent_name: ann"),
        &ask(""),
        &spawn("leaf", "a"),
        &call("wait", "{ids: [cast#1]}"),
        &call("wait", "{ids: [cast#2]}"),
        &call("wait", "{ids: [cast#3]}"),
        &wait("leaf#1"),
        &call("list_active_agents", "{}"),
        DONE,
    ];
    let models = "[models]\ncall = 'script:call.yaml'\n";
    let answers =
        |system: &str| format!("turns:\n  - {{expect: {{system: '{system}'}}, text: answered}}\n");
    let stage = scene(&[("lead", lead), ("leaf", &["{text: answered}"])])
        .file("agents/cast.md", &cast)
        .file("call.yaml", &answers("Be Ann"))
        .file("ann.yaml", &answers("Be Ann"))
        .file("template.yaml", &answers("You are cast"))
        .settings(&format!("{models}[collab]\nwait_min_ms = 1\n"));
    let lead = definition(
        "lead",
        &format!("tools: [{}]\nmodelConfig: {{reasoningEffort: minimal}}", super::TOOLS),
    );
    let played = stage.file("agents/lead.md", &lead).lead().worked();
    let list = played.answer("list_active_agents", 0);
    let of = |at: usize| {
        (
            list[at]["model"].as_str().unwrap_or(""),
            list[at]["reasoning_effort"].as_str().unwrap_or(""),
        )
    };
    assert_eq!(of(0), ("script:call.yaml", "high"), "{played}");
    assert_eq!(of(1), ("script:ann.yaml", "medium"));
    assert_eq!(of(2), ("script:template.yaml", "low"));
    assert_eq!(of(3), ("script:script.yaml", "minimal"));
    assert_eq!(list[0]["agent_name"], "ann");
    for at in 0..4 {
        assert_eq!(played.answer("wait", at)["result"], "answered", "{played}");
    }
}

#[test]
fn an_unknown_model_is_refused_with_those_there_are() {
    let lead: &[&str] =
        &[&call("spawn_agent", "{agent_type: leaf, message: a, model: unheard}"), DONE];
    let stage = scene(&[("lead", lead)]).settings("[models]\nquick = 'script:script.yaml'\n");
    let played = stage.lead().worked();
    let said = played.text("spawn_agent", 0);
    let expected = "Unknown model `unheard` for spawn_agent. Available models: inherit, quick";
    assert_eq!(said, expected);
    assert_eq!(played.all("STARTED").len(), 1, "{played}");
}

#[test]
fn an_effort_the_model_does_not_know_is_refused_with_those_it_does() {
    let ask = call("spawn_agent", "{agent_type: leaf, message: a, reasoning_effort: heroic}");
    let played = scene(&[("lead", &[&ask, DONE])]).lead().worked();
    let expected = "Reasoning effort `heroic` is not supported for model `script:script.yaml`. \
                    Supported reasoning efforts: none, minimal, low, medium, high, xhigh";
    assert_eq!(played.text("spawn_agent", 0), expected);
    assert_eq!(played.all("STARTED").len(), 1, "{played}");
}

#[test]
fn an_agent_is_told_who_it_is_and_what_holds_for_it() {
    let leaf = "{expect: {system: 'You are agent 1 of this session: `leaf#1`, thread [0-9a-f-]{36}, \
                started by agent 0\\. You are 1 below the main agent, of 2 at most\\. You may use 900 \
                tokens\\. You have the tools you are offered and no others\\.'}, text: ok}";
    let lead: &[&str] = &[&spawn("leaf", "a"), &wait("leaf#1"), DONE];
    let played = scene(&[("lead", lead), ("leaf", &[leaf])]).collab("juice = 900\n").lead();
    assert_eq!(played.worked().answer("wait", 0)["result"], "ok");
}

#[test]
fn a_new_agent_knows_nothing_and_a_forked_one_what_was_settled() {
    let read =
        "{text: Reading first., tool_calls: [{name: read_file, arguments: {path: note.txt}}]}";
    let fork = "{text: Now fork., tool_calls: [{name: spawn_agent, arguments: {agent_type: leaf, \
                message: Forked., fork_context: true}}, {name: read_file, arguments: {path: x}}]}";
    let lead: &[&str] =
        &[read, fork, &spawn("leaf", "New."), &wait("leaf#1"), &wait("leaf#2"), DONE];
    let stage = scene(&[("lead", lead), ("leaf", &["{text: ok}"])]).file("note.txt", "a secret\n");
    let played = stage.lead().worked();
    let said = |id: &str| stage.sandbox.run(&["transcript", id]).stdout;
    let forked = said(&played.thread(0));
    for known in ["Reading first.", "a secret", "Now fork.", "Forked."] {
        assert!(forked.contains(known), "{known}\n{forked}");
    }
    // Calls that had no result yet are not part of what it knows.
    assert!(!forked.contains("spawn_agent"), "{forked}");
    let new = said(&played.thread(1));
    assert!(new.contains("New.") && !new.contains("secret"), "{new}");
}

#[test]
fn a_note_is_normalised_or_made_up_from_the_definition() {
    let noted = "{agent_type: leaf, message: a, thread_note: ' the  first\\n one '}";
    let lead: &[&str] = &[
        &call("spawn_agent", &noted.replace("\\n", " ")),
        &spawn("leaf", "b"),
        &call("spawn_agent", "{agent_type: cast, agent_name: ann, message: c}"),
        &call("list_active_agents", "{}"),
        DONE,
    ];
    let stage = scene(&[("lead", lead), ("leaf", &["{text: a}"]), ("cast", &["{text: a}"])]);
    let cast = definition("cast", "agent_names: [ann]");
    let played = stage.file("agents/cast.md", &cast).lead().worked();
    let list = played.answer("list_active_agents", 0);
    assert_eq!(list[0]["thread_note"], "the first one");
    assert_eq!(list[1]["thread_note"], "agent_type=leaf; agent_description=Is leaf.");
    let made_up = "agent_type=cast; agent_name=ann; agent_description=Is cast.";
    assert_eq!(list[2]["thread_note"], made_up);
    let told = played.all("THREAD_NOTE_UPDATED");
    assert_eq!(told[0]["thread_id"], json!(played.thread(0)));
    assert_eq!(told[0]["thread_note"], "the first one");
}

#[test]
fn the_orchestrator_hands_work_to_workers() {
    let both = "{tool_calls: [{name: spawn_agent, arguments: {agent_type: worker, message: left}}, \
                {name: spawn_agent, arguments: {agent_type: worker, message: right}}]}";
    let worker = "{expect: {tools: [apply_patch, complete_task, exec_command, glob_files, grep_files, \
                  list_dir, read_file, shell, write_file]}, text: worked}";
    let lead: &[&str] = &[both, &wait("worker#1"), &wait("worker#2"), DONE];
    let stage = scene(&[("orchestrator", lead), ("worker", &[worker])]);
    let arguments = ["orchestrator", "Go.", "--model", "script:script.yaml"];
    let played = stage.play_with(&arguments).ended("goal", 0);
    let worked = ("goal".to_owned(), "worked".to_owned());
    assert_eq!(played.results("worker"), [worked.clone(), worked], "{played}");
}
