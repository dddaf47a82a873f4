//! `agentctl show`.

use serde_json::{Value, json};

use crate::support::{Sandbox, agent, assert_snapshot};

#[test]
fn everything_a_definition_says_is_shown_with_its_place() {
    assert_snapshot!("show-full", Sandbox::project("claude").run(&["show", "code-reviewer"]));
    let sandbox = Sandbox::project("agentctl");
    assert_snapshot!("show-own", sandbox.run(&["show", "schema-critic"]));
    assert_snapshot!("show-own-json", sandbox.run(&["show", "translator", "--format", "json"]));
}

#[test]
fn a_problem_is_shown_at_its_exact_characters() {
    let sandbox = Sandbox::project("claude");
    for (name, file) in [
        ("show-unquoted-colon", ".claude/agents/unquoted-colon.md"),
        ("show-unclosed", ".claude/agents/unclosed.md"),
        ("show-star", ".claude/agents/star.md"),
        ("show-wrong-keys", ".claude/agents/wrong-keys.md"),
    ] {
        assert_snapshot!(name, sandbox.run(&["show", file]));
    }
}

#[test]
fn an_agent_is_found_by_name_path_and_display_name() {
    let sandbox = Sandbox::project("agentctl");
    let by = |agent: &str| sandbox.json(&["show", agent, "--format", "json"]);
    let by_name = by("schema-critic");
    assert_eq!(by_name["path"], "agents/schema-critic.yaml");
    assert_eq!(by("Schema critic"), by_name);
    assert_eq!(by("agents/schema-critic.yaml"), by_name);
    assert_eq!(by("./agents/schema-critic.yaml"), by_name);
}

#[test]
fn an_agent_of_a_plugin_is_found_with_and_without_the_plugin() {
    let sandbox = Sandbox::project("claude-plugin");
    let by = |agent: &str| {
        let arguments = ["show", agent, "--format", "json", "--agents", "plugins"];
        let shown = sandbox.json(&arguments);
        (shown["agent_type"].clone(), shown["plugin"].clone())
    };
    let auditor = (json!("refund-auditor"), json!("payments"));
    assert_eq!(by("payments:refund-auditor"), auditor);
    assert_eq!(by("refund-auditor"), auditor);
}

#[test]
fn a_path_shows_every_agent_of_the_file_even_if_it_is_shadowed() {
    let sandbox = Sandbox::project("docker");
    let shown = sandbox.json(&["show", "newsroom.yaml", "--format", "json"]);
    let names: Vec<_> =
        shown.as_array().unwrap().iter().map(|agent| &agent["agent_type"]).collect();
    assert_eq!(names, ["root", "researcher", "writer"]);

    let sandbox = Sandbox::with(&[
        (".claude/agents/a.md", &agent("twin")),
        (".claude/agents/b.md", &agent("twin")),
    ]);
    let shown = sandbox.json(&["show", ".claude/agents/b.md", "--format", "json"]);
    assert_eq!(shown["path"], ".claude/agents/b.md");
}

#[test]
fn json_and_yaml_say_the_same() {
    for (project, agent) in [
        ("claude", "code-reviewer"),
        ("gemini", "dependency-auditor"),
        ("codex", "incident-scribe"),
        ("copilot", "planner"),
        ("opencode", "review/accessibility"),
        ("goose", ".goose/recipes/weekly-report.yaml"),
        ("docker", "newsroom.yaml"),
        ("kiro", "team/estimator"),
        ("agentctl", "translator"),
        ("template", "explorer"),
        ("claude", ".claude/agents/wrong-keys.md"),
    ] {
        let sandbox = Sandbox::project(project);
        let json = sandbox.json(&["show", agent, "--format", "json"]);
        let yaml = sandbox.run(&["show", agent, "--format", "yaml"]);
        let yaml: Value = serde_yaml::from_str(&yaml.stdout).unwrap();
        assert_eq!(yaml, json, "{project}: {agent}");
    }
}

#[test]
fn an_unknown_agent_is_an_error_that_names_the_nearest() {
    let sandbox = Sandbox::project("claude");
    assert_snapshot!("show-unknown", sandbox.run(&["show", "code-reviwer"]));
    let seen = sandbox.run(&["show", "zzz"]);
    assert_eq!(seen.exit, Some(2));
    assert!(seen.stderr.contains("`agentctl list`"), "{seen}");
}

#[test]
fn a_file_that_is_no_agent_is_an_error_unless_a_dialect_is_given() {
    let sandbox = Sandbox::with(&[("notes.md", "Only text.\n")]);
    assert_snapshot!("show-no-agent", sandbox.run(&["show", "notes.md"]));
    let seen = sandbox.run(&["show", "notes.md", "--dialect", "cursor", "--format", "json"]);
    assert_eq!(seen.json()["agent_type"], "notes");
}
