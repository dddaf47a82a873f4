//! `duplicate-tool`.

use crate::{
    lint::{AgentCx, Check, Findings, Level, Safety, rule::declare_rule},
    text::{Span, Spanned},
};

declare_rule! {
    /// ## What it does
    /// Reports tools that stand twice in the same list.
    ///
    /// ## Why is this bad?
    /// It changes nothing, and makes the list harder to check. Often another tool was meant.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// tools: Read, Grep, Read
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// tools: Read, Grep
    /// ---
    /// You review changes.
    /// ```
    pub(super) static DUPLICATE_TOOL = {
        name: "duplicate-tool",
        summary: "lists a tool twice",
        level: Level::Info,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let tools = &cx.definition().tools;
    in_list(cx, findings, tools.allowed.names().unwrap_or_default());
    in_list(cx, findings, &tools.denied);
}

fn in_list(cx: &AgentCx<'_>, findings: &mut Findings, names: &[Spanned<String>]) {
    if cx.dialect().tools.tools.is_empty() {
        return;
    }
    let same = |a: &str, b: &str| {
        a == b || (!cx.dialect().tools.case_sensitive && a.eq_ignore_ascii_case(b))
    };
    for (at, name) in names.iter().enumerate() {
        let earlier = names[..at].iter().any(|other| same(&other.value, &name.value));
        // Toolsets of one kind differ in what else stands in them.
        let apart = at > 0 && is_beside(cx, names[at - 1].span, name.span);
        if !earlier || !apart {
            continue;
        }
        let span = with_separator(cx.source.text(), names[at - 1].span, name.span);
        findings
            .report(cx, &DUPLICATE_TOOL, name.span, format!("`{name}` is listed twice"))
            .help("remove the second one")
            .fix(Safety::Safe, "remove the second one", span, "");
    }
}

/// Whether nothing but the syntax of a list stands between two names.
fn is_beside(cx: &AgentCx<'_>, before: Span, name: Span) -> bool {
    let between = Span { start: before.end, end: name.start };
    before.end <= name.start
        && cx.source.slice(between).chars().all(|c| c.is_whitespace() || matches!(c, ',' | '-'))
}

/// The name together with what separates it from the one before.
fn with_separator(text: &str, before: Span, name: Span) -> Span {
    let between = &text[before.end as usize..name.start as usize];
    let start = match between.rfind('\n') {
        Some(newline) if !between.contains(',') => before.end as usize + newline,
        _ => before.end as usize,
    };
    Span::new(start, name.end as usize)
}

#[cfg(test)]
mod tests {
    use super::DUPLICATE_TOOL;
    use crate::lint::tests::check;

    #[test]
    fn removes_an_item_with_its_line() {
        let text =
            "---\nname: a\ndescription: b\ntools:\n  - Read\n  - Grep\n  - Read\n---\nbody\n";
        insta::assert_snapshot!(check(&DUPLICATE_TOOL, ".claude/agents/a.md", text), @"
        7:5 info `Read` is listed twice
          help: remove the second one
          fix (Safe): remove the second one
        ");
    }

    #[test]
    fn two_arguments_of_a_tool_are_two_entries() {
        let text = "---\nname: a\ndescription: b\ntools: Bash(git:*), Bash(ls)\n---\nbody\n";
        assert_eq!(check(&DUPLICATE_TOOL, ".claude/agents/a.md", text), "");
    }
}
