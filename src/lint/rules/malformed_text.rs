//! `malformed-text`.

use crate::{
    dialect::{Fault, FaultKind},
    document::ProblemKind,
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports text that YAML, TOML or JSON cannot read: tabs as indentation, text at the place
    /// of a key, brackets that are never closed.
    ///
    /// ## Why is this bad?
    /// Not one key of the definition can be read then. Most hosts leave the agent out without a
    /// message; as a plugin, Claude Code loads it with every tool.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// tools: [Read, Grep
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// tools: [Read, Grep]
    /// ---
    /// You review changes.
    /// ```
    pub(super) static MALFORMED_TEXT = {
        name: "malformed-text",
        summary: "has text that its format cannot read",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let mut unindented: Vec<&Fault> = Vec::new();
    let mut reported = false;
    for fault in cx.faults() {
        let FaultKind::Malformed(problem) = &fault.kind else { continue };
        let help = match problem {
            ProblemKind::UnindentedText => {
                unindented.push(fault);
                continue;
            }
            // Whatever it is about has been reported before it.
            ProblemKind::TooManyProblems if reported => continue,
            ProblemKind::TabIndent => "indent with blanks",
            ProblemKind::Utf16 => "save the file as UTF-8",
            ProblemKind::NulByte => "remove the byte",
            ProblemKind::Syntax(_)
            | ProblemKind::TooDeep
            | ProblemKind::TooManyNodes
            | ProblemKind::AliasBomb
            | ProblemKind::TooManyProblems => "mend the text here",
            _ => continue,
        };
        reported = true;
        cx.report_fault(findings, &MALFORMED_TEXT, fault).help(help);
    }
    // Lines that were meant to go on with a value come in rows: one finding for all of them.
    if let [first, rest @ ..] = unindented.as_slice() {
        let more = match rest.len() {
            0 => String::new(),
            1 => ", as in 1 more place".to_owned(),
            count => format!(", as in {count} more places"),
        };
        let what = format!("text stands where a key should{more}");
        cx.report_fact(findings, &MALFORMED_TEXT, first.span, first.fact(), &what)
            .help("write `|` after the key above it, and indent the text");
    }
}

#[cfg(test)]
mod tests {
    use super::MALFORMED_TEXT;
    use crate::lint::tests::check;

    #[test]
    fn lines_that_belong_to_one_value_are_one_finding() {
        let text =
            "---\nname: a\ndescription: b\n<example>\nuser says hello\n</example>\n---\nbody\n";
        insta::assert_snapshot!(check(&MALFORMED_TEXT, ".claude/agents/a.md", text), @"
        4:1 error text stands where a key should, as in 2 more places; Claude Code skips this agent without a message
          help: write `|` after the key above it, and indent the text
        ");
    }

    #[test]
    fn a_host_that_says_so_is_quoted() {
        let text = "---\nname: a\ndescription: [b\n---\nbody\n";
        insta::assert_snapshot!(check(&MALFORMED_TEXT, ".gemini/agents/a.md", text), @"
        3:1 error unclosed bracket '['; Gemini CLI rejects this agent
          help: mend the text here
        ");
    }
}
