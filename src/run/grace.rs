//! The grace period: after a limit, an agent may still hand in what it has.

use std::sync::Arc;

use super::{Agent, End, Turn, clock::Clock, unwritten};
use crate::{
    authority::COMPLETE_TASK,
    conversation::Message,
    event::{Failure, FailureKind, Status, What},
};

/// Turns of a grace period: the last chance, and one to repair a result that does not fit.
const GRACE_TURNS: u32 = 2;

impl Agent {
    /// Gives the agent one last chance after the limit `reason`.
    pub(super) async fn grace(&mut self, reason: Status) -> End {
        let period = self.plan.limits().grace;
        if period.is_zero() {
            return End::Limit(reason);
        }
        if reason == Status::ErrorNoCompleteTaskCall {
            let error = Failure {
                kind: FailureKind::NoCompleteTask,
                message: "the agent stopped calling tools without calling `complete_task`"
                    .to_owned(),
            };
            if let Err(error) = self.record(What::Error { error }) {
                return End::Failed(unwritten(&error));
            }
        }
        let grace_seconds = period.as_secs_f64();
        if let Err(error) = self.record(What::GracePeriodStart { reason, grace_seconds }) {
            return End::Failed(unwritten(&error));
        }
        if let Err(error) = self.remember(Message::user(last_chance(reason))) {
            return End::Failed(unwritten(&error));
        }
        let run_clock = std::mem::replace(&mut self.clock, Clock::start(period));
        let end = self.last_turns(reason).await;
        self.clock = run_clock;
        let success = matches!(end, End::Goal(_));
        match self.record(What::GracePeriodEnd { success }) {
            Ok(()) => end,
            Err(error) => End::Failed(unwritten(&error)),
        }
    }

    async fn last_turns(&mut self, reason: Status) -> End {
        // What is not offered is not carried out either.
        self.tools.clear();
        self.specs = Arc::new([self.plan.output().tool()]);
        let only = Arc::clone(&self.specs);
        for _ in 0..GRACE_TURNS {
            if self.over_budget().is_some() {
                return End::Limit(reason);
            }
            let answer = match self.ask(&only).await {
                Ok(answer) => answer,
                Err(Turn::Aborted) => return End::Aborted,
                Err(_) => return End::Limit(reason),
            };
            let tried = answer.calls().any(|call| call.name == COMPLETE_TASK);
            match self.act(&answer).await {
                Turn::Goal(handed) => return End::Goal(handed),
                Turn::Aborted => return End::Aborted,
                // Only a result that does not fit is worth another try.
                Turn::Continue if tried => {}
                _ => return End::Limit(reason),
            }
        }
        End::Limit(reason)
    }
}

/// What the agent is told.
fn last_chance(reason: Status) -> String {
    let what = match reason {
        Status::Timeout => "You have exceeded the time limit.",
        Status::MaxTurns => "You have reached the maximum number of turns.",
        _ => "You have stopped calling tools without finishing.",
    };
    format!(
        "{what} You have one last chance: call `{COMPLETE_TASK}` now with your best answer, and say \
         in it that your work was interrupted. No other tool is available."
    )
}
