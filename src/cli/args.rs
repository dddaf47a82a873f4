//! What can be typed.

use std::path::PathBuf;

use clap::{
    Args, CommandFactory as _, Parser, Subcommand, ValueEnum, builder::PossibleValuesParser,
};
use clap_complete::Shell;

use super::thread_args::{
    CloseArgs, LogsArgs, NoteArgs, OutputArgs, PsArgs, ResumeArgs, SendArgs, ThreadsCommand,
    TranscriptArgs, WaitArgs,
};
use crate::{
    config::check_rule_name,
    dialect::DIALECTS,
    session::{Approvals, Leaving, ModeKind},
    tools::sandbox::Mode,
};

/// The toolchain for AI-agent definitions.
///
/// Reads the agent files of Claude Code, Gemini CLI, Codex, Copilot, opencode, Qwen Code, Goose,
/// Docker Agent, Factory, Cursor and Kiro with exact positions, and tells what each host would
/// really do with them.
#[derive(Debug, Parser)]
#[command(name = "agentctl", version, max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(super) command: Command,

    /// Folders with definitions, instead of `agents`, `.agentctl/agents` and the hosts' own.
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) agents: Vec<PathBuf>,

    /// Read every file as this dialect, whatever it looks like.
    #[arg(long, global = true, value_name = "DIALECT", value_parser = dialects())]
    pub(super) dialect: Option<String>,

    /// When to colour output.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(super) color: When,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the agents there are, and who shadows whom.
    List(ListArgs),
    /// Check definitions: what their hosts would really do with them.
    Validate(ValidateArgs),
    /// Print the manual of a rule, or what is known about a host.
    Explain(ExplainArgs),
    /// Show everything an agent's definition says, and where each thing comes from.
    Show(ShowArgs),
    /// Run an agent.
    Run(Box<RunArgs>),
    /// Talk to an agent that can start others.
    Chat(Box<ChatArgs>),
    /// Talk to agents from another program: JSON-RPC 2.0 on stdin and stdout, one message a line.
    AppServer,
    /// List the agents that are running.
    Ps(PsArgs),
    /// Print an agent's result, once it has one.
    Output(OutputArgs),
    /// Wait until the first of several agents has ended.
    Wait(WaitArgs),
    /// Print what an agent has done so far.
    Logs(LogsArgs),
    /// Print the whole conversation of an agent.
    Transcript(TranscriptArgs),
    /// Tell an agent something; one that has ended is started again.
    Send(SendArgs),
    /// Go on with an agent that has ended, was stopped or was closed.
    Resume(Box<ResumeArgs>),
    /// Print or set an agent's note.
    Note(NoteArgs),
    /// Close agents, and those they started.
    Close(CloseArgs),
    /// List or forget the agents that are remembered.
    #[command(subcommand)]
    Threads(ThreadsCommand),
    /// Trust files with tools that run commands or change files.
    #[command(subcommand)]
    Trust(TrustCommand),
    /// Serve a web page on which agents can be watched and steered.
    Serve(ServeArgs),
    /// Print the JSON Schema of a dialect or of agentctl.toml, for editors.
    Schema(SchemaArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
    /// Print the manual page.
    Man,
    /// Run a thread that is in the store.
    #[command(name = super::run::WORKER, hide = true)]
    Worker {
        /// The thread.
        id: String,
        /// The process it is taken over from.
        from: String,
    },
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Files and folders to look in, instead of the project's, the user's and the built-in agents.
    pub paths: Vec<PathBuf>,
    /// Show model, reasoning effort and prompt as well.
    #[arg(long)]
    pub expanded: bool,
    /// Only agents of this type.
    #[arg(long = "type", value_name = "TYPE")]
    pub agent_type: Option<String>,
    /// How to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ListFormat,
}

