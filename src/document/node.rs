//! The tree every format becomes: each key and each value with its exact bytes.

use serde_json::{Number, Value as Json};

use crate::text::{Span, Spanned};

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The bytes of the value: quotes, brackets and block-scalar headers included, tags and
    /// anchors not. An absent value has the empty span where it would stand.
    pub span: Span,
    /// What it is.
    pub value: Value,
    /// How it was written.
    pub style: Style,
    /// The bytes of an explicit tag (`!!str`).
    pub tag: Option<Span>,
    /// The bytes of an anchor (`&name`).
    pub anchor: Option<Span>,
}

/// What a node is, by the YAML 1.2 core schema.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// Text.
    Text(String),
    /// A sequence or array.
    List(Vec<Node>),
    /// A mapping, table or object.
    Map(Map),
}

/// How a node was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// In `'…'`.
    SingleQuoted,
    /// In `"…"`.
    DoubleQuoted,
    /// After `|`.
    Literal,
    /// After `>`.
    Folded,
    /// A collection by indentation, or a TOML table.
    Block,
    /// A collection in brackets, or the pair in `[a: b]`, which is a mapping without any.
    Flow,
    /// `*name`: the value is a copy of the anchored node, the span is the alias's.
    Alias,
    /// Text that is not valid where it stands, read as if it had been quoted.
    Repaired,
}

/// A mapping, in the order of the file. A key written twice stands here twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// Keys and values.
    pub entries: Vec<Entry>,
}

/// One key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key; the span includes its quotes.
    pub key: Spanned<String>,
    /// The value.
    pub value: Node,
}

impl Map {
    /// The first entry called `key`.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key.value == key)
    }

    /// The first value called `key`.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }
}

impl Node {
    /// A node without tag or anchor.
    pub fn new(value: Value, span: Span, style: Style) -> Self {
        Self { span, value, style, tag: None, anchor: None }
    }

    /// The absent value at `span`.
    pub fn null(span: Span) -> Self {
        Self::new(Value::Null, span, Style::Plain)
    }

    /// The text, if it is text.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The mapping, if it is one.
    pub fn as_map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match self.value {
            Value::Integer(number) => Some(number as f64),
            Value::Float(number) => Some(number),
            _ => None,
        }
    }

    /// Whether there is no value.
    pub fn is_null(&self) -> bool {
        self.value == Value::Null
    }

    /// A scalar as the text people would call it by; `None` for collections and nothing.
    pub fn scalar_text(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) => Some(text.clone()),
            Value::Bool(flag) => Some(flag.to_string()),
            Value::Integer(number) => Some(number.to_string()),
            Value::Float(number) => Some(number.to_string()),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// What to call this kind of value in a message.
    pub fn kind_name(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a number",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// How many nodes this one holds, itself included.
    pub fn count(&self) -> usize {
        1 + match &self.value {
            Value::List(items) => items.iter().map(Self::count).sum(),
            Value::Map(map) => map.entries.iter().map(|entry| entry.value.count()).sum(),
            _ => 0,
        }
    }

    /// The same value as JSON, without positions. Of a key written twice the first counts;
    /// numbers JSON cannot hold become `null`.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(flag) => Json::Bool(*flag),
            Value::Integer(number) => Json::from(*number),
            Value::Float(number) => Number::from_f64(*number).map_or(Json::Null, Json::Number),
            Value::Text(text) => Json::String(text.clone()),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Map(map) => {
                let mut object = serde_json::Map::new();
                for Entry { key, value } in &map.entries {
                    object.entry(key.value.clone()).or_insert_with(|| value.to_json());
                }
                Json::Object(object)
            }
        }
    }
}
