//! `read_file`: part of a text file, by line.

use std::io::{self, BufRead, BufReader, Read as _, Take};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Root, Tool, ToolCx, ToolError, ToolFuture, ToolSpec,
    blocking::{Stop, StoppedReader, blocking},
    parse,
};

/// Most lines one call returns; the model asks again for more.
const MAX_LINES: usize = 2_000;
/// Most characters one call returns.
const MAX_CHARS: usize = 50_000;
/// Longer lines are cut.
const MAX_LINE_CHARS: usize = 2_000;
/// As many bytes as that many characters can have.
const MAX_LINE_BYTES: u64 = MAX_LINE_CHARS as u64 * 4;
/// Of larger files, only the lines asked for are read.
const MAX_WHOLE_BYTES: u64 = 10 << 20;
/// Nothing after this many bytes is looked at.
const MAX_SCANNED_BYTES: u64 = 256 << 20;
/// How much of a file decides whether it is text.
const SNIFFED_BYTES: usize = 8 << 10;

/// The `read_file` tool.
#[derive(Debug)]
pub struct ReadFile;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    offset: Option<usize>,
    limit: Option<usize>,
}

impl Tool for ReadFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "read_file".to_owned(),
            description: format!(
                "Read a text file. Each line is shown after its number and a tab, which are not \
                 part of the file. At most {MAX_LINES} lines are returned; the last line then says \
                 which offset to continue with."
            ),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {
                        "type": "string",
                        "description": "The file, relative to the working directory.",
                    },
                    "offset": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "The first line to read, counted from 1.",
                    },
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MAX_LINES,
                        "description": "How many lines to read.",
                    },
                },
                "required": ["path"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: &'a ToolCx, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments = parse(arguments)?;
            blocking(cx, move |root, stop| read(root, stop, &arguments)).await
        })
    }
}

fn read(root: &Root, stop: &Stop, arguments: &Arguments) -> Result<String, ToolError> {
    let Arguments { path, offset, limit } = arguments;
    if *offset == Some(0) || *limit == Some(0) {
        return Err(ToolError::refused("`offset` and `limit` begin at 1"));
    }
    let file = root.file(path)?;
    let refuse = |why: &str| ToolError::refused(format_args!("`{path}` {why}"));
    let fail = |error: io::Error| {
        stop.check().err().unwrap_or_else(|| refuse(&format!("cannot be read: {error}")))
    };
    let size = file.metadata().map_err(fail)?.len();
    if size > MAX_WHOLE_BYTES && offset.is_none() && limit.is_none() {
        return Err(refuse(&format!(
            "has {size} bytes; read a part of it with offset and limit, or search it with \
             grep_files"
        )));
    }
    let file = stop.reader(file.into_std()).take(MAX_SCANNED_BYTES);
    let mut file = BufReader::with_capacity(SNIFFED_BYTES, file);
    if let Some(why) = no_text(file.fill_buf().map_err(fail)?) {
        return Err(refuse(why));
    }
    let first = offset.unwrap_or(1);
    let page = Page::read(&mut file, first, limit.unwrap_or(MAX_LINES)).map_err(fail)?;
    let unread = file.get_ref().limit() == 0 && size > MAX_SCANNED_BYTES;
    match page {
        Page { text, total: 0, .. } if text.is_empty() => Ok("[the file is empty]".to_owned()),
        Page { total, .. } if first > total && unread => Err(refuse(&format!(
            "has more than {MAX_SCANNED_BYTES} bytes before line {first}, which is too far to read"
        ))),
        Page { total, .. } if first > total => {
            Err(refuse(&format!("has {total} lines, so nothing is at offset {first}")))
        }
        page => Ok(page.finish(unread)),
    }
}

/// Why the file that begins with `bytes` is not text.
fn no_text(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Some("is UTF-16, which cannot be read; convert it to UTF-8 first");
    }
    if bytes.contains(&0) {
        return Some("is a binary file");
    }
    let text = String::from_utf8_lossy(bytes);
    let broken = text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    (broken * 10 > text.chars().count() * 3).then_some("is a binary file, or not UTF-8 text")
}

type Lines<'a> = BufReader<Take<StoppedReader<'a, std::fs::File>>>;

/// What one call shows.
struct Page {
    text: String,
    /// Characters in `text`.
    chars: usize,
    /// The number of the first line not shown.
    next: usize,
    /// How many lines the file has, as far as it was read.
    total: usize,
    lossy: bool,
}

impl Page {
    fn read(file: &mut Lines<'_>, first: usize, limit: usize) -> io::Result<Self> {
        let mut page = Self { text: String::new(), chars: 0, next: first, total: 0, lossy: false };
        while page.total + 1 < first && file.skip_until(b'\n')? > 0 {
            page.total += 1;
        }
        let last = first.saturating_add(limit.min(MAX_LINES));
        while page.next < last {
            let Some((line, lossy)) = line(file, page.total == 0)? else { return Ok(page) };
            page.total += 1;
            let line = format!("{:>6}\t{line}\n", page.next);
            let chars = line.chars().count();
            if page.chars + chars > MAX_CHARS {
                break;
            }
            page.chars += chars;
            page.text.push_str(&line);
            page.lossy |= lossy;
            page.next += 1;
        }
        while file.skip_until(b'\n')? > 0 {
            page.total += 1;
        }
        Ok(page)
    }

    /// The text, and what is to know about it.
    fn finish(mut self, unread: bool) -> String {
        if self.lossy {
            self.text.push_str("[bytes that are not UTF-8 are shown as \u{fffd}]\n");
        }
        let (left, next) = ((self.total + 1).saturating_sub(self.next), self.next);
        let more = match (left, unread) {
            (0, false) => String::new(),
            (_, true) => format!("[... more lines; continue with offset = {next}]"),
            (1, false) => format!("[... 1 more line; continue with offset = {next}]"),
            (left, false) => format!("[... {left} more lines; continue with offset = {next}]"),
        };
        self.text.push_str(&more);
        self.text.truncate(self.text.trim_end_matches('\n').len());
        self.text
    }
}

/// The next line without its end, cut if it is long, and whether bytes in it had to be replaced.
fn line(file: &mut Lines<'_>, is_first: bool) -> io::Result<Option<(String, bool)>> {
    let mut bytes = Vec::new();
    file.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let mut cut = false;
    match bytes.strip_suffix(b"\n") {
        Some(line) => bytes.truncate(line.strip_suffix(b"\r").unwrap_or(line).len()),
        None => {
            cut = file.skip_until(b'\n')? > 0;
            // Half a character at the end is the cut's fault, not the file's.
            let end = if cut { bytes.utf8_chunks().map(|chunk| chunk.valid().len()).sum() } else { 0 };
            let whole = bytes.utf8_chunks().count() <= 1;
            if cut && whole {
                bytes.truncate(end);
            }
        }
    }
    let bytes = if is_first { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes) } else { &bytes };
    let text = String::from_utf8_lossy(bytes);
    let lossy = matches!(text, std::borrow::Cow::Owned(_));
    let mut line: String = text.chars().take(MAX_LINE_CHARS).collect();
    if cut || line.len() < text.len() {
        line.push_str(" [... line cut]");
    }
    Ok(Some((line, lossy)))
}
