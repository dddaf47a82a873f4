//! Ollama's own format: JSON by the line.

use serde_json::{Value, json};

use super::{
    Format,
    ask::{Ask, Piece, Turn},
    effort::{Budget, budget, effort},
    openai_chat::function,
    sse::Framing,
    stream::{Draft, Ending, Progress, Reader, not_a_stream, truncated},
};
use crate::{
    conversation::{Answer, Part, Stop, ToolCall, Usage},
    provider::{Listener, ModelError},
};

pub(super) static FORMAT: Format = Format {
    url: |base, _| format!("{base}/api/chat"),
    key: ("authorization", "Bearer "),
    headers: &[],
    framing: Framing::JsonLines,
    body,
    reader: || Box::<Chat>::default(),
};

const DEFAULT_HOST: &str = "127.0.0.1";
const DEFAULT_PORT: &str = "11434";

/// A base URL from what `OLLAMA_HOST` may say: a host, a port, both, or a URL. An address that
/// servers listen on but nobody can connect to means this machine.
pub fn ollama_base_url(host: &str) -> String {
    let host = host.trim().trim_matches(['"', '\'']).trim_end_matches('/');
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let (authority, path) = match rest.split_once('/') {
        Some((authority, path)) => (authority, format!("/{path}")),
        None => (rest, String::new()),
    };
    // The colons of an address in brackets separate no port.
    let colon = authority.rfind(':').filter(|colon| !authority[*colon..].contains(']'));
    let (name, port) = match colon {
        Some(colon) => (&authority[..colon], Some(&authority[colon + 1..])),
        None => (authority, None),
    };
    let name = match name {
        "" | "0.0.0.0" => DEFAULT_HOST,
        "[::]" => "[::1]",
        name => name,
    };
    match port.filter(|port| !port.is_empty()) {
        Some(port) => format!("{scheme}://{name}:{port}{path}"),
        None if host.contains("://") => format!("{scheme}://{name}{path}"),
        None => format!("{scheme}://{name}:{DEFAULT_PORT}{path}"),
    }
}

fn body(ask: &Ask<'_>) -> Value {
    let mut body = json!({"model": ask.model, "stream": true, "messages": messages(ask)});
    if !ask.tools.is_empty() {
        body["tools"] = ask.tools.iter().map(function).collect();
    }
    let mut options = json!({});
    if let Some(temperature) = ask.sampling.temperature {
        options["temperature"] = temperature.into();
    }
    if let Some(top_p) = ask.sampling.top_p {
        options["top_p"] = top_p.into();
    }
    if options.as_object().is_some_and(|options| !options.is_empty()) {
        body["options"] = options;
    }
    if let Some(wanted) = budget(ask.sampling) {
        body["think"] = think(ask, wanted);
    }
    body
}

/// Whether to think; one family of models cannot help it and takes a word.
fn think(ask: &Ask<'_>, wanted: Budget) -> Value {
    if !ask.model.contains("gpt-oss") {
        return (wanted != Budget::Off).into();
    }
    match effort(ask.sampling) {
        Some("medium") => "medium".into(),
        Some("high" | "xhigh" | "max") => "high".into(),
        _ => "low".into(),
    }
}

fn messages(ask: &Ask<'_>) -> Vec<Value> {
    let system = ask.system.map(|system| json!({"role": "system", "content": system}));
    let mut messages: Vec<Value> = system.into_iter().collect();
    for turn in &ask.turns {
        match turn {
            Turn::User(text) => messages.push(json!({"role": "user", "content": text})),
            Turn::Model(pieces) => messages.push(assistant(pieces)),
            Turn::Results(results) => messages.extend(results.iter().map(|result| {
                json!({
                    "role": "tool",
                    "tool_name": result.name,
                    "content": result.spelled_out(),
                })
            })),
        }
    }
    messages
}

