//! Nothing a call started lives on.

use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

use agentctl::tools::{
    Shell, Tool as _,
    sandbox::{Backend, Mode, Sandbox},
};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::json;

use super::{Bench, backends, called, is_empty, processes, wait_until};

const MODES: &[Mode] = &[Mode::ReadOnly, Mode::WorkspaceWrite, Mode::DangerFullAccess];
/// Where the process that is killed in a test finds its bench.
const HOST: &str = "AGENTCTL_TEST_HOST";

/// A command that leaves processes behind in every way a shell knows, and the marker they carry. It
/// ends when all of them run.
fn leaving(marker: &str) -> String {
    let stay = |name: &str| format!("touch $TMPDIR/{name}; exec -a {marker} sleep 600");
    format!(
        "setsid bash -c '{}' > /dev/null 2>&1 < /dev/null &
         nohup bash -c '{}' > /dev/null 2>&1 < /dev/null &
         ( ( bash -c '{}' > /dev/null 2>&1 < /dev/null & ) & )
         ( setsid bash -c 'setsid bash -c \"{}\" & ' > /dev/null 2>&1 < /dev/null & )
         until [ -e $TMPDIR/a ] && [ -e $TMPDIR/b ] && [ -e $TMPDIR/c ] && [ -e $TMPDIR/d ]
         do sleep 0.01; done; echo all run",
        stay("a"),
        stay("b"),
        stay("c"),
        stay("d").replace('$', "\\$"),
    )
}

fn marker() -> String {
    format!("marker-{:016x}", fastrand::u64(..))
}

#[test]
fn what_a_command_left_behind_is_gone_when_its_result_is_there() {
    for mode in MODES {
        for backend in backends() {
            let (bench, marker) = (Bench::new(), marker());
            let seen = bench.shell(*mode, *backend, &leaving(&marker)).unwrap();
            assert_eq!(seen, "exit code: 0\nall run\n", "{mode:?}, {backend:?}");
            assert_eq!(processes(&marker), [0; 0], "{mode:?}, {backend:?}");
            assert!(is_empty(&bench.temporary()), "{mode:?}, {backend:?}");
        }
    }
}

#[test]
fn a_command_can_end_what_it_started() {
    for mode in MODES {
        for backend in backends() {
            let command = "for name in HUP INT QUIT TERM; do
                               (trap - $name; exec timeout -s $name 0.02 sleep 600); echo $?
                           done; sleep 600 & kill $!; wait $!; echo $?";
            let seen = Bench::new().shell(*mode, *backend, command).unwrap();
            let expected = format!("exit code: 0\n{}143\n", "124\n".repeat(4));
            assert_eq!(seen, expected, "{mode:?}, {backend:?}");
        }
    }
}

#[test]
fn without_a_supervisor_the_same_command_leaves_processes_behind() {
    let (bench, marker) = (Bench::new(), marker());
    let mut command = Command::new("bash");
    command.args(["-c", &leaving(&marker)]).env("TMPDIR", bench.temporary());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.status().unwrap().success());
    wait_until("all of them are left", || called(&marker) == 4);
    for pid in processes(&marker) {
        kill(Pid::from_raw(pid), Signal::SIGKILL).ok();
    }
}

#[test]
fn what_a_command_left_behind_is_gone_when_it_timed_out() {
    for backend in backends() {
        let (bench, marker) = (Bench::new(), marker());
        let cx = bench.cx(Mode::WorkspaceWrite, *backend);
        let command = format!("{}; sleep 600", leaving(&marker));
        let arguments = json!({ "command": command, "timeout_ms": 3_000 });
        let error = super::call(&Shell, &cx, arguments).unwrap_err().to_string();
        assert_eq!(error, "timed out after 3 s\nall run\n", "{backend:?}");
        assert_eq!(processes(&marker), [0; 0], "{backend:?}");
        assert!(is_empty(&bench.temporary()), "{backend:?}");
    }
}

#[test]
fn dropping_a_call_ends_everything_it_started() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for mode in MODES {
        for backend in backends() {
            let (bench, marker) = (Bench::new(), marker());
            let cx = bench.cx(*mode, *backend);
            let command = format!("{}; sleep 600", leaving(&marker));
            runtime.block_on(async {
                let call = Shell.call((&cx).into(), json!({ "command": command }));
                let started = async {
                    while called(&marker) < 4 {
                        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                    }
                };
                tokio::select! {
                    seen = call => panic!("{mode:?}, {backend:?}: {seen:?}"),
                    () = started => {}
                }
            });
            let gone = || processes(&marker).is_empty() && is_empty(&bench.temporary());
            wait_until("the tree of a dropped call ends", gone);
        }
    }
}

#[test]
fn killing_agentctl_ends_everything_it_started() {
    for mode in MODES {
        let (bench, marker) = (Bench::new(), marker());
        let mut host = Command::new(env::current_exe().unwrap());
        host.args(["--exact", "sandbox::lifetime::hosts_a_command_until_it_is_killed"])
            .env(HOST, format!("{}\n{}\n{marker}", bench.folder().display(), mode.name()))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut host = host.spawn().unwrap();
        wait_until("the command runs", || called(&marker) == 4);
        host.kill().unwrap();
        host.wait().unwrap();
        let gone = || processes(&marker).is_empty() && is_empty(&bench.temporary());
        wait_until("the tree of a killed agentctl ends", gone);
    }
}

/// Not a claim: the other side of the test above.
#[test]
fn hosts_a_command_until_it_is_killed() {
    let Ok(order) = env::var(HOST) else { return };
    let [folder, mode, marker] = order.split('\n').collect::<Vec<_>>()[..] else { return };
    let folder = Path::new(folder);
    let bench = Bench::new();
    let mut cx = bench.cx(Mode::parse(mode).unwrap(), Backend::Strongest);
    cx.root = agentctl::tools::Root::open(&folder.join("root")).unwrap();
    let environment = [
        ("PATH".into(), env::var_os("PATH").unwrap()),
        ("TMPDIR".into(), folder.join("temporary").into_os_string()),
    ];
    cx.sandbox = Sandbox::new(cx.sandbox.mode, cx.sandbox.helper, environment);
    let command = format!("{}; sleep 600", leaving(marker));
    super::call(&Shell, &cx, json!({ "command": command })).unwrap();
}

#[test]
fn processes_that_replace_themselves_without_end_are_caught() {
    for backend in backends() {
        let (bench, marker) = (Bench::new(), marker());
        // Each only lives to start the next, in a session of its own.
        let chase = format!(
            "echo 'setsid sh chase {marker} & exit' > chase; sh chase {marker}; \
             until [ -e $TMPDIR/late ]; do sleep 0.1; touch $TMPDIR/late; done; echo left"
        );
        let seen = bench.shell(Mode::WorkspaceWrite, *backend, &chase).unwrap();
        assert_eq!(seen, "exit code: 0\nleft\n", "{backend:?}");
        assert_eq!(processes(&marker), [0; 0], "{backend:?}");
        assert!(is_empty(&bench.temporary()), "{backend:?}");
    }
}
