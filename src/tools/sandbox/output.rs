//! What a command printed: all of it if it is short, else the beginning and the end, in little
//! memory however much it is.

use std::{collections::VecDeque, fmt};

/// Characters of a command's output a model is shown: half from the beginning, half from the end.
pub(super) const MAX_CHARS: usize = 30_000;

/// A command's output as it arrives.
#[derive(Debug)]
pub(super) struct Output {
    head: String,
    head_left: usize,
    tail: VecDeque<char>,
    tail_size: usize,
    left_out: u64,
    /// The beginning of a character whose end has not arrived.
    partial: Vec<u8>,
}

impl Output {
    /// Keeps `max_chars` characters.
    pub(super) fn new(max_chars: usize) -> Self {
        Self {
            head: String::new(),
            head_left: max_chars / 2,
            tail: VecDeque::new(),
            tail_size: max_chars - max_chars / 2,
            left_out: 0,
            partial: Vec::new(),
        }
    }

    /// Takes what arrived next. Bytes that are no UTF-8 are replaced.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let mut joined = std::mem::take(&mut self.partial);
        joined.extend_from_slice(bytes);
        let whole = joined.len() - unfinished(&joined);
        for chunk in joined[..whole].utf8_chunks() {
            self.text(chunk.valid());
            if !chunk.invalid().is_empty() {
                self.text("\u{fffd}");
            }
        }
        self.partial = joined.split_off(whole);
    }

    /// No more arrives.
    pub(super) fn finish(&mut self) {
        if !std::mem::take(&mut self.partial).is_empty() {
            self.text("\u{fffd}");
        }
    }

    fn text(&mut self, text: &str) {
        for c in text.chars() {
            if self.head_left > 0 {
                self.head_left -= 1;
                self.head.push(c);
                continue;
            }
            if self.tail.len() == self.tail_size {
                self.tail.pop_front();
                self.left_out += 1;
            }
            self.tail.push_back(c);
        }
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.head)?;
        if self.left_out > 0 {
            let count = grouped(self.left_out);
            write!(f, "\n[… {count} characters left out …]\n")?;
        }
        f.write_str(&self.tail.iter().collect::<String>())
    }
}

/// How many bytes at the end of `bytes` may be the beginning of a character.
fn unfinished(bytes: &[u8]) -> usize {
    match std::str::from_utf8(&bytes[bytes.len().saturating_sub(4)..]) {
        Ok(_) => 0,
        // Looking at the last bytes only may begin inside of a character, so ask about the end.
        Err(_) => bytes
            .utf8_chunks()
            .last()
            .map_or(0, |last| if could_go_on(last.invalid()) { last.invalid().len() } else { 0 }),
    }
}

/// Whether more bytes could make a character of `bytes`.
fn could_go_on(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// `12345` as `12,345`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(max_chars: usize, chunks: &[&[u8]]) -> String {
        let mut output = Output::new(max_chars);
        for chunk in chunks {
            output.push(chunk);
        }
        output.finish();
        output.to_string()
    }

    #[test]
    fn short_output_is_shown_as_it_is() {
        assert_eq!(shown(10, &[b"12345", b"67890"]), "1234567890");
        assert_eq!(shown(10, &[]), "");
    }

    #[test]
    fn long_output_keeps_its_beginning_and_its_end() {
        let long = "a".repeat(5_000) + "b";
        let text = shown(10, &[long.as_bytes(), b"cd"]);
        assert_eq!(text, "aaaaa\n[… 4,993 characters left out …]\naabcd");
    }

    #[test]
    fn characters_may_arrive_in_pieces() {
        let text = "ä€🦀ä";
        for at in 0..text.len() {
            let (before, after) = text.as_bytes().split_at(at);
            assert_eq!(shown(10, &[before, after]), text);
        }
        let single: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(shown(10, &single), text);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(shown(10, &[b"a\xffb", b"\xe2\x82"]), "a\u{fffd}b\u{fffd}");
        assert_eq!(shown(10, &[b"\xe2", b"x"]), "\u{fffd}x");
    }

    #[test]
    fn memory_stays_small() {
        let mut output = Output::new(100);
        for _ in 0..1_000 {
            output.push(&[b'x'; 1_000]);
        }
        assert!(output.tail.capacity() <= 200 && output.head.capacity() <= 200);
    }
}
