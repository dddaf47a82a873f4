//! `--format github`: workflow commands that become annotations on a pull request.

use std::fmt::Write as _;

use super::Report;
use crate::{
    lint::{Finding, Level},
    text::printable,
};

/// The report as workflow commands, one a line.
pub fn findings_github(report: &Report<'_>) -> String {
    let mut out = String::new();
    for finding in report.findings() {
        let command = match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Info => "notice",
        };
        let Finding { path, start, end, rule, .. } = finding;
        // An end column only counts where the end is on the same line.
        let columns = if start.line == end.line && end.column > start.column {
            format!(",col={},endColumn={}", start.column, end.column)
        } else {
            format!(",col={}", start.column)
        };
        let (line, last) = (start.line, end.line);
        let (path, title) = (property(path), property(rule.name));
        let message = data(&message(finding));
        writeln!(
            out,
            "::{command} file={path},line={line},endLine={last}{columns},title={title}::{message}"
        )
        .ok();
    }
    out
}

fn message(finding: &Finding) -> String {
    match &finding.help {
        Some(help) => format!("{}\nhelp: {help}", finding.message),
        None => finding.message.clone(),
    }
}

fn data(text: &str) -> String {
    printable(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
