//! The process's exit codes: one table, documented in the README, never renumbered.

use std::process::ExitCode;

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done,
    /// There are findings.
    Findings,
    /// The command line, a file or a definition is not usable as it is.
    Usage,
}

/// Every code with what it means.
pub const EXIT_CODES: &[(Exit, u8, &str)] = &[
    (Exit::Done, 0, "done"),
    (Exit::Findings, 1, "findings"),
    (Exit::Usage, 2, "usage, unreadable or no file matched, unknown agent"),
];

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        let code =
            EXIT_CODES.iter().find(|(known, ..)| *known == exit).map_or(2, |(_, code, _)| *code);
        Self::from(code)
    }
}
