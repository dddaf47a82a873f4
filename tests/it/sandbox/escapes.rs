//! What a command that is shut in cannot do.

use std::{
    net::{TcpListener, UdpSocket},
    os::unix::net::{UnixDatagram, UnixListener},
};

use agentctl::tools::sandbox::{Backend, Mode};
use nix::libc;

use super::{Bench, CONFINED, Victim, bubblewrap_works, holds, holds_with};

#[test]
fn files_outside_cannot_be_written() {
    for command in [
        r#"echo x > "$OUT/precious""#,
        r#"echo x >> "$OUT/precious""#,
        r#"echo x > "$OUT/new""#,
        r#"echo x > "$OUT/../outside/precious""#,
    ] {
        holds(CONFINED, Bench::new, command);
    }
}

#[test]
fn files_outside_cannot_be_emptied() {
    let open = r#"perl -MFcntl -e 'sysopen(F, "$ENV{OUT}/precious", O_RDONLY|O_TRUNC) or exit 1'"#;
    for command in [r#": > "$OUT/precious""#, r#"truncate -s 0 "$OUT/precious""#, open] {
        holds(CONFINED, Bench::new, command);
    }
}

#[test]
fn files_outside_cannot_be_removed_moved_or_created() {
    for command in [
        r#"rm "$OUT/precious""#,
        r#"mv "$OUT/precious" "$OUT/moved""#,
        r#"mv "$OUT/precious" "$TMPDIR/moved""#,
        r#"mkdir "$OUT/new""#,
        r#"mkfifo "$OUT/new""#,
        r#"ln -s precious "$OUT/new""#,
    ] {
        holds(CONFINED, Bench::new, command);
    }
}

#[test]
fn a_link_below_the_root_does_not_lead_out() {
    holds(CONFINED, Bench::new, "echo x > link/precious");
    holds(CONFINED, Bench::new, "rm link/precious");
    let hard = r#"ln "$OUT/precious" "$TMPDIR/hard" && echo x > "$TMPDIR/hard""#;
    holds(CONFINED, Bench::new, hard);
}

