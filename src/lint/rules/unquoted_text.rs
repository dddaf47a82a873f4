//! `unquoted-text`.

use crate::{
    dialect::{Fault, FaultKind},
    document::{NeedsQuotes, Node, ProblemKind, Style, Value},
    lint::{AgentCx, Check, Findings, Level, Safety, rule::declare_rule},
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports values that YAML cannot read without quotes: text with `: ` in it, or with `*`,
    /// `@` or a backtick in front.
    ///
    /// ## Why is this bad?
    /// The front matter is not YAML then, and the host drops the whole agent, usually without a
    /// message. As a plugin, Claude Code loads it with every tool.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Use it for: changes that touch money.
    /// tools: Read, Grep
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: 'Use it for: changes that touch money.'
    /// tools: Read, Grep
    /// ---
    /// You review changes.
    /// ```
    pub(super) static UNQUOTED_TEXT = {
        name: "unquoted-text",
        summary: "has text that YAML cannot read without quotes",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    for fault in cx.faults() {
        let Fault { kind: FaultKind::Malformed(ProblemKind::NeedsQuotes(why)), span, .. } = fault
        else {
            continue;
        };
        let finding = cx.report_fault(findings, &UNQUOTED_TEXT, fault).help("put it in quotes");
        let Some(value) = repaired_at(&cx.document.root, *span) else { continue };
        // After a closing quote the author's text is not what stands there.
        let safety = if *why == NeedsQuotes::Trailing { Safety::Unsafe } else { Safety::Safe };
        finding.fix(safety, "put it in quotes", *span, quoted(value));
    }
}

/// The text that was read as if it had been quoted.
fn repaired_at(node: &Node, span: Span) -> Option<&str> {
    if node.style == Style::Repaired && node.span == span {
        return node.as_text();
    }
    match &node.value {
        Value::List(items) => items.iter().find_map(|item| repaired_at(item, span)),
        Value::Map(map) => map.entries.iter().find_map(|entry| repaired_at(&entry.value, span)),
        _ => None,
    }
}

/// `text` as a YAML scalar on one line: in single quotes where that can hold it.
pub(super) fn quoted(text: &str) -> String {
    if text.chars().all(|c| !c.is_control()) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    // JSON strings are double-quoted YAML scalars.
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::UNQUOTED_TEXT;
    use crate::lint::tests::check;

    #[test]
    fn quotes_the_text_and_keeps_every_character() {
        let text = "---\nname: a\ndescription: Say: it's on # two\n  lines: yes\n---\nbody\n";
        insta::assert_snapshot!(check(&UNQUOTED_TEXT, ".claude/agents/a.md", text), @"
        3:14 error this value needs quotes: `: ` inside it starts a mapping; Claude Code skips this agent without a message
          help: put it in quotes
          fix (Safe): put it in quotes
            description: 'Say: it''s on # two lines: yes'
        ");
    }
}
