//! Findings as text, JSON, SARIF and GitHub annotations.

mod github;
mod json;
mod sarif;
mod text;

pub use github::findings_github;
pub use json::findings_json;
pub use sarif::findings_sarif;
pub use text::{drawn, findings_text};

use serde::Serialize;

use crate::lint::{FileReport, Finding, Level, Safety};

/// Everything a run of the linter has to say.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a>(pub &'a [FileReport]);

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

impl<'a> Report<'a> {
    /// How many files were checked.
    pub fn files(&self) -> usize {
        self.0.len()
    }

    /// The findings, in the order of files and lines.
    pub fn findings(&self) -> impl Iterator<Item = &'a Finding> + use<'a> {
        self.0.iter().flat_map(|report| &report.findings)
    }

    /// The numbers.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for finding in self.findings() {
            match finding.level {
                Level::Error => summary.error += 1,
                Level::Warning => summary.warning += 1,
                Level::Info => summary.info += 1,
            }
        }
        summary
    }

    /// How many can be mended this safely.
    fn fixable(&self, safety: Safety) -> usize {
        let safeties = self.findings().filter_map(|finding| Some(finding.fix.as_ref()?.safety));
        safeties.filter(|found| *found == safety).count()
    }
}
