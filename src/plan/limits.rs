//! When an agent must stop.

use std::time::Duration;

use crate::{config::RunSettings, model::Definition};

/// The longest time anyone can ask for: a year.
const MAX_SECONDS: f64 = 31_536_000.0;

/// When an agent must stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Turns.
    pub max_turns: u32,
    /// Running time, without waiting for people.
    pub time: Duration,
    /// Time to hand in a result after a limit.
    pub grace: Duration,
    /// Tokens over all turns.
    pub max_tokens: Option<u64>,
}

/// Limits that replace the definition's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitWishes {
    /// Turns.
    pub max_turns: Option<u32>,
    /// Running time.
    pub time: Option<Duration>,
    /// Time to hand in a result after a limit.
    pub grace: Option<Duration>,
}

impl Limits {
    pub(super) fn of(
        definition: &Definition,
        settings: &RunSettings,
        wishes: &LimitWishes,
    ) -> Self {
        let written = &definition.limits;
        let turns = written.max_turns.and_then(|turns| u32::try_from(turns.value).ok());
        let tokens = written.max_tokens.and_then(|tokens| u64::try_from(tokens.value).ok());
        let time = written.max_seconds.map(|time| duration(time.value));
        let grace = written.grace_seconds.map(|time| duration(time.value));
        Self {
            max_turns: wishes.max_turns.or(turns).or(settings.max_turns).unwrap_or(50),
            time: wishes.time.or(time).or(settings.timeout).unwrap_or(Duration::from_secs(300)),
            grace: wishes.grace.or(grace).or(settings.grace).unwrap_or(Duration::from_secs(60)),
            max_tokens: tokens,
        }
    }
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.clamp(0.0, MAX_SECONDS)).unwrap_or_default()
}
