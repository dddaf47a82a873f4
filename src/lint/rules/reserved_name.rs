//! `reserved-name`.

use crate::{
    dialect::FaultKind,
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports agents that are called like an agent the host brings itself and does not let
    /// anyone replace.
    ///
    /// ## Why is this bad?
    /// The built-in agent wins. Whoever calls this one gets the other, with other tools and
    /// another prompt.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/generalist.md"
    /// ---
    /// name: generalist
    /// description: Does what nobody else does.
    /// ---
    /// You do what nobody else does.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/house-generalist.md"
    /// ---
    /// name: house-generalist
    /// description: Does what nobody else does.
    /// ---
    /// You do what nobody else does.
    /// ```
    pub(super) static RESERVED_NAME = {
        name: "reserved-name",
        summary: "has the name of a built-in agent",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    for fault in cx.faults() {
        if let FaultKind::BuiltInName { name, .. } = &fault.kind {
            let what = format!("`{name}` is the name of a built-in agent that cannot be replaced");
            cx.report_fact(findings, &RESERVED_NAME, fault.span, fault.fact(), &what)
                .help("call it something else");
        }
    }
}
