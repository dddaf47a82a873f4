//! `bypassed-permissions`.

use crate::{
    dialect::FaultKind,
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports agents whose every action is allowed without asking.
    ///
    /// ## Why is this bad?
    /// Whoever starts the agent is no longer asked before it runs commands or changes files, and
    /// neither is anyone who copies the file.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/releaser.md"
    /// ---
    /// name: releaser
    /// description: Publishes a release.
    /// tools: Read, Bash
    /// permissionMode: bypassPermissions
    /// ---
    /// You publish releases.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/releaser.md"
    /// ---
    /// name: releaser
    /// description: Publishes a release.
    /// tools: Read, Bash
    /// permissionMode: acceptEdits
    /// ---
    /// You publish releases.
    /// ```
    pub(super) static BYPASSED_PERMISSIONS = {
        name: "bypassed-permissions",
        summary: "may do everything without anyone being asked",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

/// What hosts call it.
const NOBODY_IS_ASKED: &[&str] = &["bypassPermissions", "yolo"];

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let mode = cx.definition().behaviour.approval_mode.as_ref();
    let Some(mode) = mode.filter(|mode| NOBODY_IS_ASKED.contains(&mode.value.as_str())) else {
        return;
    };
    let key = cx.definition().fields.iter().find(|field| field.value == mode.span);
    // A host that does not obey the key is told of by what reports such keys.
    let ignored = cx.faults().any(|fault| {
        matches!(fault.kind, FaultKind::NoEffect { .. })
            && key.is_some_and(|field| field.key == fault.span)
    });
    if ignored {
        return;
    }
    let message = format!("with `{mode}` nobody is asked before this agent does something");
    let finding = findings.report(cx, &BYPASSED_PERMISSIONS, mode.span, message);
    finding.help("leave the mode to whoever starts the agent");
}

#[cfg(test)]
mod tests {
    use super::BYPASSED_PERMISSIONS;
    use crate::lint::tests::check;

    #[test]
    fn only_where_the_host_obeys_it() {
        let text = "---\nname: a\ndescription: b\npermissionMode: bypassPermissions\n---\nbody\n";
        assert!(check(&BYPASSED_PERMISSIONS, ".claude/agents/a.md", text).starts_with("4:17"));
        assert_eq!(check(&BYPASSED_PERMISSIONS, "plugins/x/agents/a.md", text), "");
        assert_eq!(check(&BYPASSED_PERMISSIONS, ".goose/agents/a.md", text), "");
    }
}
