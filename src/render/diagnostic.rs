//! A problem with the lines around it, drawn for people.

use std::{
    fmt::{self, Display, Write as _},
    ops::Range,
};

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError,
    MietteSpanContents, Severity, SourceCode, SourceSpan, SpanContents,
};

use super::Paint;
use crate::{
    lint::{Excerpt, Level},
    text::{Source, Span, printable, printable_in_place},
};

/// What to draw. Texts are made printable when they are drawn.
#[derive(Debug)]
pub struct Drawing {
    /// How bad it is.
    pub level: Level,
    /// What to call it.
    pub code: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What follows from it, at the place.
    pub label: Option<String>,
    /// What to do.
    pub help: Option<String>,
    /// The place.
    pub lines: Option<Lines>,
}

/// Some lines of a file and the place in them. They know which line and column they start at.
#[derive(Debug)]
pub struct Lines {
    name: String,
    text: String,
    span: Range<usize>,
    line: usize,
    column: usize,
}

impl Lines {
    /// A place in a whole file.
    pub fn of_source(source: &Source, span: Span) -> Self {
        Self::new(source.name(), source.text(), span, (1, 1))
    }

    /// A place in what was kept of a file.
    pub fn of_excerpt(name: &str, excerpt: &Excerpt) -> Self {
        Self::new(name, &excerpt.text, excerpt.span, (excerpt.line, excerpt.column))
    }

    /// Files are untrusted: what they hold must not reach the terminal as it is.
    fn new(name: &str, text: &str, span: Span, (line, column): (usize, usize)) -> Self {
        Self {
            name: printable(name).into_owned(),
            text: printable_in_place(text).into_owned(),
            span: span.range(),
            line: line.saturating_sub(1),
            column: column.saturating_sub(1),
        }
    }
}

/// Draws problems, all in the same manner.
pub struct Pen(GraphicalReportHandler);

impl Pen {
    /// Draws lines up to `width`.
    pub fn new(width: usize, paint: Paint) -> Self {
        let theme = match paint {
            Paint::Colour => GraphicalTheme::unicode(),
            Paint::Plain => GraphicalTheme::unicode_nocolor(),
        };
        Self(GraphicalReportHandler::new_themed(theme).with_width(width).with_links(false))
    }

    /// Adds the drawing to `out`.
    pub fn draw(&self, drawing: &Drawing, out: &mut String) {
        if self.0.render_report(out, drawing).is_err() {
            writeln!(out, "{drawing}").ok();
        }
    }
}

impl Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.message))
    }
}

impl std::error::Error for Drawing {}

impl Diagnostic for Drawing {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.code.as_ref().map(|code| Box::new(printable(code)) as Box<dyn Display>)
    }

    fn severity(&self) -> Option<Severity> {
        Some(match self.level {
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
            Level::Info => Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(printable(help)) as Box<dyn Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.lines.as_ref().map(|lines| lines as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let lines = self.lines.as_ref()?;
        let label = self.label.as_ref().map(|label| printable(label).into_owned());
        let span = LabeledSpan::new_with_span(label, lines.span.clone());
        Some(Box::new(std::iter::once(span)))
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
