//! Anthropic's Messages.

#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::{
    Format,
    ask::{Ask, Outcome, Piece, Turn},
    effort::{Budget, budget, effort},
    sse::Framing,
    stream::{Ending, Progress, Reader, not_a_stream, truncated},
};
use crate::{
    conversation::{Answer, Part, Stop, ToolCall, Usage},
    provider::{Delta, Listener, ModelError},
};

pub(super) static FORMAT: Format = Format {
    url,
    key: ("x-api-key", ""),
    headers: &[("anthropic-version", "2023-06-01")],
    framing: Framing::Sse,
    body,
    reader: || Box::<Message>::default(),
};

/// The longest answer, for models that give none this long: `(before this version, tokens)`.
const SHORT_ANSWERS: &[((u32, u32), u64)] = &[((3, 5), 4_096), ((3, 7), 8_192)];
/// The longest answer of all others.
const MAX_TOKENS: u64 = 32_000;
/// The least a model thinks.
const MIN_BUDGET: u64 = 1_024;
/// What is left for the answer, however much a model thinks.
const LEFT_TO_SAY: u64 = 8_000;

fn url(base: &str, _model: &str) -> String {
    let base = base.strip_suffix("/v1").unwrap_or(base);
    format!("{base}/v1/messages")
}

fn body(ask: &Ask<'_>) -> Value {
    let generation = Generation::of(ask.model);
    let mut body = json!({
        "model": ask.model,
        "max_tokens": generation.max_tokens,
        "stream": true,
        "messages": messages(&ask.turns),
    });
    if let Some(system) = ask.system {
        body["system"] = json!([{"type": "text", "text": system, "cache_control": cached()}]);
    }
    if !ask.tools.is_empty() {
        body["tools"] = tools(ask);
    }
    generation.think(ask, &mut body);
    body
}

/// Everything up to here is the same in the next request.
fn cached() -> Value {
    json!({"type": "ephemeral"})
}

fn tools(ask: &Ask<'_>) -> Value {
    let tool = |tool: &super::ask::Tool<'_>| {
        json!({
            "name": tool.name,
            "description": tool.description,
            "input_schema": tool.parameters,
        })
    };
    let mut tools: Vec<Value> = ask.tools.iter().map(tool).collect();
    if let Some(last) = tools.last_mut() {
        last["cache_control"] = cached();
    }
    tools.into()
}

/// Messages whose roles alternate: what tools return and what users say is one message, in which
/// results come first.
fn messages(turns: &[Turn<'_>]) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for turn in turns {
        let (role, blocks) = match turn {
            Turn::User(text) => ("user", vec![json!({"type": "text", "text": text})]),
            Turn::Model(pieces) => ("assistant", pieces.iter().filter_map(block).collect()),
            Turn::Results(results) => ("user", results.iter().map(result).collect()),
        };
        match messages.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, before)) if *last == role => before.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    let last = messages.last_mut().and_then(|(_, blocks)| blocks.last_mut());
    if let Some(last) =
        last.filter(|block| block["type"] == "text" || block["type"] == "tool_result")
    {
        last["cache_control"] = cached();
    }
    let message = |(role, content)| json!({"role": role, "content": content});
    messages.into_iter().map(message).collect()
}

fn block(piece: &Piece<'_>) -> Option<Value> {
    match piece {
        Piece::Text(text) => Some(json!({"type": "text", "text": text})),
        // Without its signature, thinking is refused.
        Piece::Thinking { text, signature } => signature
            .map(|signature| json!({"type": "thinking", "thinking": text, "signature": signature})),
        Piece::Opaque(value) => Some((*value).clone()),
        Piece::Call(call) => Some(json!({
            "type": "tool_use",
            "id": call.id,
            "name": call.name,
            "input": call.arguments,
        })),
    }
}

fn result(outcome: &Outcome<'_>) -> Value {
    let mut block = json!({"type": "tool_result", "tool_use_id": outcome.id});
    // An empty text is refused, no text is not.
    if !outcome.content.trim().is_empty() {
        block["content"] = outcome.content.into();
    }
    if outcome.is_error {
        block["is_error"] = true.into();
    }
    block
}

