//! The linter: rules over definitions and over the catalog.
//!
//! Does no input or output and cannot fail. What a host does with a file is decided by its
//! dialect's tables; rules say it to people, and add what no host would notice.

mod cx;
mod finding;
mod fix;
mod keys;
mod landmarks;
mod once;
mod pattern;
mod prose;
mod reading;
mod rule;
pub mod rules;
mod schema;
mod scope;
mod secret;
mod suppress;
mod tool_list;
mod words;

pub use cx::{AgentCx, CatalogCx, Known, closest};
pub use finding::{Edit, Excerpt, Finding, Findings, Fix, Safety};
pub use fix::{FixError, Fixed, apply, mend};
pub use rule::{Check, Level, Rule};
pub use rules::RULES;
pub use suppress::Suppression;

use crate::catalog::{Catalog, File};

/// What the rules say about one file, and what its comments allow.
#[derive(Clone, Debug, Default)]
pub struct FileReport {
    /// The file, as messages call it.
    pub path: String,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What the file's comments allow.
    pub suppressions: Vec<Suppression>,
}

/// Lints one file while its text is there.
pub fn lint_file(file: &File) -> FileReport {
    let mut findings = Findings::default();
    for entry in &file.entries {
        let cx = AgentCx { source: &file.source, document: &file.document, entry };
        for rule in RULES {
            if let Check::Agent(check) = rule.check {
                check(&cx, &mut findings);
            }
        }
    }
    FileReport {
        path: file.source.name().to_owned(),
        findings: findings.located(&file.source),
        suppressions: suppress::suppressions(&file.source, &file.document),
    }
}

/// Lints what can only be seen with every definition in view.
pub fn lint_catalog(catalog: &Catalog, known: &Known) -> Vec<Finding> {
    let cx = CatalogCx { catalog, known };
    let mut findings = Vec::new();
    for rule in RULES {
        if let Check::Catalog(check) = rule.check {
            check(&cx, &mut findings);
        }
    }
    findings
}

/// Takes out what comments allow, and reports comments that allow nothing.
pub fn suppress(reports: &mut [FileReport]) {
    reports.iter_mut().for_each(suppress::apply);
}

#[cfg(test)]
mod tests;