#[derive(Debug, Args)]
pub(super) struct ValidateArgs {
    /// Files and folders to check, instead of the project's; `-` reads a file from stdin.
    pub paths: Vec<PathBuf>,
    /// How to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: FindingFormat,
    /// Check every file as these hosts would read it.
    #[arg(long, value_name = "HOST,…", value_delimiter = ',', value_parser = dialects())]
    pub host: Vec<String>,
    /// Mend what can be mended without changing what a definition says.
    #[arg(long)]
    pub fix: bool,
    /// With `--fix` or `--diff`: also what is only a guess at what was meant.
    #[arg(long)]
    pub unsafe_fixes: bool,
    /// Print what `--fix` would change, and change nothing.
    #[arg(long)]
    pub diff: bool,
    /// Exit with 1 on warnings, too.
    #[arg(long)]
    pub deny_warnings: bool,
    /// Leave out the findings of an earlier run: its `--format json`, saved in FILE.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Also report these rules; `all` for every one.
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = check_rule_name)]
    pub select: Vec<String>,
    /// Do not report these rules.
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = check_rule_name)]
    pub ignore: Vec<String>,
    /// With `-`: what the file is called.
    #[arg(long, value_name = "PATH")]
    pub stdin_filename: Option<PathBuf>,
    /// Check again whenever a file changes.
    #[arg(long, conflicts_with_all = ["fix", "diff"])]
    pub watch: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FindingFormat {
    /// For people.
    Text,
    /// One object.
    Json,
    /// SARIF 2.1.0, for code-scanning services.
    Sarif,
    /// Annotations on a pull request.
    Github,
}

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// A rule, or a host such as `claude`; without it, the table of rules.
    #[arg(value_name = "RULE")]
    pub rule: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// The port to listen on, on this machine only; 0 takes any that is free.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// Open the page in a browser.
    #[arg(long)]
    pub open: bool,
}

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// An agent's name, `plugin:name`, or the path of its file.
    pub agent: String,
    /// What this host would make of the file.
    #[arg(long, value_name = "HOST", value_parser = dialects())]
    pub host: Option<String>,
    /// How to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ShowFormat,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// An agent's name, `plugin:name`, or the path of its file.
    #[arg(required_unless_present = "resume")]
    pub agent: Option<String>,
    /// What it is to do; `-` reads it from stdin.
    pub prompt: Option<String>,
    /// Go on with a thread that ended or was stopped; the prompt is what it is told.
    #[arg(long, value_name = "ID", conflicts_with_all = ["record", "replay", "input", "input_file", "cwd"])]
    pub resume: Option<String>,
    /// An input the agent declares; give lists item by item or as JSON.
    #[arg(long, value_name = "NAME=VALUE", value_parser = key_value)]
    pub input: Vec<(String, String)>,
    /// Inputs from a JSON or YAML file.
    #[arg(long, value_name = "FILE")]
    pub input_file: Option<PathBuf>,
    /// Where the agent works.
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    #[command(flatten)]
    pub how: HowArgs,
    /// Write down what the model says.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["replay", "background"])]
    pub record: Option<PathBuf>,
    /// Run what was recorded again, without a network.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "background"])]
    pub replay: Option<PathBuf>,
}

/// How an agent is run, whether it begins or goes on.
#[derive(Clone, Debug, Args)]
pub(super) struct HowArgs {
    /// Run it in a process of its own, print its id and do not wait.
    #[arg(long)]
    pub background: bool,
    /// The model: `provider/model`, a name from `[models]`, `script:FILE` or `offline`.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Turns it may take, instead of what its definition says.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_turns: Option<u32>,
    /// Seconds it may take, instead of what its definition says.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Seconds to hand in a result after a limit.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub grace: Option<f64>,
    /// What happens where an approval is needed. Without a terminal, asking is a denial.
    #[arg(long, value_name = "WHEN", default_value = "ask")]
    pub approve: Approve,
    /// The least strict sandbox for commands: read_only, workspace_write (unless settings say
    /// otherwise) or danger_full_access.
    #[arg(long, value_name = "MODE", value_parser = sandbox_mode)]
    pub sandbox: Option<Mode>,
    /// What becomes of agents it started in the background when it ends.
    #[arg(long, value_name = "WHAT", default_value = "wait")]
    pub on_exit: OnExit,
    /// How to print: the result, one object with it, or every event as it happens.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: RunFormat,
    /// Print what would be run, and run nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Refuse `offline`, which is no language model.
    #[arg(long)]
    pub require_llm: bool,
    /// Do not look for model servers on this machine.
    #[arg(long)]
    pub no_probe: bool,
}

