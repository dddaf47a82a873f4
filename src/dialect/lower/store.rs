//! Puts the value of a field into its slot of a definition.

use crate::{
    dialect::{Field, Kind, Slot},
    document::{Entry, Map, Node, Value},
    model::{
        Access, Definition, Input, InputType, Message, Name, NameOrigin, Output, Persona,
        PromptText,
    },
    text::{Source, Span, Spanned},
};

/// Stores what `entry` says. A value that makes no sense in its slot is left out; the table has
/// already reported it.
pub(super) fn store(source: &Source, definition: &mut Definition, field: &Field, entry: &Entry) {
    let node = &entry.value;
    let names = || names(source, &field.kind, node);
    match field.slot {
        Slot::None => {}
        Slot::Name => {
            if let Some(name) = scalar(node) {
                definition.name = Name { text: name.value, origin: NameOrigin::Field(name.span) };
            }
        }
        Slot::DisplayName => definition.display_name = scalar(node),
        Slot::Description => definition.description = scalar(node),
        Slot::Tools => definition.tools.allowed = Access::Listed(Spanned::new(names(), node.span)),
        Slot::DeniedTools => definition.tools.denied.extend(names()),
        Slot::ToolSwitches => tool_switches(definition, node),
        Slot::Permissions => permissions(definition, node, entry.key.span),
        Slot::Toolsets => toolsets(definition, node),
        Slot::Model => definition.model.chain = names(),
        Slot::Effort => definition.model.effort = scalar(node),
        Slot::Temperature => definition.model.temperature = number(node),
        Slot::TopP => definition.model.top_p = number(node),
        Slot::ThinkingBudget => definition.model.thinking_budget = integer(node),
        Slot::SystemPrompt => {
            definition.prompt.system = scalar(node).map(|text| text.map(PromptText::Value));
        }
        Slot::Query => definition.prompt.query = scalar(node),
        Slot::InitialMessages => definition.prompt.initial_messages = messages(node),
        Slot::MaxTurns => definition.limits.max_turns = integer(node),
        Slot::MaxSeconds => definition.limits.max_seconds = number(node),
        Slot::MaxMinutes => {
            definition.limits.max_seconds =
                number(node).map(|time| time.map(|minutes| minutes * 60.0));
        }
        Slot::GraceSeconds => definition.limits.grace_seconds = number(node),
        Slot::MaxTokens => definition.limits.max_tokens = integer(node),
        Slot::Inputs => definition.inputs = inputs(node),
        Slot::Parameters => definition.inputs = parameters(node),
        Slot::OutputName => output(definition).name = scalar(node),
        Slot::OutputDescription => output(definition).description = scalar(node),
        Slot::OutputSchema => output(definition).schema = Some(node.clone()),
        Slot::ForkContext => definition.behaviour.fork_context = flag(node),
        Slot::Background => definition.behaviour.background = flag(node),
        Slot::ReadOnly => definition.behaviour.read_only = flag(node),
        Slot::ExecutionMode => definition.behaviour.execution_mode = scalar(node),
        Slot::ApprovalMode => definition.behaviour.approval_mode = scalar(node),
        Slot::Sandbox => definition.behaviour.sandbox = scalar(node),
        Slot::BaseDir => definition.behaviour.base_dir = scalar(node),
        Slot::DisabledFeatures => definition.behaviour.disabled_features = names(),
        Slot::ClaimedSource => definition.behaviour.claimed_source = scalar(node),
        Slot::Personas => definition.personas = personas(node),
        Slot::Agents => definition.references.agents.extend(references(source, field, node)),
        Slot::Skills => definition.references.skills.extend(names()),
        Slot::McpServers => {
            definition.references.mcp_servers.extend(references(source, field, node));
            definition.references.own_servers.extend(with_settings(node));
        }
    }
}

fn scalar(node: &Node) -> Option<Spanned<String>> {
    node.scalar_text().map(|text| Spanned::new(text, node.span))
}

fn number(node: &Node) -> Option<Spanned<f64>> {
    node.as_number().map(|number| Spanned::new(number, node.span))
}

