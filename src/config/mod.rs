//! Settings: what a file may say ([`Options`]), and what that comes to ([`Settings`]).
//!
//! Reads no files and no environment; `cli` does, and hands in the texts.

mod collab;
mod lint;
mod patterns;
mod run;
mod tui;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use globset::GlobSet;
use schemars::JsonSchema;
use serde::Deserialize;
use thiserror::Error;

pub use collab::{CollabOptions, CollabSettings, WaitLimits};
pub use lint::{LintOptions, LintSettings, Severity, check_rule_name};
pub use run::{
    ModelAlias, Patience, ProviderOptions, ProviderSettings, RunOptions, RunSettings, ToolOptions,
};
pub use tui::{Notification, NotificationOptions, TuiOptions, TuiSettings};

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
    /// How agents are run.
    #[serde(default)]
    pub run: RunOptions,
    /// Names for models: `fast = "openai/gpt-5-mini"`, or several in order of preference.
    #[serde(default)]
    pub models: BTreeMap<String, ModelAlias>,
    /// Servers with models. Only in the user's own file.
    #[serde(default)]
    pub providers: BTreeMap<String, ProviderOptions>,
    /// What tools may do. Only in the user's own file.
    #[serde(default)]
    pub tools: ToolOptions,
    /// Agents that start others.
    #[serde(default)]
    pub collab: CollabOptions,
    /// What people at a terminal get to see.
    #[serde(default)]
    pub tui: TuiOptions,
}

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The project's, which may come from anyone.
    Project,
    /// The user's own.
    User,
}

/// Tables that could send the user's keys elsewhere or widen what tools may do.
const USERS_ONLY: &[&str] = &["providers", "tools"];

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
    /// How agents are run.
    pub run: RunSettings,
    /// How agents start others.
    pub collab: CollabSettings,
    /// What people at a terminal get to see.
    pub tui: TuiSettings,
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
    pub fn parse(source: &Source, folder: &Path, owner: Owner) -> Result<Self, ConfigError> {
        if owner == Owner::Project {
            refuse_what_is_the_users(source)?;
        }
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
        let run =
            RunSettings::resolve(options.run, options.models, options.providers, options.tools)
                .map_err(refuse)?;
        let tui = TuiSettings::resolve(options.tui).map_err(refuse)?;
        // Collecting the components drops each `.` among them.
        let absolute = |dir: &PathBuf| folder.join(dir).components().collect();
        let dirs = options.catalog.dirs.iter().map(absolute).collect();
        let collab = CollabSettings::resolve(options.collab).map_err(refuse)?;
        Ok(Self { dirs, exclude: vec![exclude], lint, run, collab, tui })
    }

    /// These settings, and where they say nothing those of `lower`.
    pub fn over(mut self, lower: Self) -> Self {
        if self.dirs.is_empty() {
            self.dirs = lower.dirs;
        }
        self.exclude.extend(lower.exclude);
        self.lint = self.lint.over(lower.lint);
        self.run = self.run.over(lower.run);
        self.collab = self.collab.over(lower.collab);
        self.tui = self.tui.over(lower.tui);
        self
    }
}

/// A project must not decide where the user's keys go.
fn refuse_what_is_the_users(source: &Source) -> Result<(), ConfigError> {
    // What does not parse is reported by whoever reads it in earnest.
    let Ok(table) = toml::de::DeTable::parse(source.text()) else { return Ok(()) };
    for (key, _) in table.get_ref() {
        if let Some(name) = USERS_ONLY.iter().find(|name| **name == key.get_ref().as_ref()) {
            let message = format!(
                "`[{name}]` is only read from the user's own file, not from a project: it could \
                 send keys elsewhere or let tools do more"
            );
            return Err(ConfigError { message, span: key.span().into() });
        }
    }
    Ok(())
}

/// The JSON Schema of `agentctl.toml`.
pub fn json_schema() -> serde_json::Value {
    schemars::schema_for!(Options).to_value()
}
