//! A request, made ready for any wire format.
//!
//! Every provider wants a result for each call, names without dots, and its own thinking back but
//! nobody else's. That is settled here once; the formats only write it down.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::{
    conversation::{Message, Part, ToolCall, ToolResult},
    provider::{Request, Sampling},
};

/// The longest name of a tool that every provider takes.
const MAX_NAME: usize = 64;
/// What the model is told about a call nobody answered.
const NO_RESULT: &str = "no result: the call was interrupted";

/// What a model is asked.
#[derive(Debug)]
pub(super) struct Ask<'a> {
    /// The model, by the provider's own name.
    pub model: &'a str,
    /// The system prompt; `None` if it says nothing.
    pub system: Option<&'a str>,
    /// The conversation.
    pub turns: Vec<Turn<'a>>,
    /// The tools, by the names that are sent.
    pub tools: Vec<Tool<'a>>,
    /// How words are chosen.
    pub sampling: &'a Sampling,
}

/// A tool as it is sent.
#[derive(Debug)]
pub(super) struct Tool<'a> {
    pub name: String,
    pub description: &'a str,
    pub parameters: Cow<'a, Value>,
}

/// One turn of the conversation. None is empty.
#[derive(Debug)]
pub(super) enum Turn<'a> {
    /// Whoever gave the task speaks.
    User(&'a str),
    /// The model speaks.
    Model(Vec<Piece<'a>>),
    /// The results of all calls of the turn before, in their order.
    Results(Vec<Outcome<'a>>),
}

/// A part of what a model said. Thinking and what is opaque are the asked model's own.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    Thinking { text: &'a str, signature: Option<&'a str> },
    Call(Call<'a>),
    Opaque(&'a Value),
}

/// A call of a tool.
#[derive(Debug)]
pub(super) struct Call<'a> {
    /// Never empty, and letters, digits, `_` and `-` only.
    pub id: String,
    /// The id as the asked model gave it; `None` if it gave none, or another model called.
    pub own_id: Option<&'a str>,
    pub name: String,
    /// Empty if what the model wrote is no JSON object.
    pub arguments: Map<String, Value>,
    pub signature: Option<&'a str>,
}

impl Call<'_> {
    /// The arguments as text.
    pub(super) fn arguments_text(&self) -> String {
        serde_json::to_string(&self.arguments).unwrap_or_default()
    }
}

/// What became of a call.
#[derive(Debug)]
pub(super) struct Outcome<'a> {
    /// The id of its call.
    pub id: String,
    /// The id as the asked model gave it.
    pub own_id: Option<&'a str>,
    pub name: String,
    pub content: &'a str,
    pub is_error: bool,
}

impl Outcome<'_> {
    /// The content for a provider that has no word for failure.
    pub(super) fn spelled_out(&self) -> Cow<'_, str> {
        let starts = self.content.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("error"));
        if self.is_error && !starts {
            Cow::Owned(format!("Error: {}", self.content))
        } else {
            Cow::Borrowed(self.content)
        }
    }
}

impl<'a> Ask<'a> {
    /// `request`, for the model that signs its messages with `by`.
    pub(super) fn new(request: &Request<'a>, by: &str, names: &Names<'a>) -> Self {
        let tools = request.tools.iter().map(|tool| Tool {
            name: names.sent(&tool.name),
            description: &tool.description,
            parameters: object_schema(&tool.parameters),
        });
        let system = (!request.system.trim().is_empty()).then_some(request.system);
        Self {
            model: request.model,
            system,
            turns: turns(request.messages, by, names),
            tools: tools.collect(),
            sampling: request.sampling,
        }
    }
}

/// A schema that says it is about an object, which every provider insists on.
fn object_schema(schema: &Value) -> Cow<'_, Value> {
    match schema {
        Value::Object(fields) if fields.contains_key("type") => Cow::Borrowed(schema),
        Value::Object(fields) => {
            let mut fields = fields.clone();
            fields.insert("type".to_owned(), "object".into());
            fields.entry("properties").or_insert_with(|| Map::new().into());
            Cow::Owned(fields.into())
        }
        _ => Cow::Owned(serde_json::json!({"type": "object", "properties": {}})),
    }
}

/// A call that waits for its result.
struct Waiting<'a> {
    call: &'a ToolCall,
    id: String,
    own_id: Option<&'a str>,
}

