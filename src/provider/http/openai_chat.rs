//! OpenAI's Chat Completions, and everyone who speaks them more or less.

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::{
    Format,
    ask::{Ask, Piece, Turn},
    openai::{Family, reasoning_effort},
    sse::Framing,
    stream::{Draft, Ending, Progress, Reader, not_a_stream, truncated},
};
use crate::{
    conversation::{Answer, Part, Stop, ToolCall, Usage},
    provider::{Listener, ModelError},
};

pub(super) static FORMAT: Format = Format {
    url: |base, _| format!("{base}/chat/completions"),
    key: ("authorization", "Bearer "),
    headers: &[],
    framing: Framing::Sse,
    body,
    reader: || Box::<Completion>::default(),
};

/// The fields servers stream thinking in. Whoever sends one wants it back in the same.
const THINKING: &[&str] = &["reasoning_content", "reasoning"];

fn body(ask: &Ask<'_>) -> Value {
    let mut body = json!({
        "model": ask.model,
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": messages(ask),
    });
    if !ask.tools.is_empty() {
        body["tools"] = ask.tools.iter().map(function).collect();
    }
    let family = Family::of(ask.model);
    if family != Family::Reasoning {
        if let Some(temperature) = ask.sampling.temperature {
            body["temperature"] = temperature.into();
        }
        if let Some(top_p) = ask.sampling.top_p {
            body["top_p"] = top_p.into();
        }
    }
    let effort = match family {
        Family::Reasoning => reasoning_effort(ask.model, ask.sampling).map(str::to_owned),
        // Others know words of their own, if any.
        Family::Unknown => ask.sampling.effort.clone(),
        Family::Plain => None,
    };
    if let Some(effort) = effort {
        body["reasoning_effort"] = effort.into();
    }
    body
}

/// A tool, as Ollama describes it, too.
pub(super) fn function(tool: &super::ask::Tool<'_>) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
        },
    })
}

fn messages(ask: &Ask<'_>) -> Vec<Value> {
    let system = ask.system.map(|system| json!({"role": "system", "content": system}));
    let mut messages: Vec<Value> = system.into_iter().collect();
    for turn in &ask.turns {
        match turn {
            Turn::User(text) => messages.push(json!({"role": "user", "content": text})),
            Turn::Model(pieces) => messages.extend(assistant(pieces)),
            Turn::Results(results) => messages.extend(results.iter().map(|result| {
                json!({
                    "role": "tool",
                    "tool_call_id": result.id,
                    "content": result.spelled_out(),
                })
            })),
        }
    }
    messages
}

/// What a model said, if anything of it can be sent.
fn assistant(pieces: &[Piece<'_>]) -> Option<Value> {
    let mut text = String::new();
    let mut thinking = Map::new();
    let mut calls = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(more) => {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(more);
            }
            Piece::Call(call) => calls.push(json!({
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments_text()},
            })),
            Piece::Thinking { text, signature } => {
                let field = THINKING.iter().find(|field| Some(**field) == *signature);
                if let Some(field) = field {
                    thinking.insert((*field).to_owned(), (*text).into());
                }
            }
            Piece::Opaque(_) => {}
        }
    }
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let content = if text.is_empty() { Value::Null } else { text.into() };
    let mut message = json!({"role": "assistant", "content": content});
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
        // Thinking is wanted back, or refused, depending on whether it led to calls.
        for (field, text) in thinking {
            message[field.as_str()] = text;
        }
    }
    Some(message)
}

/// A completion on its way.
#[derive(Debug, Default)]
struct Completion {
    draft: Draft,
    calls: Vec<Call>,
    usage: Option<Usage>,
    service_tier: Option<String>,
    stop: Option<Stop>,
    refused: bool,
    ended: bool,
}

/// A call on its way.
#[derive(Debug)]
struct Call {
    index: Option<u64>,
    call: ToolCall,
}

impl Reader for Completion {
    fn on_event(&mut self, event: &Value, heard: Listener<'_>) -> Result<Progress, ModelError> {
        let choices = event["choices"].as_array();
        if choices.is_none() && !event["usage"].is_object() {
            return Err(not_a_stream(event.to_string()));
        }
        if event["usage"].is_object() {
            self.usage = Some(usage(&event["usage"]));
        }
        if let Some(tier) = event["service_tier"].as_str() {
            self.service_tier = Some(tier.to_owned());
        }
        for choice in choices.into_iter().flatten() {
            self.add(&choice["delta"], heard);
            match choice["finish_reason"].as_str() {
                None | Some("") => {}
                Some("error") => {
                    let message = "the answer ended with an error nobody explained".to_owned();
                    return Err(ModelError::Server { status: 500, message });
                }
                Some(reason) => self.stop = Some(stop(reason)),
            }
        }
        Ok(Progress::More)
    }

    fn on_end_mark(&mut self) -> Progress {
        self.ended = true;
        Progress::Complete
    }

