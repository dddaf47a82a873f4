//! Providers over HTTP, against servers with every fault we know.

use std::{process::Command, time::Duration};

use agentctl::{
    conversation::{Answer, Message, Stop, ToolSpec},
    event::FailureKind,
    provider::{
        Caller, Endpoint, ModelError, Request, Sampling, Secret, Wire,
        http::{Client, Patience, client, connect},
    },
};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

use crate::fault_server::{Reply, Server};

pub(crate) const KEY: &str = "sk-secret-0123456789";
/// How long a server may say nothing.
pub(crate) const SHORT: Duration = Duration::from_millis(200);
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// One format, and what its servers say.
#[derive(Debug)]
pub(crate) struct Format {
    pub(crate) wire: Wire,
    pub(crate) content_type: &'static str,
    /// Where requests go.
    pub(crate) target: &'static str,
    /// The header with the key.
    pub(crate) key: (&'static str, &'static str),
    /// An answer with everything in it.
    pub(crate) recorded: &'static str,
    /// A short one.
    pub(crate) short: &'static str,
    /// An error in the middle of an answer, and what kind of error it is.
    pub(crate) interruption: (&'static str, FailureKind),
}

pub(crate) const SSE: &str = "text/event-stream";

pub(crate) static FORMATS: &[Format] = &[
    Format {
        wire: Wire::Anthropic,
        content_type: SSE,
        target: "/v1/messages",
        key: ("x-api-key", KEY),
        recorded: include_str!("../answers/anthropic.sse"),
        short: concat!(
            r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}"#,
            "\n\n",
            r#"data: {"type":"content_block_stop","index":0}"#,
            "\n\n",
            r#"data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}"#,
            "\n\n",
            r#"data: {"type":"message_stop"}"#,
            "\n\n",
        ),
        interruption: (
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
            FailureKind::Overloaded,
        ),
    },
    Format {
        wire: Wire::OpenAiResponses,
        content_type: "text/event-stream; charset=utf-8",
        target: "/responses",
        key: ("authorization", "Bearer sk-secret-0123456789"),
        recorded: include_str!("../answers/openai_responses.sse"),
        short: concat!(
            r#"data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"hi"}]}}"#,
            "\r\n\r\n",
            r#"data: {"type":"response.completed","response":{"usage":{"output_tokens":9}}}"#,
            "\r\n\r\n",
        ),
        interruption: (
            "event: error\ndata: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"slower\"}\n\n",
            FailureKind::RateLimited,
        ),
    },
    Format {
        wire: Wire::OpenAiChat,
        content_type: SSE,
        target: "/chat/completions",
        key: ("authorization", "Bearer sk-secret-0123456789"),
        recorded: include_str!("../answers/openai_chat.sse"),
        short: concat!(
            r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"a","arguments":"{}"}}]}}]}"#,
            "\n\n",
            r#"data: {"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
            "\n\n",
            r#"data: {"choices":[],"usage":{"completion_tokens":9}}"#,
            "\n\ndata: [DONE]\n\n",
        ),
        interruption: (
            "data: {\"error\":{\"code\":502,\"message\":\"upstream is gone\"}}\n\n",
            FailureKind::Server,
        ),
    },
    Format {
        wire: Wire::Gemini,
        content_type: SSE,
        target: "/v1beta/models/m:streamGenerateContent?alt=sse",
        key: ("x-goog-api-key", KEY),
        recorded: include_str!("../answers/gemini.sse"),
        short: concat!(
            r#"data: {"candidates":[{"content":{"parts":[{"text":"hi"}]}}]}"#,
            "\r\n\r\n",
            r#"data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"candidatesTokenCount":9}}"#,
            "\r\n\r\n",
        ),
        interruption: (
            "data: {\"error\":{\"code\":503,\"message\":\"later\",\"status\":\"UNAVAILABLE\"}}\r\n\r\n",
            FailureKind::Overloaded,
        ),
    },
    Format {
        wire: Wire::Ollama,
        content_type: "application/x-ndjson",
        target: "/api/chat",
        key: ("authorization", "Bearer sk-secret-0123456789"),
        recorded: include_str!("../answers/ollama.ndjson"),
        short: concat!(
            r#"{"message":{"content":"hi"},"done":false}"#,
            "\n",
            r#"{"message":{"content":""},"done":true,"eval_count":9}"#,
            "\n",
        ),
        interruption: ("{\"error\":\"the model crashed\"}\n", FailureKind::Server),
    },
];

