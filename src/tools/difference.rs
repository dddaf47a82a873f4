//! What changes in a file, for a person who has to allow it.

use std::time::Duration;

use similar::{Algorithm, TextDiff};

use super::save::{Change, Content};
use crate::text::printable;

/// Most lines shown for one file.
const MAX_LINES: usize = 200;
/// After this long a difference is not searched for any further, only shown less cleverly.
const MAX_TIME: Duration = Duration::from_millis(500);

/// `change` as text that is safe to print.
pub(super) fn difference(change: &Change) -> String {
    let path = path(change);
    match (text(change.target.before.as_ref()), text(change.after.as_ref())) {
        (None, Some(after)) => format!("creates {path} {}", all('+', &after)),
        (Some(before), Some(after)) => format!("changes {path}\n{}", unified(&before, &after)),
        (Some(before), None) => format!("deletes {path} {}", all('-', &before)),
        (None, None) => format!("leaves {path} alone"),
    }
}

/// A file that gets another name, and perhaps other content: `from` goes and `to` comes.
pub(super) fn moved(from: &Change, to: &Change) -> String {
    let before = text(from.target.before.as_ref()).unwrap_or_default();
    let after = text(to.after.as_ref()).unwrap_or_default();
    let mut said = format!("moves {} to {}", path(from), path(to));
    if before != after {
        said.push('\n');
        said.push_str(&unified(&before, &after));
    }
    said
}

fn path(change: &Change) -> String {
    printable(&change.target.shown).replace(['\n', '\t'], " ")
}

fn text(content: Option<&Content>) -> Option<String> {
    content.map(|content| String::from_utf8_lossy(&content.bytes).into_owned())
}

/// How many lines there are, and all of them.
fn all(mark: char, text: &str) -> String {
    let lines = capped(text.lines().map(|line| format!("{mark}{line}")));
    format!("({} lines)\n{lines}", text.lines().count()).trim_end().to_owned()
}

fn unified(before: &str, after: &str) -> String {
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .timeout(MAX_TIME)
        .diff_lines(before, after);
    let text = diff.unified_diff().context_radius(3).to_string();
    if text.is_empty() {
        return "[nothing changes]".to_owned();
    }
    capped(text.lines().map(str::to_owned))
}

fn capped(lines: impl Iterator<Item = String>) -> String {
    let mut lines: Vec<String> = lines.collect();
    let more = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    if more > 0 {
        lines.push(format!("[... {more} more lines]"));
    }
    printable(&lines.join("\n").replace('\r', "")).into_owned()
}
