//! `agentctl run --resume`: what a thread goes on with.

use std::{fs, process::Command, time::Duration};

use agentctl::store::{Store, ThreadStatus};
use serde_json::{Value, json};

use crate::{
    plan_server::{Plan, PlanServer, results},
    stage::{DONE, Stage, until},
    support::{Sandbox, Seen},
};

const KEY: &str = "sk-live-fedcba9876543210";

/// A sandbox whose model is `one/m` and does what `plan` says.
fn sandbox(server: &PlanServer, name: &str, plan: Plan) -> Sandbox {
    let settings = server.scene(name, plan);
    Sandbox::with(&[
        ("~/.config/agentctl/config.toml", settings.as_str()),
        ("notes.txt", "the needle\n"),
        (
            "agents/tester.md",
            "---\nagentType: tester\nwhenToUse: In tests.\ntools: [read_file, shell]\n---\n\nThe old text.\n",
        ),
    ])
}

fn command(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = sandbox.command(&["run"]);
    command.args(arguments).args(["--no-probe", "--approve", "always"]).env("KEY_VARIABLE", KEY);
    command
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Seen {
    sandbox.see(command(sandbox, arguments))
}

fn store(sandbox: &Sandbox) -> Store {
    Store::open(&sandbox.path("~/.local/state/agentctl/threads.db")).unwrap()
}

/// Runs the agent to its end; its thread.
fn done(sandbox: &Sandbox) -> String {
    let seen = run(sandbox, &["tester", "Do it first.", "--model", "one/m", "--format", "json"]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    seen.json()["agent_id"].as_str().unwrap().to_owned()
}

fn read() -> Plan {
    vec![vec![("read_file", json!({"path": "notes.txt"}))]]
}

#[test]
fn a_thread_that_is_done_goes_on_with_all_that_was_said() {
    let server = PlanServer::start(Duration::ZERO);
    let sandbox = sandbox(&server, "whole", read());
    let id = done(&sandbox);
    let before = server.seen("whole");
    let seen = run(&sandbox, &["--resume", &id, "And then this.", "--format", "json"]);
    assert_eq!((seen.exit, seen.stderr.as_str()), (Some(0), ""), "{seen}");
    assert_eq!(seen.json()["agent_id"], id.as_str());
    let after = server.seen("whole").pop().unwrap();
    let (before, after) = (before.last().unwrap().as_array().unwrap(), after.as_array().unwrap());
    assert!(after.starts_with(before), "what was said is not said again");
    let told = results(server.seen("whole").last().unwrap()).join("\n");
    assert!(told.contains("the needle") && told.contains("handed in"), "{told}");
    assert_eq!(after.last().unwrap()["content"], "And then this.");
    // The name of the agent in front of what it is told is fine, another one is not.
    let seen = run(&sandbox, &["--resume", &id[..35], "tester", "Once more."]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    let seen = run(&sandbox, &["--resume", &id, "worker", "Once more."]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    assert!(seen.stderr.contains("is a thread of `tester`, not of `worker`"), "{seen}");
}

#[test]
fn a_definition_that_changed_is_pointed_out_and_the_old_one_is_used() {
    let server = PlanServer::start(Duration::ZERO);
    let sandbox = sandbox(&server, "changed", read());
    let id = done(&sandbox);
    let text = fs::read_to_string(sandbox.path("agents/tester.md")).unwrap();
    sandbox.write("agents/tester.md", &text.replace("old", "new"));
    let seen = run(&sandbox, &["--resume", &id, "Go on."]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    let note =
        "note: <work>/agents/tester.md has changed since; the thread goes on with what it was\n";
    assert_eq!(seen.stderr, note);
    fs::remove_file(sandbox.path("agents/tester.md")).unwrap();
    let seen = run(&sandbox, &["--resume", &id, "Go on."]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    assert!(seen.stderr.contains("agents/tester.md is gone"), "{seen}");
    for messages in server.seen("changed") {
        let system = messages[0]["content"].as_str().unwrap();
        assert!(system.contains("The old text."), "{system}");
    }
}

#[test]
fn a_thread_that_runs_is_not_taken_from_whoever_runs_it() {
    let stage = Stage::new("", &["{hang: true}"]);
    let seen = stage.see_with(&["tester", "--model", "script:script.yaml", "--background"]);
    let id = seen.stdout.trim().to_owned();
    let store = store(&stage.sandbox);
    until("it runs", || store.thread(&id).unwrap().status == ThreadStatus::Running);
    for more in [&["--background"] as &[&str], &[]] {
        let seen = stage.see_with(&[&["--resume", &id, "Go on."], more].concat());
        assert_eq!(seen.exit, Some(2), "{seen}");
        assert!(seen.stderr.starts_with(&format!("error: {id} is still running\n")), "{seen}");
        assert!(seen.stderr.contains(&format!("agentctl send {id}")), "{seen}");
    }
    let owner = store.thread(&id).unwrap().owner.unwrap();
    let pid = rustix::process::Pid::from_raw(owner.pid().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    until("it has ended", || store.thread(&id).unwrap().status == ThreadStatus::Interrupted);
}

#[test]
fn what_a_thread_was_trusted_with_it_is_not_trusted_with_for_ever() {
    let server = PlanServer::start(Duration::ZERO);
    let shell = || ("shell", json!({"command": "echo here >> log"}));
    let plan = vec![vec![shell()], vec![("complete_task", json!({"result": "x"}))], vec![shell()]];
    let sandbox = sandbox(&server, "trusted", plan);
    let seen = sandbox.run(&["trust", "add", "agents/tester.md"]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    let id = done(&sandbox);
    assert_eq!(fs::read_to_string(sandbox.path("log")).unwrap(), "here\n");
    let seen = sandbox.run(&["trust", "remove", "agents/tester.md"]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    let seen = run(&sandbox, &["--resume", &id, "Again."]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    assert_eq!(fs::read_to_string(sandbox.path("log")).unwrap(), "here\n");
    let seen = server.seen("trusted");
    let told = results(seen.last().unwrap());
    assert!(told[2].contains("`shell` is not available to this agent"), "{told:?}");
}

#[test]
fn what_a_background_run_goes_on_with_is_what_was_said_last() {
    let server = PlanServer::start(Duration::ZERO);
    let write = ("shell", json!({"command": "echo here >> log"}));
    let plan = vec![vec![("complete_task", json!({"result": "x"}))], vec![write]];
    let sandbox = sandbox(&server, "background", plan);
    let trusted = sandbox.run(&["trust", "add", "agents/tester.md"]);
    assert_eq!(trusted.exit, Some(0), "{trusted}");
    let id = done(&sandbox);
    let mut command = sandbox.command(&["run", "--resume", &id, "In the back.", "--background"]);
    command.args(["--approve", "never", "--model", "one/other"]).env("KEY_VARIABLE", KEY);
    let seen = sandbox.see(command);
    assert_eq!(seen.exit, Some(0), "{seen}");
    let store = store(&sandbox);
    until("it is done", || {
        let thread = store.thread(&id).unwrap();
        !thread.status.is_active() && thread.outcome.unwrap().model == "one/other"
    });
    assert!(!sandbox.path("log").exists(), "nothing was approved");
    let last = server.seen("background").pop().unwrap();
    let said: Vec<&Value> = last.as_array().unwrap().iter().map(|said| &said["content"]).collect();
    assert!(said.contains(&&json!("In the back.")), "{said:?}");
}

#[test]
fn a_thread_that_never_began_does_what_it_was_to_do_and_what_is_added() {
    let server = PlanServer::start(Duration::ZERO);
    let sandbox = sandbox(&server, "fresh", read());
    let id = done(&sandbox);
    // As if it had been killed before anything was said.
    let connection = rusqlite::Connection::open(store(&sandbox).path()).unwrap();
    connection.execute_batch("DELETE FROM messages; DELETE FROM events").unwrap();
    let seen = run(&sandbox, &["--resume", &id, "And this."]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    let last = server.seen("fresh").pop().unwrap();
    let said: Vec<&Value> = last.as_array().unwrap().iter().map(|said| &said["content"]).collect();
    let at = |text: &str| said.iter().position(|said| said.to_string().contains(text));
    assert!(at("Do it first.").is_some() && at("Do it first.") < at("And this."), "{said:?}");
}

#[test]
fn a_thread_that_cannot_be_found_is_said_to_be_missing() {
    let stage = Stage::new("", &[DONE]);
    let seen = stage.see_with(&["--resume", "0199", "Go on."]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    assert_eq!(seen.stderr, "error: there is no thread `0199`\n");
    for _ in 0..2 {
        stage.play().ended("goal", 0);
    }
    let threads = store(&stage.sandbox).threads(&[]).unwrap();
    let (first, second) = (&threads[0].begun.id, &threads[1].begun.id);
    let same = first.bytes().zip(second.bytes()).take_while(|(a, b)| a == b).count();
    let seen = stage.see_with(&["--resume", &first[..same], "Go on."]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    let prefix = &first[..same];
    let told = format!("error: several threads begin with `{prefix}`: `{first}`, `{second}`\n");
    assert_eq!(seen.stderr, told);
    let seen = stage.see_with(&["--resume", "", "Go on."]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    let seen = stage.see_with(&["--resume", &second[..=same], "Go on."]);
    assert_eq!(seen.exit, Some(0), "{seen}");
}

#[test]
fn keys_are_nowhere_in_the_store() {
    let server = PlanServer::start(Duration::ZERO);
    let command_line = format!("echo {KEY}; echo {KEY} > found; cat found");
    let plan = vec![vec![
        ("shell", json!({"command": command_line})),
        ("read_file", json!({"path": "key.txt"})),
    ]];
    let sandbox = sandbox(&server, "keys", plan);
    sandbox.write("key.txt", &format!("the key is {KEY}\n"));
    let agent = fs::read_to_string(sandbox.path("agents/tester.md")).unwrap();
    sandbox.write("agents/tester.md", &format!("{agent}\nNever say {KEY}.\n"));
    sandbox.run(&["trust", "add", "agents/tester.md"]);
    let prompt = format!("Use {KEY} for it.");
    for background in [&[] as &[&str], &["--background"]] {
        let seen = run(&sandbox, &[&["tester", &prompt, "--model", "one/m"], background].concat());
        assert_eq!(seen.exit, Some(0), "{seen}");
        assert!(!seen.to_string().contains(KEY), "{seen}");
    }
    let store = store(&sandbox);
    until("they are done", || {
        store.threads(&[]).unwrap().iter().all(|thread| !thread.status.is_active())
    });
    let id = store.threads(&[]).unwrap()[0].begun.id.clone();
    let seen = run(&sandbox, &["--resume", &id, &prompt]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    assert!(seen.stderr.is_empty(), "{seen}");
    for file in fs::read_dir(sandbox.path("~/.local/state/agentctl")).unwrap() {
        let path = file.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let found = bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes());
        assert!(!found, "{}", path.display());
    }
}
