//! Gemini's `streamGenerateContent`.

use serde_json::{Value, json};

use super::{
    Format,
    ask::{Ask, Call, Outcome, Piece, Tool, Turn},
    effort::{Budget, budget, effort},
    sse::Framing,
    stream::{Draft, Ending, Progress, Reader, not_a_stream, truncated},
};
use crate::{
    conversation::{Answer, Part, Stop, ToolCall, Usage},
    provider::{Listener, ModelError},
};

pub(super) static FORMAT: Format = Format {
    url,
    key: ("x-goog-api-key", ""),
    headers: &[],
    framing: Framing::Sse,
    body,
    reader: || Box::<Content>::default(),
};

/// What stands for the signature of a call another model made, where the model insists on one.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";
/// The least and the most tokens for thinking, by what is in a model's name.
const BUDGETS: &[(&str, (u64, u64))] =
    &[("pro", (128, 32_768)), ("lite", (512, 24_576)), ("", (1, 24_576))];

fn url(base: &str, model: &str) -> String {
    let versioned = base.ends_with("/v1beta") || base.ends_with("/v1");
    let version = if versioned { "" } else { "/v1beta" };
    let model = model.strip_prefix("models/").unwrap_or(model);
    let path: String = url::form_urlencoded::byte_serialize(model.as_bytes()).collect();
    format!("{base}{version}/models/{path}:streamGenerateContent?alt=sse")
}

fn body(ask: &Ask<'_>) -> Value {
    let mut body = json!({"contents": contents(ask)});
    if let Some(system) = ask.system {
        body["systemInstruction"] = json!({"parts": [{"text": system}]});
    }
    if !ask.tools.is_empty() {
        let functions: Vec<Value> = ask.tools.iter().map(function).collect();
        body["tools"] = json!([{"functionDeclarations": functions}]);
    }
    let mut config = json!({});
    if let Some(temperature) = ask.sampling.temperature {
        config["temperature"] = temperature.into();
    }
    if let Some(top_p) = ask.sampling.top_p {
        config["topP"] = top_p.into();
    }
    if let Some(thinking) = thinking(ask) {
        config["thinkingConfig"] = thinking;
    }
    if config.as_object().is_some_and(|config| !config.is_empty()) {
        body["generationConfig"] = config;
    }
    body
}

/// A tool. Its schema goes where any JSON Schema is taken, not only the provider's own dialect.
fn function(tool: &Tool<'_>) -> Value {
    let mut schema = tool.parameters.clone().into_owned();
    if let Some(fields) = schema.as_object_mut() {
        fields.shift_remove("$schema");
    }
    json!({
        "name": tool.name,
        "description": tool.description,
        "parametersJsonSchema": schema,
    })
}

fn thinking(ask: &Ask<'_>) -> Option<Value> {
    let version = version(ask.model)?;
    if version < (2, 5) {
        return None;
    }
    let mut config = json!({"includeThoughts": true});
    if version >= (3, 0) {
        let lowest = if ask.model.contains("pro") { "low" } else { "minimal" };
        let level = effort(ask.sampling).map(|word| match word {
            "none" | "minimal" => lowest,
            "xhigh" | "max" => "high",
            word => word,
        });
        if let Some(level) = level {
            config["thinkingLevel"] = level.into();
        }
    } else if let Some(wanted) = budget(ask.sampling) {
        let range = BUDGETS.iter().find(|(name, _)| ask.model.contains(name));
        let (least, most) = range.map_or((1, 24_576), |(_, range)| *range);
        config["thinkingBudget"] = match wanted {
            Budget::Unlimited => json!(-1),
            // Only these cannot help thinking.
            Budget::Off if ask.model.contains("pro") => json!(least),
            Budget::Off => json!(0),
            Budget::Tokens(tokens) => json!(tokens.clamp(least, most)),
        };
    }
    Some(config)
}

/// The version in a model's name; one without a number is taken for the oldest that thinks. `None`
/// if it is not a Gemini.
fn version(model: &str) -> Option<(u32, u32)> {
    let (_, rest) = model.split_once("gemini-")?;
    let number = rest.split('-').next().unwrap_or_default();
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    Some(major.parse().map_or((2, 5), |major| (major, minor.parse().unwrap_or(0))))
}

fn contents(ask: &Ask<'_>) -> Vec<Value> {
    let signed = version(ask.model) >= Some((3, 0));
    let content = |turn: &Turn<'_>| {
        let (role, parts) = match turn {
            Turn::User(text) => ("user", vec![json!({"text": text})]),
            Turn::Model(pieces) => ("model", said(pieces, signed)),
            Turn::Results(results) => ("user", results.iter().map(response).collect()),
        };
        (!parts.is_empty()).then(|| json!({"role": role, "parts": parts}))
    };
    ask.turns.iter().filter_map(content).collect()
}

