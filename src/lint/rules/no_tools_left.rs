//! `no-tools-left`.

use crate::{
    dialect::{Confidence, Outcome},
    lint::{
        AgentCx, Check, Findings, Level,
        rule::declare_rule,
        tool_list::{self, Listed, Sort},
    },
    model::Access,
};

use super::{
    blocked_tool::is_blocked, contradicting_tools::takes_away, foreign_tools::says_it_all,
};

declare_rule! {
    /// ## What it does
    /// Reports lists of which nothing is left: every tool is unknown, denied again, or never
    /// given to a sub-agent.
    ///
    /// ## Why is this bad?
    /// The agent cannot do anything. Claude Code refuses to start it.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// tools: Raed, Gerp
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
    pub(super) static NO_TOOLS_LEFT = {
        name: "no-tools-left",
        summary: "is left without any tool",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let tools = cx.dialect().tools;
    let Access::Listed(list) = &cx.definition().tools.allowed else { return };
    let denied: Vec<_> = tool_list::denied(cx).collect();
    let void = |listed: &Listed<'_>| is_void(cx, listed);
    let gone = |listed: &Listed<'_>| {
        void(listed)
            || is_blocked(cx, listed)
            || denied.iter().any(|denied| takes_away(cx, denied, listed))
    };
    // Nearly every list has a good tool in front: look no further then.
    if !tool_list::allowed(cx).all(|listed| gone(&listed)) {
        return;
    }
    let allowed: Vec<_> = tool_list::allowed(cx).collect();
    let added = tools.added_by.iter().any(|(key, _)| cx.field(key).is_some());
    // A host that refuses unknown tools has been quoted already.
    let refused = !tools.unknown.outcome.loads() && allowed.iter().any(void);
    if allowed.is_empty() || added || refused || says_it_all(cx, &allowed) {
        return;
    }
    let all_void = allowed.iter().all(void);
    let fact = tools.none_left;
    let certain = all_void && fact.confidence > Confidence::Unverified;
    let message = match fact.outcome {
        Outcome::Ignored => "nothing of this list is left, so the agent has no tool".to_owned(),
        _ => format!("nothing of this list is left; {}", fact.sentence(cx.host())),
    };
    let level = match fact.outcome {
        Outcome::Ignored => Level::Warning,
        _ if certain => Level::Error,
        _ => Level::Warning,
    };
    findings
        .report(cx, &NO_TOOLS_LEFT, list.span, message)
        .level(level)
        .help(format!("list a tool that {} gives to sub-agents", cx.host()));
}

/// Whether a name stands for no tool, as far as anyone can tell.
fn is_void(cx: &AgentCx<'_>, listed: &Listed<'_>) -> bool {
    let tools = cx.dialect().tools;
    match listed.sort {
        Sort::Unknown => !tools.open || tool_list::near(tools, &listed.name.value).is_some(),
        Sort::Wildcard | Sort::McpElsewhere { .. } => !tools.open,
        Sort::Tool(_) | Sort::Everything | Sort::Mcp { .. } | Sort::Plugin => false,
    }
}

#[cfg(test)]
mod tests {
    use super::NO_TOOLS_LEFT;
    use crate::lint::tests::check;

    #[test]
    fn only_what_the_host_documents_is_an_error() {
        let text = "---\nname: a\ndescription: b\ntools: Bash\ndisallowedTools: Bash\n---\nbody\n";
        insta::assert_snapshot!(check(&NO_TOOLS_LEFT, ".claude/agents/a.md", text), @"
        4:8 warning nothing of this list is left; Claude Code loads this agent and fails when it runs
          help: list a tool that Claude Code gives to sub-agents
        ");
        let text = "---\nname: abc\ndescription: b\ntools: Frob\n---\nDo the work.\n";
        insta::assert_snapshot!(check(&NO_TOOLS_LEFT, ".qwen/agents/a.md", text), @"
        4:8 warning nothing of this list is left, so the agent has no tool
          help: list a tool that Qwen Code gives to sub-agents
        ");
    }

    #[test]
    fn a_single_tool_of_a_server_is_enough() {
        let text = "---\nname: a\ndescription: b\ntools: Raed, mcp__gh\n---\nbody\n";
        assert_eq!(check(&NO_TOOLS_LEFT, ".claude/agents/a.md", text), "");
    }
}
