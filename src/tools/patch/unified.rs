//! Unified diffs, as `diff -u` and `git diff` write them and models imitate them.

use super::{Fate, Hunk, Line, Operation, PatchError, Range};

const NO_FILE: &str = "/dev/null";
const IN_A_FILE: &str = "lines of a hunk begin with a blank, `-` or `+`";
const NO_HUNK: &str = "hunks begin with `@@ -line,count +line,count @@`";
const NO_PAIR: &str = "a line with `+++` follows each line with `---`";
const TWO_NAMES: &str = "both names of a file are the same unless it is renamed";

/// Reads a diff of one or more files. What stands between files is for people.
pub(super) fn parse(lines: &[&str]) -> Result<Vec<Operation>, PatchError> {
    let mut reader = Reader { lines, at: 0 };
    let mut operations = Vec::new();
    let mut renamed = Renamed::default();
    let mut seen_header = false;
    while let Some(line) = reader.lines.get(reader.at).copied() {
        reader.at += 1;
        match line {
            _ if line.starts_with("diff --git ") => {
                seen_header = true;
                operations.extend(renamed.take_alone());
            }
            _ if line.starts_with("rename from ") => {
                renamed.from = Some(rest(line, "rename from "))
            }
            _ if line.starts_with("rename to ") => renamed.to = Some(rest(line, "rename to ")),
            _ if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") => {
                return Err(PatchError::Unsupported("a binary file"));
            }
            _ if line.ends_with("mode 120000") => {
                return Err(PatchError::Unsupported("a symbolic link"));
            }
            _ if line.starts_with("copy from ") => {
                return Err(PatchError::Unsupported("a copy of a file"));
            }
            _ if line.starts_with("--- ") => {
                seen_header = true;
                operations.push(reader.file(line, &mut renamed)?);
            }
            _ if line.starts_with("@@ -") => return Err(reader.unexpected(NO_PAIR)),
            // Nothing that was meant to be done is passed over.
            _ if seen_header && belongs_to_hunk(line) => return Err(reader.unexpected(IN_A_FILE)),
            _ => {}
        }
    }
    operations.extend(renamed.take_alone());
    if seen_header { Ok(operations) } else { Err(PatchError::Format) }
}

/// Whether a line can only be one of a file. `--` begins the signature of a mail.
fn belongs_to_hunk(line: &str) -> bool {
    line.starts_with([' ', '-', '+']) && !line.trim().is_empty() && line.trim_end() != "--"
}

fn rest(line: &str, prefix: &str) -> String {
    line[prefix.len()..].trim_end().to_owned()
}

/// What `rename from` and `rename to` said about the file at hand.
#[derive(Default)]
struct Renamed {
    from: Option<String>,
    to: Option<String>,
}

impl Renamed {
    /// A file that got another name and nothing else.
    fn take_alone(&mut self) -> Option<Operation> {
        let (path, moved_to) = (self.from.take()?, self.to.take()?);
        Some(Operation::Update { path, moved_to: Some(moved_to), hunks: Vec::new() })
    }
}

struct Reader<'a> {
    lines: &'a [&'a str],
    /// The next line.
    at: usize,
}

