//! `invalid-schema`.

use jsonschema::{
    JsonType, JsonTypeSet, ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
    meta::MetaValidator,
};

use crate::{
    dialect::Confidence,
    document::{Node, Value},
    lint::{AgentCx, Check, Findings, Level, Safety, cx::closest, rule::declare_rule, schema},
};

declare_rule! {
    /// ## What it does
    /// Checks the schema of an agent's result against the rules for JSON Schemas, draft 2020-12
    /// unless `$schema` names another.
    ///
    /// ## Why is this bad?
    /// A schema that is not one cannot be used: the run fails when it starts, or when the agent
    /// hands in its result, after all the work is done and paid for.
    ///
    /// ## Bad
    /// ```yaml title="agents/reviewer.yaml"
    /// agentType: reviewer
    /// whenToUse: Reviews a change and lists its defects.
    /// tools: [read_file]
    /// promptConfig:
    ///   systemPrompt: You review changes.
    /// outputConfig:
    ///   outputName: report
    ///   description: The defects.
    ///   schema:
    ///     type: object
    ///     properties:
    ///       summary: {type: text}
    /// ```
    ///
    /// ## Good
    /// ```yaml title="agents/reviewer.yaml"
    /// agentType: reviewer
    /// whenToUse: Reviews a change and lists its defects.
    /// tools: [read_file]
    /// promptConfig:
    ///   systemPrompt: You review changes.
    /// outputConfig:
    ///   outputName: report
    ///   description: The defects.
    ///   schema:
    ///     type: object
    ///     properties:
    ///       summary: {type: string}
    /// ```
    pub(super) static INVALID_SCHEMA = {
        name: "invalid-schema",
        summary: "has an output schema that is not a JSON Schema",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

/// The types a schema can ask for.
const TYPES: &[&str] = &["array", "boolean", "integer", "null", "number", "object", "string"];

/// More than this many errors of one schema have one cause.
const MOST: usize = 10;

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let Some(root) = cx.definition().output.as_ref().and_then(|output| output.schema.as_ref())
    else {
        return;
    };
    // A value that is no schema at all is of the wrong type, which the table says.
    if !matches!(root.value, Value::Map(_) | Value::Bool(_)) {
        return;
    }
    let json = root.to_json();
    let validator = validator_for(root);
    let mut seen: Vec<String> = Vec::new();
    for error in validator.iter_errors(&json) {
        // Every part of the rules repeats that a schema must be a schema.
        let place = error.instance_path().as_str();
        if seen.iter().any(|other| other == place) {
            continue;
        }
        seen.push(place.to_owned());
        report(cx, findings, root, &error);
        if seen.len() == MOST {
            break;
        }
    }
    emptiness(cx, findings, root);
}

/// The rules for schemas of the draft that `root` names. Each is built once.
fn validator_for(root: &Node) -> MetaValidator<'static> {
    let named = root.as_map().and_then(|map| map.get("$schema")).and_then(Node::as_text);
    let is = |draft: &str| named.is_some_and(|named| named.contains(draft));
    if is("draft-04") {
        jsonschema::draft4::meta::validator()
    } else if is("draft-06") {
        jsonschema::draft6::meta::validator()
    } else if is("draft-07") {
        jsonschema::draft7::meta::validator()
    } else if is("2019-09") {
        jsonschema::draft201909::meta::validator()
    } else {
        jsonschema::draft202012::meta::validator()
    }
}

/// As bad as what the host does with values it does not accept.
fn level(cx: &AgentCx<'_>) -> Level {
    match cx.entry.form.failures.bad_value.confidence {
        Confidence::Unverified => Level::Warning,
        Confidence::Documented | Confidence::Verified => Level::Error,
    }
}

fn report(cx: &AgentCx<'_>, findings: &mut Findings, root: &Node, error: &ValidationError<'_>) {
    let (node, key, key_span) = schema::locate(root, error.instance_path().as_str());
    if matches!(error.kind(), Kind::AnyOf { .. }) && key == "type" && bad_type(cx, findings, node) {
        return;
    }
    let Some(what) = message(error, node, &key) else { return };
    let span = schema::span_of(node, key_span);
    let finding = findings.report(cx, &INVALID_SCHEMA, span, what).level(level(cx));
    if key == "required" && matches!(node.value, Value::Bool(_)) {
        finding.help("list the property in `required` of the object that has it");
    }
}

/// Reports the words of a `type` that are no types. Whether there were any.
fn bad_type(cx: &AgentCx<'_>, findings: &mut Findings, node: &Node) -> bool {
    let words = node.as_list().unwrap_or(std::slice::from_ref(node));
    let mut any = false;
    for word in words {
        let Some(text) = word.as_text().filter(|text| !TYPES.contains(text)) else { continue };
        any = true;
        let message = format!("`{text}` is not a type of JSON Schema");
        let finding = findings.report(cx, &INVALID_SCHEMA, word.span, message).level(level(cx));
        match usual_name(text).or_else(|| closest(text, TYPES.iter().copied())) {
            Some(name) => finding.help(format!("write `{name}`")).fix(
                Safety::Unsafe,
                format!("replace with `{name}`"),
                word.span,
                written_like(cx.source.slice(word.span), name),
            ),
            None => finding.help(format!("use one of {}", TYPES.join(", "))),
        };
    }
    any
}

