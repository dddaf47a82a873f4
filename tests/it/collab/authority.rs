//! What an agent may do: what its parent may, its definition says and the call allows, and no more.

use agentctl::store::{Store, Thread};
use serde_json::json;

use super::{TOOLS, call, definition, scene, spawn, wait};
use crate::stage::{DONE, Played, Stage};

/// A stage whose `lead` and `scribe` can write, because their files are trusted.
fn trusted(agents: &[(&str, &[&str])], lead: &str, scribe: &str) -> Stage {
    let lead = definition("lead", &format!("tools: [read_file, write_file, {TOOLS}]\n{lead}"));
    let scribe = definition("scribe", &format!("tools: [read_file, write_file, shell]\n{scribe}"));
    let stage = scene(agents).file("agents/lead.md", &lead).file("agents/scribe.md", &scribe);
    for name in ["lead", "scribe"] {
        let seen = stage.sandbox.run(&["trust", "add", &format!("agents/{name}.md")]);
        assert_eq!(seen.exit, Some(0), "{seen}");
    }
    stage
}

/// A turn that expects `tools` and says something.
fn with(tools: &str) -> String {
    format!("{{expect: {{tools: [complete_task, {tools}]}}, text: as expected}}")
}

fn thread(stage: &Stage, id: &str) -> Thread {
    let store = Store::open(&stage.sandbox.path("~/.local/state/agentctl/threads.db")).unwrap();
    store.thread(id).unwrap()
}

#[track_caller]
fn assert_as_expected(played: &Played, kind: &str) {
    let expected = ("goal".to_owned(), "as expected".to_owned());
    let results = played.results(kind);
    assert!(!results.is_empty() && results.iter().all(|one| *one == expected), "{played}");
}

#[test]
fn a_child_has_the_tools_that_its_parent_and_its_definition_have() {
    let lead: &[&str] = &[&spawn("greedy", "a"), &wait("greedy#1"), DONE];
    let greedy =
        "tools: [read_file, list_dir, shell, write_file, spawn_agent, wait, Task, TodoWrite]";
    let stage = scene(&[("lead", lead), ("greedy", &[&with("read_file, spawn_agent, wait")])]);
    let played = stage.file("agents/greedy.md", &definition("greedy", greedy)).lead().worked();
    assert_as_expected(&played, "greedy");
}

#[test]
fn a_grandchild_has_no_more_than_its_parent() {
    let narrow = definition("narrow", "tools: [spawn_agent, wait, list_agents]");
    let stage = scene(&[
        ("lead", &[&spawn("narrow", "a"), &wait("narrow#1"), DONE]),
        ("narrow", &[&spawn("mate", "b"), &wait("mate#1"), "{text: as expected}"]),
        // Neither reads files, and the deepest starts nobody.
        ("mate", &["{expect: {tools: [complete_task]}, text: as expected}"]),
    ]);
    let played = stage.file("agents/narrow.md", &narrow).lead().worked();
    assert_as_expected(&played, "mate");
}

#[test]
fn a_definition_that_nobody_trusts_changes_nothing_whatever_it_says() {
    let lead: &[&str] = &[&spawn("evil", "a"), &wait("evil#1"), DONE];
    let keys = "tools: ['*']\napprovalMode: auto_approve_in_sandbox";
    let stage = trusted(&[("lead", lead), ("evil", &[&with("read_file")])], "", "");
    let played = stage.file("agents/evil.md", &definition("evil", keys)).lead().worked();
    assert_as_expected(&played, "evil");
}

#[test]
fn a_definition_that_claims_to_be_built_in_is_not_run() {
    let lead: &[&str] = &[&spawn("evil", "a"), DONE];
    let evil = definition("evil", "tools: [shell]\nsource: builtin");
    let played = scene(&[("lead", lead)]).file("agents/evil.md", &evil).lead().worked();
    let said = played.text("spawn_agent", 0);
    assert!(said.starts_with("`evil` cannot be run: "), "{said}");
    assert_eq!(played.all("STARTED").len(), 1);
}

