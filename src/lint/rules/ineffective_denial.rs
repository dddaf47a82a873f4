//! `ineffective-denial`.

use crate::{
    dialect::DIALECTS,
    lint::{
        AgentCx, Check, Findings, Level, Safety,
        rule::declare_rule,
        tool_list::{self, Sort},
    },
    model::canonical_tool,
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
    let tools = cx.dialect().tools;
    for listed in tool_list::denied(cx) {
        if !matches!(listed.sort, Sort::Unknown) {
            continue;
        }
        let name = listed.name;
        let meant = tool_list::near(tools, &name.value)
            .map(|near| vec![near])
            .or_else(|| in_other_words(cx, &name.value));
        let message = format!("`{name}` is not a tool of {}, so this forbids nothing", cx.host());
        let finding = findings.report(cx, &INEFFECTIVE_DENIAL, name.span, message);
        match meant {
            Some(meant) => {
                let meant = meant.join("`, `");
                finding.help(format!("did you mean `{meant}`?"));
                if tools.open {
                    finding.level(Level::Warning);
                }
                if !meant.contains('`') && name.value == tool_list::bare(&name.value) {
                    let title = format!("replace with `{meant}`");
                    finding.fix(Safety::Unsafe, title, name.span, meant);
                }
            }
            // It may be the name of a tool that a plugin or server brings.
            None => {
                finding.level(if tools.open { Level::Info } else { Level::Warning });
                finding.help("remove it, or write the name of the tool it is meant to forbid");
            }
        }
    }
}

/// What this host calls a tool that stands here under another host's name.
fn in_other_words(cx: &AgentCx<'_>, written: &str) -> Option<Vec<&'static str>> {
    let name = tool_list::bare(written);
    let other = DIALECTS.iter().find_map(|dialect| {
        let tool = dialect.tools.tools.iter().find(|tool| tool.name == name)?;
        (!tool.canonical.is_empty()).then_some(tool.canonical)
    });
    let canonical =
        other.or_else(|| canonical_tool(name).map(|tool| std::slice::from_ref(&tool.name)))?;
    let names = tool_list::translate(cx.dialect().tools, canonical);
    (!names.is_empty()).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::INEFFECTIVE_DENIAL;
    use crate::lint::tests::check;

    #[test]
    fn a_tool_of_another_host_is_translated() {
        let text = "---\nname: a\ndescription: b\ndisallowedTools: run_shell_command\n---\nbody\n";
        insta::assert_snapshot!(check(&INEFFECTIVE_DENIAL, ".claude/agents/a.md", text), @"
        4:18 error `run_shell_command` is not a tool of Claude Code, so this forbids nothing
          help: did you mean `Bash`?
          fix (Unsafe): replace with `Bash`
            disallowedTools: Bash
        ");
    }

    #[test]
    fn patterns_and_servers_are_denied_where_the_host_knows_them() {
        let text = "---\ndescription: b\nmode: all\npermission:\n  'gh_*': deny\n---\nbody\n";
        assert_eq!(check(&INEFFECTIVE_DENIAL, ".opencode/agent/a.md", text), "");
    }
}
