//! `ignored-field`.

use crate::{
    dialect::FaultKind,
    lint::{
        AgentCx, Check, Findings, Level,
        rule::declare_rule,
        words::{counted, listed},
    },
};

declare_rule! {
    /// ## What it does
    /// Reports keys that the host knows, reads and does nothing with.
    ///
    /// ## Why is this bad?
    /// A sandbox or a permission mode that is written down and not applied is worse than none: it
    /// looks as if the agent were restricted.
    ///
    /// ## Bad
    /// ```toml title=".codex/agents/reviewer.toml"
    /// name = "reviewer"
    /// description = "Reviews a change."
    /// developer_instructions = "You review changes."
    /// sandbox_mode = "read-only"
    /// ```
    ///
    /// ## Good
    /// ```toml title=".codex/agents/reviewer.toml"
    /// name = "reviewer"
    /// description = "Reviews a change."
    /// developer_instructions = "You review changes."
    /// ```
    pub(super) static IGNORED_FIELD = {
        name: "ignored-field",
        summary: "sets a key that the host does not apply",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let ignored: Vec<_> = cx
        .faults()
        .filter_map(|fault| match &fault.kind {
            FaultKind::NoEffect { path, why } => Some((path.as_str(), *why, fault.span)),
            _ => None,
        })
        .collect();
    let Some((_, why, span)) = ignored.first() else { return };
    let have = counted(ignored.len(), "has", "have");
    let names = listed(ignored.iter().map(|(path, ..)| *path));
    let message = format!("{names} {have} no effect in {}: {why}", cx.host());
    findings.report(cx, &IGNORED_FIELD, *span, message).help(format!(
        "remove {}, and do not rely on {}",
        counted(ignored.len(), "it", "them"),
        counted(ignored.len(), "it", "them")
    ));
}

#[cfg(test)]
mod tests {
    use super::IGNORED_FIELD;
    use crate::lint::tests::check;

    #[test]
    fn all_keys_of_an_agent_are_one_finding() {
        let text = "---\nname: a\ndescription: b\nhooks: {}\npermissionMode: plan\n---\nbody\n";
        insta::assert_snapshot!(check(&IGNORED_FIELD, "plugins/x/agents/a.md", text), @"
        4:1 warning `hooks` and `permissionMode` have no effect in Claude Code: plugin agents cannot have it
          help: remove them, and do not rely on them
        ");
    }
}