impl Format {
    pub(crate) fn endpoint(&self, base_url: &str) -> Endpoint {
        Endpoint {
            name: "p".to_owned(),
            wire: self.wire,
            base_url: base_url.to_owned(),
            key: Some(Secret::new(KEY.to_owned())),
            key_variable: None,
        }
    }

    /// How this provider says that something is wrong: in its own words, where it has some.
    fn error(&self, words: &Words, status: u16) -> Value {
        // A provider that repeats the key must not get it into an error.
        let message = format!("{} ({KEY})", words.message);
        match self.wire {
            Wire::Anthropic => {
                json!({"type": "error", "error": {"type": words.anthropic, "message": message}})
            }
            Wire::OpenAiResponses | Wire::OpenAiChat => {
                json!({"error": {"type": "invalid_request_error", "code": words.openai, "message": message}})
            }
            Wire::Gemini => {
                json!({"error": {"code": status, "status": words.gemini, "message": message}})
            }
            Wire::Ollama => json!({"error": message}),
        }
    }
}

/// An error in the words of the providers.
struct Words {
    message: &'static str,
    anthropic: &'static str,
    openai: Option<&'static str>,
    gemini: &'static str,
}

const fn words(
    message: &'static str,
    anthropic: &'static str,
    openai: Option<&'static str>,
    gemini: &'static str,
) -> Words {
    Words { message, anthropic, openai, gemini }
}

static STATUSES: &[(u16, Words, FailureKind)] = &[
    (
        401,
        words("no", "authentication_error", Some("invalid_api_key"), "UNAUTHENTICATED"),
        FailureKind::Auth,
    ),
    (403, words("no", "permission_error", None, "PERMISSION_DENIED"), FailureKind::Auth),
    (
        429,
        words("slower", "rate_limit_error", Some("rate_limit_exceeded"), "RESOURCE_EXHAUSTED"),
        FailureKind::RateLimited,
    ),
    (
        503,
        words("busy", "overloaded_error", Some("server_is_overloaded"), "UNAVAILABLE"),
        FailureKind::Overloaded,
    ),
    (529, words("busy", "overloaded_error", None, "UNAVAILABLE"), FailureKind::Overloaded),
    (500, words("oh", "api_error", None, "INTERNAL"), FailureKind::Server),
    (
        400,
        words("what?", "invalid_request_error", None, "INVALID_ARGUMENT"),
        FailureKind::BadRequest,
    ),
    (
        404,
        words("model: m", "not_found_error", Some("model_not_found"), "NOT_FOUND"),
        FailureKind::UnknownModel,
    ),
    (
        400,
        words(
            "prompt is too long: 9 tokens > 8",
            "invalid_request_error",
            Some("context_length_exceeded"),
            "INVALID_ARGUMENT",
        ),
        FailureKind::ContextLength,
    ),
];

pub(crate) fn client_with(idle: Duration) -> Client {
    client(Patience { connect: LONG, idle }).unwrap()
}

/// Asks the provider behind `url` for anything at all.
pub(crate) async fn ask(client: &Client, format: &Format, url: &str) -> Result<Answer, ModelError> {
    let caller = Caller { agent_id: "a".to_owned(), agent_type: "A".to_owned(), ordinal: 1 };
    let parameters = json!({"type": "object", "properties": {}});
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: "d".to_owned(),
        parameters: parameters.clone(),
    };
    let request = Request {
        caller: &caller,
        model: "m",
        system: "s",
        messages: &[Message::user("hello")],
        tools: &[tool("read_file"), tool("collaboration.init_agent")],
        sampling: &Sampling::default(),
    };
    let provider = connect(format.endpoint(url), client);
    assert!(!format!("{provider:?}").contains(KEY));
    let answer = provider.answer(&request, &|_| {}).await;
    if let Err(error) = &answer {
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains(KEY), "{shown}");
        assert!(shown.chars().count() < 1_000, "{shown}");
    }
    answer
}

