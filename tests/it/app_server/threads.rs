//! Threads: started, read, listed, labelled, closed, and gone on with elsewhere.

use serde_json::{Value, json};

use super::{Client, stage};
use crate::stage::until;

#[test]
fn a_turn_is_told_as_items() {
    let turns = [
        "{thinking: Let me see., text: Looking., tool_calls: [{name: list_dir, id: c1, arguments: {path: .}}, {name: shell, id: c2, arguments: {command: echo hi}}, {name: write_file, id: c3, arguments: {path: a.txt, content: hi}}]}",
        "{text: Done.}",
    ];
    let stage = stage(&[("orchestrator", &turns)]);
    let mut client = Client::new(&stage);
    let thread = client.start(json!({ "note": " my  label ", "approvals": "always" }));
    let turn = client.tell(&thread, "Hello.");
    let ended = client.turn_ends(&thread);
    assert_eq!(ended, json!({ "id": turn, "status": "completed", "error": null }));
    client.assert_balanced();
    let kinds: Vec<&Value> =
        client.all("item/started").into_iter().map(|params| &params["item"]["type"]).collect();
    let expected = [
        "userMessage",
        "reasoning",
        "agentMessage",
        "toolCall",
        "commandExecution",
        "fileChange",
        "agentMessage",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(client.items("userMessage")[0]["content"][0]["text"], "Hello.");
    assert_eq!(client.items("reasoning")[0]["text"], "Let me see.");
    assert_eq!(client.items("commandExecution")[0]["command"], "echo hi");
    assert_eq!(client.items("fileChange")[0]["tool"], "write_file");
    let read = client.ask("thread/read", json!({ "threadId": thread }));
    assert_eq!(read["thread"]["note"], "my label");
    assert_eq!(read["thread"]["preview"], "Hello.");
    assert_eq!(read["thread"]["status"], "completed");
    assert_eq!(read["thread"]["isLive"], true);
    let events = read["events"].as_array().unwrap();
    let seqs: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (0..events.len() as u64).collect::<Vec<_>>());
    assert_eq!(read["nextSeq"], events.len());
    assert_eq!(read["hasMore"], false);
    let rest = json!({ "threadId": thread, "fromSeq": 3, "limit": 2 });
    let part = client.ask("thread/read", rest);
    assert_eq!(part["events"], json!(events[3..5]));
    assert_eq!((&part["nextSeq"], &part["hasMore"]), (&json!(5), &json!(true)));
}

#[test]
fn a_failing_model_is_told_as_errors_and_a_failed_turn() {
    let turns = ["{error: {kind: overloaded}}", "{text: Hello.}", "{error: {kind: garbage}}"];
    let stage = stage(&[("orchestrator", &turns)]);
    let mut client = Client::new(&stage);
    let thread = client.start(json!({}));
    assert_eq!(client.play(&thread, "Go.")["status"], "completed");
    assert_eq!(client.all("error")[0]["willRetry"], true);
    let ended = client.play(&thread, "Go on.");
    assert_eq!(ended["status"], "failed");
    assert!(ended["error"]["message"].is_string(), "{ended}");
    client.assert_balanced();
}

#[test]
fn two_threads_work_at_the_same_time() {
    let turns = ["{delay_ms: 100, text: One.}", "{delay_ms: 100, text: Two.}"];
    let stage = stage(&[("orchestrator", &turns)]);
    let mut client = Client::new(&stage);
    let threads = [client.start(json!({})), client.start(json!({}))];
    for thread in &threads {
        client.tell(thread, "Go.");
    }
    let mut ended = 0;
    client.until(|message| {
        ended += usize::from(message["method"] == "turn/completed");
        ended == 2
    });
    let order: Vec<&str> = client
        .seen
        .iter()
        .filter_map(|message| message["method"].as_str())
        .filter(|method| method.starts_with("turn/"))
        .collect();
    assert_eq!(order, ["turn/started", "turn/started", "turn/completed", "turn/completed"]);
    for thread in &threads {
        let read = client.ask("thread/read", json!({ "threadId": thread }));
        assert_eq!(read["thread"]["status"], "completed");
        assert_eq!(read["events"][0]["seq"], 0);
    }
    client.assert_balanced();
}

