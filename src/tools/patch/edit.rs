//! What hunks and replacements make of a text.

use thiserror::Error;

use super::{Fate, Hunk};
use crate::tools::{ToolError, blocking::Stop};

/// As many sought lines are repeated to the model.
const SHOWN_LINES: usize = 8;
/// As many places are told of lines that are there several times.
const SHOWN_PLACES: usize = 5;

/// An edit that cannot be made. The model's to mend.
#[derive(Debug, Error)]
pub(in crate::tools) enum EditError {
    /// The old lines are not there.
    #[error("these lines are not in it{}:\n{}", after(*.from), sought(.lines))]
    NotFound {
        /// The lines sought.
        lines: Vec<String>,
        /// Where the search began.
        from: usize,
    },
    /// The old lines are there more than once.
    #[error(
        "these lines are in it more than once (at lines {}); give more lines around them:\n{}",
        places(.at), sought(.lines)
    )]
    Ambiguous {
        /// The lines sought.
        lines: Vec<String>,
        /// Where they are.
        at: Vec<usize>,
    },
    /// `old_string` is empty.
    #[error("`old_string` is empty, but there is something in it already")]
    NothingSought,
    /// The call should end.
    #[error(transparent)]
    Stopped(#[from] ToolError),
}

fn after(from: usize) -> String {
    if from == 0 { String::new() } else { format!(" after line {from}") }
}

fn places(at: &[usize]) -> String {
    let shown: Vec<String> = at.iter().take(SHOWN_PLACES).map(usize::to_string).collect();
    let more = if at.len() > SHOWN_PLACES { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn sought(lines: &[String]) -> String {
    let mut shown = lines[..lines.len().min(SHOWN_LINES)].join("\n");
    if lines.len() > SHOWN_LINES {
        shown.push_str("\n...");
    }
    shown
}

/// A line of a file.
#[derive(Clone, Copy)]
struct FileLine<'a> {
    text: &'a str,
    /// `"\n"`, `"\r\n"`, or nothing at the end of the file.
    end: &'a str,
}

impl<'a> FileLine<'a> {
    fn copied(&self) -> (String, &'a str) {
        (self.text.to_owned(), self.end)
    }
}

fn file_lines(text: &str) -> Vec<FileLine<'_>> {
    let line = |line: &'_ str| {
        let text = line.strip_suffix('\n').unwrap_or(line);
        let cut =
            if text.len() < line.len() { text.strip_suffix('\r').unwrap_or(text) } else { text };
        cut.len()
    };
    let lines = text.split_inclusive('\n');
    lines
        .map(|whole| FileLine { text: &whole[..line(whole)], end: &whole[line(whole)..] })
        .collect()
}

/// `text` after `hunks`. Lines keep the ends they have, and new ones get those of their
/// neighbours.
pub(in crate::tools) fn apply(
    text: &str,
    hunks: &[Hunk],
    stop: &Stop,
) -> Result<String, EditError> {
    let (mark, body) = split_mark(text);
    let file = file_lines(body);
    let mut output: Vec<(String, &str)> = Vec::new();
    let mut from = 0;
    let mut final_newline = body.is_empty() || body.ends_with('\n');
    for hunk in hunks {
        let at = locate(&file, from, hunk, stop)?;
        output.extend(file[from..at].iter().map(FileLine::copied));
        from = at;
        for line in &hunk.lines {
            match line.fate {
                Fate::Kept => output.extend(file[from..].first().map(FileLine::copied)),
                Fate::Removed => {}
                Fate::Added => {
                    let end = neighbouring_end(&file, from);
                    let text = line.text.strip_suffix('\r').filter(|_| end == "\r\n");
                    output.push((text.unwrap_or(&line.text).to_owned(), end));
                }
            }
            from += usize::from(line.fate != Fate::Added);
        }
        final_newline = hunk.final_newline.unwrap_or(final_newline);
    }
    output.extend(file[from..].iter().map(FileLine::copied));
    Ok(join(mark, &output, final_newline, neighbouring_end(&file, file.len())))
}

/// The byte order mark, and the text after it.
fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

/// How a line at `at` ends: like the line there, or else the one before.
fn neighbouring_end<'a>(file: &[FileLine<'a>], at: usize) -> &'a str {
    let near = [file.get(at), at.checked_sub(1).and_then(|before| file.get(before)), file.first()];
    near.into_iter().flatten().map(|line| line.end).find(|end| !end.is_empty()).unwrap_or("\n")
}

fn join(mark: &str, lines: &[(String, &str)], final_newline: bool, usual_end: &str) -> String {
    let mut text = mark.to_owned();
    for (at, (line, end)) in lines.iter().enumerate() {
        text.push_str(line);
        let is_last = at + 1 == lines.len();
        match (is_last, end.is_empty()) {
            (true, _) if !final_newline => {}
            (_, true) => text.push_str(usual_end),
            (_, false) => text.push_str(end),
        }
    }
    text
}

