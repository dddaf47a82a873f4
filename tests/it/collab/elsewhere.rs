//! Agents of one process, seen and steered from another.

use agentctl::store::{Closed, Store, ThreadStatus};
use serde_json::Value;

use super::{call, scene, spawn, wait};
use crate::{
    stage::{DONE, Playing, Stage, until},
    support::{Seen, column},
};

/// `lead` with a `mate` that rests, a `leaf` of it that hangs, and a `leaf` of its own that hangs
/// until it is interrupted, for which `lead` waits.
fn family() -> Stage {
    let lead: &[&str] = &[
        &spawn("mate", "Go."),
        &wait("mate#1"),
        &spawn("leaf", "Hang."),
        &wait("leaf#2"),
        &call("list_active_agents", "{scope: all, include_closed: true}"),
        DONE,
    ];
    scene(&[
        ("lead", lead),
        (
            "mate",
            &[
                &spawn("leaf", "a"),
                "{text: I rest.}",
                "{expect: {last_message: '^Hello\\.$'}, text: Hello yourself.}",
            ],
        ),
        ("leaf#1", &["{hang: true}"]),
        ("leaf#2", &["{hang: true}", "{expect: {last_message: '^Stop\\.$'}, text: stopped}"]),
    ])
}

/// A family that is complete, and the threads of `mate`, its leaf and the other leaf.
fn started() -> (Playing, [String; 3]) {
    let mut playing = family().start_lead();
    let threads = [0, 1, 2].map(|_| {
        let spawned = playing.wait_for("COLLAB_AGENT_SPAWN_END");
        spawned["data"]["receiver_thread_ids"][0].as_str().unwrap().to_owned()
    });
    playing.wait_for("COLLAB_WAITING_BEGIN");
    (playing, threads)
}

fn run(playing: &Playing, arguments: &[&str]) -> Seen {
    playing.stage().sandbox.run(arguments)
}

fn store(playing: &Playing) -> Store {
    Store::open(&playing.stage().sandbox.path("~/.local/state/agentctl/threads.db")).unwrap()
}

/// Lets `lead` come to its end.
fn release(playing: &Playing, leaf: &str) {
    let seen = run(playing, &["send", leaf, "Stop.", "--interrupt"]);
    assert_eq!(seen.exit, Some(0), "{seen}");
}

#[test]
fn agents_of_another_process_are_listed_with_their_notes() {
    let (playing, [mate, below, leaf]) = started();
    let threads = store(&playing);
    until("it has begun", || threads.thread(&leaf).unwrap().status == ThreadStatus::Running);
    let list = run(&playing, &["ps", "--all", "--tree", "--format", "json"]).json();
    assert_eq!(column(&list, "agent_type"), ["lead", "mate", "leaf", "leaf"]);
    let of = |id: &str| -> Value {
        list.as_array().unwrap().iter().find(|one| one["agent_id"] == id).unwrap().clone()
    };
    assert_eq!(of(&mate)["status"], "completed", "{list}");
    assert_eq!(of(&leaf)["status"], "running", "{list}");
    assert_eq!(run(&playing, &["note", &leaf, "  the  slow one "]).stdout, "the slow one\n");
    assert!(run(&playing, &["ps"]).stdout.contains("the slow one"));
    release(&playing, &leaf);
    assert_eq!(run(&playing, &["close", &below]).exit, Some(0));
    let played = playing.finish().worked();
    // Whoever started it sees the note as well.
    let list = played.answer("list_active_agents", 0);
    assert_eq!(list[2]["thread_note"], "the slow one", "{played}");
}

#[test]
fn a_message_from_another_process_reaches_the_agent() {
    let (mut playing, [mate, below, leaf]) = started();
    assert_eq!(run(&playing, &["send", &mate, "Hello."]).exit, Some(0));
    let ended = playing.wait_for("COMPLETED");
    assert_eq!(ended["data"]["result"], "Hello yourself.", "{ended}");
    release(&playing, &leaf);
    assert_eq!(run(&playing, &["close", &below]).exit, Some(0));
    let played = playing.finish().worked();
    assert_eq!(played.answer("wait", 1)["result"], "stopped", "{played}");
}

#[test]
fn waiting_in_another_process_returns_at_the_end_of_the_agent() {
    let (playing, [mate, below, leaf]) = started();
    // One that rests has ended.
    let seen = run(&playing, &["wait", &mate, "--format", "json"]).json();
    assert_eq!(seen["completed_id"], mate.as_str(), "{seen}");
    assert_eq!(seen["result"], "I rest.");
    let sandbox = &playing.stage().sandbox;
    let mut command = sandbox.command(&["wait", &leaf, "--format", "json"]);
    let waiting = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    release(&playing, &leaf);
    let seen = sandbox.seen(&waiting.wait_with_output().unwrap()).json();
    assert_eq!(seen["status"][&leaf], "completed", "{seen}");
    assert_eq!(seen["result"], "stopped");
    assert_eq!(run(&playing, &["close", &below]).exit, Some(0));
    playing.finish().worked();
}

