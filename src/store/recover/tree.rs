//! The trees of a damaged file: which pages belong to which, and the records on each page.

use std::collections::{HashMap, HashSet};

use rusqlite::types::Value;

use super::pages::{Pages, Role, u32_at};

/// How far a page can be from the top of its tree.
const MAX_DEPTH: usize = 40;

/// What the pages of a tree look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Records with numbers; inner pages hold none.
    Numbered,
    /// Records in order, on every page.
    Ordered,
}

impl Kind {
    fn leaf(self) -> u8 {
        match self {
            Self::Numbered => 13,
            Self::Ordered => 10,
        }
    }

    fn inner(self) -> u8 {
        match self {
            Self::Numbered => 5,
            Self::Ordered => 2,
        }
    }
}

/// A tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    /// The number of its highest page.
    pub root: u32,
    /// What its pages look like.
    pub kind: Kind,
}

/// Which of `trees` each page belongs to. Pages are found from above, and from below by what the
/// maps say, so that neither a lost page nor a lost map loses others.
pub(super) fn members(pages: &Pages, trees: &[Tree]) -> HashMap<u32, usize> {
    let mut members = HashMap::new();
    for (index, tree) in trees.iter().enumerate() {
        let mut waiting = vec![tree.root];
        while let Some(number) = waiting.pop() {
            if belongs(pages, number) && !members.contains_key(&number) {
                members.insert(number, index);
                waiting.extend(children(pages, number, tree.kind));
            }
        }
    }
    for number in 2..=pages.count {
        if let Some(tree) = above(pages, number, &members) {
            members.insert(number, tree);
        }
    }
    members
}

/// Whether a page can belong to a tree at all.
fn belongs(pages: &Pages, number: u32) -> bool {
    let role = pages.role(number);
    let other = matches!(role, Some(Role::Free | Role::Overflow(_) | Role::MoreOverflow(_)));
    (1..=pages.count).contains(&number) && !other && !pages.is_map(number)
}

/// The tree of the next page above `number` whose tree is known.
fn above(pages: &Pages, number: u32, members: &HashMap<u32, usize>) -> Option<usize> {
    let mut page = number;
    for _ in 0..MAX_DEPTH {
        let Some(Role::Below(parent)) = pages.role(page) else { return None };
        if let Some(tree) = members.get(&parent) {
            return Some(*tree);
        }
        page = parent;
    }
    None
}

/// A page of a tree, as far as it is one.
struct Page {
    bytes: Vec<u8>,
    start: usize,
    inner: bool,
}

impl Page {
    fn read(pages: &Pages, number: u32, kind: Kind) -> Option<Self> {
        let bytes = pages.read(number)?;
        let start = if number == 1 { 100 } else { 0 };
        let inner = match *bytes.get(start)? {
            found if found == kind.leaf() => false,
            found if found == kind.inner() => true,
            _ => return None,
        };
        Some(Self { bytes, start, inner })
    }

    /// Where its cells are.
    fn cells(&self) -> impl Iterator<Item = usize> {
        let count = u16_at(&self.bytes, self.start + 3).unwrap_or_default();
        let first = self.start + if self.inner { 12 } else { 8 };
        let end = first + 2 * usize::from(count);
        let at = (first..end).step_by(2).map_while(|at| u16_at(&self.bytes, at));
        at.map(usize::from).filter(move |cell| *cell >= end)
    }
}

fn children(pages: &Pages, number: u32, kind: Kind) -> Vec<u32> {
    let Some(page) = Page::read(pages, number, kind).filter(|page| page.inner) else {
        return Vec::new();
    };
    let left = page.cells().filter_map(|cell| u32_at(&page.bytes, cell));
    left.chain(u32_at(&page.bytes, page.start + 8)).collect()
}

/// The records on a page that are whole, with their numbers if they have any; `None` if it is no
/// page of such a tree.
pub(super) fn records(
    pages: &Pages,
    number: u32,
    kind: Kind,
) -> Option<Vec<(Option<i64>, Vec<Value>)>> {
    let page = Page::read(pages, number, kind)?;
    if page.inner && kind == Kind::Numbered {
        return Some(Vec::new());
    }
    Some(page.cells().filter_map(|cell| record(pages, number, &page, cell, kind)).collect())
}