fn integer(node: &Node) -> Option<Spanned<i64>> {
    match node.value {
        Value::Integer(number) => Some(Spanned::new(number, node.span)),
        _ => None,
    }
}

fn flag(node: &Node) -> Option<Spanned<bool>> {
    match node.value {
        Value::Bool(flag) => Some(Spanned::new(flag, node.span)),
        _ => None,
    }
}

fn output(definition: &mut Definition) -> &mut Output {
    definition.output.get_or_insert_default()
}

/// The names in a list, or in a text with commas, each with its own place.
fn names(source: &Source, kind: &Kind, node: &Node) -> Vec<Spanned<String>> {
    match &node.value {
        Value::List(items) => items.iter().filter_map(scalar).collect(),
        Value::Text(text) if splits(kind) => comma_separated(source, text, node.span),
        _ => scalar(node).into_iter().collect(),
    }
}

fn splits(kind: &Kind) -> bool {
    match kind {
        Kind::Names(_) => true,
        Kind::AnyOf(kinds) => kinds.iter().any(splits),
        _ => false,
    }
}

/// Splits at commas outside of parentheses.
fn comma_separated(source: &Source, text: &str, span: Span) -> Vec<Spanned<String>> {
    let written = source.slice(span);
    let mut depth = 0_usize;
    let parts = text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    let mut at = 0;
    parts
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(|name| {
            // Folding and escapes can change the text, never the names in it.
            let place = written[at..].find(name).map(|offset| {
                let start = at + offset;
                at = start + name.len();
                Span::new(start, at).shifted(span.start as usize)
            });
            Spanned::new(name.to_owned(), place.unwrap_or(span))
        })
        .collect()
}

/// Names given as a list of names or maps, or as the keys of a map.
fn references(source: &Source, field: &Field, node: &Node) -> Vec<Spanned<String>> {
    match &node.value {
        Value::Map(map) => map.entries.iter().map(|entry| entry.key.clone()).collect(),
        Value::List(items) => items.iter().filter_map(reference).collect(),
        _ => names(source, &field.kind, node),
    }
}

/// `name`, `{name: settings}` or `{agent: name}`.
fn reference(item: &Node) -> Option<Spanned<String>> {
    let Some(map) = item.as_map() else { return scalar(item) };
    match map.get("agent").or_else(|| map.get("name")) {
        Some(name) => scalar(name),
        None => map.entries.first().map(|entry| entry.key.clone()),
    }
}

/// Those that are not just named: keys with a map, and maps in a list.
fn with_settings(node: &Node) -> Vec<String> {
    match &node.value {
        Value::Map(map) => {
            let settled = map.entries.iter().filter(|entry| entry.value.as_map().is_some());
            settled.map(|entry| entry.key.value.clone()).collect()
        }
        Value::List(items) => {
            let maps = items.iter().filter(|item| item.as_map().is_some());
            maps.filter_map(reference).map(|name| name.value).collect()
        }
        _ => Vec::new(),
    }
}

/// `{tool: true}` and `{tool: false}`.
fn tool_switches(definition: &mut Definition, node: &Node) {
    let Some(map) = node.as_map() else { return };
    let switched = |on: bool| {
        map.entries
            .iter()
            .filter(move |entry| entry.value.value == Value::Bool(on))
            .map(|entry| entry.key.clone())
    };
    if switched(false).any(|name| name.value == "*") {
        definition.tools.allowed =
            Access::Listed(Spanned::new(switched(true).collect(), node.span));
    } else {
        definition.tools.denied.extend(switched(false));
    }
}

