//! `collaboration.*`: every answer is a text and metadata, for what worked and for what did not.

use serde_json::{Value, json};

use super::{call, scene};
use crate::stage::{DONE, Played};

fn init(arguments: &str) -> String {
    call("collaboration.init_agent", arguments)
}

fn send(recipients: &str, message: &str) -> String {
    let arguments = format!("{{recipients: [{recipients}], message: '{message}'}}");
    call("collaboration.send", &arguments)
}

fn rest() -> String {
    call("collaboration.wait", "{max_duration: 1000000}")
}

const LEAF: &str = "{agent_type: leaf}";
const MATE: &str = "{agent_type: mate}";

/// A report without anything of its own.
fn report(content: &str, success: bool, penalize: bool, extra: &Value) -> Value {
    json!({
        "content": content,
        "metadata": {
            "message_tool_call_success": success,
            "message_tool_call_error_should_penalize_model": penalize,
            "extra": extra,
        },
    })
}

/// What `tool` reports when the model made a mistake.
#[track_caller]
fn assert_mistake(played: &Played, tool: &str, at: usize, content: &str) {
    let answer = played.answer(tool, at);
    assert_eq!(answer["content"], content, "{answer}");
    let metadata = &answer["metadata"];
    assert_eq!(metadata["message_tool_call_success"], false, "{answer}");
    assert_eq!(metadata["message_tool_call_error_should_penalize_model"], true, "{answer}");
    assert!(metadata["extra"].is_object(), "{answer}");
}

#[test]
fn an_agent_gets_a_number_whatever_the_model_proposes() {
    let lead: &[&str] =
        &[&init("{agent_type: leaf, agent_idx: 77, juice: 500}"), &init(LEAF), DONE];
    let played = scene(&[("lead", lead)]).lead().worked();
    let extra = json!({
        "agent_idx": 1, "parent_agent_idx": 0, "depth": 1, "max_juice": 500,
        "thread_id": played.thread(0),
    });
    let expected = report("Created agent 1 (leaf#1).", true, false, &extra);
    assert_eq!(played.answer("collaboration.init_agent", 0), expected);
    let second = &played.answer("collaboration.init_agent", 1)["metadata"]["extra"];
    assert_eq!((&second["agent_idx"], &second["max_juice"]), (&json!(2), &Value::Null));
    assert_eq!(played.all("STARTED").len(), 1, "they begin when they are told something");
}

#[test]
fn mistakes_in_creating_an_agent_count_against_the_model() {
    let lead: &[&str] = &[
        &init("{juice: -5}"),
        &init("{juice: 0}"),
        &init("{sandbox_policy: loose}"),
        &init("{sandbox_policy: danger_full_access}"),
        &init("{context_strategy: {replace: [{role: system, content: a}]}}"),
        &init("{agent_type: nobody}"),
        &init("{model: unheard}"),
        &init("{unheard: of}"),
        &call("collaboration.get_state", "{}"),
        DONE,
    ];
    let played = scene(&[("lead", lead)]).lead().worked();
    let tool = "collaboration.init_agent";
    for at in 0..8 {
        let content = played.answer(tool, at)["content"].as_str().unwrap().to_owned();
        assert_mistake(&played, tool, at, &content);
    }
    assert_mistake(&played, tool, 0, "juice must be greater than zero");
    let strict =
        "the sandbox `danger_full_access` is less strict than the parent's, `workspace_write`";
    assert_mistake(&played, tool, 3, strict);
    let agents = played.answer("collaboration.get_state", 0)["metadata"]["extra"]["agents"].clone();
    assert_eq!(agents.as_array().unwrap().len(), 1, "nothing is left of them");
}

#[test]
fn running_out_of_room_does_not_count_against_the_model() {
    let lead: &[&str] = &[&init(LEAF), &init(LEAF), &send("1", "a"), &send("2", "b"), DONE];
    let stage = scene(&[("lead", lead), ("leaf", &["{hang: true}"])]);
    let played = stage.collab("max_agents = 1\n").lead_and_cancel().worked();
    let answer = played.answer("collaboration.send", 1);
    let metadata = &answer["metadata"];
    assert_eq!(metadata["message_tool_call_success"], false);
    assert_eq!(metadata["message_tool_call_error_should_penalize_model"], false, "{answer}");
    assert!(answer["content"].as_str().unwrap().contains("agent limit reached"), "{answer}");
}