fn assistant(pieces: &[Piece<'_>]) -> Value {
    let (mut texts, mut thoughts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Text(text) => texts.push(*text),
            Piece::Thinking { text, .. } => thoughts.push(*text),
            Piece::Call(call) => {
                calls.push(json!({"function": {"name": call.name, "arguments": call.arguments}}));
            }
            Piece::Opaque(_) => {}
        }
    }
    let mut message = json!({"role": "assistant", "content": texts.join("\n")});
    if !thoughts.is_empty() {
        message["thinking"] = thoughts.join("\n").into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    message
}

/// An answer on its way.
#[derive(Debug, Default)]
struct Chat {
    draft: Draft,
    usage: Usage,
    stop: Option<Stop>,
}

impl Reader for Chat {
    fn on_event(&mut self, event: &Value, heard: Listener<'_>) -> Result<Progress, ModelError> {
        let Some(done) = event["done"].as_bool() else {
            return Err(not_a_stream(event.to_string()));
        };
        let message = &event["message"];
        let words = |key: &str| message[key].as_str().unwrap_or_default();
        self.draft.think(words("thinking"), None, heard);
        self.draft.say(words("content"), heard);
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            self.call(call);
        }
        if !done {
            return Ok(Progress::More);
        }
        let count = |key: &str| event[key].as_u64().unwrap_or_default();
        self.usage.input_tokens = count("prompt_eval_count");
        self.usage.output_tokens = count("eval_count");
        self.stop = Some(match event["done_reason"].as_str() {
            Some("length") => Stop::Length,
            _ if self.draft.has_calls() => Stop::Calls,
            _ => Stop::End,
        });
        Ok(Progress::Complete)
    }

    fn finish(self: Box<Self>, _: Ending) -> Result<Answer, ModelError> {
        let Some(stop) = self.stop else { return Err(truncated("no `done`")) };
        Ok(Answer { parts: self.draft.parts, usage: self.usage, stop })
    }
}

impl Chat {
    fn call(&mut self, call: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let arguments = match &call["function"]["arguments"] {
            Value::Null => "{}".to_owned(),
            Value::String(arguments) => arguments.clone(),
            arguments => arguments.to_string(),
        };
        self.draft.parts.push(Part::Call(ToolCall {
            id: text(&call["id"]),
            name: text(&call["function"]["name"]),
            arguments,
            signature: None,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::{
        Request,
        http::tests::{
            body, called, conversation, question, read, sampled, sampling, text, thought, tool,
        },
    };

    #[test]
    fn every_way_to_say_where_ollama_is() {
        for (host, expected) in [
            ("", "http://127.0.0.1:11434"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            ("0.0.0.0:80", "http://127.0.0.1:80"),
            (":1234", "http://127.0.0.1:1234"),
            ("box", "http://box:11434"),
            ("box:1234/", "http://box:1234"),
            ("[::1]", "http://[::1]:11434"),
            ("[::]:99", "http://[::1]:99"),
            ("http://box", "http://box"),
            ("https://box:1/path/", "https://box:1/path"),
            (" \"box\" ", "http://box:11434"),
        ] {
            assert_eq!(ollama_base_url(host), expected, "{host:?}");
        }
    }

    #[test]
    fn a_conversation_is_sent_with_arguments_as_objects() {
        let parts = vec![
            thought("hm", None),
            text("Sure."),
            called("c1", "a.b", "{\"n\":1}", None),
            called("c2", "c", "oops", None),
        ];
        let messages = conversation(parts);
        let tools = [tool("a.b")];
        let request = Request { system: "S", messages: &messages, tools: &tools, ..question() };
        assert_eq!(
            body(&FORMAT, &request),
            json!({
                "model": "m",
                "stream": true,
                "messages": [
                    {"role": "system", "content": "S"},
                    {"role": "user", "content": "Do it."},
                    {
                        "role": "assistant",
                        "content": "Sure.",
                        "thinking": "hm",
                        "tool_calls": [
                            {"function": {"name": "a_b", "arguments": {"n": 1}}},
                            {"function": {"name": "c", "arguments": {}}},
                        ],
                    },
                    {"role": "tool", "tool_name": "a_b", "content": "done"},
                    {"role": "tool", "tool_name": "c", "content": "Error: cannot"},
                    {"role": "user", "content": "Hurry."},
                ],
                "tools": [{
                    "type": "function",
                    "function": {
                        "name": "a_b",
                        "description": "a.b.",
                        "parameters": {"type": "object", "properties": {}},
                    },
                }],
            })
        );
    }

    #[test]
    fn thinking_is_switched_and_only_one_family_hears_how_hard() {
        for (model, sampling, expected) in [
            (
                "qwen3",
                sampling(Some(0.5), Some(0), None),
                json!({"options": {"temperature": 0.5}, "think": false}),
            ),
            ("qwen3", sampling(None, None, Some("high")), json!({"think": true})),
            ("gpt-oss:20b", sampling(None, None, Some("max")), json!({"think": "high"})),
            ("gpt-oss:20b", sampling(None, Some(0), None), json!({"think": "low"})),
            ("llama3", sampling(None, None, None), json!({})),
        ] {
            assert_eq!(sampled(&FORMAT, model, &sampling), expected, "{model}");
        }
    }

    #[test]
    fn an_answer_that_is_too_long_says_so() {
        let end = json!({"message": {"content": "a"}, "done": true, "done_reason": "length"});
        assert_eq!(read(&FORMAT, &[end]).unwrap().stop, Stop::Length);
    }
}
