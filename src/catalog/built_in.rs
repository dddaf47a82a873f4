//! The agents that come with agentctl: the files of `agents/`, embedded.

/// File names and texts.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("Explore.md", include_str!("../../agents/Explore.md")),
    ("Plan.md", include_str!("../../agents/Plan.md")),
    ("default.md", include_str!("../../agents/default.md")),
    ("explorer.md", include_str!("../../agents/explorer.md")),
    ("orchestrator.md", include_str!("../../agents/orchestrator.md")),
    ("worker.md", include_str!("../../agents/worker.md")),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_file_in_agents_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/agents");
        let files = std::fs::read_dir(folder).unwrap();
        let names: BTreeSet<_> =
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        let embedded: BTreeSet<_> = BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(names, embedded);
    }

    #[test]
    fn the_dialect_knows_their_names() {
        let names: Vec<_> =
            BUILT_IN.iter().map(|(file, _)| file.strip_suffix(".md").unwrap()).collect();
        assert_eq!(crate::dialect::dialect("agentctl").unwrap().built_in, names);
    }
}
