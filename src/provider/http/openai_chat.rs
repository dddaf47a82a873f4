//! OpenAI's Chat Completions, and everyone who speaks them more or less.

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
            arguments.is_empty() || serde_json::from_str::<serde::de::IgnoredAny>(arguments).is_ok()
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
            self.calls.push(Call { index, call: ToolCall { id, name, arguments, signature: None } });
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
