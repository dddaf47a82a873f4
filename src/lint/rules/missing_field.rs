//! `missing-field`.

use crate::{
    dialect::FaultKind,
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports keys that the host insists on and that are not there.
    ///
    /// ## Why is this bad?
    /// Most hosts leave such an agent out without a message; as a plugin, Claude Code loads it
    /// under its file name with every tool.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// tools: Read, Grep
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
    pub(super) static MISSING_FIELD = {
        name: "missing-field",
        summary: "lacks a key that the host insists on",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    for fault in cx.faults() {
        if let FaultKind::Missing { key, .. } = fault.kind {
            cx.report_fault(findings, &MISSING_FIELD, fault).help(format!("add `{key}`"));
        }
    }
}
