//! OpenAI's Responses.
//!
//! Nothing is stored at the provider: the whole conversation is sent each time, and what the model
//! reasoned goes back encrypted, as it came.

use serde_json::{Value, json};

use super::{
    Format,
    ask::{Ask, Piece, Turn},
    openai::{Family, reasoning_effort},
    refusal,
    sse::Framing,
    stream::{Ending, Progress, Reader, not_a_stream, truncated},
};
use crate::{
    conversation::{Answer, Part, Stop, ToolCall, Usage},
    provider::{Delta, Listener, ModelError},
};

pub(super) static FORMAT: Format = Format {
    url: |base, _| format!("{base}/responses"),
    key: ("authorization", "Bearer "),
    headers: &[],
    framing: Framing::Sse,
    body,
    reader: || Box::<Response>::default(),
};

fn body(ask: &Ask<'_>) -> Value {
    let mut body = json!({
        "model": ask.model,
        "stream": true,
        "store": false,
        "input": ask.turns.iter().flat_map(items).collect::<Vec<_>>(),
    });
    if let Some(system) = ask.system {
        body["instructions"] = system.into();
    }
    if !ask.tools.is_empty() {
        body["tools"] = ask.tools.iter().map(tool).collect();
    }
    if Family::of(ask.model) == Family::Plain {
        // Models that do not reason refuse to be asked for their reasoning.
        if let Some(temperature) = ask.sampling.temperature {
            body["temperature"] = temperature.into();
        }
        if let Some(top_p) = ask.sampling.top_p {
            body["top_p"] = top_p.into();
        }
    } else {
        body["include"] = json!(["reasoning.encrypted_content"]);
        if let Some(effort) = reasoning_effort(ask.model, ask.sampling) {
            body["reasoning"] = json!({"effort": effort});
        }
    }
    body
}

fn tool(tool: &super::ask::Tool<'_>) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        // Strict schemas must list every property as required; ours need not.
        "strict": false,
    })
}

fn items(turn: &Turn<'_>) -> Vec<Value> {
    match turn {
        Turn::User(text) => vec![message("user", text)],
        Turn::Model(pieces) => pieces.iter().filter_map(item).collect(),
        Turn::Results(results) => results
            .iter()
            .map(|result| {
                json!({
                    "type": "function_call_output",
                    "call_id": result.id,
                    "output": result.spelled_out(),
                })
            })
            .collect(),
    }
}

fn item(piece: &Piece<'_>) -> Option<Value> {
    match piece {
        Piece::Text(text) => Some(message("assistant", text)),
        Piece::Call(call) => Some(json!({
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments_text(),
        })),
        // Its words are in what is opaque.
        Piece::Thinking { .. } => None,
        // What is not encrypted would be looked up where nothing was stored.
        Piece::Opaque(value) => value["encrypted_content"].is_string().then(|| (*value).clone()),
    }
}

fn message(role: &str, text: &str) -> Value {
    json!({"type": "message", "role": role, "content": text})
}

/// A response on its way.
#[derive(Debug, Default)]
struct Response {
    items: Vec<(u64, Value)>,
    end: Option<(Stop, Value)>,
}

impl Reader for Response {
    fn on_event(&mut self, event: &Value, heard: Listener<'_>) -> Result<Progress, ModelError> {
        let words = event["delta"].as_str().unwrap_or_default();
        match event["type"].as_str() {
            Some("response.output_text.delta" | "response.refusal.delta") => {
                heard(Delta::Text(words));
            }
            Some("response.reasoning_summary_text.delta" | "response.reasoning_text.delta") => {
                heard(Delta::Thinking(words));
            }
            Some("response.output_item.done") => {
                let index = event["output_index"].as_u64().unwrap_or(self.items.len() as u64);
                self.items.push((index, event["item"].clone()));
            }
            Some("response.completed") => return Ok(self.end(event, Stop::End)),
            Some("response.incomplete") => {
                let why = event["response"]["incomplete_details"]["reason"].as_str();
                let filtered = why == Some("content_filter");
                return Ok(self.end(event, if filtered { Stop::Refused } else { Stop::Length }));
            }
            Some("response.failed" | "response.cancelled") => {
                return Err(refusal::of_event(&event["response"]));
            }
            // New events may be added any time.
            Some(_) => {}
            None => return Err(not_a_stream(event.to_string())),
        }
        Ok(Progress::More)
    }

    fn finish(self: Box<Self>, _: Ending) -> Result<Answer, ModelError> {
        let Self { mut items, end } = *self;
        let Some((stop, response)) = end else {
            return Err(truncated("no `response.completed`"));
        };
        items.sort_by_key(|(index, _)| *index);
        let whole = response["output"].as_array().filter(|output| !output.is_empty());
        let items: Vec<&Value> = match whole {
            Some(output) => output.iter().collect(),
            None => items.iter().map(|(_, item)| item).collect(),
        };
        let parts: Vec<Part> = items.iter().flat_map(|item| parts(item)).collect();
        let refused = items
            .iter()
            .flat_map(|item| item["content"].as_array().into_iter().flatten())
            .any(|content| content["type"] == "refusal");
        let called = parts.iter().any(|part| matches!(part, Part::Call(_)));
        let stop = match stop {
            Stop::End if called => Stop::Calls,
            Stop::End if refused => Stop::Refused,
            stop => stop,
        };
        Ok(Answer { parts, usage: usage(&response), stop })
    }
}