#[test]
fn closing_from_another_process_takes_those_below_along() {
    let (playing, [mate, below, leaf]) = started();
    let seen = run(&playing, &["close", &mate]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    let store = store(&playing);
    until("both are closed", || {
        let closed = |id: &str| store.thread(id).unwrap().status == ThreadStatus::Shutdown;
        closed(&mate) && closed(&below)
    });
    // The one below is opened again with the one above.
    assert_eq!(store.thread(&mate).unwrap().closed, Some(Closed::Explicit));
    assert_eq!(store.thread(&below).unwrap().closed, Some(Closed::WithParent));
    let seen = run(&playing, &["send", &mate, "Hello?"]);
    assert!(seen.stderr.contains("was closed"), "{seen}");
    release(&playing, &leaf);
    let played = playing.finish().worked();
    let list = played.answer("list_active_agents", 0);
    assert_eq!(column(&list, "status"), ["shutdown", "shutdown", "completed"], "{played}");
}

#[test]
fn resuming_an_agent_that_is_running_elsewhere_changes_nothing() {
    let (playing, [_, below, leaf]) = started();
    let seen = run(&playing, &["resume", &leaf]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    assert!(seen.stderr.contains("is running"), "{seen}");
    release(&playing, &leaf);
    assert_eq!(run(&playing, &["close", &below]).exit, Some(0));
    let played = playing.finish().worked();
    assert_eq!(played.answer("wait", 1)["result"], "stopped", "{played}");
}

#[test]
fn an_agent_that_is_opened_again_gets_its_mail_in_its_own_process() {
    let lead: &[&str] = &[
        &spawn("leaf", "a"),
        &wait("leaf#1"),
        &call("close_agent", "{id: leaf#1}"),
        &call("resume_agent", "{id: leaf#1}"),
        &spawn("leaf", "Hang."),
        &wait("leaf#2"),
        DONE,
    ];
    let leaf: &[&str] = &["{text: one}", "{expect: {last_message: '^Hello\\.$'}, text: two}"];
    let stage = scene(&[
        ("lead", lead),
        ("leaf#1", leaf),
        ("leaf#2", &["{hang: true}", "{text: stopped}"]),
    ]);
    let mut playing = stage.start_lead();
    let mut spawned = || {
        let end = playing.wait_for("COLLAB_AGENT_SPAWN_END");
        end["data"]["receiver_thread_ids"][0].as_str().unwrap().to_owned()
    };
    let (first, second) = (spawned(), spawned());
    assert_eq!(run(&playing, &["send", &first, "Hello."]).exit, Some(0));
    let ended = playing.wait_for("COMPLETED");
    assert_eq!(ended["data"]["result"], "two", "{ended}");
    release(&playing, &second);
    playing.finish().worked();
}

#[test]
fn what_waits_for_room_does_not_keep_others_from_being_closed() {
    let lead: &[&str] = &[
        &spawn("leaf", "a"),
        &wait("leaf#1"),
        &spawn("leaf", "Hang."),
        &wait("leaf#2"),
        "{delay_ms: 1000, tool_calls: [{name: wait, arguments: {ids: [leaf#1]}}]}",
        DONE,
    ];
    let stage = scene(&[
        ("lead", lead),
        ("leaf#1", &["{text: one}", "{expect: {last_message: '^Hello\\.$'}, text: two}"]),
        ("leaf#2", &["{hang: true}"]),
    ]);
    let mut playing = stage.collab("max_agents = 1\n").start_lead();
    let mut spawned = || {
        let end = playing.wait_for("COLLAB_AGENT_SPAWN_END");
        end["data"]["receiver_thread_ids"][0].as_str().unwrap().to_owned()
    };
    let (first, second) = (spawned(), spawned());
    assert_eq!(run(&playing, &["send", &first, "Hello."]).exit, Some(0));
    let seen = run(&playing, &["close", &second]);
    assert_eq!((seen.exit, seen.stderr.as_str()), (Some(0), ""), "{seen}");
    let played = playing.finish();
    assert_eq!(played.results("leaf").last().unwrap().1, "two", "{played}");
}

#[test]
fn what_an_agent_was_told_elsewhere_while_it_was_closed_is_known_to_it() {
    let lead: &[&str] = &[
        &spawn("leaf", "a"),
        &wait("leaf#1"),
        &call("close_agent", "{id: leaf#1}"),
        &spawn("leaf", "Hang."),
        &wait("leaf#2"),
        &call("resume_agent", "{id: leaf#1}"),
        &call("send_input", "{id: leaf#1, message: And now?}"),
        &wait("leaf#1"),
        DONE,
    ];
    let leaf: &[&str] = &["{text: one}", "{text: two}"];
    let hangs: &[&str] = &["{hang: true}", "{text: stopped}"];
    let stage = scene(&[("lead", lead), ("leaf#1", leaf), ("leaf#2", hangs)]);
    let mut playing = stage.start_lead();
    let mut spawned = || {
        let end = playing.wait_for("COLLAB_AGENT_SPAWN_END");
        end["data"]["receiver_thread_ids"][0].as_str().unwrap().to_owned()
    };
    let (first, second) = (spawned(), spawned());
    let model = ["--model", "script:script.yaml"];
    let seen = run(&playing, &[&["resume", &first, "Alone."][..], &model].concat());
    assert_eq!(seen.exit, Some(0), "{seen}");
    release(&playing, &second);
    let transcript = playing.stage().sandbox.command(&["transcript", &first]);
    playing.wait_for("COLLAB_RESUME_END");
    let ended = playing.wait_for("COMPLETED");
    assert_eq!(ended["data"]["result"], "two", "{ended}");
    let said = playing.stage().sandbox.see(transcript).stdout;
    let (alone, now) = (said.find("Alone."), said.find("And now?"));
    assert!(alone.is_some() && alone < now, "{said}");
    playing.finish().worked();
}