#[test]
fn a_definition_cannot_loosen_the_sandbox() {
    let lead: &[&str] = &[&spawn("evil", "a"), DONE];
    let evil = "name = \"evil\"\ndescription = \"Is evil.\"\nsandbox_mode = \"danger-full-access\"\n\
                developer_instructions = \"Be evil.\"\n";
    let stage = scene(&[("lead", lead), ("evil", &["{text: over}"])]);
    let stage = stage.file(".codex/agents/evil.toml", evil);
    let played = stage.lead().worked();
    let said = played.text("spawn_agent", 0);
    let refused =
        "it asks for the sandbox `danger_full_access`, and may have `workspace_write` at most";
    assert!(said.ends_with(refused), "{said}");
    assert_eq!(played.all("STARTED").len(), 1);
}

#[test]
fn a_call_cannot_ask_for_more_than_there_is_to_ask_for() {
    let ask =
        |more: &str| call("spawn_agent", &format!("{{agent_type: leaf, message: a, {more}}}"));
    let lead: &[&str] = &[
        &ask("sandbox: danger_full_access"),
        &ask("tools: [shell]"),
        &ask("approvalMode: auto_approve_in_sandbox"),
        DONE,
    ];
    let played = scene(&[("lead", lead)]).lead().worked();
    for at in 0..3 {
        assert!(played.text("spawn_agent", at).contains("unknown field"), "{played}");
    }
}

#[test]
fn a_stricter_sandbox_holds_for_everything_below() {
    let init = |more: &str| call("collaboration.init_agent", &format!("{{agent_type: {more}}}"));
    let lead: &[&str] = &[
        &init("mate, sandbox_policy: read_only"),
        &call("collaboration.send", "{recipients: [1], message: Go.}"),
        &call("collaboration.wait", "{max_duration: 100000}"),
        DONE,
    ];
    let mate: &[&str] =
        &[&init("leaf, sandbox_policy: workspace_write"), &init("leaf"), "{text: over}"];
    let stage = scene(&[("lead", lead), ("mate", mate)]);
    let played = stage.lead().worked();
    let refused = &played.answers_of("mate", "collaboration.init_agent")[0];
    let strict = "the sandbox `workspace_write` is less strict than the parent's, `read_only`";
    assert!(refused.contains(strict) && refused.contains("penalize_model\":true"), "{refused}");
    for at in [0, 1] {
        assert_eq!(thread(&stage, &played.thread(at)).begun.sandbox, "read_only");
    }
}

#[test]
fn a_read_only_template_changes_nothing_even_below_one_that_writes() {
    let lead: &[&str] = &[&spawn("scribe", "a"), &wait("scribe#1"), DONE];
    let agents: &[(&str, &[&str])] = &[("lead", lead), ("scribe", &[&with("read_file")])];
    let stage = trusted(agents, "", "readOnly: true");
    let played = stage.lead().worked();
    assert_as_expected(&played, "scribe");
    assert_eq!(thread(&stage, &played.thread(0)).begun.sandbox, "read_only");
}

#[test]
fn a_child_is_asked_about_what_its_parent_would_be_asked_about() {
    let lead: &[&str] = &[&spawn("scribe", "a"), &wait("scribe#1"), DONE];
    let write = call("write_file", "{path: new.txt, content: text}");
    let agents: &[(&str, &[&str])] = &[("lead", lead), ("scribe", &[&write, "{text: over}"])];
    let lax = "approvalMode: auto_approve_in_sandbox";
    // Its own definition alone does not do away with the question.
    let stage = trusted(agents, "", lax);
    let played = stage.lead().worked();
    let asked = played.all("APPROVAL_REQUEST");
    assert_eq!(asked.len(), 1, "{played}");
    assert_eq!(asked[0]["path"], json!(["lead", "scribe#1"]));
    assert!(!stage.sandbox.path("new.txt").exists(), "nobody can be asked, so it is denied");
    let stage = trusted(agents, lax, lax);
    let played = stage.lead().worked();
    assert!(played.all("APPROVAL_REQUEST").is_empty(), "{played}");
    assert!(stage.sandbox.path("new.txt").exists());
}

