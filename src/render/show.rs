//! `agentctl show`: everything a definition says, with where each thing comes from.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    Drawing, Lines, Paint, Pen,
    list::fault_json,
    sheet::{run_rows, section, sheet_sections},
    verdicts::verdicts_text,
    yaml_text,
};
use crate::{
    authority::Verdict,
    catalog::{Catalog, Entry},
    dialect::{Field, Kind, Meaning, Slot},
    lint::Level,
    model::{Definition, NameOrigin, PromptText},
    plan::Sheet,
    text::{Position, Span, Spanned, one_line, printable},
};

/// What a slot of a definition holds, and the bytes that say so.
type Reading = Option<(Value, Span)>;

/// One thing a definition can say.
struct Row {
    label: &'static str,
    slots: &'static [Slot],
    read: fn(&Definition) -> Reading,
}

/// A row's value and where it comes from.
struct Resolved {
    label: &'static str,
    value: Value,
    from: From,
}

enum From {
    File(Position),
    FileName,
    /// What the host assumes.
    Default,
}

fn text(field: &Option<Spanned<String>>) -> Reading {
    field.as_ref().map(|field| (json!(field.value), field.span))
}

fn copied<T: Copy + Into<Value>>(field: &Option<Spanned<T>>) -> Reading {
    field.as_ref().map(|field| (field.value.into(), field.span))
}

fn list(names: &[Spanned<String>]) -> Reading {
    let span = names.iter().map(|name| name.span).reduce(Span::to)?;
    Some((names.iter().map(|name| json!(name.value)).collect(), span))
}

static ROWS: &[Row] = &[
    Row { label: "display_name", slots: &[Slot::DisplayName], read: |d| text(&d.display_name) },
    Row { label: "description", slots: &[Slot::Description], read: |d| text(&d.description) },
    Row {
        label: "tools",
        slots: &[Slot::Tools, Slot::Toolsets, Slot::Permissions],
        read: |d| match &d.tools.allowed {
            crate::model::Access::Unsaid => None,
            crate::model::Access::Listed(names) => {
                Some((names.value.iter().map(|name| json!(name.value)).collect(), names.span))
            }
        },
    },
    Row { label: "disallowed_tools", slots: &[Slot::DeniedTools], read: |d| list(&d.tools.denied) },
    Row { label: "model", slots: &[Slot::Model], read: |d| list(&d.model.chain) },
    Row { label: "reasoning_effort", slots: &[Slot::Effort], read: |d| text(&d.model.effort) },
    Row {
        label: "temperature",
        slots: &[Slot::Temperature],
        read: |d| copied(&d.model.temperature),
    },
    Row { label: "top_p", slots: &[Slot::TopP], read: |d| copied(&d.model.top_p) },
    Row {
        label: "thinking_budget",
        slots: &[Slot::ThinkingBudget],
        read: |d| copied(&d.model.thinking_budget),
    },
    Row { label: "max_turns", slots: &[Slot::MaxTurns], read: |d| copied(&d.limits.max_turns) },
    Row {
        label: "max_time_seconds",
        slots: &[Slot::MaxSeconds, Slot::MaxMinutes],
        read: |d| copied(&d.limits.max_seconds),
    },
    Row {
        label: "grace_period_seconds",
        slots: &[Slot::GraceSeconds],
        read: |d| copied(&d.limits.grace_seconds),
    },
    Row { label: "max_tokens", slots: &[Slot::MaxTokens], read: |d| copied(&d.limits.max_tokens) },
    Row {
        label: "fork_context",
        slots: &[Slot::ForkContext],
        read: |d| copied(&d.behaviour.fork_context),
    },
    Row {
        label: "background",
        slots: &[Slot::Background],
        read: |d| copied(&d.behaviour.background),
    },
    Row { label: "read_only", slots: &[Slot::ReadOnly], read: |d| copied(&d.behaviour.read_only) },
    Row {
        label: "execution_mode",
        slots: &[Slot::ExecutionMode],
        read: |d| text(&d.behaviour.execution_mode),
    },
    Row {
        label: "approval_mode",
        slots: &[Slot::ApprovalMode],
        read: |d| text(&d.behaviour.approval_mode),
    },
    Row { label: "sandbox", slots: &[Slot::Sandbox], read: |d| text(&d.behaviour.sandbox) },
    Row { label: "base_dir", slots: &[Slot::BaseDir], read: |d| text(&d.behaviour.base_dir) },
    Row {
        label: "disabled_features",
        slots: &[Slot::DisabledFeatures],
        read: |d| list(&d.behaviour.disabled_features),
    },
    Row { label: "agents", slots: &[Slot::Agents], read: |d| list(&d.references.agents) },
    Row { label: "skills", slots: &[Slot::Skills], read: |d| list(&d.references.skills) },
    Row {
        label: "mcp_servers",
        slots: &[Slot::McpServers],
        read: |d| list(&d.references.mcp_servers),
    },
    Row { label: "agent_names", slots: &[Slot::Personas], read: personas },
    Row { label: "inputs", slots: &[Slot::Inputs, Slot::Parameters], read: inputs },
    Row { label: "output", slots: &[Slot::OutputSchema], read: output },
    Row { label: "query", slots: &[Slot::Query], read: |d| text(&d.prompt.query) },
    Row { label: "initial_messages", slots: &[Slot::InitialMessages], read: messages },
];

