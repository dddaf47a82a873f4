//! One answer, from its first byte to its proven end.
//!
//! Knows no network: bytes go in, words come out on the way, and a whole answer or an error in the
//! end. Each format has a [`Reader`] that says when the answer is complete; whatever ends before
//! that is an error.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{
    refusal,
    sse::{Decoder, Event, Framing, MAX_EVENT},
};
use crate::{
    conversation::{Answer, Part},
    provider::{Delta, Listener, ModelError},
};

/// The longest answer that is taken.
const MAX_ANSWER: usize = 64 << 20;
/// How much is kept of what may not be a stream at all.
const HEAD: usize = 4 << 10;
/// What some formats send last.
const END_MARK: &str = "[DONE]";

/// Puts an answer together, event by event.
pub(super) trait Reader: Send {
    /// Takes one event. Errors that providers report within a stream do not get here, unless only
    /// the format knows them.
    fn on_event(&mut self, event: &Value, heard: Listener<'_>) -> Result<Progress, ModelError>;

    /// The format's mark for the end of a stream came.
    fn on_end_mark(&mut self) -> Progress {
        Progress::More
    }

    /// The whole answer, if it is one.
    fn finish(self: Box<Self>, ending: Ending) -> Result<Answer, ModelError>;
}

/// Whether more can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    More,
    Complete,
}

/// How the bytes ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With all the bytes that were announced, or where the format itself says that nothing follows.
    Announced,
    /// With the connection, which may as well have been cut.
    Closed,
}

/// An answer on its way.
pub(super) struct Stream {
    decoder: Decoder,
    reader: Box<dyn Reader>,
    head: Vec<u8>,
    total: usize,
    events: usize,
    progress: Progress,
}

impl Stream {
    pub(super) fn new(framing: Framing, reader: Box<dyn Reader>) -> Self {
        Self {
            decoder: Decoder::new(framing),
            reader,
            head: Vec::new(),
            total: 0,
            events: 0,
            progress: Progress::More,
        }
    }

    /// Takes the next bytes.
    pub(super) fn take(
        &mut self,
        bytes: &[u8],
        heard: Listener<'_>,
    ) -> Result<Progress, ModelError> {
        self.total = self.total.saturating_add(bytes.len());
        if self.total > MAX_ANSWER {
            return Err(not_a_stream(format!("an answer of more than {MAX_ANSWER} bytes")));
        }
        let room = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        let mut events = Vec::new();
        let decoded = self.decoder.push(bytes, &mut events);
        for event in &events {
            self.on_event(event, heard)?;
        }
        decoded.map_err(|_| not_a_stream(format!("an event of more than {MAX_EVENT} bytes")))?;
        Ok(self.progress)
    }

    /// No more bytes follow.
    pub(super) fn end(mut self, ending: Ending, heard: Listener<'_>) -> Result<Answer, ModelError> {
        let decoder = std::mem::replace(&mut self.decoder, Decoder::new(Framing::Sse));
        if let Some(event) = decoder.finish() {
            let cut = |error: serde_json::Error| error.is_eof();
            if serde_json::from_str::<IgnoredAny>(&event.data).is_err_and(cut) {
                return Err(truncated("the last line is incomplete"));
            }
            self.on_event(&event, heard)?;
        }
        if self.events == 0 && !could_begin_a_stream(&self.head) {
            return Err(not_a_stream(String::from_utf8_lossy(&self.head)));
        }
        self.reader.finish(ending)
    }

    fn on_event(&mut self, event: &Event, heard: Listener<'_>) -> Result<(), ModelError> {
        if self.progress == Progress::Complete {
            return Ok(());
        }
        self.events += 1;
        if event.data.trim() == END_MARK {
            self.progress = self.reader.on_end_mark();
            return Ok(());
        }
        let value: Value =
            serde_json::from_str(&event.data).map_err(|_| not_a_stream(event.data.as_str()))?;
        if !value.is_object() {
            return Err(not_a_stream(event.data.as_str()));
        }
        let failed = !value["error"].is_null() || value["type"] == "error" || event.name == "error";
        if failed {
            return Err(refusal::of_event(&value));
        }
        self.progress = self.reader.on_event(&value, heard)?;
        Ok(())
    }
}

/// Whether `head`, in which there is no event, may be the beginning of one.
fn could_begin_a_stream(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    let begins = |field: &str| {
        let shared = head.len().min(field.len());
        head[..shared] == field.as_bytes()[..shared]
    };
    [":", "data:", "event:", "id:", "retry:", "\u{feff}"].iter().any(|field| begins(field))
}

/// What came is not an answer: `what` is.
pub(super) fn not_a_stream(what: impl Into<String>) -> ModelError {
    ModelError::NotAStream { message: what.into() }
}

/// The answer ended before it was complete.
pub(super) fn truncated(how: &str) -> ModelError {
    ModelError::Truncated { message: how.to_owned() }
}

/// The parts of an answer, as far as they have come. Words go to whoever listens, too.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub parts: Vec<Part>,
}

impl Draft {
    /// The model says `words`.
    pub(super) fn say(&mut self, words: &str, heard: Listener<'_>) {
        if words.is_empty() {
            return;
        }
        heard(Delta::Text(words));
        match self.parts.last_mut() {
            Some(Part::Text { text }) => text.push_str(words),
            _ => self.parts.push(Part::Text { text: words.to_owned() }),
        }
    }

    /// The model thinks `words`; `signature` is what the provider wants back with them.
    pub(super) fn think(&mut self, words: &str, signature: Option<&str>, heard: Listener<'_>) {
        if words.is_empty() {
            return;
        }
        heard(Delta::Thinking(words));
        match self.parts.last_mut() {
            Some(Part::Thinking { text, .. }) => text.push_str(words),
            _ => self.parts.push(Part::Thinking {
                text: words.to_owned(),
                signature: signature.map(str::to_owned),
            }),
        }
    }

    /// Whether there are calls among the parts.
    pub(super) fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Call(_)))
    }
}