fn said(pieces: &[Piece<'_>], signed: bool) -> Vec<Value> {
    let mut calls = 0;
    let part = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => Some(json!({"text": text})),
        // What the model thought is in the signatures.
        Piece::Thinking { .. } => None,
        Piece::Opaque(value) => Some((*value).clone()),
        Piece::Call(call) => {
            calls += 1;
            // Of several calls at once only the first is signed.
            let missing = (signed && calls == 1).then_some(NO_SIGNATURE);
            Some(call_part(call, call.signature.or(missing)))
        }
    };
    pieces.iter().filter_map(part).collect()
}

fn call_part(call: &Call<'_>, signature: Option<&str>) -> Value {
    let mut part = json!({"functionCall": {"name": call.name, "args": call.arguments}});
    if let Some(id) = call.own_id {
        part["functionCall"]["id"] = id.into();
    }
    if let Some(signature) = signature {
        part["thoughtSignature"] = signature.into();
    }
    part
}

fn response(outcome: &Outcome<'_>) -> Value {
    let key = if outcome.is_error { "error" } else { "output" };
    let mut part = json!({
        "functionResponse": {"name": outcome.name, "response": {key: outcome.content}},
    });
    if let Some(id) = outcome.own_id {
        part["functionResponse"]["id"] = id.into();
    }
    part
}

/// An answer on its way.
#[derive(Debug, Default)]
struct Content {
    draft: Draft,
    usage: Usage,
    stop: Option<Stop>,
}

impl Reader for Content {
    fn on_event(&mut self, event: &Value, heard: Listener<'_>) -> Result<Progress, ModelError> {
        let known = ["candidates", "usageMetadata", "promptFeedback"];
        if known.iter().all(|key| event[*key].is_null()) {
            return Err(not_a_stream(event.to_string()));
        }
        if event["usageMetadata"].is_object() {
            self.usage = usage(&event["usageMetadata"]);
        }
        if event["promptFeedback"]["blockReason"].is_string() {
            self.stop = Some(Stop::Refused);
        }
        // One answer was asked for.
        let candidate = &event["candidates"][0];
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            self.add(part, heard);
        }
        if let Some(reason) = candidate["finishReason"].as_str() {
            self.stop = Some(stop(reason)?);
        }
        Ok(Progress::More)
    }

    fn finish(self: Box<Self>, _: Ending) -> Result<Answer, ModelError> {
        let stop = match self.stop {
            Some(Stop::End) if self.draft.has_calls() => Stop::Calls,
            Some(stop) => stop,
            None => return Err(truncated("no `finishReason`")),
        };
        Ok(Answer { parts: self.draft.parts, usage: self.usage, stop })
    }
}

impl Content {
    fn add(&mut self, part: &Value, heard: Listener<'_>) {
        let signature = part["thoughtSignature"].as_str().map(str::to_owned);
        let call = &part["functionCall"];
        if call.is_object() {
            let text = |key: &str| call[key].as_str().unwrap_or_default().to_owned();
            let arguments = match &call["args"] {
                Value::Null => "{}".to_owned(),
                args => args.to_string(),
            };
            let (id, name) = (text("id"), text("name"));
            self.draft.parts.push(Part::Call(ToolCall { id, name, arguments, signature }));
            return;
        }
        let words = part["text"].as_str().unwrap_or_default();
        if part["thought"] == true {
            self.draft.think(words, None, heard);
        } else {
            self.draft.say(words, heard);
        }
        if let Some(signature) = signature {
            // Text has no place for a signature, but a part of its own carries it as well.
            let value = json!({"text": "", "thoughtSignature": signature});
            self.draft.parts.push(Part::Opaque { value });
        }
    }
}

fn stop(reason: &str) -> Result<Stop, ModelError> {
    match reason {
        "MAX_TOKENS" => Ok(Stop::Length),
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => {
            Ok(Stop::Refused)
        }
        // The model began a call and did not manage to write it.
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" => Err(truncated(reason)),
        _ => Ok(Stop::End),
    }
}

