//! `unknown-agent`.

use std::collections::{HashMap, HashSet};

use crate::{
    catalog::{Entry, Origin},
    dialect::Layout,
    lint::{CatalogCx, Check, Finding, Level, cx::closest, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports agents that a definition hands work to and that are not there. Where a file holds
    /// several agents they must be in the same file; otherwise they are looked for among all
    /// files that were read, if there were several.
    ///
    /// ## Why is this bad?
    /// The hand-over fails in the middle of the work, or the host refuses the whole file.
    ///
    /// ## Bad
    /// ```yaml title="team.yaml"
    /// version: "2"
    /// agents:
    ///   root:
    ///     model: openai/gpt-5
    ///     description: Answers questions about the project.
    ///     instruction: You answer questions.
    ///     sub_agents: [reseacher]
    ///   researcher:
    ///     model: openai/gpt-5
    ///     description: Looks things up.
    ///     instruction: You look things up.
    /// ```
    ///
    /// ## Good
    /// ```yaml title="team.yaml"
    /// version: "2"
    /// agents:
    ///   root:
    ///     model: openai/gpt-5
    ///     description: Answers questions about the project.
    ///     instruction: You answer questions.
    ///     sub_agents: [researcher]
    ///   researcher:
    ///     model: openai/gpt-5
    ///     description: Looks things up.
    ///     instruction: You look things up.
    /// ```
    pub(super) static UNKNOWN_AGENT = {
        name: "unknown-agent",
        summary: "hands work to an agent that does not exist",
        level: Level::Error,
        check: Check::Catalog(check),
    }
}

fn check(cx: &CatalogCx<'_>, findings: &mut Vec<Finding>) {
    let entries = &cx.catalog.entries;
    let naming = || entries.iter().filter(|entry| !entry.agent_places.is_empty());
    if naming().next().is_none() {
        return;
    }
    let mut in_file: HashMap<_, Vec<&str>> = HashMap::new();
    for entry in entries {
        in_file.entry((&entry.path, entry.dialect.id)).or_default().push(entry.name());
    }
    let files = entries.iter().filter(|entry| entry.origin != Origin::Builtin);
    let several = files.map(|entry| &entry.path).collect::<HashSet<_>>().len() > 1;
    let several = several && !cx.known.partial;
    let everywhere: HashSet<String> = entries.iter().flat_map(names).collect();
    for entry in naming() {
        match entry.form.layout {
            Layout::Keyed { .. } => {
                let siblings = in_file.get(&(&entry.path, entry.dialect.id));
                same_file(entry, siblings.map(Vec::as_slice).unwrap_or_default(), findings);
            }
            Layout::One | Layout::OneOrList if several => among(entry, &everywhere, findings),
            Layout::One | Layout::OneOrList => {}
            // Such files name others by their path, and call them what they like.
            Layout::Wrapped(_) => {}
        }
    }
}

/// What an agent can be called.
fn names(entry: &Entry) -> impl Iterator<Item = String> {
    let display = entry.definition.display_name.as_ref().map(|name| name.value.as_str());
    let name = [Some(entry.name()), display].into_iter().flatten();
    name.map(str::to_lowercase).chain([entry.full_name().to_lowercase()])
}

/// The host refuses a file that names an agent it does not have.
fn same_file(entry: &Entry, siblings: &[&str], findings: &mut Vec<Finding>) {
    for place in &entry.agent_places {
        let name = place.what.as_str();
        // Agents from a registry or from the network.
        if siblings.contains(&name) || name.contains(['/', ':']) {
            continue;
        }
        let message = format!("there is no agent `{name}` in this file");
        let at = (place.start, place.end);
        let mut finding = Finding::of_entry(entry, &UNKNOWN_AGENT, at, message);
        finding.help(match closest(name, siblings.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("add `{name}` below `agents`, or do not name it"),
        });
        findings.push(finding);
    }
}

fn among(entry: &Entry, everywhere: &HashSet<String>, findings: &mut Vec<Finding>) {
    for place in &entry.agent_places {
        let written = place.what.trim();
        let name = written.strip_suffix(".agent.md").unwrap_or(written).to_lowercase();
        let brought = entry.dialect.built_in.iter().any(|known| known.eq_ignore_ascii_case(&name));
        if name.is_empty() || name == "*" || brought || everywhere.contains(&name) {
            continue;
        }
        let message = format!("no agent that was found is called `{written}`");
        let at = (place.start, place.end);
        let mut finding = Finding::of_entry(entry, &UNKNOWN_AGENT, at, message);
        finding.level(Level::Warning);
        finding.help(match closest(&name, everywhere.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "name an agent that exists".to_owned(),
        });
        findings.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use crate::lint::tests::lint;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let all = lint(&files);
        let mine = all.iter().filter(|finding| finding.rule.name == "unknown-agent");
        mine.map(|finding| format!("{} {}", finding.level.name(), finding.message)).collect()
    }

    #[test]
    fn external_agents_need_not_be_in_the_file() {
        let text =
            "agents:\n  root:\n    model: auto\n    sub_agents: [agentcatalog/pirate, 'x:1', no]\n";
        assert_eq!(findings(&[("a.yaml", text)]), ["error there is no agent `no` in this file"]);
    }

    #[test]
    fn names_for_people_and_built_in_agents_are_known() {
        let plan = "---\nname: The Planner\ndescription: d\n---\nbody\n";
        let text = "---\ndescription: d\nhandoffs:\n  - {label: x, agent: the planner}\n  - {label: x, agent: planner}\n  - {label: x, agent: agent}\n  - {label: x, agent: nobody}\n---\nbody\n";
        let files =
            [(".github/agents/planner.agent.md", plan), (".github/agents/a.agent.md", text)];
        assert_eq!(findings(&files), ["warning no agent that was found is called `nobody`"]);
        assert!(findings(&files[1..]).is_empty());
    }
}
