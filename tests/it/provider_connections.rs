//! How providers are reached: servers that are silent, closed, elsewhere, or on this machine.

use agentctl::{
    conversation::Message,
    event::FailureKind,
    provider::{
        Caller, Endpoint, ModelError, Request, Sampling, Secret, Wire,
        http::{Found, connect, local_endpoints, probe},
    },
};

use crate::{
    fault_server::{Reply, Server},
    providers::{FORMATS, KEY, LONG, SHORT, SSE, ask, client_with, errors},
};

#[tokio::test]
async fn a_server_that_never_answers_is_idle() {
    for (format, error) in errors(Reply::Silence, SHORT).await {
        assert_eq!(error, ModelError::Idle { after: SHORT }, "{:?}", format.wire);
    }
}

#[tokio::test]
async fn a_server_that_stalls_is_idle() {
    let client = client_with(SHORT);
    for format in FORMATS {
        let (begun, _) = format.recorded.split_at(format.recorded.find('\n').unwrap() + 2);
        let content_type = format.content_type;
        let server = Server::start(Reply::Stall { content_type, body: begun.into() }).await;
        let error = ask(&client, format, &server.url).await.unwrap_err();
        assert_eq!(error, ModelError::Idle { after: SHORT }, "{:?}", format.wire);
    }
}

#[tokio::test]
async fn does_not_wait_for_the_end_of_a_proven_answer() {
    let client = client_with(LONG);
    for format in FORMATS.iter().filter(|format| format.wire != Wire::Gemini) {
        let reply = Reply::Stall { content_type: format.content_type, body: format.short.into() };
        let server = Server::start(reply).await;
        ask(&client, format, &server.url).await.unwrap();
    }
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client = client_with(LONG);
    for format in FORMATS {
        let error = ask(&client, format, &url).await.unwrap_err();
        assert_eq!(error.failure().kind, FailureKind::Unreachable, "{:?}: {error}", format.wire);
    }
}

#[tokio::test]
async fn refuses_to_follow_a_redirect_with_the_key() {
    let elsewhere = Server::start(Reply::ok(SSE, "")).await;
    for status in [301, 302, 307, 308] {
        let location = vec![("location", format!("{}/{KEY}", elsewhere.url))];
        let reply = Reply::Whole { status, headers: location, body: "".into() };
        for (format, error) in errors(reply, LONG).await {
            let kind = error.failure().kind;
            assert_eq!(kind, FailureKind::BadRequest, "{:?}: {error}", format.wire);
            assert!(error.to_string().contains(&elsewhere.url), "{error}");
        }
    }
    assert_eq!(elsewhere.seen().len(), 0);
}

#[tokio::test]
async fn no_key_is_sent_where_none_is_needed_and_missed_where_one_is() {
    let client = client_with(SHORT);
    let server = Server::start(Reply::ok(SSE, FORMATS[2].recorded)).await;
    let caller = Caller { agent_id: String::new(), agent_type: String::new(), ordinal: 1 };
    let request = Request {
        caller: &caller,
        model: "m",
        system: "",
        messages: &[Message::user("hello")],
        tools: &[],
        sampling: &Sampling::default(),
    };
    let variable = || Some("P_KEY".to_owned());
    let local =
        Endpoint { key: None, key_variable: variable(), ..FORMATS[2].endpoint(&server.url) };
    connect(local, &client).answer(&request, &|_| {}).await.unwrap();
    assert!(!server.seen()[0].headers.contains_key("authorization"));

    let far = FORMATS[2].endpoint("https://provider.invalid/v1");
    let unusable = Secret::new("line\nbreak".to_owned());
    for key in [None, Some(unusable)] {
        let endpoint = Endpoint { key, key_variable: variable(), ..far.clone() };
        let error = connect(endpoint, &client).answer(&request, &|_| {}).await.unwrap_err();
        assert_eq!(error, ModelError::NoKey { variable: "P_KEY".to_owned() });
    }
}

#[tokio::test]
async fn finds_the_servers_on_this_machine_that_answer_as_they_should() {
    let json = "application/json";
    let ollama = r#"{"models": [{"name": "qwen3:8b"}, {"name": "nomic-embed-text:latest"}]}"#;
    let ollama = Server::start(Reply::ok(json, ollama)).await;
    let compatible = r#"{"object": "list", "data": [{"id": "llama"}]}"#;
    let compatible = Server::start(Reply::ok(json, compatible)).await;
    let strange = Server::start(Reply::ok("text/html", "<html>")).await;
    let nameless = Server::start(Reply::ok(json, r#"{"data": [{"name": "x"}]}"#)).await;
    let silent = Server::start(Reply::Silence).await;
    let (chat, own) = (&FORMATS[2], &FORMATS[4]);
    let mut endpoints: Vec<Endpoint> = [&strange, &nameless, &silent, &compatible]
        .map(|server| chat.endpoint(&format!("{}/v1", server.url)))
        .into();
    endpoints.push(own.endpoint(&ollama.url));
    endpoints.push(chat.endpoint("http://192.0.2.1/v1"));

    let found = probe(&client_with(LONG), &endpoints, SHORT).await;
    let expect = |base_url: String, model: &str| Found {
        endpoint: "p".to_owned(),
        base_url,
        models: vec![model.to_owned()],
    };
    let expected =
        [expect(format!("{}/v1", compatible.url), "llama"), expect(ollama.url.clone(), "qwen3:8b")];
    assert_eq!(found, expected);
    assert_eq!(ollama.seen()[0].target, "/api/tags");
    assert_eq!(compatible.seen()[0].target, "/v1/models");
    assert!(ollama.seen()[0].headers.keys().all(|name| name != "authorization"));
}

#[test]
fn looks_where_local_servers_are_by_default() {
    let places: Vec<String> =
        local_endpoints().into_iter().map(|endpoint| endpoint.base_url).collect();
    let expected =
        ["http://127.0.0.1:11434", "http://127.0.0.1:1234/v1", "http://127.0.0.1:8080/v1"];
    assert_eq!(places, expected);
}