#[test]
fn a_message_says_who_sent_it_and_reaches_all_recipients() {
    let lead: &[&str] = &[&init(LEAF), &init(LEAF), &send("1, 2", "Go."), &rest(), DONE];
    let leaf = "{expect: {last_message: 'From agent 0: Go\\.'}, text: heard}";
    let played = scene(&[("lead", lead), ("leaf", &[leaf])]).lead().worked();
    let expected = json!({
        "content": "Message sent successfully.",
        "metadata": {
            "message_tool_call_success": true,
            "message_tool_call_error_should_penalize_model": false,
            "is_send_success_msg": true,
            "message_content_str": "Go.",
            "extra": {"recipients": [1, 2]},
        },
    });
    assert_eq!(played.answer("collaboration.send", 0), expected);
    let heard = ("goal".to_owned(), "heard".to_owned());
    assert_eq!(played.results("leaf"), [heard.clone(), heard]);
}

#[test]
fn a_message_that_reaches_only_some_says_whom_it_did_not() {
    let lead: &[&str] = &[&init(LEAF), &send("1, 9, 0", "Go."), &rest(), DONE];
    let played = scene(&[("lead", lead), ("leaf", &["{text: heard}"])]).lead().worked();
    let expected = json!({
        "content": "The message did not reach everyone. Sent to: [1]. Failed: 9: agent with id 9 \
                    not found; 0: agent 0 is not a direct child of the caller",
        "metadata": {
            "message_tool_call_success": false,
            "message_tool_call_error_should_penalize_model": true,
            "is_send_success_msg": false,
            "message_content_str": "Go.",
            "extra": {"recipients": [1]},
        },
    });
    assert_eq!(played.answer("collaboration.send", 0), expected);
    assert_eq!(played.results("leaf").len(), 1, "those who are there get it");
}

#[test]
fn an_empty_message_or_no_recipient_is_a_mistake() {
    let lead: &[&str] =
        &[&init(LEAF), &send("", "Go."), &send("1", " "), &call("collaboration.send", "{}"), DONE];
    let played = scene(&[("lead", lead)]).lead().worked();
    let tool = "collaboration.send";
    let empty = "recipients and message must not be empty";
    assert_mistake(&played, tool, 0, empty);
    assert_mistake(&played, tool, 1, empty);
    let missing = "the arguments do not fit: missing field `recipients`";
    assert_mistake(&played, tool, 2, missing);
}

#[test]
fn a_parent_acts_only_on_its_own_children() {
    let down =
        |recipients: &str| call("collaboration.close", &format!("{{recipients: [{recipients}]}}"));
    let mate: &[&str] = &[
        &init(LEAF),
        // A sibling, the main agent, itself.
        &send("2, 0, 1", "Psst."),
        &down("2"),
        &call("collaboration.wait", "{max_duration: 1, recipients: [2]}"),
        "{text: tried}",
    ];
    let lead: &[&str] = &[
        &init(MATE),
        &init(LEAF),
        &send("1", "Go."),
        &rest(),
        // Its grandchild.
        &send("3", "Psst."),
        &down("3"),
        &down("0"),
        &call("collaboration.wait", "{max_duration: 1, recipients: [3]}"),
        DONE,
    ];
    let played = scene(&[("lead", lead), ("mate#1", mate)]).lead().worked();
    let not = |who: u32| format!("agent {who} is not a direct child of the caller");
    let failed = format!("3: {}", not(3));
    let said = played.answer("collaboration.send", 1)["content"].as_str().unwrap().to_owned();
    assert!(said.ends_with(&failed), "{said}");
    assert_mistake(&played, "collaboration.close", 0, &not(3));
    assert_mistake(&played, "collaboration.close", 1, &not(0));
    assert_mistake(&played, "collaboration.wait", 1, &not(3));
    let answers = |tool: &str| -> Value {
        serde_json::from_str(&played.answers_of("mate", tool)[0]).unwrap()
    };
    let sent = answers("collaboration.send");
    let failed = [2, 0, 1].map(|who| format!("{who}: {}", not(who))).join("; ");
    assert!(sent["content"].as_str().unwrap().ends_with(&failed), "{sent}");
    assert_eq!(answers("collaboration.close")["content"], not(2));
    assert_eq!(answers("collaboration.wait")["content"], not(2));
}

#[test]
fn waiting_ends_when_all_rest_and_says_who_used_what() {
    let lead: &[&str] = &[&init(LEAF), &init(LEAF), &send("1", "Go."), &rest(), DONE];
    let leaf: &[&str] = &[&call("read_file", "{path: x}"), "{text: over}"];
    let played = scene(&[("lead", lead), ("leaf", leaf)]).lead().worked();
    let expected = json!({
        "content": "Finished waiting.",
        "metadata": {
            "message_tool_call_success": true,
            "message_tool_call_error_should_penalize_model": false,
            "is_wait_success_msg": true,
            "extra": {
                "agents_ran": [
                    {"agent_idx": 1, "delta_tokens": 200, "status": "idle"},
                    {"agent_idx": 2, "delta_tokens": 0, "status": "pending_init"},
                ],
                "token_budget_exhausted": false,
            },
        },
    });
    assert_eq!(played.answer("collaboration.wait", 0), expected);
}

