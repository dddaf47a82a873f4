//! What is sent to Anthropic, and what is read.

use super::*;
use crate::{
    conversation::Message as Said,
    provider::{
        Request, Sampling,
        http::tests::{
            body, call, called, conversation, question, read, sampled, sampling, text, thought,
            tool,
        },
    },
};

/// Breaks of the provider's published rules for messages.
fn broken_rules(body: &Value) -> Vec<String> {
    let mut broken = Vec::new();
    if body["max_tokens"].as_u64().is_none_or(|tokens| tokens == 0) {
        broken.push("no max_tokens".to_owned());
    }
    if body.to_string().matches("cache_control").count() > 4 {
        broken.push("too many cache marks".to_owned());
    }
    let mut calls: Vec<&Value> = Vec::new();
    let mut role = "assistant";
    for message in body["messages"].as_array().unwrap() {
        let now = message["role"].as_str().unwrap();
        if now == role {
            broken.push(format!("two messages of {role}"));
        }
        role = now;
        let content = message["content"].as_array().unwrap();
        if content.is_empty() {
            broken.push("an empty message".to_owned());
        }
        let of = |kind: &str, key: &str| -> Vec<&Value> {
            content.iter().filter(|block| block["type"] == kind).map(|block| &block[key]).collect()
        };
        if of("tool_result", "tool_use_id") != calls {
            broken.push(format!("results for {calls:?} are missing"));
        }
        let rest = content.iter().skip_while(|block| block["type"] == "tool_result");
        if rest.into_iter().any(|block| block["type"] == "tool_result") {
            broken.push("a result after a text".to_owned());
        }
        if of("text", "text").iter().any(|text| text.as_str().unwrap().trim().is_empty()) {
            broken.push("an empty text".to_owned());
        }
        calls = of("tool_use", "id");
    }
    if !calls.is_empty() || role != "user" {
        broken.push("the end is not the user's".to_owned());
    }
    broken
}

#[test]
fn a_conversation_is_sent_with_its_thinking_and_cached() {
    let parts = vec![
        thought("hm", Some("sig")),
        Part::Opaque { value: json!({"type": "redacted_thinking", "data": "x"}) },
        text("Sure."),
        called("c1", "collaboration.init_agent", "{\"n\":1}", None),
        called("c2", "read_file", "{\"n\":", None),
    ];
    let messages = conversation(parts);
    let tools = [tool("collaboration.init_agent"), tool("read_file")];
    let request = Request { system: "Be brief.", messages: &messages, tools: &tools, ..question() };
    let body = body(&FORMAT, &request);
    let schema = json!({"type": "object", "properties": {}});
    let mark = json!({"type": "ephemeral"});
    assert_eq!(
        body,
        json!({
            "model": "m",
            "max_tokens": 32_000,
            "stream": true,
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Do it."}]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "sig"},
                    {"type": "redacted_thinking", "data": "x"},
                    {"type": "text", "text": "Sure."},
                    {"type": "tool_use", "id": "c1", "name": "collaboration_init_agent", "input": {"n": 1}},
                    {"type": "tool_use", "id": "c2", "name": "read_file", "input": {}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "done"},
                    {"type": "tool_result", "tool_use_id": "c2", "content": "cannot", "is_error": true},
                    {"type": "text", "text": "Hurry.", "cache_control": mark},
                ]},
            ],
            "system": [{"type": "text", "text": "Be brief.", "cache_control": mark}],
            "tools": [
                {"name": "collaboration_init_agent", "description": "collaboration.init_agent.", "input_schema": schema},
                {"name": "read_file", "description": "read_file.", "input_schema": schema, "cache_control": mark},
            ],
        })
    );
    assert_eq!(broken_rules(&body), [""; 0]);
}

#[test]
fn whatever_was_said_the_published_rules_are_kept() {
    let by = |name: &str| name.to_owned();
    let conversations = [
        vec![Said::user("a"), Said::user("b")],
        vec![
            Said::user("a"),
            Said::Assistant { parts: vec![call("", "x"), call("", "y")], by: by("gemini/g") },
            Said::user("never mind"),
        ],
        vec![
            Said::user("a"),
            Said::Assistant { parts: vec![text(" "), thought("t", None)], by: by("p/m") },
            Said::user("b"),
        ],
        vec![Said::user("a"), Said::Assistant { parts: vec![call("1", "x")], by: by("p/m") }],
        conversation(vec![call("c|1", "x"), text("and"), call("c2", "y")]),
    ];
    for messages in conversations {
        let request = Request { messages: &messages, system: "s", ..question() };
        let body = body(&FORMAT, &request);
        assert_eq!(broken_rules(&body), [""; 0], "{body:#}");
    }
}

