//! `unknown-tool`.

use crate::{
    dialect::Meaning,
    lint::{AgentCx, Check, Findings, Level, Safety, cx::closest, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports names in a list of allowed tools that the host does not know.
    ///
    /// ## Why is this bad?
    /// A misspelt entry grants nothing: the agent silently lacks a tool, or is left with none at
    /// all. Some hosts refuse the whole agent.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// tools: Raed, Grep
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// tools: Read, Grep
    /// ---
    /// You review changes.
    /// ```
    pub(super) static UNKNOWN_TOOL = {
        name: "unknown-tool",
        summary: "allows a tool that does not exist",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let vocabulary = cx.dialect().tools;
    for (name, meaning) in cx.allowed() {
        if meaning != Meaning::Unknown {
            continue;
        }
        let near = closest(&name.value, vocabulary.tools.iter().map(|tool| tool.name));
        let message = format!("`{name}` is not a tool of {}", cx.host());
        let finding = findings.report(cx, &UNKNOWN_TOOL, name.span, message).level(Level::Warning);
        if let Some(near) = near {
            // The author's intent is a guess, so the edit is never automatic.
            let help = format!("did you mean `{near}`?");
            finding.help(help).fix(
                Safety::Unsafe,
                format!("replace with `{near}`"),
                name.span,
                near,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::UNKNOWN_TOOL;
    use crate::lint::tests::check;

    #[test]
    fn points_at_the_name_and_offers_the_nearest_tool() {
        let text = "---\nname: a\ndescription: b\ntools: Read, Grpe\n---\nbody\n";
        insta::assert_snapshot!(check(&UNKNOWN_TOOL, ".claude/agents/a.md", text), @"
        4:14 warning `Grpe` is not a tool of Claude Code
          help: did you mean `Grep`?
          fix (Unsafe): replace with `Grep`
            tools: Read, Grep
        ");
    }
}
