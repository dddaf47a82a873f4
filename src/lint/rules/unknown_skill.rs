//! `unknown-skill`.

use crate::lint::{CatalogCx, Check, Finding, Level, cx::closest, rule::declare_rule};

declare_rule! {
    /// ## What it does
    /// Reports skills that a definition loads and that neither the project nor the user has.
    /// Nothing is reported where no skill was found at all.
    ///
    /// ## Why is this bad?
    /// Hosts leave a missing skill out without a message, and the agent works without what it was
    /// meant to know.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// tools: Read, Grep
    /// skills: [review-checklist]
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
    pub(super) static UNKNOWN_SKILL = {
        name: "unknown-skill",
        summary: "loads a skill that does not exist",
        level: Level::Warning,
        check: Check::Catalog(check),
    }
}

fn check(cx: &CatalogCx<'_>, findings: &mut Vec<Finding>) {
    let Some(known) = &cx.known.skills else { return };
    for entry in &cx.catalog.entries {
        for place in &entry.skill_places {
            let name = place.what.as_str();
            // With a plugin in front it is that plugin's, which may be installed anywhere.
            if known.contains(name) || name.contains(':') || name == "*" {
                continue;
            }
            let message = format!("there is no skill `{name}`");
            let at = (place.start, place.end);
            let mut finding = Finding::of_entry(entry, &UNKNOWN_SKILL, at, message);
            finding.help(match closest(name, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "add the skill, or do not load it".to_owned(),
            });
            findings.push(finding);
        }
    }
}
