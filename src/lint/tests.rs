//! What every rule must satisfy.

use std::{collections::BTreeSet, path::Path};

use super::*;
use crate::catalog::Origin;

/// The files of an example: fenced blocks with a `title`.
fn files(docs: &str, heading: &str) -> Vec<(String, String)> {
    let section = docs.split(&format!("## {heading}\n")).nth(1).unwrap_or_default();
    let section = section.split("\n ## ").next().unwrap_or_default();
    let lines = section.lines().map(|line| line.strip_prefix(' ').unwrap_or(line));
    let mut files = Vec::new();
    let mut open: Option<(String, String, String)> = None;
    for line in lines {
        match &mut open {
            None => {
                let ticks: String = line.chars().take_while(|c| *c == '`').collect();
                if ticks.len() >= 3 {
                    let title =
                        line.split("title=\"").nth(1).and_then(|rest| rest.split('"').next());
                    open = Some((ticks, title.unwrap_or_default().to_owned(), String::new()));
                }
            }
            Some((ticks, title, text)) => {
                if line == ticks {
                    files.push((std::mem::take(title), std::mem::take(text)));
                    open = None;
                } else {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    files
}

/// Everything the linter says about some files, with comments applied.
pub(super) fn lint(files: &[(String, String)]) -> Vec<Finding> {
    let mut catalog = Catalog::default();
    let mut reports = Vec::new();
    for (path, text) in files {
        let file = File::new(Path::new(path), text.as_bytes().to_vec(), Origin::Project, &[]);
        reports.push(lint_file(&file));
        catalog.entries.extend(file.entries);
    }
    catalog.mark_shadows();
    let known =
        Known { skills: Some(BTreeSet::new()), mcp_servers: Some(BTreeSet::new()), partial: false };
    for finding in lint_catalog(&catalog, &known) {
        let report = reports.iter_mut().find(|report| report.path == finding.path).unwrap();
        report.findings.push(finding);
    }
    suppress(&mut reports);
    reports.into_iter().flat_map(|report| report.findings).collect()
}

/// The findings of one rule in one file, as `line:column level message`, with help and fixed text.
pub(super) fn check(rule: &Rule, path: &str, text: &str) -> String {
    let mut out = String::new();
    for finding in lint(&[(path.to_owned(), text.to_owned())]) {
        if finding.rule.name != rule.name {
            continue;
        }
        let (line, column) = (finding.start.line, finding.start.column);
        out.push_str(&format!("{line}:{column} {} {}\n", finding.level.name(), finding.message));
        if let Some(help) = &finding.help {
            out.push_str(&format!("  help: {help}\n"));
        }
        if let Some(fix) = &finding.fix {
            let source = crate::text::Source::new(path, text.as_bytes().to_vec());
            let format = crate::document::Format::of_path(Path::new(path)).unwrap();
            let fixed = apply(&source, format, &[fix]);
            assert_eq!(fixed.refused, [], "the fix of {} was refused", rule.name);
            out.push_str(&format!("  fix ({:?}): {}\n", fix.safety, fix.title));
            let changed = fixed.text.lines().filter(|line| !text.lines().any(|old| old == *line));
            changed.for_each(|line| out.push_str(&format!("    {line}\n")));
        }
    }
    out
}

/// [`check`] of a definition whose result has this JSON Schema.
pub(super) fn check_schema(rule: &Rule, schema: &str) -> String {
    let head = "agentType: a\nwhenToUse: b\npromptConfig: {systemPrompt: c}\noutputConfig:\n  \
                outputName: r\n  description: d\n  schema: ";
    check(rule, "agents/a.yaml", &format!("{head}{schema}\n"))
}

#[test]
fn names_are_unique_sorted_and_kebab_case() {
    let names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
    let sorted: BTreeSet<_> = names.iter().copied().collect();
    assert_eq!(names, sorted.into_iter().collect::<Vec<_>>());
    for name in names {
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
    }
}

#[test]
fn every_rule_is_documented_and_its_examples_behave_as_documented() {
    for rule in RULES {
        for heading in ["What it does", "Why is this bad?"] {
            assert!(rule.docs.contains(&format!(" ## {heading}\n")), "{}: no {heading}", rule.name);
        }
        let fires = |heading| {
            let files = files(rule.docs, heading);
            assert!(!files.is_empty(), "{}: no example under {heading}", rule.name);
            assert!(
                files.iter().all(|(path, _)| !path.is_empty()),
                "{}: an example has no title",
                rule.name
            );
            lint(&files).iter().any(|finding| finding.rule.name == rule.name)
        };
        assert!(fires("Bad"), "{}: the bad example is accepted", rule.name);
        assert!(!fires("Good"), "{}: the good example is reported", rule.name);
    }
}

#[test]
fn good_examples_break_no_other_rule_badly() {
    for rule in RULES {
        let findings = lint(&files(rule.docs, "Good"));
        let errors: Vec<_> =
            findings.iter().filter(|finding| finding.level == Level::Error).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", rule.name);
    }
}

#[test]
fn messages_are_clauses_that_point_somewhere() {
    let hosts: Vec<_> = crate::dialect::DIALECTS.iter().map(|dialect| dialect.host).collect();
    for rule in RULES {
        let files = files(rule.docs, "Bad");
        for finding in lint(&files) {
            let message = &finding.message;
            assert!(!message.ends_with(['.', '!']), "{}: {message}", finding.rule.name);
            // Only names start with a capital.
            let named =
                hosts.iter().any(|host| message.starts_with(host)) || message.starts_with("U+");
            assert!(
                named || !message.starts_with(char::is_uppercase),
                "{}: {message}",
                finding.rule.name
            );
            let (_, text) = files.iter().find(|(path, _)| *path == finding.path).unwrap();
            assert!(text.get(finding.span.range()).is_some(), "{}: {message}", finding.rule.name);
        }
    }
}

#[test]
fn every_fix_of_an_example_can_be_applied_and_ends_the_finding() {
    for rule in RULES {
        let files = files(rule.docs, "Bad");
        for finding in lint(&files) {
            let Some(fix) = &finding.fix else { continue };
            let (path, text) = files.iter().find(|(path, _)| *path == finding.path).unwrap();
            let source = crate::text::Source::new(path.as_str(), text.as_bytes().to_vec());
            let format = crate::document::Format::of_path(Path::new(path)).unwrap();
            let fixed = apply(&source, format, &[fix]);
            assert_eq!(fixed.applied, 1, "{}: {:?} {:?}", finding.rule.name, fixed.refused, fix);
            let again = lint(&[(path.clone(), fixed.text.clone())]);
            let still = again.iter().any(|other| {
                other.rule.name == finding.rule.name && other.message == finding.message
            });
            assert!(!still, "{}: the fix does not help:\n{}", finding.rule.name, fixed.text);
        }
    }
}