impl Response {
    fn end(&mut self, event: &Value, stop: Stop) -> Progress {
        self.end = Some((stop, event["response"].clone()));
        Progress::Complete
    }
}

/// What one item of the output says.
fn parts(item: &Value) -> Vec<Part> {
    let text = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
    match item["type"].as_str() {
        Some("message") => {
            let texts = item["content"].as_array().into_iter().flatten();
            texts
                .filter_map(|content| content["text"].as_str().or(content["refusal"].as_str()))
                .filter(|text| !text.is_empty())
                .map(|text| Part::Text { text: text.to_owned() })
                .collect()
        }
        Some("function_call") => {
            let arguments = match text("arguments") {
                arguments if arguments.is_empty() => "{}".to_owned(),
                arguments => arguments,
            };
            let (id, name) = (text("call_id"), text("name"));
            vec![Part::Call(ToolCall { id, name, arguments, signature: None })]
        }
        Some("reasoning") => {
            let lines = |key: &str| -> Vec<&str> {
                let all = item[key].as_array().into_iter().flatten();
                all.filter_map(|line| line["text"].as_str()).collect()
            };
            let thought = [lines("summary"), lines("content")].concat().join("\n");
            let mut kept = item.clone();
            if let Some(fields) = kept.as_object_mut() {
                // The status of an item that is over is not taken back.
                fields.remove("status");
            }
            let thinking = Part::Thinking { text: thought, signature: None };
            let shown = !matches!(&thinking, Part::Thinking { text, .. } if text.is_empty());
            shown.then_some(thinking).into_iter().chain([Part::Opaque { value: kept }]).collect()
        }
        // Nothing else was asked for.
        _ => Vec::new(),
    }
}

fn usage(response: &Value) -> Usage {
    let usage = &response["usage"];
    let count = |value: &Value| value.as_u64().unwrap_or_default();
    Usage {
        input_tokens: count(&usage["input_tokens"]),
        output_tokens: count(&usage["output_tokens"]),
        cache_read_input_tokens: count(&usage["input_tokens_details"]["cached_tokens"]),
        cache_creation_input_tokens: 0,
        reasoning_tokens: count(&usage["output_tokens_details"]["reasoning_tokens"]),
        service_tier: response["service_tier"].as_str().map(str::to_owned),
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
    fn a_conversation_is_sent_with_its_reasoning_and_never_stored() {
        let reasoning =
            json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"});
        let parts = vec![
            thought("hm", None),
            Part::Opaque { value: reasoning.clone() },
            Part::Opaque { value: json!({"type": "reasoning", "id": "looked up in vain"}) },
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
                "store": false,
                "input": [
                    {"type": "message", "role": "user", "content": "Do it."},
                    reasoning,
                    {"type": "message", "role": "assistant", "content": "Sure."},
                    {"type": "function_call", "call_id": "c1", "name": "a_b", "arguments": "{\"n\":1}"},
                    {"type": "function_call", "call_id": "c2", "name": "c", "arguments": "{}"},
                    {"type": "function_call_output", "call_id": "c1", "output": "done"},
                    {"type": "function_call_output", "call_id": "c2", "output": "Error: cannot"},
                    {"type": "message", "role": "user", "content": "Hurry."},
                ],
                "instructions": "S",
                "tools": [{
                    "type": "function",
                    "name": "a_b",
                    "description": "a.b.",
                    "parameters": {"type": "object", "properties": {}},
                    "strict": false,
                }],
                "include": ["reasoning.encrypted_content"],
            })
        );
    }

    #[test]
    fn reasoning_models_are_told_how_hard_and_others_how_warm() {
        let include = json!(["reasoning.encrypted_content"]);
        for (model, sampling, expected) in [
            ("gpt-4.1", sampling(Some(0.5), None, Some("low")), json!({"temperature": 0.5})),
            (
                "o3",
                sampling(Some(0.5), Some(-1), None),
                json!({"include": include, "reasoning": {"effort": "high"}}),
            ),
            ("gpt-5.4", sampling(None, None, None), json!({"include": include})),
        ] {
            assert_eq!(sampled(&FORMAT, model, &sampling), expected, "{model}");
        }
    }

    fn message(content: &Value) -> Value {
        json!({"type": "message", "content": [content]})
    }

    #[test]
    fn how_a_response_ended_is_kept() {
        let text = message(&json!({"type": "output_text", "text": "a"}));
        let refusal = message(&json!({"type": "refusal", "refusal": "a"}));
        let completed =
            |output: Value| json!({"type": "response.completed", "response": {"output": [output]}});
        let incomplete = |reason: &str| {
            let details = json!({"reason": reason});
            json!({"type": "response.incomplete", "response": {"output": [text], "incomplete_details": details}})
        };
        for (event, expected) in [
            (completed(text.clone()), Stop::End),
            (completed(refusal), Stop::Refused),
            (incomplete("max_output_tokens"), Stop::Length),
            (incomplete("content_filter"), Stop::Refused),
        ] {
            let answer = read(&FORMAT, std::slice::from_ref(&event)).unwrap();
            assert_eq!((answer.text().as_str(), answer.stop), ("a", expected), "{event}");
        }
    }

    #[test]
    fn a_failed_response_is_a_typed_error() {
        let error = json!({"code": "rate_limit_exceeded", "message": "slower"});
        let failed = json!({"type": "response.failed", "response": {"error": error}});
        let error = read(&FORMAT, &[failed]).unwrap_err();
        let expected = ModelError::RateLimited { retry_after: None, message: "slower".to_owned() };
        assert_eq!(error, expected);
    }
}
