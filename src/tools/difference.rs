//! What changes in a file, for a person who has to allow it.

use std::time::Duration;

use similar::{Algorithm, TextDiff};

use super::save::Change;
use crate::text::printable;

/// Most lines shown for one file.
const MAX_LINES: usize = 200;
/// After this long a difference is not searched for any further, only shown less cleverly.
const MAX_TIME: Duration = Duration::from_millis(500);

/// `change` as text that is safe to print.
pub(super) fn difference(change: &Change) -> String {
    let path = printable(&change.target.shown).replace(['\n', '\t'], " ");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let before = change.target.before.as_ref().map(|content| text(&content.bytes));
    let after = change.after.as_ref().map(|content| text(&content.bytes));
    match (before, after) {
        (None, Some(after)) => {
            format!("creates {path} ({} lines)\n{}", after.lines().count(), added(&after))
        }
        (Some(before), Some(after)) => format!("changes {path}\n{}", unified(&before, &after)),
        (Some(before), None) => format!("deletes {path} ({} lines)", before.lines().count()),
        (None, None) => format!("leaves {path} alone"),
    }
}

fn added(text: &str) -> String {
    capped(text.lines().map(|line| format!("+{line}")))
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
