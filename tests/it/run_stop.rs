//! `agentctl run`: stopping it.

use std::fs;

use crate::stage::{Played, Stage, until};

/// Whether a process on this machine has `argument`.
fn runs(argument: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut commands = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    commands.any(|command| command.split(|byte| *byte == 0).any(|arg| arg == argument.as_bytes()))
}

/// A number of seconds that no other process sleeps for.
fn unusual(seconds: u32) -> String {
    format!("{seconds}.{}", std::process::id())
}

/// Nothing follows a cancellation but its own record.
fn aborted(played: Played) -> Played {
    let played = played.ended("aborted", 130);
    assert_eq!(played.result()["error"]["kind"], "cancelled");
    assert_eq!(played.all("COMPLETED").len(), 1);
    assert!(played.stderr().starts_with("error: the run was cancelled"), "{played}");
    played
}

#[test]
fn ctrl_c_ends_a_run_whose_model_hangs_without_a_last_chance() {
    let mut playing = Stage::new("", &["{hang: true}"]).start();
    playing.wait_for("TURN_START");
    playing.signal("INT");
    let played = aborted(playing.finish());
    assert_eq!(played.kinds(), ["STARTED", "TURN_START", "COMPLETED"]);
}

#[test]
fn a_request_to_end_is_the_same_as_ctrl_c() {
    let mut playing = Stage::new("", &["{hang: true}"]).start();
    playing.wait_for("TURN_START");
    playing.signal("TERM");
    assert_eq!(aborted(playing.finish()).all("GRACE_PERIOD_START").len(), 0);
}

#[test]
fn a_run_stopped_in_its_grace_period_ends_at_once() {
    let mut playing = Stage::new("", &["{text: Done.}", "{hang: true}"]).start();
    playing.wait_for("GRACE_PERIOD_START");
    playing.signal("INT");
    let played = aborted(playing.finish());
    assert_eq!(played.all("GRACE_PERIOD_END").len(), 1);
    assert_eq!(played.result()["result"], "Done.");
}

#[test]
fn a_run_stopped_while_it_waits_to_try_again_ends_at_once() {
    let mut playing = Stage::new("", &["{error: {status: 429, retry_after_ms: 50000}}"]).start();
    playing.wait_for("RETRY");
    playing.signal("INT");
    aborted(playing.finish());
}

#[test]
fn a_command_does_not_outlive_the_run_that_was_stopped() {
    for (signal, seconds) in [("INT", 61), ("TERM", 62)] {
        let (first, second) = (unusual(seconds), unusual(seconds + 10));
        let call = format!(
            "{{tool_calls: [{{name: shell, arguments: {{command: 'sleep {first} & sleep {second}'}}}}]}}"
        );
        let mut playing = Stage::new("", &[&call]).trusted().start();
        playing.wait_for("TOOL_CALL_START");
        until("the command runs", || runs(&first) && runs(&second));
        playing.signal(signal);
        let played = aborted(playing.finish());
        assert_eq!(played.told(), ["the call was stopped: the run was cancelled"]);
        until("the command is gone", || !runs(&first) && !runs(&second));
    }
}

#[test]
fn a_command_does_not_outlive_agentctl_itself() {
    let seconds = unusual(63);
    let call =
        format!("{{tool_calls: [{{name: shell, arguments: {{command: 'sleep {seconds}'}}}}]}}");
    let mut playing = Stage::new("", &[&call]).trusted().start();
    playing.wait_for("TOOL_CALL_START");
    until("the command runs", || runs(&seconds));
    playing.signal("KILL");
    drop(playing);
    until("the command is gone", || !runs(&seconds));
}

#[test]
fn a_command_does_not_outlive_its_time_limit() {
    let seconds = unusual(64);
    let call =
        format!("{{tool_calls: [{{name: shell, arguments: {{command: 'sleep {seconds}'}}}}]}}");
    let stage = Stage::new("", &[&call]).with(&["--timeout", "0.3", "--grace", "0"]).trusted();
    stage.play().ended("timeout", 124);
    until("the command is gone", || !runs(&seconds));
}
