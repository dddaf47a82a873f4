//! `--format sarif`: SARIF 2.1.0, for code-scanning services.

use serde_json::{Value, json};

use super::Report;
use crate::lint::{Edit, Finding, Fix, Level, RULES, Rule};

/// The report as a SARIF log with one run.
pub fn findings_sarif(report: &Report<'_>) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "agentctl",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": RULES.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": report.findings().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn descriptor(rule: &Rule) -> Value {
    let docs = rule.docs.lines().map(|line| line.strip_prefix(' ').unwrap_or(line));
    let markdown = docs.collect::<Vec<_>>().join("\n");
    json!({
        "id": rule.name,
        "shortDescription": { "text": rule.summary },
        "help": { "text": markdown, "markdown": markdown },
        "defaultConfiguration": { "level": level(rule.level), "enabled": rule.level > Level::Info },
    })
}

fn result(finding: &Finding) -> Value {
    let index = RULES.iter().position(|rule| rule.name == finding.rule.name);
    let text = match &finding.help {
        Some(help) => format!("{}; {help}", finding.message),
        None => finding.message.clone(),
    };
    let mut result = json!({
        "ruleId": finding.rule.name,
        "ruleIndex": index,
        "level": level(finding.level),
        "message": { "text": text },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&finding.path) },
                "region": {
                    "startLine": finding.start.line,
                    "startColumn": finding.start.column,
                    "endLine": finding.end.line,
                    "endColumn": finding.end.column,
                    "byteOffset": finding.span.start,
                    "byteLength": finding.span.len(),
                },
            },
            "logicalLocations": [{ "name": finding.agent, "kind": "object" }],
        }],
        "partialFingerprints": { "agentctl/v1": format!("{:016x}", finding.fingerprint()) },
        "properties": { "hosts": finding.hosts },
    });
    if let (Some(result), Some(mend)) = (result.as_object_mut(), &finding.fix) {
        result.insert("fixes".to_owned(), json!([fix(&finding.path, mend)]));
    }
    result
}

fn fix(path: &str, fix: &Fix) -> Value {
    let replacement = |edit: &Edit| {
        json!({
            "deletedRegion": { "byteOffset": edit.span.start, "byteLength": edit.span.len() },
            "insertedContent": { "text": edit.text },
        })
    };
    json!({
        "description": { "text": fix.title },
        "artifactChanges": [{
            "artifactLocation": { "uri": uri(path) },
            "replacements": fix.edits.iter().map(replacement).collect::<Vec<_>>(),
        }],
    })
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "note",
    }
}

/// A path as a URI reference: `/` between folders, anything unusual escaped.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            b'\\' => uri.push('/'),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
