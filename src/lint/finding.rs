//! What a rule has to say, and how it could be mended.

use serde::Serialize;

use super::{AgentCx, Level, Rule};
use crate::{
    catalog::Entry,
    text::{Position, Source, Span},
};

/// Something a rule found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad it is.
    pub level: Level,
    /// The file.
    pub path: String,
    /// The agent.
    pub agent: String,
    /// The bytes it is about.
    pub span: Span,
    /// Their first character.
    pub start: Position,
    /// One past their last.
    pub end: Position,
    /// What is wrong: one clause, names in backticks.
    pub message: String,
    /// What to do, as an imperative.
    pub help: Option<String>,
    /// The hosts it is true of, by id.
    pub hosts: Vec<&'static str>,
    /// How to mend it.
    pub fix: Option<Fix>,
}

/// Whether a fix can be applied without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Safety {
    /// The meaning stays, or becomes what the text plainly says.
    Safe,
    /// A guess at what the author meant.
    Unsafe,
}

/// Edits that mend a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Whether it can be applied without asking.
    pub safety: Safety,
    /// What it does, as an imperative.
    pub title: String,
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
}

/// Replaces some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes.
    pub span: Span,
    /// What to put there.
    pub text: String,
}

/// Where the rules put what they find in a file.
#[derive(Debug, Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Reports that `rule` is broken at `span`, as badly as the rule says.
    pub fn report(
        &mut self,
        cx: &AgentCx<'_>,
        rule: &'static Rule,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Finding {
        let nowhere = Position { line: 1, column: 1, byte: 0 };
        self.0.push(Finding {
            rule,
            level: rule.level,
            path: cx.source.name().to_owned(),
            agent: cx.entry.name().to_owned(),
            span,
            start: nowhere,
            end: nowhere,
            message: message.into(),
            help: None,
            hosts: vec![cx.entry.dialect.id],
            fix: None,
        });
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    /// The findings with their lines and columns, in the order of the file, what several hosts
    /// agree on told once.
    pub(super) fn located(self, source: &Source) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.0;
        for finding in &mut findings {
            finding.start = source.position(finding.span.start as usize);
            finding.end = source.position(finding.span.end as usize);
        }
        findings.sort_by(|a, b| {
            (a.span, a.rule.name, &a.message).cmp(&(b.span, b.rule.name, &b.message))
        });
        findings.dedup_by(|next, kept| {
            let same = next.rule.name == kept.rule.name
                && next.span == kept.span
                && next.message == kept.message
                && next.agent == kept.agent;
            if same {
                kept.level = kept.level.max(next.level);
                kept.hosts.extend(
                    next.hosts
                        .iter()
                        .filter(|host| !kept.hosts.contains(host))
                        .copied()
                        .collect::<Vec<_>>(),
                );
            }
            same
        });
        findings
    }
}

impl Finding {
    /// A finding about an entry of the catalog whose text is gone.
    pub fn of_entry(
        entry: &Entry,
        rule: &'static Rule,
        (start, end): (Position, Position),
        message: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            level: rule.level,
            path: entry.path.display().to_string(),
            agent: entry.name().to_owned(),
            span: Span::new(start.byte, end.byte),
            start,
            end,
            message: message.into(),
            help: None,
            hosts: vec![entry.dialect.id],
            fix: None,
        }
    }

    /// What to do.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    /// Less bad, or worse, than the rule usually is.
    pub fn level(&mut self, level: Level) -> &mut Self {
        self.level = level;
        self
    }

    /// How to mend it with one edit.
    pub fn fix(
        &mut self,
        safety: Safety,
        title: impl Into<String>,
        span: Span,
        text: impl Into<String>,
    ) -> &mut Self {
        self.fix_all(safety, title, vec![Edit { span, text: text.into() }])
    }

    /// How to mend it with several edits.
    pub fn fix_all(
        &mut self,
        safety: Safety,
        title: impl Into<String>,
        edits: Vec<Edit>,
    ) -> &mut Self {
        self.fix = Some(Fix { safety, title: title.into(), edits });
        self
    }
}
