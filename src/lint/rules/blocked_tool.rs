//! `blocked-tool`.

use crate::{
    catalog::Origin,
    lint::{
        AgentCx, Check, Findings, Level,
        rule::declare_rule,
        tool_list::{self, Listed, Sort},
        words::{counted, listed},
    },
    text::Spanned,
};

declare_rule! {
    /// ## What it does
    /// Reports tools that the host never gives to a sub-agent, whatever its definition lists.
    ///
    /// An agent that may start others is taken to be a main agent sometimes.
    ///
    /// For agents that agentctl itself runs it also notes the tools that only a trusted file is
    /// given: those that change files or run commands.
    ///
    /// ## Why is this bad?
    /// The agent is told to use a tool that it will not have.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/interviewer.md"
    /// ---
    /// name: interviewer
    /// description: Finds out what is wanted.
    /// tools: Read, AskUserQuestion
    /// ---
    /// You find out what is wanted.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/interviewer.md"
    /// ---
    /// name: interviewer
    /// description: Finds out what is wanted.
    /// tools: Read
    /// ---
    /// You find out what is wanted.
    /// ```
    pub(super) static BLOCKED_TOOL = {
        name: "blocked-tool",
        summary: "allows a tool that sub-agents never get",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let allowed: Vec<_> = tool_list::allowed(cx).collect();
    // Who starts others is a main agent sometimes, and has what main agents have.
    let coordinates = allowed.iter().any(starts_others);
    let blocked: Vec<_> = allowed
        .iter()
        .filter(|listed| is_blocked(cx, listed) && !coordinates)
        .map(|listed| listed.name)
        .collect();
    if let Some(first) = blocked.first() {
        let message = format!(
            "{} never gives {} to a sub-agent",
            cx.host(),
            listed(blocked.iter().map(|name| name.value.as_str()))
        );
        let help = format!("remove {}", counted(blocked.len(), "it", "them"));
        findings.report(cx, &BLOCKED_TOOL, first.span, message).help(help);
    }
    if cx.entry.origin != Origin::Builtin {
        needs_trust(cx, findings, &allowed);
    }
}

/// Whether an agent with the tool starts others.
fn starts_others(listed: &Listed<'_>) -> bool {
    let Sort::Tool(Some(tool)) = listed.sort else { return false };
    tool.canonical.iter().any(|name| ["spawn_agent", "collaboration.init_agent"].contains(name))
}

/// Whether the host never gives the tool to a sub-agent.
pub(super) fn is_blocked(cx: &AgentCx<'_>, listed: &Listed<'_>) -> bool {
    let Sort::Tool(Some(tool)) = listed.sort else { return false };
    // Leaving plan mode is for those who were put into it.
    let mode = cx.definition().behaviour.approval_mode.as_ref();
    let plans = tool.name == "ExitPlanMode" && mode.is_some_and(|mode| mode.value == "plan");
    !tool.for_subagents && !plans
}

fn needs_trust(cx: &AgentCx<'_>, findings: &mut Findings, allowed: &[Listed<'_>]) {
    let guarded = cx.dialect().tools.needs_trust;
    let needs = |listed: &&Listed<'_>| match listed.sort {
        Sort::Tool(Some(tool)) => tool.canonical.iter().any(|name| guarded.contains(name)),
        _ => false,
    };
    let names: Vec<&Spanned<String>> =
        allowed.iter().filter(needs).map(|listed| listed.name).collect();
    let Some(first) = names.first() else { return };
    let message = format!(
        "{} gives {} only to files that the user trusts",
        cx.host(),
        listed(names.iter().map(|name| name.value.as_str()))
    );
    findings
        .report(cx, &BLOCKED_TOOL, first.span, message)
        .level(Level::Info)
        .help("read the file, then run `agentctl trust add` on it");
}

#[cfg(test)]
mod tests {
    use super::BLOCKED_TOOL;
    use crate::lint::tests::check;

    #[test]
    fn what_is_never_given_and_what_needs_trust_are_two_things() {
        let text = "agentType: a\ndescription: b\ntools: [Read, Task, TodoWrite, Bash, Edit]\n";
        insta::assert_snapshot!(check(&BLOCKED_TOOL, "agents/a.yaml", text), @"
        3:15 warning agentctl never gives `Task` and `TodoWrite` to a sub-agent
          help: remove them
        3:32 info agentctl gives `Bash` and `Edit` only to files that the user trusts
          help: read the file, then run `agentctl trust add` on it
        ");
    }

    #[test]
    fn an_agent_that_starts_others_may_be_the_main_one() {
        let text = "agentType: a\ndescription: b\ntools: [Read, Task, TodoWrite, spawn_agent]\n";
        assert_eq!(check(&BLOCKED_TOOL, "agents/a.yaml", text), "");
    }

    #[test]
    fn an_agent_in_plan_mode_may_leave_it() {
        let text = "---\nname: a\ndescription: b\npermissionMode: plan\ntools: Read, ExitPlanMode\n---\nbody\n";
        assert_eq!(check(&BLOCKED_TOOL, ".claude/agents/a.md", text), "");
    }
}