    fn finish(self: Box<Self>, ending: Ending) -> Result<Answer, ModelError> {
        let Some(stop) = self.stop else { return Err(truncated("no `finish_reason`")) };
        // Some servers forget the mark. Then nothing may be missing that should be there.
        let readable = |call: &Call| {
            let arguments = &call.call.arguments;
            arguments.is_empty() || serde_json::from_str::<IgnoredAny>(arguments).is_ok()
        };
        let counted = ending == Ending::Announced || self.usage.is_some();
        let whole = self.ended || counted && self.calls.iter().all(readable);
        if !whole {
            return Err(truncated("no `[DONE]`"));
        }
        let mut parts = self.draft.parts;
        let called = !self.calls.is_empty();
        parts.extend(self.calls.into_iter().map(|Call { mut call, .. }| {
            if call.arguments.is_empty() {
                call.arguments = "{}".to_owned();
            }
            Part::Call(call)
        }));
        let stop = match stop {
            Stop::End | Stop::Calls if called => Stop::Calls,
            Stop::End | Stop::Calls if self.refused => Stop::Refused,
            Stop::Calls => Stop::End,
            stop => stop,
        };
        let usage = Usage { service_tier: self.service_tier, ..self.usage.unwrap_or_default() };
        Ok(Answer { parts, usage, stop })
    }
}

impl Completion {
    fn add(&mut self, delta: &Value, heard: Listener<'_>) {
        let thinking = THINKING.iter().find(|field| delta[**field].is_string());
        if let Some(field) = thinking {
            self.draft.think(delta[*field].as_str().unwrap_or_default(), Some(field), heard);
        }
        match &delta["content"] {
            Value::String(words) => self.draft.say(words, heard),
            Value::Array(pieces) => pieces.iter().for_each(|piece| self.piece(piece, heard)),
            _ => {}
        }
        if let Some(words) = delta["refusal"].as_str() {
            self.refused = true;
            self.draft.say(words, heard);
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.call(call);
        }
    }

    /// A piece of content from a server that sends pieces.
    fn piece(&mut self, piece: &Value, heard: Listener<'_>) {
        if let Some(words) = piece["text"].as_str() {
            self.draft.say(words, heard);
        }
        for thought in piece["thinking"].as_array().into_iter().flatten() {
            self.draft.think(thought["text"].as_str().unwrap_or_default(), None, heard);
        }
    }

    fn call(&mut self, delta: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (index, id) = (delta["index"].as_u64(), text(&delta["id"]));
        let name = text(&delta["function"]["name"]);
        let at = self.which(index, &id, &name);
        if at == self.calls.len() {
            let (id, name, arguments) = (id, name, String::new());
            self.calls
                .push(Call { index, call: ToolCall { id, name, arguments, signature: None } });
        } else if let Some(Call { call, .. }) = self.calls.get_mut(at) {
            if call.id.is_empty() {
                call.id = id;
            }
            if call.name.is_empty() {
                call.name = name;
            }
        }
        if let Some(Call { call, .. }) = self.calls.get_mut(at) {
            match &delta["function"]["arguments"] {
                Value::String(more) => call.arguments.push_str(more),
                Value::Null => {}
                whole => call.arguments = whole.to_string(),
            }
        }
    }

    /// Which call a delta is about; a new one if there is none. Servers that leave out the index,
    /// or say 0 for all, tell calls apart by id, or send each at once.
    fn which(&self, index: Option<u64>, id: &str, name: &str) -> usize {
        let new = self.calls.len();
        let same_id = |call: &Call| id.is_empty() || call.call.id.is_empty() || call.call.id == id;
        let by_index = || self.calls.iter().rposition(|call| call.index == index && same_id(call));
        let by_id = || self.calls.iter().rposition(|call| call.call.id == id);
        match index {
            Some(_) => by_index().unwrap_or(new),
            None if !id.is_empty() => by_id().unwrap_or(new),
            None if !name.is_empty() => new,
            None => new.saturating_sub(1),
        }
    }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "tool_calls" | "function_call" => Stop::Calls,
        "length" => Stop::Length,
        "content_filter" => Stop::Refused,
        _ => Stop::End,
    }
}

