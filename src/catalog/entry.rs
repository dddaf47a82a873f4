//! One definition of the catalog.

use std::{path::PathBuf, sync::Arc};

use serde::Serialize;

use crate::{
    dialect::{Dialect, Fault, Form},
    model::{Definition, PromptText},
    text::{Position, Source, Span},
};

/// Where a definition comes from. Decided by where the file was found, never by what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The working directory, or a path that was asked for.
    Project,
    /// The user's home.
    User,
    /// agentctl itself.
    Builtin,
}

impl Origin {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Builtin => "builtin",
        }
    }
}

/// A thing and the lines and columns where it stands, worked out while the text was there.
#[derive(Clone, Debug)]
pub struct Located<T> {
    /// What it is.
    pub what: T,
    /// Its first character.
    pub start: Position,
    /// One past its last.
    pub end: Position,
}

impl<T> Located<T> {
    /// Finds the lines and columns of `span`.
    pub fn new(span: Span, what: T, source: &Source) -> Self {
        let Span { start, end } = span;
        Self { what, start: source.position(start as usize), end: source.position(end as usize) }
    }
}

/// One definition.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The file, as it was found.
    pub path: PathBuf,
    /// Where it comes from.
    pub origin: Origin,
    /// What it is written in.
    pub dialect: &'static Dialect,
    /// The kind of file.
    pub form: &'static Form,
    /// The plugin it belongs to.
    pub plugin: Option<String>,
    /// The definition itself.
    pub definition: Definition,
    /// Where its name stands, or the head of the file if it does not stand there.
    pub name_place: (Position, Position),
    /// Where its description stands.
    pub description_place: Option<(Position, Position)>,
    /// The agents it names, with their places.
    pub agent_places: Vec<Located<String>>,
    /// The skills it names, with their places.
    pub skill_places: Vec<Located<String>>,
    /// The MCP servers it names and does not bring itself, with their places.
    pub server_places: Vec<Located<String>>,
    /// The names of its variants, with their places.
    pub persona_places: Vec<Located<String>>,
    /// What its host does not take as written.
    pub faults: Vec<Located<Fault>>,
    /// Whether the host takes the file at all, as far as that is known for sure.
    pub file_loads: bool,
    /// Definitions of the same name that this one hides, as indexes of the catalog.
    pub shadows: Vec<usize>,
    /// The definition of the same name that hides this one.
    pub shadowed_by: Option<usize>,
    /// The text, if it was kept.
    pub source: Option<Arc<Source>>,
}

impl Entry {
    /// The name by which it is looked up.
    pub fn name(&self) -> &str {
        &self.definition.name.text
    }

    /// The name with the plugin in front, if it belongs to one.
    pub fn full_name(&self) -> String {
        match &self.plugin {
            Some(plugin) => format!("{plugin}:{}", self.name()),
            None => self.name().to_owned(),
        }
    }

    /// Whether the host would load it, as far as that is known for sure.
    pub fn loads(&self) -> bool {
        self.file_loads && !self.faults.iter().any(|fault| fault.what.stops())
    }

    /// The system prompt, if there is one and the text was kept.
    pub fn system_prompt(&self) -> Option<&str> {
        let text = self.definition.prompt.system.as_ref()?;
        match &text.value {
            PromptText::Value(value) => Some(value),
            PromptText::Body => Some(self.source.as_ref()?.slice(text.span)),
        }
    }
}
