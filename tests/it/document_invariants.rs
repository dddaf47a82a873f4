//! What a tree promises whatever the text was; shared by the property tests and the fuzz targets.
//!
//! [`check`] panics at the first broken promise. It says nothing about which problems are
//! reported: that is for the unit tests beside the parsers.

use agentctl::{
    document::{
        Document, Entry, Format, MAX_DEPTH, MAX_NODES, Node, Problem, ProblemKind, Style, Value,
        parse,
    },
    text::{Source, Span, Spanned},
};

/// Fifty problems, and the one that says there are more.
const MAX_PROBLEMS: usize = 51;
/// Every value once, and as many again copied from anchors; a value that is missing where the
/// text ends or breaks off is not counted.
const MOST_NODES: usize = 2 * MAX_NODES + 2 * MAX_DEPTH;

/// Reads `bytes` as `format` and checks everything that must hold.
pub fn check(bytes: &[u8], format: Format) {
    let source = Source::new("x", bytes.to_vec());
    let (document, problems) = parse(&source, format);
    let checker =
        Checker { text: source.text(), format, problems: &problems, comments: &document.comments };
    checker.problems();
    checker.parts(&document);
    assert!(document.root.count() <= MOST_NODES, "{} nodes", document.root.count());
    checker.node(&document.root, 0, Place::BLOCK);
}

struct Checker<'a> {
    text: &'a str,
    format: Format,
    problems: &'a [Problem],
    comments: &'a [Span],
}

/// Where a node stands, as far as it changes what may be said about it.
#[derive(Clone, Copy)]
struct Place {
    /// Inside brackets, where `,` and `]` end a plain scalar.
    in_flow: bool,
    /// A copy, made by an alias or a merge key. What it was copied from is checked where it stands.
    is_copy: bool,
}

impl Place {
    const BLOCK: Self = Self { in_flow: false, is_copy: false };
}

