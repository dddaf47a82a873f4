//! `agentctl run`: which models are asked, and what happens when they do not answer.

use serde_json::{Value, json};

use crate::stage::{DONE, Played, Stage, script};

const OVERLOADED: &str = "{error: {kind: overloaded}}";

/// A stage whose models are called by names of the user's settings.
fn with_models(keys: &str, models: &[(&str, &[&str])]) -> Stage {
    models.iter().fold(Stage::new(keys, &[DONE]), |stage, (name, turns)| {
        stage.file(&format!("{name}.yaml"), &script(turns))
    })
}

/// Turns that hand in their model's name.
fn says(name: &str) -> String {
    format!("{{tool_calls: [{{name: complete_task, arguments: {{result: {name}}}}}]}}")
}

/// Each model that was asked, with why it did not answer.
fn tried(played: &Played) -> Vec<(String, Value)> {
    let models = played.result()["models"].as_array().unwrap();
    let text = |model: &Value| model["model"].as_str().unwrap().to_owned();
    models.iter().map(|model| (text(model), model["error"]["kind"].clone())).collect()
}

#[test]
fn the_variables_beat_the_call_and_the_call_beats_the_definition() {
    let names = ["ours", "theirs", "call", "own"];
    let stage = |variables: &[(&str, &str)]| {
        let stage = Stage::new("model: script:own.yaml", &[DONE]);
        let stage = names.iter().fold(stage, |stage, name| {
            stage.file(&format!("{name}.yaml"), &script(&[&says(name)]))
        });
        variables.iter().fold(stage, |stage, (name, value)| stage.variable(name, value))
    };
    let ours = ("AGENTCTL_SUBAGENT_MODEL", "script:ours.yaml");
    let theirs = ("CODEX_SUBAGENT_MODEL", "script:theirs.yaml");
    let call = ["tester", "--model", "script:call.yaml"];
    let cases: &[(Stage, &[&str], &str)] = &[
        (stage(&[ours, theirs]), &call, "ours"),
        (stage(&[theirs]), &call, "theirs"),
        (stage(&[("AGENTCTL_SUBAGENT_MODEL", "inherit"), theirs]), &call, "call"),
        (stage(&[]), &call, "call"),
        (stage(&[]), &["tester"], "own"),
    ];
    for (stage, arguments, expected) in cases {
        let played = stage.play_with(arguments).ended("goal", 0);
        assert_eq!(played.result()["result"], *expected);
        assert_eq!(played.result()["model"], format!("script:{expected}.yaml"));
    }
}

#[test]
fn inherit_is_the_model_of_the_settings_whenever_they_change() {
    let stage = Stage::new("model: inherit", &[DONE])
        .file("a.yaml", &script(&[&says("a")]))
        .file("b.yaml", &script(&[&says("b")]));
    for name in ["a", "b"] {
        let settings = format!("[run]\nmodel = 'script:{name}.yaml'\n");
        stage.sandbox.write("~/.config/agentctl/config.toml", &settings);
        assert_eq!(stage.play_with(&["tester"]).ended("goal", 0).result()["result"], name);
    }
}

#[test]
fn a_name_from_the_settings_stands_for_a_chain() {
    let stage =
        with_models("model: fast", &[("busy", &["{error: {kind: auth}}"]), ("free", &[DONE])]);
    stage.sandbox.write(
        "~/.config/agentctl/config.toml",
        "[models]\nfast = ['script:busy.yaml', 'script:free.yaml']\n",
    );
    let played = stage.play_with(&["tester"]).ended("goal", 0);
    assert_eq!(played.result()["model"], "script:free.yaml");
}

#[test]
fn a_chain_goes_on_where_there_is_no_key_no_access_or_no_capacity() {
    let busy = [OVERLOADED; 5];
    let played = with_models(
        "model: [anthropic/claude-sonnet-4-5, 'script:refuses.yaml', 'script:busy.yaml', 'script:free.yaml', 'script:never.yaml']",
        &[("refuses", &["{error: {status: 401}}"]), ("busy", &busy), ("free", &[DONE]), ("never", &[DONE])],
    )
    .play_with(&["tester"])
    .ended("goal", 0);
    assert_eq!(
        tried(&played),
        [
            ("anthropic/claude-sonnet-4-5".to_owned(), json!("no_model")),
            ("script:refuses.yaml".to_owned(), json!("auth")),
            ("script:busy.yaml".to_owned(), json!("overloaded")),
            ("script:free.yaml".to_owned(), Value::Null),
        ]
    );
    assert_eq!(played.result()["model"], "script:free.yaml");
    assert_eq!(played.result()["turns_used"], 1);
    let next: Vec<_> = played.all("RETRY").iter().filter_map(|data| data.get("next")).collect();
    assert_eq!(next, ["script:refuses.yaml", "script:busy.yaml", "script:free.yaml"]);
    assert_eq!(played.all("RETRY").len(), 4 + 3, "four tries again and three other models");
}