#[test]
fn waiting_ends_when_the_tokens_are_used() {
    let short = call("collaboration.wait", "{max_duration: 150, recipients: [1]}");
    let none = call("collaboration.wait", "{max_duration: 0}");
    let lead: &[&str] = &[&init(LEAF), &send("1", "Go."), &none, &short, &rest(), DONE];
    let read = call("read_file", "{path: x}");
    let first = "{delay_ms: 700, tool_calls: [{name: read_file, arguments: {path: x}}]}";
    let slow = "{delay_ms: 1500, text: over}";
    let played = scene(&[("lead", lead), ("leaf", &[first, &read, slow])]).lead().worked();
    let extra = |at: usize| played.answer("collaboration.wait", at)["metadata"]["extra"].clone();
    assert_eq!(extra(0)["token_budget_exhausted"], true, "{played}");
    assert_eq!(extra(1)["token_budget_exhausted"], true, "{played}");
    assert_eq!(extra(1)["agents_ran"][0]["delta_tokens"], 200);
    assert_eq!(extra(1)["agents_ran"][0]["status"], "running");
    assert_eq!(extra(2)["token_budget_exhausted"], false);
}

#[test]
fn a_wait_for_less_than_nothing_is_a_mistake() {
    let lead: &[&str] = &[&call("collaboration.wait", "{max_duration: -1}"), DONE];
    let played = scene(&[("lead", lead)]).lead().worked();
    assert_mistake(&played, "collaboration.wait", 0, "max_duration must not be negative");
    let metadata = &played.answer("collaboration.wait", 0)["metadata"];
    assert_eq!(metadata["is_wait_success_msg"], false);
}

#[test]
fn the_state_shows_every_agent_in_words_and_in_fields() {
    let look = call("collaboration.get_state", "{}");
    let lead: &[&str] = &[
        &init("{agent_type: leaf, juice: 1000}"),
        &init(LEAF),
        &send("1", "Go."),
        &rest(),
        &call("collaboration.close", "{recipients: [2]}"),
        &look,
        &call("collaboration.get_state", "{a: 1}"),
        DONE,
    ];
    let played = scene(&[("lead", lead), ("leaf", &["{text: seen}"])]).lead().worked();
    let state = played.answer("collaboration.get_state", 0);
    assert_eq!(state["metadata"]["message_tool_call_success"], true);
    let agents = &state["metadata"]["extra"]["agents"];
    let expected = json!({
        "agent_idx": 1, "parent_agent_idx": 0, "depth": 1, "status": "idle", "used_juice": 100,
        "max_juice": 1000, "agent_type": "leaf", "thread_id": played.thread(0),
        "last_agent_message": "seen",
    });
    assert_eq!(agents[1], expected);
    assert_eq!(agents[0]["parent_agent_idx"], Value::Null);
    assert_eq!((&agents[0]["depth"], &agents[0]["status"]), (&json!(0), &json!("running")));
    assert_eq!(agents[2]["status"], "closed");
    let lines: Vec<&str> = state["content"].as_str().unwrap().lines().collect();
    assert!(lines[0].starts_with("Agent 0 (you) [lead] running, "), "{lines:?}");
    assert_eq!(lines[1], "Agent 1 [leaf, child of 0] idle, 100 of 1000 tokens: seen");
    assert_eq!(lines[2], "Agent 2 [leaf, child of 0] closed, 0 tokens");
    assert!(played.text("collaboration.get_state", 1).contains("the arguments do not fit"));
}

#[test]
fn closing_takes_those_below_and_all_or_none() {
    let close =
        |recipients: &str| call("collaboration.close", &format!("{{recipients: [{recipients}]}}"));
    let lead: &[&str] = &[
        &init(MATE),
        &init(LEAF),
        &send("1", "Go."),
        &rest(),
        &close("1, 9"),
        &close(""),
        &close("1, 2"),
        &send("1", "More."),
        DONE,
    ];
    let mate: &[&str] = &[&init(LEAF), "{text: over}"];
    let played = scene(&[("lead", lead), ("mate", mate)]).lead().worked();
    let tool = "collaboration.close";
    assert_mistake(&played, tool, 0, "agent with id 9 not found");
    assert_mistake(&played, tool, 1, "recipients must not be empty");
    let extra = json!({"closed_agent_indices": [1, 3, 2]});
    let expected = report("Closed 2 agents (and their descendants).", true, false, &extra);
    assert_eq!(played.answer(tool, 2), expected);
    let sent = played.answer("collaboration.send", 1);
    assert!(sent["content"].as_str().unwrap().ends_with("is closed"), "{sent}");
    assert_eq!(sent["metadata"]["message_tool_call_error_should_penalize_model"], true);
}

