//! What happens while agents run: one stream of events with several readers.
//!
//! Status, progress and transcripts are folds over it; nothing keeps a second account. Text in
//! events is as models and tools wrote it, but for keys, which are taken out here.

mod collab;
mod journal;
mod life;
mod redact;
mod status;
mod time;

pub use collab::{AgentState, Background, CollabBegin, CollabEnd};
pub use journal::{Journal, Sink};
pub use life::{Life, Lifecycle};
pub use redact::{REDACTED, Redactor, is_secret_name};
pub use status::AgentStatus;
pub use time::{milliseconds, rfc3339, today};

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::Usage;

/// Who an event is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRef {
    /// Its thread.
    pub agent_id: String,
    /// What kind of agent it is.
    pub agent_type: String,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Its number in the session, without gaps.
    pub seq: u64,
    /// When, in UTC.
    pub at: String,
    /// Whom it is about.
    #[serde(flatten)]
    pub agent: AgentRef,
    /// What it was.
    #[serde(flatten)]
    pub what: What,
}

/// The longest output of a tool where events are handed on.
const MAX_STREAMED: usize = 10_000;

impl Event {
    /// The event as it is handed on: with a long output cut. The whole of it is what the model saw.
    pub fn streamed(&self) -> Cow<'_, Self> {
        match &self.what {
            What::ToolCallEnd { output, .. } if output.len() > MAX_STREAMED => {
                let mut event = self.clone();
                if let What::ToolCallEnd { output, .. } = &mut event.what {
                    let end = output.floor_char_boundary(MAX_STREAMED);
                    let left_out = output.len() - end;
                    output.truncate(end);
                    output.push_str(&format!("\n[… {left_out} more bytes …]"));
                }
                Cow::Owned(event)
            }
            _ => Cow::Borrowed(self),
        }
    }
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event_type", content = "data", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum What {
    /// An agent begins.
    Started(Started),
    /// Someone who talks to the agent through a client tells it something.
    UserMessage {
        /// The words.
        text: String,
        /// Whether it reads them only after its present run.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        later: bool,
    },
    /// A turn begins.
    TurnStart {
        /// How far it is.
        progress: Progress,
    },
    /// A turn is over.
    TurnComplete {
        /// How far it is.
        progress: Progress,
        /// What the turn cost.
        usage: Usage,
    },
    /// A tool begins to work.
    ToolCallStart {
        /// The tool.
        tool_name: String,
        /// The call.
        call_id: String,
        /// Its arguments; text if they are not JSON.
        arguments: Value,
    },
    /// A call has its result.
    ToolCallEnd {
        /// The tool.
        tool_name: String,
        /// The call.
        call_id: String,
        /// Whether it worked.
        success: bool,
        /// How long it took.
        duration_ms: u64,
        /// What the model is told.
        output: String,
    },
    /// The model thinks.
    ThoughtChunk {
        /// The next words.
        text: String,
    },
    /// The model speaks.
    TextChunk {
        /// The next words.
        text: String,
    },
    /// A limit was reached: the agent may still hand in its result.
    GracePeriodStart {
        /// Which limit.
        reason: Status,
        /// For how long.
        grace_seconds: f64,
    },
    /// The grace period is over.
    GracePeriodEnd {
        /// Whether a result was handed in.
        success: bool,
    },
    /// A model call failed and is tried again. What was said in it so far does not count.
    Retry {
        /// The model.
        model: String,
        /// How many times it has been tried.
        attempt: u32,
        /// How long to wait first.
        delay_ms: u64,
        /// What went wrong.
        error: Failure,
        /// The model that is tried next, if it is another.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next: Option<String>,
    },
    /// Someone is asked whether a call may happen.
    ApprovalRequest {
        /// The call.
        call_id: String,
        /// The tool.
        tool_name: String,
        /// Exactly what will happen.
        detail: String,
        /// Who asks: the agents from the main one down to it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        path: Vec<String>,
    },
    /// The answer to that.
    ApprovalDecision {
        /// The call.
        call_id: String,
        /// The answer.
        decision: Decision,
    },
    /// Something went wrong. The agent goes on unless `COMPLETED` follows.
    Error {
        /// What.
        error: Failure,
    },
    /// Another agent is to be started.
    CollabAgentSpawnBegin(CollabBegin),
    /// It was started, or not.
    CollabAgentSpawnEnd(CollabEnd),
    /// Others are to be told something.
    CollabAgentInteractionBegin(CollabBegin),
    /// They were, or not.
    CollabAgentInteractionEnd(CollabEnd),
    /// The agent waits for others.
    CollabWaitingBegin(CollabBegin),
    /// It waits no longer.
    CollabWaitingEnd(CollabEnd),
    /// Others are to be closed.
    CollabCloseBegin(CollabBegin),
    /// They were, with everything below them, or not.
    CollabCloseEnd(CollabEnd),
    /// One that was closed is to be opened again.
    CollabResumeBegin(CollabBegin),
    /// It was, or not.
    CollabResumeEnd(CollabEnd),
    /// Something became of an agent that this one started.
    BackgroundEvent(Background),
    /// An agent was labelled.
    ThreadNoteUpdated {
        /// The agent.
        thread_id: String,
        /// The label; none any more without it.
        thread_note: Option<String>,
    },
    /// The agent is done; nothing follows for it.
    Completed(Box<Outcome>),
}

