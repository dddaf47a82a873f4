//! Front matter, YAML, TOML and JSON to one spanned tree.
//!
//! Reading never fails: [`parse`] returns what could be read and a list of what was wrong, each
//! with its place. Nothing here knows what a key means.

mod front_matter;
mod json;
mod node;
mod problem;
mod toml;
mod yaml;

pub use front_matter::FrontMatter;
pub use node::{Entry, Map, Node, Style, Value};
pub use problem::{NeedsQuotes, Problem, ProblemKind};

use crate::text::{Source, Span};
use problem::Problems;

/// Deeper nesting is not read. Everything that walks a tree relies on this.
pub const MAX_DEPTH: usize = 128;
/// More values than this are not read.
pub const MAX_NODES: usize = 20_000;

/// What a file's bytes are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Markdown, with or without front matter.
    Markdown,
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
    /// JSON, comments and trailing commas included.
    Json,
}

impl Format {
    /// The format of a file by its name; `None` if definitions are never called that.
    pub fn of_path(path: &std::path::Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "md" | "mdc" | "markdown" => Some(Self::Markdown),
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            "json" | "jsonc" => Some(Self::Json),
            _ => None,
        }
    }

    /// The format a text looks like, where no name says it.
    pub fn of_text(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let first = text.lines().next().unwrap_or_default().trim_end();
        let toml_line = |line: &str| {
            line.split_once('=').is_some_and(|(key, _)| {
                let key = key.trim_end();
                !key.is_empty()
                    && key
                        .chars()
                        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
            })
        };
        match first {
            "---" => Self::Markdown,
            _ if first.starts_with('{') => Self::Json,
            _ if toml_line(first) || (first.starts_with('[') && first.ends_with(']')) => Self::Toml,
            _ if first.starts_with('#') && !first.starts_with("# ") => Self::Markdown,
            _ => Self::Yaml,
        }
    }
}

/// A file, read.
#[derive(Clone, Debug)]
pub struct Document {
    /// What it is written in.
    pub format: Format,
    /// The fences of a Markdown file that has front matter.
    pub front_matter: Option<FrontMatter>,
    /// The tree: of the front matter in Markdown, of the whole file otherwise. Null if there is
    /// none.
    pub root: Node,
    /// What follows the front matter of a Markdown file, or all of one without.
    pub body: Option<Span>,
    /// Comments in the YAML, `#` included.
    pub comments: Vec<Span>,
}

/// Reads `source` as `format`.
pub fn parse(source: &Source, format: Format) -> (Document, Vec<Problem>) {
    let mut problems = Problems::of(source);
    let text = source.text();
    let whole = Span::new(0, text.len());
    let mut document = Document {
        format,
        front_matter: None,
        root: Node::null(Span::at(0)),
        body: None,
        comments: Vec::new(),
    };
    if format == Format::Markdown {
        document.front_matter = front_matter::split(text, &mut problems);
        document.body = Some(document.front_matter.as_ref().map_or(whole, |front| front.body));
        if let Some(yaml) = document.front_matter.as_ref().map(|front| front.yaml) {
            (document.root, document.comments) = yaml::parse(text, yaml, &mut problems);
        }
    } else if source.problem() != Some(crate::text::SourceProblem::TooLarge) {
        // Of a file that is cut off, only the front matter of Markdown is known to be whole.
        let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let region = Span::new(bom, text.len());
        match format {
            Format::Toml => document.root = toml::parse(text, region, &mut problems),
            Format::Json => document.root = json::parse(text, region, &mut problems),
            Format::Markdown | Format::Yaml => {
                (document.root, document.comments) = yaml::parse(text, region, &mut problems);
            }
        }
    }
    (document, problems.into_sorted())
}

#[cfg(test)]
mod tests;
