//! A client that does not read.

use serde_json::json;

use super::{Client, stage};
use crate::stage::until;

/// Pieces of the agent's one message.
const PIECES: usize = 100_000;

#[test]
fn a_client_that_does_not_read_holds_nobody_up_and_can_read_everything_later() {
    let turn = format!("{{text: \"{}\", piece: 1}}", "x".repeat(PIECES));
    let stage = stage(&[("orchestrator", &[&turn])]);
    let mut client = Client::silent(&stage);
    client.request("initialize", json!({}));
    client.request("thread/start", json!({ "model": "script:script.yaml" }));
    let threads = || stage.sandbox.json(&["ps", "--all", "--format", "json"]);
    let mut id = None;
    until("there is a thread", || {
        let listed = threads();
        let first = listed.as_array().and_then(|all| all.first()?["agent_id"].as_str());
        id = first.map(str::to_owned);
        id.is_some()
    });
    let thread = id.unwrap();
    let input = json!([{ "type": "text", "text": "Go." }]);
    client.request("turn/start", json!({ "threadId": thread, "input": input }));
    // The agent comes to its end although nobody reads what it says.
    let waited = stage.sandbox.command(&["wait", &thread, "--timeout-ms", "600000"]).output();
    assert!(waited.unwrap().status.success());
    client.read();
    let behind = client.until(|message| message["method"] == "client/fellBehind");
    assert_eq!(behind["params"]["sessionId"], thread.as_str());
    // No answer was lost.
    let answers = client.seen.iter().filter(|message| message.get("result").is_some()).count();
    assert_eq!(answers, 3);
    let mut from = behind["params"]["fromSeq"].clone();
    let first = from.as_u64().unwrap();
    let (mut next, mut text) = (first, String::new());
    loop {
        let params = json!({ "threadId": thread, "fromSeq": from, "limit": 10_000 });
        let page = client.ask("thread/read", params);
        for event in page["events"].as_array().unwrap() {
            assert_eq!(event["seq"], next);
            next += 1;
            if event["event_type"] == "TEXT_CHUNK" {
                text.push_str(event["data"]["text"].as_str().unwrap());
            }
        }
        from = page["nextSeq"].clone();
        if page["hasMore"] == false {
            break;
        }
    }
    // What it had been told before and what it has read now are everything.
    let told = client.all("item/agentMessage/delta").len();
    assert!(told + text.len() >= PIECES, "{told} and {}", text.len());
    // It hears of what happens from here on.
    client.ask("thread/note/set", json!({ "threadId": thread, "note": "still there" }));
    assert_eq!(client.all("thread/note/updated").len(), 1);
    assert_eq!(client.hang_up(), Some(0));
}
