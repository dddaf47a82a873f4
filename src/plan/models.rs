//! Which models an agent asks, in which order, and why.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    dialect::Family,
    lint::closest,
    provider::{ENDPOINTS, Endpoint, ModelId, OFFLINE, REPLAY, SCRIPT},
};

/// Names for models that need no settings.
const ALIASES: &[(&str, &str)] = &[
    ("haiku", "anthropic/claude-haiku-4-5"),
    ("opus", "anthropic/claude-opus-4-5"),
    ("sonnet", "anthropic/claude-sonnet-4-5"),
    ("claude-haiku", "anthropic/claude-haiku-4-5"),
    ("claude-opus", "anthropic/claude-opus-4-5"),
    ("claude-sonnet", "anthropic/claude-sonnet-4-5"),
];

/// The word for the model of whoever starts an agent.
const INHERIT: &str = "inherit";

/// Names that lead to each other stop being followed here.
const MAX_ALIAS_DEPTH: usize = 8;

/// Every model that can be asked.
#[derive(Clone, Debug, Default)]
pub struct ModelBook {
    /// The servers there are, with or without a key.
    pub endpoints: Vec<Endpoint>,
    /// Names for models, from settings.
    pub aliases: BTreeMap<String, Vec<String>>,
    /// The model for agents that do not choose one, from settings.
    pub preferred: Option<String>,
    /// Models of servers on this machine, in case there is nothing else; `None` if nobody looked.
    pub local: Option<Vec<ModelId>>,
}

/// What was said about the model, besides the definition.
#[derive(Clone, Debug, Default)]
pub struct ModelWishes {
    /// The variable that overrides everything, and its value.
    pub variable: Option<(&'static str, String)>,
    /// The call.
    pub call: Option<String>,
    /// The model of the agent that starts this one.
    pub parent: Option<ModelId>,
    /// Whether the session only plans.
    pub plan_mode: bool,
}

/// One step of the decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Who was asked.
    pub from: &'static str,
    /// What they said.
    pub says: String,
    /// Whether that decided.
    pub decides: bool,
}

/// The decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// How it came about.
    pub steps: Vec<Step>,
    /// The models in order of preference; none if there is none to be had.
    pub models: Vec<ModelId>,
}

/// A name that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownModel {
    /// The name.
    pub name: String,
    /// Who used it.
    pub from: &'static str,
    /// A name it may be a typo of.
    pub near: Option<String>,
}

impl UnknownModel {
    /// What was perhaps meant, to be added to a message.
    pub(super) fn hint(&self) -> String {
        let near = self.near.as_ref();
        near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
    }
}

impl ModelBook {
    /// Decides. `written` are the names in the definition.
    pub fn chain(&self, written: &[&str], wishes: &ModelWishes) -> Result<Chain, UnknownModel> {
        let mut steps = Vec::new();
        let variable = wishes.variable.as_ref().map(|(name, value)| (*name, value.as_str()));
        let (name, value) = variable.unwrap_or(("AGENTCTL_SUBAGENT_MODEL", ""));
        let variable = [value].into_iter().filter(|value| !value.is_empty()).collect::<Vec<_>>();
        let call: Vec<&str> = wishes.call.as_deref().into_iter().collect();
        for (from, names) in
            [(name, variable.as_slice()), ("--model", &call), ("definition", written)]
        {
            let models = self.resolve(names, from)?;
            let decides = !models.is_empty();
            let says = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
            steps.push(Step { from, says, decides });
            if decides {
                return Ok(Chain { steps, models });
            }
        }
        let (from, models, says) = self.inherited(wishes)?;
        steps.push(Step { from, says, decides: !models.is_empty() });
        Ok(Chain { steps, models })
    }

    /// The names someone can choose from: those from settings, those that need none and can be
    /// asked, and the models of servers on this machine.
    pub fn names(&self) -> Vec<String> {
        let set = self.aliases.keys().cloned().chain(self.preferred.clone());
        let usable = |target: &str| {
            let id = ModelId::parse(target);
            id.is_some_and(|id| self.endpoint(&id).is_some() && self.missing_key(&id).is_none())
        };
        let known = ALIASES.iter().filter(|(_, target)| usable(target));
        let known = known.map(|(name, _)| (*name).to_owned());
        let local = self.local.iter().flatten().map(ToString::to_string);
        let mut names: Vec<String> = set.chain(known).chain(local).collect();
        names.push("inherit".to_owned());
        names.sort();
        names.dedup();
        names
    }

