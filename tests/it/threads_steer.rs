//! Waiting for threads and steering them: `output`, `wait`, `send`, `resume`, `note`, `close`, `threads prune`.

use std::{io::Write as _, process::Stdio};

use agentctl::{
    event::Status,
    store::{MailKind, ThreadStatus},
};
use serde_json::json;

use crate::{
    stage::{Stage, script},
    support::assert_snapshot,
    thread_store::{CHILD, GRANDCHILD, OTHER, ROOT, Threads, eventually, new_thread, outcome},
};

#[test]
fn output_prints_what_run_would_have_printed_and_exits_alike() {
    for (status, exit) in [
        (Status::Goal, 0),
        (Status::Error, 1),
        (Status::ErrorNoCompleteTaskCall, 5),
        (Status::MaxTurns, 6),
        (Status::Timeout, 124),
        (Status::Aborted, 130),
    ] {
        let threads = Threads::new();
        threads.running(ROOT, None);
        threads.end(ROOT, outcome(ROOT, status, "What I have."));
        if status == Status::Aborted {
            // Whoever interrupted it might still go on with it; nobody is left who could.
            threads.sql("UPDATE threads SET owner = NULL");
        }
        for _ in 0..2 {
            let seen = threads.run(&["output", ROOT]);
            assert_eq!(seen.exit, Some(exit), "{status:?}: {seen}");
            assert_eq!(seen.stdout, "What I have.\n", "{status:?}: {seen}");
            let silent = seen.stderr.is_empty();
            assert_eq!(silent, status == Status::Goal, "{status:?}: {seen}");
        }
        let json = threads.run(&["output", ROOT, "--format", "json"]).json();
        assert_eq!(json, serde_json::to_value(outcome(ROOT, status, "What I have.")).unwrap());
    }
}

#[test]
fn output_tells_what_has_not_ended() {
    let threads = Threads::new();
    threads.running(ROOT, None);
    assert_snapshot!("threads-output-running", threads.run(&["output", ROOT, "--no-block"]));
    let seen = threads.run(&["output", ROOT, "--no-block", "--format", "json"]);
    assert_eq!((seen.exit, seen.stderr.as_str()), (Some(0), ""), "{seen}");
    let expected = json!({
        "status": "running",
        "agent_id": ROOT,
        "agent_type": "finder",
        "message": "Task still running or timed out waiting",
        "description": "find the entry point",
    });
    assert_eq!(seen.json(), expected);
    let seen = threads.run(&["output", ROOT, "--timeout", "0.1"]);
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(124), ""), "{seen}");
    assert_eq!(seen.stderr, format!("error: `{ROOT}` has not ended within 0.1 s\n"));
    let seen = threads.run(&["output", "0f", "--format", "json"]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    assert_eq!(seen.json()["status"], "not_found");
    assert_eq!(seen.json()["message"], "No task found with that agent_id");
}

#[test]
fn several_can_wait_for_the_same_output() {
    let threads = Threads::new();
    threads.pending(ROOT, None);
    let children = [
        threads.watching(&["output", ROOT]),
        threads.watching(&["output", &ROOT[..13]]),
        threads.watching(&["wait", ROOT]),
    ];
    threads.begin(ROOT);
    threads.end(ROOT, outcome(ROOT, Status::Goal, "Found."));
    let [one, other, waited] = children.map(|child| threads.seen(child));
    assert_eq!((one.exit, one.stdout.as_str()), (Some(0), "Found.\n"), "{one}");
    assert_eq!((other.exit, other.stdout.as_str()), (Some(0), "Found.\n"), "{other}");
    assert_eq!(waited.stdout, format!("{ROOT}  completed\n"), "{waited}");
}

#[test]
fn output_of_what_was_closed_says_so() {
    let threads = Threads::new();
    threads.store.create(&new_thread(ROOT, None), None).unwrap();
    assert!(threads.store.close_idle(ROOT).unwrap());
    let seen = threads.run(&["output", ROOT, "--format", "json"]);
    assert_eq!(seen.exit, Some(130), "{seen}");
    assert_eq!(seen.json()["status"], "shutdown");
    assert_eq!(seen.stderr, "error: it was closed before it had a result\n");
}

#[test]
fn wait_returns_with_the_first_that_has_ended() {
    let threads = Threads::new();
    threads.running(ROOT, None);
    threads.running(CHILD, Some(ROOT));
    let child = threads.watching(&["wait", ROOT, CHILD, "--format", "json"]);
    threads.end(CHILD, outcome(CHILD, Status::MaxTurns, "Half."));
    let seen = threads.seen(child);
    assert_eq!(seen.exit, Some(0), "{seen}");
    let expected = json!({
        "status": { CHILD: "errored" },
        "timed_out": false,
        "completed_id": CHILD,
        "result": "Half.",
    });
    assert_eq!(seen.json(), expected);
    let seen = threads.run(&["wait", ROOT, "0f", "--format", "json"]);
    let expected = json!({
        "status": { "0f": "not_found" },
        "timed_out": false,
        "completed_id": "0f",
        "result": null,
    });
    assert_eq!((seen.exit, seen.json()), (Some(0), expected));
    assert_eq!(threads.run(&["wait"]).exit, Some(2));
}