fn usage(usage: &Value) -> Usage {
    let count = |key: &str| usage[key].as_u64().unwrap_or_default();
    let thoughts = count("thoughtsTokenCount");
    Usage {
        input_tokens: count("promptTokenCount").saturating_add(count("toolUsePromptTokenCount")),
        output_tokens: count("candidatesTokenCount").saturating_add(thoughts),
        cache_read_input_tokens: count("cachedContentTokenCount"),
        reasoning_tokens: thoughts,
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
    fn a_conversation_is_sent_with_its_signatures() {
        let mark = json!({"text": "", "thoughtSignature": "t"});
        let parts = vec![
            thought("hm", None),
            text("Sure."),
            Part::Opaque { value: mark.clone() },
            called("c1", "a.b", "{\"n\":1}", Some("s")),
            called("c2", "c", "[]", None),
        ];
        let messages = conversation(parts);
        let mut spec = tool("a.b");
        spec.parameters["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
        spec.parameters["additionalProperties"] = false.into();
        let tools = [spec];
        let request = Request { system: "S", messages: &messages, tools: &tools, ..question() };
        assert_eq!(
            body(&FORMAT, &request),
            json!({
                "contents": [
                    {"role": "user", "parts": [{"text": "Do it."}]},
                    {"role": "model", "parts": [
                        {"text": "Sure."},
                        mark,
                        {"functionCall": {"name": "a_b", "args": {"n": 1}, "id": "c1"}, "thoughtSignature": "s"},
                        {"functionCall": {"name": "c", "args": {}, "id": "c2"}},
                    ]},
                    {"role": "user", "parts": [
                        {"functionResponse": {"name": "a_b", "response": {"output": "done"}, "id": "c1"}},
                        {"functionResponse": {"name": "c", "response": {"error": "cannot"}, "id": "c2"}},
                    ]},
                    {"role": "user", "parts": [{"text": "Hurry."}]},
                ],
                "systemInstruction": {"parts": [{"text": "S"}]},
                "tools": [{"functionDeclarations": [{
                    "name": "a_b",
                    "description": "a.b.",
                    "parametersJsonSchema": {"type": "object", "properties": {}, "additionalProperties": false},
                }]}],
            })
        );
    }

    #[test]
    fn calls_of_other_models_are_sent_without_their_ids_and_excused_for_their_signatures() {
        let messages =
            conversation(vec![called("c1", "a", "{}", Some("s")), called("c2", "b", "{}", None)]);
        let request = Request { model: "gemini-3-pro", messages: &messages, ..question() };
        let parts = &body(&FORMAT, &request)["contents"][1]["parts"];
        assert_eq!(
            *parts,
            json!([
                {"functionCall": {"name": "a", "args": {}}, "thoughtSignature": NO_SIGNATURE},
                {"functionCall": {"name": "b", "args": {}}},
            ])
        );
    }

    #[test]
    fn each_generation_thinks_in_its_own_way() {
        let thinking = |config: Value| json!({"generationConfig": {"thinkingConfig": config}});
        for (model, sampling, expected) in [
            (
                "gemini-2.0-flash",
                sampling(Some(0.5), Some(99), None),
                json!({"generationConfig": {"temperature": 0.5}}),
            ),
            ("gemma-3", sampling(None, None, Some("high")), json!({})),
            (
                "gemini-2.5-pro",
                sampling(None, None, None),
                thinking(json!({"includeThoughts": true})),
            ),
            (
                "gemini-2.5-pro",
                sampling(None, Some(-1), None),
                thinking(json!({"includeThoughts": true, "thinkingBudget": -1})),
            ),
            (
                "gemini-2.5-pro",
                sampling(None, Some(0), None),
                thinking(json!({"includeThoughts": true, "thinkingBudget": 128})),
            ),
            (
                "gemini-2.5-flash",
                sampling(None, Some(0), None),
                thinking(json!({"includeThoughts": true, "thinkingBudget": 0})),
            ),
            (
                "gemini-flash-latest",
                sampling(None, Some(99_999), None),
                thinking(json!({"includeThoughts": true, "thinkingBudget": 24_576})),
            ),
            (
                "gemini-3.1-pro-preview",
                sampling(None, None, Some("none")),
                thinking(json!({"includeThoughts": true, "thinkingLevel": "low"})),
            ),
            (
                "gemini-3-flash",
                sampling(None, Some(-1), None),
                thinking(json!({"includeThoughts": true, "thinkingLevel": "high"})),
            ),
        ] {
            assert_eq!(sampled(&FORMAT, model, &sampling), expected, "{model} {sampling:?}");
        }
    }

    #[test]
    fn the_model_cannot_leave_its_place_in_the_url() {
        let expected = "https://g.example/v1beta/models/m:streamGenerateContent?alt=sse";
        for (base, model) in [("https://g.example", "m"), ("https://g.example/v1beta", "models/m")]
        {
            assert_eq!(url(base, model), expected);
        }
        let strange = url("https://g.example", "../x?y#z");
        assert_eq!(
            strange,
            "https://g.example/v1beta/models/..%2Fx%3Fy%23z:streamGenerateContent?alt=sse"
        );
    }

    fn candidate(parts: &Value, reason: &str) -> Value {
        json!({"candidates": [{"content": {"parts": parts}, "finishReason": reason}]})
    }

    #[test]
    fn how_an_answer_ended_is_kept() {
        let said = json!([{"text": "a"}]);
        for (reason, expected) in
            [("STOP", Stop::End), ("MAX_TOKENS", Stop::Length), ("SAFETY", Stop::Refused)]
        {
            assert_eq!(read(&FORMAT, &[candidate(&said, reason)]).unwrap().stop, expected);
        }
        let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}});
        assert_eq!(read(&FORMAT, &[blocked]).unwrap().stop, Stop::Refused);
        let error = read(&FORMAT, &[candidate(&said, "MALFORMED_FUNCTION_CALL")]).unwrap_err();
        assert!(matches!(error, ModelError::Truncated { .. }), "{error}");
    }

    #[test]
    fn the_signature_of_a_text_comes_back_beside_it() {
        let parts = json!([{"text": "a"}, {"text": "", "thoughtSignature": "s"}]);
        let answer = read(&FORMAT, &[candidate(&parts, "STOP")]).unwrap();
        let mark = Part::Opaque { value: json!({"text": "", "thoughtSignature": "s"}) };
        assert_eq!(answer.parts, [text("a"), mark]);
    }
}