/// How an agent begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// The task in a few words.
    pub description: String,
    /// The first model that will be asked.
    pub model: String,
    /// Whether that is a language model.
    pub llm: bool,
    /// Its tools.
    pub tools: Vec<String>,
    /// Where it works.
    pub cwd: String,
    /// Its limits.
    pub progress: Progress,
    /// Where it is, if others are above it: the agents from the main one down to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
}

/// How far an agent is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Turns that are over.
    pub turns_completed: u32,
    /// Turns it may take.
    pub max_turns: u32,
    /// Seconds, without those spent waiting for people.
    pub elapsed_seconds: f64,
    /// Seconds it may take.
    pub max_seconds: f64,
    /// Tokens so far.
    pub total_tokens: u64,
}

/// An answer to an approval request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Yes, this time.
    Approved,
    /// Yes, and the same tool need not ask again.
    ApprovedForRun,
    /// No.
    Denied,
    /// Nobody answered in time, which means no.
    TimedOut,
    /// Nobody could be asked.
    NobodyToAsk,
}

impl Decision {
    /// Whether the call may happen.
    pub fn allows(self) -> bool {
        matches!(self, Self::Approved | Self::ApprovedForRun)
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It handed in its result.
    Goal,
    /// It ran out of time.
    Timeout,
    /// It ran out of turns.
    MaxTurns,
    /// Someone stopped it.
    Aborted,
    /// Something broke.
    Error,
    /// It stopped without handing in a result.
    ErrorNoCompleteTaskCall,
}

impl Status {
    /// As it is written in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Timeout => "timeout",
            Self::MaxTurns => "max_turns",
            Self::Aborted => "aborted",
            Self::Error => "error",
            Self::ErrorNoCompleteTaskCall => "error_no_complete_task_call",
        }
    }
}

/// What went wrong, for programs and for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of thing.
    pub kind: FailureKind,
    /// In words.
    pub message: String,
}

/// The kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// No model of the chain could be used.
    NoModel,
    /// The provider refused the credentials.
    Auth,
    /// The provider wants fewer requests.
    RateLimited,
    /// The provider is overloaded.
    Overloaded,
    /// The conversation is too long for the model.
    ContextLength,
    /// The provider does not accept the request.
    BadRequest,
    /// The provider does not have the model.
    UnknownModel,
    /// The answer broke off.
    TruncatedStream,
    /// What came back is not an answer.
    NotAStream,
    /// Nothing came back for too long.
    Idle,
    /// The provider cannot be reached.
    Unreachable,
    /// The provider failed.
    Server,
    /// The script or the recording does not fit what the agent did.
    Script,
    /// The time limit.
    Timeout,
    /// The turn limit.
    MaxTurns,
    /// The token limit.
    TokenLimit,
    /// No valid `complete_task`.
    NoCompleteTask,
    /// Someone stopped it.
    Cancelled,
    /// An approval was needed and nobody could be asked.
    ApprovalNeeded,
    /// A tool call failed.
    Tool,
    /// A tool that the agent does not have was called.
    ToolUnauthorized,
    /// A tool cannot work on this machine.
    ToolBroken,
    /// What happened could not be written down.
    Journal,
    /// The process that ran the agent is gone.
    ProcessDied,
    /// The run could not begin.
    NotStarted,
}

impl FailureKind {
    /// As it is written in results.
    pub fn name(self) -> String {
        serde_json::to_value(self)
            .ok()
            .and_then(|v| v.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

/// A model that was asked, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelTry {
    /// The model.
    pub model: String,
    /// Why it did not answer; `None` if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// What was handed in, or the last words if nothing was.
    pub result: String,
    /// The value that was handed in, if the definition has a schema for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// The agent's thread.
    pub agent_id: String,
    /// What kind of agent it is.
    pub agent_type: String,
    /// The model that answered last.
    pub model: String,
    /// Whether that is a language model.
    pub llm: bool,
    /// The models of the chain that were asked, in order.
    pub models: Vec<ModelTry>,
    /// Turns, without those of the grace period.
    pub turns_used: u32,
    /// Seconds.
    pub duration_seconds: f64,
    /// Tool calls.
    pub total_tool_use_count: u64,
    /// Milliseconds.
    pub total_duration_ms: u64,
    /// Tokens.
    pub total_tokens: u64,
    /// Tokens in detail.
    pub usage: Usage,
    /// Tools whose calls were denied because nobody could be asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unapproved: Vec<String>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

impl Outcome {
    /// What a run of `agent` comes to that ended with `failure` before it began.
    pub fn failed(agent: &AgentRef, model: String, failure: Failure) -> Self {
        Self {
            status: Status::Error,
            result: String::new(),
            output: None,
            agent_id: agent.agent_id.clone(),
            agent_type: agent.agent_type.clone(),
            model,
            llm: true,
            models: Vec::new(),
            turns_used: 0,
            duration_seconds: 0.0,
            total_tool_use_count: 0,
            total_duration_ms: 0,
            total_tokens: 0,
            usage: Usage::default(),
            unapproved: Vec::new(),
            error: Some(failure),
        }
    }
}
