//! What agents do to each other, as items.

use serde_json::{Value, json};

use super::{Client, stage};

/// What is in an item, besides names that are new each time.
fn shape(item: &Value) -> Value {
    json!([item["tool"], item["status"], item["prompt"]])
}

#[test]
fn agents_that_are_started_told_waited_for_and_closed_are_items() {
    let main = [
        "{tool_calls: [{name: spawn_agent, id: c1, arguments: {agent_type: worker, message: Do it.}}]}",
        "{tool_calls: [{name: wait, id: c2, arguments: {ids: ['worker#1']}}]}",
        "{tool_calls: [{name: send_input, id: c3, arguments: {id: 'worker#1', message: Once more.}}]}",
        "{tool_calls: [{name: wait, id: c4, arguments: {ids: ['worker#1']}}]}",
        "{tool_calls: [{name: close_agent, id: c5, arguments: {id: 'worker#1'}}]}",
        "{tool_calls: [{name: send_input, id: c6, arguments: {id: nobody, message: Hello?}}]}",
        "{text: Done.}",
    ];
    let worker = ["{text: Did it.}", "{delay_ms: 50, text: Did it again.}"];
    let stage = stage(&[("orchestrator", &main), ("worker", &worker)]);
    let mut client = Client::new(&stage);
    let thread = client.start(json!({}));
    let ended = client.play(&thread, "Go.");
    assert_eq!(ended["status"], "completed", "{ended}");
    client.assert_balanced();

    let items = client.items("collabAgentToolCall");
    let shapes: Vec<Value> = items.iter().map(|item| shape(item)).collect();
    assert_eq!(
        shapes[..5],
        [
            json!(["spawnAgent", "completed", "Do it."]),
            json!(["wait", "completed", null]),
            json!(["sendInput", "completed", "Once more."]),
            json!(["wait", "completed", null]),
            json!(["closeAgent", "completed", null]),
        ]
    );
    let child = items[0]["receiverThreadIds"][0].as_str().unwrap();
    for item in &items[..5] {
        assert_eq!(item["senderThreadId"], thread.as_str());
        assert_eq!(item["receiverThreadIds"], json!([child]), "{item}");
    }
    let state = |at: usize| items[at]["agentsStates"][child].clone();
    assert_eq!(items[0]["model"], "script:script.yaml");
    assert_eq!(state(1), json!({ "status": "completed", "message": "Did it." }));
    assert_eq!(state(3), json!({ "status": "completed", "message": "Did it again." }));
    assert_eq!(state(4)["status"], "shutdown");

    // What could not be done is shown, too, as one thing or the other.
    let failed = client.all("item/completed").into_iter().map(|params| &params["item"]);
    let failed: Vec<&Value> = failed.filter(|item| item["id"] == "c6").collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["status"], "failed");

    // While it goes on, nobody is known.
    let begun = client.all("item/started").into_iter().map(|params| &params["item"]);
    let begun: Vec<&Value> = begun.filter(|item| item["id"] == "c1").collect();
    assert_eq!(begun[0]["status"], "inProgress");
    assert_eq!(begun[0]["receiverThreadIds"], json!([]));
    assert_eq!(begun[0]["agentsStates"], json!({}));
    // No call is shown twice.
    assert!(!client.items("toolCall").iter().any(|item| item["tool"] != "send_input"));

    let started = client.all("thread/started");
    assert_eq!(started[1]["thread"]["id"], child);
    assert_eq!(started[1]["thread"]["parentThreadId"], thread.as_str());
    assert_eq!(started[1]["thread"]["sessionId"], thread.as_str());
    let changes = client.all("thread/status/changed").into_iter();
    let changes: Vec<&Value> =
        changes.filter(|one| one["threadId"] == child).map(|one| &one["status"]).collect();
    assert_eq!(changes, ["running", "completed", "running", "completed", "shutdown"]);
}

#[test]
fn a_client_can_tell_an_agent_below_something() {
    let main = [
        "{tool_calls: [{name: spawn_agent, id: c1, arguments: {agent_type: worker, message: Do it.}}]}",
        "{tool_calls: [{name: wait, id: c2, arguments: {ids: ['worker#1']}}]}",
        "{text: Done.}",
        "{text: I see.}",
    ];
    let worker = ["{text: Did it.}", "{expect: {last_message: '^More'}, text: Did more.}"];
    let stage = stage(&[("orchestrator", &main), ("worker", &worker)]);
    let mut client = Client::new(&stage);
    let thread = client.start(json!({}));
    client.play(&thread, "Go.");
    let child = client.items("collabAgentToolCall")[0]["receiverThreadIds"][0].clone();
    let child = child.as_str().unwrap();
    let ended = client.play(child, "More of it.");
    assert_eq!(ended["status"], "completed", "{ended}");
    let told = client.items("userMessage");
    assert_eq!(told.last().unwrap()["content"][0]["text"], "More of it.");
    let mode = json!({ "mode": "plan" });
    let input = json!([{ "type": "text", "text": "x" }]);
    let params = json!({ "threadId": child, "input": input, "collaborationMode": mode });
    assert_eq!(client.refused("turn/start", params).0, -32602);
    // It is told that more has been done.
    client.turn_ends(&thread);
    client.ask("thread/close", json!({ "threadId": child }));
    let mut changed = client.all("thread/status/changed").into_iter();
    let last = changed.rfind(|one| one["threadId"] == child).unwrap();
    assert_eq!(last["status"], "shutdown");
    let input = json!([{ "type": "text", "text": "x" }]);
    let params = json!({ "threadId": child, "input": input });
    assert_eq!(client.refused("turn/start", params).0, -32003);
}

#[test]
fn stopping_the_main_agent_stops_those_below_and_ends_every_item() {
    let main = [
        "{tool_calls: [{name: spawn_agent, id: c1, arguments: {agent_type: worker, message: Do it.}}]}",
        "{thinking: Now wait., text: I wait., tool_calls: [{name: wait, id: c2, arguments: {ids: ['worker#1']}}]}",
        "{text: Back again.}",
    ];
    let stage = stage(&[("orchestrator", &main), ("worker", &["{hang: true}"])]);
    let mut client = Client::new(&stage);
    let thread = client.start(json!({}));
    let turn = client.tell(&thread, "Go.");
    client.until(|message| message["params"]["item"]["id"] == "c2");
    let wrong = json!({ "threadId": thread, "turnId": "turn-999" });
    assert_eq!(client.refused("turn/interrupt", wrong).0, -32602);
    client.ask("turn/interrupt", json!({ "threadId": thread, "turnId": turn }));
    let mut ended = 0;
    client.until(|message| {
        ended += usize::from(message["method"] == "turn/completed");
        ended == 2
    });
    for turn in client.all("turn/completed") {
        assert_eq!(turn["turn"]["status"], "interrupted", "{turn}");
    }
    client.assert_balanced();
    let waits = client.items("collabAgentToolCall");
    assert_eq!(waits.last().unwrap()["status"], "failed");
    assert_eq!(client.play(&thread, "Go on.")["status"], "completed");
}
