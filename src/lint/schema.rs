//! JSON Schemas as trees with places: their subschemas, and what their references point at.

use crate::{
    document::{Map, Node, Value},
    text::Span,
};

/// Keywords whose value is a schema.
const ONE: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "items",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a schema for the same value that this schema is for.
const ONE_IN_PLACE: &[&str] = &["else", "if", "not", "then"];
/// Keywords whose value is a list of schemas.
const LISTS: &[&str] = &["items", "prefixItems"];
/// Keywords whose value is a list of schemas for the same value.
const LISTS_IN_PLACE: &[&str] = &["allOf", "anyOf", "oneOf"];
/// Keywords whose value is a map of schemas.
const MAPS: &[&str] = &["$defs", "definitions", "patternProperties", "properties"];
/// Keywords whose value is a map of schemas for the same value.
const MAPS_IN_PLACE: &[&str] = &["dependencies", "dependentSchemas"];

/// A schema inside of a schema, itself included.
#[derive(Clone, Copy, Debug)]
pub struct Subschema<'a> {
    /// Its keywords.
    pub map: &'a Map,
    /// The schema that `#` means here: the nearest around it with an `$id`, or the root.
    pub resource: &'a Node,
    /// Whether it is for the same value as the schema around it, which may say the rest.
    pub in_place: bool,
    /// Whether every value the root accepts has a part that this schema must accept.
    pub needed: bool,
}

/// Every subschema of `root`, in the order of the file.
pub fn subschemas(root: &Node) -> Vec<Subschema<'_>> {
    let mut found = Vec::new();
    visit(root, root, false, true, &mut found);
    found
}

fn visit<'a>(
    node: &'a Node,
    resource: &'a Node,
    in_place: bool,
    needed: bool,
    found: &mut Vec<Subschema<'a>>,
) {
    let Some(map) = node.as_map() else { return };
    let resource = if own_id(map).is_some() { node } else { resource };
    found.push(Subschema { map, resource, in_place, needed });
    let required = |name: &str| needed && is_required(map, name);
    for entry in &map.entries {
        let (key, value) = (entry.key.value.as_str(), &entry.value);
        let one = ONE.contains(&key) || ONE_IN_PLACE.contains(&key);
        let list = LISTS.contains(&key) || LISTS_IN_PLACE.contains(&key);
        let maps = MAPS.contains(&key) || MAPS_IN_PLACE.contains(&key);
        match &value.value {
            Value::Map(_) if one => {
                visit(value, resource, ONE_IN_PLACE.contains(&key), false, found);
            }
            Value::List(items) if list => {
                let in_place = LISTS_IN_PLACE.contains(&key);
                let all = needed && key == "allOf";
                items.iter().for_each(|item| visit(item, resource, in_place, all, found));
            }
            Value::Map(inner) if maps => {
                let in_place = MAPS_IN_PLACE.contains(&key);
                for inner in &inner.entries {
                    let needed = key == "properties" && required(&inner.key.value);
                    visit(&inner.value, resource, in_place, needed, found);
                }
            }
            _ => {}
        }
    }
}

/// Whether a value that `map` accepts must be an object with a property `name`.
fn is_required(map: &Map, name: &str) -> bool {
    let object = map.get("type").and_then(Node::as_text) == Some("object");
    let names = map.get("required").and_then(Node::as_list).unwrap_or_default();
    object && names.iter().any(|item| item.as_text() == Some(name))
}

/// The `$id` of a schema; `#name` is the old way to write an anchor.
fn own_id(map: &Map) -> Option<&str> {
    map.get("$id").and_then(Node::as_text).filter(|id| !id.starts_with('#'))
}

/// What a `$ref` points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A schema of the same file, or one that every validator knows.
    Found,
    /// A place in the same file where nothing is.
    Nowhere,
    /// Something outside of the file.
    Outside,
}

/// Meta-schemas that validators bring along.
const BUNDLED: &[&str] = &[
    "json-schema.org/draft-04/",
    "json-schema.org/draft-06/",
    "json-schema.org/draft-07/",
    "json-schema.org/draft/2019-09/",
    "json-schema.org/draft/2020-12/",
];

/// Whether validators bring along the meta-schema called `uri`.
pub fn is_bundled(uri: &str) -> bool {
    let rest = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"));
    rest.is_some_and(|rest| BUNDLED.iter().any(|known| rest.starts_with(known)))
}

/// Where `reference`, written in `from`, leads. `all` are the subschemas of the whole schema.
pub fn resolve(reference: &str, from: &Subschema<'_>, all: &[Subschema<'_>]) -> Target {
    let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    if document.is_empty() {
        return within(from.resource, fragment, all);
    }
    if is_bundled(document) {
        return Target::Found;
    }
    let named = |other: &&Subschema<'_>| own_id(other.map).is_some_and(|id| same_id(id, document));
    match all.iter().find(named) {
        Some(other) => within(other.resource, fragment, all),
        None => Target::Outside,
    }
}

/// Whether a reference to `document` can mean the schema called `id`: it is the same, or the end
/// of it.
fn same_id(id: &str, document: &str) -> bool {
    let id = id.trim_end_matches('#');
    let tail = id.strip_suffix(document.trim_start_matches("./"));
    id == document || tail.is_some_and(|rest| rest.ends_with('/'))
}

fn within(resource: &Node, fragment: &str, all: &[Subschema<'_>]) -> Target {
    let fragment = unescaped(fragment);
    let found = if fragment.is_empty() {
        true
    } else if let Some(pointer) = fragment.strip_prefix('/') {
        at_pointer(resource, pointer).is_some()
    } else {
        let is = |map: &Map, key| map.get(key).and_then(Node::as_text) == Some(fragment.as_str());
        let old = |map: &Map| {
            map.get("$id").and_then(Node::as_text).and_then(|id| id.strip_prefix('#'))
                == Some(fragment.as_str())
        };
        all.iter().any(|schema| {
            is(schema.map, "$anchor") || is(schema.map, "$dynamicAnchor") || old(schema.map)
        })
    };
    if found { Target::Found } else { Target::Nowhere }
}

/// `text` with `%20` and the like undone.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let code = code.filter(|_| *first == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The value at a JSON pointer without its first slash.
fn at_pointer<'a>(root: &'a Node, pointer: &str) -> Option<&'a Node> {
    pointer.split('/').try_fold(root, |node, step| {
        let step = step.replace("~1", "/").replace("~0", "~");
        match &node.value {
            Value::Map(map) => map.get(&step),
            Value::List(items) => items.get(step.parse::<usize>().ok()?),
            _ => None,
        }
    })
}

/// The value at a JSON pointer, the key it stands under, and that key's place.
pub fn locate<'a>(root: &'a Node, pointer: &str) -> (&'a Node, String, Span) {
    let mut place = (root, String::new(), root.span);
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        let next = match &place.0.value {
            Value::Map(map) => map.entry(&step).map(|entry| (&entry.value, step, entry.key.span)),
            Value::List(items) => {
                let item = step.parse::<usize>().ok().and_then(|at| items.get(at));
                item.map(|item| (item, place.1.clone(), item.span))
            }
            _ => None,
        };
        match next {
            Some(next) => place = next,
            None => break,
        }
    }
    place
}

/// A value's own place, or that of its key if nothing was written.
pub fn span_of(node: &Node, key: Span) -> Span {
    if node.span.is_empty() { key } else { node.span }
}
