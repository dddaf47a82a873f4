//! TOML to tree, with the recovering parser: after an error the rest is still read.

use toml::de::{DeTable, DeValue};

use super::{
    Entry, MAX_NODES, Map, Node, Style, Value,
    problem::{ProblemKind, Problems},
};
use crate::text::{Span, Spanned};

/// Longer files are not read: the parser cannot be stopped, and makes an error of every line.
const MAX_LINES: usize = 10 * MAX_NODES;

/// Parses the bytes `region` of `text`.
pub(super) fn parse(text: &str, region: Span, problems: &mut Problems) -> Node {
    let offset = region.start as usize;
    let text = &text[region.range()];
    let newlines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    if newlines.len() > MAX_LINES {
        problems.push(ProblemKind::TooManyNodes, region);
        return Node::null(Span::at(offset));
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut builder = Builder { text, offset, left: MAX_NODES };
    let mut root = builder.table(table.get_ref(), region);
    root.span = region;
    if builder.left == 0 {
        problems.push(ProblemKind::TooManyNodes, region);
    }
    let mut last_line = None;
    for error in errors {
        if problems.is_full() {
            break;
        }
        let span = error.span().map(Span::from).unwrap_or_default();
        // One mistake makes the parser complain about the rest of its line as well.
        let line = newlines.partition_point(|newline| *newline < span.start as usize);
        if last_line.replace(line) == Some(line) {
            continue;
        }
        let kind = builder.kind_of(error.message(), span, table.get_ref());
        problems.push(kind, span.shifted(offset));
    }
    root
}

struct Builder<'a> {
    text: &'a str,
    offset: usize,
    left: usize,
}

impl Builder<'_> {
    /// A table that is spread over lines covers its entries; an empty one is its header, `place`.
    fn table(&mut self, table: &DeTable<'_>, place: Span) -> Node {
        let mut entries = Vec::with_capacity(table.len().min(64));
        for (key, value) in table.iter() {
            if self.left == 0 {
                break;
            }
            let key = Spanned::new(
                key.get_ref().to_string(),
                Span::from(key.span()).shifted(self.offset),
            );
            let value = match value.span() {
                // What stands in for a value that could not be read has no place of its own.
                place if place.is_empty() => Node::null(Span::at(key.span.end as usize)),
                place => self.value(value.get_ref(), place.into()),
            };
            entries.push(Entry { key, value });
        }
        // The table is sorted by key; people read files from top to bottom.
        entries.sort_by_key(|entry| entry.key.span.start);
        let span = entries.iter().map(|entry| entry.key.span.to(entry.value.span));
        let span = span.reduce(Span::to).unwrap_or(place);
        Node::new(Value::Map(Map { entries }), span, Style::Block)
    }

    fn value(&mut self, value: &DeValue<'_>, span: Span) -> Node {
        self.left = self.left.saturating_sub(1);
        let place = span.shifted(self.offset);
        let written = self.text.get(span.range()).unwrap_or_default();
        match value {
            DeValue::Table(table) => {
                let inline = written.starts_with('{');
                let node = self.table(table, place);
                if inline { Node { span: place, style: Style::Flow, ..node } } else { node }
            }
            DeValue::Array(items) => {
                let items: Vec<Node> = items
                    .iter()
                    .map_while(|item| {
                        (self.left > 0).then(|| self.value(item.get_ref(), item.span().into()))
                    })
                    .collect();
                let inline = written.starts_with('[') && !written.starts_with("[[");
                let covered = items.iter().map(|item| item.span).reduce(Span::to).unwrap_or(place);
                let span = if inline { place } else { covered };
                Node::new(Value::List(items), span, if inline { Style::Flow } else { Style::Block })
            }
            scalar => {
                let style = match written.as_bytes().first() {
                    Some(b'"') => Style::DoubleQuoted,
                    Some(b'\'') => Style::SingleQuoted,
                    _ => Style::Plain,
                };
                Node::new(scalar_value(scalar, written), place, style)
            }
        }
    }

    /// The parser reports a repeated key like any other error; ours has a kind of its own.
    fn kind_of(&self, message: &str, span: Span, root: &DeTable<'_>) -> ProblemKind {
        let written = self.text.get(span.range()).unwrap_or_default();
        let key = written.trim_matches(['"', '\'']);
        let first = first_key(root, key).filter(|first| first.start < span.start);
        match first {
            Some(first) if message.starts_with("duplicate key") => {
                ProblemKind::DuplicateKey { key: key.to_owned(), first: first.shifted(self.offset) }
            }
            _ => ProblemKind::Syntax(message.to_owned()),
        }
    }
}

/// Where `key` stands first, in any table.
fn first_key(table: &DeTable<'_>, key: &str) -> Option<Span> {
    let here =
        table.iter().filter(|(name, _)| name.get_ref() == key).map(|(name, _)| name.span().into());
    let below = table
        .iter()
        .filter_map(|(_, value)| value.get_ref().as_table())
        .filter_map(|table| first_key(table, key));
    here.chain(below).min()
}

fn scalar_value(value: &DeValue<'_>, written: &str) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| Value::Text(written.to_owned()), Value::Integer),
        DeValue::Float(number) => {
            number.as_str().parse().map_or_else(|_| Value::Text(written.to_owned()), Value::Float)
        }
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
            Value::Text(written.to_owned())
        }
    }
}
