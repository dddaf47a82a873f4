//! `absurd-limit`.

use super::limit_unit;
use crate::{
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports limits so high that they limit nothing: more than 1,000 turns, more than 24 hours,
    /// or a thinking budget above a million tokens.
    ///
    /// ## Why is this bad?
    /// An agent that goes in circles is stopped by its limits or by its bill. Such a limit is
    /// mostly a zero too many.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/migrator.md"
    /// ---
    /// name: migrator
    /// description: Moves a module to the new interface.
    /// maxTurns: 50000
    /// ---
    /// You move modules to the new interface.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/migrator.md"
    /// ---
    /// name: migrator
    /// description: Moves a module to the new interface.
    /// maxTurns: 500
    /// ---
    /// You move modules to the new interface.
    /// ```
    pub(super) static ABSURD_LIMIT = {
        name: "absurd-limit",
        summary: "sets a limit that limits nothing",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

/// The most that anybody needs.
const TURNS: f64 = 1_000.0;
const SECONDS: f64 = 24.0 * 60.0 * 60.0;
const THINKING: f64 = 1_000_000.0;
/// Beyond this many times as much it is no longer a matter of taste.
const CERTAINLY: f64 = 10.0;

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let definition = cx.definition();
    if let Some(turns) = definition.limits.max_turns {
        let what = format!("{} turns", turns.value);
        report(cx, findings, turns.span, turns.value as f64 / TURNS, &what);
    }
    if let Some(time) = definition.limits.max_seconds
        && limit_unit::suspicion(cx).is_none()
    {
        let what = format!("{:.0} hours", time.value / 3_600.0);
        report(cx, findings, time.span, time.value / SECONDS, &what);
    }
    if let Some(budget) = definition.model.thinking_budget {
        let what = format!("{} tokens for thinking", budget.value);
        report(cx, findings, budget.span, budget.value as f64 / THINKING, &what);
    }
}

fn report(cx: &AgentCx<'_>, findings: &mut Findings, span: Span, times: f64, what: &str) {
    if times <= 1.0 || cx.is_faulted(span) {
        return;
    }
    let level = if times > CERTAINLY { Level::Warning } else { Level::Info };
    findings
        .report(cx, &ABSURD_LIMIT, span, format!("a limit of {what} limits nothing"))
        .level(level)
        .help("write what the task needs at most");
}

#[cfg(test)]
mod tests {
    use super::ABSURD_LIMIT;
    use crate::lint::tests::check;

    #[test]
    fn a_high_limit_is_taste_and_an_endless_one_is_not() {
        let text =
            |turns: u64| format!("---\nname: a\ndescription: b\nmaxTurns: {turns}\n---\nbody\n");
        let path = ".claude/agents/a.md";
        insta::assert_snapshot!(check(&ABSURD_LIMIT, path, &text(1000)), @"");
        insta::assert_snapshot!(check(&ABSURD_LIMIT, path, &text(2000)), @"
        4:11 info a limit of 2000 turns limits nothing
          help: write what the task needs at most
        ");
    }
}
