//! What can be wrong with a document, as data.

use thiserror::Error;

use crate::text::{Source, SourceProblem, Span};

/// Something wrong, and where. Reading went on after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// The exact bytes.
    pub span: Span,
}

/// Everything that can be wrong with a document before anyone asks what it means.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProblemKind {
    /// The span is the first run of such bytes.
    #[error("not UTF-8 text")]
    InvalidUtf8,
    /// Nothing was read.
    #[error("the file is UTF-16 text, which no host reads")]
    Utf16,
    /// Only the beginning was read.
    #[error("the file is too large: only the first {} MiB are read", crate::text::MAX_BYTES >> 20)]
    TooLarge,
    /// A zero byte, read as a blank.
    #[error("a NUL byte in the text")]
    NulByte,
    /// A byte order mark before the front matter.
    #[error("the file starts with a byte order mark")]
    ByteOrderMark,
    /// White space before the opening fence.
    #[error("blank lines before the opening `---`")]
    LeadingBlank,
    /// An opening fence that is not exactly `---`.
    #[error("the front matter opens with `{found}` instead of `---`")]
    WrongOpeningFence {
        /// The line as written.
        found: String,
    },
    /// A closing fence that is not exactly `---`.
    #[error("the front matter closes with `{found}` instead of `---`")]
    WrongClosingFence {
        /// The line as written.
        found: String,
    },
    /// No closing fence at all; the span is the opening one.
    #[error("the front matter is never closed with `---`")]
    Unterminated,
    /// A value that YAML cannot read without quotes; the span is the text that needs them. It was
    /// read as if it had them.
    #[error("this value needs quotes: {0}")]
    NeedsQuotes(NeedsQuotes),
    /// A key that its mapping already has; the span is the second one.
    #[error("the key `{key}` is already set")]
    DuplicateKey {
        /// The key.
        key: String,
        /// Where it stood first.
        first: Span,
    },
    /// A line of text at the indentation of a key. It was left out.
    #[error("text at the indentation of a key: indent it, or write `: ` after it")]
    UnindentedText,
    /// A tab where YAML wants blanks.
    #[error("a tab cannot indent YAML")]
    TabIndent,
    /// Nesting beyond [`MAX_DEPTH`](super::MAX_DEPTH).
    #[error("nested more than {} levels deep", super::MAX_DEPTH)]
    TooDeep,
    /// More than [`MAX_NODES`](super::MAX_NODES) values.
    #[error("more than {} values in one document", super::MAX_NODES)]
    TooManyNodes,
    /// Aliases that would copy more than [`MAX_NODES`](super::MAX_NODES) values.
    #[error("aliases expand to more than {} values", super::MAX_NODES)]
    AliasBomb,
    /// A second document in the same file, which is not read.
    #[error("a second YAML document starts here; only the first is read")]
    MultipleDocuments,
    /// A key that is itself a list or a map.
    #[error("a key must be plain text")]
    ComplexKey,
    /// A comment or trailing comma: fine in JSONC, an error in JSON.
    #[error("not allowed in strict JSON")]
    JsonExtension,
    /// Anything else the parser of the format refused.
    #[error("{0}")]
    Syntax(String),
    /// More problems than are worth listing.
    #[error("more problems follow that are not listed")]
    TooManyProblems,
}

/// Why text cannot stand without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NeedsQuotes {
    /// `: ` inside.
    #[error("`: ` inside it starts a mapping")]
    Colon,
    /// `*` in front.
    #[error("`*` in front of it makes it an alias")]
    Star,
    /// A character YAML keeps for itself in front.
    #[error("`{0}` in front of it is reserved")]
    Reserved(char),
    /// More text after a closing quote or bracket.
    #[error("text follows the closing quote or bracket")]
    Trailing,
}

impl ProblemKind {
    /// Whether a reader that follows the format's own rules refuses the document because of it.
    pub fn is_malformed(&self) -> bool {
        match self {
            Self::InvalidUtf8
            | Self::ByteOrderMark
            | Self::LeadingBlank
            | Self::TooLarge
            | Self::MultipleDocuments
            | Self::ComplexKey
            | Self::JsonExtension => false,
            Self::Utf16
            | Self::NulByte
            | Self::WrongOpeningFence { .. }
            | Self::WrongClosingFence { .. }
            | Self::Unterminated
            | Self::NeedsQuotes(_)
            | Self::DuplicateKey { .. }
            | Self::UnindentedText
            | Self::TabIndent
            | Self::TooDeep
            | Self::TooManyNodes
            | Self::AliasBomb
            | Self::Syntax(_)
            | Self::TooManyProblems => true,
        }
    }
}

/// Problems in the order they were found, up to a cap.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<Problem>);

/// Past this many, a file is not worth more words.
const MAX_PROBLEMS: usize = 50;

impl Problems {
    pub(super) fn of(source: &Source) -> Self {
        let mut problems = Self::default();
        match source.problem() {
            Some(SourceProblem::InvalidUtf8(span)) => problems.push(ProblemKind::InvalidUtf8, span),
            Some(SourceProblem::Utf16) => problems.push(ProblemKind::Utf16, Span::at(0)),
            Some(SourceProblem::TooLarge) => {
                problems.push(ProblemKind::TooLarge, Span::at(source.text().len()));
            }
            None => {}
        }
        problems
    }

    pub(super) fn push(&mut self, kind: ProblemKind, span: Span) {
        match self.0.len() {
            0..MAX_PROBLEMS => self.0.push(Problem { kind, span }),
            // A document is not malformed because it has many harmless problems.
            MAX_PROBLEMS if kind.is_malformed() => {
                self.0.push(Problem { kind: ProblemKind::TooManyProblems, span });
            }
            _ => {}
        }
    }

    /// Whether more of them would not be listed.
    pub(super) fn is_full(&self) -> bool {
        self.0.len() > MAX_PROBLEMS
    }

    /// Drops the problems whose place `keep` does not want.
    pub(super) fn retain(&mut self, keep: impl Fn(Span) -> bool) {
        self.0.retain(|problem| keep(problem.span));
    }

    pub(super) fn append(&mut self, others: Self) {
        for Problem { kind, span } in others.0 {
            self.push(kind, span);
        }
    }

    pub(super) fn into_sorted(mut self) -> Vec<Problem> {
        self.0.sort_by_key(|problem| problem.span);
        self.0
    }
}
