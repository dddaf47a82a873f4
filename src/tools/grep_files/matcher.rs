//! The regular expression of a search, or what is wrong with it.

use grep_regex::{Error, ErrorKind, RegexMatcher, RegexMatcherBuilder};

use crate::tools::ToolError;

/// Most memory a compiled expression takes.
const MAX_REGEX_BYTES: usize = 10 << 20;
/// How deep groups nest.
const MAX_NESTING: u32 = 100;

/// Compiles `pattern` for one line at a time.
pub fn build(pattern: &str, ignore_case: bool) -> Result<RegexMatcher, ToolError> {
    RegexMatcherBuilder::new()
        .case_insensitive(ignore_case)
        .multi_line(true)
        .crlf(true)
        .line_terminator(Some(b'\n'))
        .size_limit(MAX_REGEX_BYTES)
        .dfa_size_limit(MAX_REGEX_BYTES)
        .nest_limit(MAX_NESTING)
        .build(pattern)
        .map_err(|error| explain(&error))
}

fn explain(error: &Error) -> ToolError {
    match error.kind() {
        ErrorKind::NotAllowed(_) => ToolError::refused(
            "the pattern contains a line break, but lines are matched one by one",
        ),
        ErrorKind::Regex(drawn) => ToolError::refused(in_one_sentence(drawn)),
        _ => ToolError::refused(format_args!("the pattern is not valid: {error}")),
    }
}

/// The regex parser draws the pattern with a caret below the mistake.
fn in_one_sentence(drawn: &str) -> String {
    let reason = drawn.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or(drawn);
    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
    let mut lines = drawn.lines();
    let caret = lines.by_ref().find(|line| line.trim_start().starts_with('^'));
    let hint = "; escape characters that are meant as they are, as in `\\(`";
    match caret.and_then(|line| line.find('^')) {
        // The drawing is indented by four.
        Some(at) if at >= 4 => {
            format!("the pattern is not valid at character {}: {reason}{hint}", at - 3)
        }
        _ => format!("the pattern is not valid: {reason}"),
    }
}