impl Checker<'_> {
    fn slice(&self, span: Span, what: &str) -> &str {
        self.text
            .get(span.range())
            .unwrap_or_else(|| panic!("{what} at {span:?} is no part of the text"))
    }

    fn problems(&self) {
        assert!(self.problems.len() <= MAX_PROBLEMS, "{} problems", self.problems.len());
        assert!(
            self.problems.is_sorted_by_key(|problem| problem.span),
            "unsorted: {:?}",
            self.problems
        );
        for Problem { kind, span } in self.problems {
            self.slice(*span, "problem");
            if let ProblemKind::DuplicateKey { first, .. } = kind {
                self.slice(*first, "first key");
                assert!(first < span, "{first:?} is not before {span:?}");
            }
        }
    }

    /// Fences, body and comments.
    fn parts(&self, document: &Document) {
        for comment in &document.comments {
            let written = self.slice(*comment, "comment");
            assert!(written.starts_with('#') && !written.contains('\n'), "comment {written:?}");
        }
        assert!(document.comments.is_sorted(), "comments out of order");
        let Some(front) = &document.front_matter else {
            let whole = (self.format == Format::Markdown).then(|| Span::new(0, self.text.len()));
            assert_eq!(document.body, whole);
            return;
        };
        assert_eq!(document.body, Some(front.body));
        assert!(self.slice(front.open, "opening fence").starts_with("---"));
        let mut order = vec![front.open, front.yaml, front.body];
        if let Some(close) = front.close {
            order.insert(2, close);
            assert!(!self.slice(close, "closing fence").contains('\n'));
        }
        for pair in order.windows(2) {
            let between =
                self.slice(Span::new(pair[0].end as usize, pair[1].start as usize), "gap");
            assert!(pair[0].end <= pair[1].start && between.trim().is_empty(), "{front:?}");
        }
        assert_eq!(front.body.end as usize, self.text.len());
        self.slice(front.yaml, "front matter");
        if let Some(loose) = front.loose_close {
            self.slice(loose, "loose fence");
        }
        assert!(inside(document.root.span, front.yaml), "root outside {front:?}");
    }

    fn node(&self, node: &Node, depth: usize, place: Place) {
        assert!(depth <= MAX_DEPTH, "{depth} levels");
        let written = self.slice(node.span, "value");
        if !self.is_touched(node.span) {
            self.style(node, written);
        }
        if let Some(tag) = node.tag {
            let written = self.slice(tag, "tag");
            assert!(
                written.starts_with('!') && !written.contains([' ', '\t', '\n', '\r']),
                "tag {written:?}"
            );
            assert!(tag.end <= node.span.start, "tag {tag:?} is not before {:?}", node.span);
        }
        if let Some(anchor) = node.anchor {
            let written = self.slice(anchor, "anchor");
            assert!(
                written.starts_with('&') && !written.contains([' ', '\t', '\n', '\r']),
                "anchor {written:?}"
            );
            assert!(
                anchor.end <= node.span.start,
                "anchor {anchor:?} is not before {:?}",
                node.span
            );
        }
        let place = Place {
            in_flow: place.in_flow || node.style == Style::Flow,
            is_copy: place.is_copy || node.style == Style::Alias,
        };
        match &node.value {
            Value::List(items) => {
                for item in items {
                    self.child(node, item.span, "item");
                    self.node(item, depth + 1, place);
                }
            }
            Value::Map(map) => {
                for entry in &map.entries {
                    self.entry(node, entry, depth, place);
                }
            }
            _ if place.is_copy => {}
            _ => self.scalar(node, written, place),
        }
    }

    fn entry(&self, node: &Node, Entry { key, value }: &Entry, depth: usize, place: Place) {
        let written = self.slice(key.span, "key");
        let is_merged = self.is_merged(node, key.span);
        let place = Place { is_copy: place.is_copy || is_merged, ..place };
        if !is_merged {
            self.child(node, key.span, "key");
            self.child(node, value.span, "value");
        }
        if !place.is_copy && !self.is_touched(key.span) {
            self.key(key, written, place);
        }
        self.node(value, depth + 1, place);
    }

    /// What `<<` adds to a mapping stays where its base was written. Only a mapping that has a
    /// `<<` can have such entries, and they are the only ones outside it.
    fn is_merged(&self, node: &Node, key: Span) -> bool {
        !inside(key, node.span) && self.slice(node.span, "value").contains("<<")
    }

    /// An alias is a copy: what it holds lies where the anchor is.
    fn child(&self, parent: &Node, child: Span, what: &str) {
        if parent.style != Style::Alias {
            let span = parent.span;
            assert!(
                inside(child, span),
                "{what} {child:?} outside {span:?}: {:?}",
                self.slice(span, what)
            );
        }
    }

    fn style(&self, node: &Node, written: &str) {
        let enclosed = |quote: char| {
            let inner = written.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
            inner.is_some()
        };
        let fits = match node.style {
            Style::SingleQuoted => enclosed('\''),
            Style::DoubleQuoted => enclosed('"'),
            Style::Literal => written.starts_with('|'),
            Style::Folded => written.starts_with('>'),
            Style::Alias => written.starts_with('*'),
            // The bracket that closes it may be what is missing; a pair in a list has none.
            Style::Flow => {
                written.starts_with(['{', '['])
                    || node.as_map().is_some_and(|map| map.entries.len() == 1)
            }
            // One that breaks off before its first item covers nothing.
            Style::Block if self.format != Format::Toml && node.as_list().is_some() => {
                written.starts_with('-') || written.is_empty()
            }
            Style::Plain | Style::Block | Style::Repaired => true,
        };
        assert!(fits, "{:?} is written {written:?}", node.style);
    }

    /// The text of a scalar means the same when it stands alone.
    fn scalar(&self, node: &Node, written: &str, place: Place) {
        match node.style {
            Style::Repaired => return self.repaired(node, written),
            _ if self.is_touched(node.span) => return,
            _ if counts_from_parent(written) => return,
            // In a block the parser takes a comment behind a tab for an empty line of the text.
            Style::Plain if self.comments.iter().any(|comment| inside(*comment, node.span)) => {
                return;
            }
            _ => {}
        }
        // The span leaves the tag out, and `!!str` changes what a plain scalar is.
        let is_text = node.tag.is_some() && node.as_text().is_some();
        let again = self.read_alone(written, place, if is_text { "!!str " } else { "" });
        assert!(
            same(&again.value, &node.value),
            "{written:?} is {:?} and alone {:?}",
            node.value,
            again.value
        );
    }

    /// Text that was read as if quoted keeps every character but white space and NULs, unless
    /// lines were left out of it.
    fn repaired(&self, node: &Node, written: &str) {
        let left_out = |problem: &Problem| {
            problem.kind.is_malformed() && !matches!(problem.kind, ProblemKind::NeedsQuotes(_))
        };
        if self.problems.iter().any(|problem| left_out(problem) && touch(problem.span, node.span))
            || self.problems.iter().any(|problem| problem.kind == ProblemKind::TooManyProblems)
        {
            return;
        }
        let solid = |text: &str| text.replace('\0', " ").split_whitespace().collect::<String>();
        let value = node.as_text().unwrap_or_else(|| panic!("repaired: {node:?}"));
        assert_eq!(solid(value), solid(written));
    }

    /// A key is its text; a number, a word like `true` or a collection used as a key is its
    /// spelling.
    fn key(&self, key: &Spanned<String>, written: &str, place: Place) {
        // An alias stands for the anchored text, which is elsewhere. Whether the key is a collection
        // is known only while there is room to report it.
        let is_known = self.problems.len() < MAX_PROBLEMS - 1;
        if written.starts_with('*') || counts_from_parent(written) || !is_known {
            return;
        }
        let again = match self.format {
            Format::Toml => self.toml_key(written),
            _ => self.read_alone(written, place, ""),
        };
        let again = match again.value {
            Value::Text(text) if !self.is_complex(key.span) => text,
            _ => written.replace('\0', " "),
        };
        assert_eq!(again, key.value, "{written:?} alone");
    }

    /// Whether the key is a collection, which cannot be read without its indentation.
    fn is_complex(&self, key: Span) -> bool {
        let mut problems = self.problems.iter();
        problems.any(|problem| problem.kind == ProblemKind::ComplexKey && problem.span == key)
    }

    fn toml_key(&self, written: &str) -> Node {
        let (document, _) = read(&format!("{written} = 1"), Format::Toml);
        let key = document
            .root
            .as_map()
            .and_then(|map| map.entries.first())
            .map(|entry| entry.key.value.clone());
        Node::new(key.map_or(Value::Null, Value::Text), document.root.span, Style::Plain)
    }

    fn read_alone(&self, written: &str, place: Place, tag: &str) -> Node {
        match self.format {
            Format::Json => read(written, Format::Json).0.root,
            Format::Toml => {
                let (document, _) = read(&format!("v = {written}"), Format::Toml);
                document
                    .root
                    .as_map()
                    .and_then(|map| map.get("v"))
                    .cloned()
                    .unwrap_or(document.root)
            }
            Format::Markdown | Format::Yaml if place.in_flow && !written.is_empty() => {
                let (document, _) = read(&format!("[{tag}{written}]"), Format::Yaml);
                match document.root.as_list() {
                    Some([item]) => item.clone(),
                    _ => document.root,
                }
            }
            Format::Markdown | Format::Yaml => {
                // Only at the start of a line is this a document marker.
                let marker = written.starts_with("---") || written.starts_with("...");
                let pad = if marker { " " } else { "" };
                read(&format!("{pad}{tag}{written}"), Format::Yaml).0.root
            }
        }
    }

    /// Whether something in `span` was left out or replaced before it was read: then the bytes no
    /// longer say what the value is. Of too many problems some are not listed, and may be anywhere.
    fn is_touched(&self, span: Span) -> bool {
        self.problems.iter().filter(|problem| problem.kind.is_malformed()).any(|problem| {
            problem.kind == ProblemKind::TooManyProblems || touch(self.reach(problem), span)
        })
    }

    /// The bytes a problem speaks for. Of the mistakes in one line of TOML only the first is
    /// reported.
    fn reach(&self, problem: &Problem) -> Span {
        let Span { start, end } = problem.span;
        match self.format {
            Format::Toml => {
                let line = self.text[..start as usize].rfind('\n').map_or(0, |at| at + 1);
                let rest = &self.text[end as usize..];
                Span::new(line, end as usize + rest.find('\n').unwrap_or(rest.len()))
            }
            _ => problem.span,
        }
    }
}

fn read(text: &str, format: Format) -> (Document, Vec<Problem>) {
    parse(&Source::new("alone", text.as_bytes().to_vec()), format)
}

fn inside(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Whether this is a block scalar like `|2`, whose indentation counts from that of its parent.
fn counts_from_parent(written: &str) -> bool {
    let indicators = written.strip_prefix(['|', '>']).unwrap_or_default();
    indicators.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit())
}

fn touch(left: Span, right: Span) -> bool {
    left.start <= right.end && right.start <= left.end
}

/// Equality, with every NaN equal to itself.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Float(left), Value::Float(right)) => {
            left == right || left.is_nan() && right.is_nan()
        }
        _ => left == right,
    }
}
