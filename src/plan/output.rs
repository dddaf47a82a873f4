//! What an agent hands in with `complete_task`.

use std::fmt;

use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value, json};

use crate::{authority::COMPLETE_TASK, conversation::ToolSpec, model::Definition};

/// The argument that carries the result where the definition names none.
const RESULT: &str = "result";

/// Steps a regular expression of the schema may take, and how large it may be.
const REGEX_STEPS: usize = 10_000;
const REGEX_SIZE: usize = 1 << 20;

/// What is handed in, and how it is checked.
pub struct OutputSpec {
    name: String,
    description: Option<String>,
    schema: Option<(Value, Validator)>,
}

/// A result that fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Handed {
    /// As text.
    pub text: String,
    /// The value, if the definition has a schema for it.
    pub value: Option<Value>,
}

impl OutputSpec {
    pub(super) fn of(definition: &Definition) -> Result<Self, String> {
        let output = definition.output.as_ref();
        let name = output.and_then(|output| output.name.as_ref()).map(|name| name.value.clone());
        let description = output.and_then(|output| output.description.as_ref());
        let schema = output.and_then(|output| output.schema.as_ref()).map(|node| node.to_json());
        let schema = match schema {
            Some(schema) => {
                let patterns = PatternOptions::fancy_regex()
                    .backtrack_limit(REGEX_STEPS)
                    .size_limit(REGEX_SIZE);
                let options = jsonschema::options().offline().with_pattern_options(patterns);
                let validator = options.build(&schema).map_err(|error| error.to_string())?;
                Some((schema, validator))
            }
            None => None,
        };
        Ok(Self {
            name: name.unwrap_or_else(|| RESULT.to_owned()),
            description: description.map(|text| text.value.clone()),
            schema,
        })
    }

    /// Whether what is handed in has a schema.
    pub fn has_schema(&self) -> bool {
        self.schema.is_some()
    }

    /// `complete_task` as a model sees it.
    pub fn tool(&self) -> ToolSpec {
        let what = self.description.as_deref().unwrap_or("What you found out or did, in full.");
        let (mut property, definitions) = match &self.schema {
            Some((schema, _)) => hoisted(schema.clone()),
            None => (json!({"type": "string"}), Map::new()),
        };
        if let Some(property) = property.as_object_mut()
            && !property.contains_key("description")
        {
            property.insert("description".to_owned(), json!(what));
        }
        let mut parameters = json!({
            "type": "object",
            "properties": { &self.name: property },
            "required": [self.name],
            "additionalProperties": false,
        });
        for (key, value) in definitions {
            parameters[key] = value;
        }
        let description = if self.has_schema() {
            "Hand in your final result and finish. The result must fit the schema. This is the only \
             way to finish: anything you write elsewhere is lost."
        } else {
            "Hand in your final result and finish. This is the only way to finish: anything you \
             write elsewhere is lost."
        };
        let name = COMPLETE_TASK.to_owned();
        ToolSpec { name, description: description.to_owned(), parameters }
    }

    /// The result in the arguments of a call, or everything that is wrong with it.
    pub fn check(&self, arguments: &Map<String, Value>) -> Result<Handed, Vec<String>> {
        let name = &self.name;
        let Some(value) = arguments.get(name) else {
            return Err(vec![format!("the required argument `{name}` is missing")]);
        };
        let Some((_, validator)) = &self.schema else {
            return match value {
                Value::String(text) if text.trim().is_empty() => {
                    Err(vec![format!("`{name}` is empty: it must hold your result")])
                }
                Value::String(text) => Ok(Handed { text: text.clone(), value: None }),
                other => Err(vec![format!("`{name}` must be a string, and is {other}")]),
            };
        };
        let errors: Vec<String> = validator
            .iter_errors(value)
            .map(|error| format!("`{name}{}`: {error}", error.instance_path()))
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let text = match value {
            Value::String(text) => text.clone(),
            other => serde_json::to_string_pretty(other).unwrap_or_default(),
        };
        Ok(Handed { text, value: Some(value.clone()) })
    }
}

impl fmt::Debug for OutputSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.schema.as_ref().map(|(schema, _)| schema);
        f.debug_struct("OutputSpec").field("name", &self.name).field("schema", &schema).finish()
    }
}

/// A schema that is about to become a part of another, and the definitions its references mean,
/// which belong at the top of that.
fn hoisted(mut schema: Value) -> (Value, Map<String, Value>) {
    let mut definitions = Map::new();
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("$schema");
        schema.remove("$id");
        for key in ["$defs", "definitions"] {
            definitions.extend(schema.remove_entry(key));
        }
    }
    (schema, definitions)
}