/// `deny`, or `{tool: deny}`; `{tool: {pattern: deny}}` still leaves the tool.
fn permissions(definition: &mut Definition, node: &Node, key: Span) {
    match &node.value {
        Value::Text(action) if action == "deny" => {
            definition.tools.allowed = Access::Listed(Spanned::new(Vec::new(), node.span.to(key)));
        }
        Value::Map(map) => {
            let is = |entry: &&Entry, action: &str| entry.value.as_text() == Some(action);
            let star = map.entry("*").filter(|entry| is(entry, "deny"));
            if star.is_some() {
                let kept = map.entries.iter().filter(|entry| !is(entry, "deny"));
                let kept = kept.map(|entry| entry.key.clone()).collect();
                definition.tools.allowed = Access::Listed(Spanned::new(kept, node.span));
            } else {
                let denied = map.entries.iter().filter(|entry| is(entry, "deny"));
                definition.tools.denied.extend(denied.map(|entry| entry.key.clone()));
            }
        }
        _ => {}
    }
}

/// Docker Agent: `[{type: shell}, {type: mcp, ref: docker:x}]`.
fn toolsets(definition: &mut Definition, node: &Node) {
    let maps = node.as_list().unwrap_or_default().iter().filter_map(Node::as_map);
    for map in maps {
        let Some(kind) = map.get("type").and_then(scalar) else { continue };
        if kind.value == "mcp"
            && let Some(server) = ["ref", "name", "command"].iter().find_map(|key| map.get(key))
        {
            // What `ref` names is in Docker's catalog or among the file's own `mcps`.
            let server = scalar(server);
            definition.references.own_servers.extend(server.clone().map(|name| name.value));
            definition.references.mcp_servers.extend(server);
        }
        definition.tools.allowed.allow(kind);
    }
}

fn messages(node: &Node) -> Vec<Message> {
    let maps = node.as_list().unwrap_or_default().iter().filter_map(Node::as_map);
    maps.filter_map(|map| {
        let text = |key| map.get(key).and_then(scalar);
        Some(Message { role: text("role")?, content: text("content")? })
    })
    .collect()
}

fn inputs(node: &Node) -> Vec<Input> {
    let entries = node.as_map().into_iter().flat_map(|map| &map.entries);
    entries
        .map(|entry| match entry.value.as_map() {
            Some(map) => input(entry.key.clone(), map, "type", InputType::parse),
            None => input(entry.key.clone(), &Map::default(), "type", |_| None),
        })
        .collect()
}

/// Goose: a list of `{key, input_type, requirement, description, default}`.
fn parameters(node: &Node) -> Vec<Input> {
    let maps = node.as_list().unwrap_or_default().iter().filter_map(Node::as_map);
    maps.filter_map(|map| {
        let name = map.get("key").and_then(scalar)?;
        let kind = |word: &str| match word {
            "date" | "file" | "select" => Some(InputType::String),
            word => InputType::parse(word),
        };
        let required = map.get("requirement").and_then(Node::as_text) == Some("required");
        Some(Input { required, ..input(name, map, "input_type", kind) })
    })
    .collect()
}

fn input(
    name: Spanned<String>,
    map: &Map,
    type_key: &str,
    kind: impl Fn(&str) -> Option<InputType>,
) -> Input {
    let word = map.get(type_key).and_then(scalar);
    Input {
        name,
        kind: word.and_then(|word| Some(Spanned::new(kind(&word.value)?, word.span))),
        required: map.get("required").and_then(flag).is_some_and(|flag| flag.value),
        description: map.get("description").and_then(scalar),
        default: map.get("default").cloned(),
    }
}

/// A list of names or maps with a `name`, or a map from name to the rest.
fn personas(node: &Node) -> Vec<Persona> {
    match &node.value {
        Value::List(items) => items
            .iter()
            .filter_map(|item| match item.as_map() {
                Some(map) => Some(persona(map.get("name").and_then(scalar)?, Some(map))),
                None => Some(persona(scalar(item)?, None)),
            })
            .collect(),
        Value::Map(map) => map
            .entries
            .iter()
            .map(|entry| persona(entry.key.clone(), entry.value.as_map()))
            .collect(),
        _ => Vec::new(),
    }
}

fn persona(name: Spanned<String>, map: Option<&Map>) -> Persona {
    let text = |key| map.and_then(|map| map.get(key)).and_then(scalar);
    Persona {
        name,
        description: text("description"),
        model: text("model"),
        reasoning_effort: text("reasoning_effort"),
        prompt: text("prompt"),
    }
}
