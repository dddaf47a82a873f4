//! `claimed-source`.

use crate::{
    catalog::Origin,
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports definitions that say where they come from (`source`).
    ///
    /// ## Why is this bad?
    /// The source decides what an agent may do, so it is where the file was found and never what
    /// the file says. A file that claims to be built in asks for tools that only built-in agents
    /// get.
    ///
    /// ## Bad
    /// ```markdown title="agents/reviewer.md"
    /// ---
    /// agentType: reviewer
    /// whenToUse: Reviews a change and lists its defects.
    /// source: builtin
    /// tools: [read_file]
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title="agents/reviewer.md"
    /// ---
    /// agentType: reviewer
    /// whenToUse: Reviews a change and lists its defects.
    /// tools: [read_file]
    /// ---
    /// You review changes.
    /// ```
    pub(super) static CLAIMED_SOURCE = {
        name: "claimed-source",
        summary: "claims to come from somewhere",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let Some(claim) = &cx.definition().behaviour.claimed_source else { return };
    let builtin = Origin::Builtin.name();
    let (level, message) = if claim.value == builtin && cx.entry.origin != Origin::Builtin {
        (Level::Error, "this agent claims to be built in, but it is a file".to_owned())
    } else {
        (Level::Info, format!("`source: {claim}` is not believed: it is where the file was found"))
    };
    findings.report(cx, &CLAIMED_SOURCE, claim.span, message).level(level).help("remove `source`");
}
