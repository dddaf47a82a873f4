//! Bytes to events: server-sent events, and JSON by the line.
//!
//! Both decoders take bytes in any pieces, give the same events whatever the pieces are, and hold
//! no more than one event. What an event means is not their business.

/// The longest event that is taken.
pub(super) const MAX_EVENT: usize = 8 << 20;

/// An event is longer than [`MAX_EVENT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// Its name; empty if it has none.
    pub name: String,
    /// What it carries.
    pub data: String,
}

/// How events follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events.
    Sse,
    /// One JSON value a line.
    JsonLines,
}

/// Turns bytes into events.
#[derive(Debug)]
pub(super) struct Decoder {
    framing: Framing,
    lines: Lines,
    draft: Draft,
    limit: usize,
}

impl Decoder {
    pub(super) fn new(framing: Framing) -> Self {
        Self::with_limit(framing, MAX_EVENT)
    }

    fn with_limit(framing: Framing, limit: usize) -> Self {
        Self { framing, lines: Lines::default(), draft: Draft::default(), limit }
    }

    /// Takes the next bytes and adds the events that are complete with them to `events`.
    pub(super) fn push(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), TooLong> {
        let Self { framing, lines, draft, limit } = self;
        let mut longest = 0;
        lines.push(bytes, |line| {
            match framing {
                Framing::Sse => draft.take(line, events),
                Framing::JsonLines => events.extend(json_line(line)),
            }
            longest = longest.max(line.len()).max(draft.data.len());
        });
        let longest = longest.max(lines.partial.len() + draft.data.len());
        if longest > *limit { Err(TooLong) } else { Ok(()) }
    }

    /// What is left at the end. JSON says itself where it ends, so its last line needs no newline;
    /// an event that no blank line ends is no event.
    pub(super) fn finish(self) -> Option<Event> {
        match self.framing {
            Framing::Sse => None,
            Framing::JsonLines => json_line(&self.lines.partial),
        }
    }
}

/// Splits bytes into lines that end with LF, CR or both.
#[derive(Debug, Default)]
struct Lines {
    partial: Vec<u8>,
    after_cr: bool,
}

impl Lines {
    fn push(&mut self, mut bytes: &[u8], mut each: impl FnMut(&[u8])) {
        loop {
            if self.after_cr && !bytes.is_empty() {
                self.after_cr = false;
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
            let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n')) else {
                self.partial.extend_from_slice(bytes);
                return;
            };
            let (line, rest) = bytes.split_at(end);
            self.after_cr = rest.starts_with(b"\r");
            bytes = rest.get(1..).unwrap_or_default();
            if self.partial.is_empty() {
                each(line);
            } else {
                self.partial.extend_from_slice(line);
                each(&std::mem::take(&mut self.partial));
            }
        }
    }
}

/// An event of which not all lines are there.
#[derive(Debug, Default)]
struct Draft {
    name: String,
    data: String,
    has_data: bool,
    started: bool,
}

impl Draft {
    fn take(&mut self, line: &[u8], events: &mut Vec<Event>) {
        let line = if std::mem::replace(&mut self.started, true) {
            line
        } else {
            line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
        };
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
            let data = std::mem::take(&mut self.data);
            if std::mem::take(&mut self.has_data) {
                events.push(Event { name, data });
            }
            return;
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match field {
            b"event" => self.name = value.into_owned(),
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(&value);
            }
            // Comments have an empty field; identifiers and retry times are for reconnecting.
            _ => {}
        }
    }
}

fn json_line(line: &[u8]) -> Option<Event> {
    let data = String::from_utf8_lossy(line.trim_ascii()).into_owned();
    (!data.is_empty()).then_some(Event { name: String::new(), data })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode<'b>(framing: Framing, pieces: impl IntoIterator<Item = &'b [u8]>) -> Vec<Event> {
        let mut decoder = Decoder::new(framing);
        let mut events = Vec::new();
        for piece in pieces {
            decoder.push(piece, &mut events).unwrap();
        }
        events.extend(decoder.finish());
        events
    }

    fn sse(text: &str) -> Vec<(String, String)> {
        let events = decode(Framing::Sse, [text.as_bytes()]);
        events.into_iter().map(|event| (event.name, event.data)).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(name, data)| ((*name).to_owned(), (*data).to_owned())).collect()
    }

    #[test]
    fn every_line_ending_ends_a_line() {
        let expected = pairs(&[("a", "1\n2"), ("", "3")]);
        for end in ["\n", "\r\n", "\r"] {
            let lines = ["event: a", "data: 1", "data:2", "", ": ping", "data: 3", "", ""];
            assert_eq!(sse(&lines.join(end)), expected, "{end:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_only_counts_at_the_start() {
        assert_eq!(
            sse("\u{feff}data: 1\n\n\u{feff}data: 2\n\ndata: 3\n\n"),
            pairs(&[("", "1"), ("", "3")])
        );
    }

    #[test]
    fn events_without_data_and_events_without_an_end_are_none() {
        assert_eq!(sse("event: ping\n\ndata\n\ndata: 1\n"), pairs(&[("", "")]));
        assert_eq!(sse("id: 7\nretry: 3\n:x\nfoo: bar\n\n"), pairs(&[]));
    }

    #[test]
    fn the_last_line_of_json_needs_no_newline() {
        let events = decode(Framing::JsonLines, [&b"{\"a\":1}\r\n\n {\"b\""[..], b":2}"]);
        let data: Vec<&str> = events.iter().map(|event| event.data.as_str()).collect();
        assert_eq!(data, ["{\"a\":1}", "{\"b\":2}"]);
    }

    #[test]
    fn endless_lines_and_endless_events_are_refused() {
        let endless_line = [b'x'; 11];
        let endless_event = b"data: 123456\ndata: 123456\n";
        for (framing, bytes) in [
            (Framing::Sse, &endless_line[..]),
            (Framing::JsonLines, &endless_line[..]),
            (Framing::Sse, &endless_event[..]),
        ] {
            for size in [1, bytes.len()] {
                let mut decoder = Decoder::with_limit(framing, 10);
                let mut all = bytes.chunks(size);
                let refused = all.any(|piece| decoder.push(piece, &mut Vec::new()).is_err());
                assert!(refused, "{framing:?} in pieces of {size}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_pieces_of_the_same_bytes_give_the_same_events(
            lines in prop::collection::vec("(data|event|id|: |\u{feff})?:? ?[a-zé:\u{0}]{0,6}(\n|\r|\r\n|\n\n|\r\r)", 0..12),
            noise in prop::collection::vec(any::<u8>(), 0..16),
            sizes in prop::collection::vec(1_usize..9, 1..64),
        ) {
            let mut bytes = lines.concat().into_bytes();
            bytes.extend(noise);
            for framing in [Framing::Sse, Framing::JsonLines] {
                let whole = decode(framing, [&bytes[..]]);
                let mut rest = &bytes[..];
                let mut sizes = sizes.iter().cycle();
                let pieces = std::iter::from_fn(|| {
                    let size = (*sizes.next()?).min(rest.len());
                    let (piece, after) = rest.split_at(size);
                    rest = after;
                    (!piece.is_empty()).then_some(piece)
                });
                prop_assert_eq!(decode(framing, pieces), whole);
            }
        }
    }
}
