//! `impossible-limit`.

use crate::{
    dialect::{Field, Kind},
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports limits of zero or less on turns, time or tokens, where the host takes them without
    /// a word. Where zero means "unlimited" it is left alone.
    ///
    /// ## Why is this bad?
    /// The agent stops before it has started, or the limit is dropped and it never stops.
    ///
    /// ## Bad
    /// ```markdown title=".qwen/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// runConfig:
    ///   max_time_minutes: 0
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".qwen/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// runConfig:
    ///   max_time_minutes: 5
    /// ---
    /// You review changes.
    /// ```
    pub(super) static IMPOSSIBLE_LIMIT = {
        name: "impossible-limit",
        summary: "sets a limit within which nothing can be done",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let limits = &cx.definition().limits;
    let turns = limits.max_turns.map(|limit| (limit.value as f64, limit.span, "turns"));
    let time = limits.max_seconds.map(|limit| (limit.value, limit.span, "time"));
    let tokens = limits.max_tokens.map(|limit| (limit.value as f64, limit.span, "tokens"));
    for (value, span, of) in [turns, time, tokens].into_iter().flatten() {
        if value <= 0.0 {
            report(cx, findings, span, of);
        }
    }
}

fn report(cx: &AgentCx<'_>, findings: &mut Findings, span: Span, of: &str) {
    let Some((path, field)) = cx.key_of(span) else { return };
    if zero_is_meant(field) || cx.is_faulted(span) {
        return;
    }
    let written = cx.source.slice(span);
    let message = format!("`{path}` is {written}, which leaves the agent no {of} at all");
    findings
        .report(cx, &IMPOSSIBLE_LIMIT, span, message)
        .help("write a number above zero, or leave the key out");
}

/// A table that lets a count start at zero does so because zero says something.
fn zero_is_meant(field: &Field) -> bool {
    matches!(field.kind, Kind::Integer { min: ..=0, .. })
}

#[cfg(test)]
mod tests {
    use super::IMPOSSIBLE_LIMIT;
    use crate::lint::tests::check;

    #[test]
    fn zero_is_left_alone_where_it_means_unlimited() {
        let text = "agents:\n  root:\n    model: auto\n    instruction: x\n    max_iterations: 0\n";
        insta::assert_snapshot!(check(&IMPOSSIBLE_LIMIT, "team.yaml", text), @"");
    }

    #[test]
    fn what_the_table_refuses_is_told_once() {
        let text = "---\nname: a\ndescription: b\nmax_turns: 0\n---\nbody\n";
        insta::assert_snapshot!(check(&IMPOSSIBLE_LIMIT, ".gemini/agents/a.md", text), @"");
    }
}