impl Reader<'_> {
    /// An error about the line just read.
    fn unexpected(&self, help: &'static str) -> PatchError {
        let text = self.lines.get(self.at - 1).copied().unwrap_or_default().to_owned();
        PatchError::Line { line: self.at, text, help }
    }

    /// What happens to one file, whose `---` line was just read.
    fn file(&mut self, old: &str, renamed: &mut Renamed) -> Result<Operation, PatchError> {
        let new = self.lines.get(self.at).and_then(|line| line.strip_prefix("+++ "));
        let new = new.ok_or_else(|| self.unexpected(NO_PAIR))?;
        self.at += 1;
        let (old, new) = names(&old["--- ".len()..], new);
        if old.starts_with('"') || new.starts_with('"') {
            return Err(PatchError::Unsupported("a quoted file name"));
        }
        let moved = renamed.take_alone().is_some();
        let named_twice = old != new && old != NO_FILE && new != NO_FILE;
        if named_twice && !moved {
            return Err(self.unexpected(TWO_NAMES));
        }
        let hunks = self.hunks()?;
        if hunks.is_empty() && !moved {
            return Err(PatchError::Nothing { path: if new == NO_FILE { old } else { new } });
        }
        Ok(match (old.as_str(), new.as_str()) {
            (NO_FILE, _) => Operation::Add { path: new, text: text(&hunks) },
            (_, NO_FILE) => Operation::Delete { path: old, hunks },
            _ => Operation::Update { path: old, moved_to: moved.then_some(new), hunks },
        })
    }

    fn hunks(&mut self) -> Result<Vec<Hunk>, PatchError> {
        let mut hunks = Vec::new();
        while let Some(line) = self.lines.get(self.at).filter(|line| line.starts_with("@@")) {
            self.at += 1;
            let range = Range::read(line);
            if range.is_none() && line.trim() != "@@" {
                return Err(self.unexpected(NO_HUNK));
            }
            hunks.push(self.hunk(range)?);
        }
        Ok(hunks)
    }

    /// One hunk. Its counts say where it ends, so that removed dashes are not taken for the next
    /// file; models count badly, so lines that can only belong to it do so anyway.
    fn hunk(&mut self, range: Option<Range>) -> Result<Hunk, PatchError> {
        let mut hunk = Hunk { line: range.map(|range| range.line), ..Hunk::default() };
        let (mut old, mut new) = range.map_or((0, 0), |range| (range.old, range.new));
        while let Some(text) = self.lines.get(self.at).copied() {
            if text.starts_with('\\') {
                self.at += 1;
                mark_no_newline(&mut hunk);
                continue;
            }
            let counted = old > 0 || new > 0;
            if !counted && (self.begins_file(self.at) || !self.goes_on(text)) {
                break;
            }
            if text.starts_with("@@ -") || text.starts_with("diff --git ") {
                break;
            }
            self.at += 1;
            let line = if text.is_empty() {
                Line { fate: Fate::Kept, text: String::new() }
            } else {
                Line::read(text).ok_or_else(|| self.unexpected(IN_A_FILE))?
            };
            old = old.saturating_sub(usize::from(line.fate != Fate::Added));
            new = new.saturating_sub(usize::from(line.fate != Fate::Removed));
            hunk.lines.push(line);
        }
        Ok(hunk)
    }

    /// Whether `text`, the next line, can belong to a hunk that should be over.
    fn goes_on(&self, text: &str) -> bool {
        let next = self.lines.get(self.at + 1).copied().unwrap_or_default();
        let goes_on = belongs_to_hunk(next) && !self.begins_file(self.at + 1);
        belongs_to_hunk(text) || text.trim().is_empty() && goes_on
    }

    fn begins_file(&self, first: usize) -> bool {
        let starts =
            |at: usize, with| self.lines.get(at).is_some_and(|line| line.starts_with(with));
        starts(first, "--- ") && starts(first + 1, "+++ ")
    }
}

/// The line just read is the last of the file, and has no end.
fn mark_no_newline(hunk: &mut Hunk) {
    hunk.at_end = true;
    match hunk.lines.last().map(|line| line.fate) {
        // The new side may still say that it ends otherwise.
        Some(Fate::Removed) => hunk.final_newline = Some(true),
        _ => hunk.final_newline = Some(false),
    }
}

/// The names of a file before and after, without what `git` puts before them and `diff` after.
fn names(old: &str, new: &str) -> (String, String) {
    let name = |text: &str| text.split('\t').next().unwrap_or_default().trim_end().to_owned();
    let (old, new) = (name(old), name(new));
    let short = |name: &str, prefix: &str| match name {
        NO_FILE => Some(NO_FILE.to_owned()),
        name => name.strip_prefix(prefix).map(str::to_owned),
    };
    match (short(&old, "a/"), short(&new, "b/")) {
        (Some(old), Some(new)) => (old, new),
        _ => (old, new),
    }
}

/// The text of a new file.
fn text(hunks: &[Hunk]) -> String {
    let added = hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.fate == Fate::Added);
    let mut text: String = added.flat_map(|line| [line.text.as_str(), "\n"]).collect();
    if hunks.last().is_some_and(|hunk| hunk.final_newline == Some(false)) {
        text.pop();
    }
    text
}
