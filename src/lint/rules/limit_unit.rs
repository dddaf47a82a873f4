//! `limit-unit`.

use crate::{
    dialect::Slot,
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports time limits that make sense only in another unit: a quarter of a minute or less
    /// where the host counts seconds, two hours or more where it counts minutes.
    ///
    /// ## Why is this bad?
    /// Hosts count in different units. An agent written for the other one is cut off after its
    /// first step, or runs for days.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// timeout_mins: 300
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// timeout_mins: 5
    /// ---
    /// You review changes.
    /// ```
    pub(super) static LIMIT_UNIT = {
        name: "limit-unit",
        summary: "has a time limit that looks like another unit",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

/// No agent does anything useful in so few seconds.
const FEW_SECONDS: f64 = 15.0;
/// No agent is meant to run for so many minutes.
const MANY_MINUTES: f64 = 120.0;
/// More than a day of seconds, in whole thousands, is milliseconds.
const MANY_SECONDS: f64 = 86_400.0;

/// A limit that looks like another unit.
pub(super) struct Suspicion {
    path: String,
    span: Span,
    value: f64,
    unit: &'static str,
    looks_like: &'static str,
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let Some(Suspicion { path, span, value, unit, looks_like }) = suspicion(cx) else { return };
    let message = format!("`{path}` is {value} {unit}, which looks like {looks_like}");
    findings.report(cx, &LIMIT_UNIT, span, message).help(format!("write the limit in {unit}"));
}

/// What is odd about the time limit of a definition.
pub(super) fn suspicion(cx: &AgentCx<'_>) -> Option<Suspicion> {
    let limit = cx.definition().limits.max_seconds?;
    let (path, field) = cx.key_of(limit.span)?;
    let (value, unit, looks_like) = match field.slot {
        Slot::MaxSeconds if (1.0..=FEW_SECONDS).contains(&limit.value) => {
            (limit.value, "seconds", "minutes")
        }
        Slot::MaxSeconds if limit.value > MANY_SECONDS && limit.value % 1_000.0 == 0.0 => {
            (limit.value, "seconds", "milliseconds")
        }
        Slot::MaxMinutes if limit.value / 60.0 >= MANY_MINUTES => {
            (limit.value / 60.0, "minutes", "seconds")
        }
        _ => return None,
    };
    (!cx.is_faulted(limit.span)).then(|| Suspicion {
        path: path.to_owned(),
        span: limit.span,
        value,
        unit,
        looks_like,
    })
}

#[cfg(test)]
mod tests {
    use super::LIMIT_UNIT;
    use crate::lint::tests::check;

    fn seconds(limit: u64) -> String {
        let text = format!("---\nagentType: a\nrunConfig:\n  maxTimeSeconds: {limit}\n---\nbody\n");
        check(&LIMIT_UNIT, "agents/a.md", &text)
    }

    #[test]
    fn tells_minutes_and_milliseconds_from_seconds() {
        insta::assert_snapshot!(seconds(10), @"
        4:19 warning `runConfig.maxTimeSeconds` is 10 seconds, which looks like minutes
          help: write the limit in seconds
        ");
        insta::assert_snapshot!(seconds(300_000), @"
        4:19 warning `runConfig.maxTimeSeconds` is 300000 seconds, which looks like milliseconds
          help: write the limit in seconds
        ");
        insta::assert_snapshot!(seconds(30), @"");
        insta::assert_snapshot!(seconds(86_400), @"");
    }
}
