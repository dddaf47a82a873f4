//! Runs the program as a user would, with nothing of this machine in sight.

use std::{
    fmt,
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;
use walkdir::WalkDir;

/// Compares with `snapshots/<name>.snap` at the top of the repository.
macro_rules! assert_snapshot {
    ($name:expr, $value:expr) => {
        insta::with_settings!({
            snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"),
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, { insta::assert_snapshot!($name, $value) })
    };
}
pub(crate) use assert_snapshot;

/// A program that takes longer than this hangs.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The top of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names of the folders in `tests/projects`.
pub fn projects() -> Vec<String> {
    let folder = fs::read_dir(repository().join("tests/projects")).unwrap();
    let mut names: Vec<_> =
        folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Compares `text` with a generated file of the repository, or writes it with `UPDATE_DOCS=1`.
pub fn assert_generated(path: &str, text: &str) {
    let file = repository().join(path);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(written == text, "{path} is out of date: run the tests with UPDATE_DOCS=1");
}

/// A working directory that is a repository, and an empty home.
pub struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    /// With nothing in it.
    pub fn empty() -> Self {
        let sandbox = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(sandbox.work().join(".git")).unwrap();
        fs::create_dir_all(sandbox.home()).unwrap();
        sandbox
    }

    /// With files in the working directory; `~/` in front of a path is the home.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::empty();
        for (path, text) in files {
            sandbox.write(path, text);
        }
        sandbox
    }

    /// With a copy of a folder of `tests/projects`.
    pub fn project(name: &str) -> Self {
        let sandbox = Self::empty();
        let from = repository().join("tests/projects").join(name);
        for entry in WalkDir::new(&from).min_depth(1) {
            let entry = entry.unwrap();
            let to = sandbox.work().join(entry.path().strip_prefix(&from).unwrap());
            if entry.file_type().is_dir() {
                fs::create_dir_all(to).unwrap();
            } else {
                fs::copy(entry.path(), to).unwrap();
            }
        }
        sandbox
    }

    /// Where the program runs.
    pub fn work(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("work")
    }

    /// What the program takes for the user's home.
    pub fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home")
    }

    /// The path called `name`; `~/` is the home.
    pub fn path(&self, name: &str) -> PathBuf {
        match name.strip_prefix("~/") {
            Some(name) => self.home().join(name),
            None => self.work().join(name),
        }
    }

    /// Writes a file and the folders above it.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The program, ready to run.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agentctl"));
        command
            .args(arguments)
            .current_dir(self.work())
            .stdin(Stdio::null())
            .env_clear()
            .env("HOME", self.home())
            .env("COLUMNS", "100");
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
    }

    /// Runs the program in the working directory.
    pub fn run(&self, arguments: &[&str]) -> Seen {
        self.see(self.command(arguments))
    }

    /// Runs the program and reads the JSON it prints.
    pub fn json(&self, arguments: &[&str]) -> Value {
        self.run(arguments).json()
    }

    /// Runs a command prepared by [`Self::command`].
    pub fn see(&self, mut command: Command) -> Seen {
        let (sender, receiver) = mpsc::channel();
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        thread::spawn(move || sender.send(child.wait_with_output()));
        let Ok(output) = receiver.recv_timeout(PATIENCE) else {
            panic!("{command:?} hangs");
        };
        Seen::new(self, &output.unwrap())
    }

    /// What a user would see of `output`.
    pub fn seen(&self, output: &Output) -> Seen {
        Seen::new(self, output)
    }

    /// Runs a command with `stdout` in place of a pipe; only its messages are seen.
    pub fn see_with_stdout(&self, mut command: Command, stdout: impl Into<Stdio>) -> Seen {
        command.stdout(stdout).stderr(Stdio::piped());
        Seen::new(self, &command.spawn().unwrap().wait_with_output().unwrap())
    }
}

/// What a user sees of a run.
#[derive(Debug)]
pub struct Seen {
    pub exit: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Seen {
    fn new(sandbox: &Sandbox, output: &Output) -> Self {
        let plain = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            let text = text.replace(sandbox.home().to_str().unwrap(), "~");
            text.replace(sandbox.work().to_str().unwrap(), "<work>")
        };
        Self {
            exit: output.status.code(),
            stdout: plain(&output.stdout),
            stderr: plain(&output.stderr),
        }
    }

    /// The answer as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self}"))
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { exit, stdout, stderr } = self;
        match exit {
            Some(code) => writeln!(f, "exit: {code}")?,
            None => writeln!(f, "exit: killed")?,
        }
        write!(f, "--- stdout ---\n{stdout}--- stderr ---\n{stderr}")
    }
}

/// A list of agents as the program prints it, each as `key` of its object.
pub fn column(list: &Value, key: &str) -> Vec<String> {
    let entries = list.as_array().unwrap_or_else(|| panic!("not a list: {list}"));
    entries.iter().map(|entry| entry[key].as_str().unwrap_or_default().to_owned()).collect()
}

/// A Claude Code agent called `name`.
pub fn agent(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Is called {name}.\n---\n\nDo it.\n")
}

/// A pipe that nobody reads.
pub fn closed_pipe() -> Stdio {
    let (_, writer) = std::io::pipe().unwrap();
    writer.into()
}

/// A device that is always full.
pub fn full_device() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

/// Says that something cannot be tested here, which is a failure where changes are checked before
/// they land.
#[track_caller]
pub fn not_tested(advice: &str) {
    assert!(std::env::var_os("CI").is_none(), "not tested: {advice}");
    std::io::stderr().write_all(format!("not tested: {advice}\n").as_bytes()).unwrap();
}
