//! `ineffective-denial`.

use crate::{
    dialect::Meaning,
    lint::{AgentCx, Check, Findings, Level, Safety, cx::closest, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports names in a list of forbidden tools that the host does not know.
    ///
    /// ## Why is this bad?
    /// A misspelt entry forbids nothing: the agent keeps a tool that its author meant to take
    /// away.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// disallowedTools: Wrte, Edit
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// disallowedTools: Write, Edit
    /// ---
    /// You review changes.
    /// ```
    pub(super) static INEFFECTIVE_DENIAL = {
        name: "ineffective-denial",
        summary: "forbids a tool that does not exist",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let vocabulary = cx.dialect().tools;
    for (name, meaning) in cx.denied() {
        if meaning != Meaning::Unknown {
            continue;
        }
        let near = closest(&name.value, vocabulary.tools.iter().map(|tool| tool.name));
        let message = format!("`{name}` is not a tool of {}, so this forbids nothing", cx.host());
        let finding = findings.report(cx, &INEFFECTIVE_DENIAL, name.span, message);
        match near {
            Some(near) => finding.help(format!("did you mean `{near}`?")).fix(
                Safety::Unsafe,
                format!("replace with `{near}`"),
                name.span,
                near,
            ),
            // It may be the name of a tool that a plugin or server brings.
            None => finding.level(Level::Warning),
        };
    }
}
