//! `suppressed-approval`.

use std::collections::BTreeSet;

use crate::{
    dialect::Meaning,
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
    model::{CANONICAL_TOOLS, Effect, canonical_tool},
};

declare_rule! {
    /// ## What it does
    /// Reports agents that must not ask (`approvalMode: suppress`) and have tools that change
    /// things.
    ///
    /// ## Why is this bad?
    /// Where nobody can be asked, calls that need to be allowed are denied. The agent has the
    /// tools and fails each time it uses one.
    ///
    /// ## Bad
    /// ```markdown title="agents/formatter.md"
    /// ---
    /// agentType: formatter
    /// whenToUse: Formats the files that were changed.
    /// tools: [read_file, write_file]
    /// approvalMode: suppress
    /// ---
    /// You format files.
    /// ```
    ///
    /// ## Good
    /// ```markdown title="agents/formatter.md"
    /// ---
    /// agentType: formatter
    /// whenToUse: Formats the files that were changed.
    /// tools: [read_file, write_file]
    /// approvalMode: route_to_parent
    /// ---
    /// You format files.
    /// ```
    pub(super) static SUPPRESSED_APPROVAL = {
        name: "suppressed-approval",
        summary: "has tools that need to be allowed, and asks nobody",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let behaviour = &cx.definition().behaviour;
    let mode = behaviour.approval_mode.as_ref().filter(|mode| mode.value == "suppress");
    let Some(mode) = mode else { return };
    if behaviour.read_only.is_some_and(|flag| flag.value) {
        return;
    }
    let listed = cx.definition().tools.allowed.names().is_some();
    let tools = changing_tools(cx);
    if tools.is_empty() {
        return;
    }
    let (level, message) = if listed {
        let names: Vec<_> = tools.iter().map(|name| format!("`{name}`")).collect();
        let message =
            format!("nobody can be asked, so every call of {} is denied", names.join(", "));
        (Level::Error, message)
    } else {
        let message = "nobody can be asked, so whatever changes something is denied";
        (Level::Warning, message.to_owned())
    };
    let finding = findings.report(cx, &SUPPRESSED_APPROVAL, mode.span, message).level(level);
    finding.help(if listed {
        "take these tools away, or let the caller be asked: `approvalMode: route_to_parent`"
    } else {
        "list only tools that change nothing, or let the caller be asked"
    });
}

/// The tools that change things and that the agent has, by their canonical names.
fn changing_tools(cx: &AgentCx<'_>) -> BTreeSet<&'static str> {
    let changes = |effect: Effect| matches!(effect, Effect::Write | Effect::Execute);
    let all = || CANONICAL_TOOLS.iter().filter(|tool| changes(tool.effect)).map(|tool| tool.name);
    let of = |meaning: Meaning| -> Vec<&'static str> {
        match meaning {
            Meaning::Everything => all().collect(),
            Meaning::Tools(names) => names
                .iter()
                .filter_map(|name| canonical_tool(name))
                .filter(|tool| changes(tool.effect))
                .map(|tool| tool.name)
                .collect(),
            Meaning::Mcp { .. } | Meaning::Unknown => Vec::new(),
        }
    };
    let mut tools: BTreeSet<&'static str> = match cx.definition().tools.allowed.names() {
        Some(_) => cx.allowed().flat_map(|(_, meaning)| of(meaning)).collect(),
        None => all().collect(),
    };
    // A call with other arguments than the denied ones is still possible.
    let whole = cx.denied().filter(|(name, _)| !name.value.contains('('));
    whole.flat_map(|(_, meaning)| of(meaning)).for_each(|name| {
        tools.remove(name);
    });
    tools
}

#[cfg(test)]
mod tests {
    use super::SUPPRESSED_APPROVAL;
    use crate::lint::tests::check;

    fn level(keys: &str) -> String {
        let text = format!("---\nagentType: a\napprovalMode: suppress\n{keys}---\nbody\n");
        let found = check(&SUPPRESSED_APPROVAL, "agents/a.md", &text);
        found.split(' ').nth(1).unwrap_or_default().to_owned()
    }

    #[test]
    fn what_is_listed_is_worse_than_what_is_inherited() {
        assert_eq!(level("tools: [Read, Bash]\n"), "error");
        assert_eq!(level("tools: ['*']\n"), "error");
        assert_eq!(level(""), "warning");
    }

    #[test]
    fn agents_that_cannot_change_anything_are_fine() {
        assert_eq!(level("tools: [Read]\n"), "");
        assert_eq!(level("readOnly: true\n"), "");
        let denied = "shell, exec_command, write_file, apply_patch, notebook_edit";
        assert_eq!(level(&format!("disallowedTools: {denied}\n")), "");
    }
}
