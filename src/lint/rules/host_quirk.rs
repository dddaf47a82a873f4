//! `host-quirk`.

use crate::{
    dialect::FaultKind,
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports what a single host minds: a description that is too long for Factory, a remote
    /// Gemini agent without an agent card, `hooks: []` in Claude Code.
    ///
    /// ## Why is this bad?
    /// The file looks right and is read by every other host, but not by the one it was written
    /// for.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/remote.md"
    /// ---
    /// kind: remote
    /// name: remote
    /// agent_card_url: https://example.com/card
    /// agent_card_json: '{}'
    /// ---
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/remote.md"
    /// ---
    /// kind: remote
    /// name: remote
    /// agent_card_url: https://example.com/card
    /// ---
    /// ```
    pub(super) static HOST_QUIRK = {
        name: "host-quirk",
        summary: "does something that only its host minds",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    for fault in cx.faults() {
        if let FaultKind::Other { remedy, .. } = fault.kind {
            cx.report_fault(findings, &HOST_QUIRK, fault).help(remedy);
        }
    }
}