fn turns<'a>(messages: &'a [Message], by: &str, names: &Names<'_>) -> Vec<Turn<'a>> {
    let mut turns = Vec::new();
    let mut waiting: Vec<Waiting<'a>> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let results = match message {
            Message::Results { results } => results.as_slice(),
            _ => &[],
        };
        if !waiting.is_empty() {
            turns.push(Turn::Results(settle(&std::mem::take(&mut waiting), results, names)));
        }
        match message {
            Message::User { text } if text.trim().is_empty() => {}
            Message::User { text } => turns.push(Turn::User(text)),
            Message::Assistant { parts, by: author } => {
                let pieces = pieces(parts, at, author == by, names, &mut waiting);
                if !pieces.is_empty() {
                    turns.push(Turn::Model(pieces));
                }
            }
            Message::Results { .. } => {}
        }
    }
    if !waiting.is_empty() {
        turns.push(Turn::Results(settle(&waiting, &[], names)));
    }
    turns
}

fn pieces<'a>(
    parts: &'a [Part],
    at: usize,
    own: bool,
    names: &Names<'_>,
    waiting: &mut Vec<Waiting<'a>>,
) -> Vec<Piece<'a>> {
    let piece = |part: &'a Part| match part {
        Part::Text { text } => (!text.trim().is_empty()).then_some(Piece::Text(text)),
        Part::Thinking { text, signature } => {
            own.then_some(Piece::Thinking { text, signature: signature.as_deref() })
        }
        Part::Opaque { value } => own.then_some(Piece::Opaque(value)),
        Part::Call(call) => {
            let id = wire_id(&call.id, at, waiting.len());
            let own_id = (own && !call.id.is_empty()).then_some(call.id.as_str());
            waiting.push(Waiting { call, id: id.clone(), own_id });
            Some(Piece::Call(Call {
                id,
                own_id,
                name: names.sent(&call.name),
                arguments: serde_json::from_str(&call.arguments).unwrap_or_default(),
                signature: call.signature.as_deref().filter(|_| own),
            }))
        }
    };
    parts.iter().filter_map(piece).collect()
}

/// The result of each of `calls`, found by id, or by place where there are no ids.
fn settle<'a>(
    calls: &[Waiting<'a>],
    results: &'a [ToolResult],
    names: &Names<'_>,
) -> Vec<Outcome<'a>> {
    let outcome = |(at, waiting): (usize, &Waiting<'a>)| {
        let fits = |result: &&ToolResult| result.call_id == waiting.call.id;
        let in_place = results.get(at).filter(fits);
        let found = in_place
            .or_else(|| results.iter().find(|result| !result.call_id.is_empty() && fits(result)));
        Outcome {
            id: waiting.id.clone(),
            own_id: waiting.own_id,
            name: names.sent(&waiting.call.name),
            content: found.map_or(NO_RESULT, |result| &result.content),
            is_error: found.is_none_or(|result| result.is_error),
        }
    };
    calls.iter().enumerate().map(outcome).collect()
}

/// An id every provider takes: the model's own if there is one, else one made from the place.
fn wire_id(id: &str, message: usize, call: usize) -> String {
    if id.is_empty() { format!("call_{message}_{call}") } else { plain(id) }
}

/// The names of tools as they are sent, and what they stand for.
#[derive(Debug)]
pub(super) struct Names<'a> {
    sent: Vec<(String, &'a str)>,
}

impl<'a> Names<'a> {
    /// Names for the tools of `request`, no two the same.
    pub(super) fn new(request: &Request<'a>) -> Self {
        let mut sent: Vec<(String, &str)> = Vec::with_capacity(request.tools.len());
        for tool in request.tools {
            let base: String = plain(&tool.name).chars().take(MAX_NAME).collect();
            let as_it_is = |name: &str| request.tools.iter().any(|other| other.name == name);
            let mut name = base.clone();
            let mut number = 2;
            while name != tool.name
                && (as_it_is(&name) || sent.iter().any(|(taken, _)| *taken == name))
            {
                let kept: String = base.chars().take(MAX_NAME - 4).collect();
                name = format!("{kept}_{number}");
                number += 1;
            }
            sent.push((name, &tool.name));
        }
        Self { sent }
    }

    /// The name that is sent for `name`.
    pub(super) fn sent(&self, name: &str) -> String {
        let known = self.sent.iter().find(|(_, canonical)| *canonical == name);
        known.map_or_else(|| plain(name).chars().take(MAX_NAME).collect(), |(sent, _)| sent.clone())
    }

    /// What a name that came back stands for.
    pub(super) fn received(&self, name: String) -> String {
        match self.sent.iter().find(|(sent, _)| *sent == name) {
            Some((_, canonical)) => (*canonical).to_owned(),
            None => name,
        }
    }
}

