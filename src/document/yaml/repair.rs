//! From a parser's refusal to what the author meant.

use granit_parser::{ErrorKind, ScanError};

use super::build::LastKey;
use crate::{
    document::{NeedsQuotes, ProblemKind},
    text::Span,
};

/// White space to YAML; Unicode's is text.
const WHITE: [char; 4] = [' ', '\t', '\n', '\r'];

/// How to go on.
#[derive(Debug)]
pub(super) struct Repair {
    /// What to report.
    pub kind: ProblemKind,
    /// The bytes to paint over.
    pub span: Span,
    /// Whether they are a value, to be read as if quoted; otherwise they are left out.
    pub keeps_value: bool,
}

/// Finds the repair for `error`, or says why there is none. `painted` is `original` with the
/// earlier repairs.
pub(super) fn diagnose(
    original: &str,
    painted: &str,
    error: &ScanError,
    last_key: Option<LastKey>,
) -> Result<Repair, (ProblemKind, Span)> {
    let at = place_of(original, error);
    let character = original[at..].chars().next();
    let point = Span::new(at, at + character.map_or(0, char::len_utf8));
    let kind = match error.kind() {
        ErrorKind::RecursionLimitExceeded => return Err((ProblemKind::TooDeep, point)),
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => {
            Some(NeedsQuotes::Colon)
        }
        ErrorKind::MissingAnchorOrAliasName if character == Some('*') => Some(NeedsQuotes::Star),
        ErrorKind::BlockSequenceEntryNotAllowed => Some(NeedsQuotes::Reserved('-')),
        ErrorKind::UnexpectedCharacter { character } if matches!(character, '@' | '`' | '%') => {
            Some(NeedsQuotes::Reserved(*character))
        }
        ErrorKind::InvalidTrailingSingleQuotedScalar
        | ErrorKind::InvalidTrailingDoubleQuotedScalar
        | ErrorKind::ExpectedBlockMappingKey => Some(NeedsQuotes::Trailing),
        _ => None,
    };
    if let Some(why) = kind
        && let Some(span) = value_around(original, painted, at, last_key)
    {
        let written = &original[span.range()];
        let why = if why == NeedsQuotes::Trailing && written.starts_with('*') {
            NeedsQuotes::Star
        } else {
            why
        };
        return Ok(Repair { kind: ProblemKind::NeedsQuotes(why), span, keeps_value: true });
    }
    let mut line = line_around(original, at);
    let kind = match error.kind() {
        // The parser points at the start of the text that the tab interrupts.
        ErrorKind::TabInPlainScalar => {
            line = tab_line_after(painted, at).unwrap_or(line);
            ProblemKind::TabIndent
        }
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => ProblemKind::UnindentedText,
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation => ProblemKind::TabIndent,
        other => ProblemKind::Syntax(other.to_string()),
    };
    let line = trimmed(original, line);
    if line.is_empty() {
        Err((kind, point))
    } else {
        Ok(Repair { kind, span: line, keeps_value: false })
    }
}

/// Leaves out the line of `error`, whatever it was meant to be.
pub(super) fn without_line(original: &str, error: &ScanError) -> Repair {
    let line = line_around(original, place_of(original, error));
    Repair {
        kind: ProblemKind::Syntax(error.kind().to_string()),
        span: trimmed(original, line),
        keeps_value: false,
    }
}

/// Where `error` is. In paint the parser's place may fall inside a character of the original.
fn place_of(original: &str, error: &ScanError) -> usize {
    original.floor_char_boundary(error.marker().byte_offset().unwrap_or(original.len()))
}

/// The whole value that the byte `at` lies in: from after the key, or after `- `, to the end of
/// its last line. Lines indented deeper than the key belong to it.
fn value_around(
    original: &str,
    painted: &str,
    at: usize,
    last_key: Option<LastKey>,
) -> Option<Span> {
    let line = line_around(original, at);
    let text = &painted[line.range()];
    let dash = text.len() - text.trim_start_matches([' ', '\t']).len();
    let item = text[dash..].starts_with("- ").then_some(line.start as usize + dash);
    let key = last_key.filter(|key| item.is_none_or(|item| key.span.start as usize > item));
    let (start, column) = match (key, item) {
        (Some(key), _) => {
            let after_key = key.span.end as usize;
            let colon = painted[after_key..].find(':').filter(|offset| {
                painted[after_key..after_key + offset]
                    .bytes()
                    .all(|byte| matches!(byte, b' ' | b'\t'))
            })?;
            let after = after_key + colon + 1;
            let first_line = line_around(original, key.mapping);
            (after, key.mapping - first_line.start as usize)
        }
        (None, Some(item)) => (item + 2, dash),
        (None, None) => return None,
    };
    let start = start + blanks(&painted[start..]);
    if start > at {
        return None;
    }
    let end = end_of_value(original, start, column);
    if at > end {
        return None;
    }
    // What was painted over once is not repaired again inside something larger unless it grows.
    Some(trimmed(original, Span::new(start, end))).filter(|span| !span.is_empty())
}

/// The end of the last line that continues the value starting at `start`.
fn end_of_value(text: &str, start: usize, column: usize) -> usize {
    let mut end = start + line_length(&text[start..]);
    let mut next = end;
    while let Some(rest) = text.get(next + 1..).filter(|rest| !rest.is_empty()) {
        let length = line_length(rest);
        let line = &rest[..length];
        let indent = line.len() - line.trim_start_matches(' ').len();
        next += 1 + length;
        if line.trim().is_empty() {
            continue;
        }
        if indent <= column {
            break;
        }
        end = next;
    }
    end
}

/// The first line after `at` that a tab indents.
fn tab_line_after(text: &str, at: usize) -> Option<Span> {
    let mut start = at + line_length(&text[at..]) + 1;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let line = &rest[..line_length(rest)];
        if line.trim_start_matches(' ').starts_with('\t') && !line.trim().is_empty() {
            return Some(Span::new(start, start + line.len()));
        }
        start += line.len() + 1;
    }
    None
}

/// Text over several lines as a plain YAML scalar reads it: a line break is a blank, an empty
/// line is a line break.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut breaks = 0;
    for line in text.lines().map(|line| line.trim_matches(WHITE)) {
        if line.is_empty() {
            breaks += 1;
            continue;
        }
        if !folded.is_empty() {
            match breaks {
                0 => folded.push(' '),
                _ => folded.extend(std::iter::repeat_n('\n', breaks)),
            }
        }
        breaks = 0;
        folded.push_str(line);
    }
    folded
}

fn line_around(text: &str, at: usize) -> Span {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    Span::new(start, at + line_length(&text[at..]))
}

fn line_length(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

pub(super) fn trimmed(text: &str, span: Span) -> Span {
    let slice = &text[span.range()];
    let start = span.start as usize + (slice.len() - slice.trim_start_matches(WHITE).len());
    Span::new(start, start + slice.trim_matches(WHITE).len())
}
