//! `oversized-prompt`.

use crate::{
    dialect::TextLimit,
    document::Node,
    lint::{AgentCx, Check, Findings, Level, reading::Text, rule::declare_rule},
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports prompts and descriptions with more characters than the host takes: 30,000 for the
    /// prompt of a Copilot agent in the cloud, 10,000 for a prompt and 1,000 for a description in
    /// Qwen Code.
    ///
    /// ## Why is this bad?
    /// What is beyond the limit is refused or warned about, on that host only: the same file works
    /// where it was written.
    ///
    /// ## Bad
    /// ```markdown title=".qwen/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: >-
    ///   Reviews a change. It looks at names, at tests, at errors that are swallowed, at input that
    ///   nobody checks, at locks that are held for too long, at comments that lie, at loops that do
    ///   not end, at files that are never closed, at numbers that overflow, at text that is cut in
    ///   the middle of a character, at clocks that go backwards, at messages that nobody reads, at
    ///   settings that have no effect, at tables that grow for ever, at queries without an index,
    ///   at caches that are never emptied, at tokens that never expire, at paths that leave the
    ///   folder they belong to, at names that are used twice, at branches that are never taken, at
    ///   values that are computed and thrown away, at work that is done twice, at code that was
    ///   copied, at dates without a zone, at money in floating point, at passwords in the log, at
    ///   retries without a pause, at answers that are trusted, at defaults that surprise, at flags
    ///   that exclude each other, at limits that limit nothing, at names that say
    ///   something else, at tests that test nothing, and at everything else.
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".qwen/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// ---
    /// You review changes. Look at names, at tests, at errors that are swallowed.
    /// ```
    pub(super) static OVERSIZED_PROMPT = {
        name: "oversized-prompt",
        summary: "is longer than the host takes",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let prompts = cx.entry.form.prompts;
    if let (Some(limit), Some(prompt)) = (prompts.max_prompt, cx.texts().first()) {
        report(cx, findings, limit, *prompt, "prompt");
    }
    if let (Some(limit), Some(description)) =
        (prompts.max_description, &cx.definition().description)
    {
        let text = Text { text: &description.value, span: description.span, exact: false };
        report(cx, findings, limit, text, "description");
    }
}

fn report(
    cx: &AgentCx<'_>,
    findings: &mut Findings,
    limit: TextLimit,
    text: Text<'_>,
    of: &'static str,
) {
    // Most texts are so short that their bytes settle it.
    let body = text.text.trim_end();
    if body.len() <= limit.characters || is_exempt(cx, limit) {
        return;
    }
    let count = body.chars().count();
    let Some((over, _)) = body.char_indices().nth(limit.characters) else { return };
    let span =
        if text.exact { Span::at(over).shifted(text.span.start as usize) } else { text.span };
    let TextLimit { characters, beyond, .. } = limit;
    let message = format!("the {of} has {count} characters, more than {characters}: {beyond}");
    findings.report(cx, &OVERSIZED_PROMPT, span, message).help(format!("shorten the {of}"));
}

fn is_exempt(cx: &AgentCx<'_>, limit: TextLimit) -> bool {
    let value = |key| cx.root().and_then(|map| map.get(key)).and_then(Node::as_text);
    limit.unless.is_some_and(|(key, exempt)| value(key) == Some(exempt))
}

#[cfg(test)]
mod tests {
    use super::OVERSIZED_PROMPT;
    use crate::lint::tests::check;

    #[test]
    fn only_agents_for_the_cloud_have_a_limit() {
        let path = ".github/agents/a.agent.md";
        let body = "word ".repeat(6_001);
        let text = format!("---\ndescription: b\n---\n{body}\n");
        insta::assert_snapshot!(check(&OVERSIZED_PROMPT, path, &text), @"
        4:30001 warning the prompt has 30004 characters, more than 30000: the cloud agent does not take more
          help: shorten the prompt
        ");
        let text = format!("---\ndescription: b\ntarget: vscode\n---\n{body}\n");
        insta::assert_snapshot!(check(&OVERSIZED_PROMPT, path, &text), @"");
    }
}
