//! `empty-prompt`.

use crate::{
    dialect::FaultKind,
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports agents without a prompt.
    ///
    /// ## Why is this bad?
    /// Some hosts leave such an agent out or fail when it runs. The others run it with nothing to
    /// go by: its description is for its caller, and it never sees it.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// ---
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// ---
    /// You review changes and list their defects.
    /// ```
    pub(super) static EMPTY_PROMPT = {
        name: "empty-prompt",
        summary: "has no prompt",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    const HELP: &str = "say what the agent is, what it does and what it returns";
    let mut told = false;
    for fault in cx.faults() {
        if matches!(fault.kind, FaultKind::NoPrompt(_)) {
            cx.report_fault(findings, &EMPTY_PROMPT, fault).help(HELP);
            told = true;
        }
    }
    // A file the host does not read at all has no prompt either, and that is not its trouble.
    let silent = told || !cx.entry.form.reads(cx.document);
    let Some(consequence) = cx.entry.form.prompts.without.filter(|_| !silent) else { return };
    let blank = cx.texts().iter().all(|text| text.text.trim().is_empty());
    if let Some(span) = place(cx).filter(|_| blank) {
        let message = format!("there is no prompt, so {consequence}");
        findings.report(cx, &EMPTY_PROMPT, span, message).level(Level::Warning).help(HELP);
    }
}

/// Where the prompt would start; `None` where nothing can be said about it, because the front
/// matter is missing or has no end.
fn place(cx: &AgentCx<'_>) -> Option<Span> {
    if cx.document.body.is_some() {
        return cx.document.front_matter.as_ref()?.close;
    }
    cx.definition().name.origin.span()
}

#[cfg(test)]
mod tests {
    use super::EMPTY_PROMPT;
    use crate::lint::tests::check;

    #[test]
    fn an_agent_that_runs_without_a_prompt_is_no_error() {
        let text = "---\nname: a\ndescription: b\n---\n\n  \n";
        insta::assert_snapshot!(check(&EMPTY_PROMPT, ".claude/agents/a.md", text), @"
        4:1 warning there is no prompt, so it runs with an empty system prompt
          help: say what the agent is, what it does and what it returns
        ");
    }

    #[test]
    fn a_first_message_is_a_prompt_too() {
        let text = "agentType: a\npromptConfig:\n  query: Look for dead code.\n";
        insta::assert_snapshot!(check(&EMPTY_PROMPT, "agents/a.yaml", text), @"");
    }
}
