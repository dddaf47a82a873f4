//! `duplicate-model`.

use crate::lint::{AgentCx, Check, Findings, Level, rule::declare_rule};

declare_rule! {
    /// ## What it does
    /// Reports a model that stands in a list of models more than once.
    ///
    /// ## Why is this bad?
    /// The list is tried from the first to the last. A model that has failed once fails again, and
    /// the entry that was meant to help is not there.
    ///
    /// ## Bad
    /// ```markdown title="agents/reviewer.md"
    /// ---
    /// agentType: reviewer
    /// whenToUse: Reviews a change and lists its defects.
    /// model: [sonnet, openai/gpt-5, sonnet]
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title="agents/reviewer.md"
    /// ---
    /// agentType: reviewer
    /// whenToUse: Reviews a change and lists its defects.
    /// model: [sonnet, openai/gpt-5, haiku]
    /// ---
    /// You review changes.
    /// ```
    pub(super) static DUPLICATE_MODEL = {
        name: "duplicate-model",
        summary: "lists the same model twice",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let chain = &cx.definition().model.chain;
    for (at, name) in chain.iter().enumerate() {
        if chain[..at].iter().any(|other| other.value == name.value) {
            let message = format!("`{name}` is listed before, so this entry is never of use");
            findings.report(cx, &DUPLICATE_MODEL, name.span, message).help("remove it");
        }
    }
}