/// What a model of one version can do.
#[derive(Clone, Copy, Debug)]
struct Generation {
    thinking: Thinking,
    /// Whether temperature and the like can be chosen.
    samples: bool,
    /// The word for more than `high`.
    above_high: &'static str,
    max_tokens: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thinking {
    /// It cannot.
    Never,
    /// As many tokens as it is told.
    Budget,
    /// As many as it likes, and how hard is a word.
    Adaptive,
}

impl Generation {
    fn of(model: &str) -> Self {
        let version = version(model);
        let thinking = match version {
            Some(version) if version < (3, 7) => Thinking::Never,
            Some(version) if version >= (4, 6) => Thinking::Adaptive,
            _ => Thinking::Budget,
        };
        let newest = version >= Some((4, 7));
        let short = SHORT_ANSWERS.iter().find(|(end, _)| version.is_some_and(|v| v < *end));
        Self {
            thinking,
            samples: !newest,
            above_high: if newest { "xhigh" } else { "high" },
            max_tokens: short.map_or(MAX_TOKENS, |(_, tokens)| *tokens),
        }
    }

    fn think(self, ask: &Ask<'_>, body: &mut Value) {
        let thinking = self.thinking(ask);
        if self.thinking == Thinking::Adaptive
            && (thinking.is_some() || ask.sampling.effort.is_some())
            && let Some(effort) = effort(ask.sampling)
        {
            let word = match effort {
                "none" | "minimal" => "low",
                "xhigh" => self.above_high,
                word => word,
            };
            body["output_config"] = json!({"effort": word});
        }
        match thinking {
            Some(thinking) => body["thinking"] = thinking,
            // Newer models take one of the two.
            None if self.samples => match (ask.sampling.temperature, ask.sampling.top_p) {
                (Some(temperature), _) => body["temperature"] = temperature.clamp(0.0, 1.0).into(),
                (None, Some(top_p)) => body["top_p"] = top_p.into(),
                (None, None) => {}
            },
            None => {}
        }
    }

    /// How the model is told to think, if it is.
    fn thinking(self, ask: &Ask<'_>) -> Option<Value> {
        let most = self.max_tokens.saturating_sub(LEFT_TO_SAY).max(MIN_BUDGET);
        let tokens = match budget(ask.sampling)? {
            Budget::Off => return None,
            Budget::Tokens(tokens) => tokens.clamp(MIN_BUDGET, most),
            Budget::Unlimited => most,
        };
        match self.thinking {
            Thinking::Never => None,
            Thinking::Budget => may_begin_to_think(&ask.turns)
                .then(|| json!({"type": "enabled", "budget_tokens": tokens})),
            // Newer models show nothing of it unless they are asked to.
            Thinking::Adaptive => Some(json!({"type": "adaptive", "display": "summarized"})),
        }
    }
}

/// Whether a model with a budget may be told to think: not between its calls and their results, if
/// it did not think before them. That is so when another model called.
fn may_begin_to_think(turns: &[Turn<'_>]) -> bool {
    let since_user = turns.iter().rev().take_while(|turn| !matches!(turn, Turn::User(_)));
    let thought = |turn: &Turn<'_>| match turn {
        Turn::Model(pieces) => matches!(
            pieces.first(),
            Some(Piece::Thinking { signature: Some(_), .. } | Piece::Opaque(_))
        ),
        _ => true,
    };
    since_user.into_iter().all(thought)
}

/// The version in a model's name: `claude-sonnet-4-5-20250929` and `claude-3-7-sonnet-latest` have
/// it in different places. `None` if it is not one of Anthropic's. One without a number is new.
fn version(model: &str) -> Option<(u32, u32)> {
    let (_, name) = model.split_once("claude")?;
    let words: Vec<&str> = name.split(['-', '.', '@', ':', '_']).collect();
    let number = |word: &&str| word.parse::<u32>().ok().filter(|_| word.len() <= 2);
    let Some(at) = words.iter().position(|word| number(word).is_some()) else {
        return Some((u32::MAX, 0));
    };
    let major = words.get(at).and_then(number)?;
    Some((major, words.get(at + 1).and_then(number).unwrap_or(0)))
}

/// A message on its way.
#[derive(Debug, Default)]
struct Message {
    blocks: Vec<Block>,
    usage: Usage,
    stop: Option<Stop>,
    complete: bool,
}

/// One block of it.
#[derive(Debug)]
struct Block {
    index: u64,
    part: Part,
    open: bool,
}

impl Reader for Message {
    fn on_event(&mut self, event: &Value, heard: Listener<'_>) -> Result<Progress, ModelError> {
        match event["type"].as_str() {
            Some("message_start") => {
                self.count(&event["message"]["usage"]);
            }
            Some("content_block_start") => self.start(event, heard),
            Some("content_block_delta") => self.add(event, heard)?,
            Some("content_block_stop") => {
                if let Some(block) = self.block(event) {
                    block.open = false;
                }
            }
            Some("message_delta") => {
                self.count(&event["usage"]);
                self.stop = event["delta"]["stop_reason"].as_str().map(stop).or(self.stop);
            }
            Some("message_stop") => {
                self.complete = true;
                return Ok(Progress::Complete);
            }
            // New events may be added any time.
            Some(_) => {}
            None => return Err(not_a_stream(event.to_string())),
        }
        Ok(Progress::More)
    }

