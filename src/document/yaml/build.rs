//! Parser events to tree: one pass, no recursion, every cost bounded.

use std::collections::{HashMap, HashSet};

use granit_parser::{
    Event, Options, Parser, ScalarStyle, ScanError, Span as EventSpan, StructureStyle,
};

use super::scalar;
use crate::{
    document::{
        Entry, MAX_DEPTH, MAX_NODES, Map, NeedsQuotes, Node, ProblemKind, Style, Value,
        problem::Problems,
    },
    text::{Span, Spanned},
};

/// Mappings up to this size find duplicate keys by looking; larger ones keep a set.
const SMALL_MAP: usize = 16;

/// What one run over the text gave.
pub(super) struct Attempt {
    /// The tree, as far as it came.
    pub root: Option<Node>,
    /// Comments, `#` included.
    pub comments: Vec<Span>,
    /// What is wrong but did not stop the parser.
    pub problems: Problems,
    /// The last key read in a block mapping: what comes after it is its value.
    pub last_key: Option<Span>,
    /// What stopped the parser.
    pub error: Option<ScanError>,
}

/// Parses `text`. `original` is the same text before repairs; `repaired` are the places where the
/// two differ, by start, with the value to use.
pub(super) fn build(text: &str, original: &str, repaired: &HashMap<usize, String>) -> Attempt {
    let mut builder = Builder {
        original,
        repaired,
        frames: Vec::new(),
        root: None,
        comments: Vec::new(),
        problems: Problems::default(),
        anchors: HashMap::new(),
        nodes: 0,
        copied: 0,
        cursor: 0,
        last_key: None,
        documents: 0,
    };
    let error = builder.run(text);
    builder.close_all();
    let Builder { root, comments, problems, last_key, .. } = builder;
    Attempt { root, comments, problems, last_key, error }
}

fn options() -> Options {
    granit_parser::options! {
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    }
}

struct Builder<'a> {
    original: &'a str,
    repaired: &'a HashMap<usize, String>,
    frames: Vec<Frame>,
    root: Option<Node>,
    comments: Vec<Span>,
    problems: Problems,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    copied: usize,
    /// The end of the last token seen; block-scalar headers are looked for after it.
    cursor: usize,
    last_key: Option<Span>,
    documents: usize,
}

/// A collection whose end has not come yet.
struct Frame {
    content: Content,
    start: usize,
    style: Style,
    tag: Option<Span>,
    anchor: Option<Span>,
    anchor_id: usize,
}

enum Content {
    List(Vec<Node>),
    Map { map: Map, seen: HashSet<String>, key: Option<Spanned<String>> },
}