#[test]
fn the_kernels_own_paths_do_not_lead_out() {
    holds(CONFINED, Bench::new, r#"echo x > "/proc/self/root$OUT/precious""#);
    holds(CONFINED, Bench::new, "echo x > /proc/self/cwd/../outside/precious");
    let handed = r#"exec 3< "$OUT/precious" && echo x > /proc/self/fd/3"#;
    holds(CONFINED, Bench::new, handed);
}

#[test]
fn the_root_cannot_be_written_when_everything_is_read_only() {
    let read_only = &[Mode::ReadOnly];
    holds(read_only, Bench::new, "echo x > new");
    holds(read_only, Bench::new, "mkdir folder");
}

#[test]
fn permissions_and_times_cannot_be_changed_when_everything_is_read_only() {
    let read_only = &[Mode::ReadOnly];
    holds(read_only, Bench::new, r#"chmod 000 "$OUT/precious""#);
    holds(read_only, Bench::new, r#"touch -d 2001-01-01 "$OUT/precious""#);
}

#[test]
fn owners_and_attributes_outside_cannot_be_changed() {
    holds(CONFINED, Bench::new, r#"chown "$(id -u)" "$OUT/precious""#);
}

#[test]
fn bubblewrap_protects_permissions_outside_and_what_git_would_run() {
    if !bubblewrap_works() {
        return;
    }
    let bubblewrap = &[Backend::Bubblewrap];
    let writable = &[Mode::WorkspaceWrite];
    holds_with(bubblewrap, writable, Bench::new, r#"chmod 000 "$OUT/precious""#);
    let repository = || {
        let bench = Bench::new();
        std::fs::create_dir_all(bench.root().join(".git/hooks")).unwrap();
        bench
    };
    holds_with(bubblewrap, writable, repository, "echo x > .git/hooks/pre-commit");
    holds_with(bubblewrap, writable, repository, "echo x > .git/config");
    holds_with(bubblewrap, writable, repository, "mv .git moved");
}

#[test]
fn no_connection_can_be_opened() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    holds(CONFINED, Bench::new, &format!("exec 3<>/dev/tcp/127.0.0.1/{port}"));
}

#[test]
fn no_datagram_can_be_sent() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    holds(CONFINED, Bench::new, &format!("echo x > /dev/udp/127.0.0.1/{port}"));
}

#[test]
fn no_local_socket_can_be_reached() {
    let folder = tempfile::tempdir().unwrap();
    let stream = folder.path().join("stream");
    let _stream = UnixListener::bind(&stream).unwrap();
    let connect = "socket(S, AF_UNIX, SOCK_STREAM, 0) or exit 1; connect(S, $to) or exit 1";
    holds(CONFINED, Bench::new, &perl_socket(connect, stream.to_str().unwrap()));

    let datagram = folder.path().join("datagram");
    let _datagram = UnixDatagram::bind(&datagram).unwrap();
    let datagram = datagram.to_str().unwrap();
    let pair = "socketpair(A, B, AF_UNIX, SOCK_DGRAM, 0) or exit 1";
    let redirected = format!("{pair}; connect(A, $to) or exit 1; send(A, \"x\", 0) or exit 1");
    holds(CONFINED, Bench::new, &perl_socket(&redirected, datagram));
    let addressed = format!("{pair}; send(A, \"x\", 0, $to) or exit 1");
    holds(CONFINED, Bench::new, &perl_socket(&addressed, datagram));
}

fn perl_socket(code: &str, path: &str) -> String {
    format!("perl -MSocket -e 'my $to = pack_sockaddr_un(\"{path}\"); {code}; exit 0'")
}

#[test]
fn a_server_cannot_be_started() {
    let listen = "socket(S, AF_INET, SOCK_STREAM, 0) or exit 1; \
                  bind(S, pack_sockaddr_in(0, INADDR_LOOPBACK)) or exit 1; listen(S, 1) or exit 1";
    holds(CONFINED, Bench::new, &format!("perl -MSocket -e '{listen}; exit 0'"));
}

#[test]
fn pairs_of_sockets_work_because_programs_talk_to_themselves() {
    let pair = "perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or exit 1; \
                syswrite(A, \"hello\"); sysread(B, my $got, 5); print $got'";
    for backend in super::backends() {
        let seen = Bench::new().shell(Mode::ReadOnly, *backend, pair).unwrap();
        assert_eq!(seen, "exit code: 0\nhello", "{backend:?}");
    }
}

#[test]
fn other_processes_cannot_be_signalled() {
    for backend in super::backends() {
        let mut victim = Victim::new();
        let kill = format!("kill -9 {}", victim.0.id());
        let seen = Bench::new().shell(Mode::WorkspaceWrite, *backend, &kill);
        assert!(seen.unwrap().starts_with("exit code: 1"), "{backend:?}");
        assert!(victim.is_alive(), "{backend:?}");
        Bench::new().unconfined(&kill).unwrap();
        super::wait_until("the victim dies", || !victim.is_alive());
    }
}

#[test]
fn the_supervisor_and_agentctl_cannot_be_killed() {
    let agentctl = std::process::id();
    // Nothing that would end anything, should the sandbox fail.
    holds(CONFINED, Bench::new, &format!("kill -0 {agentctl}"));
    // Where it is not denied outright it succeeds, however few it reaches.
    holds_with(&[Backend::FirstLandlock], CONFINED, Bench::new, "kill -0 -1");
    for backend in super::backends().iter().chain(&[Backend::FirstLandlock]) {
        let seen = Bench::new().shell(Mode::ReadOnly, *backend, "kill -9 $PPID; echo survived");
        assert!(seen.as_ref().is_ok_and(|seen| seen.contains("survived")), "{backend:?}: {seen:?}");
    }
    let seen = Bench::new().unconfined("kill -9 $PPID; sleep 60").unwrap_err();
    assert!(seen.to_string().contains("supervisor was killed"), "{seen}");
}

#[test]
fn the_environment_of_other_processes_cannot_be_read() {
    let victim = Victim::new();
    let read = format!("grep -q treasure /proc/{}/environ", victim.0.id());
    holds(CONFINED, Bench::new, &read);
}

#[test]
fn the_limits_of_other_processes_cannot_be_changed() {
    let victim = Victim::new();
    let (number, files) = (libc::SYS_prlimit64, libc::RLIMIT_NOFILE);
    let pid = victim.0.id();
    let code =
        format!("my $l = pack(\"QQ\", 9, 9); exit(syscall({number}, {pid}, {files}, $l, 0))");
    holds(CONFINED, Bench::new, &format!("perl -e '{code}'"));
}

#[test]
fn namespaces_and_tracing_are_out_of_reach() {
    // Asks for nothing that takes a privilege, so that only the filter can be in the way.
    let unshare = format!("syscall({}, {})", libc::SYS_unshare, libc::CLONE_FILES);
    let trace = format!("syscall({}, 0, 0, 0, 0)", libc::SYS_ptrace);
    for call in [unshare, trace] {
        holds(CONFINED, Bench::new, &format!("perl -e 'exit({call} ? 1 : 0)'"));
    }
}

#[test]
fn calls_cannot_be_made_under_their_second_numbers() {
    // Only some kernels know those numbers, so what tells is the error: denied, or not known.
    let second = libc::SYS_socket | 0x4000_0000;
    let code = format!("syscall({second}, 1, 1, 0); print $!+0");
    let denied = format!("exit code: 0\n{}", libc::EPERM);
    let seen = |mode| {
        let command = format!("perl -e '{code}'");
        Bench::new().shell(mode, Backend::Landlock, &command).unwrap()
    };
    if cfg!(target_arch = "x86_64") {
        assert_eq!(seen(Mode::ReadOnly), denied);
        assert_ne!(seen(Mode::DangerFullAccess), denied);
    }
}
