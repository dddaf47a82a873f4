//! What can be typed about threads.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::args::{HowArgs, seconds};

#[derive(Debug, Args)]
pub(super) struct PsArgs {
    /// Also agents that have ended, the newest last.
    #[arg(long)]
    pub all: bool,
    /// Show agents below those that started them.
    #[arg(long)]
    pub tree: bool,
    /// Which agents, as seen from the one named by `--of`; the descendants, if not said.
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<Scope>,
    /// Only agents that this one started, itself or through others.
    #[arg(long, value_name = "ID")]
    pub of: Option<String>,
    /// How to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ThreadFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Scope {
    /// Those it started itself.
    Children,
    /// Those, and whatever they started.
    Descendants,
    /// Every agent.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ThreadFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// The agent's id, or the beginning of it.
    pub id: String,
    /// Do not wait for it to end.
    #[arg(long)]
    pub no_block: bool,
    /// Seconds to wait for it to end.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub timeout: f64,
    /// How to print: the result, or one object with it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ThreadFormat,
}

#[derive(Debug, Args)]
pub(super) struct WaitArgs {
    /// The agents' ids, or the beginnings of them.
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Milliseconds to wait for the first of them to end. 300000 without it, at least 10000 and at
    /// most 1800000, unless `[collab]` in the settings says otherwise.
    #[arg(long, value_name = "N")]
    pub timeout_ms: Option<u64>,
    /// How to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ThreadFormat,
}

#[derive(Debug, Args)]
pub(super) struct LogsArgs {
    /// The agent's id, or the beginning of it.
    pub id: String,
    /// Go on until it has ended.
    #[arg(long, short)]
    pub follow: bool,
    /// How to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    /// For people.
    Text,
    /// Every event, one object a line.
    Jsonl,
}

#[derive(Debug, Args)]
pub(super) struct TranscriptArgs {
    /// The agent's id, or the beginning of it.
    pub id: String,
    /// How to print.
    #[arg(long, value_name = "FORMAT", default_value = "md")]
    pub format: TranscriptFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TranscriptFormat {
    /// Markdown.
    Md,
    /// One object with the thread and its messages.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct CloseArgs {
    /// The agents' ids, or the beginnings of them.
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// How to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ThreadFormat,
}

#[derive(Debug, Args)]
pub(super) struct SendArgs {
    /// The agent's id, or the beginning of it.
    pub id: String,
    /// What to tell it; `-` reads it from stdin.
    pub message: String,
    /// Do not wait for its present turn to end.
    #[arg(long)]
    pub interrupt: bool,
}

#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    /// The agent's id, or the beginning of it.
    pub id: String,
    /// What to tell it; `-` reads it from stdin.
    pub prompt: Option<String>,
    #[command(flatten)]
    pub how: HowArgs,
}

#[derive(Debug, Args)]
pub(super) struct NoteArgs {
    /// The agent's id, or the beginning of it.
    pub id: String,
    /// The new note; an empty one takes the old one away.
    pub text: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(super) enum ThreadsCommand {
    /// List every agent that is remembered: `ps --all`.
    List {
        /// Show agents below those that started them.
        #[arg(long)]
        tree: bool,
        /// How to print.
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: ThreadFormat,
    },
    /// Forget agents that ended long ago.
    Prune {
        /// How long ago, such as 12h, 30d or 8w.
        #[arg(long, value_name = "AGE", value_parser = age)]
        older_than: Duration,
    },
    /// Save what can be read of a damaged store, and set the damaged file aside.
    Recover {
        /// How to print.
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: ThreadFormat,
    },
}

/// What a time span can be counted in, and its seconds.
const UNITS: &[(char, u64)] = &[('s', 1), ('m', 60), ('h', 3_600), ('d', 86_400), ('w', 604_800)];

fn age(text: &str) -> Result<Duration, String> {
    let parsed = UNITS.iter().find_map(|(unit, seconds)| {
        let count: u64 = text.strip_suffix(*unit)?.parse().ok()?;
        count.checked_mul(*seconds).map(Duration::from_secs)
    });
    parsed.ok_or_else(|| "it is a number with s, m, h, d or w, such as 30d".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_needs_its_unit() {
        assert_eq!(age("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(age("30d"), Ok(Duration::from_secs(2_592_000)));
        assert_eq!(age("2w"), Ok(Duration::from_secs(1_209_600)));
        for wrong in ["30", "d", "", "-1d", "1.5h", "1y", "30 d", "99999999999999999999s"] {
            assert!(age(wrong).is_err(), "{wrong}");
        }
    }
}