#[test]
fn mail_reaches_whoever_runs_the_thread() {
    let threads = Threads::new();
    threads.running(ROOT, None);
    assert_eq!(threads.run(&["send", ROOT, "one more thing"]).exit, Some(0));
    assert_eq!(threads.run(&["send", ROOT, "stop that", "--interrupt"]).exit, Some(0));
    let mut command = threads.sandbox.command(&["send", ROOT, "-"]);
    command.stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"from a pipe\n").unwrap();
    assert!(child.wait().unwrap().success());
    let mail = threads.store.take_mail(ROOT).unwrap();
    let mail: Vec<_> = mail.iter().map(|mail| (mail.kind, mail.text.as_str())).collect();
    let expected = [
        (MailKind::Input, "one more thing"),
        (MailKind::Interrupt, "stop that"),
        (MailKind::Input, "from a pipe\n"),
    ];
    assert_eq!(mail, expected);
}

#[test]
fn nothing_is_sent_to_those_who_were_closed_and_nothing_empty_to_anyone() {
    let threads = Threads::new();
    threads.completed(ROOT, None);
    assert!(threads.store.close_idle(ROOT).unwrap());
    threads.running(CHILD, Some(ROOT));
    assert_snapshot!("threads-send-closed", threads.run(&["send", ROOT, "more"]));
    for empty in ["", " \n", "-"] {
        let seen = threads.run(&["send", CHILD, empty]);
        assert_eq!(seen.exit, Some(2), "{seen}");
        assert_eq!(seen.stderr, "error: the message is empty\n");
    }
    assert!(!threads.store.has_mail(ROOT).unwrap() && !threads.store.has_mail(CHILD).unwrap());
}

/// A turn that hands in `result` if it was told `told`.
fn answer(told: &str, result: &str) -> String {
    format!(
        "{{expect: {{last_message: '{told}'}}, \
         tool_calls: [{{name: complete_task, arguments: {{result: {result}}}}}]}}"
    )
}

/// An agent that was told to begin and has ended, and its id.
fn ended() -> (Stage, String) {
    let stage = Stage::new("", &[&answer("^begin$", "first")]);
    let arguments = ["tester", "begin", "--model", "script:script.yaml", "--format", "json"];
    let seen = stage.see_with(&arguments);
    assert_eq!(seen.exit, Some(0), "{seen}");
    let id = seen.json()["agent_id"].as_str().unwrap().to_owned();
    (stage, id)
}

/// What an agent is to do next.
fn next(stage: &Stage, told: &str, result: &str) {
    stage.sandbox.write("script.yaml", &script(&[&answer(told, result)]));
}

#[test]
fn what_is_sent_to_those_who_have_ended_starts_them_again() {
    let (stage, id) = ended();
    for (arguments, told) in
        [(&["and more"][..], "and more"), (&["at once", "--interrupt"], "at once")]
    {
        next(&stage, &format!("^{told}$"), &format!("did {told}"));
        let seen = stage.sandbox.run(&[&["send", &id[..30]], arguments].concat());
        assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), ""), "{seen}");
        let expected = format!(
            "note: `{id}` had ended and was started again; `agentctl output {id}` waits for its result\n"
        );
        assert_eq!(seen.stderr, expected);
        let seen = stage.sandbox.run(&["output", &id]);
        assert_eq!((seen.exit, seen.stdout), (Some(0), format!("did {told}\n")));
    }
    let logs = stage.sandbox.run(&["logs", &id]).stdout;
    let at = |text: &str| logs.find(text).unwrap_or_else(|| panic!("no {text} in {logs}"));
    let order =
        ["  begin", "  first", "  and more", "  did and more", "  at once", "  did at once"];
    assert!(order.map(at).is_sorted(), "{logs}");
    // What cannot be run is not sent either.
    stage.sandbox.write("script.yaml", "turns: 7\n");
    let seen = stage.sandbox.run(&["send", &id, "never"]);
    assert_ne!(seen.exit, Some(0), "{seen}");
    assert_eq!(stage.sandbox.run(&["send", "0f", "x"]).exit, Some(2));
    assert!(!stage.sandbox.run(&["transcript", &id]).stdout.contains("never"));
}

#[test]
fn an_agent_can_be_resumed_even_if_it_was_closed() {
    let (stage, id) = ended();
    next(&stage, "^tester$", "second");
    let seen = stage.sandbox.run(&["resume", &id, "tester"]);
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), "second\n"), "{seen}");
    assert_eq!(stage.sandbox.run(&["close", &id]).exit, Some(0));
    next(&stage, "handed in", "third");
    let seen = stage.sandbox.run(&["resume", &id, "--format", "json"]);
    assert_eq!(seen.json()["result"], "third", "{seen}");
    next(&stage, "^in the back$", "fourth");
    let seen = stage.sandbox.run(&["resume", &id, "in the back", "--background"]);
    assert_eq!((seen.exit, seen.stdout.trim()), (Some(0), id.as_str()), "{seen}");
    assert_eq!(stage.sandbox.run(&["output", &id]).stdout, "fourth\n");
    let seen = stage.sandbox.run(&["resume", "0f"]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    assert!(seen.stderr.starts_with("error: there is no agent `0f`\n"), "{seen}");
}

