//! `ignored-argument`.

use crate::lint::{AgentCx, Check, Findings, Level, rule::declare_rule, tool_list};

declare_rule! {
    /// ## What it does
    /// Reports arguments of tools that the host does not heed in a sub-agent, such as the list of
    /// agents in `Agent(planner, tester)`.
    ///
    /// ## Why is this bad?
    /// It reads like a restriction, and the agent can start any other agent.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/lead.md"
    /// ---
    /// name: lead
    /// description: Splits work among the others.
    /// tools: Read, Agent(planner, tester)
    /// ---
    /// You split work.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/lead.md"
    /// ---
    /// name: lead
    /// description: Splits work among the others.
    /// tools: Read, Agent
    /// ---
    /// You split work.
    /// ```
    pub(super) static IGNORED_ARGUMENT = {
        name: "ignored-argument",
        summary: "restricts a tool by an argument that is not heeded",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    for listed in tool_list::allowed_if(cx, |name| name.contains('(')) {
        let (name, bare) = (listed.name, tool_list::bare(&listed.name.value));
        let has_argument = name.value.len() > bare.len();
        if !has_argument || !cx.dialect().tools.argument_ignored.contains(&bare) {
            continue;
        }
        let message =
            format!("{} heeds the argument of `{name}` in the main agent only", cx.host());
        findings.report(cx, &IGNORED_ARGUMENT, name.span, message).help(format!(
            "write `{bare}`, and do not rely on the list unless this runs as the main agent"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::IGNORED_ARGUMENT;
    use crate::lint::tests::check;

    #[test]
    fn other_tools_keep_their_arguments() {
        let text = "---\nname: a\ndescription: b\ntools: Bash(git:*), Task(x)\n---\nbody\n";
        insta::assert_snapshot!(check(&IGNORED_ARGUMENT, ".claude/agents/a.md", text), @"
        4:21 warning Claude Code heeds the argument of `Task(x)` in the main agent only
          help: write `Task`, and do not rely on the list unless this runs as the main agent
        ");
    }
}
