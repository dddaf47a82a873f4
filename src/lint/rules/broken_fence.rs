//! `broken-fence`.

use crate::{
    dialect::{Fault, FaultKind},
    document::ProblemKind,
    lint::{AgentCx, Check, Finding, Findings, Level, Safety, rule::declare_rule},
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports front matter whose `---` lines are not where or what the host wants: one is
    /// missing or too long, something stands before the first, or the last line does not end.
    ///
    /// ## Why is this bad?
    /// The host sees a file without front matter, or one without a prompt.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// -----
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// ---
    /// You review changes.
    /// ```
    pub(super) static BROKEN_FENCE = {
        name: "broken-fence",
        summary: "has front matter that is not fenced by `---`",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    for fault in cx.faults() {
        match &fault.kind {
            FaultKind::Malformed(problem) => match problem {
                ProblemKind::Unterminated => unterminated(cx, findings, fault),
                ProblemKind::WrongOpeningFence { .. } | ProblemKind::WrongClosingFence { .. } => {
                    replace(cx, cx.report_fault(findings, &BROKEN_FENCE, fault));
                }
                ProblemKind::ByteOrderMark => {
                    let finding = cx.report_fault(findings, &BROKEN_FENCE, fault);
                    remove(finding, "remove the byte order mark");
                }
                ProblemKind::LeadingBlank => {
                    let finding = cx.report_fault(findings, &BROKEN_FENCE, fault);
                    remove(finding, "remove the blank lines");
                }
                _ => {}
            },
            FaultKind::Fence(_) => replace(cx, cx.report_fault(findings, &BROKEN_FENCE, fault)),
            _ => {}
        }
    }
}

fn remove(finding: &mut Finding, title: &str) {
    let span = finding.span;
    finding.help(title).fix(Safety::Safe, title, span, "");
}

/// Puts `---` where a fence was meant to be.
fn replace(cx: &AgentCx<'_>, finding: &mut Finding) {
    let span = finding.span;
    finding.help("write `---` and nothing else on the line");
    let closes = cx.document.front_matter.as_ref().is_some_and(|front| front.close == Some(span));
    let opens = cx.document.front_matter.as_ref().is_some_and(|front| front.open == span);
    if !closes && !opens {
        // A line in the middle: the author alone knows what it was meant to be.
        return;
    }
    let written = cx.source.slice(span);
    let end = if span.end as usize == cx.source.text().len() { "\n" } else { "" };
    let only_dashes = written.chars().all(|c| matches!(c, '-' | '.' | ' ' | '\t'));
    let safety = if only_dashes { Safety::Safe } else { Safety::Unsafe };
    finding.fix(safety, "write `---`", span, format!("---{end}"));
}

/// Nothing says where the front matter was meant to end; the first blank line is a guess.
fn unterminated(cx: &AgentCx<'_>, findings: &mut Findings, fault: &Fault) {
    let finding = cx.report_fault(findings, &BROKEN_FENCE, fault);
    finding.help("write `---` on a line of its own after the last key");
    let Some(front) = &cx.document.front_matter else { return };
    let end = front.yaml.end as usize;
    let starts_line = cx.source.text()[..end].ends_with('\n');
    let line = if starts_line { "---\n" } else { "\n---\n" };
    finding.fix(Safety::Unsafe, "close it here", Span::at(end), line);
}

#[cfg(test)]
mod tests {
    use super::BROKEN_FENCE;
    use crate::lint::tests::check;

    #[test]
    fn a_missing_fence_is_guessed_and_never_put_in_unasked() {
        let text = "---\nname: a\ndescription: b\n\nYou do things.\n";
        insta::assert_snapshot!(check(&BROKEN_FENCE, ".claude/agents/a.md", text), @"
        1:1 error the front matter is never closed with `---`; Claude Code skips this agent without a message
          help: write `---` on a line of its own after the last key
          fix (Unsafe): close it here
        ");
    }

    #[test]
    fn a_last_line_without_end_matters_to_one_host_only() {
        let text = "---\nname: abc\ndescription: b\n---";
        insta::assert_snapshot!(check(&BROKEN_FENCE, ".qwen/agents/a.md", text), @"
        4:1 error the line of the closing `---` does not end; Qwen Code skips this agent without a message
          help: write `---` and nothing else on the line
          fix (Safe): write `---`
        ");
        assert_eq!(check(&BROKEN_FENCE, ".claude/agents/a.md", text), "");
    }

    #[test]
    fn a_blank_line_in_front_is_removed() {
        let text = "\n---\nname: a\ndescription: b\n---\nbody\n";
        insta::assert_snapshot!(check(&BROKEN_FENCE, ".gemini/agents/a.md", text), @"
        1:1 error blank lines before the opening `---`; Gemini CLI rejects this agent
          help: remove the blank lines
          fix (Safe): remove the blank lines
        ");
    }
}
