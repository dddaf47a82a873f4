//! The protocol as a JSON Schema and as TypeScript, both from the types themselves.

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::protocol::{
    AgentsListResult, ApprovalAnswerParams, ApprovalAnswerResult, ApprovalRequest,
    ApprovalResponse, CollaborationModeListResult, InitializeParams, InitializeResult,
    Notification, ThreadCloseParams, ThreadListParams, ThreadListResult, ThreadNoteSetParams,
    ThreadNoteSetResult, ThreadReadParams, ThreadReadResult, ThreadResult, ThreadResumeParams,
    ThreadStartParams, TurnInterruptParams, TurnStartParams, TurnStartResult,
};

/// Nothing.
#[derive(JsonSchema)]
pub struct Empty {}

/// A method and its types: its name, what it takes and what it gives.
type Method = (&'static str, Schema, Schema);

/// Says what a method takes and gives.
fn method<P: JsonSchema, R: JsonSchema>(types: &mut SchemaGenerator, name: &'static str) -> Method {
    (name, types.subschema_for::<P>(), types.subschema_for::<R>())
}

/// What clients ask.
fn methods(types: &mut SchemaGenerator) -> Vec<Method> {
    vec![
        method::<InitializeParams, InitializeResult>(types, "initialize"),
        method::<Empty, AgentsListResult>(types, "agents/list"),
        method::<ApprovalAnswerParams, ApprovalAnswerResult>(types, "approval/answer"),
        method::<Empty, CollaborationModeListResult>(types, "collaborationMode/list"),
        method::<ThreadCloseParams, Empty>(types, "thread/close"),
        method::<ThreadListParams, ThreadListResult>(types, "thread/list"),
        method::<ThreadNoteSetParams, ThreadNoteSetResult>(types, "thread/note/set"),
        method::<ThreadReadParams, ThreadReadResult>(types, "thread/read"),
        method::<ThreadResumeParams, ThreadResult>(types, "thread/resume"),
        method::<ThreadStartParams, ThreadResult>(types, "thread/start"),
        method::<TurnInterruptParams, Empty>(types, "turn/interrupt"),
        method::<TurnStartParams, TurnStartResult>(types, "turn/start"),
    ]
}

/// The protocol as a JSON Schema: any message's contents, and which method has which.
pub fn json_schema() -> Value {
    let mut types = SchemaSettings::draft2020_12().into_generator();
    let table = |methods: Vec<Method>| -> Map<String, Value> {
        let entries = methods.into_iter().map(|(name, params, result)| {
            (name.to_owned(), json!({ "params": params, "result": result }))
        });
        entries.collect()
    };
    let requests = table(methods(&mut types));
    let questions =
        table(vec![method::<ApprovalRequest, ApprovalResponse>(&mut types, "approval/request")]);
    let notification = types.subschema_for::<Notification>();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "what `agentctl app-server` and its clients say to each other",
        "requests": requests,
        "serverRequests": questions,
        "notification": notification,
        "$defs": types.take_definitions(true),
    })
}

/// The names of the notifications.
pub fn notifications(schema: &Value) -> Vec<String> {
    let variants = schema["$defs"]["Notification"]["oneOf"].as_array();
    let names = variants.into_iter().flatten();
    names
        .filter_map(|one| Some(one["properties"]["method"]["const"].as_str()?.to_owned()))
        .collect()
}

/// The protocol as TypeScript.
pub fn typescript(schema: &Value) -> String {
    let mut text =
        "// What `agentctl app-server` and its clients say to each other. Generated: do \
                    not edit.\n"
            .to_owned();
    for (name, schema) in schema["$defs"].as_object().into_iter().flatten() {
        text.push_str(&comment(schema, ""));
        text.push_str(&format!("export type {name} = {};\n", type_of(schema, "")));
    }
    for (name, table) in [("Requests", "requests"), ("ServerRequests", "serverRequests")] {
        text.push_str(&format!("\nexport interface {name} {{\n"));
        for (method, types) in schema[table].as_object().into_iter().flatten() {
            let (params, result) = (type_of(&types["params"], ""), type_of(&types["result"], ""));
            text.push_str(&format!("  \"{method}\": {{ params: {params}; result: {result} }};\n"));
        }
        text.push_str("}\n");
    }
    text
}

fn comment(schema: &Value, indent: &str) -> String {
    let blank = if indent.is_empty() { "\n" } else { "" };
    let words = schema["description"].as_str().map(|words| words.replace('\n', " "));
    words.map_or_else(|| blank.to_owned(), |words| format!("{blank}{indent}/** {words} */\n"))
}

/// A schema as a type.
fn type_of(schema: &Value, indent: &str) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return name.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(constant) = schema.get("const") {
        return constant.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(variants) = schema[key].as_array() {
            let variants = variants.iter().map(|one| type_of(one, indent));
            return variants.collect::<Vec<_>>().join(" | ");
        }
    }
    match &schema["type"] {
        Value::String(name) => named(name, schema, indent),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            names.map(|name| named(name, schema, indent)).collect::<Vec<_>>().join(" | ")
        }
        _ => "unknown".to_owned(),
    }
}

fn named(name: &str, schema: &Value, indent: &str) -> String {
    match name {
        "integer" | "number" => "number".to_owned(),
        "array" => format!("Array<{}>", type_of(&schema["items"], indent)),
        "object" => object(schema, indent),
        other => other.to_owned(),
    }
}

fn object(schema: &Value, indent: &str) -> String {
    let Some(properties) = schema["properties"].as_object() else {
        let values = &schema["additionalProperties"];
        let values = if values.is_object() { type_of(values, indent) } else { "never".to_owned() };
        return format!("{{ [key: string]: {values} }}");
    };
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let deeper = format!("{indent}  ");
    let mut text = "{\n".to_owned();
    for (name, property) in properties {
        let mark = if required.contains(&json!(name)) { "" } else { "?" };
        text.push_str(&comment(property, &deeper));
        text.push_str(&format!("{deeper}{name}{mark}: {};\n", type_of(property, &deeper)));
    }
    text.push_str(&format!("{indent}}}"));
    text
}

#[cfg(test)]
mod tests {
    use super::{super::connection::METHODS, *};

    #[test]
    fn every_method_has_its_types() {
        let schema = json_schema();
        let mut described: Vec<&str> =
            schema["requests"].as_object().unwrap().keys().map(String::as_str).collect();
        described.retain(|name| *name != "initialize");
        assert_eq!(described, METHODS);
    }

    #[test]
    fn a_type_is_written_as_typescript_writes_it() {
        let schema = json!({
            "type": "object",
            "properties": {
                "id": { "type": "string", "description": "Its name." },
                "at": { "type": ["integer", "null"] },
                "kind": { "enum": ["a", "b"] },
                "items": { "type": "array", "items": { "$ref": "#/$defs/Item" } },
            },
            "required": ["id", "kind"],
        });
        assert_eq!(
            type_of(&schema, ""),
            "{\n  /** Its name. */\n  id: string;\n  at?: number | null;\n  kind: \"a\" | \
             \"b\";\n  items?: Array<Item>;\n}"
        );
    }
}
