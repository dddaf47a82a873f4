//! What holds for every format.

use std::sync::Mutex;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{
    conversation::{Message, Stop, ToolCall, ToolResult, ToolSpec, Usage},
    provider::{Caller, Delta, Sampling},
};

static CALLER: Caller = Caller { agent_id: String::new(), agent_type: String::new(), ordinal: 1 };
static PLAIN: Sampling =
    Sampling { temperature: None, top_p: None, thinking_budget: None, effort: None };

/// A request that asks nothing.
pub(super) fn question() -> Request<'static> {
    Request { caller: &CALLER, model: "m", system: "", messages: &[], tools: &[], sampling: &PLAIN }
}

/// A call of `name` without arguments.
pub(super) fn call(id: &str, name: &str) -> Part {
    called(id, name, "{}", None)
}

/// A call of `name`.
pub(super) fn called(id: &str, name: &str, arguments: &str, signature: Option<&str>) -> Part {
    Part::Call(ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        signature: signature.map(str::to_owned),
    })
}

/// A text.
pub(super) fn text(text: &str) -> Part {
    Part::Text { text: text.to_owned() }
}

/// A thought.
pub(super) fn thought(text: &str, signature: Option<&str>) -> Part {
    Part::Thinking { text: text.to_owned(), signature: signature.map(str::to_owned) }
}

/// A result.
pub(super) fn result(call_id: &str, content: &str) -> ToolResult {
    let (call_id, content) = (call_id.to_owned(), content.to_owned());
    ToolResult { call_id, name: String::new(), content, is_error: false }
}

/// A tool without arguments.
pub(super) fn tool(name: &str) -> ToolSpec {
    let parameters = json!({"type": "object", "properties": {}});
    ToolSpec { name: name.to_owned(), description: format!("{name}."), parameters }
}

/// A conversation in which the asked model, `p/m`, used two tools, one of them badly.
pub(super) fn conversation(parts: Vec<Part>) -> Vec<Message> {
    let failed = ToolResult { is_error: true, ..result("c2", "cannot") };
    vec![
        Message::user("Do it."),
        Message::Assistant { parts, by: "p/m".to_owned() },
        Message::Results { results: vec![result("c1", "done"), failed] },
        Message::user("Hurry."),
    ]
}

/// The body of `request`, sent to the endpoint `p`.
pub(super) fn body(format: &Format, request: &Request<'_>) -> Value {
    let by = format!("p/{}", request.model);
    (format.body)(&Ask::new(request, &by, &Names::new(request)))
}

/// The body of a request to `model`, and what of it chooses words.
pub(super) fn sampled(format: &Format, model: &str, sampling: &Sampling) -> Value {
    let mut body = body(format, &Request { model, sampling, ..question() });
    for key in ["model", "stream", "stream_options", "messages", "contents", "input", "store"] {
        body.as_object_mut().unwrap().shift_remove(key);
    }
    body
}

/// A sampling with nothing chosen but what is given.
pub(super) fn sampling(
    temperature: Option<f64>,
    thinking_budget: Option<i64>,
    effort: Option<&str>,
) -> Sampling {
    Sampling { temperature, top_p: None, thinking_budget, effort: effort.map(str::to_owned) }
}

/// What becomes of `bytes`, and what was heard on the way.
fn hear<'b>(
    format: &Format,
    pieces: impl IntoIterator<Item = &'b [u8]>,
) -> (Result<Answer, ModelError>, String) {
    let heard = Mutex::new(String::new());
    let listen = |delta: Delta<'_>| {
        let (kind, words) = match delta {
            Delta::Text(words) => ('t', words),
            Delta::Thinking(words) => ('?', words),
        };
        heard.lock().unwrap().push_str(&format!("{kind}{words}|"));
    };
    let mut stream = Stream::new(format.framing, (format.reader)());
    for piece in pieces {
        match stream.take(piece, &listen) {
            Err(error) => return (Err(error), heard.into_inner().unwrap()),
            Ok(Progress::Complete) => break,
            Ok(Progress::More) => {}
        }
    }
    let answer = stream.end(Ending::Closed, &listen);
    (answer, heard.into_inner().unwrap())
}

/// What becomes of an event stream with these events.
pub(super) fn read(format: &Format, events: &[Value]) -> Result<Answer, ModelError> {
    let line = |event: &Value| match format.framing {
        Framing::Sse => format!("data: {event}\n\n"),
        Framing::JsonLines => format!("{event}\n"),
    };
    let text: String = events.iter().map(line).collect();
    hear(format, [text.as_bytes()]).0
}

/// A whole answer as it was sent.
struct Recorded {
    name: &'static str,
    format: &'static Format,
    bytes: &'static [u8],
    /// What is at the end of the answer; nothing before it is whole.
    proof: &'static str,
}

static RECORDED: &[Recorded] = &[
    Recorded {
        name: "anthropic",
        format: &anthropic::FORMAT,
        bytes: include_bytes!("../../../tests/answers/anthropic.sse"),
        proof: "data: {\"type\":\"message_stop\"}\n\n",
    },
    Recorded {
        name: "responses",
        format: &openai_responses::FORMAT,
        bytes: include_bytes!("../../../tests/answers/openai_responses.sse"),
        proof: "\"total_tokens\":62}}}\n\n",
    },
    Recorded {
        name: "chat",
        format: &openai_chat::FORMAT,
        bytes: include_bytes!("../../../tests/answers/openai_chat.sse"),
        proof: "\"completion_tokens_details\":{\"reasoning_tokens\":4}}}\n\n",
    },
    Recorded {
        name: "gemini",
        format: &gemini::FORMAT,
        bytes: include_bytes!("../../../tests/answers/gemini.sse"),
        // Half of the last line ending ends a line as well.
        proof: "\"thoughtsTokenCount\": 4}}\r\n\r",
    },
    Recorded {
        name: "ollama",
        format: &ollama::FORMAT,
        bytes: include_bytes!("../../../tests/answers/ollama.ndjson"),
        proof: "\"eval_count\":40}",
    },
];