#[test]
fn an_agent_that_runs_need_not_be_resumed() {
    let threads = Threads::new();
    threads.running(ROOT, None);
    let seen = threads.run(&["resume", ROOT]);
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), ""), "{seen}");
    assert_eq!(seen.stderr, format!("note: `{ROOT}` is running\n"));
    assert!(!threads.store.has_mail(ROOT).unwrap());
    let seen = threads.run(&["resume", ROOT, "and this", "--format", "json"]);
    assert_eq!(seen.json(), json!({ "status": "running", "agent_id": ROOT }));
    let mail = threads.store.take_mail(ROOT).unwrap();
    assert_eq!(mail[0].text, "and this", "{seen}");
    assert_eq!(threads.store.thread(ROOT).unwrap().status, ThreadStatus::Running);
}

#[test]
fn a_note_is_one_line_and_can_be_taken_away() {
    let threads = Threads::new();
    threads.running(ROOT, None);
    let note = |arguments: &[&str]| threads.run(&[&["note", ROOT], arguments].concat()).stdout;
    assert_eq!(note(&[]), "");
    assert_eq!(note(&["  looks \n for it "]), "looks for it\n");
    assert_eq!(note(&[]), "looks for it\n");
    assert!(threads.run(&["ps"]).stdout.contains("looks for it"));
    assert_eq!(note(&[&"x".repeat(300)]), "x".repeat(200) + "\n");
    assert_eq!(note(&[" "]), "");
    assert_eq!(threads.store.thread(ROOT).unwrap().begun.note, None);
}

#[test]
fn closing_takes_the_whole_tree_with_the_children_first() {
    let threads = Threads::new();
    threads.completed(ROOT, None);
    threads.completed(CHILD, Some(ROOT));
    threads.running(GRANDCHILD, Some(CHILD));
    threads.completed(OTHER, None);
    let child = threads.watching(&["close", ROOT]);
    let mut mail = Vec::new();
    eventually(|| {
        mail.extend(threads.store.take_mail(GRANDCHILD).unwrap());
        !mail.is_empty()
    });
    assert_eq!(mail[0].kind, MailKind::Close);
    threads.end(GRANDCHILD, outcome(GRANDCHILD, Status::Aborted, ""));
    let seen = threads.seen(child);
    let expected = format!("{GRANDCHILD}  running\n{CHILD}  completed\n{ROOT}  completed\n");
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), expected.as_str()), "{seen}");
    for id in [ROOT, CHILD, GRANDCHILD] {
        assert_eq!(threads.store.thread(id).unwrap().status, ThreadStatus::Shutdown);
    }
    assert_eq!(threads.store.thread(OTHER).unwrap().status, ThreadStatus::Completed);
    let again = threads.run(&["close", CHILD, ROOT, "--format", "json"]).json();
    let expected = json!({ GRANDCHILD: "shutdown", CHILD: "shutdown", ROOT: "shutdown" });
    assert_eq!(again["previous_status"], expected);
}

#[test]
fn closing_tells_when_a_thread_does_not_end() {
    let threads = Threads::new();
    threads.running(ROOT, None);
    let seen = threads.run(&["close", ROOT]);
    assert_eq!((seen.exit, seen.stdout), (Some(0), format!("{ROOT}  running\n")));
    assert!(seen.stderr.contains("has not ended within 5 s"), "{}", seen.stderr);
    assert_eq!(threads.store.thread(ROOT).unwrap().status, ThreadStatus::Running);
}

#[test]
fn a_wrong_name_closes_nothing() {
    let threads = Threads::new();
    threads.completed(ROOT, None);
    assert_eq!(threads.run(&["close", ROOT, "0f"]).exit, Some(2));
    assert_eq!(threads.store.thread(ROOT).unwrap().status, ThreadStatus::Completed);
}

#[test]
fn only_what_ended_long_ago_is_forgotten() {
    let threads = Threads::new();
    threads.completed(ROOT, None);
    threads.completed(CHILD, Some(ROOT));
    threads.running(OTHER, None);
    threads.aged(40 * 86_400, 40 * 86_400);
    let prune = |age: &str| threads.run(&["threads", "prune", "--older-than", age]);
    assert_eq!(prune("41d").stdout, "0 threads were forgotten\n");
    threads.sql(&format!("UPDATE threads SET updated = unixepoch() * 1000 WHERE id = '{CHILD}'"));
    assert_eq!(prune("5w").stdout, "1 thread was forgotten\n");
    let left = crate::support::column(
        &threads.run(&["ps", "--all", "--format", "json"]).json(),
        "agent_id",
    );
    assert_eq!(left.len(), 2);
    assert!(!left.contains(&ROOT.to_owned()));
    for wrong in ["30", "1y", "-1d"] {
        assert_eq!(prune(wrong).exit, Some(2), "{wrong}");
    }
}
