//! Finds an agent by what people call it.

use super::{Catalog, Entry};

/// There is no such agent; these are called something similar.
#[derive(Debug, PartialEq, Eq)]
pub struct NotFound {
    /// Names worth trying, most similar first.
    pub near: Vec<String>,
}

/// How similar a name must be to be worth mentioning.
const SIMILAR: f64 = 0.7;
/// How many are worth mentioning.
const MOST: usize = 3;

impl Catalog {
    /// The agent called `name`: by its name, by `plugin:name`, or by its name for people.
    pub fn find(&self, name: &str) -> Result<&Entry, NotFound> {
        let visible = || self.entries.iter().filter(|entry| entry.shadowed_by.is_none());
        let display = |entry: &&Entry| {
            entry.definition.display_name.as_ref().is_some_and(|display| display.value == name)
        };
        visible()
            .find(|entry| entry.name() == name)
            .or_else(|| visible().find(|entry| entry.full_name() == name))
            .or_else(|| visible().find(display))
            .ok_or_else(|| self.near(name))
    }

    fn near(&self, name: &str) -> NotFound {
        let wanted = name.to_lowercase();
        let mut scored: Vec<_> = self
            .entries
            .iter()
            .filter(|entry| entry.shadowed_by.is_none())
            .map(|entry| {
                (strsim::jaro_winkler(&wanted, &entry.name().to_lowercase()), entry.name())
            })
            .filter(|(score, _)| *score >= SIMILAR)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        scored.dedup_by(|a, b| a.1 == b.1);
        NotFound { near: scored.into_iter().take(MOST).map(|(_, name)| name.to_owned()).collect() }
    }
}