fn personas(definition: &Definition) -> Reading {
    let span = definition.personas.iter().map(|persona| persona.name.span).reduce(Span::to)?;
    let value = |text: &Option<Spanned<String>>| json!(text.as_ref().map(|text| &text.value));
    let personas = definition.personas.iter().map(|persona| {
        json!({
            "name": persona.name.value,
            "description": value(&persona.description),
            "model": value(&persona.model),
            "reasoning_effort": value(&persona.reasoning_effort),
            "prompt": value(&persona.prompt),
        })
    });
    Some((personas.collect(), span))
}

fn inputs(definition: &Definition) -> Reading {
    let span = definition.inputs.iter().map(|input| input.name.span).reduce(Span::to)?;
    let inputs = definition.inputs.iter().map(|input| {
        json!({
            "name": input.name.value,
            "type": input.kind.map(|kind| kind.value.name()),
            "required": input.required,
            "description": input.description.as_ref().map(|text| &text.value),
            "default": input.default.as_ref().map(|node| node.to_json()),
        })
    });
    Some((inputs.collect(), span))
}

fn output(definition: &Definition) -> Reading {
    let output = definition.output.as_ref()?;
    let schema = output.schema.as_ref();
    let span = schema.map(|schema| schema.span).or(output.name.as_ref().map(|name| name.span))?;
    let value = json!({
        "name": output.name.as_ref().map(|name| &name.value),
        "description": output.description.as_ref().map(|text| &text.value),
        "schema": schema.map(|schema| schema.to_json()),
    });
    Some((value, span))
}

fn messages(definition: &Definition) -> Reading {
    let messages = &definition.prompt.initial_messages;
    let span = messages.iter().map(|message| message.content.span).reduce(Span::to)?;
    let value = messages
        .iter()
        .map(|message| json!({ "role": message.role.value, "content": message.content.value }));
    Some((value.collect(), span))
}

/// Every row that the file or the host says something about.
fn resolve(entry: &Entry) -> Vec<Resolved> {
    let position = |span: Span| {
        let source = entry.source.as_ref();
        source.map_or(Position { line: 1, column: 1, byte: 0 }, |source| {
            source.position(span.start as usize)
        })
    };
    let row = |row: &Row| match (row.read)(&entry.definition) {
        Some((value, span)) => {
            Some(Resolved { label: row.label, value, from: From::File(position(span)) })
        }
        None => {
            let default = row.slots.iter().find_map(|slot| default_of(entry.form.fields, *slot))?;
            Some(Resolved { label: row.label, value: json!(default), from: From::Default })
        }
    };
    let name = &entry.definition.name;
    let from = match name.origin {
        NameOrigin::Field(span) | NameOrigin::MapKey(span) => From::File(position(span)),
        NameOrigin::FileName | NameOrigin::Missing => From::FileName,
    };
    let first = Resolved { label: "agent_type", value: json!(name.text), from };
    std::iter::once(first).chain(ROWS.iter().filter_map(row)).collect()
}

