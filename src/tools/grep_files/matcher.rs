//! The regular expression of a search, or what is wrong with it.

use grep_regex::{Error, ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ParserBuilder;

use crate::tools::ToolError;

/// Most memory a compiled expression takes.
const MAX_REGEX_BYTES: usize = 10 << 20;
/// How deep groups nest.
const MAX_NESTING: u32 = 100;

/// Compiles `pattern` for one line at a time.
pub(super) fn build(pattern: &str, ignore_case: bool) -> Result<RegexMatcher, ToolError> {
    // The matcher wraps the pattern before it parses it, so its positions are off.
    if let Err(error) =
        ParserBuilder::new().nest_limit(MAX_NESTING).utf8(false).build().parse(pattern)
    {
        return Err(mistake(pattern, &error));
    }
    RegexMatcherBuilder::new()
        .case_insensitive(ignore_case)
        .multi_line(true)
        .crlf(true)
        .line_terminator(Some(b'\n'))
        .size_limit(MAX_REGEX_BYTES)
        .dfa_size_limit(MAX_REGEX_BYTES)
        .build(pattern)
        .map_err(|error| obstacle(&error))
}

fn mistake(pattern: &str, error: &regex_syntax::Error) -> ToolError {
    let (start, reason) = match error {
        regex_syntax::Error::Parse(error) => (error.span().start.offset, error.kind().to_string()),
        regex_syntax::Error::Translate(error) => {
            (error.span().start.offset, error.kind().to_string())
        }
        other => return ToolError::refused(format_args!("the pattern is not valid: {other}")),
    };
    let at = pattern.get(..start).map_or(start, |before| before.chars().count()) + 1;
    ToolError::refused(format_args!(
        "the pattern is not valid at character {at}: {reason}; characters such as `(`, `[`, `{{` \
         and `\\` are escaped with a backslash to be found as they are"
    ))
}

fn obstacle(error: &Error) -> ToolError {
    match error.kind() {
        ErrorKind::NotAllowed(_) => ToolError::refused(
            "the pattern contains a line break, but lines are matched one by one",
        ),
        _ => ToolError::refused(format_args!("the pattern is not valid: {error}")),
    }
}
