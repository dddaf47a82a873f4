//! Telling agents more, and being told what became of them.

use serde_json::json;

use super::{call, scene, spawn, wait};
use crate::stage::DONE;

fn send(id: &str, message: &str) -> String {
    call("send_input", &format!("{{id: '{id}', message: '{message}'}}"))
}

#[test]
fn an_agent_that_is_done_works_on_what_it_is_told() {
    let lead: &[&str] =
        &[&spawn("leaf", "a"), &wait("leaf#1"), &send("1", "And now?"), &wait("leaf#1"), DONE];
    let leaf: &[&str] = &["{text: one}", "{expect: {last_message: '^And now\\?$'}, text: two}"];
    let played = scene(&[("lead", lead), ("leaf", leaf)]).lead().worked();
    assert!(played.answer("send_input", 0)["submission_id"].is_string());
    assert_eq!(played.answer("wait", 1)["result"], "two", "{played}");
}

#[test]
fn an_agent_at_work_reads_what_it_is_told_when_it_is_done() {
    let lead: &[&str] =
        &[&spawn("leaf", "a"), &send("leaf#1", "Later."), &wait("leaf#1"), &wait("leaf#1"), DONE];
    let read = "{delay_ms: 150, tool_calls: [{name: read_file, arguments: {path: x}}]}";
    let leaf: &[&str] = &[
        read,
        // It is still about its file when it goes on.
        "{expect: {last_message: 'x'}, text: first}",
        "{expect: {last_message: '^Later\\.$'}, text: second}",
    ];
    let played = scene(&[("lead", lead), ("leaf", leaf)]).lead().worked();
    let ended: Vec<_> = played.results("leaf").into_iter().map(|(_, result)| result).collect();
    assert_eq!(ended, ["first", "second"], "{played}");
}

#[test]
fn an_interrupted_agent_drops_what_it_does_and_reads_at_once() {
    let now = call("send_input", "{id: leaf#1, message: Stop., interrupt: true}");
    let begun = call("wait", "{ids: [leaf#1], timeout_ms: 300}");
    let lead: &[&str] = &[&spawn("leaf", "a"), &begun, &now, &wait("leaf#1"), DONE];
    let leaf: &[&str] = &["{hang: true}", "{expect: {last_message: '^Stop\\.$'}, text: stopped}"];
    let played = scene(&[("lead", lead), ("leaf", leaf)]).lead().worked();
    assert_eq!(played.answer("wait", 1)["result"], "stopped", "{played}");
    assert_eq!(played.runs("leaf").len(), 1, "it is the same run: {played}");
}

#[test]
fn interrupting_an_agent_that_rests_just_wakes_it() {
    let now = call("send_input", "{id: leaf#1, message: Go on., interrupt: true}");
    let lead: &[&str] = &[&spawn("leaf", "a"), &wait("leaf#1"), &now, &wait("leaf#1"), DONE];
    let leaf: &[&str] = &["{text: one}", "{text: two}"];
    let played = scene(&[("lead", lead), ("leaf", leaf)]).lead().worked();
    assert_eq!(played.answer("wait", 1)["result"], "two");
    assert_eq!(played.runs("leaf")[1]["turns_used"], 1, "no turn is lost: {played}");
}

#[test]
fn what_cannot_be_told_is_refused() {
    let both = "{id: leaf#1, message: a, items: [{type: text, text: b}]}";
    let lead: &[&str] = &[
        &spawn("leaf", "a"),
        &wait("leaf#1"),
        &send("nobody", "a"),
        &send("0", "a"),
        &call("send_input", both),
        &call("send_input", "{id: leaf#1}"),
        &send("leaf#1", " "),
        &call("close_agent", "{id: leaf#1}"),
        &send("leaf#1", "a"),
        DONE,
    ];
    let played = scene(&[("lead", lead), ("leaf", &["{text: one}"])]).lead().worked();
    let id = played.thread(0);
    let said: Vec<String> = (0..6).map(|at| played.text("send_input", at)).collect();
    let expected = [
        "agent with id nobody not found".to_owned(),
        "agent with id 0 not found".to_owned(),
        "Provide either message or items, but not both".to_owned(),
        "Provide one of: message or items".to_owned(),
        "Empty message can't be sent to an agent".to_owned(),
        format!("agent with id {id} is closed"),
    ];
    assert_eq!(said, expected);
}

#[test]
fn items_are_told_as_one_text() {
    let items = "{id: leaf#1, items: [{type: text, text: One.}, {type: skill, name: tidy}, \
                 {type: local_image, path: a.png}, {type: image, image_url: 'https://x'}]}";
    let lead: &[&str] =
        &[&spawn("leaf", "a"), &wait("leaf#1"), &call("send_input", items), &wait("leaf#1"), DONE];
    let told = "{expect: {last_message: '^One\\..*\\[skill tidy\\].*\\[image a\\.png\\].*\\[image \
                https://x\\]$'}, text: two}";
    let played = scene(&[("lead", lead), ("leaf", &["{text: one}", told])]).lead().worked();
    assert_eq!(played.answer("wait", 1)["result"], "two", "{played}");
}

