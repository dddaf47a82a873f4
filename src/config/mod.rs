//! Settings: what a file may say ([`Options`]), and what that comes to ([`Settings`]).
//!
//! Reads no files and no environment; `cli` does, and hands in the texts.

mod lint;
mod patterns;

use std::path::{Path, PathBuf};

use globset::GlobSet;
use schemars::JsonSchema;
use serde::Deserialize;
use thiserror::Error;

pub use lint::{LintOptions, LintSettings, Severity, check_rule_name};

use crate::text::{Source, Span};
use patterns::{BadValue, glob_set};

/// The name of the file in a project.
pub const FILE_NAME: &str = "agentctl.toml";

/// What `agentctl.toml` may say.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "agentctl.toml")]
pub struct Options {
    /// Where definitions are looked for.
    #[serde(default)]
    pub catalog: CatalogOptions,
    /// What `validate` reports.
    #[serde(default)]
    pub lint: LintOptions,
}

/// Where definitions are looked for.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CatalogOptions {
    /// Folders to read instead of `agents`, `.agentctl/agents` and the folders of the known hosts,
    /// relative to this file.
    #[serde(default)]
    pub dirs: Vec<PathBuf>,
    /// Files to leave out: glob patterns, relative to this file.
    #[serde(default)]
    pub exclude: Vec<String>,
}

/// Settings, resolved. Folders and patterns are absolute.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Folders to read instead of the usual ones.
    pub dirs: Vec<PathBuf>,
    /// Files to leave out.
    pub exclude: Vec<GlobSet>,
    /// What `validate` reports.
    pub lint: LintSettings,
}

/// A settings file that cannot be used. The user's to mend.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct ConfigError {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
}

impl Settings {
    /// Reads the text of a settings file that lies in `folder`, which is absolute.
    pub fn parse(source: &Source, folder: &Path) -> Result<Self, ConfigError> {
        let options: Options = toml::from_str(source.text()).map_err(|error| ConfigError {
            message: error.message().to_owned(),
            span: error.span().map(Span::from).unwrap_or_default(),
        })?;
        let place = |written: &str| {
            let at = source.text().find(written).unwrap_or(0);
            Span::new(at, (at + written.len()).min(source.text().len()))
        };
        let refuse =
            |bad: BadValue| ConfigError { span: place(&bad.written), message: bad.message };
        let exclude = glob_set(folder, &options.catalog.exclude).map_err(refuse)?;
        let lint = LintSettings::resolve(options.lint, folder).map_err(refuse)?;
        // Collecting the components drops each `.` among them.
        let absolute = |dir: &PathBuf| folder.join(dir).components().collect();
        let dirs = options.catalog.dirs.iter().map(absolute).collect();
        Ok(Self { dirs, exclude: vec![exclude], lint })
    }

    /// These settings, and where they say nothing those of `lower`.
    pub fn over(mut self, lower: Self) -> Self {
        if self.dirs.is_empty() {
            self.dirs = lower.dirs;
        }
        self.exclude.extend(lower.exclude);
        self.lint = self.lint.over(lower.lint);
        self
    }
}

/// The JSON Schema of `agentctl.toml`.
pub fn json_schema() -> serde_json::Value {
    schemars::schema_for!(Options).to_value()
}
