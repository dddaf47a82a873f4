//! `[lint]`: which rules count, how much, and where.

use std::{collections::BTreeMap, path::Path};

use globset::GlobSet;
use schemars::JsonSchema;
use serde::Deserialize;

use super::patterns::{BadValue, glob_set};
use crate::lint::{FileReport, Finding, Level, RULES, suppress};

/// What a rule's findings count as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Makes `validate` fail.
    Error,
    /// Is reported.
    Warning,
    /// Is mentioned.
    Info,
    /// Is not reported.
    Off,
}

/// What `[lint]` may say.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LintOptions {
    /// Rules to add to those that are on; `all` for every one.
    #[serde(default)]
    pub select: Vec<String>,
    /// Rules to switch off.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// What single rules count as.
    #[serde(default)]
    pub severity: BTreeMap<String, Severity>,
    /// Hosts to check every file for, instead of the one it is written for.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Exceptions for some files.
    #[serde(default)]
    pub overrides: Vec<LintOverride>,
}

/// An exception for some files.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LintOverride {
    /// Glob patterns, relative to this file.
    pub paths: Vec<String>,
    /// Rules to switch off there.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// What single rules count as there.
    #[serde(default)]
    pub severity: BTreeMap<String, Severity>,
}

/// `[lint]`, resolved.
#[derive(Clone, Debug, Default)]
pub struct LintSettings {
    /// Rules that are on although their findings are only worth knowing.
    pub select: Vec<String>,
    /// Rules that are off.
    pub ignore: Vec<String>,
    /// What single rules count as.
    pub severity: BTreeMap<String, Severity>,
    /// Hosts to check for.
    pub hosts: Vec<String>,
    overrides: Vec<(GlobSet, LintOverride)>,
}

impl LintSettings {
    pub(super) fn resolve(options: LintOptions, folder: &Path) -> Result<Self, BadValue> {
        let named = options.select.iter().chain(&options.ignore).chain(options.severity.keys());
        let inner = options
            .overrides
            .iter()
            .flat_map(|over| over.ignore.iter().chain(over.severity.keys()));
        for name in named.chain(inner) {
            known_rule(name)?;
        }
        for host in &options.hosts {
            if crate::dialect::dialect(host).is_none() {
                let known: Vec<_> =
                    crate::dialect::DIALECTS.iter().map(|dialect| dialect.id).collect();
                let message =
                    format!("there is no host called `{host}`; there are {}", known.join(", "));
                return Err(BadValue { written: host.clone(), message });
            }
        }
        let LintOptions { select, ignore, severity, hosts, overrides } = options;
        let mut matched = Vec::new();
        for over in overrides {
            matched.push((glob_set(folder, &over.paths)?, over));
        }
        Ok(Self { select, ignore, severity, hosts, overrides: matched })
    }

    pub(super) fn over(mut self, lower: Self) -> Self {
        self.select.extend(lower.select);
        self.ignore.extend(lower.ignore);
        for (rule, severity) in lower.severity {
            self.severity.entry(rule).or_insert(severity);
        }
        if self.hosts.is_empty() {
            self.hosts = lower.hosts;
        }
        self.overrides.extend(lower.overrides);
        self
    }

    /// The findings of `report` that count, for the file at the absolute `path`.
    pub fn settle(&self, report: FileReport, path: &Path) -> Vec<Finding> {
        let mut reports = [report];
        suppress(&mut reports);
        let [mut report] = reports;
        report.findings.retain_mut(|finding| match self.level(finding, path) {
            Some(level) => {
                finding.level = level;
                true
            }
            None => false,
        });
        report.findings
    }

    /// What `finding`, in the file at the absolute `path`, counts as; `None` if it is not
    /// reported.
    pub fn level(&self, finding: &Finding, path: &Path) -> Option<Level> {
        let rule = finding.rule.name;
        let is = |name: &String| name == rule || name == "all";
        let mut severity = self.severity.get(rule).copied();
        let mut ignored = self.ignore.iter().any(is);
        for (paths, over) in &self.overrides {
            if paths.is_match(path) {
                severity = over.severity.get(rule).copied().or(severity);
                ignored |= over.ignore.iter().any(is);
            }
        }
        if ignored {
            return None;
        }
        match severity {
            Some(Severity::Off) => None,
            Some(Severity::Error) => Some(Level::Error),
            Some(Severity::Warning) => Some(Level::Warning),
            Some(Severity::Info) => Some(Level::Info),
            None if finding.level == Level::Info && !self.select.iter().any(is) => None,
            None => Some(finding.level),
        }
    }
}

fn known_rule(name: &str) -> Result<(), BadValue> {
    if name == "all" || RULES.iter().any(|rule| rule.name == name) {
        return Ok(());
    }
    let near = crate::lint::closest(name, RULES.iter().map(|rule| rule.name));
    let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Err(BadValue {
        written: name.to_owned(),
        message: format!("there is no rule called `{name}`{hint}"),
    })
}

/// Checks names given on the command line.
pub fn check_rule_name(name: &str) -> Result<String, String> {
    known_rule(name).map(|()| name.to_owned()).map_err(|bad| bad.message)
}
