//! Byte offsets to line and column numbers.

use serde::Serialize;

/// A place as people name it: lines and columns from 1, columns counted in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The byte in the file, from 0.
    pub byte: usize,
}

/// Where each line starts, found once so that every look-up is a binary search.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Finds the lines of `text`.
    pub fn new(text: &str) -> Self {
        let after_newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0)
            .chain(after_newlines.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX)))
            .collect();
        Self { starts }
    }

    /// The position of byte `offset` of `text`, the text this index was made from. A byte order
    /// mark takes no column: editors do not show it.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let byte = floor_char_boundary(text, offset);
        let line = self.starts.partition_point(|start| *start as usize <= byte).max(1) - 1;
        let start = self.starts.get(line).map_or(0, |start| *start as usize);
        Position { line: line + 1, column: column(&text[start..byte]), byte }
    }
}

/// The position of byte `offset` of `text`, by counting: cheaper than an index for a few places
/// near the start.
pub(super) fn position(text: &str, offset: usize) -> Position {
    let byte = floor_char_boundary(text, offset);
    let before = &text[..byte];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    Position { line, column: column(&before[start..]), byte }
}

/// The column after `before`, the beginning of a line. A byte order mark takes none.
fn column(before: &str) -> usize {
    before.chars().filter(|c| *c != '\u{feff}').count() + 1
}

/// The nearest character boundary at or before `offset`.
fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let text = "a\näö: x\r\nz";
        let index = LineIndex::new(text);
        let at = |offset| {
            let Position { line, column, .. } = index.position(text, offset);
            assert_eq!(position(text, offset), index.position(text, offset));
            (line, column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(2), (2, 1));
        assert_eq!(at(6), (2, 3));
        assert_eq!(at(text.len()), (3, 2));
        assert_eq!(at(999), (3, 2));
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let text = "\u{feff}---\n";
        assert_eq!(LineIndex::new(text).position(text, 3).column, 1);
    }
}