#[test]
fn every_event_comes_as_it_is_to_a_client_that_wants_it() {
    let stage = stage(&[("orchestrator", &["{text: Hello.}"])]);
    let mut client = Client::silent(&stage);
    client.read();
    client.ask("initialize", json!({ "capabilities": { "events": true } }));
    let thread = client.start(json!({}));
    client.play(&thread, "Go.");
    let read = client.ask("thread/read", json!({ "threadId": thread }));
    let told: Vec<Value> =
        client.all("thread/event").iter().map(|params| params["event"].clone()).collect();
    assert_eq!(json!(told), read["events"]);
}

#[test]
fn a_thread_goes_on_in_another_process() {
    let turns = ["{text: One.}", "{expect: {messages: 'Remember 7.*One.*What'}, text: Seven.}"];
    let stage = stage(&[("orchestrator", &turns[..1])]);
    let mut client = Client::new(&stage);
    let thread = client.start(json!({}));
    client.play(&thread, "Remember 7.");
    let before = client.ask("thread/read", json!({ "threadId": thread }));
    assert_eq!(client.hang_up(), Some(0));

    stage.sandbox.write("script.yaml", &crate::stage::script(&turns[1..]));
    let mut client = Client::new(&stage);
    let stored = client.ask("thread/read", json!({ "threadId": thread }));
    assert_eq!(stored["events"], before["events"]);
    assert_eq!(stored["thread"]["isLive"], false);
    assert_eq!(stored["thread"]["status"], "completed");
    let input = json!([{ "type": "text", "text": "What?" }]);
    let (code, message) =
        client.refused("turn/start", json!({ "threadId": thread, "input": input }));
    assert_eq!(code, -32003);
    assert!(message.contains("thread/resume"), "{message}");
    let resumed = client.ask("thread/resume", json!({ "threadId": thread }));
    assert_eq!(resumed["thread"]["isLive"], true);
    let ended = client.play(&thread, "What?");
    assert_eq!(ended["status"], "completed", "{ended}");
    let read = client.ask("thread/read", json!({ "threadId": thread }));
    let events = read["events"].as_array().unwrap();
    let first = before["events"].as_array().unwrap().len();
    assert_eq!(json!(events[..first]), before["events"]);
    assert_eq!(events[first]["seq"], first);
    // While it is this server's, it is no other's.
    let mut other = Client::new(&stage);
    assert_eq!(other.refused("thread/resume", json!({ "threadId": thread })).0, -32003);
    assert_eq!(other.ask("thread/read", json!({ "threadId": thread }))["events"], json!(events));
}

#[test]
fn a_thread_that_was_opened_and_not_used_is_what_it_was_before() {
    let stage = stage(&[("orchestrator", &["{text: One.}"])]);
    let mut client = Client::new(&stage);
    let used = client.start(json!({}));
    client.play(&used, "Go.");
    let unused = client.start(json!({}));
    assert_eq!(client.hang_up(), Some(0));
    let mut client = Client::new(&stage);
    client.ask("thread/resume", json!({ "threadId": used }));
    assert_eq!(client.hang_up(), Some(0));
    let mut client = Client::new(&stage);
    let status = |client: &mut Client, id: &str| {
        client.ask("thread/read", json!({ "threadId": id }))["thread"]["status"].clone()
    };
    assert_eq!(status(&mut client, &used), "completed");
    assert_eq!(status(&mut client, &unused), "shutdown");
}

