//! Comments that allow what a rule reports.
//!
//! `# agentctl: allow[rule, …] reason` allows it on its own line, or, alone on a line, for the key
//! below it. `<!-- agentctl: allow[rule] -->` in a body allows it in the body. `allow-file[…]`
//! allows it in the whole file.

use std::ops::RangeInclusive;

use super::{
    FileReport, Finding, RULES,
    landmarks::{Landmarks, searcher},
    rules,
};
use crate::{
    document::{Document, Format, Node, Value},
    text::{Position, Source, Span},
};

/// What starts such a comment, after `#`, `//` or `<!--`.
const MARK: &str = "agentctl: allow";

static MARKS: Landmarks = Landmarks::new(|| searcher([MARK]));

/// One rule that a comment allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// The rule, as written.
    pub rule: String,
    /// The lines it is allowed on.
    pub lines: RangeInclusive<usize>,
    /// Where the comment names it.
    pub span: Span,
    /// Where that is.
    pub start: Position,
    /// Where that ends.
    pub end: Position,
}

/// The comments of a file.
pub(super) fn suppressions(source: &Source, document: &Document) -> Vec<Suppression> {
    MARKS
        .positions(source.text())
        .filter(|at| is_comment(source, document, *at))
        .flat_map(|at| parse(source, document, at))
        .collect()
}

fn is_comment(source: &Source, document: &Document, at: usize) -> bool {
    let before = source.text()[..at].trim_end_matches([' ', '\t']);
    let in_body = document.body.is_some_and(|body| body.contains(at));
    match document.format {
        Format::Markdown if in_body => before.ends_with("<!--"),
        Format::Markdown | Format::Yaml => {
            document.comments.iter().any(|comment| comment.contains(at)) && before.ends_with('#')
        }
        Format::Toml => before.ends_with('#') && !in_text(&document.root, at),
        Format::Json => before.ends_with("//") && !in_text(&document.root, at),
    }
}

/// Whether the byte is part of a value: what a prompt says is no comment.
fn in_text(node: &Node, at: usize) -> bool {
    match &node.value {
        Value::Map(map) => map.entries.iter().any(|entry| in_text(&entry.value, at)),
        Value::List(items) => items.iter().any(|item| in_text(item, at)),
        _ => node.span.contains(at),
    }
}

fn parse(source: &Source, document: &Document, at: usize) -> Vec<Suppression> {
    let rest = &source.text()[at + MARK.len()..];
    let (whole_file, rest) = match rest.strip_prefix("-file") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let Some(list) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
        return Vec::new();
    };
    let lines = if whole_file { 1..=usize::MAX } else { covered(source, document, at) };
    let mut from = source.text().len() - rest.len() + 1;
    list.0
        .split(',')
        .map(|name| {
            let start = from + (name.len() - name.trim_start().len());
            from += name.len() + 1;
            let span = Span::new(start, start + name.trim().len());
            Suppression {
                rule: name.trim().to_owned(),
                lines: lines.clone(),
                span,
                start: source.position(span.start as usize),
                end: source.position(span.end as usize),
            }
        })
        .collect()
}

/// The lines a comment speaks about.
fn covered(source: &Source, document: &Document, at: usize) -> RangeInclusive<usize> {
    let line_of = |offset: usize| source.position(offset).line;
    if let Some(body) = document.body.filter(|body| body.contains(at)) {
        return line_of(body.start as usize)..=usize::MAX;
    }
    let line = line_of(at);
    let text = source.text();
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let alone = text[start..at].trim_start().starts_with(['#', '/']);
    if !alone {
        return line..=line;
    }
    // Further comment lines in between belong to the same key.
    let below = text[at..].split_inclusive('\n').skip(1);
    let comments = below.take_while(|line| line.trim_start().starts_with(['#', '/'])).count();
    let first = line + 1 + comments;
    let entries = document.root.as_map().into_iter().flat_map(|map| &map.entries);
    let last = entries
        .filter(|entry| line_of(entry.key.span.start as usize) == first)
        .map(|entry| {
            line_of((entry.value.span.end.max(entry.key.span.end) as usize).saturating_sub(1))
        })
        .max();
    first..=last.unwrap_or(first)
}

/// Takes out what is allowed; what allows nothing becomes a finding.
pub(super) fn apply(report: &mut FileReport) {
    let mut used = vec![false; report.suppressions.len()];
    let suppressions = &report.suppressions;
    report.findings.retain(|finding| {
        let allows = |suppression: &Suppression| {
            suppression.rule == finding.rule.name && suppression.lines.contains(&finding.start.line)
        };
        let matching = suppressions.iter().position(allows);
        if let Some(at) = matching {
            used[at] = true;
        }
        matching.is_none()
    });
    let agent = report.findings.first().map_or(String::new(), |finding| finding.agent.clone());
    for (suppression, _) in suppressions.iter().zip(used).filter(|(_, used)| !used) {
        let known = RULES.iter().any(|rule| rule.name == suppression.rule);
        let message = if known {
            format!("`{}` is allowed here, but nothing breaks it", suppression.rule)
        } else {
            format!("there is no rule called `{}`", suppression.rule)
        };
        let mut finding = Finding {
            rule: &rules::UNUSED_SUPPRESSION,
            level: rules::UNUSED_SUPPRESSION.level,
            path: report.path.clone(),
            agent: agent.clone(),
            span: suppression.span,
            start: suppression.start,
            end: suppression.end,
            message,
            help: None,
            hosts: Vec::new(),
            fix: None,
            excerpt: None,
            secret: false,
        };
        finding.help(if known { "remove it" } else { "`agentctl explain` lists the rules" });
        report.findings.push(finding);
    }
    report.findings.sort_by_key(|finding| finding.span);
}
