//! What was typed before.

use super::Line;

/// How many texts are remembered.
pub(in crate::cli::chat) const MAX_ENTRIES: usize = 1_000;

/// Texts that were sent, the newest last.
#[derive(Debug, Default)]
pub(in crate::cli::chat) struct History {
    entries: Vec<String>,
    /// Which of them is shown.
    at: Option<usize>,
    /// What was being typed before.
    draft: String,
}

impl History {
    /// With these texts.
    pub fn of(entries: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { entries: entries.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Remembers `text`. Whether it is not the same as the last one.
    pub fn add(&mut self, text: &str) -> bool {
        if self.entries.last().is_some_and(|last| last == text) {
            return false;
        }
        if self.entries.len() == MAX_ENTRIES {
            self.entries.remove(0);
        }
        self.entries.push(text.to_owned());
        true
    }

    /// Shows the text before the one that is shown.
    pub(super) fn back(&mut self, line: &mut Line) {
        let before = self.at.unwrap_or(self.entries.len()).checked_sub(1);
        let Some(entry) = before.and_then(|at| self.entries.get(at)) else { return };
        let shown = line.replace(entry.clone());
        if self.at.is_none() {
            self.draft = shown;
        }
        self.at = before;
    }

    /// Shows the text after the one that is shown; after the last comes what was being typed.
    pub(super) fn forth(&mut self, line: &mut Line) {
        let Some(at) = self.at else { return };
        match self.entries.get(at + 1) {
            Some(entry) => {
                line.replace(entry.clone());
                self.at = Some(at + 1);
            }
            None => {
                line.replace(std::mem::take(&mut self.draft));
                self.at = None;
            }
        }
    }

    /// None of them is shown any more.
    pub fn rest(&mut self) {
        self.at = None;
        self.draft.clear();
    }
}
