//! Collaboration modes: how the main agent works with the person it talks to.

use serde::{Deserialize, Serialize};

use super::{Member, Session, SessionError, spawn::check_effort};

/// How the main agent works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModeKind {
    /// It plans and changes nothing.
    Plan,
    /// It works in small steps together with a person.
    PairProgramming,
    /// It carries out what was agreed.
    #[serde(alias = "default", alias = "code")]
    Execute,
    /// Whatever its settings say.
    Custom,
}

/// A mode and what it changes. What is not set stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    /// The mode.
    pub mode: ModeKind,
    /// What it changes.
    #[serde(default)]
    pub settings: ModeSettings,
}

/// What a mode changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModeSettings {
    /// The model.
    pub model: Option<String>,
    /// How hard it thinks.
    pub reasoning_effort: Option<String>,
    /// What it is told besides; the mode's own text without it.
    pub developer_instructions: Option<String>,
}

impl ModeKind {
    /// Every one: its name, what people call it, and what the agent is told.
    pub const ALL: &[(&str, &str, Self, &str)] = &[
        ("plan", "Plan", Self::Plan, include_str!("../../templates/prompts/mode_plan.md")),
        (
            "pair_programming",
            "Pair programming",
            Self::PairProgramming,
            include_str!("../../templates/prompts/mode_pair_programming.md"),
        ),
        (
            "execute",
            "Execute",
            Self::Execute,
            include_str!("../../templates/prompts/mode_execute.md"),
        ),
        ("custom", "Custom", Self::Custom, ""),
    ];

    /// The one called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        let name = if matches!(name, "default" | "code") { "execute" } else { name };
        Self::ALL.iter().find(|(known, ..)| *known == name).map(|(_, _, kind, _)| *kind)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, _, kind, _)| *kind == self).map_or("", |(name, ..)| name)
    }

    fn text(self) -> &'static str {
        Self::ALL.iter().find(|(_, _, kind, _)| *kind == self).map_or("", |(.., text)| text)
    }
}

impl Mode {
    /// A mode that changes nothing but how the agent works.
    pub fn plain(mode: ModeKind) -> Self {
        Self { mode, settings: ModeSettings::default() }
    }

    /// What the agent is told.
    pub fn instructions(&self) -> Option<String> {
        let own = self.settings.developer_instructions.clone();
        let text = own.unwrap_or_else(|| self.mode.text().to_owned());
        (!text.trim().is_empty()).then_some(text)
    }
}

impl Session {
    /// Makes the main agent work in `mode` from its next run on.
    pub fn set_mode(&self, mode: Mode) -> Result<(), SessionError> {
        self.check_model(mode.settings.model.as_deref())?;
        let main = self.main()?;
        let effort = mode.settings.reasoning_effort.clone();
        let before = main.call().mode.replace(mode);
        let plan = self.plan_of(&main, Default::default());
        let fits = plan.and_then(|plan| check_effort(&plan, effort.as_deref()));
        // What cannot be planned must not become the way it works.
        if let Err(error) = fits {
            main.call().mode = before;
            return Err(error);
        }
        main.inner().planned = false;
        self.remember_call(&main)
    }

    /// Keeps how an agent is called, for whoever goes on with it.
    fn remember_call(&self, member: &Member) -> Result<(), SessionError> {
        let Some((store, _)) = self.kept() else { return Ok(()) };
        let call = serde_json::to_value(&*member.call()).unwrap_or_default();
        let call = self.setup.around.journal.redactor().value(call);
        Ok(store.set_call(member.id(), &call)?)
    }

    /// How the main agent works.
    pub fn mode(&self) -> Option<Mode> {
        self.main().ok().and_then(|main| main.call().mode.clone())
    }
}