/// The error every format makes of the same answer.
pub(crate) async fn errors(reply: Reply, idle: Duration) -> Vec<(&'static Format, ModelError)> {
    let server = Server::start(reply).await;
    let client = client_with(idle);
    let mut errors = Vec::new();
    for format in FORMATS {
        errors.push((format, ask(&client, format, &server.url).await.unwrap_err()));
    }
    errors
}

#[tokio::test]
async fn answers_arrive_whole_and_the_key_goes_only_into_its_header() {
    let client = client_with(LONG);
    for format in FORMATS {
        let server = Server::start(Reply::ok(format.content_type, format.recorded)).await;
        let answer = ask(&client, format, &format!("{}/", server.url)).await.unwrap();
        let calls: Vec<(&str, &str)> =
            answer.calls().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
        let expected = [("read_file", "{\"path\":\"a.rs\"}"), ("collaboration.init_agent", "{}")];
        assert_eq!(calls, expected, "{:?}", format.wire);
        assert_eq!(answer.text(), "Looking at both – ä.", "{:?}", format.wire);
        assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (22, 40));
        assert_eq!(answer.stop, Stop::Calls);

        let seen = server.seen();
        let [seen] = seen.as_slice() else { panic!("{seen:?}") };
        assert_eq!(seen.target, format.target);
        assert_eq!(seen.headers[format.key.0], format.key.1);
        assert!(!seen.body.to_string().contains(KEY));
        assert!(seen.body.to_string().contains("collaboration_init_agent"), "{}", seen.body);
    }
}

