//! What rules look at.

use std::{collections::BTreeSet, fmt::Display};

use super::{Finding, Findings, Level, Rule};
use crate::{
    catalog::{Catalog, Entry},
    dialect::{Confidence, Dialect, Fact, Fault, Meaning, Outcome},
    document::{Document, Map},
    model::{Definition, FieldUse, PromptText},
    text::{Source, Span, Spanned},
};

/// One definition, its file and its host.
#[derive(Clone, Copy, Debug)]
pub struct AgentCx<'a> {
    /// The text.
    pub source: &'a Source,
    /// The text, read.
    pub document: &'a Document,
    /// The definition and what its host makes of it.
    pub entry: &'a Entry,
}

/// Every definition.
#[derive(Clone, Copy, Debug)]
pub struct CatalogCx<'a> {
    /// The definitions.
    pub catalog: &'a Catalog,
    /// What else the project has.
    pub known: &'a Known,
}

/// Things of a project that definitions name. `None`: not looked for, so nothing can be said.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Skills.
    pub skills: Option<BTreeSet<String>>,
    /// MCP servers.
    pub mcp_servers: Option<BTreeSet<String>>,
    /// Whether single files were read, so that what they name may lie beside them.
    pub partial: bool,
}

impl<'a> AgentCx<'a> {
    /// The definition.
    pub fn definition(&self) -> &'a Definition {
        &self.entry.definition
    }

    /// The host's dialect.
    pub fn dialect(&self) -> &'static Dialect {
        self.entry.dialect
    }

    /// The host's name.
    pub fn host(&self) -> &'static str {
        self.entry.dialect.host
    }

    /// The mapping the definition was read from, if the file holds only this one.
    pub fn root(&self) -> Option<&'a Map> {
        self.document.root.as_map()
    }

    /// The key written as `path`, if it was written.
    pub fn field(&self, path: &str) -> Option<&'a FieldUse> {
        self.entry.definition.fields.iter().find(|field| field.path == path)
    }

    /// What the host does not take as written.
    pub fn faults(&self) -> impl Iterator<Item = &'a Fault> {
        self.entry.faults.iter().map(|fault| &fault.what)
    }

    /// The system prompt and where it starts; `None` if there is none. Offsets into a prompt
    /// written as a value are not offsets into the file.
    pub fn prompt(&self) -> Option<(&'a str, PromptPlace)> {
        let prompt = self.entry.definition.prompt.system.as_ref()?;
        Some(match &prompt.value {
            PromptText::Body => (self.source.slice(prompt.span), PromptPlace::Body(prompt.span)),
            PromptText::Value(value) => (value, PromptPlace::Value(prompt.span)),
        })
    }

    /// The tools the definition allows, with what the host takes each for.
    pub fn allowed(&self) -> impl Iterator<Item = (&'a Spanned<String>, Meaning)> {
        let tools = self.entry.dialect.tools;
        let names = self.entry.definition.tools.allowed.names().unwrap_or_default();
        names.iter().map(|name| (name, tools.meaning(&name.value)))
    }

    /// The tools the definition denies, with what the host takes each for.
    pub fn denied(&self) -> impl Iterator<Item = (&'a Spanned<String>, Meaning)> {
        let tools = self.entry.dialect.tools;
        self.entry.definition.tools.denied.iter().map(|name| (name, tools.meaning(&name.value)))
    }

    /// Reports `fault` under `rule`, as bad as what the host does about it, with what the host
    /// does in the message.
    pub fn report_fault<'f>(
        &self,
        findings: &'f mut Findings,
        rule: &'static Rule,
        fault: &Fault,
    ) -> &'f mut Finding {
        self.report_fact(findings, rule, fault.span, fault.fact(), &fault.kind)
    }

    /// Reports `what` in the same way.
    pub fn report_fact<'f>(
        &self,
        findings: &'f mut Findings,
        rule: &'static Rule,
        span: Span,
        fact: Fact,
        what: impl Display,
    ) -> &'f mut Finding {
        let message = format!("{what}; {}", fact.sentence(self.host()));
        findings.report(self, rule, span, message).level(level_of(fact).min(rule.level))
    }
}

/// Where a prompt stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptPlace {
    /// Below the front matter: byte `n` of the prompt is byte `start + n` of the file.
    Body(Span),
    /// In a value, which may have been folded or unescaped.
    Value(Span),
}

impl PromptPlace {
    /// The bytes of the file for some bytes of the prompt, as exactly as can be told.
    pub fn span(self, start: usize, end: usize) -> Span {
        match self {
            Self::Body(body) => Span::new(start, end).shifted(body.start as usize),
            Self::Value(value) => value,
        }
    }
}

/// How bad it is that a host does this. What nobody has confirmed is never an error.
pub fn level_of(fact: Fact) -> Level {
    let level = match fact.outcome {
        Outcome::Accepted => Level::Info,
        Outcome::Ignored | Outcome::Forwarded => Level::Warning,
        Outcome::Unrestricted
        | Outcome::Skipped
        | Outcome::Rejected
        | Outcome::HostFails
        | Outcome::FailsAtRun => Level::Error,
    };
    if fact.confidence == Confidence::Unverified { level.min(Level::Warning) } else { level }
}

/// The candidate most like `name`, if any is close enough to be a typo.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const TYPO: f64 = 0.85;
    let wanted = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= TYPO)
        // Of equally near ones the first: tables name the usual spelling first.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_has_confirmed_is_never_an_error() {
        for outcome in [
            Outcome::Ignored,
            Outcome::Forwarded,
            Outcome::Unrestricted,
            Outcome::Skipped,
            Outcome::Rejected,
            Outcome::HostFails,
            Outcome::FailsAtRun,
        ] {
            let fact = |confidence| Fact { outcome, confidence };
            assert!(level_of(fact(Confidence::Unverified)) < Level::Error, "{outcome:?}");
            assert_eq!(
                level_of(fact(Confidence::Verified)),
                level_of(fact(Confidence::Documented))
            );
        }
    }
}
