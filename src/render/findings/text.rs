//! `--format text`: each finding with the line it is about, then the numbers.

use std::fmt::Write as _;

use super::Report;
use crate::{
    lint::{Finding, Safety},
    render::{
        Paint,
        diagnostic::{Drawing, Lines, Pen},
    },
};

/// More findings than this are counted, not drawn.
const MOST_DRAWN: usize = 100;

/// Findings, each with its lines.
pub fn drawn(findings: &[&Finding], width: usize, paint: Paint) -> String {
    let mut out = String::new();
    let pen = Pen::new(width, paint);
    for finding in findings {
        pen.draw(&drawing(finding), &mut out);
        out.push('\n');
    }
    out
}

/// The report for people.
pub fn findings_text(report: &Report<'_>, width: usize, paint: Paint) -> String {
    let shown: Vec<&Finding> = report.findings().take(MOST_DRAWN).collect();
    let mut out = drawn(&shown, width, paint);
    let more = report.findings().count().saturating_sub(MOST_DRAWN);
    if more > 0 {
        writeln!(out, "{more} more findings are not shown; `--format json` has all of them\n").ok();
        by_rule(&mut out, report);
    }
    closing(&mut out, report, paint);
    out
}

/// How often each rule was broken.
fn by_rule(out: &mut String, report: &Report<'_>) {
    let mut counts = std::collections::BTreeMap::<_, usize>::new();
    for finding in report.findings() {
        *counts.entry((std::cmp::Reverse(finding.level), finding.rule.name)).or_default() += 1;
    }
    for ((level, rule), count) in counts {
        writeln!(out, "{count:>6}  {:7}  {rule}", level.0.name()).ok();
    }
    out.push('\n');
}

fn closing(out: &mut String, report: &Report<'_>, paint: Paint) {
    let summary = report.summary();
    let files = counted(report.files(), "file");
    let parts: Vec<String> = [
        (summary.error, "error", true),
        (summary.warning, "warning", true),
        (summary.info, "note", false),
    ]
    .into_iter()
    .filter(|(count, _, always)| *always || *count > 0)
    .map(|(count, word, _)| counted(count, word))
    .collect();
    let text = format!("{} in {files}", parts.join(", "));
    let text = match (summary.error, summary.warning) {
        (0, 0) => text,
        (0, _) => paint.yellow(text),
        _ => paint.red(text),
    };
    writeln!(out, "{text}").ok();
    let (safe, guess) = (report.fixable(Safety::Safe), report.fixable(Safety::Unsafe));
    match (safe, guess) {
        (0, 0) => {}
        (safe, 0) => writeln!(out, "{safe} can be mended with `--fix`").unwrap_or(()),
        (0, guess) => {
            writeln!(out, "{guess} can perhaps be mended with `--fix --unsafe-fixes`").unwrap_or(())
        }
        (safe, guess) => {
            writeln!(
                out,
                "{safe} can be mended with `--fix`, {guess} more perhaps with `--unsafe-fixes`"
            )
            .unwrap_or(());
        }
    }
}

fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

fn drawing(finding: &Finding) -> Drawing {
    let Finding { level, rule, path, start, message, help, excerpt, .. } = finding;
    Drawing {
        level: *level,
        code: Some(format!("{}[{}]", level.name(), rule.name)),
        // Without a line to draw, the place is part of the message.
        message: match excerpt {
            Some(_) => message.clone(),
            None => format!("{path}:{}:{}: {message}", start.line, start.column),
        },
        label: None,
        help: help.clone(),
        lines: excerpt.as_ref().map(|excerpt| Lines::of_excerpt(path, excerpt)),
    }
}
