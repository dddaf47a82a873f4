//! Where a block scalar stands, header included.
//!
//! The parser's range starts at the first content line, or, if there is none, wherever it stopped
//! looking for one.

use super::indicator;
use crate::text::Span;

const BREAKS: [char; 2] = ['\n', '\r'];

/// The bytes of the block scalar whose content the parser found at `content`: from the `|` or `>`
/// to the end of the last line that is part of the value. `value` is what it means, and `after`
/// the end of the token before it.
pub(super) fn span(text: &str, content: Span, value: &str, after: usize) -> Span {
    let first = content.start as usize;
    // At the end of the text, content that is not there is reported at the header.
    let at_header =
        value.chars().all(|c| c == '\n') && text[content.range()].starts_with(['|', '>']);
    let header_end = if at_header { first + 1 } else { text[..first].trim_end().len() };
    let line = text[..header_end].rfind(BREAKS).map_or(0, |at| at + 1);
    let Some(start) = indicator::find(text, line.max(after), &['|', '>']) else { return content };
    let indicators =
        text[start + 1..].bytes().take_while(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9'));
    let header_end = start + 1 + indicators.count();
    let chomping = text[start..header_end].bytes().find(|byte| matches!(byte, b'+' | b'-'));
    let end = content.end as usize;
    // Past the last line, what is not a line break indents whatever comes next.
    let breaks = text[..end].trim_end_matches(' ').len();
    let (last, next) = if at_header { (None, end) } else { last_line(text, first, end) };
    let end = match chomping {
        Some(b'+') => next.max(breaks),
        Some(_) => last.unwrap_or(header_end),
        // The break after the last line is part of the value.
        None => last.map_or(header_end, |_| next),
    };
    Span::new(start, end.max(header_end))
}

/// The end of the last line in `first..end` that holds more than indentation, without and with
/// its line break. The first line starts right after its indentation.
fn last_line(text: &str, first: usize, end: usize) -> (Option<usize>, usize) {
    let indent = first - text[..first].rfind(BREAKS).map_or(0, |at| at + 1);
    let mut found = (None, 0);
    let mut start = first;
    while start < end {
        let rest = &text[start..end];
        let length = rest.find(BREAKS).unwrap_or(rest.len());
        let pad = if start == first {
            0
        } else {
            rest.bytes().take(indent).take_while(|byte| *byte == b' ').count()
        };
        let after = &rest[length..];
        let next = start + length + if after.starts_with("\r\n") { 2 } else { after.len().min(1) };
        if length > pad {
            found = (Some(start + length), next);
        }
        start = next;
    }
    found
}