fn record(
    pages: &Pages,
    number: u32,
    page: &Page,
    cell: usize,
    kind: Kind,
) -> Option<(Option<i64>, Vec<Value>)> {
    let mut at = cell + if page.inner { 4 } else { 0 };
    let length = usize::try_from(varint(&page.bytes, &mut at)?).ok()?;
    let id = match kind {
        Kind::Numbered => Some(varint(&page.bytes, &mut at)?),
        Kind::Ordered => None,
    };
    let local = local(pages.usable, length, kind);
    let mut payload = page.bytes.get(at..at.checked_add(local)?)?.to_vec();
    if local < length {
        let next = u32_at(&page.bytes, at + local)?;
        overflow(pages, number, next, length, &mut payload)?;
    }
    Some((id, values(&payload)?))
}

/// How much of a record is on the page itself.
fn local(usable: usize, length: usize, kind: Kind) -> usize {
    let most = match kind {
        Kind::Numbered => usable - 35,
        Kind::Ordered => (usable - 12) * 64 / 255 - 23,
    };
    if length <= most {
        return length;
    }
    let least = (usable - 12) * 32 / 255 - 23;
    let even = least + (length - least) % (usable - 4);
    if even <= most { even } else { least }
}

/// Adds what did not fit on the page `from`, which goes on at `next`, until there is `length`.
fn overflow(
    pages: &Pages,
    from: u32,
    next: u32,
    length: usize,
    payload: &mut Vec<u8>,
) -> Option<()> {
    let (mut next, mut role) = (next, Role::Overflow(from));
    let mut seen = HashSet::new();
    while payload.len() < length {
        // A page that was given to someone else does not go on with this.
        if pages.role(next).is_some_and(|told| told != role) || !seen.insert(next) {
            return None;
        }
        let bytes = pages.read(next)?;
        let more = (length - payload.len()).min(pages.usable - 4);
        payload.extend_from_slice(bytes.get(4..4 + more)?);
        (next, role) = (u32_at(&bytes, 0)?, Role::MoreOverflow(next));
    }
    (next == 0).then_some(())
}

/// The values of a record, if it is one and nothing else.
fn values(payload: &[u8]) -> Option<Vec<Value>> {
    let mut at = 0;
    let mut body = usize::try_from(varint(payload, &mut at)?).ok()?;
    let header = payload.get(..body)?;
    let mut values = Vec::new();
    while at < header.len() {
        let kind = varint(header, &mut at)?;
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => usize::try_from(kind).ok()?,
            5 => 6,
            6 | 7 => 8,
            13.. if kind % 2 == 1 => usize::try_from((kind - 13) / 2).ok()?,
            _ => return None,
        };
        let bytes = payload.get(body..body.checked_add(length)?)?;
        body += length;
        values.push(value(kind, bytes)?);
    }
    (body == payload.len()).then_some(values)
}

fn value(kind: i64, bytes: &[u8]) -> Option<Value> {
    Some(match kind {
        0 => Value::Null,
        8 | 9 => Value::Integer(kind - 8),
        1..=6 => {
            let negative = bytes.first()? & 0x80 != 0;
            let start = if negative { -1 } else { 0 };
            Value::Integer(bytes.iter().fold(start, |sum, byte| sum << 8 | i64::from(*byte)))
        }
        13.. => Value::Text(str::from_utf8(bytes).ok()?.to_owned()),
        _ => return None,
    })
}

/// The number of one to nine bytes at `at`, which moves behind it.
fn varint(bytes: &[u8], at: &mut usize) -> Option<i64> {
    let mut number: i64 = 0;
    for place in 0..9 {
        let byte = *bytes.get(*at)?;
        *at += 1;
        if place == 8 {
            return Some(number << 8 | i64::from(byte));
        }
        number = number << 7 | i64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(number)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_be_bytes(two.try_into().ok()?))
}
