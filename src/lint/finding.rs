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
    /// The lines around it, for those who show it; the text itself is gone by then.
    pub excerpt: Option<Excerpt>,
    /// Whether the bytes are a secret, which is not shown to anyone.
    pub secret: bool,
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

/// A few lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text.
    pub text: String,
    /// The bytes of it that the finding is about.
    pub span: Span,
    /// The line it starts on, from 1.
    pub line: usize,
    /// The column it starts in, from 1.
    pub column: usize,
}

/// Longer lines are cut around what a finding is about.
const MAX_EXCERPT: usize = 90;
/// How much of a cut line is kept before it.
const BEFORE: usize = 30;
/// What stands where a line was cut.
const CUT: &str = "…";

impl Excerpt {
    /// The line on which `span` starts, cut to a readable length.
    fn new(source: &Source, span: Span, secrets: &[Span]) -> Self {
        let text = source.text();
        let at = source.position(span.start as usize);
        let start = text[..at.byte].rfind('\n').map_or(0, |newline| newline + 1);
        let end = at.byte + text[at.byte..].find('\n').unwrap_or(text.len() - at.byte);
        let end = start + text[start..end].trim_end().len();
        let long = end - start > MAX_EXCERPT;
        let from = if long { at.byte.saturating_sub(BEFORE).max(start) } else { start };
        let from = (from..=at.byte).find(|byte| text.is_char_boundary(*byte)).unwrap_or(at.byte);
        let to = if long { end.min(from + MAX_EXCERPT) } else { end }.max(from);
        let to = (from..=to).rev().find(|byte| text.is_char_boundary(*byte)).unwrap_or(from);
        let (head, tail) = (if from > start { CUT } else { "" }, if to < end { CUT } else { "" });
        let inside = |byte: usize| byte.clamp(from, to) - from + head.len();
        let mut shown = format!("{head}{}{tail}", &text[from..to]);
        for secret in secrets {
            let hidden = inside(secret.start as usize)..inside(secret.end as usize);
            let stars = "*".repeat(hidden.len());
            shown.replace_range(hidden, &stars);
        }
        Self {
            text: shown,
            span: Span::new(inside(at.byte), inside(span.end as usize)),
            line: at.line,
            column: source.position(from).column - head.chars().count().min(1),
        }
    }
}

/// Where [`fnv`] starts.
pub(super) const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a: fast on short texts, and the same in every version, so that it can be written to files.
pub(super) fn fnv(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
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
            excerpt: None,
            secret: false,
        });
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    /// The findings with their lines and columns, in the order of the file, what several hosts
    /// agree on told once.
    pub(super) fn located(self, source: &Source) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.0;
        let secrets = findings.iter().filter(|finding| finding.secret).map(|finding| finding.span);
        let secrets: Vec<Span> = secrets.collect();
        for finding in &mut findings {
            finding.start = source.position(finding.span.start as usize);
            finding.end = source.position(finding.span.end as usize);
            finding.excerpt = Some(Excerpt::new(source, finding.span, &secrets));
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
            excerpt: None,
            secret: false,
        }
    }

    /// What stays the same while lines move: rule, file, agent and message.
    pub fn fingerprint(&self) -> u64 {
        let parts = [self.rule.name, &self.path, &self.agent, &self.message];
        parts.iter().fold(FNV_START, |hash, part| fnv(fnv(hash, part.as_bytes()), &[0]))
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

    /// The bytes are a secret: whoever shows the line hides them.
    pub fn secret(&mut self) -> &mut Self {
        self.secret = true;
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