fn usage(usage: &Value) -> Usage {
    let count = |value: &Value| value.as_u64();
    let cached = count(&usage["prompt_tokens_details"]["cached_tokens"])
        .or_else(|| count(&usage["prompt_cache_hit_tokens"]));
    let thinking = &usage["completion_tokens_details"]["reasoning_tokens"];
    Usage {
        input_tokens: count(&usage["prompt_tokens"]).unwrap_or_default(),
        output_tokens: count(&usage["completion_tokens"]).unwrap_or_default(),
        cache_read_input_tokens: cached.unwrap_or_default(),
        reasoning_tokens: count(thinking).unwrap_or_default(),
        ..Usage::default()
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
    fn a_conversation_is_sent_with_the_thinking_that_led_to_calls() {
        let parts = vec![
            thought("hm", Some("reasoning_content")),
            text("Sure."),
            called("c1", "a.b", "{\"n\":1}", None),
            called("c2", "c", "{\"n\":", None),
        ];
        let messages = conversation(parts);
        let tools = [tool("a.b")];
        let request = Request { system: "S", messages: &messages, tools: &tools, ..question() };
        assert_eq!(
            body(&FORMAT, &request),
            json!({
                "model": "m",
                "stream": true,
                "stream_options": {"include_usage": true},
                "messages": [
                    {"role": "system", "content": "S"},
                    {"role": "user", "content": "Do it."},
                    {
                        "role": "assistant",
                        "content": "Sure.",
                        "tool_calls": [
                            {"id": "c1", "type": "function", "function": {"name": "a_b", "arguments": "{\"n\":1}"}},
                            {"id": "c2", "type": "function", "function": {"name": "c", "arguments": "{}"}},
                        ],
                        "reasoning_content": "hm",
                    },
                    {"role": "tool", "tool_call_id": "c1", "content": "done"},
                    {"role": "tool", "tool_call_id": "c2", "content": "Error: cannot"},
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
    fn only_models_that_take_it_are_told_how_to_choose_words() {
        for (model, sampling, expected) in [
            ("gpt-4o", sampling(Some(0.5), Some(9_000), Some("low")), json!({"temperature": 0.5})),
            (
                "gpt-5.4",
                sampling(Some(0.5), Some(9_000), None),
                json!({"reasoning_effort": "medium"}),
            ),
            ("llama", sampling(Some(0.5), Some(9_000), None), json!({"temperature": 0.5})),
            ("gpt-oss", sampling(None, None, Some("low")), json!({"reasoning_effort": "low"})),
        ] {
            assert_eq!(sampled(&FORMAT, model, &sampling), expected, "{model}");
        }
    }

    fn chunk(delta: &Value, reason: Option<&str>) -> Value {
        json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
    }

    fn calls(deltas: &[Value]) -> Vec<(String, String, String)> {
        let mut events: Vec<Value> =
            deltas.iter().map(|delta| chunk(&json!({"tool_calls": [delta]}), None)).collect();
        events.push(chunk(&json!({}), Some("stop")));
        events.push(json!({"choices": [], "usage": {"prompt_tokens": 1}}));
        let answer = read(&FORMAT, &events).unwrap();
        assert_eq!(answer.stop, Stop::Calls);
        answer.calls().cloned().map(|call| (call.id, call.name, call.arguments)).collect()
    }

    #[test]
    fn calls_are_told_apart_however_servers_number_them() {
        let whole = |index: Option<u64>, id: Option<&str>, name: &str| json!({"index": index, "id": id, "function": {"name": name, "arguments": "{}"}});
        let expect = |ids: [&str; 2]| {
            [(ids[0], "a"), (ids[1], "b")]
                .map(|(id, name)| (id.to_owned(), name.to_owned(), "{}".to_owned()))
        };
        for (one, two, ids) in [
            (whole(Some(0), Some("1"), "a"), whole(Some(1), Some("2"), "b"), ["1", "2"]),
            (whole(Some(0), Some("1"), "a"), whole(Some(0), Some("2"), "b"), ["1", "2"]),
            (whole(None, Some("1"), "a"), whole(None, Some("2"), "b"), ["1", "2"]),
            (whole(None, None, "a"), whole(None, None, "b"), ["", ""]),
            (whole(Some(0), None, "a"), whole(Some(1), None, "b"), ["", ""]),
        ] {
            assert_eq!(calls(&[one.clone(), two.clone()]), expect(ids), "{one} {two}");
        }
    }

    #[test]
    fn arguments_are_put_together_from_pieces_or_taken_whole() {
        let piece = |more: &str| json!({"index": 0, "function": {"arguments": more}});
        let first =
            json!({"index": 0, "id": "1", "function": {"name": "a", "arguments": "{\"x\""}});
        assert_eq!(calls(&[first, piece(":"), piece("1}")])[0].2, "{\"x\":1}");
        let object = json!({"function": {"name": "a", "arguments": {"x": 1}}});
        assert_eq!(calls(&[object])[0].2, "{\"x\":1}");
        let unnumbered = json!({"function": {"arguments": "1}"}});
        let first = json!({"function": {"name": "a", "arguments": "{\"x\":"}});
        assert_eq!(calls(&[first, unnumbered])[0].2, "{\"x\":1}");
    }

    #[test]
    fn a_reason_to_stop_alone_proves_nothing_about_a_closed_connection() {
        let error = read(&FORMAT, &[chunk(&json!({"content": "a"}), Some("stop"))]).unwrap_err();
        assert!(matches!(error, ModelError::Truncated { .. }), "{error}");
    }

    #[test]
    fn refusals_and_filters_are_told_from_answers() {
        let done = json!({"choices": [], "usage": {}});
        for (delta, reason, expected) in [
            (json!({"refusal": "No."}), "stop", Stop::Refused),
            (json!({"content": "No."}), "content_filter", Stop::Refused),
            (json!({"content": "No."}), "length", Stop::Length),
            (json!({"content": [{"type": "text", "text": "No."}]}), "stop", Stop::End),
        ] {
            let answer = read(&FORMAT, &[chunk(&delta, Some(reason)), done.clone()]).unwrap();
            assert_eq!((answer.text().as_str(), answer.stop), ("No.", expected), "{delta}");
        }
    }
}
