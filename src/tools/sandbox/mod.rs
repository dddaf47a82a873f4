//! What commands may touch.

use std::path::PathBuf;

/// How much commands may do, from the least strict to the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
}
