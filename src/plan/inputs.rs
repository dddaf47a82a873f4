//! The inputs of a call: as typed on a command line or sent by a model, checked against the types
//! the definition declares.

use serde_json::{Map, Value, json};

use crate::model::{Input, InputType};

/// Inputs as they were given.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Values: from a file, or from a model.
    pub values: Map<String, Value>,
    /// Texts from a command line, to be read as what the definition declares.
    pub texts: Vec<(String, String)>,
}

/// The JSON Schema of what an agent takes.
pub fn input_schema(inputs: &[Input]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for input in inputs {
        let mut schema =
            type_schema(input.kind.as_ref().map_or(InputType::String, |kind| kind.value));
        if let Some(description) = &input.description {
            schema["description"] = json!(description.value);
        }
        if let Some(default) = &input.default {
            schema["default"] = default.to_json();
        }
        properties.insert(input.name.value.clone(), schema);
        if input.required && input.default.is_none() {
            required.push(json!(input.name.value));
        }
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn type_schema(kind: InputType) -> Value {
    match kind {
        InputType::String => json!({"type": "string"}),
        InputType::Number => json!({"type": "number"}),
        InputType::Boolean => json!({"type": "boolean"}),
        InputType::Integer => json!({"type": "integer"}),
        InputType::StringList => json!({"type": "array", "items": {"type": "string"}}),
        InputType::NumberList => json!({"type": "array", "items": {"type": "number"}}),
    }
}

/// The value of every declared input, or everything that is wrong with what was given.
pub fn resolve(inputs: &[Input], given: Given) -> Result<Map<String, Value>, Vec<String>> {
    let Given { mut values, texts } = given;
    for (name, text) in texts {
        let declared = inputs.iter().find(|input| input.name.value == name);
        let kind = declared.and_then(|input| input.kind.as_ref()).map(|kind| kind.value);
        let value = read(kind.unwrap_or(InputType::String), &text);
        match (values.get_mut(&name), value) {
            // A list may be given item by item.
            (Some(Value::Array(items)), Value::Array(more)) => items.extend(more),
            (_, value) => {
                values.insert(name, value);
            }
        }
    }
    let problems = problems(inputs, &values);
    if !problems.is_empty() {
        return Err(problems);
    }
    let filled = inputs.iter().map(|input| {
        let name = input.name.value.clone();
        let value =
            values.remove(&name).or_else(|| input.default.as_ref().map(|node| node.to_json()));
        let kind = input.kind.as_ref().map_or(InputType::String, |kind| kind.value);
        (name, value.unwrap_or_else(|| nothing(kind)))
    });
    Ok(filled.collect())
}

/// What stands in a prompt for an optional input that was not given.
fn nothing(kind: InputType) -> Value {
    match kind {
        InputType::StringList | InputType::NumberList => json!([]),
        _ => json!(""),
    }
}

/// A text as a value of `kind`; as it is, if it is none, so that the schema can say so.
fn read(kind: InputType, text: &str) -> Value {
    let as_json = || serde_json::from_str(text).unwrap_or_else(|_| json!(text));
    match kind {
        InputType::String => json!(text),
        InputType::Number | InputType::Integer | InputType::Boolean => as_json(),
        InputType::StringList | InputType::NumberList if text.trim_start().starts_with('[') => {
            as_json()
        }
        InputType::StringList => json!([text]),
        InputType::NumberList => json!([as_json()]),
    }
}

/// Everything that is wrong with `values`.
fn problems(inputs: &[Input], values: &Map<String, Value>) -> Vec<String> {
    let schema = input_schema(inputs);
    let Ok(validator) = jsonschema::options().offline().build(&schema) else {
        return vec!["the declared inputs are not usable".to_owned()];
    };
    let mut problems: Vec<String> = Vec::new();
    let declared = |name: &str| inputs.iter().any(|input| input.name.value == name);
    let known: Vec<_> = inputs.iter().map(|input| format!("`{}`", input.name.value)).collect();
    for name in values.keys().filter(|name| !declared(name)) {
        problems.push(match known.as_slice() {
            [] => format!("`{name}` is not an input of this agent, it takes none"),
            known => {
                format!("`{name}` is not an input of this agent; it takes {}", known.join(", "))
            }
        });
    }
    for input in inputs {
        let name = &input.name.value;
        let must = input.required && input.default.is_none();
        if must && !values.contains_key(name) {
            let what = input.description.as_ref().map(|text| format!(" ({})", text.value));
            problems.push(format!("`{name}` is missing{}", what.unwrap_or_default()));
        }
    }
    let instance = Value::Object(values.clone());
    for error in validator.iter_errors(&instance) {
        let path = error.instance_path().to_string();
        let Some(name) = path.split('/').nth(1) else { continue };
        let kind =
            inputs.iter().find(|input| input.name.value == name).and_then(|i| i.kind.as_ref());
        let kind = kind.map_or("string", |kind| kind.value.name());
        problems.push(format!("`{name}` must be of type {kind}, and is {}", values[name]));
    }
    problems.dedup();
    problems
}
