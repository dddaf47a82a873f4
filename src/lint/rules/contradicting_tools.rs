//! `contradicting-tools`.

use crate::lint::{
    AgentCx, Check, Findings, Level,
    rule::declare_rule,
    tool_list::{self, Listed, Sort},
};

declare_rule! {
    /// ## What it does
    /// Reports tools that are allowed and denied at once.
    ///
    /// ## Why is this bad?
    /// One of the two lists does not do what it says.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// tools: Read, Grep, Bash
    /// disallowedTools: Bash
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// tools: Read, Grep
    /// ---
    /// You review changes.
    /// ```
    pub(super) static CONTRADICTING_TOOLS = {
        name: "contradicting-tools",
        summary: "allows and denies the same tool",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let denied: Vec<_> = tool_list::denied(cx).collect();
    if denied.is_empty() {
        return;
    }
    for allowed in tool_list::allowed(cx) {
        let Some(other) = denied.iter().find(|denied| takes_away(cx, denied, &allowed)) else {
            continue;
        };
        let (name, line) = (allowed.name, cx.source.position(other.name.span.start as usize).line);
        let message = if other.name.value == name.value {
            format!("`{name}` is allowed here and denied on line {line}")
        } else {
            format!("`{name}` is allowed here, and `{}` on line {line} denies it", other.name)
        };
        findings
            .report(cx, &CONTRADICTING_TOOLS, name.span, message)
            .help("remove it from one of the lists");
    }
}

/// Whether nothing of what one entry allows is left after the other has been denied.
pub(super) fn takes_away(cx: &AgentCx<'_>, denied: &Listed<'_>, allowed: &Listed<'_>) -> bool {
    if denied.name.value == allowed.name.value {
        return true;
    }
    // With an argument only some uses are denied.
    if denied.name.value.contains('(') {
        return false;
    }
    match (&denied.sort, &allowed.sort) {
        (Sort::Everything, Sort::Tool(_) | Sort::Mcp { .. }) => true,
        (Sort::Tool(Some(denied)), Sort::Tool(Some(allowed))) => {
            let covered = allowed.canonical.iter().all(|name| denied.canonical.contains(name));
            denied.name == allowed.name
                || (cx.dialect().tools.aliases && !allowed.canonical.is_empty() && covered)
        }
        (Sort::Mcp { server, tool: None }, Sort::Mcp { server: other, .. }) => {
            server == "*" || server == other
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::CONTRADICTING_TOOLS;
    use crate::lint::tests::check;

    #[test]
    fn a_server_takes_its_tools_with_it_but_a_tool_not_its_server() {
        let text = "---\nname: a\ndescription: b\ntools: mcp__gh__issue, mcp__db\ndisallowedTools: mcp__gh, mcp__db__drop\n---\nbody\n";
        insta::assert_snapshot!(check(&CONTRADICTING_TOOLS, ".claude/agents/a.md", text), @"
        4:8 warning `mcp__gh__issue` is allowed here, and `mcp__gh` on line 5 denies it
          help: remove it from one of the lists
        ");
    }

    #[test]
    fn aliases_of_one_tool_contradict_each_other_and_different_tools_do_not() {
        let ours = "agentType: a\ndescription: b\ntools: [Read, grep_files]\ndisallowedTools: [read_file]\n";
        insta::assert_snapshot!(check(&CONTRADICTING_TOOLS, "agents/a.yaml", ours), @"
        3:9 warning `Read` is allowed here, and `read_file` on line 4 denies it
          help: remove it from one of the lists
        ");
        let text = "---\nname: a\ndescription: b\ntools: Edit, Bash\ndisallowedTools: MultiEdit, Bash(rm:*)\n---\nbody\n";
        assert_eq!(check(&CONTRADICTING_TOOLS, ".claude/agents/a.md", text), "");
    }
}
