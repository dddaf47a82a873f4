//! Looking at threads: `ps`, `logs`, `transcript`, and stores that cannot be read.

use std::fs;

use agentctl::{
    conversation::{Message, Part, ToolCall, ToolResult, Usage},
    event::{Decision, Failure, FailureKind, Progress, Status, What},
    store::{Owner, Store},
};
use serde_json::{Value, json};

use crate::{
    stage::{DONE, Stage},
    support::{Sandbox, agent, assert_snapshot, column},
    thread_store::{CHILD, GRANDCHILD, OTHER, ROOT, Threads, database, lines, new_thread, outcome},
};

/// Every command that reads threads.
const READERS: &[&[&str]] = &[
    &["ps"],
    &["ps", "--all", "--format", "json"],
    &["output", ROOT],
    &["wait", ROOT],
    &["logs", ROOT],
    &["transcript", ROOT],
    &["send", ROOT, "x"],
    &["resume", ROOT],
    &["note", ROOT],
    &["close", ROOT],
    &["threads", "list"],
    &["threads", "prune", "--older-than", "1d"],
];

/// What is said of a damaged store.
const DAMAGED: &str = "is damaged: ";

/// A family: a root that works, a child that is done, its child that has not begun.
fn family() -> Threads {
    let threads = Threads::new();
    threads.running(ROOT, None);
    threads.completed(CHILD, Some(ROOT));
    threads.pending(GRANDCHILD, Some(CHILD));
    threads.completed(OTHER, None);
    threads.aged(3 * 3600 + 60, 5 * 60 + 30);
    threads
}

#[test]
fn nobody_runs_where_nothing_ever_ran() {
    let sandbox = Sandbox::empty();
    for arguments in [&["ps"][..], &["ps", "--all"], &["ps", "--tree"], &["threads", "list"]] {
        let seen = sandbox.run(arguments);
        assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), ""), "{arguments:?}");
        assert_eq!(seen.stderr, "no agents are running\n", "{arguments:?}");
    }
    let seen = sandbox.run(&["ps", "--format", "json"]);
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), "[]\n"), "{seen}");
    let seen = sandbox.run(&["threads", "prune", "--older-than", "30d"]);
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), "0 threads were forgotten\n"));
    assert!(!database(&sandbox).exists(), "looking makes no store");
}

#[test]
fn ps_lists_who_is_running_and_with_all_who_was() {
    let threads = family();
    threads.store.set_note(OTHER, Some("the other one")).unwrap();
    assert_snapshot!("threads-ps", threads.run(&["ps"]));
    assert_snapshot!("threads-ps-tree", threads.run(&["ps", "--all", "--tree"]));
    assert_eq!(threads.run(&["threads", "list"]).stdout, threads.run(&["ps", "--all"]).stdout);
}

#[test]
fn ps_gives_programs_everything() {
    let threads = family();
    threads.sql("UPDATE threads SET created = 1794994245678, updated = 1794994245999");
    let list = threads.run(&["ps", "--all", "--format", "json"]).json();
    assert_snapshot!("threads-ps-json", serde_json::to_string_pretty(&list).unwrap());
}