#[derive(Debug, Args)]
pub(super) struct ChatArgs {
    /// What to say first.
    pub prompt: Option<String>,
    /// An agent's name, `plugin:name`, or the path of its file.
    #[arg(long, value_name = "AGENT", default_value = "orchestrator")]
    pub agent: String,
    /// How the agent works: plan, pair_programming or execute; without it, as its definition says.
    #[arg(long, value_name = "MODE", value_parser = super::chat::mode)]
    pub mode: Option<ModeKind>,
    /// Go on with a conversation, or with any other thread that nobody runs.
    #[arg(long, value_name = "ID", conflicts_with_all = ["agent", "cwd"])]
    pub resume: Option<String>,
    /// The model: `provider/model`, a name from `[models]`, `script:FILE` or `offline`.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Where the agent works.
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// What happens where an approval is needed. Without a terminal, asking is a denial.
    #[arg(long, value_name = "WHEN", default_value = "ask")]
    pub approve: Approve,
    /// The least strict sandbox for commands: read_only, workspace_write (unless settings say
    /// otherwise) or danger_full_access.
    #[arg(long, value_name = "MODE", value_parser = sandbox_mode)]
    pub sandbox: Option<Mode>,
    /// Do not look for model servers on this machine.
    #[arg(long)]
    pub no_probe: bool,
}

impl ChatArgs {
    /// How the agent is run.
    pub fn how(&self) -> HowArgs {
        HowArgs {
            background: false,
            model: self.model.clone(),
            approve: self.approve,
            sandbox: self.sandbox,
            no_probe: self.no_probe,
            ..HowArgs::in_background()
        }
    }
}

impl HowArgs {
    /// As if nothing had been typed, in the background.
    pub fn in_background() -> Self {
        Self {
            background: true,
            model: None,
            max_turns: None,
            timeout: None,
            grace: None,
            approve: Approve::Ask,
            sandbox: None,
            on_exit: OnExit::Wait,
            format: RunFormat::Text,
            dry_run: false,
            require_llm: false,
            no_probe: false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Approve {
    /// Ask on the terminal.
    Ask,
    /// Deny.
    Never,
    /// Approve.
    Always,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OnExit {
    /// It ends when they have.
    Wait,
    /// They are told to end.
    Cancel,
    /// They go on without it.
    Detach,
}

impl From<OnExit> for Leaving {
    fn from(on_exit: OnExit) -> Self {
        match on_exit {
            OnExit::Wait => Self::Wait,
            OnExit::Cancel => Self::Cancel,
            OnExit::Detach => Self::Detach,
        }
    }
}

impl From<Approve> for Approvals {
    fn from(approve: Approve) -> Self {
        match approve {
            Approve::Ask => Self::Ask,
            Approve::Never => Self::Never,
            Approve::Always => Self::Always,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum RunFormat {
    /// The result.
    Text,
    /// One object: the result with how it came about.
    Json,
    /// Every event, one object a line.
    Jsonl,
}

#[derive(Debug, Subcommand)]
pub(super) enum TrustCommand {
    /// Trust these files as they are now; an edited file is no longer trusted.
    Add {
        /// The files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// List the files you trust, and whether they still are what they were.
    List,
    /// No longer trust these files.
    Remove {
        /// The files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// Which schema; without it, their names.
    pub what: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell.
    pub shell: Shell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ListFormat {
    /// A table.
    Text,
    /// A list of objects.
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ShowFormat {
    /// For people.
    Text,
    /// An object.
    Json,
    /// The same object as YAML.
    Yaml,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    /// On a terminal, unless `NO_COLOR`, `CI` or `TERM=dumb` say otherwise.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The command line as data, for completions, manual pages and documentation.
pub fn command() -> clap::Command {
    Cli::command()
}

/// The longest time that can be asked for: a year.
const MAX_SECONDS: f64 = 31_536_000.0;

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=MAX_SECONDS).contains(&seconds) => Ok(seconds),
        _ => Err("it is a number of seconds, such as 30 or 0.5".to_owned()),
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it has the form NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn sandbox_mode(text: &str) -> Result<Mode, String> {
    Mode::parse(text).ok_or_else(|| {
        let known: Vec<_> = Mode::ALL.iter().map(|(name, _)| *name).collect();
        format!("it is one of {}", known.join(", "))
    })
}

fn dialects() -> PossibleValuesParser {
    PossibleValuesParser::new(DIALECTS.iter().map(|dialect| dialect.id))
}