#[test]
fn an_agent_knows_nothing_what_was_said_or_what_it_is_given() {
    let given = "{agent_type: leaf, context_strategy: {replace: [{role: user, content: Was it 4?}, \
                 {role: assistant, content: It was 5.}]}}";
    let lead: &[&str] = &[
        "{text: Between us., tool_calls: [{name: read_file, arguments: {path: x}}]}",
        &init("{agent_type: leaf, context_strategy: fork}"),
        &init("{agent_type: leaf, context_strategy: new}"),
        &init(given),
        &send("1, 2, 3", "Go."),
        &rest(),
        DONE,
    ];
    let stage = scene(&[("lead", lead), ("leaf", &["{text: over}"])]);
    let played = stage.lead().worked();
    let said = |at: usize| stage.sandbox.run(&["transcript", &played.thread(at)]).stdout;
    assert!(said(0).contains("Between us."), "{}", said(0));
    assert!(!said(0).contains("init_agent"), "{}", said(0));
    assert!(!said(1).contains("Between us."), "{}", said(1));
    assert!(said(2).contains("Was it 4?") && said(2).contains("It was 5."), "{}", said(2));
    for at in 0..3 {
        assert!(said(at).contains("From agent 0: Go."), "{}", said(at));
    }
}

#[test]
fn instructions_are_told_besides_the_definition_and_stay_private() {
    let lead: &[&str] =
        &[&init("{agent_type: leaf, instructions: Whisper.}"), &send("1", "Go."), &rest(), DONE];
    let leaf = "{expect: {system: 'You are leaf\\..*Whisper\\..*You are agent 1 of this session'}, \
                text: over}";
    let played = scene(&[("lead", lead), ("leaf", &[leaf])]).lead().worked();
    assert_eq!(played.results("leaf")[0].0, "goal", "{played}");
}

#[test]
fn agents_work_whether_or_not_anyone_waits() {
    let lead: &[&str] = &[
        &init(LEAF),
        &send("1", "Go."),
        "{delay_ms: 1500, tool_calls: [{name: collaboration.get_state}]}",
        DONE,
    ];
    let played = scene(&[("lead", lead), ("leaf", &["{text: over}"])]).lead().worked();
    let agents = &played.answer("collaboration.get_state", 0)["metadata"]["extra"]["agents"];
    assert_eq!(agents[1]["last_agent_message"], "over", "{played}");
}

#[test]
fn an_agent_at_work_reads_a_message_after_its_present_turn() {
    let lead: &[&str] = &[
        &init(LEAF),
        &send("1", "Go."),
        &call("collaboration.wait", "{max_duration: 1}"),
        &send("1", "Also."),
        &rest(),
        DONE,
    ];
    let read = call("read_file", "{path: x}");
    let slow = "{delay_ms: 1500, tool_calls: [{name: read_file, arguments: {path: x}}]}";
    let heard = "{expect: {last_message: '^From agent 0: Also\\.$'}, text: heard}";
    let played = scene(&[("lead", lead), ("leaf", &[&read, slow, heard])]).lead().worked();
    assert_eq!(played.results("leaf"), [("goal".to_owned(), "heard".to_owned())], "{played}");
}

#[test]
fn an_agent_that_is_named_twice_is_meant_once() {
    let lead: &[&str] = &[
        &init(LEAF),
        &send("1, 1", "Go."),
        &rest(),
        &call("collaboration.wait", "{max_duration: 1, recipients: [1, 1]}"),
        &call("collaboration.close", "{recipients: [1, 1]}"),
        DONE,
    ];
    let played = scene(&[("lead", lead), ("leaf", &["{text: heard}"])]).lead().worked();
    let extra = |tool: &str, at: usize| played.answer(tool, at)["metadata"]["extra"].clone();
    assert_eq!(extra("collaboration.send", 0)["recipients"], json!([1]), "{played}");
    assert_eq!(extra("collaboration.wait", 1)["agents_ran"].as_array().unwrap().len(), 1);
    assert_eq!(extra("collaboration.close", 0)["closed_agent_indices"], json!([1]));
    let content = &played.answer("collaboration.close", 0)["content"];
    assert_eq!(content, "Closed 1 agent (and their descendants).");
}
