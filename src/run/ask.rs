//! Asking models: again after a while where that can help, then the next of the chain.

use std::time::Duration;

use super::{Agent, Turn, unwritten};
use crate::{
    conversation::{Answer, ToolSpec},
    event::{Failure, FailureKind, ModelTry, What},
    provider::{Delta, ModelError, Remedy, Request},
};

/// The longest pause between two tries, unless the provider asks for a longer one.
const MAX_DELAY: Duration = Duration::from_secs(30);

impl Agent {
    /// An answer of the first model of the chain that gives one; otherwise how the turn ends.
    pub(super) async fn ask(&mut self, specs: &[ToolSpec]) -> Result<Answer, Turn> {
        loop {
            let error = match self.ask_model(specs).await? {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let model = self.plan.models()[self.model].to_string();
            let failure = error.failure();
            if let Some(last) = self.tried.last_mut().filter(|tried| tried.model == model) {
                last.error = Some(failure.clone());
            }
            let next = self.plan.models().get(self.model + 1);
            let Some(next) = next.filter(|_| error.remedy() != Remedy::Stop) else {
                return Err(Turn::Failed(self.no_answer(&failure)));
            };
            let next = Some(next.to_string());
            let retry = What::Retry { model, attempt: 0, delay_ms: 0, error: failure, next };
            self.record(retry).map_err(|error| Turn::Failed(unwritten(&error)))?;
            self.model += 1;
        }
    }

    /// Asks the present model until it answers or trying again is of no use.
    async fn ask_model(&mut self, specs: &[ToolSpec]) -> Result<Result<Answer, ModelError>, Turn> {
        let id = self.plan.models()[self.model].clone();
        let model = id.to_string();
        if self.tried.last().is_none_or(|tried| tried.model != model) {
            self.tried.push(ModelTry { model: model.clone(), error: None });
        }
        let provider = match self.around.models.provider(&id) {
            Ok(provider) => provider,
            Err(error) => return Ok(Err(error)),
        };
        self.llm = provider.is_llm();
        let patience = self.around.patience;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let plan = std::sync::Arc::clone(&self.plan);
            let request = Request {
                caller: &self.caller,
                model: &id.model,
                system: plan.system(),
                messages: &self.history,
                tools: specs,
                sampling: plan.sampling(),
            };
            let heard = |delta: Delta<'_>| {
                let what = match delta {
                    Delta::Text(text) => What::TextChunk { text: text.to_owned() },
                    Delta::Thinking(text) => What::ThoughtChunk { text: text.to_owned() },
                };
                // What cannot be written down ends the turn at its next event.
                self.record(what).ok();
            };
            let answered = tokio::select! {
                biased;
                () = self.around.cancel.cancelled() => return Err(Turn::Aborted),
                () = self.clock.expired() => return Err(Turn::TimedOut),
                () = self.around.inbox.interrupted() => return Err(Turn::Continue),
                answered = tokio::time::timeout(patience.answer, provider.answer(&request, &heard)) => answered,
            };
            let error = match answered {
                Ok(Ok(answer)) => return Ok(Ok(answer)),
                Ok(Err(error)) => error,
                Err(_) => ModelError::Idle { after: patience.answer },
            };
            let delay = delay(&error, attempt, patience.retry_delay);
            let hopeless = attempt > patience.retries || delay >= self.clock.left();
            if error.remedy() != Remedy::Again || hopeless {
                return Ok(Err(error));
            }
            self.pause(&model, attempt, delay, &error).await?;
        }
    }

    /// Waits before the next try.
    async fn pause(
        &self,
        model: &str,
        attempt: u32,
        delay: Duration,
        error: &ModelError,
    ) -> Result<(), Turn> {
        self.record(What::Retry {
            model: model.to_owned(),
            attempt,
            delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
            error: error.failure(),
            next: None,
        })
        .map_err(|error| Turn::Failed(unwritten(&error)))?;
        tokio::select! {
            biased;
            () = self.around.cancel.cancelled() => Err(Turn::Aborted),
            () = self.clock.expired() => Err(Turn::TimedOut),
            () = self.around.inbox.interrupted() => Err(Turn::Continue),
            () = tokio::time::sleep(delay) => Ok(()),
        }
    }

    /// Why no model of the chain answered.
    fn no_answer(&self, last: &Failure) -> Failure {
        if self.tried.len() < 2 {
            let model = self.tried.first().map_or("", |tried| tried.model.as_str());
            return Failure { kind: last.kind, message: format!("{model}: {}", last.message) };
        }
        let failures: Vec<_> = self
            .tried
            .iter()
            .filter_map(|tried| Some((&tried.model, tried.error.as_ref()?)))
            .collect();
        let told: Vec<_> =
            failures.iter().map(|(model, error)| format!("{model}: {}", error.message)).collect();
        let only_keys = failures
            .iter()
            .all(|(_, error)| matches!(error.kind, FailureKind::NoModel | FailureKind::Auth));
        // A key that was refused says more than one that was not there.
        let refused = failures.iter().any(|(_, error)| error.kind == FailureKind::Auth);
        let kind = if only_keys && refused { FailureKind::Auth } else { last.kind };
        Failure { kind, message: format!("no model of the chain answered: {}", told.join("; ")) }
    }
}

/// How long to wait: what the provider asks for, else twice as long each time, less a random part,
/// so that agents that failed together do not come back together.
fn delay(error: &ModelError, attempt: u32, first: Duration) -> Duration {
    if let Some(after) = error.retry_after() {
        return after;
    }
    let doubled = first.saturating_mul(2_u32.saturating_pow(attempt - 1)).min(MAX_DELAY);
    doubled.mul_f64(1.0 - fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_longer_each_time_and_as_long_as_the_provider_asks() {
        let error = |retry_after| ModelError::RateLimited { retry_after, message: String::new() };
        let first = Duration::from_millis(500);
        for (attempt, longest) in [(1, 500), (2, 1_000), (3, 2_000), (20, 30_000)] {
            let delay = delay(&error(None), attempt, first).as_millis();
            assert!((longest / 2..=longest).contains(&delay), "{attempt}: {delay}");
        }
        let asked = Some(Duration::from_secs(77));
        assert_eq!(delay(&error(asked), 1, first), Duration::from_secs(77));
    }
}