impl Builder<'_> {
    fn run(&mut self, text: &str) -> Option<ScanError> {
        for event in Parser::new_from_str_with_options(text, options()) {
            let (event, place) = match event {
                Ok(event) => event,
                Err(error) => return Some(error),
            };
            if self.nodes >= MAX_NODES {
                self.problems.push(ProblemKind::TooManyNodes, span_of(&place));
                return None;
            }
            if self.take(event, &place).is_break() {
                return None;
            }
        }
        None
    }

    fn take(&mut self, event: Event<'_>, place: &EventSpan) -> std::ops::ControlFlow<()> {
        let span = span_of(place);
        let tag = place.tag_span().as_ref().map(span_of);
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.problems.push(ProblemKind::MultipleDocuments, span);
                    return std::ops::ControlFlow::Break(());
                }
            }
            Event::Comment(..) => self.comments.push(span),
            Event::Anchor(id, _) => self.name_anchor(id, span),
            Event::Scalar(text, style, anchor_id, tag_name) => {
                let is_text = tag_name.is_some_and(|tag| tag.is_yaml_core_schema_tag("str"));
                let mut node = self.scalar(&text, style, span, tag, is_text);
                node.tag = tag;
                self.place(node, anchor_id);
            }
            Event::SequenceStart(style, id, _) => {
                self.open(Content::List(Vec::new()), style, span, tag, id);
            }
            Event::MappingStart(style, id, _) => {
                let content = Content::Map { map: Map::default(), seen: HashSet::new(), key: None };
                self.open(content, style, span, tag, id);
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(id) => self.alias(id, span),
            Event::UnresolvedAlias(_) => self.unresolved(span),
            _ => {}
        }
        // Block ends sit at the next token and anchors before their node: neither is progress.
        if !span.is_empty() {
            self.cursor = self.cursor.max(span.end as usize);
        }
        std::ops::ControlFlow::Continue(())
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        span: Span,
        tag: Option<Span>,
        is_text: bool,
    ) -> Node {
        if let Some(value) = self.repaired.get(&(span.start as usize)) {
            return Node::new(Value::Text(value.clone()), span, Style::Repaired);
        }
        let quoted = |style| Node::new(Value::Text(text.to_owned()), span, style);
        match style {
            // The parser writes `~` for a value that is not there.
            ScalarStyle::Plain if span.is_empty() => Node::null(self.absent(span)),
            ScalarStyle::Plain if is_text => quoted(Style::Plain),
            ScalarStyle::Plain => Node::new(scalar::resolve(text), span, Style::Plain),
            ScalarStyle::SingleQuoted => quoted(Style::SingleQuoted),
            ScalarStyle::DoubleQuoted => quoted(Style::DoubleQuoted),
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let style =
                    if style == ScalarStyle::Literal { Style::Literal } else { Style::Folded };
                Node { span: self.block_span(span, tag), ..quoted(style) }
            }
        }
    }

    /// The parser puts an absent value right after the key; it would stand after the colon.
    fn absent(&self, span: Span) -> Span {
        let rest = self.original.get(span.start as usize..).unwrap_or_default();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let colon = rest[blanks..].starts_with(':');
        Span::at(span.start as usize + if colon { blanks + 1 } else { 0 })
    }

    /// The parser's range of a block scalar starts at its content; ours starts at the `|` or `>`
    /// and ends with the last line that has content, or with the blank ones if `+` keeps them.
    fn block_span(&self, content: Span, tag: Option<Span>) -> Span {
        let from = self.cursor.max(tag.map_or(0, |tag| tag.end as usize));
        let before = self.original.get(from..content.start as usize).unwrap_or_default();
        let mut previous = ' ';
        let header = before.char_indices().find(|(_, c)| {
            let found = matches!(c, '|' | '>') && matches!(previous, ' ' | '\t' | ':' | '\n');
            previous = *c;
            found
        });
        let Some((offset, _)) = header else { return content };
        let start = from + offset;
        let header_line = self.original[start..].split('\n').next().unwrap_or_default();
        let header_end = start + header_line.trim_end().len();
        let text = &self.original[start..content.end as usize];
        let header = header_line.split([' ', '\t', '#']).next().unwrap_or_default();
        if header.contains('+') {
            return Span::new(start, content.end as usize);
        }
        let trimmed = start + text.trim_end().len();
        if trimmed <= header_end || header.contains('-') {
            return Span::new(start, trimmed.max(header_end));
        }
        // The line break after the last content belongs to the value unless it is chomped away.
        let rest = &self.original[trimmed..content.end as usize];
        let end = trimmed + rest.find('\n').map_or(rest.len(), |newline| newline + 1);
        Span::new(start, end)
    }

    fn open(
        &mut self,
        content: Content,
        style: StructureStyle,
        span: Span,
        tag: Option<Span>,
        anchor_id: usize,
    ) {
        let style = match style {
            StructureStyle::Block => Style::Block,
            StructureStyle::Flow => Style::Flow,
        };
        let start = span.start as usize;
        self.frames.push(Frame { content, start, style, tag, anchor: None, anchor_id });
    }

    fn close(&mut self, span: Span) {
        let Some(frame) = self.frames.pop() else { return };
        let anchor_id = frame.anchor_id;
        let end = (frame.style == Style::Flow).then_some(span.end as usize);
        let node = self.finish(frame, end);
        self.place(node, anchor_id);
    }

    /// Ends what the parser left open when it stopped.
    fn close_all(&mut self) {
        while let Some(frame) = self.frames.pop() {
            let node = self.finish(frame, None);
            self.place(node, 0);
        }
    }

    fn finish(&mut self, frame: Frame, end: Option<usize>) -> Node {
        let Frame { content, start, style, tag, anchor, .. } = frame;
        let (value, last) = match content {
            Content::List(items) => {
                let last = items.last().map(|node| node.span.end as usize);
                (Value::List(items), last)
            }
            Content::Map { mut map, key, .. } => {
                if let Some(key) = key {
                    let value = Node::null(Span::at(key.span.end as usize));
                    map.entries.push(Entry { key, value });
                }
                merge(&mut map);
                let last =
                    map.entries.iter().map(|entry| entry.value.span.end.max(entry.key.span.end));
                let last = last.max().map(|end| end as usize);
                (Value::Map(map), last)
            }
        };
        let end = end.or(last).unwrap_or(start);
        Node { span: Span::new(start, end), value, style, tag, anchor }
    }

    /// Puts a finished node where it belongs.
    fn place(&mut self, node: Node, anchor_id: usize) {
        self.nodes += 1;
        if anchor_id != 0 {
            self.remember(anchor_id, &node);
        }
        let Some(frame) = self.frames.last_mut() else {
            self.root.get_or_insert(node);
            return;
        };
        match &mut frame.content {
            Content::List(items) => items.push(node),
            Content::Map { map, key, .. } if key.is_some() => {
                if let Some(key) = key.take() {
                    map.entries.push(Entry { key, value: node });
                }
            }
            Content::Map { .. } => self.key(&node),
        }
    }

    fn key(&mut self, node: &Node) {
        let text = match (&node.value, node.style) {
            (Value::List(_) | Value::Map(_), _) => {
                self.problems.push(ProblemKind::ComplexKey, node.span);
                self.original[node.span.range()].to_owned()
            }
            // `1: x` and `true: x` are keys by their spelling.
            (_, Style::Plain) => self.original[node.span.range()].to_owned(),
            _ => node.as_text().unwrap_or_default().to_owned(),
        };
        let Some(Frame { content: Content::Map { map, seen, key, .. }, style, .. }) =
            self.frames.last_mut()
        else {
            return;
        };
        if is_duplicate(map, seen, &text)
            && let Some(first) = map.entry(&text).map(|entry| entry.key.span)
        {
            let kind = ProblemKind::DuplicateKey { key: text.clone(), first };
            self.problems.push(kind, node.span);
        }
        if *style == Style::Block {
            self.last_key = Some(node.span);
        }
        *key = Some(Spanned::new(text, node.span));
    }

    /// The anchor's own event comes right after its node, or after the start of its collection.
    fn name_anchor(&mut self, id: usize, span: Span) {
        if let Some(frame) = self.frames.last_mut().filter(|frame| frame.anchor_id == id) {
            frame.anchor = Some(span);
            return;
        }
        let placed = match self.frames.last_mut().map(|frame| &mut frame.content) {
            None => self.root.as_mut(),
            Some(Content::List(items)) => items.last_mut(),
            Some(Content::Map { map, key: None, .. }) => {
                map.entries.last_mut().map(|entry| &mut entry.value)
            }
            Some(Content::Map { .. }) => None,
        };
        if let Some(node) = placed {
            node.anchor = Some(span);
        }
    }

    fn remember(&mut self, id: usize, node: &Node) {
        if self.spend(node) {
            self.anchors.insert(id, node.clone());
        }
    }

    fn alias(&mut self, id: usize, span: Span) {
        let Some(node) = self.anchors.get(&id).cloned() else {
            // Inside its own anchor, or dropped because copying it would cost too much.
            self.problems.push(ProblemKind::AliasBomb, span);
            return self.place(Node::null(span), 0);
        };
        if self.spend(&node) {
            self.place(Node { span, style: Style::Alias, anchor: None, tag: None, ..node }, 0);
        } else {
            self.problems.push(ProblemKind::AliasBomb, span);
            self.place(Node::null(span), 0);
        }
    }

    /// Whether another copy of `node` is still within the budget.
    fn spend(&mut self, node: &Node) -> bool {
        if self.copied <= MAX_NODES {
            self.copied += node.count();
        }
        self.copied <= MAX_NODES
    }

    fn unresolved(&mut self, span: Span) {
        self.problems.push(ProblemKind::NeedsQuotes(NeedsQuotes::Star), span);
        let text = self.original[span.range()].to_owned();
        self.place(Node::new(Value::Text(text), span, Style::Repaired), 0);
    }
}

