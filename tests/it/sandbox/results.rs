//! What commands can do, and what a model is told of it.

use std::{fs, os::unix::fs::PermissionsExt as _};

use agentctl::tools::{
    ExecCommand, Shell, Tool as _, ToolError,
    sandbox::{Backend, Mode},
};
use serde_json::json;

use super::{Bench, CONFINED, backends, call, is_empty};

#[test]
fn everything_can_be_read_and_temporary_files_written() {
    let command = "cat $OUT/precious; cd $TMPDIR && echo x > file && mkdir folder && \
                   mv file folder/moved && stat -c ' %a' . && rm -r folder && pwd > /dev/null";
    for mode in CONFINED {
        for backend in backends() {
            let bench = Bench::new();
            let seen = bench.shell(*mode, *backend, command).unwrap();
            assert_eq!(seen, "exit code: 0\nprecious 700\n", "{mode:?}, {backend:?}");
            assert!(is_empty(&bench.temporary()), "{mode:?}, {backend:?}");
        }
    }
}

#[test]
fn the_root_can_be_written_where_the_workspace_may_be() {
    let command = "mkdir -p a/b && echo x > a/b/file && mv a/b/file a/file && chmod +x a/file && \
                   ln a/file hard && rm -r a && cat hard";
    for backend in backends() {
        let bench = Bench::new();
        let seen = bench.shell(Mode::WorkspaceWrite, *backend, command).unwrap();
        assert_eq!(seen, "exit code: 0\nx\n", "{backend:?}");
        let written = fs::metadata(bench.root().join("hard")).unwrap();
        assert_eq!(written.permissions().mode() & 0o100, 0o100, "{backend:?}");
    }
}

#[test]
fn what_is_printed_and_how_it_ended_is_told_in_order() {
    for mode in [Mode::ReadOnly, Mode::WorkspaceWrite, Mode::DangerFullAccess] {
        for backend in backends() {
            let see = |command: &str| Bench::new().shell(mode, *backend, command).unwrap();
            let mixed = "echo one; echo two >&2; echo three; exit 7";
            assert_eq!(see(mixed), "exit code: 7\none\ntwo\nthree\n", "{mode:?}, {backend:?}");
            // Bubblewrap tells of a signal as a shell does.
            let killed = see("kill -9 $$");
            let told = ["exit code: 137\n", "killed by signal 9 (SIGKILL)\n"];
            assert!(told.contains(&killed.as_str()), "{mode:?}, {backend:?}: {killed}");
        }
    }
}

#[test]
fn long_output_keeps_its_beginning_and_its_end() {
    let command = "echo first; head -c 10000000 /dev/zero | tr '\\0' x; echo; echo last";
    let seen = Bench::new().shell(Mode::ReadOnly, Backend::Landlock, command).unwrap();
    assert!(seen.starts_with("exit code: 0\nfirst\nxxx"), "{}", &seen[..50]);
    assert!(seen.ends_with("xxx\nlast\n"));
    assert!(seen.contains("\n[… 9,970,012 characters left out …]\n"));
}

#[test]
fn a_command_that_takes_too_long_is_ended_and_its_output_kept() {
    let bench = Bench::new();
    for backend in backends() {
        let cx = bench.cx(Mode::ReadOnly, *backend);
        let arguments = json!({ "command": "echo begun; exec sleep 600", "timeout_ms": 2_000 });
        let error = call(&Shell, &cx, arguments).unwrap_err();
        assert_eq!(error, ToolError::Refused("timed out after 2 s\nbegun\n".to_owned()));
    }
}

#[test]
fn no_call_takes_longer_than_any_may() {
    let bench = Bench::new();
    let mut cx = bench.cx(Mode::ReadOnly, Backend::Landlock);
    cx.time_limit = std::time::Duration::from_millis(300);
    let arguments = json!({ "command": "sleep 600", "timeout_ms": 600_000 });
    let error = call(&Shell, &cx, arguments).unwrap_err();
    assert_eq!(error.to_string(), "timed out after 0.3 s\n");
}

#[test]
fn secrets_of_the_environment_stay_outside() {
    let mut bench = Bench::new();
    bench.set("EXAMPLE_API_KEY", "hidden-1");
    bench.set("INNOCENT", "ghp_hidden-2");
    bench.set("SSH_AUTH_SOCK", "/hidden-3");
    bench.set("VISIBLE", "seen");
    for mode in [Mode::ReadOnly, Mode::DangerFullAccess] {
        let seen = bench.shell(mode, Backend::Strongest, "env; cat /proc/$PPID/environ").unwrap();
        assert!(!seen.contains("hidden"), "{seen}");
        assert!(seen.contains("VISIBLE=seen\n"), "{seen}");
    }
}