    /// The server a model is on, if it is on one.
    pub fn endpoint(&self, id: &ModelId) -> Option<&Endpoint> {
        self.endpoints.iter().find(|endpoint| endpoint.name == id.provider)
    }

    /// The variable whose key is missing for `id`.
    pub fn missing_key(&self, id: &ModelId) -> Option<&str> {
        let endpoint = self.endpoint(id)?;
        endpoint.key_variable.as_deref().filter(|_| endpoint.key.is_none())
    }

    fn resolve(&self, names: &[&str], from: &'static str) -> Result<Vec<ModelId>, UnknownModel> {
        let mut models = Vec::new();
        // `inherit` in a list means that whatever follows is never reached.
        for name in names.iter().copied().take_while(|name| *name != INHERIT) {
            for model in self.lookup(name, 0).ok_or_else(|| self.unknown(name, from))? {
                if !models.contains(&model) {
                    models.push(model);
                }
            }
        }
        Ok(models)
    }

    fn unknown(&self, name: &str, from: &'static str) -> UnknownModel {
        let aliases = ALIASES.iter().map(|(alias, _)| *alias).chain([OFFLINE, INHERIT]);
        let near = closest(name, aliases.chain(self.aliases.keys().map(String::as_str)));
        UnknownModel { name: name.to_owned(), from, near: near.map(str::to_owned) }
    }