    fn finish(self: Box<Self>, _: Ending) -> Result<Answer, ModelError> {
        let stop = match self.stop {
            Some(stop) if self.complete && self.blocks.iter().all(|block| !block.open) => stop,
            _ => return Err(truncated("no `message_stop`")),
        };
        let parts = self.blocks.into_iter().map(|block| block.part).filter_map(whole).collect();
        Ok(Answer { parts, usage: self.usage, stop })
    }
}

impl Message {
    fn block(&mut self, event: &Value) -> Option<&mut Block> {
        let index = event["index"].as_u64()?;
        self.blocks.iter_mut().rev().find(|block| block.index == index)
    }

    fn start(&mut self, event: &Value, heard: Listener<'_>) {
        let start = &event["content_block"];
        let text = |key: &str| start[key].as_str().unwrap_or_default().to_owned();
        let part = match start["type"].as_str() {
            Some("text") => Part::Text { text: text("text") },
            Some("thinking") => Part::Thinking { text: text("thinking"), signature: None },
            Some("tool_use") => {
                let arguments = match &start["input"] {
                    Value::Object(input) if !input.is_empty() => start["input"].to_string(),
                    _ => String::new(),
                };
                Part::Call(ToolCall {
                    id: text("id"),
                    name: text("name"),
                    arguments,
                    signature: None,
                })
            }
            _ => Part::Opaque { value: start.clone() },
        };
        match &part {
            Part::Text { text } if !text.is_empty() => heard(Delta::Text(text)),
            Part::Thinking { text, .. } if !text.is_empty() => heard(Delta::Thinking(text)),
            _ => {}
        }
        let index = event["index"].as_u64().unwrap_or(self.blocks.len() as u64);
        self.blocks.push(Block { index, part, open: true });
    }

    fn add(&mut self, event: &Value, heard: Listener<'_>) -> Result<(), ModelError> {
        let delta = &event["delta"];
        let more = |key: &str| delta[key].as_str().unwrap_or_default();
        let Some(block) = self.block(event) else {
            return Err(not_a_stream(event.to_string()));
        };
        match &mut block.part {
            Part::Text { text } => {
                let words = more("text");
                if !words.is_empty() {
                    heard(Delta::Text(words));
                    text.push_str(words);
                }
            }
            Part::Thinking { text, signature } => {
                let words = more("thinking");
                if !words.is_empty() {
                    heard(Delta::Thinking(words));
                    text.push_str(words);
                }
                let signed = more("signature");
                if !signed.is_empty() {
                    signature.get_or_insert_default().push_str(signed);
                }
            }
            Part::Call(call) => call.arguments.push_str(more("partial_json")),
            Part::Opaque { .. } => {}
        }
        Ok(())
    }

    /// Counts are of the whole message so far. The input counts without what went through a cache.
    fn count(&mut self, usage: &Value) {
        let count = |key: &str| usage[key].as_u64();
        let u = &mut self.usage;
        let cached = u.cache_creation_input_tokens.saturating_add(u.cache_read_input_tokens);
        let plain = count("input_tokens").unwrap_or(u.input_tokens.saturating_sub(cached));
        let or = |now: Option<u64>, before: u64| now.unwrap_or(before);
        u.cache_creation_input_tokens =
            or(count("cache_creation_input_tokens"), u.cache_creation_input_tokens);
        u.cache_read_input_tokens = or(count("cache_read_input_tokens"), u.cache_read_input_tokens);
        u.output_tokens = or(count("output_tokens"), u.output_tokens);
        u.input_tokens = plain
            .saturating_add(u.cache_creation_input_tokens)
            .saturating_add(u.cache_read_input_tokens);
        if let Some(tier) = usage["service_tier"].as_str() {
            u.service_tier = Some(tier.to_owned());
        }
    }
}

/// A part as it is in an answer; texts that say nothing are left out.
fn whole(part: Part) -> Option<Part> {
    match part {
        Part::Text { text } if text.is_empty() => None,
        Part::Thinking { text, signature: None } if text.is_empty() => None,
        Part::Call(call) if call.arguments.is_empty() => {
            Some(Part::Call(ToolCall { arguments: "{}".to_owned(), ..call }))
        }
        part => Some(part),
    }
}

fn stop(reason: &str) -> Stop {
    match reason {
        "tool_use" => Stop::Calls,
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "refusal" => Stop::Refused,
        _ => Stop::End,
    }
}
