//! `agentctl run`: turns, and how a result is handed in.

use serde_json::json;

use crate::stage::{DONE, Stage};

const REPORT: &str = "
outputConfig:
  outputName: report
  description: What there is
  schema:
    $schema: https://json-schema.org/draft/2020-12/schema
    type: object
    required: [summary, count]
    additionalProperties: false
    properties:
      summary: {type: string, minLength: 3}
      count: {$ref: '#/$defs/count'}
    $defs:
      count: {type: integer, minimum: 0}
";

#[test]
fn a_structured_result_is_the_value_that_was_handed_in() {
    let played = Stage::new(
        REPORT,
        &["{tool_calls: [{name: complete_task, arguments: {report: {summary: fine, count: 2}}}]}"],
    )
    .play()
    .ended("goal", 0);
    let result = played.result();
    assert_eq!(result["output"], json!({"summary": "fine", "count": 2}));
    assert_eq!(result["result"], "{\n  \"summary\": \"fine\",\n  \"count\": 2\n}");
    assert_eq!(result["turns_used"], 1);
}

#[test]
fn the_model_is_sent_the_schema_of_the_result() {
    let sheet = Stage::new(REPORT, &[DONE])
        .see_with(&["tester", "--model", "script:script.yaml", "--dry-run", "--format", "json"])
        .json();
    let expected = json!({
        "type": "object",
        "properties": {
            "report": {
                "type": "object",
                "required": ["summary", "count"],
                "additionalProperties": false,
                "properties": {
                    "summary": {"type": "string", "minLength": 3},
                    "count": {"$ref": "#/$defs/count"},
                },
                "description": "What there is",
            },
        },
        "required": ["report"],
        "additionalProperties": false,
        "$defs": {"count": {"type": "integer", "minimum": 0}},
    });
    assert_eq!(sheet["complete_task"]["parameters"], expected);
}

#[test]
fn a_result_without_a_schema_is_text() {
    let played = Stage::new(
        "tools: []",
        &["{text: Looking., tool_calls: [{name: complete_task, arguments: {result: found it}}]}"],
    )
    .play()
    .ended("goal", 0);
    assert_eq!(played.result()["result"], "found it");
    assert_eq!(played.result().get("output"), None);
    assert_eq!(
        played.kinds(),
        [
            "STARTED",
            "TURN_START",
            "TEXT_CHUNK",
            "TOOL_CALL_START",
            "TOOL_CALL_END",
            "TURN_COMPLETE",
            "COMPLETED"
        ]
    );
}

#[test]
fn a_missing_argument_is_told_and_can_be_corrected() {
    let played = Stage::new(
        REPORT,
        &[
            "{tool_calls: [{name: complete_task, arguments: {result: fine}, id: first}]}",
            "{expect: {last_message: 'required argument `report` is missing'},
              tool_calls: [{name: complete_task, arguments: {report: {summary: fine, count: 0}}}]}",
        ],
    )
    .play()
    .ended("goal", 0);
    assert_eq!(played.result()["turns_used"], 2);
    let ends = played.all("TOOL_CALL_END");
    assert_eq!((&ends[0]["call_id"], &ends[0]["success"]), (&json!("first"), &json!(false)));
}

#[test]
fn everything_that_is_wrong_with_a_result_is_told_at_once() {
    let played = Stage::new(
        REPORT,
        &[
            "{tool_calls: [{name: complete_task, arguments: {report: {summary: no, count: -1, more: 1}}}]}",
            "{expect: {last_message: '(?m)^- `report`: .*more.*'},
              tool_calls: [{name: complete_task, arguments: {report: {summary: fine, count: 1}}}]}",
        ],
    )
    .play()
    .ended("goal", 0);
    let told = played.told()[0];
    for what in ["`report/summary`", "`report/count`", "'more'"] {
        assert!(told.contains(what), "{what}: {told}");
    }
}

#[test]
fn a_result_of_another_type_is_not_accepted() {
    let played = Stage::new(
        "",
        &["{tool_calls: [{name: complete_task, arguments: {result: {a: 1}}}]}", DONE],
    )
    .play()
    .ended("goal", 0);
    assert!(played.told()[0].contains("`result` must be a string"), "{played}");
}

#[test]
fn a_blank_result_is_not_accepted() {
    let played = Stage::new(
        "",
        &[
            r#"{tool_calls: [{name: complete_task, arguments: {result: " \n\t"}}]}"#,
            "{expect: {last_message: '`result` is empty'}, tool_calls: [{name: complete_task, arguments: {result: done}}]}",
        ],
    )
    .play()
    .ended("goal", 0);
    assert_eq!(played.result()["result"], "done");
}

#[test]
fn of_two_results_the_first_that_fits_counts() {
    let played = Stage::new(
        "",
        &["{tool_calls: [
              {name: complete_task, arguments: {}},
              {name: complete_task, arguments: {result: one}},
              {name: complete_task, arguments: {result: two}}]}"],
    )
    .play()
    .ended("goal", 0);
    assert_eq!(played.result()["result"], "one");
    assert_eq!(played.all("TOOL_CALL_END").len(), 3);
    assert_eq!(played.result()["total_tool_use_count"], 3);
}

#[test]
fn other_calls_of_the_last_turn_are_carried_out() {
    let stage = Stage::new(
        "",
        &["{tool_calls: [
              {name: complete_task, arguments: {result: done}},
              {name: shell, arguments: {command: 'echo yes > made.txt'}}]}"],
    )
    .trusted();
    let played = stage.play().ended("goal", 0);
    assert_eq!(played.all("TOOL_CALL_END").len(), 2);
    assert_eq!(std::fs::read_to_string(stage.sandbox.path("made.txt")).unwrap(), "yes\n");
}

#[test]
fn what_turns_cost_is_added_up() {
    let stage = Stage::new("", &[]).file(
        "script.yaml",
        "usage: {input_tokens: 100, output_tokens: 20}
turns:
  - {tool_calls: [{name: list_dir, arguments: {path: .}}]}
  - usage: {input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 5}
    tool_calls: [{name: complete_task, arguments: {result: done}}]
",
    );
    let played = stage.play().ended("goal", 0);
    let result = played.result();
    assert_eq!(result["total_tokens"], 130);
    assert_eq!(
        result["usage"],
        json!({"input_tokens": 107, "output_tokens": 23, "cache_read_input_tokens": 5})
    );
    assert_eq!(played.all("TURN_COMPLETE")[0]["progress"]["total_tokens"], 120);
}

#[test]
fn more_tokens_than_the_definition_allows_end_the_run() {
    let stage = Stage::new("runConfig: {maxTokens: 200}", &[]).file(
        "script.yaml",
        "usage: {input_tokens: 100, output_tokens: 20}
repeat: true
turns:
  - {text: Still at it., tool_calls: [{name: list_dir, arguments: {path: .}}]}
",
    );
    let played = stage.play().ended("error", 6);
    assert_eq!(played.result()["error"]["kind"], "token_limit");
    assert_eq!(played.result()["turns_used"], 2);
    assert_eq!(played.result()["result"], "Still at it.");
}

#[test]
fn a_result_is_taken_even_if_it_cost_the_last_token() {
    let stage = Stage::new("runConfig: {maxTokens: 10}", &[]).file(
        "script.yaml",
        "usage: {input_tokens: 100, output_tokens: 20}
turns:
  - {tool_calls: [{name: complete_task, arguments: {result: done}}]}
",
    );
    stage.play().ended("goal", 0);
}
