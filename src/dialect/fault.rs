//! What a host would do with a definition that is not as it wants it.

use std::path::Path;

use thiserror::Error;

use super::{Confidence, Detected, Fact, Outcome};
use crate::{
    document::{Document, ProblemKind},
    model::Definition,
    text::{Source, Span},
};

/// Something a host does not take as written, where it stands, and what the host does then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What it is.
    pub kind: FaultKind,
    /// The exact bytes.
    pub span: Span,
    /// What the host does.
    pub outcome: Outcome,
    /// How sure that is.
    pub confidence: Confidence,
}

impl Fault {
    /// What the host does about it.
    pub fn fact(&self) -> Fact {
        Fact { outcome: self.outcome, confidence: self.confidence }
    }

    /// Whether the host does not load the agent because of it, as far as that is known for sure.
    pub fn stops(&self) -> bool {
        !self.outcome.loads() && self.confidence > Confidence::Unverified
    }

    /// Whether it is about the file, and so about every agent in it.
    pub fn is_of_file(&self) -> bool {
        self.outcome == Outcome::HostFails
            || matches!(self.kind, FaultKind::Malformed(_) | FaultKind::TooDeep { .. })
    }
}

/// What can be wrong with a definition in the eyes of its host.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FaultKind {
    /// The text itself.
    #[error("{0}")]
    Malformed(ProblemKind),
    /// Markdown without front matter.
    #[error("there is no front matter")]
    NoFrontMatter,
    /// The front matter, or the file, is not a map.
    #[error("{found} stands where keys and values should")]
    NotAMap {
        /// What stands there.
        found: &'static str,
    },
    /// A key the host insists on.
    #[error("`{path}` is missing")]
    Missing {
        /// The key.
        key: &'static str,
        /// The key with those it is below.
        path: String,
    },
    /// A value of the wrong kind.
    #[error("`{path}` is {found}, but must be {wanted}")]
    WrongType {
        /// The key.
        path: String,
        /// What is there.
        found: &'static str,
        /// What should be.
        wanted: String,
    },
    /// A value of the right kind that is not allowed.
    #[error("`{path}` is `{found}`, but must be {wanted}")]
    BadValue {
        /// The key.
        path: String,
        /// What is there.
        found: String,
        /// What should be.
        wanted: String,
    },
    /// A key the host does not know.
    #[error("`{path}` is not a key of {host} agents")]
    UnknownKey {
        /// The key.
        path: String,
        /// The host.
        host: &'static str,
    },
    /// A key the host reads and does nothing with.
    #[error("`{path}` has no effect: {why}")]
    NoEffect {
        /// The key.
        path: String,
        /// Why, or what happens instead.
        why: &'static str,
    },
    /// A file below the folder where only the folder itself is read.
    #[error("the file is in a subfolder, and {host} does not look there")]
    TooDeep {
        /// The host.
        host: &'static str,
    },
    /// A file written for one host in the folder of another, which reads other files.
    #[error("this is the folder of {owner}, and {host} does not look there")]
    Misplaced {
        /// The host it is written for.
        host: &'static str,
        /// The host whose folder it is.
        owner: &'static str,
    },
    /// A file in the host's folder of a kind it does not read.
    #[error("{reason}")]
    NotRead {
        /// Why.
        reason: &'static str,
    },
    /// The name belongs to an agent of the host itself, which wins.
    #[error("`{name}` is the name of a built-in agent of {host}, which always wins")]
    BuiltInName {
        /// The name.
        name: String,
        /// The host.
        host: &'static str,
    },
    /// Another definition has the same name and comes first.
    #[error("`{name}` is also defined in {path}, and {host} loads only one of them")]
    Duplicate {
        /// The name.
        name: String,
        /// Where the other one is.
        path: String,
        /// The host.
        host: &'static str,
    },
    /// `${word}` in a prompt that the host treats as a template.
    #[error("{host} replaces `${{{word}}}` in the prompt and does not know that name")]
    Template {
        /// The word.
        word: String,
        /// The host.
        host: &'static str,
    },
    /// There is no prompt, or less of one than the host wants.
    #[error("{0}")]
    NoPrompt(String),
    /// A fence that other hosts would take.
    #[error("{0}")]
    Fence(&'static str),
    /// A tool the host does not know.
    #[error("`{name}` is not a tool of {host}")]
    UnknownTool {
        /// The tool.
        name: String,
        /// The host.
        host: &'static str,
    },
    /// Something only this host minds.
    #[error("{what}")]
    Other {
        /// What.
        what: String,
        /// What to do about it, as an imperative.
        remedy: &'static str,
    },
}

