//! What a line of source is: a definition, a heading, a comment, an import or plain code.
//!
//! Seen one line at a time and without a grammar, so it can be wrong; it only moves ranks.

use super::vocabulary::has;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// It gives a name to something; the bytes of that name.
    Definition {
        /// The name's first byte.
        start: usize,
        /// The byte after it.
        end: usize,
    },
    /// A heading of a text.
    Heading,
    /// A comment for readers of documentation.
    Doc,
    /// Another comment.
    Comment,
    /// It brings in a name from elsewhere.
    Import,
    /// Anything else.
    Code,
}

/// Words that may stand before the word that defines.
const MODIFIERS: &str = "\
    abstract async crate data declare default export extern final inline internal local open \
    override private protected pub public sealed static suspend unsafe virtual";

/// Words that define what follows them, in any language.
pub(super) const DEFINERS: &str = "\
    class const def defmodule enum fn fun func function impl interface macro_rules mod module \
    namespace object protocol record static struct trait type typedef union";

/// Words that define something only at the left margin: deeper they name what is local.
const OUTER_DEFINERS: &str = "let val var";

/// Endings of files that are texts.
const PROSE: &str = "adoc md mdx rst txt";
/// Endings of files in which `#` starts a comment.
const HASH_COMMENTS: &str = "bash cfg conf ex ini pl py r rb sh toml yaml yml";

/// What the line `text` of the file `path` is.
pub(super) fn line(path: &str, text: &str) -> Line {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let trimmed = text.trim_start();
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| trimmed.starts_with(prefix));
    if has(PROSE, ending) {
        return if starts(&["#", "="]) { Line::Heading } else { Line::Code };
    }
    if has(HASH_COMMENTS, ending) && starts(&["#"]) {
        return Line::Comment;
    }
    if starts(&["///", "//!", "/**", "\"\"\"", "'''", "* "]) {
        return Line::Doc;
    }
    if starts(&["//", "/*", "*", "<!--", "-- ", ";;", "%"]) {
        return Line::Comment;
    }
    if starts(&[
        "use ", "pub use ", "import ", "from ", "#include", "require", "export {", "export *",
    ]) || trimmed.contains("= require(")
        || is_declared_elsewhere(trimmed)
    {
        return Line::Import;
    }
    defined(text).map_or(Line::Code, |(start, end)| Line::Definition { start, end })
}

/// Whether the line only says that a module exists.
fn is_declared_elsewhere(trimmed: &str) -> bool {
    let declared = trimmed.trim_end().strip_suffix(';').and_then(|rest| rest.rsplit_once(' '));
    declared.is_some_and(|(before, _)| before == "mod" || before.ends_with(" mod"))
}

/// The bytes of the name that `text` defines.
fn defined(text: &str) -> Option<(usize, usize)> {
    let mut rest = text.trim_start();
    if let Some(after) = rest.strip_prefix("#define") {
        return name_in(text, after);
    }
    let is_outer = rest.len() == text.len();
    loop {
        let word = leading_word(rest);
        if word.is_empty() {
            return None;
        }
        let after = &rest[word.len()..];
        let defines = has(DEFINERS, word) || is_outer && has(OUTER_DEFINERS, word);
        let spaced = after.starts_with([' ', '<', '!']);
        if defines && spaced && !has(MODIFIERS, leading_word(after.trim_start())) {
            let next = leading_word(after.trim_start());
            // `const fn name`, `enum class name`: the second word defines.
            if !has(DEFINERS, next) {
                return name_in(text, subject(word, after));
            }
        } else if !has(MODIFIERS, word) && !defines {
            return None;
        }
        rest = skip_group(after).trim_start();
    }
}

/// Where the name stands after `definer`: behind a Go receiver, a Rust `impl … for`, generics.
fn subject<'a>(definer: &str, after: &'a str) -> &'a str {
    let after = after.trim_start_matches('!').trim_start();
    match definer {
        "func" => skip_group(after),
        "impl" => after.split_once(" for ").map_or(after, |(_, implementer)| implementer),
        _ => after,
    }
}

/// `text` without what stands in parentheses or angle brackets or quotes at its start.
fn skip_group(text: &str) -> &str {
    let text = text.trim_start();
    let close = match text.chars().next() {
        Some('(') => ')',
        Some('<') => '>',
        Some('"') => '"',
        _ => return text,
    };
    text[1..].split_once(close).map_or("", |(_, rest)| rest)
}

fn leading_word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    &text[..end]
}

/// The bytes in `text` of the first name in `rest`, which is its end.
fn name_in(text: &str, rest: &str) -> Option<(usize, usize)> {
    let skipped = skip_group(rest).trim_start_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
    let name = leading_word(skipped);
    let start = text.len() - skipped.len();
    (!name.is_empty()).then(|| (start, start + name.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Option<&str> {
        match line("a.rs", text) {
            Line::Definition { start, end } => Some(&text[start..end]),
            _ => None,
        }
    }

    #[test]
    fn definitions_are_seen_in_many_languages() {
        for (text, expected) in [
            ("pub(crate) async fn run_it<T>(x: T) {", "run_it"),
            ("    pub const fn size() -> usize {", "size"),
            ("pub struct BlueWhale<'a> {", "BlueWhale"),
            ("impl<'a> Lists<'a> {", "Lists"),
            ("impl From<Exit> for ExitCode {", "ExitCode"),
            ("macro_rules! declare_rule {", "declare_rule"),
            ("pub static ENDPOINTS: &[Endpoint] = &[", "ENDPOINTS"),
            ("def blue_whale(self):", "blue_whale"),
            ("class BlueWhale(Base):", "BlueWhale"),
            ("export default async function blueWhale() {", "blueWhale"),
            ("export const filters = []", "filters"),
            ("func (s *Server) Close() error {", "Close"),
            ("#define MAX_LINES 10", "MAX_LINES"),
            ("public final class Main {", "Main"),
            ("var global = 1", "global"),
            ("extern \"C\" fn call() {", "call"),
        ] {
            assert_eq!(name(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_only_mentions_is_no_definition() {
        for text in ["    let x = fn_call();", "filter(x)", "return function;", "", "}", "const"] {
            assert_eq!(name(text), None, "{text}");
        }
        assert_eq!(line("a.rs", "//! Takes keys out."), Line::Doc);
        assert_eq!(line("a.rs", "    // Why."), Line::Comment);
        assert_eq!(line("a.rs", "use crate::text;"), Line::Import);
        assert_eq!(line("a.rs", "pub mod text;"), Line::Import);
        assert_eq!(line("a.rs", "#[derive(Debug)]"), Line::Code);
        assert_eq!(line("a.py", "# Why."), Line::Comment);
        assert_eq!(line("a.md", "## fn main"), Line::Heading);
        assert_eq!(line("a.md", "class act"), Line::Code);
    }
}