/// What the host assumes for a slot, wherever in its tables the key is.
fn default_of(fields: &'static [Field], slot: Slot) -> Option<&'static str> {
    fields.iter().find_map(|field| match field.kind {
        Kind::Table(inner) | Kind::OpenTable(inner, _) => default_of(inner, slot),
        _ => field.default.filter(|_| field.slot == slot),
    })
}

/// The tools a definition names, with what each means.
fn tools(entry: &Entry) -> Vec<(&'static str, &Spanned<String>, Meaning)> {
    let tools = &entry.definition.tools;
    let meaning = |name: &Spanned<String>| entry.dialect.tools.meaning(&name.value);
    let allowed =
        tools.allowed.names().unwrap_or_default().iter().map(|name| ("allow", name, meaning(name)));
    let denied = tools.denied.iter().map(|name| ("deny", name, meaning(name)));
    allowed.chain(denied).collect()
}

/// A definition as JSON.
pub fn show_json(
    catalog: &Catalog,
    entry: &Entry,
    verdicts: &[Verdict],
    sheet: Option<&Sheet>,
) -> Value {
    let path = entry.path.display().to_string();
    let fields: serde_json::Map<String, Value> = resolve(entry)
        .into_iter()
        .map(|Resolved { label, value, from }| {
            let from = match from {
                From::File(place) => {
                    json!({ "path": path, "line": place.line, "column": place.column })
                }
                From::FileName => json!("file name"),
                From::Default => json!(format!("default of {}", entry.dialect.host)),
            };
            (label.to_owned(), json!({ "value": value, "from": from }))
        })
        .collect();
    let tools: Vec<Value> = tools(entry)
        .into_iter()
        .map(|(effect, name, meaning)| {
            let canonical = match meaning {
                Meaning::Tools(tools) => json!(tools),
                Meaning::Everything => json!(["*"]),
                Meaning::Mcp { server, tool } => {
                    json!([format!("mcp:{server}/{}", tool.as_deref().unwrap_or("*"))])
                }
                Meaning::Unknown => Value::Null,
            };
            json!({ "name": name.value, "effect": effect, "canonical": canonical })
        })
        .collect();
    let unknown = entry.definition.fields.iter().filter(|field| !field.understood);
    let path_of =
        |at: &usize| catalog.entries.get(*at).map(|entry| entry.path.display().to_string());
    json!({
        "agent_type": entry.name(),
        "source": entry.origin,
        "dialect": entry.dialect.id,
        "form": entry.form.title,
        "host": entry.dialect.host,
        "path": path,
        "plugin": entry.plugin,
        "fields": fields,
        "tools": tools,
        "authority": verdicts,
        "run": sheet,
        "not_understood": unknown.map(|field| &field.path).collect::<Vec<_>>(),
        "shadows": entry.shadows.iter().filter_map(path_of).collect::<Vec<_>>(),
        "shadowed_by": entry.shadowed_by.as_ref().and_then(path_of),
        "loads": entry.loads(),
        "problems": entry.faults.iter().map(|fault| fault_json(entry, fault)).collect::<Vec<_>>(),
        "system_prompt": entry.system_prompt(),
    })
}

/// A definition for people.
pub fn show_text(
    catalog: &Catalog,
    entry: &Entry,
    verdicts: &[Verdict],
    sheet: Option<&Sheet>,
    width: usize,
    paint: Paint,
) -> String {
    let mut out = String::new();
    head(&mut out, catalog, entry, paint);
    fields(&mut out, entry, width, paint);
    meanings(&mut out, entry, paint);
    out.push_str(&verdicts_text(verdicts, paint));
    if let Some(sheet) = sheet {
        writeln!(out, "\n{}", paint.bold("Run by agentctl")).ok();
        out.push_str(&run_rows(sheet, paint));
    }
    let unknown: Vec<_> =
        entry.definition.fields.iter().filter(|field| !field.understood).collect();
    if !unknown.is_empty() {
        writeln!(out, "\n{}", paint.bold("Keys the host does not know")).ok();
        for field in unknown {
            writeln!(out, "  {}", one_line(&field.path)).ok();
        }
    }
    match sheet {
        Some(sheet) => sheet_sections(&mut out, sheet, paint),
        None => written_prompt(&mut out, entry, paint),
    }
    problems(&mut out, entry, width, paint);
    out
}

/// The system prompt as it stands in the file.
fn written_prompt(out: &mut String, entry: &Entry, paint: Paint) {
    let Some(prompt) = entry.system_prompt() else { return };
    let place = match entry.definition.prompt.system.as_ref().map(|text| &text.value) {
        Some(PromptText::Value(_)) => "",
        _ => " (body of the file)",
    };
    section(out, &format!("{}{}", paint.bold("System prompt"), paint.dim(place)), prompt);
}

fn head(out: &mut String, catalog: &Catalog, entry: &Entry, paint: Paint) {
    let what = format!("{} · {}", entry.form.title, entry.origin.name());
    writeln!(out, "{}  {}", paint.bold(one_line(&entry.full_name())), paint.dim(what)).ok();
    writeln!(out, "{}", printable(&entry.path.display().to_string())).ok();
    if let Some(winner) = entry.shadowed_by.and_then(|at| catalog.entries.get(at)) {
        writeln!(out, "shadowed by {}", printable(&winner.path.display().to_string())).ok();
    }
    for shadowed in entry.shadows.iter().filter_map(|at| catalog.entries.get(*at)) {
        writeln!(out, "shadows {}", printable(&shadowed.path.display().to_string())).ok();
    }
    out.push('\n');
}

fn fields(out: &mut String, entry: &Entry, width: usize, paint: Paint) {
    let resolved = resolve(entry);
    let label_width = resolved.iter().map(|row| row.label.len()).max().unwrap_or(0);
    for Resolved { label, value, from } in resolved {
        let from = match from {
            From::File(place) => format!("line {}", place.line),
            From::FileName => "file name".to_owned(),
            From::Default => "default".to_owned(),
        };
        let room = width.saturating_sub(label_width + 4).max(20);
        let mut lines =
            if is_nested(&value) { outline(&value) } else { wrap(&plain(&value), room) };
        let place = if is_nested(&value) { lines.first_mut() } else { lines.last_mut() };
        if let Some(line) = place {
            line.push_str(&paint.dim(format!("  ({from})")));
        }
        for (at, line) in lines.iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            writeln!(out, "  {label:label_width$}  {line}").ok();
        }
    }
}

