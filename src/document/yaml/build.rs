//! Parser events to tree: one pass, no recursion, every cost bounded.

use std::collections::{BTreeMap, HashMap, HashSet};

use granit_parser::{
    Event, Options, Parser, ScalarStyle, ScanError, Span as EventSpan, StructureStyle,
};

use super::{block_scalar, indicator, repair, scalar};
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
    pub last_key: Option<LastKey>,
    /// What stopped the parser.
    pub error: Option<ScanError>,
}

/// A key in a block mapping.
#[derive(Clone, Copy)]
pub(super) struct LastKey {
    /// The key.
    pub span: Span,
    /// Where its mapping starts; the column of that is the indentation.
    pub mapping: usize,
}

/// Parses `text`. `original` is the same text before repairs; `repaired` are the places where the
/// two differ and yet hold a value, start to end.
pub(super) fn build(text: &str, original: &str, repaired: &BTreeMap<usize, usize>) -> Attempt {
    let mut builder = Builder {
        original,
        painted: text,
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
    let error = builder.run();
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
    painted: &'a str,
    repaired: &'a BTreeMap<usize, usize>,
    frames: Vec<Frame>,
    root: Option<Node>,
    comments: Vec<Span>,
    problems: Problems,
    anchors: HashMap<usize, Anchored>,
    nodes: usize,
    copied: usize,
    /// The end of the last token seen; block-scalar headers are looked for after it.
    cursor: usize,
    last_key: Option<LastKey>,
    documents: usize,
}

/// What an alias is a copy of.
struct Anchored {
    node: Node,
    /// How many nodes it holds, itself included.
    size: usize,
    /// How many levels lie below it.
    height: usize,
}

/// A collection whose end has not come yet.
struct Frame {
    content: Content,
    /// The opening bracket, or the empty span where a block collection starts.
    opened: Span,
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
    fn run(&mut self) -> Option<ScanError> {
        for event in Parser::new_from_str_with_options(self.painted, options()) {
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
        let is_progress = is_progress(&event, span);
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
        if is_progress {
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
        if let Some(node) = self.repaired_scalar(span) {
            return node;
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
                let after = self.cursor.max(tag.map_or(0, |tag| tag.end as usize));
                Node { span: block_scalar::span(self.painted, span, text, after), ..quoted(style) }
            }
        }
    }

    /// A scalar with paint in it, as the author wrote it. Usually that is one repaired value, but
    /// when lines between were left out it may be several, or the content of a block scalar.
    fn repaired_scalar(&self, span: Span) -> Option<Node> {
        let mut inside = self.repaired.range(span.range()).peekable();
        inside.peek()?;
        let span = repair::trimmed(self.painted, span);
        let mut text = self.painted[span.range()].to_owned();
        for (&start, &end) in inside.filter(|(_, end)| **end <= span.end as usize) {
            let offset = span.start as usize;
            text.replace_range(start - offset..end - offset, &self.original[start..end]);
        }
        Some(Node::new(Value::Text(repair::fold(&text)), span, Style::Repaired))
    }

    /// The parser puts an absent value right after the key; it would stand after the colon.
    fn absent(&self, span: Span) -> Span {
        let rest = self.painted.get(span.start as usize..).unwrap_or_default();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let colon = rest[blanks..].starts_with(':');
        Span::at(span.start as usize + if colon { blanks + 1 } else { 0 })
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
        let opened = match (&content, style) {
            (_, Style::Flow) => span,
            (Content::List(_), _) => Span::at(self.first_dash(span.start as usize)),
            _ => Span::at(span.start as usize),
        };
        self.frames.push(Frame { content, opened, style, tag, anchor: None, anchor_id });
    }

    /// Where a block list starts. One that is not indented below its key starts, to the parser,
    /// after its first `-`.
    fn first_dash(&self, start: usize) -> usize {
        let Some(Frame { content: Content::Map { .. }, opened, .. }) = self.frames.last() else {
            return start;
        };
        let after = self.cursor.max(opened.start as usize);
        indicator::find(self.painted, after, &['-']).filter(|dash| *dash < start).unwrap_or(start)
    }

    fn close(&mut self, span: Span) {
        let Some(frame) = self.frames.pop() else { return };
        let anchor_id = frame.anchor_id;
        // The pair in `[a: b]` is a mapping without brackets.
        let end = (!frame.opened.is_empty()).then_some(span.end as usize);
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
        let Frame { content, opened, style, tag, anchor, .. } = frame;
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
                let last =
                    map.entries.last().map(|entry| entry.value.span.end.max(entry.key.span.end));
                let last = last.map(|end| end as usize);
                // What is merged in stands elsewhere.
                merge(&mut map);
                (Value::Map(map), last)
            }
        };
        let end = end.or(last).unwrap_or(opened.end as usize);
        Node { span: Span::new(opened.start as usize, end), value, style, tag, anchor }
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
            (Value::Text(text), _) => text.clone(),
            // `1: x` and `true: x` are keys by their spelling.
            (_, Style::Plain) => self.original[node.span.range()].to_owned(),
            _ => node.scalar_text().unwrap_or_default(),
        };
        let Some(Frame { content: Content::Map { map, seen, key, .. }, style, opened, .. }) =
            self.frames.last_mut()
        else {
            return;
        };
        if is_duplicate(map, seen, &text)
            && !self.problems.is_full()
            && let Some(first) = map.entry(&text).map(|entry| entry.key.span)
        {
            let kind = ProblemKind::DuplicateKey { key: text.clone(), first };
            self.problems.push(kind, node.span);
        }
        if *style == Style::Block {
            self.last_key = Some(LastKey { span: node.span, mapping: opened.start as usize });
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
        // Counted first: what costs too much is never copied.
        let size = node.count();
        if self.spend(size) {
            self.anchors.insert(id, Anchored { node: node.clone(), size, height: height(node) });
        }
    }

    fn alias(&mut self, id: usize, span: Span) {
        let found = self.anchors.get(&id).map(|anchored| (anchored.size, anchored.height));
        let refused = match found {
            // Copies nest deeper than anything in the text does.
            Some((_, height)) if self.frames.len() + height > MAX_DEPTH => ProblemKind::TooDeep,
            Some((size, _)) if self.spend(size) => {
                let copy = self.anchors.get(&id).map(|anchored| anchored.node.clone());
                let node = copy.unwrap_or_else(|| Node::null(span));
                let node = Node { span, style: Style::Alias, anchor: None, tag: None, ..node };
                return self.place(node, 0);
            }
            // Inside its own anchor, or copying it would cost too much.
            _ => ProblemKind::AliasBomb,
        };
        self.problems.push(refused, span);
        self.place(Node::null(span), 0);
    }

    /// Whether copying another `size` nodes is still within the budget.
    fn spend(&mut self, size: usize) -> bool {
        let fits = self.copied + size <= MAX_NODES;
        self.copied += if fits { size } else { 0 };
        fits
    }

    fn unresolved(&mut self, span: Span) {
        self.problems.push(ProblemKind::NeedsQuotes(NeedsQuotes::Star), span);
        let text = self.original[span.range()].to_owned();
        self.place(Node::new(Value::Text(text), span, Style::Repaired), 0);
    }
}

fn height(node: &Node) -> usize {
    let below = |node: &Node| 1 + height(node);
    match &node.value {
        Value::List(items) => items.iter().map(below).max().unwrap_or(0),
        Value::Map(map) => map.entries.iter().map(|entry| below(&entry.value)).max().unwrap_or(0),
        _ => 0,
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

/// Whether everything before the end of `span` has been seen once `event` was taken. Block ends
/// sit at the next token, comments and anchors may come before what they stand after, and an
/// implicit start of the document has the range of what comes first in it.
fn is_progress(event: &Event<'_>, span: Span) -> bool {
    match event {
        Event::Scalar(..) => true,
        Event::Comment(..) | Event::Anchor(..) | Event::DocumentStart(false, _) => false,
        _ => !span.is_empty(),
    }
}

fn span_of(place: &EventSpan) -> Span {
    place.byte_range().map(Span::from).unwrap_or_default()
}
