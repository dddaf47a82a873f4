//! `shadowed-agent`.

use std::collections::HashMap;

use crate::{
    catalog::{Entry, Origin},
    dialect::{Duplicates, FaultKind},
    lint::{CatalogCx, Check, Finding, Level, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports agents of the user's home that one of the project hides, and agents that take the
    /// place of one the host brings along.
    ///
    /// ## Why is this bad?
    /// It is often meant, which is why this is a note. When it is not, the agent that answers to
    /// the name is another one than you think.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/explore.md"
    /// ---
    /// name: Explore
    /// description: Finds out how something in the code base works.
    /// tools: Read, Grep
    /// ---
    /// You explore a code base.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/explore.md"
    /// ---
    /// name: code-explorer
    /// description: Finds out how something in the code base works.
    /// tools: Read, Grep
    /// ---
    /// You explore a code base.
    /// ```
    pub(super) static SHADOWED_AGENT = {
        name: "shadowed-agent",
        summary: "hides another agent of the same name, or is hidden by one",
        level: Level::Info,
        check: Check::Catalog(check),
    }
}

fn check(cx: &CatalogCx<'_>, findings: &mut Vec<Finding>) {
    let mut first: HashMap<(&str, String), &Entry> = HashMap::new();
    let files = cx.catalog.entries.iter().filter(|entry| entry.origin != Origin::Builtin);
    for entry in files.filter(|entry| entry.loads() || is_hidden(entry)) {
        let winner = *first.entry((entry.dialect.id, entry.full_name())).or_insert(entry);
        if winner.origin != entry.origin && entry.dialect.duplicates == Duplicates::FirstWins {
            let message = format!(
                "`{}` of the {} is hidden by {}",
                entry.name(),
                entry.origin.name(),
                winner.path.display()
            );
            let help = "give one of them another name if both are needed";
            findings.push(note(entry, message, help));
        }
        built_in(entry, findings);
    }
}

/// Whether all that keeps it from being loaded is another agent of its name.
fn is_hidden(entry: &Entry) -> bool {
    let stops = |fault: &FaultKind| !matches!(fault, FaultKind::Duplicate { .. });
    !entry.faults.iter().any(|fault| !fault.what.outcome.loads() && stops(&fault.what.kind))
}

fn built_in(entry: &Entry, findings: &mut Vec<Finding>) {
    let name = entry.name();
    let host = entry.dialect;
    if host.built_in.contains(&name)
        && host.built_in_can_be_replaced
        && host.duplicates != Duplicates::Unknown
        && entry.plugin.is_none()
    {
        let message = format!("`{name}` takes the place of an agent that {host} brings along");
        findings.push(note(entry, message, "give it another name if that is not meant"));
    }
}

fn note(entry: &Entry, message: String, help: &str) -> Finding {
    let mut finding = Finding::of_entry(entry, &SHADOWED_AGENT, entry.name_place, message);
    finding.help(help);
    finding
}
