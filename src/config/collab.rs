//! `[collab]`: agents that start others.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::patterns::BadValue;

/// What `[collab]` may say.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollabOptions {
    /// Agents that may work at the same time in a session, besides the main one. 12 without it.
    #[schemars(range(min = 1))]
    pub max_agents: Option<u32>,
    /// How far below the main agent agents may be. 2 without it.
    pub max_depth: Option<u32>,
    /// Tokens each agent that is started may use. Unlimited without it.
    pub juice: Option<u64>,
    /// Milliseconds `wait` waits where nothing is said. 300000 without it.
    pub wait_default_ms: Option<u64>,
    /// The shortest `wait`. 10000 without it.
    pub wait_min_ms: Option<u64>,
    /// The longest `wait`. 1800000 without it.
    pub wait_max_ms: Option<u64>,
}

/// What that comes to.
#[derive(Clone, Debug, Default)]
pub struct CollabSettings(CollabOptions);

/// How long `wait` waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitLimits {
    /// Where nothing is said.
    pub default: Duration,
    /// At least.
    pub min: Duration,
    /// At most.
    pub max: Duration,
}

impl WaitLimits {
    /// How long to wait if `asked` milliseconds are asked for.
    pub fn time(&self, asked: Option<u64>) -> Duration {
        let asked = asked.map_or(self.default, Duration::from_millis);
        asked.max(self.min).min(self.max)
    }
}

impl CollabSettings {
    pub(super) fn resolve(options: CollabOptions) -> Result<Self, BadValue> {
        let settings = Self(options);
        let WaitLimits { min, max, .. } = settings.wait();
        let default = settings.0.wait_default_ms.map(Duration::from_millis);
        if min > max || default.is_some_and(|default| default < min || default > max) {
            let message = format!(
                "the limits of `wait` do not fit together: at least {} ms, at most {} ms",
                min.as_millis(),
                max.as_millis()
            );
            return Err(BadValue { written: "wait_".to_owned(), message });
        }
        Ok(settings)
    }

    pub(super) fn over(self, lower: Self) -> Self {
        let (upper, lower) = (self.0, lower.0);
        Self(CollabOptions {
            max_agents: upper.max_agents.or(lower.max_agents),
            max_depth: upper.max_depth.or(lower.max_depth),
            juice: upper.juice.or(lower.juice),
            wait_default_ms: upper.wait_default_ms.or(lower.wait_default_ms),
            wait_min_ms: upper.wait_min_ms.or(lower.wait_min_ms),
            wait_max_ms: upper.wait_max_ms.or(lower.wait_max_ms),
        })
    }

    /// Agents that may work at the same time, besides the main one.
    pub fn max_agents(&self) -> usize {
        self.0.max_agents.map_or(12, |most| most as usize)
    }

    /// How far below the main agent agents may be.
    pub fn max_depth(&self) -> usize {
        self.0.max_depth.map_or(2, |most| most as usize)
    }

    /// Tokens each agent may use.
    pub fn juice(&self) -> Option<u64> {
        self.0.juice
    }

    /// How long `wait` waits.
    pub fn wait(&self) -> WaitLimits {
        let time = |set: Option<u64>, or| Duration::from_millis(set.unwrap_or(or));
        let max = time(self.0.wait_max_ms, 1_800_000);
        let min = time(self.0.wait_min_ms, 10_000);
        let default = time(self.0.wait_default_ms, 300_000).max(min).min(max);
        WaitLimits { default, min, max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_an_instant_or_for_ever() {
        let limits = CollabSettings::default().wait();
        let asked = [None, Some(0), Some(10_000), Some(60_000), Some(u64::MAX)];
        let waited = asked.map(|asked| limits.time(asked).as_millis());
        assert_eq!(waited, [300_000, 10_000, 10_000, 60_000, 1_800_000]);
    }

    #[test]
    fn limits_that_contradict_each_other_are_refused() {
        let limits = |min, default, max| {
            let (wait_min_ms, wait_default_ms, wait_max_ms) = (min, default, max);
            let options =
                CollabOptions { wait_min_ms, wait_default_ms, wait_max_ms, ..Default::default() };
            CollabSettings::resolve(options).map(|settings| settings.wait()).ok()
        };
        assert_eq!(limits(Some(20), None, Some(10)), None);
        assert_eq!(limits(None, Some(5), None), None);
        assert_eq!(limits(None, Some(2_000_000), None), None);
        let short = limits(Some(1), None, Some(500)).unwrap();
        assert_eq!(short.default, Duration::from_millis(500), "the default follows the limits");
    }
}
