//! A quick look for strings without which a rule has nothing to do.
//!
//! Rules that read whole texts look here first: most files hold nothing of what they look for, and
//! finding that out costs a fraction of reading every character.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Strings to look for; made on first use.
pub struct Landmarks(LazyLock<Option<AhoCorasick>>);

impl Landmarks {
    /// Looks for what `strings` gives.
    pub const fn new(strings: fn() -> Option<AhoCorasick>) -> Self {
        Self(LazyLock::new(strings))
    }

    /// Whether `text` holds any of them.
    pub fn any(&self, text: &str) -> bool {
        // Without a searcher everything has to be looked at.
        self.0.as_ref().is_none_or(|searcher| searcher.is_match(text))
    }

    /// Where they stand, without overlaps.
    pub fn positions<'t>(&'t self, text: &'t str) -> impl Iterator<Item = usize> + 't {
        let searcher = self.0.as_ref().into_iter();
        searcher.flat_map(move |searcher| searcher.find_iter(text)).map(|found| found.start())
    }
}

/// A searcher for `strings`; the earliest and of those the first counts.
pub fn searcher<P: AsRef<[u8]>>(strings: impl IntoIterator<Item = P>) -> Option<AhoCorasick> {
    AhoCorasick::builder().match_kind(aho_corasick::MatchKind::LeftmostFirst).build(strings).ok()
}
