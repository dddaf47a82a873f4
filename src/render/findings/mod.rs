//! Findings as text, JSON, SARIF and GitHub annotations.

mod github;
mod json;
mod sarif;
mod text;

pub use github::findings_github;
pub use json::findings_json;
pub use sarif::findings_sarif;
pub use text::findings_text;

use serde::Serialize;

use crate::lint::{Finding, Level, Safety};

/// Everything a run of the linter has to say.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The findings, in the order of files and lines.
    pub findings: &'a [Finding],
    /// How many files were checked.
    pub files: usize,
}

/// How many findings there are of each level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Errors.
    pub error: usize,
    /// Warnings.
    pub warning: usize,
    /// Things worth knowing.
    pub info: usize,
}

impl Report<'_> {
    /// The numbers.
    pub fn summary(&self) -> Summary {
        let count = |level| self.findings.iter().filter(|finding| finding.level == level).count();
        Summary {
            error: count(Level::Error),
            warning: count(Level::Warning),
            info: count(Level::Info),
        }
    }

    /// How many can be mended, at most this unsafely.
    fn fixable(&self, safety: Safety) -> usize {
        let safeties =
            self.findings.iter().filter_map(|finding| Some(finding.fix.as_ref()?.safety));
        safeties.filter(|found| *found == safety).count()
    }
}
