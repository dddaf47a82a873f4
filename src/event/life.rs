//! The life of an agent: a fold over what happens to it.

use super::{AgentState, AgentStatus, Failure, FailureKind, What};

/// Where an agent is in its life.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lifecycle {
    /// It has not begun.
    #[default]
    PendingInit,
    /// It works.
    Running,
    /// It waits until someone allows what it is about to do.
    WaitingForApproval {
        /// What that is.
        request: String,
    },
    /// It has said what it had to say, and can be told more.
    Idle {
        /// Its last words.
        last_agent_message: String,
    },
    /// It was stopped in the middle of its work.
    Interrupted,
    /// It failed.
    Error {
        /// Why.
        error: String,
    },
    /// It has used up its tokens.
    Exhausted {
        /// How many.
        error: String,
    },
    /// It was closed.
    Closed,
}

/// Everything about an agent that follows from what happened to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Life {
    /// Where it is.
    pub cycle: Lifecycle,
    /// Where it was when it was closed, for when it is opened again.
    before: Option<Box<Lifecycle>>,
    /// Its turns, over all of its runs.
    pub turns: u32,
    /// How many of its runs have ended.
    pub runs: u64,
    /// Tokens of the runs that have ended.
    spent: u64,
    /// Tokens of the present run.
    spending: u64,
}

impl Life {
    /// The process the agent was in has left it like this.
    pub fn left(mut self, status: AgentStatus) -> Self {
        if matches!(self.cycle, Lifecycle::Running | Lifecycle::WaitingForApproval { .. }) {
            self.cycle = Lifecycle::Interrupted;
            self.spent = self.tokens();
            self.spending = 0;
        }
        if status == AgentStatus::Shutdown {
            self.close();
        }
        self
    }

    /// Takes in what happened to the agent.
    pub fn take(&mut self, what: &What) {
        match what {
            What::Started(_) => {
                self.cycle = Lifecycle::Running;
                self.spending = 0;
            }
            What::TurnComplete { progress, .. } => {
                self.turns += 1;
                self.spending = progress.total_tokens;
            }
            What::ApprovalRequest { tool_name, detail, .. } => {
                let first = detail.lines().next().unwrap_or_default();
                let request = format!("{tool_name}: {first}");
                self.cycle = Lifecycle::WaitingForApproval { request };
            }
            What::ApprovalDecision { .. } => self.cycle = Lifecycle::Running,
            What::Completed(outcome) => {
                self.runs += 1;
                self.spent = self.spent.saturating_add(outcome.total_tokens);
                self.spending = 0;
                let error = outcome.error.as_ref();
                self.cycle = match (AgentStatus::after(outcome.status), error) {
                    (AgentStatus::Completed, _) => {
                        Lifecycle::Idle { last_agent_message: outcome.result.clone() }
                    }
                    (AgentStatus::Interrupted, _) => Lifecycle::Interrupted,
                    (_, Some(Failure { kind: FailureKind::TokenLimit, message })) => {
                        Lifecycle::Exhausted { error: message.clone() }
                    }
                    (_, error) => Lifecycle::Error {
                        error: error.map(|error| error.message.clone()).unwrap_or_default(),
                    },
                };
            }
            _ => {}
        }
    }

    /// The agent was closed.
    pub fn close(&mut self) {
        if self.cycle != Lifecycle::Closed {
            let before = std::mem::replace(&mut self.cycle, Lifecycle::Closed);
            self.before = Some(Box::new(match before {
                Lifecycle::Running | Lifecycle::WaitingForApproval { .. } => Lifecycle::Interrupted,
                other => other,
            }));
        }
    }

    /// The agent was opened again.
    pub fn reopen(&mut self) {
        if self.cycle == Lifecycle::Closed {
            self.cycle = self.before.take().map_or(Lifecycle::PendingInit, |before| *before);
        }
    }

    /// Tokens so far.
    pub fn tokens(&self) -> u64 {
        self.spent.saturating_add(self.spending)
    }

    /// Its last words or what went wrong, if it ended.
    pub fn message(&self) -> Option<&str> {
        match &self.cycle {
            Lifecycle::Idle { last_agent_message: message }
            | Lifecycle::Error { error: message }
            | Lifecycle::Exhausted { error: message } => Some(message),
            _ => None,
        }
    }

    /// What it is doing.
    pub fn status(&self) -> AgentStatus {
        match self.cycle {
            Lifecycle::PendingInit => AgentStatus::PendingInit,
            Lifecycle::Running | Lifecycle::WaitingForApproval { .. } => AgentStatus::Running,
            Lifecycle::Idle { .. } => AgentStatus::Completed,
            Lifecycle::Interrupted => AgentStatus::Interrupted,
            Lifecycle::Error { .. } | Lifecycle::Exhausted { .. } => AgentStatus::Errored,
            Lifecycle::Closed => AgentStatus::Shutdown,
        }
    }

    /// What others are told about it.
    pub fn state(&self) -> AgentState {
        AgentState { status: self.status(), message: self.message().map(str::to_owned) }
    }
}

impl Lifecycle {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::PendingInit => "pending_init",
            Self::Running => "running",
            Self::WaitingForApproval { .. } => "waiting_for_approval",
            Self::Idle { .. } => "idle",
            Self::Interrupted => "interrupted",
            Self::Error { .. } => "error",
            Self::Exhausted { .. } => "exhausted",
            Self::Closed => "closed",
        }
    }
}
