//! A problem with the lines around it, for people.

use std::fmt::{self, Display};

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, Severity,
    SourceCode,
};

use super::Paint;
use crate::text::{Source, Span, printable, printable_in_place};

/// What to show.
pub struct Snippet<'a> {
    /// The file.
    pub source: &'a Source,
    /// The place.
    pub span: Span,
    /// What is wrong there.
    pub message: String,
    /// What follows from it.
    pub label: Option<String>,
    /// What to do.
    pub help: Option<String>,
    /// How bad it is.
    pub severity: Severity,
}

/// Draws the lines around a problem.
pub fn snippet(snippet: &Snippet<'_>, width: usize, paint: Paint) -> String {
    let theme = match paint {
        Paint::Colour => GraphicalTheme::unicode(),
        Paint::Plain => GraphicalTheme::unicode_nocolor(),
    };
    // Files are untrusted: what they hold must not reach the terminal as it is.
    let text = printable_in_place(snippet.source.text()).into_owned();
    let report = Report {
        snippet,
        message: printable(&snippet.message).into_owned(),
        source: NamedSource::new(printable(snippet.source.name()), text),
    };
    let mut out = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_width(width).with_links(false);
    if handler.render_report(&mut out, &report).is_err() {
        out = format!("{}\n", report.message);
    }
    out
}

#[derive(Debug)]
struct Report<'a> {
    snippet: &'a Snippet<'a>,
    message: String,
    source: NamedSource<String>,
}

impl fmt::Debug for Snippet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Report<'_> {}

impl Diagnostic for Report<'_> {
    fn severity(&self) -> Option<Severity> {
        Some(self.snippet.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.snippet.help.as_ref().map(|help| Box::new(printable(help)) as Box<dyn Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = self.snippet.label.as_ref().map(|label| printable(label).into_owned());
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(
            label,
            self.snippet.span.range(),
        ))))
    }
}