    fn lookup(&self, name: &str, depth: usize) -> Option<Vec<ModelId>> {
        if let Some(names) = self.aliases.get(name)
            && depth < MAX_ALIAS_DEPTH
        {
            let found: Option<Vec<_>> =
                names.iter().map(|name| self.lookup(name, depth + 1)).collect();
            return found.map(|models| models.concat());
        }
        let model = |provider: &str, model: &str| {
            Some(vec![ModelId { provider: provider.to_owned(), model: model.to_owned() }])
        };
        if name == OFFLINE {
            return Some(vec![ModelId::offline()]);
        }
        for provider in [SCRIPT, REPLAY] {
            if let Some(file) = name.strip_prefix(provider).and_then(|rest| rest.strip_prefix(':'))
            {
                return model(provider, file);
            }
        }
        if let Some((_, long)) = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name))
        {
            return self.lookup(long, depth + 1);
        }
        if let Some((provider, rest)) = name.split_once('/')
            && !rest.is_empty()
            && self.endpoints.iter().any(|endpoint| endpoint.name == provider)
        {
            return model(provider, rest);
        }
        // Other hosts write some families' names without their provider.
        let family = Family::of(name).filter(|family| family.owns(name))?;
        model(family.provider, name)
    }

    /// The parent's model, or the default.
    fn inherited(
        &self,
        wishes: &ModelWishes,
    ) -> Result<(&'static str, Vec<ModelId>, String), UnknownModel> {
        if let Some(parent) = &wishes.parent {
            let model = self.for_mode(parent, wishes.plan_mode);
            let says = model.to_string();
            return Ok(("parent", vec![model], says));
        }
        if let Some(name) = &self.preferred {
            let models = self.resolve(&[name], "settings")?;
            return Ok(("settings", models, name.clone()));
        }
        for known in ENDPOINTS {
            let Some(default) = known.default_model else { continue };
            let keyed =
                |endpoint: &&Endpoint| endpoint.name == known.name && endpoint.key.is_some();
            if let Some(endpoint) = self.endpoints.iter().find(keyed) {
                let model = ModelId { provider: endpoint.name.clone(), model: default.to_owned() };
                let variable = endpoint.key_variable.as_deref().unwrap_or_default();
                let says = format!("{model} (`{variable}` is set)");
                return Ok(("default", vec![model], says));
            }
        }
        if let Some(model) = self.local.as_ref().and_then(|local| local.first()) {
            let says = format!("{model} (found on this machine)");
            return Ok(("default", vec![model.clone()], says));
        }
        Ok(("default", Vec::new(), self.nothing().to_owned()))
    }

    /// Why there is no model, in a clause.
    pub(super) fn nothing(&self) -> &'static str {
        match &self.local {
            Some(_) => "no key, no server on this machine",
            None => "no key, and servers on this machine were not looked for",
        }
    }

    /// The parent's model in a session that only plans: planning needs more than the smallest.
    fn for_mode(&self, parent: &ModelId, plan_mode: bool) -> ModelId {
        if plan_mode && parent.model.contains("haiku") {
            let better = self.lookup("sonnet", 0).and_then(|models| models.into_iter().next());
            return better.unwrap_or_else(|| parent.clone());
        }
        parent.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::{Secret, Wire};

    fn book(keys: &[&str]) -> ModelBook {
        let endpoints = ENDPOINTS
            .iter()
            .map(|known| Endpoint {
                name: known.name.to_owned(),
                wire: Wire::OpenAiChat,
                base_url: known.base_url.to_owned(),
                key: keys.contains(&known.name).then(|| Secret::new("k".to_owned())),
                key_variable: known.key_variables.first().map(|name| (*name).to_owned()),
            })
            .collect();
        ModelBook { endpoints, ..ModelBook::default() }
    }

    fn names(book: &ModelBook, written: &[&str], wishes: &ModelWishes) -> Vec<String> {
        book.chain(written, wishes).unwrap().models.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_variable_beats_the_call_and_the_call_beats_the_definition() {
        let book = book(&["anthropic"]);
        let mut wishes = ModelWishes { call: Some("opus".to_owned()), ..Default::default() };
        assert_eq!(names(&book, &["haiku"], &wishes), ["anthropic/claude-opus-4-5"]);
        wishes.variable = Some(("CODEX_SUBAGENT_MODEL", "gpt-5".to_owned()));
        assert_eq!(names(&book, &["haiku"], &wishes), ["openai/gpt-5"]);
        wishes.variable = Some(("CODEX_SUBAGENT_MODEL", "inherit".to_owned()));
        assert_eq!(names(&book, &["haiku"], &wishes), ["anthropic/claude-opus-4-5"]);
        let steps = book.chain(&["haiku"], &wishes).unwrap().steps;
        let said: Vec<_> =
            steps.iter().map(|step| (step.from, step.says.as_str(), step.decides)).collect();
        assert_eq!(said, [("CODEX_SUBAGENT_MODEL", "inherit", false), ("--model", "opus", true)]);
    }

    #[test]
    fn a_list_is_a_chain_and_inherit_ends_it() {
        let book = book(&[]);
        let chain =
            names(&book, &["sonnet", "gemini-2.5-pro", "inherit", "opus"], &Default::default());
        assert_eq!(chain, ["anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro"]);
    }

    #[test]
    fn inherit_asks_the_parent_and_plan_mode_lifts_haiku() {
        let book = book(&["openai"]);
        let parent = |name: &str| book.lookup(name, 0).map(|models| models[0].clone());
        let mut wishes = ModelWishes { parent: parent("haiku"), ..Default::default() };
        assert_eq!(names(&book, &["inherit"], &wishes), ["anthropic/claude-haiku-4-5"]);
        wishes.plan_mode = true;
        assert_eq!(names(&book, &["inherit"], &wishes), ["anthropic/claude-sonnet-4-5"]);
        wishes.parent = parent("opus");
        assert_eq!(names(&book, &[], &wishes), ["anthropic/claude-opus-4-5"]);
    }

    #[test]
    fn without_a_parent_the_first_key_decides_then_a_local_server() {
        let wishes = ModelWishes::default();
        assert_eq!(names(&book(&["openai", "gemini"]), &[], &wishes), ["openai/gpt-5.4"]);
        let mut book = book(&[]);
        assert!(names(&book, &[], &wishes).is_empty());
        let found = ModelId { provider: "ollama".to_owned(), model: "qwen3".to_owned() };
        book.local = Some(vec![found]);
        assert_eq!(names(&book, &[], &wishes), ["ollama/qwen3"]);
        book.preferred = Some("offline".to_owned());
        assert_eq!(names(&book, &[], &wishes), ["offline"]);
    }

    #[test]
    fn names_from_settings_may_name_others_but_not_themselves_for_ever() {
        let mut book = book(&[]);
        book.aliases.insert("fast".to_owned(), vec!["haiku".to_owned(), "groq/x/y".to_owned()]);
        book.aliases.insert("loop".to_owned(), vec!["loop".to_owned()]);
        let wishes = ModelWishes::default();
        assert_eq!(names(&book, &["fast"], &wishes), ["anthropic/claude-haiku-4-5", "groq/x/y"]);
        let unknown = |name: &str| book.chain(&[name], &wishes).unwrap_err().name;
        assert_eq!(unknown("loop"), "loop");
        assert_eq!(unknown("sonet"), "sonet");
        assert_eq!(unknown("nowhere/model"), "nowhere/model");
        let near = book.chain(&["sonet"], &wishes).unwrap_err().near;
        assert_eq!(near.as_deref(), Some("sonnet"));
    }
}
