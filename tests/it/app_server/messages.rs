//! Messages that are wrong, and those that come too early.

use serde_json::{Value, json};

use super::{Client, stage};

/// Sends a line as it is; the error it is answered with, and to which id.
#[track_caller]
fn refused(client: &mut Client, line: &[u8]) -> (Value, i64) {
    client.send_raw(line);
    let answer = client.receive();
    (answer["id"].clone(), answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}")))
}

#[test]
fn what_is_wrong_with_a_message_is_answered_and_the_server_lives_on() {
    let stage = stage(&[("orchestrator", &["{text: Hello.}"])]);
    let mut client = Client::new(&stage);
    let lines: &[(&str, Value, i64)] = &[
        ("{", json!(null), -32700),
        ("garbage", json!(null), -32700),
        ("\u{0}\u{ff}", json!(null), -32700),
        ("[]", json!(null), -32600),
        (r#"[{"jsonrpc": "2.0", "id": 1, "method": "agents/list"}]"#, json!(null), -32600),
        ("17", json!(null), -32600),
        (r#"{"id": 4, "method": "agents/list"}"#, json!(4), -32600),
        (r#"{"jsonrpc": "1.0", "id": "x", "method": "agents/list"}"#, json!("x"), -32600),
        (r#"{"jsonrpc": "2.0", "id": {}, "method": "agents/list"}"#, json!(null), -32600),
        (r#"{"jsonrpc": "2.0", "id": 5, "method": 5}"#, json!(5), -32600),
        (r#"{"jsonrpc": "2.0", "id": 6}"#, json!(6), -32600),
        (r#"{"jsonrpc": "2.0", "id": "seven", "method": "nope"}"#, json!("seven"), -32601),
        (r#"{"jsonrpc": "2.0", "id": 8, "method": "thread/read"}"#, json!(8), -32602),
        (
            r#"{"jsonrpc": "2.0", "id": 9, "method": "thread/read", "params": [1]}"#,
            json!(9),
            -32602,
        ),
        (
            r#"{"jsonrpc": "2.0", "id": 10, "method": "thread/read", "params": {"threadId": "x"}}"#,
            json!(10),
            -32001,
        ),
    ];
    for (line, id, code) in lines {
        assert_eq!(refused(&mut client, line.as_bytes()), (id.clone(), *code), "{line}");
    }
    assert_eq!(refused(&mut client, b"\xff\xfe{}"), (json!(null), -32700));
    // It is as good as before.
    let thread = client.start(json!({}));
    assert_eq!(client.play(&thread, "Go.")["status"], "completed");
    assert_eq!(client.hang_up(), Some(0));
}

#[test]
fn an_answer_names_the_parameter_that_is_wrong() {
    let stage = stage(&[("orchestrator", &["{text: Hello.}"])]);
    let mut client = Client::new(&stage);
    let input = json!([{ "type": "text", "text": 5 }]);
    let (code, message) = client.refused("turn/start", json!({ "threadId": "x", "input": input }));
    assert_eq!(code, -32602);
    assert!(message.contains("input"), "{message}");
    let (code, message) = client.refused("thread/start", json!({ "aggent": "x" }));
    assert_eq!(code, -32602);
    assert!(message.contains("unknown field `aggent`"), "{message}");
}

#[test]
fn a_line_that_is_too_long_is_skipped() {
    let stage = stage(&[("orchestrator", &["{text: Hello.}"])]);
    let mut client = Client::new(&stage);
    let long = format!(r#"{{"jsonrpc": "2.0", "id": 1, "x": "{}"}}"#, "x".repeat(17 << 20));
    assert_eq!(refused(&mut client, long.as_bytes()), (json!(null), -32005));
    client.ask("agents/list", json!({}));
}

#[test]
fn nothing_is_done_before_a_client_has_introduced_itself() {
    let stage = stage(&[("orchestrator", &["{text: Hello.}"])]);
    let mut client = Client::silent(&stage);
    client.read();
    assert_eq!(client.refused("thread/list", json!({})).0, -32002);
    assert_eq!(client.refused("nope", json!({})).0, -32002);
    let hello = client.ask("initialize", json!({}));
    assert_eq!(hello["serverInfo"]["name"], "agentctl");
    assert_eq!(hello["protocolVersion"], 1);
    assert_eq!(client.ask("thread/list", json!({}))["data"], json!([]));
}

#[test]
fn a_notification_is_never_answered() {
    let stage = stage(&[("orchestrator", &["{text: Hello.}"])]);
    let mut client = Client::new(&stage);
    for method in ["initialized", "nope", "thread/read"] {
        client.send(&json!({ "jsonrpc": "2.0", "method": method }));
    }
    client.ask("agents/list", json!({}));
    assert_eq!(client.seen, Vec::<Value>::new());
}

#[test]
fn the_agents_there_are_are_listed_with_what_they_get() {
    let broken = "---\nagentType: broken\nwhenToUse: Never.\ntools: [nonsense]\n---\nDo it.\n";
    let stage = stage(&[("orchestrator", &["{text: Hello.}"])]).file("agents/broken.md", broken);
    let mut client = Client::new(&stage);
    let listed = client.ask("agents/list", json!({}));
    let find = |name: &str| {
        let all = listed["data"].as_array().unwrap();
        all.iter().find(|agent| agent["agentType"] == name).unwrap_or_else(|| panic!("{listed}"))
    };
    let orchestrator = find("orchestrator");
    assert_eq!(orchestrator["source"], "builtin");
    let tools = orchestrator["tools"].as_array().unwrap();
    assert!(tools.contains(&json!("spawn_agent")), "{orchestrator}");
    assert_ne!(find("broken")["problems"], json!([]));
    let (code, message) = client.refused("thread/start", json!({ "agent": "broken" }));
    assert_eq!(code, -32006, "{message}");
    let (code, message) = client.refused("thread/start", json!({ "agent": "nobody" }));
    assert_eq!(code, -32006);
    assert!(message.contains("nobody"), "{message}");
}