#[test]
fn a_parent_that_does_not_wait_is_told_in_its_conversation() {
    let slow = "{delay_ms: 1500, tool_calls: [{name: read_file, arguments: {path: x}}]}";
    let lead: &[&str] = &[&spawn("leaf", "a"), slow, DONE];
    let stage = scene(&[("lead", lead), ("leaf", &["{text: over}"])]);
    let played = stage.lead().worked();
    let said = stage.sandbox.run(&["transcript", played.events[0]["agent_id"].as_str().unwrap()]);
    let told = format!("agent leaf ({}) [call_1_1] completed in ", played.thread(0));
    assert_eq!(said.stdout.matches(&told).count(), 1, "{said}");
}

#[test]
fn a_parent_that_waited_is_not_told_twice() {
    let look = call("read_file", "{path: x}");
    let lead: &[&str] = &[
        &spawn("leaf", "a"),
        &wait("leaf#1"),
        &look,
        "{expect: {last_message: 'x'}, tool_calls: [{name: complete_task, arguments: {result: a}}]}",
    ];
    let played = scene(&[("lead", lead), ("leaf", &["{text: over}"])]);
    played.lead().worked();
}

#[test]
fn a_parent_that_rests_is_woken_when_its_child_ends() {
    let mate: &[&str] = &[
        &spawn("leaf", "a"),
        "{text: I rest.}",
        "{expect: {last_message: '^agent leaf .* completed in .*: over$'}, text: I know.}",
    ];
    let lead: &[&str] =
        &[&spawn("mate", "Go."), &wait("mate#1"), &wait("leaf#1"), &wait("mate#1"), DONE];
    let leaf = "{delay_ms: 1500, text: over}";
    let stage = scene(&[("lead", lead), ("mate", mate), ("leaf", &[leaf])]);
    let played = stage.lead().worked();
    let said: Vec<_> = played.results("mate").into_iter().map(|(_, result)| result).collect();
    assert_eq!(said, ["I rest.", "I know."], "{played}");
    let tokens: Vec<_> =
        played.runs("mate").iter().map(|run| run["total_tokens"].clone()).collect();
    assert_eq!(tokens, [json!(200), json!(100)], "resting costs nothing: {played}");
}

#[test]
fn what_a_child_fails_of_is_told_as_well() {
    let mate: &[&str] = &[
        &spawn("leaf", "a"),
        "{text: I rest.}",
        "{expect: {last_message: '^agent leaf .* errored in .*: .*broken'}, text: I know.}",
    ];
    let lead: &[&str] =
        &[&spawn("mate", "Go."), &wait("leaf#1"), &wait("mate#1"), &wait("mate#1"), DONE];
    let leaf = "{delay_ms: 1500, error: {status: 400, message: broken}}";
    let played = scene(&[("lead", lead), ("mate", mate), ("leaf", &[leaf])]).lead().worked();
    assert_eq!(played.results("mate").last().unwrap().1, "I know.", "{played}");
}

#[test]
fn a_note_is_set_normalised_and_cleared() {
    let note = |text: &str| call("set_thread_note", &format!("{{id: leaf#1, note: '{text}'}}"));
    let lead: &[&str] = &[
        &spawn("leaf", "a"),
        &note("  two   words "),
        &note("   "),
        &call("set_thread_note", "{id: '0', note: me}"),
        &call("set_thread_note", "{id: nobody, note: me}"),
        &call("list_active_agents", "{}"),
        DONE,
    ];
    let played = scene(&[("lead", lead), ("leaf", &["{text: a}"])]).lead().worked();
    let set = played.answer("set_thread_note", 0);
    assert_eq!(set["thread_note"], "two words");
    assert!(set["submission_id"].is_string());
    assert_eq!(played.answer("set_thread_note", 1)["thread_note"], json!(null));
    assert_eq!(played.answer("set_thread_note", 2)["thread_note"], "me");
    assert_eq!(played.text("set_thread_note", 3), "agent with id nobody not found");
    assert_eq!(played.answer("list_active_agents", 0)[0]["thread_note"], json!(null));
    let notes: Vec<_> =
        played.all("THREAD_NOTE_UPDATED").iter().map(|one| one["thread_note"].clone()).collect();
    assert_eq!(notes[1..], [json!("two words"), json!(null), json!("me")]);
}

#[test]
fn an_agent_labels_only_itself_and_those_below_it() {
    let up = call("set_thread_note", "{id: '0', note: mine}");
    let lead: &[&str] = &[&spawn("mate", "Go."), &wait("mate#1"), DONE];
    let played = scene(&[("lead", lead), ("mate", &[&up, "{text: tried}"])]).lead().worked();
    assert_eq!(played.answers_of("mate", "set_thread_note"), ["agent with id 0 not found"]);
}
