//! What agentctl, the supervisor and the process that shuts itself in tell each other: JSON, a line
//! each, over the socket that stands in for standard error.

use std::{ffi::OsString, fmt};

use serde::{Deserialize, Serialize};

use super::Mode;

/// What shuts a command in. Only the library can choose; no environment and no file can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// Bubblewrap if it works here, else Landlock.
    Strongest,
    /// Landlock and seccomp.
    Landlock,
    /// Landlock as it was at first, in Linux 5.13, and seccomp, which then has to do more.
    FirstLandlock,
    /// Bubblewrap, and inside of it Landlock, if the kernel has it, and seccomp.
    Bubblewrap,
    /// As on a machine that has neither.
    NoneAvailable,
}

/// How much of the machine a command may use. The supervisor looks ten times a second, so a fast
/// command gets somewhat further.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of the largest file.
    pub file_size: u64,
    /// Bytes of data each process may have.
    pub data: u64,
    /// Files each process may have open.
    pub open_files: u64,
    /// Bytes of memory all processes may use together.
    pub memory: u64,
    /// Processes, and an eighth of the threads.
    pub processes: usize,
    /// Bytes in the private folder for temporary files.
    pub temporary_files: u64,
    /// Bytes left free on the disks a command may write to.
    pub free_space: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_size: 1 << 30,
            data: 4 << 30,
            open_files: 4_096,
            memory: 4 << 30,
            processes: 512,
            temporary_files: 1 << 30,
            free_space: 256 << 20,
        }
    }
}

/// What the supervisor is to do. Paths are bytes: they need not be UTF-8.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Policy {
    pub(super) mode: Mode,
    /// Never [`Backend::Strongest`].
    pub(super) backend: Backend,
    /// Bubblewrap, if that is the backend.
    pub(super) bubblewrap: OsString,
    pub(super) root: OsString,
    pub(super) workdir: OsString,
    /// Where the private folder for temporary files is made.
    pub(super) temporary: OsString,
    pub(super) program: String,
    pub(super) args: Vec<String>,
    pub(super) limits: Limits,
    pub(super) time_limit_ms: u64,
}

/// What the process that shuts itself in is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Confinement {
    pub(super) policy: Policy,
    /// The private folder for temporary files.
    pub(super) temporary: OsString,
    /// What the command must not signal, where nothing better protects it: numbers as `kill` takes
    /// them.
    pub(super) guarded: Vec<i32>,
}

/// How a command ended, as the supervisor tells agentctl.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ending {
    /// By itself.
    Exited(i32),
    /// By a signal.
    Signalled(i32),
    /// It took too long.
    TimedOut,
    /// It used too much.
    OverLimit(Limit),
    /// The program could not be started. The model's to mend.
    NotStarted(String),
    /// It could not be shut in, and was not started.
    Unconfined(String),
    /// agentctl is gone, or has no more use for it.
    Abandoned,
}

/// What there was too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Limit {
    Memory,
    Processes,
    TemporaryFiles,
    FreeSpace,
}

impl Limit {
    /// What was the matter, with the number from `limits`.
    pub(super) fn describe(self, limits: &Limits) -> impl fmt::Display {
        const MIB: u64 = 1 << 20;
        match self {
            Self::Memory => format!("more than {} MiB of memory", limits.memory / MIB),
            Self::Processes => format!("more than {} processes", limits.processes),
            Self::TemporaryFiles => {
                format!("more than {} MiB of temporary files", limits.temporary_files / MIB)
            }
            Self::FreeSpace => {
                format!("less than {} MiB left free on the disk", limits.free_space / MIB)
            }
        }
    }
}

/// What the process that shuts itself in tells the supervisor.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    /// It is shut in, and becomes the command.
    Confined,
    /// It is not, and ends.
    Unconfined(String),
    /// There is no such command.
    NotStarted(String),
}
