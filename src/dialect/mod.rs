//! The hosts: where each looks, what it understands, and what it does with the rest.
//!
//! One file per host, and each is a table. Reading, checking, JSON Schemas and documentation are
//! folds over these tables; code that asks "is this Claude?" does not exist.

mod agentctl;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod detect;
mod docker;
mod factory;
mod fault;
mod field;
mod gemini;
mod goose;
mod kiro;
mod lower;
mod models;
mod opencode;
mod outcome;
mod place;
mod prompts;
mod qwen;
mod schema;
mod template;
mod tools;

use std::fmt;

pub use detect::{Detected, detect, detect_as};
pub use fault::{Fault, FaultKind};
pub use field::{Field, FieldEffect, Kind, Mismatch, NameRule, Shape, Slot};
pub use lower::{Lowered, lower};
pub use models::{FAMILIES, Family, ModelName, Models};
pub use outcome::{Confidence, Fact, Failures, Outcome, documented, unverified, verified};
pub use place::{Base, Depth, Fit, Names, Place};
pub use prompts::{Prompts, Template, TemplateUse, TextLimit};
pub use schema::json_schema;
pub use tools::{Grant, HostTool, McpSyntax, Meaning, Vocabulary};

use crate::document::{Document, Format};

/// A host's way of writing agents.
#[derive(Debug)]
pub struct Dialect {
    /// Its name on the command line.
    pub id: &'static str,
    /// The host's name.
    pub host: &'static str,
    /// The kinds of files it has; the first is the usual one.
    pub forms: &'static [Form],
    /// Agents the host brings itself.
    pub built_in: &'static [&'static str],
    /// Whether a file can replace one of those.
    pub built_in_can_be_replaced: bool,
    /// Which of two agents with the same name the host takes.
    pub duplicates: Duplicates,
    /// Its tool names.
    pub tools: &'static Vocabulary,
    /// Its model names.
    pub models: Models,
}

/// Which of two agents with the same name a host takes. Places are tried in the order of the
/// table, files in the order of their paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// The first.
    FirstWins,
    /// The last.
    LastWins,
    /// Later ones are laid over earlier ones, key by key.
    Merge,
    /// It refuses the whole file.
    Refused,
    /// Not known.
    Unknown,
}

/// One kind of file.
#[derive(Debug)]
pub struct Form {
    /// Its name beside the dialect's; empty for the usual one.
    pub id: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// What it can be written in.
    pub formats: &'static [Format],
    /// Where the host looks, most important first.
    pub places: &'static [Place],
    /// How agents lie in the file.
    pub layout: Layout,
    /// What identifies an agent.
    pub identity: Identity,
    /// Where the system prompt is.
    pub prompt: PromptSource,
    /// What its texts may hold.
    pub prompts: Prompts,
    /// Its keys.
    pub fields: &'static [Field],
    /// What the host does with what it does not like.
    pub failures: Failures,
    /// Keys by which a file outside of any known folder is recognised.
    pub signature: Signature,
    /// What is checked beyond the table.
    pub check: Option<fn(&mut fault::Checker<'_>)>,
}

/// How agents lie in a file.
#[derive(Clone, Copy, Debug)]
pub enum Layout {
    /// The file is one agent.
    One,
    /// The file is one agent, perhaps inside of this key.
    Wrapped(&'static str),
    /// The file is one agent or a list of them.
    OneOrList,
    /// The values of one of these keys are agents; the others are settings.
    Keyed {
        /// The keys to look under.
        keys: &'static [&'static str],
        /// Keys among the agents that are settings.
        settings: &'static [Field],
        /// The other keys of the file.
        top: &'static [Field],
        /// What the host does with a key of the file that it does not know.
        unknown_top: Fact,
    },
}

/// What identifies an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The field in [`Slot::Name`], which the host insists on.
    Field,
    /// That field, or else the file's name.
    FieldOrFile,
    /// The file's name without its ending; a name in the file is for people.
    File,
    /// That field, or else the path below the agents' folder without its ending.
    FieldOrPath,
    /// The path below the agents' folder without its ending.
    Path,
    /// The key under which the agent stands.
    Key,
}

/// Where the system prompt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptSource {
    /// The body of the Markdown file; a field in [`Slot::SystemPrompt`] takes its place.
    Body,
    /// A field in [`Slot::SystemPrompt`].
    Field,
}

/// Keys by which a file is recognised.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// All of these must be there.
    pub all: &'static [&'static str],
    /// One of these must be there, if there are any.
    pub any: &'static [&'static str],
    /// Each of these makes the dialect more likely.
    pub hints: &'static [&'static str],
}

impl Signature {
    /// A file that is only recognised by where it lies.
    pub const NEVER: Self = Self { all: &["\0"], any: &[], hints: &[] };
}

/// Every dialect, in the order in which equally likely ones are preferred.
pub static DIALECTS: &[&Dialect] = &[
    &agentctl::DIALECT,
    &claude::DIALECT,
    &gemini::DIALECT,
    &codex::DIALECT,
    &copilot::DIALECT,
    &opencode::DIALECT,
    &qwen::DIALECT,
    &goose::DIALECT,
    &docker::DIALECT,
    &factory::DIALECT,
    &cursor::DIALECT,
    &kiro::DIALECT,
    &template::DIALECT,
];

/// The dialect called `id`.
pub fn dialect(id: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().copied().find(|dialect| dialect.id == id)
}

impl Form {
    /// What to call it together with its dialect.
    pub fn full_id(&self, dialect: &Dialect) -> String {
        if self.id.is_empty() {
            dialect.id.to_owned()
        } else {
            format!("{}-{}", dialect.id, self.id)
        }
    }

    /// The field called `key`.
    pub fn field(&self, key: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The field at `path`, as in [`FieldUse::path`](crate::model::FieldUse::path).
    pub fn field_at(&self, path: &str) -> Option<&'static Field> {
        let mut fields = self.fields;
        let mut found = None;
        for key in path.split('.') {
            let field = fields.iter().find(|field| field.key == key)?;
            fields = match field.kind {
                Kind::Table(inner) | Kind::OpenTable(inner, _) => inner,
                _ => &[],
            };
            found = Some(field);
        }
        found
    }

    /// Whether the host gives the keys of `document` a meaning at all.
    pub fn reads(&self, document: &Document) -> bool {
        self.formats.contains(&document.format)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.host)
    }
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

#[cfg(test)]
mod tests;
