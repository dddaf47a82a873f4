//! `wrong-type`.

use crate::{
    dialect::{Fault, FaultKind, Kind, Shape},
    document::{Format, Node, Style, Value},
    lint::{
        AgentCx, Check, Finding, Findings, Level, Safety,
        keys::{field_at, is_name, node_at},
        rule::declare_rule,
    },
};

use super::unquoted_text::quoted;

declare_rule! {
    /// ## What it does
    /// Reports values of another type than the host reads: text where it wants a list, a number
    /// in quotes, a list where it wants a map.
    ///
    /// ## Why is this bad?
    /// Strict hosts refuse the agent, and one of them does not even start. The others drop the
    /// value, and with it whatever it was meant to restrict.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// tools: read_file, grep_search
    /// max_turns: '20'
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// tools: [read_file, grep_search]
    /// max_turns: 20
    /// ---
    /// You review changes.
    /// ```
    pub(super) static WRONG_TYPE = {
        name: "wrong-type",
        summary: "has a value of a type that the host does not read",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    for fault in cx.faults() {
        match &fault.kind {
            FaultKind::WrongType { path, wanted, .. } if !is_name(cx, path) => {
                let finding = cx.report_fault(findings, &WRONG_TYPE, fault);
                finding.help(format!("write {wanted}"));
                mend(cx, path, fault, finding);
            }
            FaultKind::NotAMap { .. } => {
                cx.report_fault(findings, &WRONG_TYPE, fault).help("write `key: value` lines");
            }
            _ => {}
        }
    }
}

/// Writes the value as the type it plainly stands for.
pub(super) fn mend(cx: &AgentCx<'_>, path: &str, fault: &Fault, finding: &mut Finding) {
    let Some(field) = field_at(cx.entry.form, path) else { return };
    let Some(node) = node_at(&cx.document.root, fault.span) else { return };
    if node.style == Style::Alias || node.tag.is_some() {
        return;
    }
    let written = cx.source.slice(fault.span);
    let format = cx.document.format;
    let text = match (&field.kind, &node.value) {
        (Kind::Names(Shape::List | Shape::ListOrOne), Value::Text(text)) => as_list(text, format),
        (Kind::Integer { .. } | Kind::Number { .. }, Value::Text(text)) => {
            as_number(&field.kind, text)
        }
        (Kind::Flag, Value::Text(text)) if matches!(text.as_str(), "true" | "false") => {
            Some(text.clone())
        }
        (Kind::Text | Kind::Name(_), Value::Integer(_) | Value::Float(_) | Value::Bool(_)) => {
            Some(as_text(written, format))
        }
        _ => None,
    };
    if let Some(text) = text {
        let title = format!("write `{text}`");
        finding.help(title.clone()).fix(Safety::Safe, title, fault.span, text);
    }
}

/// `a, b` as `[a, b]`.
fn as_list(text: &str, format: Format) -> Option<String> {
    let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
    let names: Vec<_> = text.split(',').map(str::trim).collect();
    // A comma inside of parentheses, or a sentence, is not a list of names.
    if text.contains('(') || !names.iter().all(|name| is_name(name)) {
        return None;
    }
    let names: Vec<_> = names.into_iter().map(|name| item(name, format)).collect();
    Some(format!("[{}]", names.join(", ")))
}

fn item(name: &str, format: Format) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let yaml = matches!(format, Format::Markdown | Format::Yaml);
    if yaml && name.starts_with(char::is_alphabetic) && name.chars().all(plain) {
        name.to_owned()
    } else {
        as_text(name, format)
    }
}

fn as_number(kind: &Kind, text: &str) -> Option<String> {
    let text = text.trim();
    let value = match text.parse::<i64>() {
        Ok(number) => Value::Integer(number),
        Err(_) => Value::Float(text.parse::<f64>().ok().filter(|number| number.is_finite())?),
    };
    let node = Node::new(value, crate::text::Span::default(), Style::Plain);
    kind.check(&node).is_ok().then(|| text.to_owned())
}

fn as_text(written: &str, format: Format) -> String {
    match format {
        Format::Markdown | Format::Yaml => quoted(written),
        Format::Toml | Format::Json => serde_json::Value::from(written).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::WRONG_TYPE;
    use crate::lint::tests::check;

    #[test]
    fn names_with_commas_become_a_list_where_only_a_list_is_read() {
        let text = "---\nname: a\ndescription: b\ntools: read_file, mcp_*\n---\nbody\n";
        insta::assert_snapshot!(check(&WRONG_TYPE, ".gemini/agents/a.md", text), @"
        4:8 error `tools` is a string, but must be a list of names; Gemini CLI rejects this agent
          help: write `[read_file, 'mcp_*']`
          fix (Safe): write `[read_file, 'mcp_*']`
            tools: [read_file, 'mcp_*']
        ");
    }

    #[test]
    fn a_host_that_does_not_start_is_an_error_without_a_guess() {
        let text = "---\ndescription: b\nmode: subagent\ntools: [read, grep]\n---\nbody\n";
        insta::assert_snapshot!(check(&WRONG_TYPE, ".opencode/agent/a.md", text), @"
        4:8 error `tools` is a list, but must be a map; opencode does not start with this file
          help: write a map
        ");
    }

    #[test]
    fn a_sentence_is_not_a_list_of_names() {
        let text = "---\nname: a\ndescription: b\ntools: all of them, please\n---\nbody\n";
        insta::assert_snapshot!(check(&WRONG_TYPE, ".gemini/agents/a.md", text), @"
        4:8 error `tools` is a string, but must be a list of names; Gemini CLI rejects this agent
          help: write a list of names
        ");
    }
}