#[test]
fn each_generation_thinks_in_its_own_way() {
    let cases = [
        // Too old to think.
        (
            "claude-3-5-haiku-20241022",
            sampling(Some(0.5), Some(9_000), None),
            json!({"max_tokens": 8_192, "temperature": 0.5}),
        ),
        ("claude-3-haiku-20240307", sampling(None, None, None), json!({"max_tokens": 4_096})),
        // With a budget, and then without a temperature.
        (
            "claude-sonnet-4-5",
            sampling(Some(0.5), Some(9_000), None),
            json!({"max_tokens": 32_000, "thinking": {"type": "enabled", "budget_tokens": 9_000}}),
        ),
        (
            "claude-sonnet-4-20250514",
            sampling(None, Some(-1), None),
            json!({"max_tokens": 32_000, "thinking": {"type": "enabled", "budget_tokens": 24_000}}),
        ),
        (
            "claude-opus-4-1",
            sampling(None, Some(1), None),
            json!({"max_tokens": 32_000, "thinking": {"type": "enabled", "budget_tokens": 1_024}}),
        ),
        (
            "claude-3-7-sonnet-latest",
            sampling(None, None, Some("medium")),
            json!({"max_tokens": 32_000, "thinking": {"type": "enabled", "budget_tokens": 8_192}}),
        ),
        (
            "claude-sonnet-4-5",
            sampling(Some(1.5), Some(0), None),
            json!({"max_tokens": 32_000, "temperature": 1.0}),
        ),
        // As it likes.
        (
            "claude-opus-4-6",
            sampling(Some(0.5), None, None),
            json!({"max_tokens": 32_000, "temperature": 0.5}),
        ),
        (
            "claude-opus-4-6",
            sampling(None, None, Some("xhigh")),
            json!({"max_tokens": 32_000, "thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "high"}}),
        ),
        (
            "claude-opus-4-7",
            sampling(Some(0.5), None, Some("xhigh")),
            json!({"max_tokens": 32_000, "thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "xhigh"}}),
        ),
        ("claude-sonnet-5", sampling(Some(0.5), Some(0), None), json!({"max_tokens": 32_000})),
    ];
    for (model, sampling, expected) in cases {
        assert_eq!(sampled(&FORMAT, model, &sampling), expected, "{model} {sampling:?}");
    }
    let both = Sampling { top_p: Some(0.9), ..sampling(Some(0.1), None, None) };
    let sent = sampled(&FORMAT, "claude-sonnet-4-5", &both);
    assert_eq!(sent, json!({"max_tokens": 32_000, "temperature": 0.1}), "only one of the two");
}

#[test]
fn does_not_begin_to_think_after_calls_that_were_made_without() {
    let sampling = sampling(None, Some(5_000), None);
    for (by, thinks) in [("p/claude-sonnet-4-5", true), ("openai/gpt-5", false)] {
        let parts = vec![thought("hm", Some("sig")), call("c1", "x"), call("c2", "y")];
        let mut messages = conversation(parts);
        messages.pop();
        if let Said::Assistant { by: author, .. } = &mut messages[1] {
            by.clone_into(author);
        }
        let request = Request {
            model: "claude-sonnet-4-5",
            messages: &messages,
            sampling: &sampling,
            ..question()
        };
        assert_eq!(body(&FORMAT, &request)["thinking"].is_object(), thinks, "{by}");
    }
}

#[test]
fn the_version_may_or_may_not_be_in_the_base_url() {
    for base in ["https://a.example", "https://a.example/v1"] {
        assert_eq!(url(base, "m"), "https://a.example/v1/messages");
    }
}

#[test]
fn the_reason_to_stop_is_kept() {
    for (reason, expected) in [
        ("end_turn", Stop::End),
        ("tool_use", Stop::Calls),
        ("max_tokens", Stop::Length),
        ("refusal", Stop::Refused),
    ] {
        let answer = read(
            &FORMAT,
            &[
                json!({"type": "message_start", "message": {"usage": {"input_tokens": 1}}}),
                json!({"type": "something_new"}),
                json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 2}}),
                json!({"type": "message_stop"}),
            ],
        );
        assert_eq!(answer.unwrap().stop, expected);
    }
}

#[test]
fn an_end_without_all_blocks_is_no_end() {
    let start = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a"}});
    let delta = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}});
    let stop = json!({"type": "message_stop"});
    for events in [vec![start, delta, stop.clone()], vec![stop]] {
        let error = read(&FORMAT, &events).unwrap_err();
        assert!(matches!(error, ModelError::Truncated { .. }), "{error}");
    }
}
