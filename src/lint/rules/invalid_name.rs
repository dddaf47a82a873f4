//! `invalid-name`.

use crate::{
    dialect::{Fault, FaultKind, Kind},
    document::Format,
    lint::{AgentCx, Check, Finding, Findings, Level, Safety, keys::is_name, rule::declare_rule},
};

use super::wrong_type::mend;

declare_rule! {
    /// ## What it does
    /// Reports names that the host does not accept as the name of an agent.
    ///
    /// ## Why is this bad?
    /// The name is what identifies an agent: without a good one the host does not load it.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: Code Reviewer
    /// description: Reviews a change.
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: code-reviewer
    /// description: Reviews a change.
    /// ---
    /// You review changes.
    /// ```
    pub(super) static INVALID_NAME = {
        name: "invalid-name",
        summary: "has a name that the host does not accept",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    for fault in cx.faults() {
        match &fault.kind {
            FaultKind::WrongType { path, .. } if is_name(cx, path) => {
                let finding = cx.report_fault(findings, &INVALID_NAME, fault);
                finding.help("write it as a string");
                mend(cx, path, fault, finding);
            }
            FaultKind::BadValue { path, found, .. } if is_name(cx, path) => {
                bad_name(cx, findings, fault, path, found);
            }
            _ => {}
        }
    }
}

fn bad_name(cx: &AgentCx<'_>, findings: &mut Findings, fault: &Fault, path: &str, found: &str) {
    let Some(Kind::Name(rule)) = cx.entry.form.field(path).map(|field| &field.kind) else {
        cx.report_fault(findings, &INVALID_NAME, fault).help("choose another name");
        return;
    };
    let what = format!("`{found}` cannot be the name of an agent: it must be {}", rule.must_be);
    let finding = cx
        .report_fact(findings, &INVALID_NAME, fault.span, fault.fact(), &what)
        .help("choose another name");
    let slug = slug(found);
    if (rule.accepts)(&slug) {
        rename(cx, finding, &slug);
    }
}

/// Others may call the agent by the name it has, so nobody renames it unasked.
fn rename(cx: &AgentCx<'_>, finding: &mut Finding, slug: &str) {
    let text = match cx.document.format {
        Format::Markdown | Format::Yaml => slug.to_owned(),
        Format::Toml | Format::Json => format!("\"{slug}\""),
    };
    let span = finding.span;
    finding.help(format!("call it `{slug}`"));
    finding.fix(Safety::Unsafe, format!("call it `{slug}`"), span, text);
}

/// `Code Reviewer` as `code-reviewer`.
fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words: Vec<_> = words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::INVALID_NAME;
    use crate::lint::tests::check;

    #[test]
    fn a_number_is_put_in_quotes_and_a_reserved_word_is_left_to_its_author() {
        let numbered = "---\nname: 123\ndescription: b\n---\nbody\n";
        insta::assert_snapshot!(check(&INVALID_NAME, ".gemini/agents/a.md", numbered), @"
        2:7 error `name` is an integer, but must be a string; Gemini CLI rejects this agent
          help: write `'123'`
          fix (Safe): write `'123'`
            name: '123'
        ");
        let reserved = "---\nname: main\ndescription: b\n---\nDo the work.\n";
        insta::assert_snapshot!(check(&INVALID_NAME, ".qwen/agents/a.md", reserved), @"
        2:7 error `main` cannot be the name of an agent: it must be 2 to 50 letters, digits, `-` or `_`, no `-` or `_` at either end, and not a reserved word; Qwen Code skips this agent without a message
          help: choose another name
        ");
    }
}