/// Where the old lines of `hunk` begin: after `from`, and at one place only.
fn locate(
    file: &[FileLine<'_>],
    mut from: usize,
    hunk: &Hunk,
    stop: &Stop,
) -> Result<usize, EditError> {
    for (nth, anchor) in hunk.anchors.iter().enumerate() {
        let choice = if nth == 0 { Choice::Only } else { Choice::First };
        from = search(file, from, &[anchor.as_str()], choice, stop)? + 1;
    }
    let old: Vec<&str> = hunk
        .lines
        .iter()
        .filter(|line| line.fate != Fate::Added)
        .map(|line| line.text.as_str())
        .collect();
    let choice = match hunk {
        Hunk { at_end: true, .. } => Choice::End,
        Hunk { line: Some(line), .. } => Choice::Line(*line),
        Hunk { anchors, .. } if !anchors.is_empty() => Choice::First,
        _ => Choice::Only,
    };
    if !old.is_empty() {
        return search(file, from, &old, choice, stop);
    }
    match choice {
        Choice::First => Ok(from),
        Choice::Line(line) if line < from || line > file.len() => {
            Err(EditError::NotFound { lines: vec![format!("[line {line}]")], from })
        }
        Choice::Line(line) => Ok(line),
        Choice::End | Choice::Only => Ok(file.len()),
    }
}

/// Which of several places is meant.
#[derive(Clone, Copy)]
enum Choice {
    /// There must not be several.
    Only,
    /// The first.
    First,
    /// The one at this line; without one there, there must not be several.
    Line(usize),
    /// The one at the end of the file.
    End,
}

fn search(
    file: &[FileLine<'_>],
    from: usize,
    old: &[&str],
    choice: Choice,
    stop: &Stop,
) -> Result<usize, EditError> {
    let lines = || old.iter().map(|line| (*line).to_owned()).collect();
    let Some(last) = file.len().checked_sub(old.len()).filter(|last| *last >= from) else {
        return Err(EditError::NotFound { lines: lines(), from });
    };
    for same in [same_text, same_but_for_blanks] {
        let fits = |at: usize| file[at..].iter().zip(old).all(|(line, old)| same(line, old));
        let told = match choice {
            Choice::End => Some(last),
            Choice::Line(line) => line.checked_sub(1).filter(|at| (from..=last).contains(at)),
            Choice::Only | Choice::First => None,
        };
        if let Some(told) = told.filter(|at| fits(*at)) {
            return Ok(told);
        }
        if matches!(choice, Choice::End) {
            continue;
        }
        let mut places = Vec::new();
        for at in from..=last {
            stop.check()?;
            if !fits(at) {
                continue;
            }
            if matches!(choice, Choice::First) {
                return Ok(at);
            }
            places.push(at + 1);
            if places.len() > SHOWN_PLACES {
                break;
            }
        }
        match places[..] {
            [] => {}
            [only] => return Ok(only - 1),
            _ => return Err(EditError::Ambiguous { lines: lines(), at: places }),
        }
    }
    Err(EditError::NotFound { lines: lines(), from })
}

fn same_text(line: &FileLine<'_>, old: &str) -> bool {
    line.text == old || line.end == "\r\n" && old.strip_suffix('\r') == Some(line.text)
}

fn same_but_for_blanks(line: &FileLine<'_>, old: &str) -> bool {
    line.text.trim_end() == old.trim_end()
}

/// How often a string is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tools) enum Times {
    /// It must be there once.
    Once,
    /// Wherever it is.
    Always,
}

/// `text` with `new` instead of `old`. In files that end lines as on Windows, strings that do not
/// are understood.
pub(in crate::tools) fn replace(
    text: &str,
    old: &str,
    new: &str,
    times: Times,
) -> Result<String, EditError> {
    if old.is_empty() {
        return Err(EditError::NothingSought);
    }
    let windows = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
    let is_windows = text.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n"));
    let (old, new) = if is_windows && text.contains(&windows(old)) {
        (windows(old), windows(new))
    } else {
        (old.to_owned(), new.to_owned())
    };
    let places = text.match_indices(&old).take(SHOWN_PLACES + 1);
    let at: Vec<usize> = places.map(|(at, _)| text[..at].matches('\n').count() + 1).collect();
    let lines = || old.lines().map(str::to_owned).collect();
    match (at.len(), times) {
        (0, _) => Err(EditError::NotFound { lines: lines(), from: 0 }),
        (1, _) | (_, Times::Always) => Ok(text.replace(&old, &new)),
        (_, Times::Once) => Err(EditError::Ambiguous { lines: lines(), at }),
    }
}