/// `word` in the quotes that `old` has.
fn written_like(old: &str, word: &str) -> String {
    match old.chars().next().filter(|first| matches!(first, '"' | '\'')) {
        Some(quote) => format!("{quote}{word}{quote}"),
        None => word.to_owned(),
    }
}

/// What other languages call a type.
fn usual_name(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "text" | "str" => "string",
        "int" | "long" => "integer",
        "float" | "double" | "decimal" => "number",
        "bool" => "boolean",
        "list" => "array",
        "map" | "dict" | "record" | "struct" => "object",
        "none" | "nil" => "null",
        _ => return None,
    })
}

/// What is wrong, in the words of the file; `None` if another rule says it.
fn message(error: &ValidationError<'_>, node: &Node, key: &str) -> Option<String> {
    let subject = if key.is_empty() { "the schema".to_owned() } else { format!("`{key}`") };
    Some(match error.kind() {
        // Patterns and references have rules of their own.
        Kind::Format { format } if format == "regex" || key == "$ref" => return None,
        Kind::Type { kind } => {
            format!("{subject} is {}, but must be {}", node.kind_name(), wanted(kind))
        }
        Kind::Minimum { limit } => format!("{subject} must be at least {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("{subject} must be more than {limit}"),
        Kind::MinItems { .. } => format!("{subject} must not be empty"),
        Kind::UniqueItems => format!("{subject} has the same item twice"),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            format!("{subject} cannot be {}", node.kind_name())
        }
        Kind::Format { format } => format!("{subject} is not a {format}"),
        Kind::Pattern { .. } => format!("{subject} has characters that are not allowed there"),
        Kind::Enum { options } => format!("{subject} must be one of {options}"),
        _ => {
            let text = error.masked().to_string();
            format!("{subject} is not valid: {}", text.trim_end_matches('.'))
        }
    })
}

fn wanted(kind: &TypeKind) -> String {
    let name = |kind: JsonType| match kind {
        JsonType::Null => "nothing",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "an integer",
        JsonType::Number => "a number",
        JsonType::String => "a string",
        JsonType::Array => "a list",
        JsonType::Object => "a map",
    };
    match kind {
        TypeKind::Single(kind) => name(*kind).to_owned(),
        TypeKind::Multiple(kinds) if *kinds == (JsonType::Object | JsonType::Boolean) => {
            "a schema".to_owned()
        }
        TypeKind::Multiple(kinds) => names(*kinds, name),
    }
}

fn names(kinds: JsonTypeSet, name: impl Fn(JsonType) -> &'static str) -> String {
    kinds.iter().map(name).collect::<Vec<_>>().join(" or ")
}

/// A schema that accepts nothing, or everything, is of no use.
fn emptiness(cx: &AgentCx<'_>, findings: &mut Findings, root: &Node) {
    let (level, message) = match &root.value {
        Value::Bool(false) => (level(cx), "this schema accepts no result, so the agent cannot end"),
        Value::Bool(true) => (Level::Warning, "this schema accepts every result"),
        Value::Map(map) if map.entries.is_empty() => {
            (Level::Warning, "this schema accepts every result")
        }
        _ => return,
    };
    let finding = findings.report(cx, &INVALID_SCHEMA, root.span, message).level(level);
    finding.help("say what the result looks like, or leave the schema out");
}

#[cfg(test)]
mod tests {
    use super::INVALID_SCHEMA;
    use crate::lint::tests::check;

    fn findings(schema: &str) -> String {
        let head = "agentType: a\nwhenToUse: b\npromptConfig: {systemPrompt: c}\noutputConfig:\n  \
                    outputName: r\n  description: d\n  schema:\n";
        check(&INVALID_SCHEMA, "agents/a.yaml", &format!("{head}{schema}"))
    }

    #[test]
    fn every_error_is_at_its_place() {
        let schema = "    type: object
    required: true
    properties:
      a: {type: [string, int]}
      b: text
      c: {type: string, minLength: -1, pattern: '('}
      d: {enum: []}
      type: {type: strin}
";
        insta::assert_snapshot!(findings(schema), @"
        9:15 error `required` is a boolean, but must be a list
          help: list the property in `required` of the object that has it
        11:26 error `int` is not a type of JSON Schema
          help: write `integer`
          fix (Unsafe): replace with `integer`
                  a: {type: [string, integer]}
        12:10 error `b` is a string, but must be a schema
        13:36 error `minLength` must be at least 0
        15:20 error `strin` is not a type of JSON Schema
          help: write `string`
          fix (Unsafe): replace with `string`
                  type: {type: string}
        ");
    }

    #[test]
    fn a_schema_that_says_nothing_is_worth_a_word() {
        insta::assert_snapshot!(findings("    {}\n"), @"
        8:5 warning this schema accepts every result
          help: say what the result looks like, or leave the schema out
        ");
        insta::assert_snapshot!(findings("    false\n"), @"
        8:5 error this schema accepts no result, so the agent cannot end
          help: say what the result looks like, or leave the schema out
        ");
    }

    #[test]
    fn the_draft_decides() {
        assert_eq!(
            findings(
                "    {$schema: 'http://json-schema.org/draft-07/schema#', type: array, items: [{type: string}]}\n"
            ),
            ""
        );
        insta::assert_snapshot!(findings("    {type: array, items: [{type: string}]}\n"), @"
        8:26 error `items` is a list, but must be a schema
        ");
    }
}