/// The answer all of [`RECORDED`] give, but for what only one provider has.
fn expected(name: &str) -> Answer {
    let said = text("Looking at both – ä.");
    let usage = Usage { input_tokens: 22, output_tokens: 40, ..Usage::default() };
    let cached = Usage { cache_read_input_tokens: 5, reasoning_tokens: 4, ..usage.clone() };
    let by_default = Some("default".to_owned());
    let thinking = |signature| thought("Two files matter.", signature);
    let calls = |ids: [&str; 2], signature: Option<&str>| {
        [
            called(ids[0], "read_file", "{\"path\":\"a.rs\"}", signature),
            called(ids[1], "collaboration.init_agent", "{}", None),
        ]
    };
    let (before, ids, signature, usage) = match name {
        "anthropic" => (
            vec![
                thinking(Some("c2ln")),
                Part::Opaque { value: json!({"type": "redacted_thinking", "data": "b3BhcXVl"}) },
            ],
            ["toolu_1", "toolu_2"],
            None,
            Usage {
                cache_creation_input_tokens: 7,
                reasoning_tokens: 0,
                service_tier: Some("standard".to_owned()),
                ..cached
            },
        ),
        "gemini" => (vec![thinking(None)], ["", ""], Some("c2ln"), cached),
        "ollama" => (vec![thinking(None)], ["", ""], None, usage),
        "chat" => (
            vec![thinking(Some("reasoning_content"))],
            ["call_1", "call_2"],
            None,
            Usage { service_tier: by_default, ..cached },
        ),
        _ => (
            vec![
                thinking(None),
                Part::Opaque {
                    value: json!({
                        "id": "rs_1",
                        "type": "reasoning",
                        "summary": [{"type": "summary_text", "text": "Two files matter."}],
                        "encrypted_content": "b3BhcXVl",
                    }),
                },
            ],
            ["call_1", "call_2"],
            None,
            Usage { service_tier: by_default, ..cached },
        ),
    };
    let parts = before.into_iter().chain([said]).chain(calls(ids, signature)).collect();
    Answer { parts, usage, stop: Stop::Calls }
}

#[test]
fn recorded_answers_are_read_whole_in_any_pieces() {
    let tools = [tool("read_file"), tool("collaboration.init_agent")];
    let names_of = Request { tools: &tools, ..question() };
    for Recorded { name, format, bytes, .. } in RECORDED {
        for size in [1, 2, 7, 100, bytes.len()] {
            let (answer, heard) = hear(format, bytes.chunks(size));
            let answer = canonical(answer.unwrap(), &Names::new(&names_of));
            assert_eq!(answer, expected(name), "{name} in {size}s");
            assert_eq!(heard, "?Two files |?matter.|tLooking |tat both – ä.|", "{name}");
        }
    }
}

#[test]
fn an_answer_cut_anywhere_is_an_error_until_its_end_is_proven() {
    for Recorded { name, format, bytes, proof } in RECORDED {
        let at = bytes.windows(proof.len()).rposition(|window| window == proof.as_bytes()).unwrap();
        let proven = at + proof.len();
        let whole = hear(format, [*bytes]).0.unwrap();
        for cut in 0..=bytes.len() {
            match hear(format, [&bytes[..cut]]).0 {
                Ok(answer) => {
                    assert!(cut >= proven, "{name} is whole after {cut} bytes");
                    assert_eq!(answer, whole, "{name} cut at {cut}");
                }
                Err(error) => {
                    assert!(cut < proven, "{name} cut at {cut}: {error}");
                    let fine = matches!(
                        error,
                        ModelError::Truncated { .. } | ModelError::NotAStream { .. }
                    );
                    assert!(fine, "{name} cut at {cut}: {error}");
                }
            }
        }
    }
}

#[test]
fn endless_answers_are_refused() {
    let mut stream = Stream::new(Framing::Sse, (anthropic::FORMAT.reader)());
    let comment = [b": ping\n\n".repeat(1 << 17)].concat();
    let mut pieces = std::iter::repeat_n(&comment, 70);
    let error = pieces.find_map(|piece| stream.take(piece, &|_| {}).err()).unwrap();
    assert!(matches!(error, ModelError::NotAStream { .. }), "{error}");
}

#[test]
fn only_this_machine_is_here() {
    for url in ["http://localhost:1", "http://127.0.0.1", "http://[::1]:2/v1", "http://a.localhost"]
    {
        assert!(is_here(&url.parse().unwrap()), "{url}");
    }
    for url in ["http://localhost.example.com", "http://10.0.0.1", "https://api.openai.com"] {
        assert!(!is_here(&url.parse().unwrap()), "{url}");
    }
}

proptest! {
    #[test]
    fn spoilt_answers_are_read_without_panic(
        which in 0..RECORDED.len(),
        spoils in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let Recorded { format, bytes, .. } = &RECORDED[which];
        let mut bytes = bytes.to_vec();
        for (at, byte) in spoils {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = hear(format, [&bytes[..]]);
    }
}