#[test]
fn the_model_that_answered_is_asked_again_for_the_next_turn() {
    let look = "{tool_calls: [{name: list_dir, arguments: {path: .}}]}";
    let played = with_models(
        "model: ['script:refuses.yaml', 'script:free.yaml']",
        &[("refuses", &["{error: {status: 403}}"]), ("free", &[look, DONE])],
    )
    .play_with(&["tester"])
    .ended("goal", 0);
    assert_eq!(tried(&played).len(), 2);
    assert_eq!(played.result()["turns_used"], 2);
}

#[test]
fn a_chain_without_an_answer_says_what_was_wrong_with_each() {
    let keys = "model: ['script:refuses.yaml', 'script:missing.yaml', openai/gpt-5]";
    let refuses = ["{error: {status: 401, message: bad key}}"];
    let missing = ["{error: {kind: unknown_model, message: no such model}}"];
    let models: [(&str, &[&str]); 2] = [("refuses", &refuses), ("missing", &missing)];
    let played = with_models(keys, &models).play_with(&["tester"]).ended("error", 3);
    assert_eq!(
        played.error(),
        "no model of the chain answered: script:refuses.yaml: the provider refused the credentials \
         (401): bad key; script:missing.yaml: the provider does not have this model: no such model; \
         openai/gpt-5: no key: set `OPENAI_API_KEY`"
    );
}

#[test]
fn a_refused_key_is_what_a_chain_without_any_key_fails_with() {
    let keys = "model: ['script:refuses.yaml', openai/gpt-5]";
    let models: [(&str, &[&str]); 1] = [("refuses", &["{error: {status: 401}}"])];
    with_models(keys, &models).play_with(&["tester"]).ended("error", 4);
}

#[test]
fn without_any_key_nothing_starts() {
    let stage = Stage::new("model: [anthropic/claude-sonnet-4-5, openai/gpt-5]", &[]);
    let seen = stage.see_with(&["tester", "--format", "jsonl"]);
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(3), ""), "{seen}");
    assert!(
        seen.stderr.contains(
            "no model is available: anthropic/claude-sonnet-4-5 needs `ANTHROPIC_API_KEY`, \
             openai/gpt-5 needs `OPENAI_API_KEY`"
        ),
        "{seen}"
    );
}

#[test]
fn a_chain_with_offline_is_of_use_to_agents_that_offline_cannot_serve() {
    let stage = Stage::new("model: ['script:script.yaml', offline]", &[DONE]);
    stage.play_with(&["tester"]).ended("goal", 0);
    let seen = stage.see_with(&["tester", "--model", "offline"]);
    assert_eq!(seen.exit, Some(3), "{seen}");
    assert!(seen.stderr.contains("`offline` was asked for, and its task is"), "{seen}");
}

#[test]
fn offline_answers_where_it_can_unless_a_language_model_is_required() {
    let stage = Stage::bare().file("src/filter.rs", "pub fn tool_filter() {}\n");
    let arguments = ["Explore", "Where is the tool filter?"];
    let played = stage.play_with(&arguments).ended("goal", 0);
    assert_eq!(played.result()["llm"], false);
    assert!(played.result()["result"].as_str().unwrap().contains("src/filter.rs"), "{played}");
    assert!(played.stderr().contains("no language model was asked"), "{played}");
    let seen = stage.see_with(&["Explore", "Where is the tool filter?", "--require-llm"]);
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(3), ""), "{seen}");
}

#[test]
fn what_may_pass_is_tried_again() {
    for error in [
        "{status: 429, retry_after_ms: 1}",
        "{status: 500}",
        "{status: 503}",
        "{kind: overloaded}",
        "{kind: truncated}",
        "{kind: disconnect}",
        "{kind: garbage}",
        "{kind: idle}",
    ] {
        let turn = format!("{{text: Half a, error: {error}}}");
        let played = Stage::new("", &[&turn, DONE]).play().ended("goal", 0);
        let retries = played.all("RETRY");
        assert_eq!(retries.len(), 1, "{error}: {played}");
        assert_eq!((&retries[0]["attempt"], retries[0].get("next")), (&json!(1), None));
        assert_eq!(played.result()["turns_used"], 1, "{error}");
        assert_eq!(tried(&played)[0].1, Value::Null, "{error}");
    }
}

