//! The process's exit codes: one table, documented in the README, never renumbered.

use std::process::ExitCode;

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done,
    /// There are findings.
    Findings,
    /// The agent failed.
    Failed,
    /// The command line, a file or a definition is not usable as it is.
    Usage,
    /// There is no model to be had.
    NoModel,
    /// The provider refused the credentials.
    Auth,
    /// The agent handed in no valid result.
    NoOutput,
    /// The agent reached its turns or its tokens.
    Limit,
    /// An approval was needed and nobody could be asked.
    Unapproved,
    /// The agent ran out of time.
    Timeout,
    /// Someone stopped it.
    Cancelled,
}

/// Every code, the ways to end that have it, and what it means.
pub const EXIT_CODES: &[(u8, &[Exit], &str)] = &[
    (0, &[Exit::Done], "done"),
    (1, &[Exit::Findings, Exit::Failed], "findings, or the agent failed"),
    (2, &[Exit::Usage], "usage, unreadable or no file matched, unknown agent, invalid definition"),
    (3, &[Exit::NoModel], "no model available"),
    (4, &[Exit::Auth], "the provider refused the credentials"),
    (5, &[Exit::NoOutput], "no valid output: no `complete_task`, or its schema unmet"),
    (6, &[Exit::Limit], "turn or token limit"),
    (7, &[Exit::Unapproved], "an approval was needed and nobody could be asked"),
    (124, &[Exit::Timeout], "time limit"),
    (130, &[Exit::Cancelled], "cancelled"),
];

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        let row = EXIT_CODES.iter().find(|(_, exits, _)| exits.contains(&exit));
        Self::from(row.map_or(2, |(code, ..)| *code))
    }
}