#[test]
fn threads_are_listed_the_newest_first_page_by_page() {
    let task = "{tool_calls: [{name: spawn_agent, id: c1, arguments: {agent_type: worker, message: Do it.}}]}";
    let turns = [task, "{text: One.}", "{text: Two.}"];
    let stage = stage(&[("orchestrator", &turns), ("worker", &["{text: Did it.}"])]);
    let mut client = Client::new(&stage);
    let threads = [client.start(json!({})), client.start(json!({})), client.start(json!({}))];
    client.play(&threads[0], "Go.");
    let page = client.ask("thread/list", json!({ "limit": 2 }));
    let ids = |page: &Value| -> Vec<String> {
        let all = page["data"].as_array().unwrap().iter();
        all.map(|thread| thread["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&page), [threads[2].clone(), threads[1].clone()]);
    let next = client.ask("thread/list", json!({ "limit": 2, "cursor": page["nextCursor"] }));
    assert_eq!(ids(&next), threads[..1]);
    assert_eq!(next["nextCursor"], Value::Null);
    let all = client.ask("thread/list", json!({ "includeChildren": true }));
    assert_eq!(ids(&all).len(), 4);
    let below = client.ask("thread/list", json!({ "parentThreadId": threads[0] }));
    assert_eq!(ids(&below), ids(&all)[..1]);
    let read = client.ask("thread/read", json!({ "threadId": threads[0] }));
    assert_eq!(read["descendants"][0]["id"], below["data"][0]["id"]);
}

#[test]
fn a_label_is_kept_and_told() {
    let stage = stage(&[("orchestrator", &["{text: One.}"])]);
    let mut client = Client::new(&stage);
    let thread = client.start(json!({}));
    let params = json!({ "threadId": thread, "note": " two \n words " });
    assert_eq!(client.ask("thread/note/set", params)["threadNote"], "two words");
    let told = json!({ "threadId": thread, "threadNote": "two words" });
    assert_eq!(client.all("thread/note/updated"), [&told]);
    assert_eq!(client.hang_up(), Some(0));
    let mut client = Client::new(&stage);
    let read = client.ask("thread/read", json!({ "threadId": thread }));
    assert_eq!(read["thread"]["note"], "two words");
    let params = json!({ "threadId": thread, "note": "" });
    assert_eq!(client.ask("thread/note/set", params)["threadNote"], Value::Null);
}

#[test]
fn a_thread_that_is_closed_can_be_resumed() {
    let stage = stage(&[("orchestrator", &["{hang: true}", "{text: Back.}"])]);
    let mut client = Client::new(&stage);
    let thread = client.start(json!({}));
    client.tell(&thread, "Go.");
    client.until(|message| message["method"] == "turn/started");
    client.ask("thread/close", json!({ "threadId": thread }));
    assert_eq!(client.turn_ends(&thread)["status"], "interrupted");
    let changes = client.all("thread/status/changed");
    assert_eq!(changes.last().unwrap()["status"], "shutdown");
    let read = client.ask("thread/read", json!({ "threadId": thread }));
    assert_eq!(read["thread"]["status"], "shutdown");
    assert_eq!(read["thread"]["isLive"], false);
    stage.sandbox.write("script.yaml", &crate::stage::script(&["{text: Back.}"]));
    client.ask("thread/resume", json!({ "threadId": thread }));
    let ended = client.play(&thread, "Go on.");
    assert_eq!(ended["status"], "completed", "{ended}");
}

#[test]
fn the_end_of_the_client_and_a_request_to_end_stop_everything() {
    for by_signal in [false, true] {
        let stage = stage(&[("orchestrator", &["{hang: true}"])]);
        let mut client = Client::new(&stage);
        let thread = client.start(json!({}));
        client.tell(&thread, "Go.");
        client.until(|message| message["method"] == "turn/started");
        let exit = if by_signal {
            client.signal("TERM");
            client.ends()
        } else {
            client.hang_up()
        };
        assert_eq!(exit, Some(0));
        let ended = client.all("turn/completed");
        assert_eq!(ended[0]["turn"]["status"], "interrupted");
        until("it rests", || {
            let listed = stage.sandbox.json(&["ps", "--all", "--format", "json"]);
            listed.to_string().contains("interrupted")
        });
    }
}
