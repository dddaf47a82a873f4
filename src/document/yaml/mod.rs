//! YAML to tree. What a strict parser refuses is repaired where the meaning is plain, and left
//! out where it is not; either way the rest of the file is still read.

mod block_scalar;
mod build;
mod indicator;
mod repair;
mod scalar;

use std::collections::BTreeMap;

use super::{
    Node,
    problem::{ProblemKind, Problems},
};
use crate::text::Span;
use build::{Attempt, build};

/// After a repair the text is parsed again from the start; this bounds the bytes that costs. It
/// allows for hundreds of repairs in a file of the usual size.
const MAX_REPARSED_BYTES: usize = 2 << 20;

/// Parses the bytes `region` of `text`. Returns the root and the comments.
pub(super) fn parse(text: &str, region: Span, problems: &mut Problems) -> (Node, Vec<Span>) {
    let written = &text[region.range()];
    if let Some(at) = written.find('\0') {
        problems.push(ProblemKind::NulByte, Span::new(at, at + 1).shifted(region.start as usize));
    }
    let original = &written.replace('\0', " ");
    let mut repairs = Repairs::new(original);
    let mut budget = MAX_REPARSED_BYTES;
    let attempt = loop {
        let mut attempt = build(&repairs.text, original, &repairs.values);
        let Some(error) = attempt.error.take() else { break attempt };
        budget = budget.saturating_sub(original.len().max(1));
        match repair::diagnose(original, &repairs.text, &error, attempt.last_key) {
            Ok(repair) if budget > 0 && repairs.apply(&repair) => {}
            // The value was repaired before and is still in the way.
            Ok(_) if budget > 0 && repairs.apply(&repair::without_line(original, &error)) => {}
            Ok(repair::Repair { kind, span, .. }) | Err((kind, span)) => {
                attempt.problems.push(kind, span);
                break attempt;
            }
        }
    };
    let offset = region.start as usize;
    let Attempt { root, comments, problems: mut found, .. } = attempt;
    found.append(repairs.problems);
    for problem in found.into_sorted() {
        problems.push(shift_problem(problem.kind, offset), problem.span.shifted(offset));
    }
    let mut root = root.unwrap_or_else(|| Node::null(Span::at(0)));
    if offset > 0 {
        shift(&mut root, offset);
    }
    (root, comments.into_iter().map(|span| span.shifted(offset)).collect())
}

/// The text as the parser sees it: as long as the original, byte for byte, but with what it could
/// not read painted over.
struct Repairs {
    text: String,
    values: BTreeMap<usize, usize>,
    problems: Problems,
}

impl Repairs {
    fn new(original: &str) -> Self {
        Self { text: original.to_owned(), values: BTreeMap::new(), problems: Problems::default() }
    }

    /// Whether the repair changed anything; if not, trying again would not help.
    fn apply(&mut self, repair: &repair::Repair) -> bool {
        let range = repair.span.range();
        // A letter keeps the place of a value, a blank leaves a line out.
        let paint = if repair.keeps_value { "x" } else { " " };
        let painted = paint.repeat(range.len());
        if range.is_empty() || self.text[range.clone()] == painted {
            return false;
        }
        self.text.replace_range(range.clone(), &painted);
        self.values.retain(|start, _| !range.contains(start));
        if repair.keeps_value {
            self.values.insert(range.start, range.end);
        }
        // What was reported about a part of it is said again about the whole.
        self.problems.retain(|span| !range.contains(&(span.start as usize)));
        self.problems.push(repair.kind.clone(), repair.span);
        true
    }
}

fn shift_problem(kind: ProblemKind, offset: usize) -> ProblemKind {
    match kind {
        ProblemKind::DuplicateKey { key, first } => {
            ProblemKind::DuplicateKey { key, first: first.shifted(offset) }
        }
        other => other,
    }
}

/// Moves a tree from the region's offsets to the file's. Depth is bounded by the parser.
fn shift(node: &mut Node, offset: usize) {
    node.span = node.span.shifted(offset);
    node.tag = node.tag.map(|span| span.shifted(offset));
    node.anchor = node.anchor.map(|span| span.shifted(offset));
    match &mut node.value {
        super::Value::List(items) => items.iter_mut().for_each(|item| shift(item, offset)),
        super::Value::Map(map) => {
            for entry in &mut map.entries {
                entry.key.span = entry.key.span.shifted(offset);
                shift(&mut entry.value, offset);
            }
        }
        _ => {}
    }
}