#[test]
fn ps_can_be_asked_for_a_part_of_the_tree() {
    let threads = family();
    let ids = |arguments: &[&str]| {
        let arguments = [&["ps", "--all", "--format", "json"], arguments].concat();
        column(&threads.run(&arguments).json(), "agent_id")
    };
    assert_eq!(ids(&["--of", ROOT, "--scope", "children"]), [CHILD]);
    assert_eq!(ids(&["--of", ROOT, "--scope", "descendants"]), [CHILD, GRANDCHILD]);
    assert_eq!(ids(&["--of", ROOT]), [CHILD, GRANDCHILD]);
    assert_eq!(ids(&["--of", ROOT, "--scope", "all"]).len(), 4);
    assert_eq!(ids(&["--of", GRANDCHILD]), [""; 0]);
    let active = threads.run(&["ps", "--of", ROOT, "--format", "json"]).json();
    assert_eq!(column(&active, "agent_id"), [GRANDCHILD]);
    let seen = threads.run(&["ps", "--scope", "children"]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    assert!(seen.stderr.contains("add `--of ID`"), "{seen}");
}

#[test]
fn a_thread_whose_process_is_gone_has_ended() {
    let threads = Threads::new();
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let gone: Owner = format!("{}:1:x", child.id()).parse().unwrap();
    child.wait().unwrap();
    threads.store.create(&new_thread(ROOT, None), Some(&gone)).unwrap();
    assert_eq!(threads.run(&["ps"]).stderr, "no agents are running\n");
    let list = threads.run(&["ps", "--all", "--format", "json"]).json();
    assert_eq!(list[0]["status"], "errored");
    assert_eq!(list[0]["error"]["kind"], "process_died");
    let seen = threads.run(&["output", ROOT]);
    assert_eq!(seen.exit, Some(1), "{seen}");
    assert_eq!(seen.stderr, "error: the process running it died\n");
    let seen = threads.run(&["logs", ROOT, "--follow"]);
    assert!(seen.stdout.contains("the process running it died"), "{seen}");
}

/// A thread to which everything happened that can.
fn eventful() -> Threads {
    let threads = Threads::new();
    threads.running(ROOT, None);
    let failure =
        |message: &str| Failure { kind: FailureKind::Overloaded, message: message.to_owned() };
    let call = |name: &str, arguments: Value| What::ToolCallStart {
        tool_name: name.to_owned(),
        call_id: "c".to_owned(),
        arguments,
    };
    let result = |name: &str, success: bool, output: String| What::ToolCallEnd {
        tool_name: name.to_owned(),
        call_id: "c".to_owned(),
        success,
        duration_ms: 7,
        output,
    };
    let numbered = (1..=23).map(|at| format!("line {at}\n")).collect();
    for what in [
        What::Retry {
            model: "test/model".to_owned(),
            attempt: 1,
            delay_ms: 1_500,
            error: failure("too busy"),
            next: None,
        },
        What::ThoughtChunk { text: "Where could ".to_owned() },
        What::ThoughtChunk { text: "it be?".to_owned() },
        What::TextChunk { text: "Look\u{1b}[2Jing.\n".to_owned() },
        What::TextChunk { text: "Everywhere.".to_owned() },
        call("grep_files", json!({ "pattern": "fn main", "path": "src" })),
        result("grep_files", true, numbered),
        call("shell", json!("not json")),
        What::ApprovalRequest {
            call_id: "c".to_owned(),
            tool_name: "shell".to_owned(),
            detail: "rm -rf target".to_owned(),
            path: Vec::new(),
        },
        What::ApprovalDecision { call_id: "c".to_owned(), decision: Decision::Denied },
        result("shell", false, "denied".to_owned()),
        What::Error { error: failure("that was not allowed") },
        What::GracePeriodStart { reason: Status::MaxTurns, grace_seconds: 30.0 },
        What::GracePeriodEnd { success: true },
    ] {
        threads.happens(ROOT, what);
    }
    threads.end(ROOT, outcome(ROOT, Status::Goal, "It is in\nsrc/main.rs."));
    threads
}

#[test]
fn logs_tell_who_said_and_did_what() {
    let threads = eventful();
    assert_snapshot!("threads-logs", threads.run(&["logs", ROOT]));
    let followed = threads.run(&["logs", ROOT, "--follow"]);
    assert_eq!(followed.stdout, threads.run(&["logs", ROOT]).stdout);
    let coloured = threads.run(&["logs", ROOT, "--color", "always"]).stdout;
    assert!(coloured.contains("\u{1b}[2mWhere could \u{1b}[0m"), "{coloured:?}");
    assert!(!coloured.contains("\u{1b}[2J"), "{coloured:?}");
}

#[test]
fn logs_are_numbered_by_thread_for_programs() {
    let seen = eventful().run(&["logs", ROOT, "--format", "jsonl"]);
    let events: Vec<Value> =
        seen.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..16).collect::<Vec<u64>>());
    assert_eq!(events[0]["event_type"], "STARTED");
    assert_eq!(events[15]["data"]["status"], "goal");
}

