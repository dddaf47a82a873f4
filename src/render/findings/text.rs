//! `--format text`: each finding with the line it is about, then the numbers.

use std::fmt::{self, Display, Write as _};

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError,
    MietteSpanContents, Severity, SourceCode, SourceSpan, SpanContents,
};

use super::Report;
use crate::{
    lint::{Excerpt, Finding, Level, Safety},
    render::Paint,
    text::{printable, printable_in_place},
};

/// More findings than this are counted, not drawn.
const MOST_DRAWN: usize = 100;

/// The report for people.
pub fn findings_text(report: &Report<'_>, width: usize, paint: Paint) -> String {
    let mut out = String::new();
    let theme = match paint {
        Paint::Colour => GraphicalTheme::unicode(),
        Paint::Plain => GraphicalTheme::unicode_nocolor(),
    };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(width)
        .with_context_lines(1)
        .with_links(false);
    for finding in report.findings().take(MOST_DRAWN) {
        let drawing = Drawing::new(finding);
        if handler.render_report(&mut out, &drawing).is_err() {
            writeln!(out, "{drawing}").ok();
        }
        out.push('\n');
    }
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

/// A finding as the drawing library wants it.
#[derive(Debug)]
struct Drawing<'a> {
    finding: &'a Finding,
    message: String,
    lines: Option<Lines>,
}

impl<'a> Drawing<'a> {
    fn new(finding: &'a Finding) -> Self {
        let place = format!("{}:{}:{}", finding.path, finding.start.line, finding.start.column);
        let lines = finding.excerpt.as_ref().map(|excerpt| Lines::new(finding, excerpt));
        // Without a line to draw, the place is part of the message.
        let message = match &lines {
            Some(_) => printable(&finding.message).into_owned(),
            None => format!("{}: {}", printable(&place), printable(&finding.message)),
        };
        Self { finding, message, lines }
    }
}

impl Display for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Drawing<'_> {}

impl Diagnostic for Drawing<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        let Finding { level, rule, .. } = self.finding;
        Some(Box::new(format!("{}[{}]", level.name(), rule.name)))
    }

    fn severity(&self) -> Option<Severity> {
        Some(match self.finding.level {
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
            Level::Info => Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.finding.help.as_ref().map(|help| Box::new(printable(help)) as Box<dyn Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.lines.as_ref().map(|lines| lines as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let lines = self.lines.as_ref()?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, lines.span))))
    }
}

/// A piece of a file that knows which line and column it starts at.
#[derive(Debug)]
struct Lines {
    name: String,
    text: String,
    span: SourceSpan,
    line: usize,
    column: usize,
}

impl Lines {
    fn new(finding: &Finding, excerpt: &Excerpt) -> Self {
        Self {
            name: printable(&finding.path).into_owned(),
            text: printable_in_place(&excerpt.text).into_owned(),
            span: excerpt.span.range().into(),
            line: excerpt.line - 1,
            column: excerpt.column - 1,
        }
    }
}

impl SourceCode for Lines {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, before, after)?;
        let column = if inner.line() == 0 { self.column + inner.column() } else { inner.column() };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            inner.data(),
            *inner.span(),
            self.line + inner.line(),
            column,
            inner.line_count(),
        )))
    }
}