/// What a host's own checks see and report to.
pub struct Checker<'a> {
    /// The file's text.
    pub source: &'a Source,
    /// The file, read.
    pub document: &'a Document,
    /// Where it was found and what it is.
    pub detected: &'a Detected,
    /// Its path.
    pub path: &'a Path,
    /// The agent.
    pub definition: &'a Definition,
    /// What was found so far.
    pub faults: &'a mut Vec<Fault>,
}

impl Checker<'_> {
    /// Reports something only this host minds.
    pub fn report(
        &mut self,
        span: Span,
        fact: Fact,
        what: impl Into<String>,
        remedy: &'static str,
    ) {
        self.push(FaultKind::Other { what: what.into(), remedy }, span, fact);
    }

    /// Reports a fence that this host does not take.
    pub fn fence(&mut self, span: Span, fact: Fact, what: &'static str) {
        self.push(FaultKind::Fence(what), span, fact);
    }

    /// Reports a file that the host does not look at.
    pub fn not_read(&mut self, fact: Fact, reason: &'static str) {
        let front = self.document.front_matter.as_ref();
        let span = front.map_or_else(Span::default, |front| front.open);
        self.push(FaultKind::NotRead { reason }, span, fact);
    }

    /// Reports a prompt that is missing or too short.
    pub fn no_prompt(&mut self, fact: Fact, what: impl Into<String>) {
        let span = self.body_start();
        self.push(FaultKind::NoPrompt(what.into()), span, fact);
    }

    /// Reports every `${word}` of the body that is not one of `known`.
    pub fn template(&mut self, known: &[&str], fact: Fact) {
        let Some(body) = self.document.body else { return };
        let host = self.detected.dialect.host;
        let words: Vec<_> = template_words(self.source.slice(body))
            .filter(|(word, _)| !known.contains(word))
            .map(|(word, offset)| (word.to_owned(), offset))
            .collect();
        for (word, offset) in words {
            let span = Span::new(offset, offset + word.len() + 3).shifted(body.start as usize);
            self.push(FaultKind::Template { word, host }, span, fact);
        }
    }

    fn push(&mut self, kind: FaultKind, span: Span, fact: Fact) {
        let Fact { outcome, confidence } = fact;
        self.faults.push(Fault { kind, span, outcome, confidence });
    }

    /// The system prompt; empty if there is none.
    pub fn prompt(&self) -> &str {
        use crate::model::PromptText;
        match &self.definition.prompt.system {
            Some(text) => match &text.value {
                PromptText::Body => self.source.slice(text.span),
                PromptText::Value(value) => value,
            },
            None => "",
        }
    }

    /// Where the body starts, for faults about a prompt that is not there.
    pub fn body_start(&self) -> Span {
        Span::at(self.document.body.map_or(0, |body| body.start as usize))
    }

    /// The file's name.
    pub fn file_name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

/// Every `${word}` with its offset.
fn template_words(text: &str) -> impl Iterator<Item = (&str, usize)> {
    text.match_indices("${").filter_map(|(offset, _)| {
        let rest = &text[offset + 2..];
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
        (length > 0 && rest[length..].starts_with('}')).then(|| (&rest[..length], offset))
    })
}
