//! Matches as text, until there are enough.

use std::{io, ops::ControlFlow, path::Path};

use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::Arguments;
use crate::tools::root::shown;

/// Most characters one call returns.
const MAX_CHARS: usize = 50_000;
/// Longer lines are cut.
const MAX_LINE_CHARS: usize = 500;

/// Writes down what a search finds.
pub(super) struct Printer {
    wanted: usize,
    files_only: bool,
    has_context: bool,
    text: String,
    /// Characters in `text`.
    chars: usize,
    matches: usize,
    files: usize,
    /// Something was found that is not shown.
    full: bool,
    /// The file being searched.
    path: String,
    found_here: usize,
    /// Printed before the next line.
    separator: bool,
}

impl Printer {
    /// Shows `wanted` matches, or files.
    pub(super) fn new(wanted: usize, arguments: &Arguments) -> Self {
        Self {
            wanted,
            files_only: arguments.files_only,
            has_context: arguments.context > 0,
            text: String::new(),
            chars: 0,
            matches: 0,
            files: 0,
            full: false,
            path: String::new(),
            found_here: 0,
            separator: false,
        }
    }

    /// Begins with the file at `path`.
    pub fn file(&mut self, path: &Path) -> &mut Self {
        self.path = shown(path);
        self.found_here = 0;
        self.separator = self.has_context && !self.text.is_empty();
        self
    }

    /// Whether to search another.
    pub fn end_of_file(&mut self) -> ControlFlow<()> {
        if self.found_here > 0 && self.files_only {
            let line = format!("{}:{}\n", self.path, self.found_here);
            if self.files == self.wanted || !self.push(&line) {
                self.full = true;
            } else {
                self.matches += self.found_here;
                self.files += 1;
            }
        } else if self.found_here > 0 {
            self.matches += self.found_here;
            self.files += 1;
        }
        if self.full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Everything found, and how much it is.
    pub fn finish(mut self) -> String {
        let Self { matches, files, .. } = self;
        if matches == 0 && !self.full {
            return "no matches".to_owned();
        }
        let note = if !self.full {
            format!("[{matches} matches in {files} files]")
        } else {
            let (shown, what) =
                if self.files_only { (files, "files") } else { (matches, "matches") };
            format!(
                "[the first {shown} of at least {shown} {what}; narrow the pattern or raise \
                 max_results]"
            )
        };
        self.text.push_str(&note);
        self.text
    }

    /// Adds a line if there is room.
    fn push(&mut self, line: &str) -> bool {
        let chars = line.chars().count();
        if self.chars + chars > MAX_CHARS {
            return false;
        }
        self.chars += chars;
        self.text.push_str(line);
        true
    }

    /// Adds a line of a file if there is room. `mark` is `:` for a match and `-` around it.
    fn line(&mut self, mark: char, number: Option<u64>, bytes: &[u8]) -> bool {
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        let end = text.char_indices().nth(MAX_LINE_CHARS).map_or(text.len(), |(at, _)| at);
        let cut = if end < text.len() { " [... line cut]" } else { "" };
        let separator = if self.separator { "--\n" } else { "" };
        let number = number.unwrap_or_default();
        let line = format!("{separator}{}{mark}{number}{mark}{}{cut}\n", self.path, &text[..end]);
        self.separator = false;
        self.push(&line)
    }
}

impl Sink for &mut Printer {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let room = self.files_only
            || self.matches + self.found_here < self.wanted
                && self.line(':', found.line_number(), found.bytes());
        if room {
            self.found_here += 1;
        } else {
            self.full = true;
        }
        Ok(room)
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> io::Result<bool> {
        // Lines before a match that is not shown any more would mean nothing.
        let over = matches!(around.kind(), grep_searcher::SinkContextKind::Before)
            && self.matches + self.found_here == self.wanted;
        if self.files_only {
            return Ok(true);
        }
        let room = !over && self.line('-', around.line_number(), around.bytes());
        self.full |= !room;
        Ok(room)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.separator = true;
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, _: &SinkFinish) -> io::Result<()> {
        Ok(())
    }
}
