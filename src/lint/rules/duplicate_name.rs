//! `duplicate-name`.

use std::{collections::HashMap, path::PathBuf};

use crate::{
    catalog::{Entry, Origin},
    dialect::Duplicates,
    lint::{CatalogCx, Check, Finding, Level, rule::declare_rule, scope::scope},
};

declare_rule! {
    /// ## What it does
    /// Reports agents of one host and one folder of agents that have the same name.
    ///
    /// ## Why is this bad?
    /// The host takes one of them, and which one is seldom written down. The other is there and
    /// never used. Agents of different plugins, or of different projects below one folder, do not
    /// meet and are not reported.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// tools: Read, Grep
    /// ---
    /// You review changes.
    /// ```
    /// ```markdown title=".claude/agents/quality/review.md"
    /// ---
    /// name: reviewer
    /// description: Reviews the wording of the documentation.
    /// tools: Read, Grep
    /// ---
    /// You review documentation.
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
    /// ```markdown title=".claude/agents/quality/review.md"
    /// ---
    /// name: documentation-reviewer
    /// description: Reviews the wording of the documentation.
    /// tools: Read, Grep
    /// ---
    /// You review documentation.
    /// ```
    pub(super) static DUPLICATE_NAME = {
        name: "duplicate-name",
        summary: "has the name of another agent in the same place",
        level: Level::Warning,
        check: Check::Catalog(check),
    }
}

/// Agents that meet in a host.
type Meeting = (&'static str, Origin, PathBuf, String);

fn check(cx: &CatalogCx<'_>, findings: &mut Vec<Finding>) {
    let mut first: HashMap<Meeting, &Entry> = HashMap::new();
    for entry in cx.catalog.entries.iter().filter(|entry| entry.loads()) {
        let meeting = (entry.dialect.id, entry.origin, scope(entry), entry.full_name());
        let other = *first.entry(meeting).or_insert(entry);
        if other.path == entry.path {
            continue;
        }
        let (host, path) = (entry.dialect.host, other.path.display());
        let what = match entry.dialect.duplicates {
            Duplicates::FirstWins | Duplicates::LastWins => {
                format!("and {host} loads only one of them")
            }
            Duplicates::Unknown => format!("and which one {host} loads is not documented"),
            // Laying one over the other is what such files are for, or files do not meet at all.
            Duplicates::Merge | Duplicates::Refused => continue,
        };
        let message = format!("`{}` is also defined in {path}, {what}", entry.name());
        let mut finding = Finding::of_entry(entry, &DUPLICATE_NAME, entry.name_place, message);
        finding.help("give one of them another name, or remove it");
        findings.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use crate::lint::tests::lint;

    fn duplicates(paths: &[&str]) -> usize {
        let text = "---\nname: a\ndescription: b\n---\nbody\n";
        let files: Vec<_> =
            paths.iter().map(|path| ((*path).to_owned(), text.to_owned())).collect();
        lint(&files).iter().filter(|finding| finding.rule.name == "duplicate-name").count()
    }

    #[test]
    fn only_agents_that_meet_are_duplicates() {
        assert_eq!(duplicates(&[".claude/agents/a.md", ".claude/agents/x/b.md"]), 1);
        assert_eq!(duplicates(&["one/.claude/agents/a.md", "two/.claude/agents/a.md"]), 0);
        assert_eq!(duplicates(&["plugins/x/agents/a.md", "plugins/y/agents/a.md"]), 0);
        assert_eq!(duplicates(&["categories/x/a.md", "categories/y/a.md"]), 1);
        assert_eq!(duplicates(&["x/agents/a.md", "y/agents/a.md"]), 0);
        assert_eq!(duplicates(&[".claude/agents/a.md", "agents/a.md"]), 0);
        assert_eq!(duplicates(&[".claude/agents/a.md", ".goose/agents/a.md"]), 0);
    }
}
