//! Text from files and models, made safe to print.
//!
//! A definition may hold escape sequences that repaint a terminal, or invisible characters that
//! reorder what a reader sees. Nothing untrusted is printed without passing through here.

use std::borrow::Cow;

/// `text` without control characters and without characters that reorder or hide text. Newlines
/// and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_printable(c) { c } else { '\u{fffd}' }).collect())
}

/// Like [`printable`], but as long as `text` byte for byte, so that spans into it still fit.
pub fn printable_in_place(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if is_printable(c) => safe.push(c),
            // Part of a line ending, which whoever prints the line takes off.
            '\r' => safe.push(' '),
            hidden => safe.extend(std::iter::repeat_n('?', hidden.len_utf8())),
        }
    }
    Cow::Owned(safe)
}

/// [`printable`] text with every run of white space folded to one blank.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&printable(word));
    }
    line
}

/// Whether a reader sees `c` where it stands: not a control character, and not one that hides or
/// reorders text.
pub fn is_printable(c: char) -> bool {
    match c {
        '\n' | '\t' => true,
        // Zero-width and direction-changing characters, and the invisible tag block.
        '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}' => false,
        _ => !c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_bidi_controls_do_not_survive() {
        assert_eq!(printable("a\u{1b}[31mb\u{202e}c"), "a\u{fffd}[31mb\u{fffd}c");
        assert_eq!(one_line("  a\n\tb\r\nc "), "a b c");
        assert!(matches!(printable("plain ä\n"), Cow::Borrowed(_)));
    }
}
