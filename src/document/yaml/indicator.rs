//! Finds the character a value starts with, which the parser's ranges sometimes leave out.

/// The first of `wanted` from `at` on, past whatever may stand between a key and its value:
/// white space, comments, tags, anchors and the other indicators.
pub(super) fn find(text: &str, mut at: usize, wanted: &[char]) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        at += match rest.chars().next()? {
            c if wanted.contains(&c) => return Some(at),
            '&' | '!' => rest.find([' ', '\t', '\n', '\r'])?,
            '#' => rest.find(['\n', '\r'])?,
            c @ (':' | '-' | '?' | ' ' | '\t' | '\n' | '\r' | '\u{feff}') => c.len_utf8(),
            _ => return None,
        };
    }
}