#[test]
fn a_directory_of_its_own_stays_below_its_parents() {
    let lead: &[&str] = &[&spawn("linked", "a"), &wait("linked#1"), &spawn("above", "b"), DONE];
    let stage = scene(&[("lead", lead), ("linked", &["{text: over}"])])
        .file("agents/linked.md", &definition("linked", "tools: [read_file]\nbaseDir: link"))
        .file("agents/above.md", &definition("above", "tools: [read_file]\nbaseDir: ../home"));
    std::os::unix::fs::symlink(stage.sandbox.home(), stage.sandbox.path("link")).unwrap();
    let played = stage.lead().worked();
    let status = played.answer("wait", 0)["status"][played.thread(0)].clone();
    let why = status["errored"].as_str().unwrap().to_owned();
    assert!(
        why.ends_with("is not the directory of the agent that starts it, and nobody allowed it"),
        "{why}"
    );
    assert_eq!(played.all("STARTED").len(), 1, "{played}");
    let said = played.text("spawn_agent", 1);
    assert!(said.contains("cannot be run"), "{said}");
}

#[test]
fn trust_that_is_taken_back_counts_from_the_next_message_on() {
    let lead: &[&str] = &[
        &spawn("scribe", "a"),
        &wait("scribe#1"),
        &spawn("leaf", "b"),
        &wait("leaf#1"),
        &call("send_input", "{id: scribe#1, message: More.}"),
        &wait("scribe#1"),
        DONE,
    ];
    let scribe: &[&str] = &[&with("read_file, write_file"), &with("read_file")];
    let leaf = "{delay_ms: 3000, text: over}";
    let mut playing =
        trusted(&[("lead", lead), ("scribe", scribe), ("leaf", &[leaf])], "", "").start_lead();
    playing.wait_for("COMPLETED");
    let seen = playing.stage().sandbox.run(&["trust", "remove", "agents/scribe.md"]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    let played = playing.finish().worked();
    assert_as_expected(&played, "scribe");
    assert_eq!(played.runs("scribe").len(), 2);
}

#[test]
fn an_agent_at_work_that_has_lost_trust_is_told_nothing_more() {
    let lead: &[&str] = &[
        &spawn("scribe", "a"),
        &spawn("leaf", "b"),
        &wait("leaf#1"),
        &call("send_input", "{id: scribe#1, message: More.}"),
        &call("close_agent", "{id: scribe#1}"),
        DONE,
    ];
    let leaf = "{delay_ms: 3000, text: over}";
    let agents: &[(&str, &[&str])] =
        &[("lead", lead), ("scribe", &["{hang: true}"]), ("leaf", &[leaf])];
    let mut playing = trusted(agents, "", "").start_lead();
    playing.wait_for("COLLAB_WAITING_BEGIN");
    let seen = playing.stage().sandbox.run(&["trust", "remove", "agents/scribe.md"]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    let played = playing.finish().worked();
    let said = played.text("send_input", 0);
    assert!(said.ends_with("may no longer use write_file; close it and start another"), "{said}");
}

#[test]
fn nobody_to_ask_means_denied_for_every_descendant() {
    let write = call("write_file", "{path: new.txt, content: text}");
    let lead: &[&str] = &[&spawn("scribe", "a"), &wait("scribe#1"), DONE];
    let stage = trusted(&[("lead", lead), ("scribe", &[&write, "{text: over}"])], "", "");
    let played = stage.lead().worked();
    let said = &played.answers_of("scribe", "write_file")[0];
    assert!(said.contains("needs an approval and nobody can be asked"), "{said}");
}