fn meanings(out: &mut String, entry: &Entry, paint: Paint) {
    let tools = tools(entry);
    if tools.is_empty() {
        return;
    }
    writeln!(out, "\n{}", paint.bold("Tools")).ok();
    let width = tools.iter().map(|(_, name, _)| name.value.chars().count()).max().unwrap_or(0);
    for (effect, name, meaning) in tools {
        let meaning = match meaning {
            Meaning::Tools([]) => format!("only {} has it", entry.dialect.host),
            Meaning::Tools(tools) => tools.join(", "),
            Meaning::Everything => "every tool".to_owned(),
            Meaning::Mcp { server, tool: Some(tool) } => {
                format!("`{}` of the MCP server `{}`", one_line(&tool), one_line(&server))
            }
            Meaning::Mcp { server, tool: None } => {
                format!("all of the MCP server `{}`", one_line(&server))
            }
            Meaning::Unknown => paint.yellow(format!("not a tool of {}", entry.dialect.host)),
        };
        writeln!(out, "  {effect:5}  {:width$}  {meaning}", one_line(&name.value)).ok();
    }
}

fn problems(out: &mut String, entry: &Entry, width: usize, paint: Paint) {
    let Some(source) = &entry.source else { return };
    let pen = Pen::new(width, paint);
    for fault in &entry.faults {
        out.push('\n');
        let drawing = Drawing {
            level: if fault.what.outcome.loads() { Level::Warning } else { Level::Error },
            code: None,
            message: fault.what.kind.to_string(),
            label: Some(fault.what.fact().sentence(entry.dialect.host)),
            help: None,
            lines: Some(Lines::of_source(source, fault.what.span)),
        };
        pen.draw(&drawing, out);
    }
}

fn is_nested(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(|item| item.is_object() || item.is_array()),
        _ => false,
    }
}

/// A value of several levels, one thing a line; what a definition does not say is left out.
fn outline(value: &Value) -> Vec<String> {
    let text = yaml_text(&without_nulls(value)).unwrap_or_else(|_| value.to_string());
    printable(&text).lines().map(str::to_owned).collect()
}

/// The rows' own objects without what is not there; a null further down was written by someone.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

/// A value as people write it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text),
        Value::Array(items) if items.iter().all(|item| item.is_string()) => {
            items.iter().map(plain).collect::<Vec<_>>().join(", ")
        }
        Value::Number(number) => {
            // Limits are kept as fractions; whole ones read better whole.
            number
                .as_f64()
                .filter(|_| number.is_f64())
                .map_or_else(|| number.to_string(), |number| number.to_string())
        }
        other => one_line(&other.to_string()),
    }
}

/// Breaks `text` at blanks so that lines are at most `width` characters, where words allow.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 0 && line + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