#[test]
fn what_will_not_pass_is_not_tried_again() {
    let cases = [
        ("{kind: context_length}", "context_length", 1),
        ("{status: 400}", "bad_request", 1),
        ("{kind: auth}", "auth", 4),
        ("{status: 404}", "unknown_model", 1),
    ];
    for (error, kind, exit) in cases {
        let turn = format!("{{error: {error}}}");
        let played = Stage::new("", &[&turn, DONE]).play().ended("error", exit);
        assert_eq!(played.all("RETRY").len(), 0, "{error}");
        assert_eq!(played.result()["error"]["kind"], kind);
        assert!(played.error().starts_with("script:script.yaml: "), "{played}");
    }
}

#[test]
fn a_request_no_model_can_take_does_not_go_to_the_next() {
    let models: [(&str, &[&str]); 2] =
        [("long", &["{error: {kind: context_length}}"]), ("next", &[DONE])];
    let played = with_models("model: ['script:long.yaml', 'script:next.yaml']", &models)
        .play_with(&["tester"])
        .ended("error", 1);
    assert_eq!(tried(&played).len(), 1);
}

#[test]
fn a_provider_is_waited_for_as_long_as_it_asks() {
    let played = Stage::new("", &["{error: {status: 429, retry_after_ms: 120}}", DONE])
        .play()
        .ended("goal", 0);
    assert_eq!(played.all("RETRY")[0]["delay_ms"], 120);
    assert!(played.result()["total_duration_ms"].as_u64().unwrap() >= 120);
}

#[test]
fn tries_are_counted() {
    let played = Stage::new("", &[OVERLOADED; 6]).play().ended("error", 1);
    let attempts: Vec<_> = played.all("RETRY").iter().map(|data| data["attempt"].clone()).collect();
    assert_eq!(attempts, [1, 2, 3, 4]);
    assert_eq!(played.error(), "script:script.yaml: overloaded: the script says so");
    let stage = Stage::new("", &[OVERLOADED; 6]);
    stage.sandbox.write("~/.config/agentctl/config.toml", "[run]\nretries = 0\n");
    assert_eq!(stage.play().ended("error", 1).all("RETRY").len(), 0);
}

#[test]
fn nothing_waits_for_a_time_after_the_limit() {
    let played = Stage::new("", &["{error: {status: 429, retry_after_ms: 60000}}", DONE])
        .with(&["--timeout", "5"])
        .play()
        .ended("error", 1);
    assert_eq!(played.all("RETRY").len(), 0);
    assert!(played.result()["duration_seconds"].as_f64().unwrap() < 5.0);
    let models: [(&str, &[&str]); 2] =
        [("slow", &["{error: {status: 429, retry_after_ms: 60000}}"]), ("next", &[DONE])];
    with_models("model: ['script:slow.yaml', 'script:next.yaml']", &models)
        .with(&["--timeout", "5"])
        .play_with(&["tester"])
        .ended("goal", 0);
}

#[test]
fn a_model_that_is_silent_for_too_long_is_asked_again() {
    let stage = Stage::new("", &["{hang: true}", DONE]);
    let settings = "[run]\nanswer_timeout_seconds = 0.1\nretry_delay_ms = 1\n";
    stage.sandbox.write("~/.config/agentctl/config.toml", settings);
    let played = stage.play().ended("goal", 0);
    assert_eq!(played.all("RETRY")[0]["error"]["kind"], "idle");
}

#[test]
fn a_script_that_does_not_fit_fails_the_run_and_says_where() {
    let cases = [
        (
            "{expect: {tools: [shell]}}",
            "turn 1 of the script does not fit: it expects the tools [shell], and the agent has [complete_task, read_file]",
        ),
        (
            "{expect: {last_message: ^Go$}}",
            "turn 1 of the script does not fit: the last message does not match `^Go$`; it is \"Get Started!\"",
        ),
        (
            "{tool_calls: [{name: read_file, arguments: {path: script.yaml}}]}",
            "the script has no turn 2 for `tester`",
        ),
    ];
    for (turn, error) in cases {
        let played = Stage::new("tools: [read_file]", &[turn]).play().ended("error", 1);
        assert_eq!(played.error(), format!("script:script.yaml: {error}"));
    }
}

#[test]
fn a_script_has_turns_for_each_kind_of_agent() {
    let stage = Stage::new("", &[]).file(
        "script.yaml",
        "turns: [{error: {status: 400}}]
agents:
  tester: {turns: [{error: {status: 400}}]}
  tester#1: {turns: [{tool_calls: [{name: complete_task, arguments: {result: mine}}]}]}
",
    );
    assert_eq!(stage.play().ended("goal", 0).result()["result"], "mine");
}
