//! What a terminal is told when an agent ends that someone waits for.

use std::{fs, io::Write as _};

use agentctl::event::Status;
use rustix::process::Signal;

use crate::{
    pty::Terminal,
    support::Sandbox,
    thread_store::{ROOT, Threads, eventually, outcome},
};

const ASKS: &str = "\x1b[?1004h";
const ASKS_NO_MORE: &str = "\x1b[?1004l";
const DONE: &str = "\x1b]9;agent finder (01890000-0001) completed in 12.3 s\x07";

/// A thread that runs, and a terminal in which someone waits for it.
fn waiting(command: &str, variables: &[(&str, &str)]) -> (Threads, Terminal) {
    let threads = Threads::new();
    threads.running(ROOT, None);
    let mut terminal = Terminal::start(&threads.sandbox, &[command, ROOT], variables);
    terminal.shows(ASKS);
    (threads, terminal)
}

fn end(threads: &Threads) {
    threads.end(ROOT, outcome(ROOT, Status::Goal, "Found: completed"));
}

#[test]
fn terminals_ring_or_show_what_has_ended() {
    let wezterm: &[(&str, &str)] = &[("TERM_PROGRAM", "WezTerm")];
    for (command, variables, told) in [
        ("wait", &[][..], "\x07"),
        ("wait", wezterm, DONE),
        ("output", wezterm, DONE),
        ("output", &[("NO_COLOR", "1")], "\x07"),
    ] {
        let (threads, terminal) = waiting(command, variables);
        assert_ne!(terminal.modes(), terminal.modes);
        end(&threads);
        let (shown, exit) = terminal.ends("completed\r\n");
        assert_eq!(exit, Some(0), "{shown:?}");
        let (before, after) = shown.split_once(told).unwrap_or_else(|| panic!("{shown:?}"));
        assert_eq!(before, ASKS, "{shown:?}");
        assert!(after.starts_with(ASKS_NO_MORE) && !after.contains('\x07'), "{shown:?}");
    }
}

#[test]
fn what_went_wrong_is_told() {
    let (threads, terminal) = waiting("wait", &[("TERM", "xterm-kitty")]);
    threads.end(ROOT, outcome(ROOT, Status::Timeout, ""));
    let (shown, _) = terminal.ends("errored\r\n");
    assert!(shown.contains("finder (01890000-0001) failed: something went wrong\x07"), "{shown:?}");
}

#[test]
fn whoever_looks_at_the_terminal_is_not_called() {
    let (threads, mut terminal) = waiting("wait", &[]);
    terminal.types("ls\r\x1b[I");
    end(&threads);
    let (shown, _) = terminal.ends("completed\r\n");
    assert!(!shown.contains('\x07') && !shown.contains("ls"), "{shown:?}");

    let (threads, mut terminal) = waiting("wait", &[]);
    terminal.types("\x1b[I");
    terminal.types("\x1b[O");
    end(&threads);
    assert!(terminal.ends("completed\r\n").0.contains('\x07'));
}

#[test]
fn nobody_is_called_who_cannot_hear_it_or_does_not_want_to() {
    let threads = Threads::new();
    threads.running(ROOT, None);
    let child = threads.watching(&["wait", ROOT]);
    end(&threads);
    let seen = threads.seen(child);
    assert_eq!(
        (seen.stdout.as_str(), seen.stderr.as_str()),
        (&*format!("{ROOT}  completed\n"), "")
    );
    for (variable, settings) in [
        (("TERM", "dumb"), ""),
        (("CI", "1"), ""),
        (("A", "b"), "notifications = false"),
        (("A", "b"), "notifications = []"),
    ] {
        let threads = Threads::new();
        threads.running(ROOT, None);
        threads.sandbox.write("agentctl.toml", &format!("[tui]\n{settings}\n"));
        threads.sandbox.write("~/.config/agentctl/config.toml", "[tui]\nnotifications = true\n");
        let terminal = Terminal::start(&threads.sandbox, &["wait", ROOT], &[variable]);
        let folder = format!("/proc/{}/fd", terminal.program.id());
        eventually(|| {
            let files = fs::read_dir(&folder).into_iter().flatten().flatten();
            let mut files = files.filter_map(|link| fs::read_link(link.path()).ok());
            files.any(|file| file.ends_with("threads.db"))
        });
        end(&threads);
        let (shown, _) = terminal.ends("completed\r\n");
        assert_eq!(shown, format!("{ROOT}  completed\r\n"), "{variable:?} {settings}");
    }
}

#[test]
fn what_had_ended_before_is_no_news() {
    let threads = Threads::new();
    threads.completed(ROOT, None);
    let terminal = Terminal::start(&threads.sandbox, &["wait", ROOT], &[]);
    let (shown, _) = terminal.ends("completed\r\n");
    assert_eq!(shown, format!("{ROOT}  completed\r\n"));
}

#[test]
fn whoever_stops_waiting_finds_the_terminal_as_it_was() {
    let (_threads, mut terminal) = waiting("wait", &[]);
    terminal.keyboard.write_all(b"\x03").unwrap();
    let (shown, exit) = terminal.ends(ASKS_NO_MORE);
    assert_eq!((shown, exit), (format!("{ASKS}{ASKS_NO_MORE}"), Some(130)));

    let (_threads, terminal) = waiting("output", &[]);
    terminal.signal(Signal::TERM);
    let (shown, exit) = terminal.ends(ASKS_NO_MORE);
    assert_eq!((shown, exit), (format!("{ASKS}{ASKS_NO_MORE}"), Some(130)));
}

#[test]
fn waiting_can_be_suspended() {
    let (threads, mut terminal) = waiting("wait", &[]);
    terminal.keyboard.write_all(b"\x1a").unwrap();
    terminal.shows(ASKS_NO_MORE);
    terminal.is_stopped();
    assert_eq!(terminal.modes(), terminal.modes);
    terminal.signal(Signal::CONT);
    terminal.shows(ASKS);
    end(&threads);
    let (shown, _) = terminal.ends("completed\r\n");
    assert!(shown.contains('\x07'), "{shown:?}");
}

#[test]
fn only_what_there_is_can_be_asked_for() {
    let list = |settings: &str| {
        Sandbox::with(&[("agentctl.toml", &*format!("[tui]\n{settings}\n"))]).run(&["list"])
    };
    let seen = list("notifications = [\"sub-agent-complete\"]");
    assert_eq!(seen.exit, Some(0), "{seen}");
    let seen = list("notifications = [\"everything\"]");
    assert_eq!(seen.exit, Some(2), "{seen}");
    let expected = "there is no notification called `everything`; there is `sub-agent-complete`";
    assert!(seen.stderr.contains(expected), "{seen}");
    for wrong in ["notifications = 7", "bell = true"] {
        assert_eq!(list(wrong).exit, Some(2), "{wrong}");
    }
}
