//! `unknown-tool`.

use crate::{
    dialect::{FaultKind, Outcome},
    lint::{
        AgentCx, Check, Findings, Level, Safety,
        cx::level_of,
        rule::declare_rule,
        tool_list::{self, Sort},
        words::{counted, listed},
    },
    text::Spanned,
};

declare_rule! {
    /// ## What it does
    /// Reports names in a list of allowed tools that the host does not know.
    ///
    /// Where extensions and servers can bring tools of any name, only a name that looks like a
    /// slip of the pen is a warning.
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
    let tools = cx.dialect().tools;
    let allowed: Vec<_> = tool_list::allowed(cx).collect();
    let foreign = tool_list::foreign(cx, &allowed);
    let is_foreign = |name: &Spanned<String>| {
        foreign.iter().flat_map(|foreign| &foreign.names).any(|(other, _)| other.span == name.span)
    };
    let mut strange = Vec::new();
    for listed in &allowed {
        let name = listed.name;
        if !matches!(listed.sort, Sort::Unknown) || is_foreign(name) || is_told(cx, name) {
            continue;
        }
        let Some(near) = tool_list::near(tools, &name.value) else {
            strange.push(name);
            continue;
        };
        let message = format!("`{name}` is not a tool of {}{}", cx.host(), so(cx, 1));
        let finding = findings.report(cx, &UNKNOWN_TOOL, name.span, message);
        finding.level(level_of(tools.unknown)).help(format!("did you mean `{near}`?"));
        // The author's intent is a guess, so the edit is never automatic.
        if name.value == tool_list::bare(&name.value) {
            finding.fix(Safety::Unsafe, format!("replace with `{near}`"), name.span, near);
        }
    }
    report_strange(cx, findings, &strange);
}

/// Whether the table of the key itself has already refused the name.
fn is_told(cx: &AgentCx<'_>, name: &Spanned<String>) -> bool {
    cx.faults()
        .any(|fault| fault.span == name.span && matches!(fault.kind, FaultKind::BadValue { .. }))
}

/// One finding for all names that nothing is like.
fn report_strange(cx: &AgentCx<'_>, findings: &mut Findings, names: &[&Spanned<String>]) {
    let tools = cx.dialect().tools;
    let Some(first) = names.first() else { return };
    let list = listed(names.iter().map(|name| name.value.as_str()));
    if tools.open {
        let are = counted(names.len(), "is not a built-in tool", "are not built-in tools");
        let message = format!("{list} {are} of {}", cx.host());
        findings
            .report(cx, &UNKNOWN_TOOL, first.span, message)
            .level(Level::Info)
            .help("make sure that an extension or an MCP server brings it");
        return;
    }
    let are = counted(names.len(), "is not a tool", "are not tools");
    let message = format!("{list} {are} of {}{}", cx.host(), so(cx, names.len()));
    findings
        .report(cx, &UNKNOWN_TOOL, first.span, message)
        .level(level_of(tools.unknown))
        .help(format!("remove {}", counted(names.len(), "it", "them")));
}

/// What comes of it.
fn so(cx: &AgentCx<'_>, count: usize) -> String {
    let fact = cx.dialect().tools.unknown;
    if fact.outcome == Outcome::Ignored {
        format!(", so {} nothing", counted(count, "it grants", "they grant"))
    } else {
        format!("; {}", fact.sentence(cx.host()))
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
        4:14 warning `Grpe` is not a tool of Claude Code, so it grants nothing
          help: did you mean `Grep`?
          fix (Unsafe): replace with `Grep`
            tools: Read, Grep
        ");
    }

    #[test]
    fn names_that_nothing_is_like_are_one_finding() {
        let text = "---\nname: a\ndescription: b\ntools: [Read, Frobnicate, Quux]\n---\nbody\n";
        insta::assert_snapshot!(check(&UNKNOWN_TOOL, ".claude/agents/a.md", text), @"
        4:15 warning `Frobnicate` and `Quux` are not tools of Claude Code, so they grant nothing
          help: remove them
        ");
    }

    #[test]
    fn a_host_that_refuses_the_agent_makes_it_an_error() {
        let text = "---\nname: a\ndescription: b\ntools: [read_file, save_memory]\n---\nbody\n";
        insta::assert_snapshot!(check(&UNKNOWN_TOOL, ".gemini/agents/a.md", text), @"
        4:20 error `save_memory` is not a tool of Gemini CLI; Gemini CLI rejects this agent
          help: remove it
        ");
    }

    #[test]
    fn where_anyone_can_add_tools_only_a_slip_is_a_warning() {
        let text =
            "---\ndescription: b\ntools: [edit/editFile, codebase, pgsql_query]\n---\nbody\n";
        insta::assert_snapshot!(check(&UNKNOWN_TOOL, ".github/agents/a.agent.md", text), @"
        3:9 warning `edit/editFile` is not a tool of GitHub Copilot, so it grants nothing
          help: did you mean `edit/editFiles`?
          fix (Unsafe): replace with `edit/editFiles`
            tools: [edit/editFiles, codebase, pgsql_query]
        3:34 info `pgsql_query` is not a built-in tool of GitHub Copilot
          help: make sure that an extension or an MCP server brings it
        ");
    }

    #[test]
    fn names_of_servers_and_plugins_are_not_judged() {
        let text = "---\nname: a\ndescription: b\ntools: mcp__gh__issue, shop:search\n---\nbody\n";
        assert_eq!(check(&UNKNOWN_TOOL, ".claude/agents/a.md", text), "");
    }
}
