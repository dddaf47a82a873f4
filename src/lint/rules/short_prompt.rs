//! `short-prompt`.

use crate::{
    dialect::FaultKind,
    lint::{AgentCx, Check, Findings, Level, reading::Text, rule::declare_rule},
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports prompts of fewer than 20 words.
    ///
    /// ## Why is this bad?
    /// A sub-agent knows nothing of the conversation it was started from. What it is for, what it
    /// must not do and what it should return seldom fits into one line.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// ---
    /// You are a reviewer.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// ---
    /// You review the change you are given. Read every file it touches and what calls into it.
    /// List defects only, the worst first, each with file, line and how to provoke it.
    /// ```
    pub(super) static SHORT_PROMPT = {
        name: "short-prompt",
        summary: "says little to its agent",
        level: Level::Info,
        check: Check::Agent(check),
    }
}

/// Fewer words hardly say anything.
const WORDS: usize = 20;

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let texts = cx.texts();
    let words: usize =
        texts.iter().map(|text| text.text.split_whitespace().take(WORDS).count()).sum();
    let told = cx.faults().any(|fault| matches!(fault.kind, FaultKind::NoPrompt(_)));
    let elsewhere = texts.iter().any(is_elsewhere) || !cx.definition().references.skills.is_empty();
    let Some(first) = texts.first() else { return };
    if words == 0 || words >= WORDS || told || elsewhere {
        return;
    }
    let message = format!("the prompt has only {words} words");
    findings
        .report(cx, &SHORT_PROMPT, first_line(first), message)
        .help("say what the agent is for, what it must not do and what it returns");
}

/// Whether the text only says where the prompt is.
fn is_elsewhere(text: &Text<'_>) -> bool {
    let text = text.text.trim();
    text.contains("{file:") || text.starts_with("file://") || text.starts_with('@')
}

fn first_line(text: &Text<'_>) -> Span {
    if !text.exact {
        return text.span;
    }
    let start = text.text.len() - text.text.trim_start().len();
    let line = text.text[start..].lines().next().unwrap_or_default();
    Span::new(start, start + line.len()).shifted(text.span.start as usize)
}
