//! What commands may touch, and how they are held to it.
//!
//! A command is never a child of agentctl. agentctl starts itself again as a *supervisor*
//! (`supervise.rs`), which starts itself once more as the process that shuts itself in
//! (`confine.rs`) and then becomes the command. The supervisor inherits whatever the command leaves
//! behind and kills it, and goes when agentctl goes: their only tie is a socket, and its end is the
//! order to stop.
//!
//! | | Landlock and seccomp | bubblewrap, and both inside of it |
//! |---|---|---|
//! | files outside cannot be written | yes | yes |
//! | nor their permissions, times and attributes | `read_only`; of `workspace_write` only owners and attributes | yes |
//! | `.git` below the root stays as it is | no: Landlock adds rights, it takes none back | yes |
//! | no sockets of any family | yes | yes, and a network of its own |
//! | the supervisor cannot be signalled | since Linux 6.12; before, its number and agentctl's are refused | yes |
//!
//! `danger_full_access` shuts nothing in: such a command may even kill its supervisor. It still
//! has a time limit, and what it leaves behind is still killed.

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod confine;
mod environment;
#[cfg(target_os = "linux")]
mod filesystem;
mod output;
mod policy;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod supervise;
#[cfg(target_os = "linux")]
mod syscalls;
#[cfg(target_os = "linux")]
mod tree;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

pub use policy::{Backend, Limits};
use serde::{Deserialize, Serialize};

use super::{ToolCx, ToolError};

/// The first argument of agentctl when it is to run a command for itself.
pub const HELPER: &str = "__sandbox";

/// How much commands may do, from the least strict to the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Everything the user may.
    DangerFullAccess,
    /// Reads everything, writes below the root and in a private folder for temporary files, no
    /// network.
    WorkspaceWrite,
    /// Reads everything, writes only in a private folder for temporary files, no network.
    ReadOnly,
}

impl Mode {
    /// Every mode with its name.
    pub const ALL: &[(&str, Self)] = &[
        ("danger_full_access", Self::DangerFullAccess),
        ("workspace_write", Self::WorkspaceWrite),
        ("read_only", Self::ReadOnly),
    ];

    /// The mode called `name`; hosts write it with dashes.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.replace('-', "_");
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, mode)| *mode == self).map_or("", |(name, _)| name)
    }
}

/// How commands are run.
#[derive(Clone, Debug)]
pub struct Sandbox {
    /// How much they may do.
    pub mode: Mode,
    /// The program that shuts itself in and then runs them: agentctl itself.
    pub helper: PathBuf,
    /// The variables they see, but for those that look like secrets.
    pub environment: Vec<(OsString, OsString)>,
    /// What shuts them in.
    pub backend: Backend,
    /// How much of the machine they may use.
    pub limits: Limits,
}

impl Sandbox {
    /// With the strongest backend there is and the usual limits. Of `environment`, what looks like
    /// a secret is forgotten at once.
    pub fn new(
        mode: Mode,
        helper: PathBuf,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        Self {
            mode,
            helper,
            environment: environment::scrubbed(environment),
            backend: Backend::Strongest,
            limits: Limits::default(),
        }
    }
}

/// A command to run.
#[derive(Debug)]
pub(super) struct Order<'a> {
    pub(super) program: &'a str,
    pub(super) args: &'a [String],
    /// What it reads; nothing if there is none.
    pub(super) stdin: Option<&'a str>,
    /// Where it runs, from the root.
    pub(super) workdir: Option<&'a Path>,
    /// How long it may take, at most as long as any call.
    pub(super) timeout: Option<Duration>,
}

/// Runs a command and says what came of it, for a model.
#[cfg(target_os = "linux")]
pub(super) async fn run(cx: &ToolCx, order: Order<'_>) -> Result<String, ToolError> {
    run::run(cx, order).await
}

/// Runs nothing: what the sandbox is made of exists on Linux only.
#[cfg(not(target_os = "linux"))]
pub(super) async fn run(_cx: &ToolCx, _order: Order<'_>) -> Result<String, ToolError> {
    Err(ToolError::Broken("commands can only be run on Linux so far".to_owned()))
}

/// Exactly what a call would run, where and how shut in, for people.
pub(super) fn preview(cx: &ToolCx, command: &str, workdir: Option<&Path>) -> String {
    let place = workdir.map_or_else(|| cx.root.path().to_owned(), |dir| cx.root.path().join(dir));
    format!("{command}\nin {}\nsandbox: {}", place.display(), cx.sandbox.mode.name())
}

/// What agentctl does when [`HELPER`] is its first argument: `arguments` are those after it.
#[cfg(target_os = "linux")]
pub fn helper_main(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    match arguments.next() {
        None => supervise::main(),
        Some(stage) if stage == confine::STAGE => confine::main(),
        Some(_) => ExitCode::FAILURE,
    }
}

/// What agentctl does when [`HELPER`] is its first argument.
#[cfg(not(target_os = "linux"))]
pub fn helper_main(_arguments: impl Iterator<Item = OsString>) -> ExitCode {
    ExitCode::FAILURE
}
