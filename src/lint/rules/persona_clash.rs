//! `persona-clash`.

use std::collections::{HashMap, HashSet};

use crate::{
    catalog::Entry,
    lint::{CatalogCx, Check, Finding, Level, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports variants (`agent_names`) that are declared twice in a definition, or that have the
    /// name of another agent.
    ///
    /// ## Why is this bad?
    /// A caller that asks for the name gets one of them, and cannot say which.
    ///
    /// ## Bad
    /// ```markdown title="agents/worker.md"
    /// ---
    /// agentType: coder
    /// whenToUse: Writes code.
    /// tools: [read_file]
    /// agent_names:
    ///   - {name: fast, model: haiku}
    ///   - {name: fast, model: sonnet}
    /// ---
    /// You write code.
    /// ```
    ///
    /// ## Good
    /// ```markdown title="agents/worker.md"
    /// ---
    /// agentType: coder
    /// whenToUse: Writes code.
    /// tools: [read_file]
    /// agent_names:
    ///   - {name: fast, model: haiku}
    ///   - {name: careful, model: sonnet}
    /// ---
    /// You write code.
    /// ```
    pub(super) static PERSONA_CLASH = {
        name: "persona-clash",
        summary: "has a variant whose name something else has",
        level: Level::Warning,
        check: Check::Catalog(check),
    }
}

fn check(cx: &CatalogCx<'_>, findings: &mut Vec<Finding>) {
    let with_personas =
        || cx.catalog.entries.iter().filter(|entry| !entry.persona_places.is_empty());
    if with_personas().next().is_none() {
        return;
    }
    let agents: HashMap<(&str, &str), &Entry> =
        cx.catalog.entries.iter().map(|entry| ((entry.dialect.id, entry.name()), entry)).collect();
    for entry in with_personas() {
        let mut seen = HashSet::new();
        for place in &entry.persona_places {
            let name = place.what.as_str();
            let (message, help) = if !seen.insert(name) {
                (format!("there is already a variant called `{name}`"), "give it another name")
            } else if let Some(other) = agents.get(&(entry.dialect.id, name)) {
                let message =
                    format!("`{name}` is the name of the agent in {}", other.path.display());
                (message, "give the variant another name")
            } else {
                continue;
            };
            let mut finding =
                Finding::of_entry(entry, &PERSONA_CLASH, (place.start, place.end), message);
            finding.help(help);
            findings.push(finding);
        }
    }
}