#[test]
fn servers_on_this_machine_are_asked_directly_whatever_the_proxy() {
    let test = "providers::answers_arrive_whole_and_the_key_goes_only_into_its_header";
    let nobody = "http://127.0.0.1:9";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .envs(["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].map(|name| (name, nobody)))
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && stdout.contains("1 passed"), "{stdout}");
}

#[tokio::test]
async fn every_status_is_the_same_kind_of_error_in_every_format() {
    let client = client_with(LONG);
    for (status, words, expected) in STATUSES {
        for format in FORMATS {
            let words = match (format.wire, expected) {
                (Wire::Gemini, FailureKind::ContextLength) => &Words {
                    message: "The input token count (9) exceeds the maximum number of tokens allowed (8).",
                    ..*words
                },
                (Wire::Ollama, FailureKind::ContextLength) => {
                    &Words { message: "the input length exceeds the context length", ..*words }
                }
                _ => words,
            };
            let body = format.error(words, *status).to_string();
            let headers = vec![("content-type", "application/json".to_owned())];
            let reply = Reply::Whole { status: *status, headers, body: body.into() };
            let server = Server::start(reply).await;
            let error = ask(&client, format, &server.url).await.unwrap_err();
            assert_eq!(error.failure().kind, *expected, "{status} {:?}: {error}", format.wire);
            assert!(error.to_string().contains("[redacted]"), "{error}");
        }
    }
}

#[tokio::test]
async fn statuses_without_an_explanation_have_a_kind_as_well() {
    for (status, expected) in [
        (401, FailureKind::Auth),
        (404, FailureKind::BadRequest),
        (418, FailureKind::BadRequest),
        (429, FailureKind::RateLimited),
        (502, FailureKind::Server),
        (529, FailureKind::Overloaded),
    ] {
        let reply = Reply::Whole { status, headers: vec![], body: "<h1>Sorry</h1>".into() };
        for (format, error) in errors(reply, LONG).await {
            assert_eq!(error.failure().kind, expected, "{status} {:?}: {error}", format.wire);
            assert!(error.to_string().contains("Sorry"), "{error}");
        }
    }
}

#[tokio::test]
async fn waits_as_long_as_the_provider_asks() {
    let future = std::time::SystemTime::now() + Duration::from_secs(3_600);
    let date = httpdate::fmt_http_date(future);
    for (header, value, range) in [
        ("retry-after", "7".to_owned(), 7_000..=7_000),
        ("retry-after-ms", "20".to_owned(), 20..=20),
        ("retry-after", date, 3_500_000..=3_600_000),
    ] {
        for status in [429, 503] {
            let headers = vec![(header, value.clone())];
            let reply = Reply::Whole { status, headers, body: "{}".into() };
            for (format, error) in errors(reply, LONG).await {
                let wait = error.retry_after().unwrap().as_millis();
                assert!(range.contains(&wait), "{header} {:?}: {wait}", format.wire);
            }
        }
    }
}

#[tokio::test]
async fn pages_and_documents_and_noise_are_no_streams() {
    let html = "<html><title>Sign in\u{1b}[31m</title></html>";
    let noise: Vec<u8> = (0_u8..=255).rev().collect();
    let replies = [
        Reply::ok("text/html; charset=utf-8", html),
        // Whatever it says it is.
        Reply::ok(SSE, html),
        Reply::ok("application/json", r#"{"hello": "world"}"#),
        Reply::ok(SSE, "data: {\"hello\": \"world\"}\n\n"),
        Reply::ok(SSE, "data: hello\n\n"),
        Reply::ok("application/octet-stream", noise),
        Reply::ok("application/x-ndjson", "[1]\n"),
    ];
    for reply in replies {
        for (format, error) in errors(reply.clone(), LONG).await {
            assert_eq!(
                error.failure().kind,
                FailureKind::NotAStream,
                "{:?} {reply:?}: {error}",
                format.wire
            );
            assert!(!error.to_string().contains('\u{1b}'));
        }
    }
}

#[tokio::test]
async fn an_empty_answer_is_a_truncated_one() {
    for content_type in [SSE, "application/x-ndjson"] {
        for (format, error) in errors(Reply::ok(content_type, ""), LONG).await {
            assert_eq!(error.failure().kind, FailureKind::TruncatedStream, "{:?}", format.wire);
        }
    }
}

#[tokio::test]
async fn an_error_that_comes_as_a_success_is_an_error() {
    let client = client_with(LONG);
    for format in FORMATS {
        let words = words("busy", "overloaded_error", Some("server_is_overloaded"), "UNAVAILABLE");
        let body = format.error(&words, 503).to_string();
        let server = Server::start(Reply::ok("application/json", body)).await;
        let kind = ask(&client, format, &server.url).await.unwrap_err().failure().kind;
        let unexplained = format.wire == Wire::Ollama;
        let expected = if unexplained { FailureKind::Server } else { FailureKind::Overloaded };
        assert_eq!(kind, expected, "{:?}", format.wire);
    }
}

#[tokio::test]
async fn an_error_within_a_stream_is_typed() {
    let client = client_with(LONG);
    for format in FORMATS {
        let (interruption, expected) = format.interruption;
        let at = format.short.find('\n').unwrap() + 1;
        let (begun, _) = format.short.split_at(at);
        let blank = if begun.ends_with("\r\n") { "\r\n" } else { "\n" };
        let body = format!("{begun}{blank}{interruption}");
        let server = Server::start(Reply::ok(format.content_type, body)).await;
        let error = ask(&client, format, &server.url).await.unwrap_err();
        assert_eq!(error.failure().kind, expected, "{:?}: {error}", format.wire);
    }
}

#[tokio::test]
async fn an_answer_cut_at_any_byte_is_an_error_or_the_whole_answer() {
    for format in FORMATS {
        let client = client_with(LONG);
        let length = format.short.len();
        let server = Server::cutting(format.content_type, format.short.into()).await;
        let whole = ask(&client, format, &format!("{}/closed/{length}", server.url)).await.unwrap();
        let cuts = [("closed", 1), ("chunked", 1), ("announced", 16)]
            .into_iter()
            .flat_map(|(mode, step)| (0..=length).step_by(step).map(move |cut| (mode, cut)));
        let asked = stream::iter(cuts).map(|(mode, cut)| {
            let (client, url) = (&client, format!("{}/{mode}/{cut}", server.url));
            async move { (mode, cut, ask(client, format, &url).await) }
        });
        let mut asked = asked.buffer_unordered(32);
        let mut earliest = length;
        while let Some((mode, cut, answer)) = asked.next().await {
            match answer {
                Ok(answer) => {
                    assert_eq!(answer, whole, "{:?} {mode} {cut}", format.wire);
                    earliest = earliest.min(cut);
                }
                Err(error) => {
                    let kind = error.failure().kind;
                    let broken = [FailureKind::TruncatedStream, FailureKind::NotAStream];
                    assert!(broken.contains(&kind), "{:?} {mode} {cut}: {error}", format.wire);
                }
            }
        }
        let last_number = format.short.rfind('9').unwrap_or(0);
        assert!(earliest > last_number, "{:?} was whole after {earliest} bytes", format.wire);
    }
}