#[test]
fn nothing_is_read_from_whoever_runs_agentctl() {
    let seen = Bench::new().shell(Mode::ReadOnly, Backend::Strongest, "cat; echo end").unwrap();
    assert_eq!(seen, "exit code: 0\nend\n");
}

#[test]
fn a_command_has_three_streams_and_nothing_else_open() {
    // As if agentctl had been started with it, and as open to its children.
    let file = fs::File::open("/dev/null").unwrap();
    let _inherited = nix::unistd::dup(&file).unwrap();
    let command = "echo x > /dev/stderr; \
                   for n in $(seq 0 300); do [ -e /proc/$$/fd/$n ] && echo -n \"$n \"; done; true";
    let plain = std::process::Command::new("bash").args(["-c", command]).output().unwrap();
    let alone = "0 1 2 ";
    assert_ne!(String::from_utf8_lossy(&plain.stdout), alone);
    for mode in [Mode::ReadOnly, Mode::DangerFullAccess] {
        for backend in backends() {
            let seen = Bench::new().shell(mode, *backend, command).unwrap();
            assert_eq!(seen, format!("exit code: 0\nx\n{alone}"), "{mode:?}, {backend:?}");
        }
    }
}

#[test]
fn a_program_reads_what_it_is_given() {
    let text = "0123456789".repeat(30_000);
    for backend in backends() {
        let bench = Bench::new();
        let cx = bench.cx(Mode::ReadOnly, *backend);
        let count = json!({ "program": "wc", "args": ["-c"], "stdin": text });
        assert_eq!(call(&ExecCommand, &cx, count).unwrap(), "exit code: 0\n300000\n");
        // Nor must it read all of it.
        let ignore = json!({ "program": "true", "args": [], "stdin": text });
        assert_eq!(call(&ExecCommand, &cx, ignore).unwrap(), "exit code: 0\n");
    }
}

#[test]
fn arguments_reach_a_program_as_they_are() {
    let bench = Bench::new();
    let cx = bench.cx(Mode::ReadOnly, Backend::Landlock);
    let print = json!({ "program": "printf", "args": ["%s|", "a b", "$HOME", "ü'\""] });
    assert_eq!(call(&ExecCommand, &cx, print).unwrap(), "exit code: 0\na b|$HOME|ü'\"|");
}

#[test]
fn a_program_that_does_not_exist_is_told_to_the_model() {
    for backend in backends() {
        let bench = Bench::new();
        let cx = bench.cx(Mode::ReadOnly, *backend);
        let error = call(&ExecCommand, &cx, json!({ "program": "./no-such", "args": [] }));
        let told = "cannot run `./no-such`: No such file or directory (os error 2)";
        assert_eq!(error.unwrap_err(), ToolError::Refused(told.to_owned()), "{backend:?}");
    }
}

#[test]
fn commands_run_below_the_root() {
    let bench = Bench::new();
    fs::create_dir(bench.root().join("sub")).unwrap();
    let cx = bench.cx(Mode::ReadOnly, Backend::Strongest);
    let at = |workdir: &str| call(&Shell, &cx, json!({ "command": "pwd", "workdir": workdir }));
    let sub = bench.root().join("sub");
    assert_eq!(at("sub").unwrap(), format!("exit code: 0\n{}\n", sub.display()));
    for outside in ["..", "link", "/"] {
        let told = format!("cannot work in `{outside}`: outside of the working directory");
        assert_eq!(at(outside).unwrap_err(), ToolError::Refused(told));
    }
}

#[test]
fn a_machine_without_a_sandbox_runs_nothing_but_what_may_do_everything() {
    for mode in CONFINED {
        let error = Bench::new().shell(*mode, Backend::NoneAvailable, "echo ran").unwrap_err();
        let ToolError::Broken(why) = error else { panic!("{error}") };
        for named in [mode.name(), "Landlock", "install bubblewrap", "danger_full_access"] {
            assert!(why.contains(named), "{why}");
        }
    }
    let seen = Bench::new().shell(Mode::DangerFullAccess, Backend::NoneAvailable, "echo ran");
    assert_eq!(seen.unwrap(), "exit code: 0\nran\n");
}

#[test]
fn people_are_shown_the_command_the_place_and_the_sandbox() {
    let bench = Bench::new();
    let cx = bench.cx(Mode::WorkspaceWrite, Backend::Strongest);
    let root = bench.root().display().to_string();
    let shown = Shell.preview(&cx, &json!({ "command": "rm -rf a && ls", "workdir": "sub" }));
    assert_eq!(shown, format!("rm -rf a && ls\nin {root}/sub\nsandbox: workspace_write"));
    let shown = ExecCommand.preview(&cx, &json!({ "program": "rm", "args": ["-r", "a b"] }));
    assert_eq!(shown, format!("rm -r 'a b'\nin {root}\nsandbox: workspace_write"));
}