/// `text` with `_` for all that no provider is sure to take.
fn plain(text: &str) -> String {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.chars().map(|c| if fine(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::http::tests::{call, question, result, tool};

    #[test]
    fn names_with_dots_come_back_as_they_were() {
        let long = "x".repeat(80);
        let names = ["collaboration.init_agent", "a.b", "a_b", "a:b", &long];
        let tools: Vec<_> = names.iter().map(|name| tool(name)).collect();
        let request = Request { tools: &tools, ..question() };
        let known = Names::new(&request);
        let sent: Vec<String> = names.iter().map(|name| known.sent(name)).collect();
        assert_eq!(
            sent,
            ["collaboration_init_agent", "a_b_2", "a_b", "a_b_3", &"x".repeat(MAX_NAME)]
        );
        for (sent, name) in sent.into_iter().zip(names) {
            assert_eq!(known.received(sent), name);
        }
        assert_eq!(known.received("other".to_owned()), "other");
        assert_eq!(known.sent("not.offered"), "not_offered");
    }

    #[test]
    fn a_tool_that_has_the_name_another_is_sent_by_is_not_taken_for_it() {
        let names = ["collaboration.init_agent", "collaboration_init_agent"];
        let tools: Vec<_> = names.iter().map(|name| tool(name)).collect();
        let said =
            |name: &str| Message::Assistant { parts: vec![call("1", name)], by: String::new() };
        let messages = names.map(said);
        let request = Request { tools: &tools, messages: &messages, ..question() };
        let known = Names::new(&request);
        let sent = ["collaboration_init_agent_2", "collaboration_init_agent"];
        // What was called before goes by the same names as what can be called now.
        let history: Vec<String> = turns(&messages, "m", &known)
            .into_iter()
            .filter_map(|turn| match turn {
                Turn::Model(mut pieces) => pieces.pop(),
                _ => None,
            })
            .filter_map(|piece| if let Piece::Call(call) = piece { Some(call.name) } else { None })
            .collect();
        assert_eq!(history, sent);
        for (sent, name) in sent.into_iter().zip(names) {
            assert_eq!(
                (known.sent(name).as_str(), known.received(sent.to_owned()).as_str()),
                (sent, name)
            );
        }
        // Without the other, both spellings of an old call are sent alike.
        let request = Request { tools: &tools[..1], ..question() };
        let known = Names::new(&request);
        for name in names {
            assert_eq!(known.sent(name), "collaboration_init_agent");
        }
    }

    #[test]
    fn every_call_gets_exactly_one_result() {
        let by = || "m".to_owned();
        let messages = [
            Message::user("go"),
            Message::Assistant { parts: vec![call("", "a"), call("x|1", "b")], by: by() },
            Message::Results { results: vec![result("", "first"), result("x|1", "second")] },
            Message::Assistant { parts: vec![call("1", "a"), call("2", "b")], by: by() },
            Message::Results { results: vec![result("2", "late"), result("9", "stray")] },
            Message::Assistant { parts: vec![call("3", "a")], by: by() },
            Message::user("stop"),
        ];
        let request = Request { messages: &messages, ..question() };
        let seen: Vec<(String, &str, bool)> = turns(&messages, "m", &Names::new(&request))
            .into_iter()
            .flat_map(|turn| match turn {
                Turn::Results(results) => results,
                _ => Vec::new(),
            })
            .map(|outcome| (outcome.id, outcome.content, outcome.is_error))
            .collect();
        let expected = [
            ("call_1_0", "first", false),
            ("x_1", "second", false),
            ("1", NO_RESULT, true),
            ("2", "late", false),
            ("3", NO_RESULT, true),
        ];
        assert_eq!(seen, expected.map(|(id, content, error)| (id.to_owned(), content, error)));
    }

    #[test]
    fn thinking_goes_back_only_to_the_model_that_thought() {
        let thinking = Part::Thinking { text: "hm".to_owned(), signature: Some("s".to_owned()) };
        let parts = vec![thinking, Part::Opaque { value: Value::Null }, call("1", "a")];
        let messages = [Message::Assistant { parts, by: "p/m".to_owned() }];
        let request = Request { messages: &messages, ..question() };
        for (by, expected) in [("p/m", 3), ("p/other", 1)] {
            let turns = turns(&messages, by, &Names::new(&request));
            let Turn::Model(pieces) = &turns[0] else { panic!("{turns:?}") };
            assert_eq!(pieces.len(), expected, "{by}");
        }
    }
}
