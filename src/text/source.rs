//! One file's text, whatever its bytes were.

use std::sync::OnceLock;

use super::line_index::{LineIndex, Position, position};
use crate::text::Span;

/// Larger files are cut here: no host reads a definition of this size, and nothing that happens
/// to lie in an agents folder may cost more than this.
pub const MAX_BYTES: usize = 4 << 20;

/// What was wrong with the bytes themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceProblem {
    /// Bytes that are not UTF-8, at this place.
    InvalidUtf8(Span),
    /// The file starts like UTF-16 text.
    Utf16,
    /// The file is longer than [`MAX_BYTES`]; only that much was read.
    TooLarge,
}

/// The text of one file. Its bytes correspond one to one to the bytes on disk: where the file is
/// not UTF-8, each offending byte is replaced by one `?`, so every span still fits the file.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    problem: Option<SourceProblem>,
    /// Made when the first position beyond [`NEAR`] is asked for: most files are never asked.
    lines: OnceLock<LineIndex>,
}

/// Lines up to this byte are counted, not looked up.
const NEAR: usize = 2048;

impl Source {
    /// Takes the bytes of the file called `name`. Bytes beyond [`MAX_BYTES`] are dropped.
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        let (text, problem) = decode(bytes);
        Self { name: name.into(), text, problem, lines: OnceLock::new() }
    }

    /// What messages call the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What was wrong with the bytes, if anything was.
    pub fn problem(&self) -> Option<SourceProblem> {
        self.problem
    }

    /// The text of `span`; empty if it does not lie in this source.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Line and column of a byte.
    pub fn position(&self, offset: usize) -> Position {
        if offset <= NEAR && self.lines.get().is_none() {
            return position(&self.text, offset);
        }
        self.lines.get_or_init(|| LineIndex::new(&self.text)).position(&self.text, offset)
    }
}

fn decode(mut bytes: Vec<u8>) -> (String, Option<SourceProblem>) {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return (String::new(), Some(SourceProblem::Utf16));
    }
    let cut = bytes.len() > MAX_BYTES;
    if cut {
        bytes.truncate(MAX_BYTES);
        // Do not leave half a character behind.
        while bytes.last().is_some_and(|byte| *byte >= 0x80) {
            bytes.pop();
        }
    }
    let (text, invalid) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let (text, span) = replace_invalid(error.as_bytes());
            (text, Some(SourceProblem::InvalidUtf8(span)))
        }
    };
    (text, if cut { Some(SourceProblem::TooLarge) } else { invalid })
}

/// The text with one `?` for each byte that is not UTF-8, and the place of the first such run.
fn replace_invalid(bytes: &[u8]) -> (String, Span) {
    let mut text = String::with_capacity(bytes.len());
    let mut first = None;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        let start = text.len();
        text.extend(chunk.invalid().iter().map(|_| '?'));
        if text.len() > start {
            first.get_or_insert(Span::new(start, text.len()));
        }
    }
    (text, first.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bytes_keep_every_other_offset() {
        let source = Source::new("x", b"a\xff\xc3b".to_vec());
        assert_eq!(source.text(), "a??b");
        assert_eq!(source.problem(), Some(SourceProblem::InvalidUtf8(Span::new(1, 2))));
    }

    #[test]
    fn a_large_file_is_cut_at_a_character() {
        let mut bytes = vec![b'x'; MAX_BYTES - 1];
        bytes.extend("ää".as_bytes());
        let source = Source::new("x", bytes);
        assert_eq!(source.problem(), Some(SourceProblem::TooLarge));
        assert_eq!(source.text().len(), MAX_BYTES - 1);
    }
}
