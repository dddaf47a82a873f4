//! `agentctl list`.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::{Paint, place, table::table};
use crate::{
    catalog::{Catalog, Entry, Located},
    dialect::{Fault, FaultKind, Grant, Outcome},
    model::{Access, Persona},
    text::{one_line, printable},
};

/// The catalog as a table, then what its hosts would not load.
pub fn list_text(
    catalog: &Catalog,
    entries: &[&Entry],
    width: Option<usize>,
    paint: Paint,
) -> String {
    let rows: Vec<Vec<String>> = entries.iter().map(|entry| row(entry)).collect();
    let mut out =
        table(&["AGENT", "SOURCE", "DIALECT", "TOOLS", "DESCRIPTION"], &rows, width, paint);
    notes(&mut out, catalog, entries, paint);
    out
}

fn row(entry: &Entry) -> Vec<String> {
    let description = entry.definition.description.as_ref().map_or("", |text| &text.value);
    let mark = match (entry.shadowed_by, entry.loads()) {
        (Some(_), _) => " (shadowed)",
        (None, false) => " (!)",
        (None, true) => "",
    };
    vec![
        format!("{}{mark}", one_line(&entry.full_name())),
        entry.origin.name().to_owned(),
        entry.dialect.id.to_owned(),
        tools(entry),
        one_line(description),
    ]
}

/// How many tools a definition grants, in a word.
fn tools(entry: &Entry) -> String {
    let word = |grant: Grant| match grant {
        Grant::Everything => "all",
        Grant::Nothing => "none",
        Grant::Unknown => "?",
    };
    let vocabulary = entry.dialect.tools;
    let mut text = match &entry.definition.tools.allowed {
        Access::Unsaid => word(vocabulary.absent).to_owned(),
        Access::Listed(list) if list.value.is_empty() => word(vocabulary.empty).to_owned(),
        Access::Listed(list) => list.value.len().to_string(),
    };
    let denied = entry.definition.tools.denied.len();
    if denied > 0 {
        write!(text, " -{denied}").ok();
    }
    text
}

/// What happened to definitions that are not simply there.
fn notes(out: &mut String, catalog: &Catalog, entries: &[&Entry], paint: Paint) {
    let mut first = true;
    for entry in entries {
        for fault in entry.faults.iter().filter(|fault| is_worth_a_note(fault)) {
            if std::mem::take(&mut first) {
                out.push('\n');
            }
            let at =
                format!("{}:{}:{}", entry.path.display(), fault.start.line, fault.start.column);
            let what = fault.what.kind.to_string();
            writeln!(out, "{} {}", paint.bold(printable(&at)), printable(&what)).ok();
            writeln!(out, "  {}", paint.yellow(fault.what.fact().sentence(entry.dialect.host)))
                .ok();
        }
    }
    for entry in entries {
        let Some(winner) = entry.shadowed_by.and_then(|at| catalog.entries.get(at)) else {
            continue;
        };
        if std::mem::take(&mut first) {
            out.push('\n');
        }
        let (this, other) = (entry.path.display().to_string(), winner.path.display().to_string());
        let name = one_line(&entry.full_name());
        writeln!(
            out,
            "{} `{name}` is shadowed by {}",
            paint.bold(printable(&this)),
            printable(&other)
        )
        .ok();
    }
}

/// Faults that make an agent vanish, fail, or do more than its file says.
fn is_worth_a_note(fault: &Located<Fault>) -> bool {
    match fault.what.outcome {
        Outcome::Accepted | Outcome::Ignored | Outcome::Forwarded => false,
        Outcome::FailsAtRun | Outcome::Unrestricted | Outcome::HostFails | Outcome::Rejected => {
            true
        }
        // Shadowing is told once, below.
        Outcome::Skipped => !matches!(fault.what.kind, FaultKind::Duplicate { .. }),
    }
}

/// The catalog as JSON.
pub fn list_json(catalog: &Catalog, entries: &[&Entry], expanded: bool) -> Value {
    entries.iter().map(|entry| entry_json(catalog, entry, expanded)).collect()
}

fn entry_json(catalog: &Catalog, entry: &Entry, expanded: bool) -> Value {
    let definition = &entry.definition;
    let names = |names: &[crate::text::Spanned<String>]| -> Value {
        names.iter().map(|name| json!(name.value)).collect()
    };
    let path_of =
        |at: &usize| catalog.entries.get(*at).map(|entry| json!(entry.path.display().to_string()));
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("agent_type", json!(entry.name()));
    put("description", json!(definition.description.as_ref().map(|text| &text.value)));
    put("allow_list", definition.tools.allowed.names().map_or(Value::Null, names));
    put("deny_list", names(&definition.tools.denied));
    if !definition.personas.is_empty() {
        let personas = definition.personas.iter().map(|persona| persona_json(persona, expanded));
        put("agent_names", personas.collect());
    }
    put("source", json!(entry.origin));
    put("dialect", json!(entry.dialect.id));
    put("path", json!(entry.path.display().to_string()));
    if !entry.form.id.is_empty() {
        put("form", json!(entry.form.id));
    }
    if let Some(plugin) = &entry.plugin {
        put("plugin", json!(plugin));
    }
    if let Some(name) = &definition.display_name {
        put("display_name", json!(name.value));
    }
    if !entry.shadows.is_empty() {
        put("shadows", entry.shadows.iter().filter_map(path_of).collect());
    }
    if let Some(winner) = entry.shadowed_by.as_ref().and_then(path_of) {
        put("shadowed_by", winner);
    }
    put("loads", json!(entry.loads()));
    if !entry.faults.is_empty() {
        put("problems", entry.faults.iter().map(|fault| fault_json(entry, fault)).collect());
    }
    if expanded {
        let chain: Vec<_> = definition.model.chain.iter().map(|model| json!(model.value)).collect();
        put(
            "model",
            match chain.len() {
                0 => Value::Null,
                1 => chain[0].clone(),
                _ => Value::Array(chain),
            },
        );
        put(
            "reasoning_effort",
            json!(definition.model.effort.as_ref().map(|effort| &effort.value)),
        );
        put("default_prompt", json!(entry.system_prompt()));
    }
    Value::Object(object)
}

fn persona_json(persona: &Persona, expanded: bool) -> Value {
    let text =
        |text: &Option<crate::text::Spanned<String>>| json!(text.as_ref().map(|text| &text.value));
    let mut object =
        json!({ "name": persona.name.value, "description": text(&persona.description) });
    if expanded && let Some(object) = object.as_object_mut() {
        object.insert("model".to_owned(), text(&persona.model));
        object.insert("reasoning_effort".to_owned(), text(&persona.reasoning_effort));
        object.insert("prompt".to_owned(), text(&persona.prompt));
    }
    object
}

/// A fault with its place and what its host does.
pub(super) fn fault_json(entry: &Entry, fault: &Located<Fault>) -> Value {
    let mut object = json!({
        "message": fault.what.kind.to_string(),
        "host": entry.dialect.host,
        "outcome": fault.what.outcome,
        "confidence": fault.what.confidence,
    });
    if let (Some(object), Value::Object(place)) = (object.as_object_mut(), place(fault)) {
        object.extend(place);
    }
    object
}