#[test]
fn logs_can_be_followed_from_before_the_beginning_to_the_end() {
    let threads = Threads::new();
    threads.pending(ROOT, None);
    let mut child = threads.watching(&["logs", ROOT, "--follow"]);
    let seen = lines(&mut child);
    let next = || seen.recv_timeout(crate::support::PATIENCE).unwrap();
    threads.begin(ROOT);
    assert_eq!(next(), "finder asks test/model in /project");
    assert_eq!((next(), next()), ("user".to_owned(), "  Where does it begin?".to_owned()));
    threads.speaks(ROOT, "Looking.\n");
    assert_eq!((next(), next()), ("assistant".to_owned(), "  Looking.".to_owned()));
    threads.end(ROOT, outcome(ROOT, Status::Timeout, "half"));
    assert_eq!(next(), "ended after 12.3 s: out of time (3 turns, 1234 tokens)");
    assert_eq!(next(), "  something went wrong");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A thread that was told things at every time at which that is possible.
fn told() -> Threads {
    let threads = Threads::new();
    let happens = |what| threads.happens(ROOT, what);
    let turn = || happens(What::TurnStart { progress: Progress::default() });
    let hears = |text: &str| threads.said(ROOT, &Message::user(text));
    let answers = |parts: Vec<Part>| {
        threads.said(ROOT, &Message::Assistant { parts, by: "test/model".to_owned() });
    };
    let text = |text: &str| Part::Text { text: text.to_owned() };
    let done = || {
        happens(What::TurnComplete { progress: Progress::default(), usage: Usage::default() });
    };
    let tool_name = "grep_files".to_owned();
    let call = ToolCall {
        id: "c".to_owned(),
        name: tool_name.clone(),
        arguments: "{}".to_owned(),
        signature: None,
    };
    let calls = || {
        let (tool_name, call_id) = (tool_name.clone(), "c".to_owned());
        happens(What::ToolCallStart { tool_name, call_id, arguments: json!({}) });
    };
    threads.running(ROOT, None);
    turn();
    threads.speaks(ROOT, "First.");
    answers(vec![text("First.")]);
    done();
    // A turn in which nothing is said leaves no answer.
    turn();
    done();
    hears("mail");
    turn();
    threads.speaks(ROOT, "Broken off");
    hears("urgent");
    turn();
    answers(vec![Part::Call(call.clone())]);
    calls();
    threads.said(ROOT, &Message::Results { results: Vec::new() });
    done();
    happens(What::GracePeriodStart { reason: Status::MaxTurns, grace_seconds: 30.0 });
    hears("last chance");
    for _ in 0..2 {
        answers(vec![Part::Call(call.clone())]);
        calls();
        threads.said(ROOT, &Message::Results { results: Vec::new() });
    }
    happens(What::GracePeriodEnd { success: false });
    threads.end(ROOT, outcome(ROOT, Status::MaxTurns, ""));
    hears("again");
    threads.begin_again(ROOT);
    turn();
    threads.speaks(ROOT, "Second.");
    // As if the process had died here, after the answer was written down.
    answers(vec![text("Second.")]);
    hears("go on");
    threads.begin_again(ROOT);
    turn();
    threads.speaks(ROOT, "Third.");
    answers(vec![text("Third.")]);
    done();
    hears("in vain");
    turn();
    threads.end(ROOT, outcome(ROOT, Status::Error, ""));
    hears("once more");
    threads.begin_again(ROOT);
    turn();
    threads.speaks(ROOT, "Fourth.");
    answers(vec![text("Fourth.")]);
    done();
    hears("unheard");
    threads
}

#[test]
fn logs_show_all_that_was_said_at_its_place() {
    let threads = told();
    assert_snapshot!("threads-logs-told", threads.run(&["logs", ROOT]));
    threads.end(ROOT, outcome(ROOT, Status::Goal, "There."));
    let logs = threads.run(&["logs", ROOT]).stdout;
    for text in
        ["mail", "urgent", "last chance", "again", "go on", "in vain", "once more", "unheard"]
    {
        let shown = logs.lines().filter(|line| line.trim() == text).count();
        assert_eq!(shown, 1, "{text} in {logs}");
        let transcript = threads.run(&["transcript", ROOT]).stdout;
        assert!(transcript.contains(&format!("\n## User\n\n{text}\n")), "{transcript}");
    }
    let events = threads.run(&["logs", ROOT, "--format", "jsonl"]).stdout;
    assert!(!events.contains("last chance"), "{events}");
}

#[test]
fn the_last_chance_of_an_agent_is_in_its_log() {
    let stage = Stage::new("", &["{text: Hm.}", DONE]);
    let id = stage.play().ended("goal", 0).result()["agent_id"].as_str().unwrap().to_owned();
    let logs = stage.sandbox.run(&["logs", &id]).stdout;
    let at = |text: &str| logs.find(text).unwrap_or_else(|| panic!("no {text} in {logs}"));
    let order = ["Hm.", "to hand in a result", "You have one last chance", "→ complete_task"];
    assert!(order.map(at).is_sorted(), "{logs}");
}

#[test]
fn what_is_said_can_be_followed_as_well() {
    let threads = Threads::new();
    threads.running(ROOT, None);
    let mut child = threads.watching(&["logs", ROOT, "--follow"]);
    let seen = lines(&mut child);
    let next = || seen.recv_timeout(crate::support::PATIENCE).unwrap();
    assert_eq!([next(), next(), next()][2], "  Where does it begin?");
    for at in 0..10 {
        threads.happens(ROOT, What::TurnStart { progress: Progress::default() });
        threads.speaks(ROOT, &format!("answer {at}\n"));
        assert_eq!((next(), next()), ("assistant".to_owned(), format!("  answer {at}")));
        let parts = vec![Part::Text { text: format!("answer {at}\n") }];
        threads.said(ROOT, &Message::Assistant { parts, by: "test/model".to_owned() });
        let (progress, usage) = (Progress::default(), Usage::default());
        threads.happens(ROOT, What::TurnComplete { progress, usage });
        threads.said(ROOT, &Message::user(format!("question {at}")));
        threads.happens(ROOT, What::TurnStart { progress: Progress::default() });
        assert_eq!((next(), next()), ("user".to_owned(), format!("  question {at}")));
    }
    threads.end(ROOT, outcome(ROOT, Status::Goal, ""));
    assert!(next().starts_with("completed in"));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_transcript_is_markdown_that_nothing_in_it_breaks() {
    let threads = Threads::new();
    threads.running(ROOT, None);
    let call = |name: &str, arguments: &str| {
        Part::Call(ToolCall {
            id: "c1".to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            signature: None,
        })
    };
    let parts = vec![
        Part::Thinking { text: "Hm.\n\nWell.".to_owned(), signature: Some("s".to_owned()) },
        Part::Text { text: "I look.".to_owned() },
        call("grep_files", r#"{"pattern":"```"}"#),
        call("read_file", "{\"path\": "),
        Part::Opaque { value: json!({ "secret": true }) },
    ];
    threads.said(ROOT, &Message::Assistant { parts, by: "test/model".to_owned() });
    let result = |name: &str, content: &str, is_error| ToolResult {
        call_id: "c1".to_owned(),
        name: name.to_owned(),
        content: content.to_owned(),
        is_error,
    };
    let results = vec![
        result("grep_files", "```rust\nfn main() {}\n```\n", false),
        result("read_file", "no\u{1b}[31m JSON", true),
    ];
    threads.said(ROOT, &Message::Results { results });
    threads.end(ROOT, outcome(ROOT, Status::Goal, "There."));
    threads.sql("UPDATE threads SET created = 1794994245678, updated = 1794994255678");
    assert_snapshot!("threads-transcript", threads.run(&["transcript", ROOT]));
    let json = threads.run(&["transcript", ROOT, "--format", "json"]).json();
    assert_eq!(json["thread"]["agent_id"], ROOT);
    let messages = threads.store.messages(ROOT).unwrap();
    assert_eq!(json["messages"], serde_json::to_value(messages).unwrap());
}

#[test]
fn the_beginning_of_a_name_will_do_if_it_is_clear() {
    let threads = family();
    assert_eq!(threads.run(&["output", "01890001"]).exit, Some(0));
    let seen = threads.run(&["output", "01890000"]);
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(2), ""), "{seen}");
    for id in [ROOT, CHILD, GRANDCHILD] {
        assert!(seen.stderr.contains(id), "{seen}");
    }
    assert!(!seen.stderr.contains(OTHER), "{seen}");
    for command in ["wait", "logs", "transcript", "resume", "note", "close"] {
        let seen = threads.run(&[command, "01890000"]);
        assert_eq!((seen.exit, seen.stdout.as_str()), (Some(2), ""), "{command}: {seen}");
        assert!(seen.stderr.contains("several threads begin with `01890000`"), "{seen}");
    }
}

#[test]
fn what_is_not_there_is_an_error() {
    for threads in [None, Some(family())] {
        let sandbox = threads.map_or_else(Sandbox::empty, |threads| threads.sandbox);
        for command in ["output", "logs", "transcript", "resume", "note", "close"] {
            let seen = sandbox.run(&[command, "0f"]);
            assert_eq!((seen.exit, seen.stdout.as_str()), (Some(2), ""), "{command}: {seen}");
            assert!(seen.stderr.starts_with("error: there is no agent `0f`\n"), "{seen}");
        }
        assert_eq!(sandbox.run(&["send", "0f", "x"]).exit, Some(2));
        assert_eq!(sandbox.run(&["ps", "--of", "0f"]).exit, Some(2));
    }
}

#[test]
fn a_store_of_a_newer_format_is_refused_and_left_alone() {
    let threads = family();
    threads.sql("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)");
    let Threads { sandbox, store, .. } = threads;
    drop(store);
    refused(&sandbox, "was written by a newer agentctl: it has format 99");
}

#[test]
fn a_damaged_store_is_refused_and_left_alone() {
    let sandbox = Sandbox::empty();
    sandbox.write("~/.local/state/agentctl/threads.db", &"this is no database\n".repeat(200));
    refused(&sandbox, DAMAGED);
}

#[test]
fn a_store_that_is_damaged_inside_is_refused() {
    let Threads { sandbox, store, .. } = family();
    drop(store);
    let mut bytes = fs::read(database(&sandbox)).unwrap();
    bytes[4096..].fill(0x5a);
    fs::write(database(&sandbox), bytes).unwrap();
    refused(&sandbox, DAMAGED);
}

/// Every command says that the store cannot be used, and changes nothing.
fn refused(sandbox: &Sandbox, why: &str) {
    let before = fs::read(database(sandbox)).unwrap();
    for arguments in READERS {
        let seen = sandbox.run(arguments);
        assert_eq!((seen.exit, seen.stdout.as_str()), (Some(2), ""), "{arguments:?}: {seen}");
        assert!(seen.stderr.contains(why), "{arguments:?}: {seen}");
        let help = seen.stderr.contains("\nhelp: `agentctl threads recover` ");
        assert_eq!(help, why == DAMAGED, "{arguments:?}: {seen}");
        assert_eq!(seen.stderr.lines().count(), 1 + usize::from(help), "{arguments:?}: {seen}");
    }
    assert!(fs::read(database(sandbox)).unwrap() == before, "the store was changed");
}

#[test]
fn a_state_directory_that_cannot_be_looked_at_is_an_error() {
    let sandbox = Sandbox::with(&[("~/.local/state/agentctl", "a file")]);
    for arguments in READERS {
        let seen = sandbox.run(arguments);
        assert_eq!((seen.exit, seen.stdout.as_str()), (Some(2), ""), "{arguments:?}: {seen}");
        assert!(
            seen.stderr.starts_with("error: cannot look for ~/.local/state/agentctl/threads.db: "),
            "{seen}"
        );
    }
    assert_eq!(fs::read_to_string(sandbox.path("~/.local/state/agentctl")).unwrap(), "a file");
}

#[test]
fn checking_definitions_needs_no_store() {
    let sandbox = Sandbox::with(&[(".claude/agents/a.md", &agent("a"))]);
    for arguments in [&["validate"][..], &["list"], &["show", "a"]] {
        assert_eq!(sandbox.run(arguments).exit, Some(0));
        assert!(!sandbox.path("~/.local").exists(), "{arguments:?}");
    }
    sandbox.write("~/.local/state/agentctl/threads.db", &"damaged".repeat(200));
    assert_eq!(sandbox.run(&["validate"]).exit, Some(0));
    assert_eq!(sandbox.run(&["list"]).exit, Some(0));
    assert!(Store::open(&database(&sandbox)).is_err());
}
