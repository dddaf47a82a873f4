//! `read_file`: part of a text file, by line.

use std::io::{self, BufRead, BufReader, Read as _, Take};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    CallCx, Root, Tool, ToolError, ToolFuture, ToolSpec,
    blocking::{Stop, StoppedReader, blocking},
    parse,
};

/// Most lines one call returns; the model asks again for more.
const MAX_LINES: usize = 2_000;
/// Most characters one call returns.
const MAX_CHARS: usize = 50_000;
/// Longer lines are cut.
const MAX_LINE_CHARS: usize = 2_000;
/// As many bytes as that many characters and the end of the line can have.
const MAX_LINE_BYTES: u64 = MAX_LINE_CHARS as u64 * 4 + 2;
/// Of larger files, only the lines asked for are read.
const MAX_WHOLE_BYTES: u64 = 10 << 20;
/// Nothing after this many bytes is looked at.
const MAX_SCANNED_BYTES: u64 = 256 << 20;
/// How much of a file decides whether it is text.
const SNIFFED_BYTES: usize = 8 << 10;
/// How much is read at once.
const BUFFER_BYTES: usize = 64 << 10;

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

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments = parse(arguments)?;
            blocking(&cx, move |root, stop| read(root, stop, &arguments)).await
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
    let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
    let start = file.fill_buf().map_err(fail)?;
    if let Some(why) = no_text(&start[..start.len().min(SNIFFED_BYTES)]) {
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
        None => cut = file.skip_until(b'\n')? > 0,
    }
    let bytes =
        if is_first { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes) } else { &bytes };
    let text = String::from_utf8_lossy(bytes);
    let mut line: String = text.chars().take(MAX_LINE_CHARS).collect();
    let lossy = line.contains(char::REPLACEMENT_CHARACTER) && str::from_utf8(bytes).is_err();
    if cut || line.len() < text.len() {
        line.push_str(" [... line cut]");
    }
    Ok(Some((line, lossy)))
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write as _, os::unix::fs::symlink, path::Path};

    use super::*;
    use crate::tools::tests::{cx, fifo, while_swapping};

    async fn call(root: &Path, arguments: Value) -> Result<String, String> {
        ReadFile.call((&cx(root)).into(), arguments).await.map_err(|error| error.to_string())
    }

    async fn read_bytes(bytes: &[u8]) -> Result<String, String> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("f"), bytes).unwrap();
        call(dir.path(), json!({ "path": "f" })).await
    }

    #[tokio::test]
    async fn lines_have_numbers_and_no_line_ends() {
        let text = "\u{feff}one\r\n\r\n  three\nno end";
        let shown = "     1\tone\n     2\t\n     3\t  three\n     4\tno end";
        assert_eq!(read_bytes(text.as_bytes()).await.unwrap(), shown);
        assert_eq!(read_bytes(b"").await.unwrap(), "[the file is empty]");
    }

    #[tokio::test]
    async fn says_how_to_get_the_rest() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("log"), "x\n".repeat(MAX_LINES + 300)).unwrap();
        let page = call(dir.path(), json!({ "path": "log" })).await.unwrap();
        assert!(page.ends_with("  2000\tx\n[... 300 more lines; continue with offset = 2001]"));
        let page = call(dir.path(), json!({ "path": "log", "offset": 2299, "limit": 1 })).await;
        assert_eq!(page.unwrap(), "  2299\tx\n[... 1 more line; continue with offset = 2300]");
        let page = call(dir.path(), json!({ "path": "log", "offset": 2300 })).await;
        assert_eq!(page.unwrap(), "  2300\tx");
        let said = call(dir.path(), json!({ "path": "log", "offset": 2301 })).await.unwrap_err();
        assert_eq!(said, "`log` has 2300 lines, so nothing is at offset 2301");
        let said = call(dir.path(), json!({ "path": "log", "limit": 0 })).await.unwrap_err();
        assert_eq!(said, "`offset` and `limit` begin at 1");
        let said = call(dir.path(), json!({ "path": "log", "lines": 0 })).await.unwrap_err();
        assert!(said.contains("unknown field `lines`"));
    }

    #[tokio::test]
    async fn long_lines_and_long_pages_are_cut() {
        let whole = "\u{1f600}".repeat(MAX_LINE_CHARS);
        let page = read_bytes(format!("{whole}\r\n{whole}x\n").as_bytes()).await.unwrap();
        assert_eq!(page, format!("     1\t{whole}\n     2\t{whole} [... line cut]"));
        let page = read_bytes("y".repeat(100_000).as_bytes()).await.unwrap();
        assert_eq!(page, format!("     1\t{} [... line cut]", "y".repeat(MAX_LINE_CHARS)));
        let lines = format!("{}\n", "z".repeat(992)).repeat(60);
        let page = read_bytes(lines.as_bytes()).await.unwrap();
        assert!(page.ends_with("z\n[... 10 more lines; continue with offset = 51]"), "{page}");
    }

    #[tokio::test]
    async fn what_is_not_text_is_refused_and_stray_bytes_are_shown() {
        assert_eq!(read_bytes(b"a\0b").await.unwrap_err(), "`f` is a binary file");
        let said = read_bytes(b"\xff\xfea\0").await.unwrap_err();
        assert_eq!(said, "`f` is UTF-16, which cannot be read; convert it to UTF-8 first");
        let said = read_bytes(&[0xe9; 100]).await.unwrap_err();
        assert_eq!(said, "`f` is a binary file, or not UTF-8 text");
        let page = read_bytes(b"caf\xe9 au lait\n").await.unwrap();
        assert_eq!(
            page,
            "     1\tcaf\u{fffd} au lait\n[bytes that are not UTF-8 are shown as \u{fffd}]"
        );
    }

    #[tokio::test]
    async fn a_part_of_a_huge_file_can_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = fs::File::create(dir.path().join("huge")).unwrap();
        file.write_all(&b"0123456789abcde\n".repeat(700_000)).unwrap();
        let said = call(dir.path(), json!({ "path": "huge" })).await.unwrap_err();
        assert_eq!(
            said,
            "`huge` has 11200000 bytes; read a part of it with offset and limit, or search it \
             with grep_files"
        );
        let arguments = json!({ "path": "huge", "offset": 600_000, "limit": 1 });
        assert_eq!(
            call(dir.path(), arguments).await.unwrap(),
            "600000\t0123456789abcde\n[... 100000 more lines; continue with offset = 600001]"
        );
    }

    #[tokio::test]
    async fn refuses_to_leave_the_working_directory() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(dir.path().join("secret"), "SECRET").unwrap();
        fs::write(root.join("sub/fine"), "fine").unwrap();
        symlink("../secret", root.join("link")).unwrap();
        symlink("link", root.join("chain")).unwrap();
        symlink("..", root.join("up")).unwrap();
        symlink(dir.path().join("secret"), root.join("absolute")).unwrap();
        symlink("/proc/self/root", root.join("proc")).unwrap();
        symlink("sub", root.join("inside")).unwrap();
        let secret = dir.path().join("secret").display().to_string();
        let textual = root.join("../secret").display().to_string();
        let sneaky = format!("/proc/self/root{secret}");
        let through = format!("proc{secret}");
        let paths = ["../secret", "sub/../../secret", "link", "chain", "up/secret", "absolute"];
        for path in paths.into_iter().chain([&*secret, &*textual, &*sneaky, &*through]) {
            let said = call(&root, json!({ "path": path })).await.unwrap_err();
            assert_eq!(said, format!("`{path}` is outside the working directory"));
        }
        let own = root.join("sub/fine").display().to_string();
        for path in ["inside/fine", "inside/../sub/fine", "./sub//fine", &own] {
            assert_eq!(call(&root, json!({ "path": path })).await.unwrap(), "     1\tfine");
        }
        assert_eq!(call(&root, json!({ "path": "sub" })).await.unwrap_err(), "`sub` is a folder");
        assert_eq!(call(&root, json!({ "path": "no" })).await.unwrap_err(), "`no` does not exist");
    }

    #[tokio::test]
    async fn pipes_sockets_and_devices_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        fifo(&dir.path().join("pipe"));
        let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("socket")).unwrap();
        let said = call(dir.path(), json!({ "path": "pipe" })).await.unwrap_err();
        assert_eq!(said, "`pipe` is a named pipe, not a file");
        let said = call(dir.path(), json!({ "path": "socket" })).await.unwrap_err();
        assert_eq!(said, "`socket` is a socket or device, not a file");
        let said = call(Path::new("/dev"), json!({ "path": "zero" })).await.unwrap_err();
        assert_eq!(said, "`zero` is a device, not a file");
    }

    #[test]
    fn a_folder_swapped_during_the_call_shows_nothing_of_what_is_outside() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("in")).unwrap();
        fs::create_dir(dir.path().join("out")).unwrap();
        fs::write(root.join("in/file"), "fine").unwrap();
        fs::write(dir.path().join("out/file"), "SECRET").unwrap();
        symlink("../out", root.join("door")).unwrap();
        let opened = Root::open(&root).unwrap();
        let stop = Stop::after(std::time::Duration::MAX);
        let arguments: Arguments = parse(json!({ "path": "in/file" })).unwrap();
        let read = |_| read(&opened, &stop, &arguments);
        let seen = while_swapping([&root.join("in"), &root.join("door")], 2_000, read);
        assert!(seen.iter().flatten().all(|text| text == "     1\tfine"), "{seen:?}");
    }
}
