//! What a rule is.

use serde::{Deserialize, Serialize};

use super::{AgentCx, CatalogCx, Finding, Findings};

/// How bad a finding is.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing, or a matter of taste. Off unless selected.
    Info,
    /// The definition works, but not as its author thinks.
    Warning,
    /// The definition does not load, fails, or does what its author forbade.
    Error,
}

impl Level {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A rule. The set is closed: every rule is one line of [`RULES`](super::RULES).
#[derive(Debug)]
pub struct Rule {
    /// Its name, which reads well after "allow".
    pub name: &'static str,
    /// What a definition does that the rule reports, in a clause.
    pub summary: &'static str,
    /// Its manual: the doc comment of its file.
    pub docs: &'static str,
    /// How bad its findings are at worst; single findings may be milder.
    pub level: Level,
    /// The code.
    pub check: Check,
}

impl Rule {
    /// Its manual as a Markdown page.
    pub fn page(&self) -> String {
        let lines = self.docs.lines().map(|line| line.strip_prefix(' ').unwrap_or(line));
        let docs = lines.collect::<Vec<_>>().join("\n");
        let default = if self.level == Level::Info { ", off by default" } else { "" };
        format!(
            "# {}\n\nThe definition {}. Level: {}{default}.\n\n{docs}\n",
            self.name,
            self.summary,
            self.level.name()
        )
    }
}

/// What a rule looks at.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// One definition, with its text.
    Agent(fn(&AgentCx<'_>, &mut Findings)),
    /// All definitions, without their texts.
    Catalog(fn(&CatalogCx<'_>, &mut Vec<Finding>)),
    /// The engine itself reports it.
    Engine,
}

/// Declares a rule; its doc comment becomes [`Rule::docs`].
macro_rules! declare_rule {
    (
        $(#[doc = $doc:expr])+
        $vis:vis static $ident:ident = {
            name: $name:literal,
            summary: $summary:literal,
            level: $level:expr,
            check: $check:expr,
        }
    ) => {
        $(#[doc = $doc])+
        $vis static $ident: $crate::lint::Rule = $crate::lint::Rule {
            name: $name,
            summary: $summary,
            docs: concat!($($doc, "\n"),+),
            level: $level,
            check: $check,
        };
    };
}
pub(super) use declare_rule;
