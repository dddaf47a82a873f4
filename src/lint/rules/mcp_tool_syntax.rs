//! `mcp-tool-syntax`.

use crate::{
    dialect::Outcome,
    lint::{
        AgentCx, Check, Findings, Level, Safety,
        cx::level_of,
        rule::declare_rule,
        tool_list::{self, Listed, Sort},
    },
};

declare_rule! {
    /// ## What it does
    /// Reports tools of MCP servers that are written the way another host writes them.
    ///
    /// ## Why is this bad?
    /// The name matches no tool: the agent lacks the server it was given, or keeps one it was
    /// denied. Some hosts refuse the agent.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/triage.md"
    /// ---
    /// name: triage
    /// description: Sorts new issues.
    /// tools: [read_file, mcp__github__list_issues]
    /// ---
    /// You sort issues.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/triage.md"
    /// ---
    /// name: triage
    /// description: Sorts new issues.
    /// tools: [read_file, mcp_github_list_issues]
    /// ---
    /// You sort issues.
    /// ```
    pub(super) static MCP_TOOL_SYNTAX = {
        name: "mcp-tool-syntax",
        summary: "names an MCP tool as another host does",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let looks_like_it = |name: &str| {
        name.contains(['/', '@'])
            || name.as_bytes().windows(3).any(|part| part.eq_ignore_ascii_case(b"mcp"))
    };
    for listed in tool_list::allowed_if(cx, looks_like_it) {
        report(cx, findings, &listed, "grants");
    }
    for listed in tool_list::denied(cx) {
        report(cx, findings, &listed, "forbids");
    }
}

fn report(cx: &AgentCx<'_>, findings: &mut Findings, listed: &Listed<'_>, does: &str) {
    let Sort::McpElsewhere { server, tool } = &listed.sort else { return };
    let (name, tools) = (listed.name, cx.dialect().tools);
    let what = format!("`{name}` is not how {} writes a tool of an MCP server", cx.host());
    let (message, level) = match tools.unknown.outcome {
        Outcome::Ignored => (format!("{what}, so it {does} nothing"), Level::Warning),
        _ if does == "forbids" => (format!("{what}, so it forbids nothing"), Level::Warning),
        _ => (format!("{what}; {}", tools.unknown.sentence(cx.host())), level_of(tools.unknown)),
    };
    let finding = findings.report(cx, &MCP_TOOL_SYNTAX, name.span, message).level(level);
    match tools.mcp.spell(server, tool.as_deref()) {
        Some(right) => {
            finding.help(format!("write `{right}`"));
            if !right.contains('*') {
                finding.fix(Safety::Unsafe, format!("write `{right}`"), name.span, right);
            }
        }
        None => {
            finding.help("name each tool, or rename the server without `_`");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MCP_TOOL_SYNTAX;
    use crate::lint::tests::check;

    #[test]
    fn every_host_s_way_is_recognised_and_translated() {
        let text = "---\nname: a\ndescription: b\ntools: [Read, github/list_issues, '@db/query', mcp_web_get, chrome-mcp]\n---\nbody\n";
        insta::assert_snapshot!(check(&MCP_TOOL_SYNTAX, ".claude/agents/a.md", text), @"
        4:15 warning `github/list_issues` is not how Claude Code writes a tool of an MCP server, so it grants nothing
          help: write `mcp__github__list_issues`
          fix (Unsafe): write `mcp__github__list_issues`
            tools: [Read, mcp__github__list_issues, '@db/query', mcp_web_get, chrome-mcp]
        4:35 warning `@db/query` is not how Claude Code writes a tool of an MCP server, so it grants nothing
          help: write `mcp__db__query`
          fix (Unsafe): write `mcp__db__query`
            tools: [Read, github/list_issues, mcp__db__query, mcp_web_get, chrome-mcp]
        4:48 warning `mcp_web_get` is not how Claude Code writes a tool of an MCP server, so it grants nothing
          help: write `mcp__web__get`
          fix (Unsafe): write `mcp__web__get`
            tools: [Read, github/list_issues, '@db/query', mcp__web__get, chrome-mcp]
        4:61 warning `chrome-mcp` is not how Claude Code writes a tool of an MCP server, so it grants nothing
          help: write `mcp__chrome-mcp__*`
        ");
    }

    #[test]
    fn tools_of_another_host_are_not_servers() {
        let text = "---\nname: a\ndescription: b\ntools: [Read, search/codebase]\n---\nbody\n";
        assert_eq!(check(&MCP_TOOL_SYNTAX, ".claude/agents/a.md", text), "");
    }
}
