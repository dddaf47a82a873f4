//! Keys of a definition, and what the tables say about them.

use super::AgentCx;
use crate::{
    dialect::{Field, Form, Kind, Layout, Slot},
    document::{Entry, Node, Value},
    text::Span,
};

/// The field at `path`, through the tables inside of values.
pub(super) fn field_at(form: &'static Form, path: &str) -> Option<&'static Field> {
    let (parent, key) = split(path);
    let key = key.split('[').next().unwrap_or(key);
    fields_of(form, parent).iter().find(|field| field.key == key)
}

/// The fields that could stand where `path` stands.
pub(super) fn siblings(form: &'static Form, path: &str) -> &'static [Field] {
    fields_of(form, split(path).0)
}

/// The last key of `path`.
pub(super) fn last(path: &str) -> &str {
    split(path).1
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('.').unwrap_or(("", path))
}

fn fields_of(form: &'static Form, parent: &str) -> &'static [Field] {
    let mut fields = form.fields;
    if parent.is_empty() {
        return fields;
    }
    let mut keys = parent.split('.').map(|key| key.split('[').next().unwrap_or(key));
    while let Some(key) = keys.next() {
        let Some(field) = fields.iter().find(|field| field.key == key) else { return &[] };
        fields = inside(&field.kind, &mut keys);
    }
    fields
}

/// The fields inside of a value; a map from any key takes one more step.
fn inside<'a>(kind: &'static Kind, keys: &mut impl Iterator<Item = &'a str>) -> &'static [Field] {
    match kind {
        Kind::Table(fields) | Kind::OpenTable(fields, _) => fields,
        Kind::List(kind) => inside(kind, keys),
        Kind::MapOf(kind) => {
            keys.next();
            inside(kind, keys)
        }
        _ => &[],
    }
}

/// The keys beside the agents in a file of several.
pub(super) fn top_keys(form: &'static Form) -> Vec<&'static str> {
    match form.layout {
        Layout::Keyed { keys, top, .. } => {
            keys.iter().copied().chain(top.iter().map(|field| field.key)).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether `path` is the key by which the host calls the agent.
pub(super) fn is_name(cx: &AgentCx<'_>, path: &str) -> bool {
    cx.entry.form.field(path).is_some_and(|field| field.slot == Slot::Name)
}

/// The entry whose key stands at `key`.
pub(super) fn entry_at(node: &Node, key: Span) -> Option<&Entry> {
    match &node.value {
        Value::List(items) => items.iter().find_map(|item| entry_at(item, key)),
        Value::Map(map) => map.entries.iter().find_map(|entry| {
            if entry.key.span == key { Some(entry) } else { entry_at(&entry.value, key) }
        }),
        _ => None,
    }
}

/// The value that stands at `span`.
pub(super) fn node_at(node: &Node, span: Span) -> Option<&Node> {
    if node.span == span {
        return Some(node);
    }
    match &node.value {
        Value::List(items) => items.iter().find_map(|item| node_at(item, span)),
        Value::Map(map) => map.entries.iter().find_map(|entry| node_at(&entry.value, span)),
        _ => None,
    }
}

/// The lines of `entry`, if nothing else stands on them.
pub(super) fn whole_lines(text: &str, entry: &Entry) -> Option<Span> {
    let key = entry.key.span.start as usize;
    let start = text[..key].rfind('\n').map_or(0, |newline| newline + 1);
    let last = entry.value.span.end.max(entry.key.span.end) as usize;
    let rest = &text[last..];
    let line = rest.find('\n').map_or(rest.len(), |newline| newline + 1);
    let alone = text[start..key].trim().is_empty() && {
        let tail = rest[..line].trim();
        tail.is_empty() || tail == ":"
    };
    alone.then(|| Span::new(start, last + line))
}
