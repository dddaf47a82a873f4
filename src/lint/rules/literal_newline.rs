//! `literal-newline`.

use crate::{
    document::{Format, Node, Style, Value},
    lint::{AgentCx, Check, Findings, Level, Safety, reading::Text, rule::declare_rule},
    text::{Span, Spanned},
};

declare_rule! {
    /// ## What it does
    /// Reports a backslash and an `n` in a description or display name that were meant as a line
    /// break: the text was pasted from JSON.
    ///
    /// ## Why is this bad?
    /// Without double quotes YAML keeps the two characters, and so does whoever reads the
    /// description to choose an agent. Claude Code turns them into line breaks; for its files this
    /// is only worth knowing, because other hosts read the same folder.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.\n\nUse it before every release.
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: "Reviews a change.\n\nUse it before every release."
    /// ---
    /// You review changes.
    /// ```
    pub(super) static LITERAL_NEWLINE = {
        name: "literal-newline",
        summary: "has `\\n` in a text where a line break was meant",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

const ESCAPE: &str = "\\n";

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let definition = cx.definition();
    let unescaped = cx.entry.form.prompts.unescapes_description;
    if let Some(description) = &definition.description {
        report(cx, findings, description, if unescaped { Level::Info } else { Level::Warning });
    }
    if let Some(name) = &definition.display_name {
        report(cx, findings, name, Level::Warning);
    }
}

fn report(cx: &AgentCx<'_>, findings: &mut Findings, text: &Spanned<String>, level: Level) {
    let breaks = line_breaks(&text.value);
    let Some(first) = breaks.first() else { return };
    let whole = Text { text: &text.value, span: text.span, exact: false };
    let span = cx.place_in(whole, *first, first + ESCAPE.len());
    let key = cx.key_of(text.span).map_or("this text", |(path, _)| path);
    let message = match (breaks.len(), level) {
        (_, Level::Info) => {
            format!("`{key}` has `\\n` for a line break, which hosts other than {} keep", cx.host())
        }
        (1, _) => format!("`{key}` has `\\n` as two characters, not as a line break"),
        (times, _) => {
            format!("`{key}` has `\\n` {times} times as two characters, not as line breaks")
        }
    };
    let finding = findings.report(cx, &LITERAL_NEWLINE, span, message).level(level);
    finding.help("put the text in double quotes, or write it as a block after `|`");
    let yaml = matches!(cx.document.format, Format::Markdown | Format::Yaml);
    let node = scalar_at(&cx.document.root, text.span);
    // Text that is not YAML as it stands has to be quoted first.
    if yaml && node.is_some_and(|node| node.style != Style::Repaired) {
        let meant = text.value.replace(ESCAPE, "\n").replace("\\\"", "\"");
        let mut quoted = serde_json::Value::from(meant.trim_end()).to_string();
        // The bytes of a block include the end of its last line.
        if cx.source.slice(text.span).ends_with('\n') {
            quoted.push('\n');
        }
        finding.fix(Safety::Unsafe, "put it in double quotes", text.span, quoted);
    }
}

/// Where `\n` was meant as a line break: not in code, not in a path, not itself escaped.
fn line_breaks(text: &str) -> Vec<usize> {
    let mut in_code = false;
    let mut breaks = Vec::new();
    let mut before = None;
    for (at, c) in text.char_indices() {
        if c == '`' {
            in_code = !in_code;
        }
        if c == '\\' && !in_code && text[at..].starts_with(ESCAPE) {
            let after = text[at + ESCAPE.len()..].chars().next();
            if is_break(before, after) {
                breaks.push(at);
            }
        }
        before = Some(c);
    }
    breaks
}

fn is_break(before: Option<char>, after: Option<char>) -> bool {
    let quoted = matches!(before, Some('"' | '\'' | '/' | '\\'))
        && matches!(after, Some('"' | '\'' | '/' | '\\') | None);
    // After a word, a small letter continues the name of a folder: `src\new`, `C:\new`.
    let in_path = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, ':' | '\\' | '_'))
        && after.is_some_and(|c| c.is_lowercase() || c == '_');
    !quoted && !in_path && before != Some('\\')
}

fn scalar_at(node: &Node, span: Span) -> Option<&Node> {
    match &node.value {
        Value::Map(map) => map.entries.iter().find_map(|entry| scalar_at(&entry.value, span)),
        Value::List(items) => items.iter().find_map(|item| scalar_at(item, span)),
        _ => (node.span == span).then_some(node),
    }
}

#[cfg(test)]
mod tests {
    use super::{LITERAL_NEWLINE, line_breaks};
    use crate::lint::tests::check;

    #[test]
    fn paths_code_and_quoted_escapes_are_not_line_breaks() {
        for text in ["look in C:\\new\\notes", "splits at `\\n`", "joins with '\\n'", "a \\\\n b"] {
            assert!(line_breaks(text).is_empty(), "{text}");
        }
        assert_eq!(line_breaks("one.\\n\\n<example>\\nTwo"), [4, 6, 17]);
    }

    #[test]
    fn the_fix_makes_line_breaks_of_them() {
        let text =
            "---\nname: a\ndescription: |\n  One.\\n\\nTwo \\\"three\\\".\n---\nA prompt of ten.\n";
        insta::assert_snapshot!(check(&LITERAL_NEWLINE, ".qwen/agents/a.md", text), @r#"
        4:7 warning `description` has `\n` 2 times as two characters, not as line breaks
          help: put the text in double quotes, or write it as a block after `|`
          fix (Unsafe): put it in double quotes
            description: "One.\n\nTwo \"three\"."
        "#);
    }

    #[test]
    fn claude_code_reads_its_own_way_of_writing() {
        let text = "---\nname: a\ndescription: One.\\nTwo.\n---\nbody\n";
        insta::assert_snapshot!(check(&LITERAL_NEWLINE, ".claude/agents/a.md", text), @r#"
        3:18 info `description` has `\n` for a line break, which hosts other than Claude Code keep
          help: put the text in double quotes, or write it as a block after `|`
          fix (Unsafe): put it in double quotes
            description: "One.\nTwo."
        "#);
    }
}
