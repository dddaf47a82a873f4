//! JSON to tree. Comments and trailing commas are read, because some hosts' files have them, and
//! reported, because others' must not. After an error, what was read so far is kept.

use std::collections::HashSet;

use super::{
    Entry, MAX_DEPTH, MAX_NODES, Map, Node, Style, Value,
    problem::{ProblemKind, Problems},
};
use crate::text::{Span, Spanned};

/// Parses the bytes `region` of `text`.
pub(super) fn parse(text: &str, region: Span, problems: &mut Problems) -> Node {
    let mut parser =
        Parser { text, at: region.start as usize, end: region.end as usize, nodes: 0, problems };
    parser.skip();
    let root = parser.value(0).unwrap_or_else(|Stop| Node::null(Span::at(parser.at)));
    parser.skip();
    if parser.at < parser.end && !parser.stopped() {
        parser.problem(
            ProblemKind::Syntax("text after the end of the value".to_owned()),
            parser.at,
            parser.end,
        );
    }
    root
}

/// The text cannot be read any further; the reason is among the problems.
struct Stop;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    nodes: usize,
    problems: &'a mut Problems,
}

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Result<Node, Stop> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(self.stop(ProblemKind::TooManyNodes));
        }
        if depth > MAX_DEPTH {
            return Err(self.stop(ProblemKind::TooDeep));
        }
        match self.peek() {
            Some(b'{') => Ok(self.object(depth)),
            Some(b'[') => Ok(self.array(depth)),
            Some(b'"') => {
                let start = self.at;
                let text = self.string()?;
                Ok(Node::new(Value::Text(text), Span::new(start, self.at), Style::DoubleQuoted))
            }
            _ => self.literal(),
        }
    }

    fn object(&mut self, depth: usize) -> Node {
        let start = self.at;
        let mut map = Map::default();
        let mut seen = HashSet::new();
        self.items(b'}', |parser| {
            let key_start = parser.at;
            if parser.peek() != Some(b'"') {
                return Err(parser.syntax("a key in double quotes"));
            }
            let key = parser.string()?;
            let span = Span::new(key_start, parser.at);
            if !seen.insert(key.clone())
                && !parser.problems.is_full()
                && let Some(first) = map.entry(&key).map(|entry| entry.key.span)
            {
                let kind = ProblemKind::DuplicateKey { key: key.clone(), first };
                parser.problems.push(kind, span);
            }
            parser.skip();
            let value = parser.expect(b':', "`:` after the key").and_then(|()| {
                parser.skip();
                parser.value(depth + 1)
            });
            let (value, outcome) = match value {
                Ok(value) => (value, Ok(())),
                Err(stop) => (Node::null(Span::at(parser.at)), Err(stop)),
            };
            map.entries.push(Entry { key: Spanned::new(key, span), value });
            outcome
        });
        Node::new(Value::Map(map), Span::new(start, self.at), Style::Flow)
    }

    fn array(&mut self, depth: usize) -> Node {
        let start = self.at;
        let mut items = Vec::new();
        self.items(b']', |parser| {
            items.push(parser.value(depth + 1)?);
            Ok(())
        });
        Node::new(Value::List(items), Span::new(start, self.at), Style::Flow)
    }

    /// Reads what stands between brackets, `close` included. On an error it moves to the end of
    /// the text, so that every collection around it ends as well and keeps what it has.
    fn items(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Result<(), Stop>) {
        self.at += 1;
        let mut comma = None;
        loop {
            self.skip();
            if self.peek() == Some(close) {
                if let Some(comma) = comma {
                    self.problem(ProblemKind::JsonExtension, comma, comma + 1);
                }
                self.at += 1;
                return;
            }
            if item(self).is_err() {
                return;
            }
            self.skip();
            if self.peek() == Some(b',') {
                comma = Some(self.at);
                self.at += 1;
            } else if self.peek() != Some(close) {
                self.syntax(if close == b'}' { "`,` or `}`" } else { "`,` or `]`" });
                return;
            } else {
                comma = None;
            }
        }
    }

    fn string(&mut self) -> Result<String, Stop> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        while at < self.end && bytes[at] != b'"' {
            if bytes[at] == b'\n' {
                break;
            }
            at += if bytes[at] == b'\\' { 2 } else { 1 };
        }
        if at >= self.end || bytes[at] != b'"' {
            return Err(self.syntax("a closing `\"` on the same line"));
        }
        self.at = at + 1;
        let written = &self.text[start..self.at];
        Ok(serde_json::from_str(written).unwrap_or_else(|error| {
            let kind = ProblemKind::Syntax(format!("not a valid string: {error}"));
            self.problems.push(kind, Span::new(start, at + 1));
            written[1..written.len() - 1].to_owned()
        }))
    }

    fn literal(&mut self) -> Result<Node, Stop> {
        let start = self.at;
        let rest = &self.text[start..self.end];
        let length = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_')))
            .unwrap_or(rest.len());
        let value = match serde_json::from_str(&rest[..length]) {
            Ok(serde_json::Value::Null) => Value::Null,
            Ok(serde_json::Value::Bool(flag)) => Value::Bool(flag),
            Ok(serde_json::Value::Number(number)) => match number.as_i64() {
                Some(number) => Value::Integer(number),
                None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            _ => return Err(self.syntax("a value")),
        };
        self.at = start + length;
        Ok(Node::new(value, Span::new(start, self.at), Style::Plain))
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            let rest = &self.text[self.at..self.end];
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.at += blank;
            let rest = &rest[blank..];
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                return;
            };
            self.problem(ProblemKind::JsonExtension, self.at, self.at + length);
            self.at += length;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied().filter(|_| self.at < self.end)
    }

    fn expect(&mut self, byte: u8, what: &str) -> Result<(), Stop> {
        if self.peek() != Some(byte) {
            return Err(self.syntax(what));
        }
        self.at += 1;
        Ok(())
    }

    fn syntax(&mut self, wanted: &str) -> Stop {
        self.stop(ProblemKind::Syntax(format!("expected {wanted}")))
    }

    fn stop(&mut self, kind: ProblemKind) -> Stop {
        if !self.stopped() {
            let width = self.text[self.at..self.end].chars().next().map_or(0, char::len_utf8);
            self.problem(kind, self.at, self.at + width);
            self.end = self.at;
        }
        Stop
    }

    /// After an error the end of the text is moved to it.
    fn stopped(&self) -> bool {
        self.end < self.text.len() && self.at >= self.end
    }

    fn problem(&mut self, kind: ProblemKind, start: usize, end: usize) {
        self.problems.push(kind, Span::new(start, end));
    }
}
