//! Bytes from a terminal as keys, however they are cut.

use crate::text::is_printable;

/// A paste ends here at the latest, so that one that never ends does not swallow everything.
const MAX_PASTE: usize = 1 << 20;

const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// A key, or what else a terminal reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli::chat) enum Key {
    Char(char),
    Paste(String),
    Enter,
    Newline,
    Backspace,
    Delete,
    Left,
    Right,
    WordLeft,
    WordRight,
    Up,
    Down,
    Home,
    End,
    KillEnd,
    KillStart,
    KillWord,
    EndOfInput,
    Interrupt,
    Redraw,
    Suspend,
    Focus(bool),
}

/// Makes keys of bytes.
#[derive(Debug, Default)]
pub(in crate::cli::chat) struct Keys {
    /// The beginning of something.
    begun: Vec<u8>,
}

/// What stands at the beginning of some bytes.
enum Found {
    /// So many bytes, and a key if they mean one.
    Key(usize, Option<Key>),
    /// The end is still missing.
    Part,
}

impl Keys {
    /// The keys that are whole after `bytes`.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.begun.extend_from_slice(bytes);
        let (mut keys, mut at) = (Vec::new(), 0);
        while at < self.begun.len() {
            let Found::Key(length, key) = first(&self.begun[at..]) else { break };
            keys.extend(key);
            at += length;
        }
        self.begun.drain(..at);
        keys
    }

    /// Time has passed: an escape that nothing follows was a key without a meaning.
    pub fn settle(&mut self) {
        if self.begun == b"\x1b" {
            self.begun.clear();
        }
    }
}

fn first(bytes: &[u8]) -> Found {
    match bytes {
        [0x1b, ..] => escape(bytes),
        [byte @ (0x00..0x20 | 0x7f), ..] => Found::Key(1, control(*byte)),
        _ => character(bytes),
    }
}

fn control(byte: u8) -> Option<Key> {
    Some(match byte {
        0x01 => Key::Home,
        0x02 => Key::Left,
        0x03 => Key::Interrupt,
        0x04 => Key::EndOfInput,
        0x05 => Key::End,
        0x06 => Key::Right,
        0x08 | 0x7f => Key::Backspace,
        0x09 => Key::Char('\t'),
        0x0a => Key::Newline,
        0x0b => Key::KillEnd,
        0x0c => Key::Redraw,
        0x0d => Key::Enter,
        0x0e => Key::Down,
        0x10 => Key::Up,
        0x15 => Key::KillStart,
        0x17 => Key::KillWord,
        0x1a => Key::Suspend,
        _ => return None,
    })
}

/// The character at the beginning. What is no UTF-8 is passed over.
fn character(bytes: &[u8]) -> Found {
    let length = match bytes[0] {
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf8 => 4,
        _ => 1,
    };
    let Some(whole) = bytes.get(..length) else { return Found::Part };
    match std::str::from_utf8(whole).ok().and_then(|text| text.chars().next()) {
        Some(c) => Found::Key(length, Some(Key::Char(c)).filter(|_| is_printable(c))),
        None => Found::Key(1, None),
    }
}

fn escape(bytes: &[u8]) -> Found {
    match bytes {
        [_, b'[', ..] => sequence(bytes),
        [_, b'O', code, ..] => Found::Key(3, named(*code, b"")),
        [_] | [_, b'O'] => Found::Part,
        [_, b'\r' | b'\n', ..] => Found::Key(2, Some(Key::Newline)),
        [_, b'b', ..] => Found::Key(2, Some(Key::WordLeft)),
        [_, b'f', ..] => Found::Key(2, Some(Key::WordRight)),
        [_, 0x7f | 0x08, ..] => Found::Key(2, Some(Key::KillWord)),
        // The first was a key of its own.
        [_, 0x1b, ..] => Found::Key(1, None),
        [_, ..] => Found::Key(2, None),
        [] => Found::Part,
    }
}

/// `ESC [`, digits and semicolons, and what they are about.
fn sequence(bytes: &[u8]) -> Found {
    if bytes.starts_with(PASTE_BEGINS) {
        return paste(&bytes[PASTE_BEGINS.len()..]);
    }
    let Some(end) = bytes[2..].iter().position(|byte| (0x40..0x7f).contains(byte)) else {
        return if bytes.len() < 32 { Found::Part } else { Found::Key(2, None) };
    };
    let (given, code) = (&bytes[2..2 + end], bytes[2 + end]);
    let key = match code {
        b'~' => tilde(given),
        b'I' => Some(Key::Focus(true)),
        b'O' => Some(Key::Focus(false)),
        code => named(code, given),
    };
    Found::Key(end + 3, key)
}

fn tilde(given: &[u8]) -> Option<Key> {
    match given {
        b"1" | b"7" => Some(Key::Home),
        b"4" | b"8" => Some(Key::End),
        b"3" => Some(Key::Delete),
        // Shift-Enter and Alt-Enter, where terminals tell them from Enter.
        b"27;2;13" | b"27;3;13" => Some(Key::Newline),
        _ => None,
    }
}

fn named(code: u8, given: &[u8]) -> Option<Key> {
    // Held together with Ctrl or Alt.
    let by_word = matches!(given, b"1;5" | b"1;3");
    Some(match code {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' if by_word => Key::WordRight,
        b'D' if by_word => Key::WordLeft,
        b'C' => Key::Right,
        b'D' => Key::Left,
        b'H' => Key::Home,
        b'F' => Key::End,
        b'u' if matches!(given, b"13;2" | b"13;3") => Key::Newline,
        _ => return None,
    })
}

fn paste(bytes: &[u8]) -> Found {
    let ends = bytes.windows(PASTE_ENDS.len()).position(|window| window == PASTE_ENDS);
    let (text, length) = match ends {
        Some(end) => (&bytes[..end], end + PASTE_ENDS.len()),
        None if bytes.len() > MAX_PASTE => (bytes, bytes.len()),
        None => return Found::Part,
    };
    let text = String::from_utf8_lossy(text).replace("\r\n", "\n").replace('\r', "\n");
    let text = text.chars().filter(|c| is_printable(*c)).collect();
    Found::Key(PASTE_BEGINS.len() + length, Some(Key::Paste(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_however_they_are_cut() {
        let typed = "aä日\x1b[A\x1b[200~x\ny\x1b[201~\x1b[3~\x1b\r\x1b[I";
        let whole = Keys::default().feed(typed.as_bytes());
        assert_eq!(whole.len(), 8, "{whole:?}");
        for size in 1..typed.len() {
            let mut keys = Keys::default();
            let cut: Vec<Key> =
                typed.as_bytes().chunks(size).flat_map(|bytes| keys.feed(bytes)).collect();
            assert_eq!(cut, whole, "{size}");
        }
    }

    #[test]
    fn an_escape_alone_means_nothing_after_a_while() {
        let mut keys = Keys::default();
        assert_eq!(keys.feed(b"\x1b"), []);
        keys.settle();
        assert_eq!(keys.feed(b"b"), [Key::Char('b')]);
        assert_eq!(keys.feed(b"\xff\x00\x1b\x1b[Ax"), [Key::Up, Key::Char('x')]);
    }
}
