//! `--format json`: one object, also when there is nothing to say.

use serde_json::{Value, json};

use super::Report;
use crate::lint::{Finding, Fix};

/// The report as JSON.
pub fn findings_json(report: &Report<'_>) -> Value {
    json!({
        "version": 1,
        "files": report.files,
        "summary": report.summary(),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule.name,
        "severity": finding.level,
        "path": finding.path,
        "agent": finding.agent,
        "start": finding.start,
        "end": finding.end,
        "message": finding.message,
        "help": finding.help,
        "hosts": finding.hosts,
        "fix": finding.fix.as_ref().map(fix),
    })
}

fn fix(fix: &Fix) -> Value {
    let edit = |edit: &crate::lint::Edit| json!({ "start": edit.span.start, "end": edit.span.end, "text": edit.text });
    json!({
        "safety": fix.safety,
        "title": fix.title,
        "edits": fix.edits.iter().map(edit).collect::<Vec<_>>(),
    })
}
