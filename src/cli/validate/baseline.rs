//! Findings that are already known: an earlier run's `--format json`.

use std::{collections::HashMap, path::Path};

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::lint::Finding;

/// How often each finding is known. Lines do not count, so that code can move.
#[derive(Clone, Debug, Default)]
pub(super) struct Baseline(HashMap<[String; 4], usize>);

#[derive(Deserialize)]
struct File {
    findings: Vec<Known>,
}

#[derive(Deserialize)]
struct Known {
    rule: String,
    path: String,
    agent: String,
    message: String,
}

impl Baseline {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let shown = path.display();
        let text = std::fs::read_to_string(path).with_context(|| {
            format!("cannot read the baseline {shown}; make one with `agentctl validate --format json > {shown}`")
        })?;
        let file: File = serde_json::from_str(&text).with_context(|| {
            format!("{shown} is not the output of `agentctl validate --format json`")
        })?;
        let mut known = HashMap::new();
        for Known { rule, path, agent, message } in file.findings {
            *known.entry([rule, path, agent, message]).or_default() += 1;
        }
        Ok(Self(known))
    }

    /// Whether `finding` is known; each known one excuses one.
    pub(super) fn take(&mut self, finding: &Finding) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let key = [
            finding.rule.name.to_owned(),
            finding.path.clone(),
            finding.agent.clone(),
            finding.message.clone(),
        ];
        match self.0.get_mut(&key) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }
}
