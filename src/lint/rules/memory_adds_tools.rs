//! `memory-adds-tools`.

use crate::{
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule, tool_list, words::listed},
    model::Access,
};

declare_rule! {
    /// ## What it does
    /// Reports agents whose lists leave out tools that another of their keys brings back. In
    /// Claude Code, `memory` adds `Read`, `Write` and `Edit`.
    ///
    /// ## Why is this bad?
    /// The agent looks read-only and can change files.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// tools: Read, Grep
    /// memory: project
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
    pub(super) static MEMORY_ADDS_TOOLS = {
        name: "memory-adds-tools",
        summary: "gets tools from a key that its list leaves out",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let tools = &cx.definition().tools;
    for (key, added) in cx.dialect().tools.added_by {
        let Some(field) = cx.field(key).filter(|field| !field.value.is_empty()) else { continue };
        let lists = |names: &[crate::text::Spanned<String>], tool: &str| {
            names.iter().any(|name| tool_list::bare(&name.value) == tool)
        };
        let denied: Vec<&str> =
            added.iter().copied().filter(|tool| lists(&tools.denied, tool)).collect();
        let left_out: Vec<&str> = match &tools.allowed {
            Access::Listed(list) => {
                added.iter().copied().filter(|tool| !lists(&list.value, tool)).collect()
            }
            Access::Unsaid => Vec::new(),
        };
        let message = if !denied.is_empty() {
            format!("`{key}` works with {}, which this agent is denied", listed(denied))
        } else if !left_out.is_empty() {
            format!("`{key}` adds {} to the tools of this agent", listed(left_out))
        } else {
            continue;
        };
        findings
            .report(cx, &MEMORY_ADDS_TOOLS, field.key, message)
            .help(format!("remove `{key}`, or list the tools it adds"));
    }
}

#[cfg(test)]
mod tests {
    use super::MEMORY_ADDS_TOOLS;
    use crate::lint::tests::check;

    #[test]
    fn an_agent_that_has_the_tools_anyway_loses_nothing() {
        let text =
            "---\nname: a\ndescription: b\nmemory: user\ntools: Read, Write, Edit\n---\nbody\n";
        assert_eq!(check(&MEMORY_ADDS_TOOLS, ".claude/agents/a.md", text), "");
        let text = "---\nname: a\ndescription: b\nmemory: user\n---\nbody\n";
        assert_eq!(check(&MEMORY_ADDS_TOOLS, ".claude/agents/a.md", text), "");
    }

    #[test]
    fn a_denial_that_memory_works_against_is_told() {
        let text =
            "---\nname: a\ndescription: b\nmemory: user\ndisallowedTools: Write, Edit\n---\nbody\n";
        insta::assert_snapshot!(check(&MEMORY_ADDS_TOOLS, ".claude/agents/a.md", text), @"
        4:1 warning `memory` works with `Write` and `Edit`, which this agent is denied
          help: remove `memory`, or list the tools it adds
        ");
    }
}
