//! `unmatched-wildcard`.

use crate::{
    dialect::{McpSyntax, Outcome},
    lint::{
        AgentCx, Check, Findings, Level,
        cx::level_of,
        rule::declare_rule,
        tool_list::{self, Listed, Sort},
    },
};

declare_rule! {
    /// ## What it does
    /// Reports patterns in lists of tools that the host does not understand as patterns.
    ///
    /// ## Why is this bad?
    /// The host looks for a tool that is really called `*`. An allowed pattern grants nothing, a
    /// denied one forbids nothing, and some hosts refuse the agent.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/triage.md"
    /// ---
    /// name: triage
    /// description: Sorts new issues.
    /// tools: [read_file, mcp_my_server_*]
    /// ---
    /// You sort issues.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/triage.md"
    /// ---
    /// name: triage
    /// description: Sorts new issues.
    /// tools: [read_file, mcp_myserver_*]
    /// ---
    /// You sort issues.
    /// ```
    pub(super) static UNMATCHED_WILDCARD = {
        name: "unmatched-wildcard",
        summary: "has a pattern that matches no tool",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let fact = cx.dialect().tools.unknown;
    let has_star = |name: &str| name.contains('*');
    let is_wildcard = |listed: &Listed<'_>| matches!(listed.sort, Sort::Wildcard);
    for listed in tool_list::allowed_if(cx, has_star).filter(is_wildcard) {
        let name = listed.name;
        let what = format!("`{name}` is not a pattern in {}", cx.host());
        let message = match fact.outcome {
            Outcome::Ignored => format!("{what}, so it grants nothing"),
            _ => format!("{what}; {}", fact.sentence(cx.host())),
        };
        findings
            .report(cx, &UNMATCHED_WILDCARD, name.span, message)
            .level(level_of(fact))
            .help(help(cx, &name.value));
    }
    for listed in tool_list::denied(cx).filter(is_wildcard) {
        let name = listed.name;
        let message = format!("`{name}` is not a pattern in {}, so it forbids nothing", cx.host());
        findings
            .report(cx, &UNMATCHED_WILDCARD, name.span, message)
            .level(Level::Warning)
            .help("name each tool");
    }
}

fn help(cx: &AgentCx<'_>, name: &str) -> String {
    match cx.dialect().tools.mcp {
        _ if name == "*" => "leave the key out to allow every tool".to_owned(),
        McpSyntax::SingleUnderscore if name.ends_with("_*") => {
            "rename the server without `_`, or name each tool".to_owned()
        }
        _ => "name each tool".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::UNMATCHED_WILDCARD;
    use crate::lint::tests::check;

    #[test]
    fn a_star_means_everything_only_where_the_host_says_so() {
        let text = "---\nname: a\ndescription: b\ntools: ['*']\n---\nbody\n";
        insta::assert_snapshot!(check(&UNMATCHED_WILDCARD, ".factory/droids/a.md", text), @"
        4:9 error `*` is not a pattern in Factory; Factory skips this agent without a message
          help: leave the key out to allow every tool
        ");
        let text = "---\ndescription: b\ntools: ['*']\n---\nbody\n";
        assert_eq!(check(&UNMATCHED_WILDCARD, ".github/agents/a.agent.md", text), "");
    }

    #[test]
    fn all_of_a_server_can_be_named_and_some_of_it_cannot() {
        let text = "---\nname: a\ndescription: b\ntools: mcp__gh__*, mcp__gh__get_*\n---\nbody\n";
        insta::assert_snapshot!(check(&UNMATCHED_WILDCARD, ".claude/agents/a.md", text), @"
        4:20 warning `mcp__gh__get_*` is not a pattern in Claude Code, so it grants nothing
          help: name each tool
        ");
    }
}
