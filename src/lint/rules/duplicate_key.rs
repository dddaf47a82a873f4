//! `duplicate-key`.

use crate::{
    dialect::{Fault, FaultKind},
    document::ProblemKind,
    lint::{
        AgentCx, Check, Findings, Level, Safety, keys::entry_at, keys::whole_lines,
        rule::declare_rule,
    },
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports keys that stand twice in the same map.
    ///
    /// ## Why is this bad?
    /// YAML and TOML forbid it. Strict hosts refuse the file; the others keep one of the two
    /// values, and which one is anybody's guess.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// model: inherit
    /// model: inherit
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// model: inherit
    /// ---
    /// You review changes.
    /// ```
    pub(super) static DUPLICATE_KEY = {
        name: "duplicate-key",
        summary: "sets a key twice",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    for fault in cx.faults() {
        let Fault { kind: FaultKind::Malformed(ProblemKind::DuplicateKey { key, first }), .. } =
            fault
        else {
            continue;
        };
        let line = cx.source.position(first.start as usize).line;
        let what = format!("the key `{key}` is already set on line {line}");
        let finding = cx
            .report_fact(findings, &DUPLICATE_KEY, fault.span, fault.fact(), &what)
            .help("remove one of them");
        if let Some(lines) = repetition(cx, *first, fault.span) {
            finding.help("remove it").fix(Safety::Safe, "remove the second one", lines, "");
        }
    }
}

/// The lines of the second entry, if it says the same as the first.
fn repetition(cx: &AgentCx<'_>, first: Span, second: Span) -> Option<Span> {
    let (first, second) =
        (entry_at(&cx.document.root, first)?, entry_at(&cx.document.root, second)?);
    (first.value.to_json() == second.value.to_json())
        .then(|| whole_lines(cx.source.text(), second))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::DUPLICATE_KEY;
    use crate::lint::tests::check;

    #[test]
    fn nothing_is_removed_when_the_values_differ() {
        let text = "---\nname: a\ndescription: b\nmodel: opus\nmodel: haiku\n---\nbody\n";
        insta::assert_snapshot!(check(&DUPLICATE_KEY, ".claude/agents/a.md", text), @"
        5:1 warning the key `model` is already set on line 4; Claude Code probably skips this agent without a message
          help: remove one of them
        ");
    }
}
