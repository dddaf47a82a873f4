//! `unreachable-model`.

use crate::lint::{AgentCx, Check, Findings, Level, rule::declare_rule};

declare_rule! {
    /// ## What it does
    /// Reports models that are listed after `offline` or `inherit`.
    ///
    /// ## Why is this bad?
    /// The next model of a list is tried only when the one before cannot be used. `offline` can
    /// always be used, and `inherit` hands the choice to the caller, so what follows is never
    /// reached.
    ///
    /// ## Bad
    /// ```markdown title="agents/finder.md"
    /// ---
    /// agentType: finder
    /// whenToUse: Finds where something is defined.
    /// tools: [grep_files, read_file]
    /// model: [offline, haiku]
    /// ---
    /// You find definitions.
    /// ```
    ///
    /// ## Good
    /// ```markdown title="agents/finder.md"
    /// ---
    /// agentType: finder
    /// whenToUse: Finds where something is defined.
    /// tools: [grep_files, read_file]
    /// model: [haiku, offline]
    /// ---
    /// You find definitions.
    /// ```
    pub(super) static UNREACHABLE_MODEL = {
        name: "unreachable-model",
        summary: "lists a model after one that is always taken",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let always = cx.dialect().models.never_fail;
    let chain = &cx.definition().model.chain;
    let Some(at) = chain.iter().position(|name| always.contains(&name.value.as_str())) else {
        return;
    };
    let (Some(first), Some(last)) = (chain.get(at + 1), chain.last()) else { return };
    let taken = &chain[at];
    let message = if chain.len() == at + 2 {
        format!("`{first}` is never tried: `{taken}` before it is always taken")
    } else {
        format!("`{first}` to `{last}` are never tried: `{taken}` before them is always taken")
    };
    findings
        .report(cx, &UNREACHABLE_MODEL, first.span, message)
        .help(format!("put `{taken}` last"));
}
