//! Patches as models write them: what they say, and what they make of a text.
//!
//! Two formats are read, the envelope of `*** Begin Patch` and unified diffs. Lines are found
//! where they are the same, or the same but for blanks at their ends, and nowhere else; nothing
//! here touches a file.

mod edit;
mod envelope;
mod unified;

pub(super) use edit::{EditError, Times, apply, replace};
use thiserror::Error;

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Creates it.
    Add {
        /// The file.
        path: String,
        /// All of its text.
        text: String,
    },
    /// Deletes it.
    Delete {
        /// The file.
        path: String,
        /// What the patch says was in it, if it says so.
        hunks: Vec<Hunk>,
    },
    /// Changes it, renames it, or both.
    Update {
        /// The file.
        path: String,
        /// Its new name.
        moved_to: Option<String>,
        /// From top to bottom.
        hunks: Vec<Hunk>,
    },
}

/// Lines that are sought in a file, and what becomes of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    /// Lines to go past first, each after the one before.
    pub anchors: Vec<String>,
    /// Where the old lines begin, counted from 1; without old lines, the line to insert after.
    pub line: Option<usize>,
    /// Old and new lines.
    pub lines: Vec<Line>,
    /// Whether the old lines are the last of the file.
    pub at_end: bool,
    /// Whether the file then ends with a line break, if the patch says so.
    pub final_newline: Option<bool>,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// What becomes of it.
    pub fate: Fate,
    /// Its text without a line end.
    pub text: String,
}

/// What becomes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is there and stays.
    Kept,
    /// It is there and goes.
    Removed,
    /// It comes.
    Added,
}

impl Line {
    /// Reads ` `, `-` or `+` and the text after it.
    fn read(line: &str) -> Option<Self> {
        let fates = [(' ', Fate::Kept), ('-', Fate::Removed), ('+', Fate::Added)];
        let (mark, fate) = fates.into_iter().find(|(mark, _)| line.starts_with(*mark))?;
        Some(Self { fate, text: line[mark.len_utf8()..].to_owned() })
    }
}

/// A patch that cannot be read. The model's to mend.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum PatchError {
    /// It is in neither format.
    #[error(
        "the patch begins neither with `*** Begin Patch` nor with the `---` and `+++` lines of a \
         unified diff"
    )]
    Format,
    /// It stops too early.
    #[error("the patch does not end with `*** End Patch`")]
    Unfinished,
    /// It does nothing.
    #[error("the patch changes no file")]
    Empty,
    /// A line makes no sense where it stands.
    #[error("line {line} of the patch is not expected there: `{text}`; {help}")]
    Line {
        /// Its number in the patch.
        line: usize,
        /// The line.
        text: String,
        /// What may stand there.
        help: &'static str,
    },
    /// A file's section says nothing.
    #[error("the patch says nothing about what to do with `{path}`")]
    Nothing {
        /// The file.
        path: String,
    },
    /// Something patches can say and this tool does not do.
    #[error("the patch contains {0}, which is not supported")]
    Unsupported(&'static str),
}

/// Reads a patch in either format.
pub(super) fn parse(patch: &str) -> Result<Vec<Operation>, PatchError> {
    let lines = lines(patch);
    let first = lines.iter().position(|line| !line.trim().is_empty()).ok_or(PatchError::Empty)?;
    let operations = if lines[first].trim() == "*** Begin Patch" {
        envelope::parse(&lines, first + 1)?
    } else {
        unified::parse(&lines)?
    };
    if operations.is_empty() { Err(PatchError::Empty) } else { Ok(operations) }
}

/// The lines of a patch. If its headers end as on Windows, so do all lines, whatever the files do.
fn lines(patch: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = patch.split('\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    let first = lines.iter().find(|line| !line.trim().is_empty());
    if first.is_some_and(|line| line.ends_with('\r')) {
        for line in &mut lines {
            *line = line.strip_suffix('\r').unwrap_or(line);
        }
    }
    lines
}

/// What `@@ -12,3 +12,4 @@` says: where the old lines begin, and how many old and new ones follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    line: usize,
    old: usize,
    new: usize,
}

impl Range {
    fn read(line: &str) -> Option<Self> {
        let inner = line.strip_prefix("@@ -")?;
        let (old, rest) = inner.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let pair = |text: &str| -> Option<(usize, usize)> {
            let (start, count) = text.split_once(',').unwrap_or((text, "1"));
            Some((start.parse().ok()?, count.parse().ok()?))
        };
        let (line, old) = pair(old)?;
        let (_, new) = pair(new)?;
        Some(Self { line, old, new })
    }
}

#[cfg(test)]
mod tests;
