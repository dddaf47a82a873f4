//! JSON Schemas for editors, from the same tables.

use serde_json::{Map, Value, json};

use super::{Dialect, Field, FieldEffect, Form, Kind, Layout, Outcome, Shape};

/// The schema of what stands in a file of `form`: the front matter of Markdown, or the whole file.
pub fn json_schema(dialect: &Dialect, form: &Form) -> Value {
    let strict = form.failures.unknown_key.outcome == Outcome::Rejected;
    let agent = table(form.fields, strict);
    let body = match form.layout {
        Layout::One => agent,
        Layout::Wrapped(key) => {
            json!({ "anyOf": [{ "type": "object", "properties": { key: agent }, "required": [key] }, agent] })
        }
        Layout::OneOrList => json!({ "anyOf": [agent, { "type": "array", "items": agent }] }),
        Layout::Keyed { keys, settings, top, .. } => keyed(&agent, keys, settings, top),
    };
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": form.title,
    });
    if let (Some(schema), Value::Object(body)) = (schema.as_object_mut(), body) {
        schema.insert(
            "description".to_owned(),
            json!(format!("{} for {}", form.title, dialect.host)),
        );
        schema.extend(body);
    }
    schema
}

fn keyed(agent: &Value, keys: &[&str], settings: &[Field], top: &[Field]) -> Value {
    let settings: Map<String, Value> = settings.iter().map(property).collect();
    let agents = json!({ "type": "object", "properties": settings, "additionalProperties": agent });
    let mut properties: Map<String, Value> = top.iter().map(property).collect();
    properties.extend(keys.iter().map(|key| ((*key).to_owned(), agents.clone())));
    json!({ "type": "object", "properties": properties })
}

fn table(fields: &[Field], strict: bool) -> Value {
    let properties: Map<String, Value> = fields.iter().map(property).collect();
    let required: Vec<_> =
        fields.iter().filter(|field| field.required).map(|field| field.key).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if let Some(schema) = schema.as_object_mut() {
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        if strict {
            schema.insert("additionalProperties".to_owned(), json!(false));
        }
    }
    schema
}

fn property(field: &Field) -> (String, Value) {
    let mut schema = kind(&field.kind);
    if let Some(schema) = schema.as_object_mut() {
        let mut text = field.doc.to_owned();
        match field.effect {
            FieldEffect::Applied => {}
            FieldEffect::Ignored(why) => text.push_str(&format!(" Has no effect: {why}.")),
            FieldEffect::Deprecated(instead) => {
                text.push_str(&format!(" Deprecated: {instead}."));
                schema.insert("deprecated".to_owned(), json!(true));
            }
        }
        if let Some(default) = field.default {
            text.push_str(&format!(" Default: {default}."));
        }
        schema.insert("description".to_owned(), json!(text));
    }
    (field.key.to_owned(), schema)
}

fn kind(of: &Kind) -> Value {
    let names = json!({ "type": "array", "items": { "type": "string" } });
    match of {
        Kind::Text => json!({ "type": "string" }),
        Kind::Name(rule) => json!({ "type": "string", "pattern": rule.pattern }),
        Kind::Scalar => json!({ "type": ["string", "number", "boolean"] }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Integer { min, max } => {
            let mut schema = json!({ "type": "integer" });
            bound(&mut schema, "minimum", (*min != i64::MIN).then(|| json!(min)));
            bound(&mut schema, "maximum", (*max != i64::MAX).then(|| json!(max)));
            schema
        }
        Kind::Number { min, max } => {
            let mut schema = json!({ "type": "number" });
            bound(&mut schema, "minimum", min.is_finite().then(|| json!(min)));
            bound(&mut schema, "maximum", max.is_finite().then(|| json!(max)));
            schema
        }
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::Names(Shape::List) => names,
        Kind::Names(Shape::ListOrCsv | Shape::ListOrOne) => {
            json!({ "anyOf": [names, { "type": "string" }] })
        }
        Kind::List(item) => json!({ "type": "array", "items": kind(item) }),
        Kind::Table(fields) => table(fields, true),
        Kind::OpenTable(fields, _) => table(fields, false),
        Kind::MapOf(value) => json!({ "type": "object", "additionalProperties": kind(value) }),
        Kind::AnyOf(kinds) => json!({ "anyOf": kinds.iter().map(self::kind).collect::<Vec<_>>() }),
        Kind::Schema => json!({ "type": ["object", "boolean"] }),
        Kind::Any => json!({}),
    }
}

fn bound(schema: &mut Value, key: &str, value: Option<Value>) {
    if let (Some(schema), Some(value)) = (schema.as_object_mut(), value) {
        schema.insert(key.to_owned(), value);
    }
}
