//! The format that begins with `*** Begin Patch`.

use super::{Fate, Hunk, Line, Operation, PatchError, Range};

const END_OF_FILE: &str = "*** End of File";
const IN_A_FILE: &str = "lines of a file begin with a blank, `-` or `+`";
const BETWEEN_FILES: &str =
    "a file begins with `*** Add File: `, `*** Update File: ` or `*** Delete File: `";
const IN_A_NEW_FILE: &str = "lines of a new file begin with `+`";

/// Reads what stands between `*** Begin Patch` and `*** End Patch`.
pub(super) fn parse(lines: &[&str], first: usize) -> Result<Vec<Operation>, PatchError> {
    let mut reader = Reader { lines, at: first };
    let mut operations = Vec::new();
    while let Some(line) = reader.next() {
        if line.trim() == "*** End Patch" {
            return reader.nothing_follows().map(|()| operations);
        } else if let Some(path) = line.strip_prefix("*** Add File: ") {
            operations.push(Operation::Add { path: path.trim().to_owned(), text: reader.text()? });
        } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
            let path = path.trim().to_owned();
            operations.push(Operation::Delete { path, hunks: Vec::new() });
        } else if let Some(path) = line.strip_prefix("*** Update File: ") {
            operations.push(reader.update(path.trim())?);
        } else if !line.trim().is_empty() {
            return Err(reader.unexpected(BETWEEN_FILES));
        }
    }
    Err(PatchError::Unfinished)
}

struct Reader<'a> {
    lines: &'a [&'a str],
    /// The next line.
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'a str> {
        let line = self.peek()?;
        self.at += 1;
        Some(line)
    }

    /// The next line, if it belongs to the file at hand.
    fn next_of_file(&mut self) -> Option<&'a str> {
        let over = self.peek().is_none_or(|line| line.starts_with("*** "));
        if over { None } else { self.next() }
    }

    /// An error about the line just read.
    fn unexpected(&self, help: &'static str) -> PatchError {
        let text = self.lines.get(self.at - 1).copied().unwrap_or_default().to_owned();
        PatchError::Line { line: self.at, text, help }
    }

    fn nothing_follows(&mut self) -> Result<(), PatchError> {
        while let Some(line) = self.next() {
            if !line.trim().is_empty() {
                return Err(self.unexpected("nothing follows `*** End Patch`"));
            }
        }
        Ok(())
    }

    /// A new file's text.
    fn text(&mut self) -> Result<String, PatchError> {
        let mut text = String::new();
        while let Some(line) = self.next_of_file() {
            let Some(line) = line.strip_prefix('+') else {
                // A blank line before the next file.
                let ends = self.peek().is_none_or(|next| next.starts_with("*** "));
                if line.trim().is_empty() && ends {
                    continue;
                }
                return Err(self.unexpected(IN_A_NEW_FILE));
            };
            text.push_str(line);
            text.push('\n');
        }
        Ok(text)
    }

    fn update(&mut self, path: &str) -> Result<Operation, PatchError> {
        let moved = self.peek().and_then(|line| line.strip_prefix("*** Move to: "));
        let moved_to = moved.map(|path| path.trim().to_owned());
        if moved_to.is_some() {
            self.at += 1;
        }
        let mut hunks: Vec<Hunk> = Vec::new();
        loop {
            if self.peek().is_some_and(|line| line.trim_end() == END_OF_FILE) {
                self.at += 1;
                match hunks.last_mut() {
                    Some(hunk) => hunk.at_end = true,
                    None => return Err(self.unexpected(IN_A_FILE)),
                }
            }
            let Some(line) = self.next_of_file() else { break };
            if let Some(header) = line.strip_prefix("@@") {
                begin(&mut hunks, line, header.strip_prefix(' ').unwrap_or(header));
                continue;
            }
            let read = if line.is_empty() {
                Line { fate: Fate::Kept, text: String::new() }
            } else {
                Line::read(line).ok_or_else(|| self.unexpected(IN_A_FILE))?
            };
            if hunks.is_empty() {
                hunks.push(Hunk::default());
            }
            if let Some(hunk) = hunks.last_mut() {
                hunk.lines.push(read);
            }
            self.drop_blank_end(&mut hunks);
        }
        hunks.retain(|hunk| !hunk.lines.is_empty());
        if hunks.is_empty() && moved_to.is_none() {
            return Err(PatchError::Nothing { path: path.to_owned() });
        }
        Ok(Operation::Update { path: path.to_owned(), moved_to, hunks })
    }

    /// Lines without even a blank at the end of a hunk are there to look at, not to be found.
    fn drop_blank_end(&self, hunks: &mut [Hunk]) {
        let ends = self.peek().is_none_or(|next| {
            next.starts_with("@@") || next.starts_with("*** ") && next.trim_end() != END_OF_FILE
        });
        let Some(hunk) = hunks.last_mut().filter(|_| ends) else { return };
        let blank = self.lines[..self.at].iter().rev().take_while(|line| line.is_empty()).count();
        hunk.lines.truncate(hunk.lines.len().saturating_sub(blank));
    }
}

/// Begins a hunk with what stands after `@@`; several such lines lead to one place.
fn begin(hunks: &mut Vec<Hunk>, line: &str, header: &str) {
    if hunks.last().is_none_or(|hunk| !hunk.lines.is_empty()) {
        hunks.push(Hunk::default());
    }
    let Some(hunk) = hunks.last_mut() else { return };
    match Range::read(line) {
        Some(range) => hunk.line = Some(range.line),
        None if header.trim().is_empty() => {}
        None => hunk.anchors.push(header.to_owned()),
    }
}