fn is_duplicate(map: &Map, seen: &mut HashSet<String>, key: &str) -> bool {
    if map.entries.len() < SMALL_MAP {
        return map.entry(key).is_some();
    }
    if seen.is_empty() {
        seen.extend(map.entries.iter().map(|entry| entry.key.value.clone()));
    }
    !seen.insert(key.to_owned())
}

/// `<<: *base` adds the entries of the base that the mapping does not have itself. Readers of the
/// hosts do this although YAML 1.2 no longer asks for it.
fn merge(map: &mut Map) {
    let Some(at) = map.entries.iter().position(|entry| entry.key.value == "<<") else { return };
    let bases: Vec<Map> = match &map.entries[at].value.value {
        Value::Map(base) => vec![base.clone()],
        Value::List(items) => items.iter().filter_map(|item| item.as_map().cloned()).collect(),
        _ => return,
    };
    map.entries.remove(at);
    let mut seen: HashSet<String> =
        map.entries.iter().map(|entry| entry.key.value.clone()).collect();
    for entry in bases.into_iter().flat_map(|base| base.entries) {
        if seen.insert(entry.key.value.clone()) {
            map.entries.push(entry);
        }
    }
}

fn span_of(place: &EventSpan) -> Span {
    place.byte_range().map(Span::from).unwrap_or_default()
}
