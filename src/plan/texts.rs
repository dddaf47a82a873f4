//! The texts of a definition, filled in.

use serde_json::{Map, Value};

use super::{DEFAULT_QUERY, Finish, PlanError, Renderer, Situation};
use crate::{
    catalog::Entry,
    conversation::{Message, Part},
    dialect::Template,
    model::TEMPLATE_VARIABLES,
};

/// What every agent is told about finishing.
const COMPLETION: &str = include_str!("../../templates/prompts/completion.md");
/// The same for an agent that hands in a structured result.
const COMPLETION_WITH_SCHEMA: &str =
    include_str!("../../templates/prompts/completion_with_schema.md");
/// The same for an agent whose last message is its result.
const LAST_MESSAGE: &str = include_str!("../../templates/prompts/last_message.md");

/// The texts of a definition, and what goes into them.
pub(super) struct Texts<'a> {
    pub entry: &'a Entry,
    pub situation: &'a Situation<'a>,
    pub prompt: Option<&'a str>,
}

impl Texts<'_> {
    pub fn variables(&self, mut values: Map<String, Value>) -> Map<String, Value> {
        for name in TEMPLATE_VARIABLES {
            let value = match *name {
                "agent_type" => self.entry.name().to_owned(),
                "cwd" => self.situation.cwd.display().to_string(),
                "prompt" => self.prompt.unwrap_or_default().to_owned(),
                _ => self.situation.today.to_owned(),
            };
            values.insert((*name).to_owned(), Value::String(value));
        }
        values
    }

    /// Only texts in which `${…}` means something are rendered; a shell script in another host's
    /// prompt stays what it is.
    fn template(&self) -> Option<Template> {
        self.entry.form.prompts.template.filter(|template| template.open == "${")
    }

    fn uses(&self, text: &str, name: &str) -> bool {
        self.template().is_some_and(|template| template.uses(text).any(|found| found.name == name))
    }

    fn render(&self, renderer: &Renderer, text: &str) -> Result<String, PlanError> {
        if self.template().is_none() {
            return Ok(text.to_owned());
        }
        renderer.render(text).map_err(PlanError::Prompt)
    }

    pub fn system(
        &self,
        renderer: &Renderer,
        has_schema: bool,
        finish: Finish,
    ) -> Result<String, PlanError> {
        let text = self.entry.system_prompt().unwrap_or_default();
        if text.trim().is_empty() {
            return Err(PlanError::NoPrompt);
        }
        let mut system = self.render(renderer, text)?.trim().to_owned();
        if !self.uses(text, "cwd") {
            let cwd = self.situation.cwd.display();
            system.push_str(&format!(
                "\n\nWorking directory: {cwd}\nToday: {}",
                self.situation.today
            ));
        }
        system.push_str("\n\n");
        let completion = match finish {
            Finish::LastMessage => LAST_MESSAGE,
            Finish::CompleteTask if has_schema => COMPLETION_WITH_SCHEMA,
            Finish::CompleteTask => COMPLETION,
        };
        system.push_str(completion.trim());
        Ok(system)
    }

    pub fn initial_messages(&self, renderer: &Renderer) -> Result<Vec<Message>, PlanError> {
        let written = &self.entry.definition.prompt.initial_messages;
        let messages = written.iter().map(|message| {
            let text = self.render(renderer, &message.content.value)?;
            Ok(match message.role.value.as_str() {
                "assistant" | "model" => {
                    Message::Assistant { parts: vec![Part::Text { text }], by: String::new() }
                }
                _ => Message::user(text),
            })
        });
        messages.collect()
    }

    /// The first message of the task. A prompt never vanishes: where no text of the definition
    /// mentions it, it follows the query.
    pub fn query(&self, renderer: &Renderer) -> Result<String, PlanError> {
        let Some(query) = &self.entry.definition.prompt.query else {
            return Ok(self.prompt.unwrap_or(DEFAULT_QUERY).to_owned());
        };
        let mut rendered = self.render(renderer, &query.value)?;
        let system = self.entry.system_prompt().unwrap_or_default();
        let mentioned = self.uses(&query.value, "prompt") || self.uses(system, "prompt");
        if let Some(prompt) = self.prompt.filter(|_| !mentioned) {
            rendered.push_str("\n\n");
            rendered.push_str(prompt);
        }
        Ok(rendered)
    }
}
