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
    /// An agent of which nothing is known but what it is doing.
    pub fn known(status: AgentStatus) -> Self {
        let cycle = match status {
            AgentStatus::PendingInit => Lifecycle::PendingInit,
            AgentStatus::Running => Lifecycle::Running,
            AgentStatus::Interrupted => Lifecycle::Interrupted,
            AgentStatus::Completed => Lifecycle::Idle { last_agent_message: String::new() },
            AgentStatus::Errored | AgentStatus::NotFound => {
                Lifecycle::Error { error: String::new() }
            }
            AgentStatus::Shutdown => Lifecycle::Closed,
        };
        Self { cycle, ..Self::default() }
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Decision;

    #[test]
    fn an_agent_that_waits_for_an_approval_works_and_goes_on_after_it() {
        let mut life = Life::default();
        let (call_id, path) = (String::new(), Vec::new());
        let (tool_name, detail) = ("shell".to_owned(), "make\nmore".to_owned());
        life.take(&What::ApprovalRequest { call_id, tool_name, detail, path });
        assert_eq!(life.cycle, Lifecycle::WaitingForApproval { request: "shell: make".to_owned() });
        assert_eq!(
            (life.cycle.name(), life.status()),
            ("waiting_for_approval", AgentStatus::Running)
        );
        let decision = Decision::Denied;
        life.take(&What::ApprovalDecision { call_id: String::new(), decision });
        assert_eq!(life.cycle, Lifecycle::Running);
    }

    #[test]
    fn an_agent_is_opened_as_what_it_was_closed() {
        let idle = Lifecycle::Idle { last_agent_message: "over".to_owned() };
        for (before, after) in [
            (Lifecycle::PendingInit, Lifecycle::PendingInit),
            (Lifecycle::Running, Lifecycle::Interrupted),
            (idle.clone(), idle),
        ] {
            let mut life = Life { cycle: before, ..Life::default() }.left(AgentStatus::Shutdown);
            assert_eq!(life.status(), AgentStatus::Shutdown);
            life.close();
            life.reopen();
            assert_eq!(life.cycle, after);
        }
    }

    #[test]
    fn what_a_process_that_died_had_used_stays_used() {
        let life = Life { cycle: Lifecycle::Running, spent: 10, spending: 5, ..Life::default() };
        let mut life = life.left(AgentStatus::Interrupted);
        assert_eq!((&life.cycle, life.tokens()), (&Lifecycle::Interrupted, 15));
        life.reopen();
        assert_eq!(life.cycle, Lifecycle::Interrupted, "it was not closed");
    }
}
