//! Commands and what they cannot do, with the real program between them and the machine.
//!
//! Every attempt is also made without the sandbox, where it must succeed: a test that would pass
//! with a sandbox that does nothing proves nothing.

mod escapes;
mod lifetime;
mod limits;
mod results;

use std::{
    ffi::OsString,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use agentctl::tools::{
    Root, Shell, Tool, ToolCx, ToolError,
    sandbox::{Backend, Limits, Mode, Sandbox},
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);
/// What a command prints when it got through.
const ESCAPED: &str = "escaped";
/// Modes that shut commands in.
const CONFINED: &[Mode] = &[Mode::ReadOnly, Mode::WorkspaceWrite];

/// A root, a folder outside of it that holds something precious, and one for temporary files.
struct Bench {
    folder: TempDir,
    environment: Vec<(OsString, OsString)>,
    limits: Limits,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut bench = Self { folder, environment: Vec::new(), limits: Limits::default() };
        for folder in [bench.root(), bench.outside(), bench.temporary()] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(bench.precious(), "precious").unwrap();
        std::os::unix::fs::symlink(bench.outside(), bench.root().join("link")).unwrap();
        bench.set("PATH", std::env::var_os("PATH").unwrap());
        bench.set("OUT", bench.outside());
        bench.set("TMPDIR", bench.temporary());
        bench
    }

    fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.environment.push((name.into(), value.into()));
    }

    fn folder(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn root(&self) -> PathBuf {
        self.folder().join("root")
    }

    fn outside(&self) -> PathBuf {
        self.folder().join("outside")
    }

    fn temporary(&self) -> PathBuf {
        self.folder().join("temporary")
    }

    fn precious(&self) -> PathBuf {
        self.outside().join("precious")
    }

    /// Whether nothing outside has changed.
    fn is_intact(&self) -> bool {
        let names: Vec<_> = fs::read_dir(self.outside()).unwrap().collect();
        let mode = fs::metadata(self.precious()).map(|metadata| metadata.permissions().mode());
        names.len() == 1
            && fs::read_to_string(self.precious()).is_ok_and(|text| text == "precious")
            && mode.is_ok_and(|mode| mode & 0o777 != 0)
    }

    fn cx(&self, mode: Mode, backend: Backend) -> ToolCx {
        let helper = PathBuf::from(env!("CARGO_BIN_EXE_agentctl"));
        let sandbox = Sandbox::new(mode, helper, self.environment.clone());
        ToolCx {
            root: Root::open(&self.root()).unwrap(),
            sandbox: Sandbox { backend, limits: self.limits.clone(), ..sandbox },
            time_limit: PATIENCE,
            web: false,
        }
    }

    fn shell(&self, mode: Mode, backend: Backend, command: &str) -> Result<String, ToolError> {
        call(&Shell, &self.cx(mode, backend), json!({ "command": command }))
    }

    fn unconfined(&self, command: &str) -> Result<String, ToolError> {
        self.shell(Mode::DangerFullAccess, Backend::Strongest, command)
    }
}

/// Calls a tool and waits for it.
fn call(tool: &dyn Tool, cx: &ToolCx, arguments: Value) -> Result<String, ToolError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(tool.call(cx.into(), arguments))
}

/// The backends of this machine. Landlock must be one.
fn backends() -> &'static [Backend] {
    if bubblewrap_works() {
        &[Backend::Landlock, Backend::Bubblewrap]
    } else {
        &[Backend::Landlock]
    }
}

/// Whether bubblewrap works here; it must where changes are checked before they land.
fn bubblewrap_works() -> bool {
    static WORKS: OnceLock<bool> = OnceLock::new();
    *WORKS.get_or_init(|| {
        let result = Bench::new().shell(Mode::ReadOnly, Backend::Bubblewrap, "true");
        let Err(why) = result else { return true };
        crate::support::not_tested(&format!(
            "bubblewrap: {why}\ninstall it: apt-get install bubblewrap"
        ));
        false
    })
}

/// Asserts that `command` gets through without a sandbox, and in none of `modes`, whatever shuts it
/// in. `prepare` makes a fresh bench for each attempt.
fn holds(modes: &[Mode], prepare: impl Fn() -> Bench, command: &str) {
    let backends = [backends(), &[Backend::FirstLandlock]].concat();
    holds_with(&backends, modes, prepare, command);
}

fn holds_with(backends: &[Backend], modes: &[Mode], prepare: impl Fn() -> Bench, command: &str) {
    let command = format!("{{ {command}; }} && echo {ESCAPED}");
    let seen = prepare().unconfined(&command);
    let through = |seen: &Result<String, ToolError>| match seen {
        Ok(text) | Err(ToolError::Refused(text)) => text.contains(ESCAPED),
        Err(ToolError::Broken(why)) => panic!("{why}"),
    };
    assert!(through(&seen), "does nothing even without a sandbox: {command}\n{seen:?}");
    for mode in modes {
        for backend in backends {
            let bench = prepare();
            let seen = bench.shell(*mode, *backend, &command);
            assert!(!through(&seen), "{mode:?}, {backend:?}: {command}\n{seen:?}");
            assert!(bench.is_intact(), "{mode:?}, {backend:?}: {command}\n{seen:?}");
        }
    }
}

/// A process that waits, to be attacked. Killed when dropped.
struct Victim(Child);

impl Victim {
    fn new() -> Self {
        let mut command = Command::new("cat");
        command.env("BURIED", "treasure").stdin(Stdio::piped()).stdout(Stdio::null());
        Self(command.spawn().unwrap())
    }

    fn is_alive(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// The processes with `marker` in their command line.
fn processes(marker: &str) -> Vec<i32> {
    command_lines().filter(|(_, line)| line.contains(marker)).map(|(pid, _)| pid).collect()
}

/// How many processes call themselves `marker`.
fn called(marker: &str) -> usize {
    command_lines().filter(|(_, line)| line.starts_with(marker)).count()
}

fn command_lines() -> impl Iterator<Item = (i32, String)> {
    let numbered = fs::read_dir("/proc").unwrap().flatten();
    let numbered =
        numbered.filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()));
    numbered.map(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        (pid, String::from_utf8_lossy(&line).into_owned())
    })
}

/// Waits until `done`, and fails if that takes too long.
fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < deadline, "never: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Whether `folder` holds nothing.
fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}
