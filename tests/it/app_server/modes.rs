//! Collaboration modes.

use serde_json::{Value, json};

use super::{Client, stage};

fn tell(client: &mut Client, thread: &str, text: &str, mode: Value) -> Value {
    let input = json!([{ "type": "text", "text": text }]);
    let mut params = json!({ "threadId": thread, "input": input });
    params["collaborationMode"] = mode;
    client.ask("turn/start", params)
}

#[test]
fn the_modes_are_listed_in_order() {
    let stage = stage(&[("orchestrator", &["{text: Hello.}"])]);
    let mut client = Client::new(&stage);
    let preset = |name: &str, mode: &str| json!({ "name": name, "mode": mode, "model": null, "reasoning_effort": null });
    assert_eq!(
        client.ask("collaborationMode/list", json!({})),
        json!({ "data": [
            preset("Plan", "plan"),
            preset("Pair programming", "pair_programming"),
            preset("Execute", "execute"),
            preset("Custom", "custom"),
        ] })
    );
}

#[test]
fn a_mode_overrides_model_effort_and_instructions_from_its_turn_on() {
    let stage = stage(&[("orchestrator", &["{text: From the first.}"])]).file(
        "other.yaml",
        "turns:
  - {expect: {system: \"Speak in rhymes\"}, text: \"From the other.\"}
  - {expect: {system: \"Speak in rhymes\"}, text: \"Still from the other.\"}
  - {expect: {system: \"(?i)plan\"}, text: \"A plan.\"}
",
    );
    let mut client = Client::new(&stage);
    let thread = client.start(json!({}));
    assert_eq!(client.play(&thread, "Go.")["status"], "completed");
    let mode = json!({ "mode": "custom", "settings": {
        "model": "script:other.yaml",
        "reasoning_effort": "high",
        "developer_instructions": "Speak in rhymes.",
    } });
    tell(&mut client, &thread, "Go on.", mode);
    assert_eq!(client.turn_ends(&thread)["status"], "completed");
    // It stays like that.
    assert_eq!(client.play(&thread, "And on.")["status"], "completed");
    let words = |client: &Client| -> Vec<String> {
        let said = client.items("agentMessage").into_iter();
        said.map(|item| item["text"].as_str().unwrap().to_owned()).collect()
    };
    let expected = ["From the first.", "From the other.", "Still from the other."];
    assert_eq!(words(&client), expected);
    let read = client.ask("thread/read", json!({ "threadId": thread }));
    assert_eq!(read["thread"]["model"], "script:other.yaml");
    assert_eq!(read["thread"]["reasoningEffort"], "high");
    // Whoever plans changes nothing.
    let mode = json!({ "mode": "plan", "settings": { "model": "script:other.yaml" } });
    tell(&mut client, &thread, "Plan it.", mode);
    let ended = client.turn_ends(&thread);
    assert_eq!(ended["status"], "completed", "{ended}");
    let read = client.ask("thread/read", json!({ "threadId": thread }));
    assert_eq!(read["thread"]["sandbox"], "read_only");
}

#[test]
fn a_mode_that_cannot_be_used_changes_nothing() {
    let stage = stage(&[("orchestrator", &["{text: Hello.}", "{text: Hi.}"])]);
    let mut client = Client::new(&stage);
    let thread = client.start(json!({}));
    let input = json!([{ "type": "text", "text": "Go." }]);
    for (mode, why) in [
        (json!({ "mode": "dance" }), "there is no mode `dance`"),
        (json!({ "mode": "plan", "settings": { "model": "no such model" } }), "no such model"),
        (json!({ "mode": "plan", "settings": { "reasoning_effort": "heroic" } }), "heroic"),
        (json!({ "mode": "plan", "settings": { "colour": "red" } }), "colour"),
    ] {
        let params = json!({ "threadId": thread, "input": input, "collaborationMode": mode });
        let (code, message) = client.refused("turn/start", params);
        assert_eq!(code, -32602, "{message}");
        assert!(message.contains(why), "{message}");
    }
    let params = json!({ "model": "script:script.yaml", "reasoningEffort": "heroic" });
    assert_eq!(client.refused("thread/start", params).0, -32602);
    assert_eq!(client.all("turn/started"), Vec::<&Value>::new());
    assert_eq!(client.play(&thread, "Go.")["status"], "completed");
    let read = client.ask("thread/read", json!({ "threadId": thread }));
    assert_eq!(read["thread"]["sandbox"], "workspace_write");
}

#[test]
fn a_mode_given_while_the_agent_works_begins_a_turn_of_its_own() {
    let turns = ["{delay_ms: 300, text: Hello.}", "{expect: {system: rhymes}, text: Hi.}"];
    let stage = stage(&[("orchestrator", &turns)]);
    let mut client = Client::new(&stage);
    let thread = client.start(json!({}));
    let first = client.tell(&thread, "Go.");
    client.until(|message| message["method"] == "turn/started");
    let settings = json!({ "developer_instructions": "Speak in rhymes." });
    let mode = json!({ "mode": "custom", "settings": settings });
    let second = tell(&mut client, &thread, "Now differently.", mode);
    assert_eq!(client.turn_ends(&thread)["id"], first.as_str());
    let ended = client.turn_ends(&thread);
    assert_eq!(ended["id"], second["turn"]["id"]);
    assert_eq!(ended["status"], "completed", "{ended}");
    client.assert_balanced();
}

#[test]
fn a_mode_is_still_there_when_the_thread_goes_on_elsewhere() {
    let turns = ["{expect: {system: rhymes}, text: Hi.}"];
    let stage = stage(&[("orchestrator", &turns)]);
    let mut client = Client::new(&stage);
    let thread = client.start(json!({}));
    let settings = json!({ "developer_instructions": "Speak in rhymes." });
    tell(&mut client, &thread, "Go.", json!({ "mode": "custom", "settings": settings }));
    assert_eq!(client.turn_ends(&thread)["status"], "completed");
    assert_eq!(client.hang_up(), Some(0));
    let mut client = Client::new(&stage);
    client.ask("thread/resume", json!({ "threadId": thread }));
    let ended = client.play(&thread, "Go on.");
    assert_eq!(ended["status"], "completed", "{ended}");
}
