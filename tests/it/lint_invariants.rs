//! What reading, linting and mending promise whatever the file is; shared by the property tests and
//! the fuzz targets.

use std::path::Path;

use agentctl::{
    catalog::{File, Origin},
    document::{self, Format},
    lint::{self, Fix, Safety},
    text::{Source, Span},
};

/// Where a file may lie: every host once.
pub const PATHS: &[&str] = &[
    ".claude/agents/a.md",
    ".gemini/agents/a.md",
    ".codex/agents/a.toml",
    ".github/agents/a.agent.md",
    ".opencode/agent/a.md",
    ".qwen/agents/a.md",
    ".goose/agents/a.md",
    ".goose/recipes/a.yaml",
    ".factory/droids/a.md",
    ".cursor/agents/a.md",
    ".kiro/agents/a.json",
    "plugins/p/agents/a.md",
    "templates/agents/a.md",
    "agents/a.md",
    "agents/a.yaml",
    "opencode.json",
    ".codex/config.toml",
    "team.yaml",
];

/// Reads `bytes` as the file at `path`; every place in what comes out must be in the text.
pub fn check_reading(path: &str, bytes: &[u8]) {
    let file = File::new(Path::new(path), bytes.to_vec(), Origin::Project, &[]);
    let text = file.source.text();
    let inside = |span: Span, what: &str| {
        assert!(
            text.get(span.range()).is_some(),
            "{path}: {what} at {span:?} is no part of the text"
        );
    };
    for entry in &file.entries {
        assert!(!entry.name().is_empty(), "{path}: an agent has no name");
        entry.faults.iter().for_each(|fault| inside(fault.what.span, "a fault"));
        for field in &entry.definition.fields {
            inside(field.key, "a key");
            inside(field.value, "a value");
        }
        let tools = &entry.definition.tools;
        let names = tools.allowed.names().unwrap_or_default().iter().chain(&tools.denied);
        names.for_each(|name| inside(name.span, "a tool"));
    }
    for finding in lint::lint_file(&file).findings {
        inside(finding.span, finding.rule.name);
        assert!(finding.start <= finding.end, "{path}: {} is inverted", finding.rule.name);
        for edit in finding.fix.iter().flat_map(|fix| &fix.edits) {
            inside(edit.span, "an edit");
        }
    }
}

/// Mends `bytes`, safely and unsafely: it must not get worse, keep every byte outside of the edits,
/// and come to an end.
pub fn check_mending(path: &str, bytes: &[u8]) {
    let source = Source::new(path, bytes.to_vec());
    let format = Format::of_path(Path::new(path)).unwrap();
    for most in [Safety::Safe, Safety::Unsafe] {
        let fixes = |text: &str| fixes(path, text, most);
        for fix in fixes(source.text()) {
            check_bytes(&source, format, &fix);
        }
        let once = lint::mend(&source, format, fixes);
        assert!(malformed(&once, format) <= malformed(source.text(), format), "{path}: {once:?}");
        if source.problem().is_some() {
            // Nothing was written, so there is nothing to mend again.
            assert_eq!(once, source.text());
            continue;
        }
        let again = lint::mend(&Source::new(path, once.clone().into_bytes()), format, fixes);
        assert_eq!(again, once, "{path}: mending again changes it");
    }
}

fn fixes(path: &str, text: &str, most: Safety) -> Vec<Fix> {
    let file = File::new(Path::new(path), text.as_bytes().to_vec(), Origin::Project, &[]);
    let findings = lint::lint_file(&file).findings;
    findings
        .into_iter()
        .filter_map(|finding| finding.fix)
        .filter(|fix| fix.safety <= most)
        .collect()
}

/// Outside of its edits, a fix changes nothing.
fn check_bytes(source: &Source, format: Format, fix: &Fix) {
    let fixed = lint::apply(source, format, &[fix]);
    if fixed.applied == 0 {
        return assert_eq!(fixed.text, source.text());
    }
    let first = fix.edits.iter().map(|edit| edit.span.start).min().unwrap() as usize;
    let last = fix.edits.iter().map(|edit| edit.span.end).max().unwrap() as usize;
    assert!(fixed.text.starts_with(&source.text()[..first]));
    assert!(fixed.text.ends_with(&source.text()[last..]));
}

fn malformed(text: &str, format: Format) -> usize {
    let (_, problems) = document::parse(&Source::new("", text.as_bytes().to_vec()), format);
    problems.iter().filter(|problem| problem.kind.is_malformed()).count()
}
