//! `working_directory`: a person decides, and only where there is something to decide.

use serde_json::json;

use super::{call, scene, spawn, wait};
use crate::stage::{DONE, Stage};

fn elsewhere(path: &str) -> String {
    let arguments = format!("{{agent_type: leaf, message: a, working_directory: '{path}'}}");
    call("spawn_agent", &arguments)
}

/// `lead` starts a leaf in `path`, and waits for it.
fn stage(path: &str) -> Stage {
    let lead: &[&str] = &[&elsewhere(path), &wait("leaf#1"), DONE];
    let look = call("read_file", "{path: here.txt}");
    scene(&[("lead", lead), ("leaf", &[&look, "{text: over}"])])
        .file("inner/here.txt", "inside\n")
        .file("here.txt", "outside\n")
}

#[test]
fn another_directory_needs_an_approval_that_names_it() {
    let played = stage("inner").with(&["--approve", "always"]).lead().worked();
    let asked = played.all("APPROVAL_REQUEST");
    assert_eq!(asked.len(), 1, "{played}");
    assert_eq!(asked[0]["tool_name"], "spawn_agent");
    assert_eq!(asked[0]["detail"], "start `leaf` in <work>/inner instead of <work>");
    assert_eq!(asked[0]["path"], json!(["lead"]));
    let read = &played.answers_of("leaf", "read_file")[0];
    assert!(read.contains("inside"), "it works there: {read}");
}

#[test]
fn an_agent_below_asks_with_its_place_in_the_tree() {
    let lead: &[&str] = &[&spawn("mate", "Go."), &wait("mate#1"), DONE];
    let mate: &[&str] = &[&elsewhere("inner"), &wait("leaf#1"), "{text: over}"];
    let stage = scene(&[("lead", lead), ("mate", mate), ("leaf", &["{text: over}"])]);
    let stage = stage.file("inner/here.txt", "").with(&["--approve", "always"]);
    let played = stage.lead().worked();
    assert_eq!(played.all("APPROVAL_REQUEST")[0]["path"], json!(["lead", "mate#1"]));
    assert_eq!(played.results("leaf").len(), 1);
}

#[test]
fn a_refusal_means_that_nothing_is_started() {
    let played = stage("inner").with(&["--approve", "never"]).lead().worked();
    assert!(played.text("spawn_agent", 0).starts_with("the user refused this call"), "{played}");
    assert_eq!(played.all("STARTED").len(), 1);
    assert_eq!(played.answer("wait", 0)["status"], json!({"leaf#1": "not_found"}));
}

#[test]
fn with_nobody_to_ask_it_is_refused() {
    let played = stage("inner").lead().worked();
    let said = played.text("spawn_agent", 0);
    assert!(said.starts_with("`spawn_agent` needs an approval and nobody can be asked"), "{said}");
    assert_eq!(played.all("APPROVAL_DECISION")[0]["decision"], "nobody_to_ask");
    assert_eq!(played.all("STARTED").len(), 1);
}

#[test]
fn the_same_directory_needs_no_approval() {
    for same in [".", "", "inner/..", "./inner/../."] {
        let played = stage(same).lead().worked();
        assert!(played.all("APPROVAL_REQUEST").is_empty(), "{same}: {played}");
        assert_eq!(played.answer("wait", 0)["result"], "over", "{same}");
    }
}

#[test]
fn nobody_is_asked_about_what_would_be_refused_anyway() {
    let ask = |more: &str| {
        call("spawn_agent", &format!("{{working_directory: inner, message: a, {more}}}"))
    };
    let lead: &[&str] = &[
        &ask("agent_type: nobody"),
        &ask("agent_type: leaf, model: unheard"),
        &ask("agent_type: leaf, reasoning_effort: heroic"),
        &ask("agent_type: leaf, items: []"),
        &elsewhere("missing"),
        &spawn("leaf", "a"),
        &ask("agent_type: leaf"),
        DONE,
    ];
    let stage = scene(&[("lead", lead), ("leaf", &["{hang: true}"])]).file("inner/here.txt", "");
    let stage = stage.collab("max_agents = 1\n").with(&["--approve", "always"]);
    let played = stage.lead_and_cancel().worked();
    assert!(played.all("APPROVAL_REQUEST").is_empty(), "{played}");
    assert!(played.text("spawn_agent", 6).starts_with("agent limit reached"), "{played}");
    assert_eq!(played.all("STARTED").len(), 2);
}

#[test]
fn a_link_is_asked_about_by_where_it_leads() {
    let stage = stage("link").with(&["--approve", "always"]);
    std::os::unix::fs::symlink(stage.sandbox.path("inner"), stage.sandbox.path("link")).unwrap();
    let played = stage.lead().worked();
    let detail = &played.all("APPROVAL_REQUEST")[0]["detail"];
    assert_eq!(detail, "start `leaf` in <work>/inner instead of <work>");
}

#[test]
fn a_directory_outside_is_shown_as_it_is() {
    let played = stage("../home").with(&["--approve", "always"]).lead().worked();
    let detail = &played.all("APPROVAL_REQUEST")[0]["detail"];
    assert_eq!(detail, "start `leaf` in ~ instead of <work>");
    assert!(played.answers_of("leaf", "read_file")[0].contains("does not exist"), "{played}");
}
