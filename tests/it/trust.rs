//! `agentctl trust`, and what `show` says an agent may use.

use crate::support::{Sandbox, assert_snapshot};

const WRITER: &str = "agentType: writer\nwhenToUse: Writes files.\ntools: [read_file, shell, spawn_agent, Task]\npromptConfig:\n  systemPrompt: You write files.\n";

fn writer() -> Sandbox {
    Sandbox::with(&[("agents/writer.yaml", WRITER)])
}

fn grants(sandbox: &Sandbox, tool: &str) -> bool {
    let shown = sandbox.json(&["show", "writer", "--format", "json"]);
    let verdicts = shown["authority"].as_array().unwrap();
    verdicts.iter().any(|verdict| verdict["tool"] == tool && verdict["granted"] == true)
}

#[test]
fn a_trusted_file_may_run_commands_until_it_is_edited() {
    let sandbox = writer();
    assert!(!grants(&sandbox, "shell"));
    assert_eq!(sandbox.run(&["trust", "add", "agents/writer.yaml"]).exit, Some(0));
    assert!(grants(&sandbox, "shell"));
    assert!(grants(&sandbox, "read_file"));
    // Trust does not give what no sub-agent gets.
    assert!(!grants(&sandbox, "Task"));
    sandbox.write("agents/writer.yaml", &format!("{WRITER}# more\n"));
    assert!(!grants(&sandbox, "shell"));
    assert_snapshot!("trust-list-changed", sandbox.run(&["trust", "list"]));
    sandbox.write("agents/writer.yaml", WRITER);
    assert!(grants(&sandbox, "shell"));
    assert_eq!(sandbox.run(&["trust", "remove", "agents/writer.yaml"]).exit, Some(0));
    assert!(!grants(&sandbox, "shell"));
}

#[test]
fn every_grant_and_denial_is_explained() {
    assert_snapshot!("trust-show", writer().run(&["show", "writer"]));
}

#[test]
fn a_copy_of_a_trusted_file_is_not_trusted() {
    let sandbox = writer();
    sandbox.run(&["trust", "add", "agents/writer.yaml"]);
    sandbox.write(".agentctl/agents/copy.yaml", &WRITER.replace("writer", "copy"));
    std::fs::rename(sandbox.path("agents/writer.yaml"), sandbox.path("agents/moved.yaml")).unwrap();
    assert!(!grants(&sandbox, "shell"));
}

#[test]
fn what_cannot_be_trusted_leaves_everything_as_it_was() {
    let sandbox = writer();
    let seen = sandbox.run(&["trust", "add", "agents/writer.yaml", "agents/missing.yaml"]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    assert!(seen.stderr.contains("agents/missing.yaml"), "{seen}");
    assert!(!grants(&sandbox, "shell"));
    let seen = sandbox.run(&["trust", "add", "agents"]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    let seen = sandbox.run(&["trust", "remove", "agents/writer.yaml"]);
    assert_eq!(seen.exit, Some(2), "{seen}");
}

#[test]
fn a_damaged_list_trusts_nobody_and_says_so() {
    let sandbox = writer();
    sandbox.run(&["trust", "add", "agents/writer.yaml"]);
    sandbox.write("~/.local/state/agentctl/trust.json", "{");
    let seen = sandbox.run(&["show", "writer"]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    assert!(seen.stderr.contains("trust.json is damaged"), "{seen}");
    // What does not depend on it still works.
    assert_eq!(sandbox.run(&["validate"]).exit, Some(0));
    assert_eq!(sandbox.run(&["list"]).exit, Some(0));
}

#[test]
fn state_is_kept_where_the_user_says() {
    let sandbox = writer();
    let mut command = sandbox.command(&["trust", "add", "agents/writer.yaml"]);
    command.env("AGENTCTL_HOME", sandbox.path("state"));
    assert_eq!(sandbox.see(command).exit, Some(0));
    assert!(sandbox.path("state/trust.json").is_file());
    assert!(!grants(&sandbox, "shell"));
}
