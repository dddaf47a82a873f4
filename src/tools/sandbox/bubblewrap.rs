//! Bubblewrap: namespaces around a command, where the machine has it and lets it work.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{process::Command, sync::OnceCell, time::timeout};

use super::{Mode, policy::Policy};

/// Where it is looked for. A `PATH` could name another one.
const PLACES: &[&str] = &["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"];
/// Longer it cannot take to run `true`.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is the same for every command, and what the kernel may refuse.
const NAMESPACES: &[&str] = &["--unshare-all", "--new-session", "--cap-drop", "ALL"];
/// Only where a supervisor ends what is left: killed too early, bubblewrap forgets its own child,
/// which then waits for it for ever.
const WITH_PARENT: &str = "--die-with-parent";

/// The bubblewrap of this machine, if it works. Tried once.
pub(super) async fn find() -> Option<&'static Path> {
    static FOUND: OnceCell<Option<PathBuf>> = OnceCell::const_new();
    FOUND.get_or_init(probe).await.as_deref()
}

async fn probe() -> Option<PathBuf> {
    let program = PLACES.iter().map(PathBuf::from).find(|place| place.is_file())?;
    let mut command = Command::new(&program);
    command
        .args(NAMESPACES)
        .args([
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
            "--",
            "/bin/sh",
            "-c",
            ":",
        ])
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // Whoever stops waiting for it lets it come to its end, which is near.
    let mut child = command.spawn().ok()?;
    let Ok(status) = timeout(PATIENCE, child.wait()).await else {
        child.start_kill().ok();
        return None;
    };
    status.ok()?.success().then_some(program)
}

/// Its arguments up to the program.
///
/// `/tmp` is what it is outside: the root or agentctl may lie there, and everything can be read.
pub(super) fn arguments(policy: &Policy, temporary: &Path) -> Vec<OsString> {
    let always = NAMESPACES.iter().chain([&WITH_PARENT]);
    let mut arguments: Vec<OsString> = always.map(OsString::from).collect();
    let mut mount = |how: &str, what: &Path| {
        arguments.extend([how.into(), what.into(), what.into()]);
    };
    mount("--ro-bind", Path::new("/"));
    if policy.mode == Mode::WorkspaceWrite {
        let root = Path::new(&policy.root);
        mount("--bind", root);
        if let Some(git) = git_folder(root) {
            mount("--ro-bind", &git);
        }
    }
    mount("--bind", temporary);
    let devices = ["--dev", "/dev", "--proc", "/proc", "--chdir"];
    arguments.extend(devices.iter().map(OsString::from));
    arguments.extend([policy.workdir.clone(), "--".into()]);
    arguments
}

/// What git runs unasked lies here: hooks, and whatever its configuration names. Where it is outside
/// of the root it is out of reach anyway.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let real = root.join(".git").canonicalize().ok()?;
    real.starts_with(root).then_some(real)
}
