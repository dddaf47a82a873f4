//! Words that several rules use to say what a host does.

use super::{AgentCx, Finding, Findings, Level, Rule, cx::level_of};
use crate::dialect::{Confidence, Fact, Fault};

/// Names that are not listed beyond this many.
const MAX_NAMES: usize = 6;

/// Reports `fault` under `rule` as `report_fault` does, with other words for what is wrong.
pub(super) fn tell<'f>(
    cx: &AgentCx<'_>,
    findings: &'f mut Findings,
    rule: &'static Rule,
    fault: &Fault,
    what: &str,
) -> &'f mut Finding {
    let fact = Fact { outcome: fault.outcome, confidence: fault.confidence };
    let message = format!("{what}; {}", consequence(cx, fact));
    let level = level_of(fault).min(rule.level);
    findings.report(cx, rule, fault.span, message).level(level)
}

/// What the host does, as a clause.
pub(super) fn consequence(cx: &AgentCx<'_>, fact: Fact) -> String {
    let sure = if fact.confidence == Confidence::Unverified { " probably" } else { "" };
    format!("{}{sure} {}", cx.host(), fact.outcome.sentence())
}

/// How bad it is when a host does this with a tool or a list of them.
pub(super) fn level_of_fact(fact: Fact) -> Level {
    if fact.outcome.loads() || fact.confidence == Confidence::Unverified {
        Level::Warning
    } else {
        Level::Error
    }
}

/// `a`, `b` and `c`, in backticks; a long list is cut.
pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let quoted = |name: &&str| format!("`{name}`");
    match names.as_slice() {
        [] => String::new(),
        [one] => quoted(one),
        [first @ .., last] if names.len() <= MAX_NAMES => {
            let first: Vec<_> = first.iter().map(quoted).collect();
            format!("{} and {}", first.join(", "), quoted(last))
        }
        _ => {
            let first: Vec<_> = names[..MAX_NAMES].iter().map(quoted).collect();
            format!("{} and {} more", first.join(", "), names.len() - MAX_NAMES)
        }
    }
}

/// The word that goes with so many things.
pub(super) fn counted<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}
