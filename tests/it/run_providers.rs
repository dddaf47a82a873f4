//! `agentctl run` with providers over HTTP: what a user sees of them, well or badly.

use std::process::Command;

use serde_json::{Value, json};

use crate::{
    fault_server::{Reply, Server},
    support::{Sandbox, Seen},
};

const KEY: &str = "sk-live-0123456789abcdef";

/// A call of a tool in the words of one format.
pub struct Format {
    pub name: &'static str,
    pub kind: &'static str,
    content_type: &'static str,
    call: fn(name: &str, arguments: &Value) -> String,
    /// Where the answer to the call is in the second request.
    result: &'static str,
}

fn sse(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

pub static FORMATS: &[Format] = &[
    Format {
        name: "Anthropic Messages",
        kind: "anthropic",
        content_type: "text/event-stream",
        call: |name, arguments| {
            sse(&[
                json!({"type": "message_start", "message": {"usage": {"input_tokens": 10}}}),
                json!({"type": "content_block_start", "index": 0, "content_block":
                    {"type": "tool_use", "id": "t1", "name": name, "input": {}}}),
                json!({"type": "content_block_delta", "index": 0, "delta":
                    {"type": "input_json_delta", "partial_json": arguments.to_string()}}),
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"},
                    "usage": {"output_tokens": 5}}),
                json!({"type": "message_stop"}),
            ])
        },
        result: "/messages/2/content/0/content",
    },
    Format {
        name: "OpenAI Responses",
        kind: "openai",
        content_type: "text/event-stream",
        call: |name, arguments| {
            let item = json!({"type": "function_call", "id": "f1", "call_id": "t1", "name": name,
                "arguments": arguments.to_string()});
            sse(&[
                json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
                json!({"type": "response.completed", "response":
                    {"usage": {"input_tokens": 10, "output_tokens": 5}}}),
            ])
        },
        result: "/input/2/output",
    },
    Format {
        name: "OpenAI Chat Completions",
        kind: "openai-chat",
        content_type: "text/event-stream",
        call: |name, arguments| {
            let call = json!({"index": 0, "id": "t1", "type": "function", "function":
                {"name": name, "arguments": arguments.to_string()}});
            let text = sse(&[
                json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}),
                json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
                json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}}),
            ]);
            text + "data: [DONE]\n\n"
        },
        result: "/messages/3/content",
    },
    Format {
        name: "Gemini",
        kind: "gemini",
        content_type: "text/event-stream",
        call: |name, arguments| {
            let part = json!({"functionCall": {"name": name, "args": arguments}});
            sse(&[json!({"candidates": [{"content": {"role": "model", "parts": [part]},
                "finishReason": "STOP"}],
                "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5}})])
        },
        result: "/contents/2/parts/0/functionResponse/response",
    },
    Format {
        name: "Ollama",
        kind: "ollama",
        content_type: "application/x-ndjson",
        call: |name, arguments| {
            let call = json!({"function": {"name": name, "arguments": arguments}});
            let lines = [
                json!({"message": {"role": "assistant", "content": "", "tool_calls": [call]},
                    "done": false}),
                json!({"message": {"role": "assistant", "content": ""}, "done": true,
                    "done_reason": "stop", "prompt_eval_count": 10, "eval_count": 5}),
            ];
            lines.map(|line| format!("{line}\n")).concat()
        },
        result: "/messages/3/content",
    },
];

impl Format {
    pub fn reply(&self, name: &str, arguments: &Value) -> Reply {
        Reply::ok(self.content_type, (self.call)(name, arguments))
    }

    pub fn done(&self) -> Reply {
        self.reply("complete_task", &json!({"result": "found it"}))
    }
}

/// A home whose settings know the servers by the names `one` and `two`.
pub fn sandbox(kind: &str, servers: &[&Server], settings: &str) -> Sandbox {
    let providers: String = servers
        .iter()
        .zip(["one", "two"])
        .map(|(server, name)| {
            let url = &server.url;
            format!("[providers.{name}]\nkind = \"{kind}\"\nbase_url = \"{url}\"\napi_key_env = \"KEY_VARIABLE\"\n")
        })
        .collect();
    let idle = if settings.is_empty() { "idle_timeout_seconds = 0.3" } else { settings };
    let run = format!("[run]\nretry_delay_ms = 1\nretries = 2\n{idle}\n");
    Sandbox::with(&[
        ("~/.config/agentctl/config.toml", &format!("{run}{providers}")),
        ("notes.txt", "the needle\n"),
        (
            "agents/chained.md",
            "---\nagentType: chained\nwhenToUse: Asks two models.\ntools: [read_file]\nmodel: [one/m, two/m]\n---\nYou work in ${cwd}.\n",
        ),
    ])
}

/// Runs the program while servers in this runtime answer it.
pub async fn run(sandbox: &Sandbox, arguments: &[&str]) -> Seen {
    let mut command: Command = sandbox.command(arguments);
    command.env("KEY_VARIABLE", KEY);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    sandbox.seen(&output)
}

const EXPLORE: &[&str] = &["run", "Explore", "where?", "--model", "one/m", "--format", "json"];

#[tokio::test]
async fn every_format_carries_a_tool_call_its_result_and_the_end() {
    for format in FORMATS {
        let read = format.reply("read_file", &json!({"path": "notes.txt"}));
        let server = Server::sequence(vec![read, format.done()]).await;
        let sandbox = sandbox(format.kind, &[&server], "");
        let seen = run(&sandbox, EXPLORE).await;
        let result = seen.json();
        assert_eq!(seen.exit, Some(0), "{}: {seen}", format.name);
        assert_eq!(result["result"], "found it", "{}", format.name);
        assert_eq!(result["total_tokens"], 30, "{}", format.name);
        let requests = server.seen();
        let told = requests[1].body.pointer(format.result).map(Value::to_string);
        assert!(
            told.clone().is_some_and(|text| text.contains("the needle")),
            "{}: {told:?} in {:#}",
            format.name,
            requests[1].body
        );
        assert!(!seen.to_string().contains(KEY));
    }
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_and_told_as_an_event() {
    for format in FORMATS {
        let slower = Reply::Whole {
            status: 429,
            headers: vec![("retry-after-ms", "5".to_owned())],
            body: "{}".into(),
        };
        let server = Server::sequence(vec![slower, format.done()]).await;
        let sandbox = sandbox(format.kind, &[&server], "");
        let seen =
            run(&sandbox, &["run", "Explore", "x", "--model", "one/m", "--format", "jsonl"]).await;
        assert_eq!(seen.exit, Some(0), "{}: {seen}", format.name);
        let events: Vec<Value> =
            seen.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let retry = events.iter().find(|event| event["event_type"] == "RETRY").unwrap();
        assert_eq!(retry["data"]["error"]["kind"], "rate_limited", "{}", format.name);
        assert_eq!(retry["data"]["delay_ms"], 5, "{}", format.name);
    }
}

/// What a server does, the kind of error a user is told, the exit code, and how often it is asked.
fn faults() -> Vec<(Reply, &'static str, i32, usize)> {
    let status = |status, body: &'static str| Reply::Whole {
        status,
        headers: vec![("content-type", "application/json".to_owned())],
        body: body.into(),
    };
    vec![
        (
            status(401, "{\"error\": {\"message\": \"bad key sk-live-0123456789abcdef\"}}"),
            "auth",
            4,
            1,
        ),
        (status(503, "{}"), "overloaded", 1, 3),
        (status(500, "{}"), "server", 1, 3),
        (status(400, "{\"error\": {\"message\": \"no\"}}"), "bad_request", 1, 1),
        (Reply::ok("text/html", "<html>Please sign in</html>"), "not_a_stream", 1, 3),
        (Reply::Silence, "idle", 1, 3),
    ]
}

#[tokio::test]
async fn no_fault_of_a_server_becomes_a_result() {
    for format in FORMATS {
        for (reply, kind, exit, asked) in faults() {
            let server = Server::start(reply).await;
            let sandbox = sandbox(format.kind, &[&server], "");
            let seen = run(&sandbox, EXPLORE).await;
            let result = seen.json();
            assert_eq!(result["error"]["kind"], kind, "{}: {seen}", format.name);
            assert_eq!(
                (seen.exit, result["result"].as_str()),
                (Some(exit), Some("")),
                "{}",
                format.name
            );
            assert_eq!(server.seen().len(), asked, "{}: {kind}", format.name);
            assert!(!seen.to_string().contains(KEY), "{}: {seen}", format.name);
        }
    }
}

#[tokio::test]
async fn half_an_answer_is_asked_for_again_and_never_used() {
    for format in FORMATS {
        let whole = (format.call)("complete_task", &json!({"result": "half"}));
        let half = whole[..whole.len() / 2].to_owned();
        let server =
            Server::sequence(vec![Reply::ok(format.content_type, half), format.done()]).await;
        let sandbox = sandbox(format.kind, &[&server], "");
        let seen = run(&sandbox, EXPLORE).await;
        assert_eq!(seen.json()["result"], "found it", "{}: {seen}", format.name);
    }
}

#[tokio::test]
async fn the_next_model_answers_when_the_first_stays_overloaded() {
    for format in FORMATS {
        let overloaded = Reply::Whole { status: 529, headers: Vec::new(), body: "{}".into() };
        let (first, second) = (Server::start(overloaded).await, Server::start(format.done()).await);
        let sandbox = sandbox(format.kind, &[&first, &second], "");
        let seen = run(&sandbox, &["run", "chained", "x", "--format", "json"]).await;
        let result = seen.json();
        assert_eq!(seen.exit, Some(0), "{}: {seen}", format.name);
        assert_eq!(result["model"], "two/m", "{}", format.name);
        assert_eq!(result["models"][0]["error"]["kind"], "overloaded", "{}", format.name);
        assert_eq!(result["models"][1], json!({"model": "two/m"}), "{}", format.name);
    }
}

#[tokio::test]
async fn ctrl_c_in_the_middle_of_an_answer_ends_the_run() {
    for format in FORMATS {
        let whole = (format.call)("complete_task", &json!({"result": "half"}));
        let body = whole[..whole.len() / 2].to_owned().into();
        let server = Server::start(Reply::Stall { content_type: format.content_type, body }).await;
        let sandbox = sandbox(format.kind, &[&server], "idle_timeout_seconds = 60");
        let mut command = sandbox.command(EXPLORE);
        command.env("KEY_VARIABLE", KEY);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let child = command.spawn().unwrap();
        while server.seen().is_empty() {
            tokio::task::yield_now().await;
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        let output =
            tokio::task::spawn_blocking(|| child.wait_with_output().unwrap()).await.unwrap();
        let seen = sandbox.seen(&output);
        assert_eq!(seen.exit, Some(130), "{}: {seen}", format.name);
        assert_eq!(seen.json()["status"], "aborted", "{}", format.name);
    }
}
