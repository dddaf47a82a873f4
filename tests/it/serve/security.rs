//! Nobody else gets in.

use std::{net::TcpStream, time::Duration};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Message, client::IntoClientRequest as _},
};

use super::{Served, request};
use crate::support::Sandbox;

fn served() -> Served {
    Served::start(Sandbox::empty())
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default()
}

fn header<'a>(answer: &'a str, name: &str) -> &'a str {
    let head = answer.split("\r\n\r\n").next().unwrap();
    let line = head.lines().find(|line| line.to_lowercase().starts_with(&format!("{name}:")));
    line.map_or("", |line| line[name.len() + 1..].trim())
}

#[test]
fn only_who_knows_the_token_gets_in() {
    let served = served();
    let (bearer, wrong) = (served.bearer(), format!("Bearer {}", "0".repeat(64)));
    for path in ["/", "/session/x", "/catalog", "/assets/app.js", "/ws", "/nothing"] {
        assert_eq!(status(&served.get(path, &[])), 401, "{path}");
        assert_eq!(status(&served.get(path, &[("Authorization", &wrong)])), 401, "{path}");
    }
    let told = served.get("/", &[]);
    assert!(told.contains("open the address that `agentctl serve` printed"), "{told}");
    assert!(!told.contains(&served.token));
    assert_eq!(status(&served.get(&format!("/?token={}", "0".repeat(64)), &[])), 401);
    assert_eq!(status(&served.get("/?token=", &[])), 401);
    assert_eq!(status(&served.get("/", &[("Authorization", &bearer)])), 200);
    assert_eq!(status(&served.get("/assets/app.js", &[("Authorization", &bearer)])), 200);
}

#[test]
fn the_token_becomes_a_cookie_that_pages_of_others_cannot_use() {
    let served = served();
    assert_eq!(served.token.len(), 64);
    let answer = served.get(&format!("/session/x?token={}", served.token), &[]);
    assert_eq!(status(&answer), 303);
    assert_eq!(header(&answer, "location"), "/session/x");
    let cookie = header(&answer, "set-cookie");
    let (pair, flags) = cookie.split_once("; ").unwrap();
    assert_eq!(flags, "HttpOnly; SameSite=Strict; Path=/");
    assert_eq!(status(&served.get("/", &[("Cookie", pair)])), 200);
    assert_eq!(status(&served.get("/", &[("Cookie", &format!("a=b; {pair}"))])), 200);
    let name = pair.split('=').next().unwrap();
    assert_eq!(status(&served.get("/", &[("Cookie", &format!("{name}=x"))])), 401);
    // Two slashes would lead to another server.
    let elsewhere = served.get(&format!("//evil.example?token={}", served.token), &[]);
    assert_eq!(header(&elsewhere, "location"), "/evil.example");
}

#[test]
fn another_name_for_this_machine_is_refused() {
    let served = served();
    let ask = |host: String| {
        let headers = [("Host", host), ("Authorization", served.bearer())];
        status(&served.raw(&request("GET", "/", &headers)))
    };
    assert_eq!(ask(format!("127.0.0.1:{}", served.port)), 200);
    assert_eq!(ask(format!("localhost:{}", served.port)), 200);
    for host in ["evil.example", "127.0.0.1", "localhost:1", "127.0.0.1.evil.example", ""] {
        assert_eq!(ask(host.to_owned()), 421, "{host}");
    }
    assert_eq!(ask(format!("evil.example:{}", served.port)), 421);
}

#[test]
fn pages_of_other_sites_are_refused() {
    let served = served();
    let bearer = served.bearer();
    let ask =
        |origin: &str| status(&served.get("/", &[("Authorization", &bearer), ("Origin", origin)]));
    assert_eq!(ask(&served.url("")), 200);
    assert_eq!(ask(&format!("http://localhost:{}", served.port)), 200);
    for origin in ["http://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1", ""] {
        assert_eq!(ask(origin), 403, "{origin}");
    }
    assert_eq!(ask(&format!("https://127.0.0.1:{}", served.port)), 403);
}

#[test]
fn a_connection_needs_the_token_and_the_origin() {
    let served = served();
    let ask = |more: &[(&str, &str)]| {
        let mut headers = vec![
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        headers.extend(more);
        let head = request("GET", "/ws", &[("Host", format!("127.0.0.1:{}", served.port))]);
        let lines: String = headers.iter().map(|(k, v)| format!("{k}: {v}\r\n")).collect();
        let whole =
            head.replace("Connection: close\r\n", &format!("Connection: Upgrade\r\n{lines}"));
        // A refused one is closed by the server; its head is all there is.
        let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
        std::io::Write::write_all(&mut stream, whole.as_bytes()).unwrap();
        let mut head = [0; 64];
        let read = std::io::Read::read(&mut stream, &mut head).unwrap();
        status(&String::from_utf8_lossy(&head[..read]))
    };
    let (bearer, here) = (served.bearer(), served.url(""));
    let token = ("Authorization", bearer.as_str());
    assert_eq!(ask(&[token, ("Origin", &here)]), 101);
    assert_eq!(ask(&[token]), 403, "no origin");
    assert_eq!(ask(&[token, ("Origin", "http://evil.example")]), 403);
    assert_eq!(ask(&[("Origin", &here)]), 401, "no token");
    assert_eq!(ask(&[("Origin", &here), ("Authorization", "Bearer x")]), 401);
}

#[test]
fn there_is_no_way_to_any_file() {
    let served = served();
    let bearer = served.bearer();
    let paths = [
        "/assets/../../etc/passwd",
        "/assets/../Cargo.toml",
        "/assets/..%2f..%2fetc%2fpasswd",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/assets/%2fetc%2fpasswd",
        "/assets//etc/passwd",
        "/assets/app.js%00.css",
        "/assets/",
        "/etc/passwd",
        "/assets/index.html",
    ];
    for path in paths {
        let answer = served.get(path, &[("Authorization", &bearer)]);
        assert!([400, 404].contains(&status(&answer)), "{path}: {answer}");
        assert!(!answer.contains("root:"), "{path}: {answer}");
    }
}

#[test]
fn nothing_is_written_by_asking() {
    let served = served();
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"] {
        for path in ["/", "/ws", "/assets/app.js"] {
            let headers = [
                ("Host", format!("127.0.0.1:{}", served.port)),
                ("Authorization", served.bearer()),
                ("Origin", served.url("")),
            ];
            let code = status(&served.raw(&request(method, path, &headers)));
            assert!([400, 404, 405].contains(&code), "{method} {path}: {code}");
            let code = status(&served.raw(&request(method, path, &headers[..2])));
            assert!([400, 403, 421].contains(&code), "{method} {path} without origin: {code}");
        }
    }
}

#[test]
fn answers_are_sealed() {
    let served = served();
    let bearer = served.bearer();
    let port = served.port;
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
         connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port}; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'"
    );
    for (path, code) in [("/", 200), ("/assets/style.css", 200), ("/nothing", 404)] {
        let answer = served.get(path, &[("Authorization", &bearer)]);
        assert_eq!(status(&answer), code);
        assert_eq!(header(&answer, "content-security-policy"), policy);
        assert_eq!(header(&answer, "x-content-type-options"), "nosniff");
        assert_eq!(header(&answer, "referrer-policy"), "no-referrer");
        assert_eq!(header(&answer, "cache-control"), "no-store");
    }
}

#[test]
fn nobody_outside_of_this_machine_is_listened_to() {
    let served = served();
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let port = format!(":{:04X} ", served.port);
    let listening: Vec<&str> =
        table.lines().filter(|line| line.contains(&port) && line.contains(" 0A ")).collect();
    assert_eq!(listening.len(), 1, "{table}");
    assert!(listening[0].contains("0100007F:"), "{listening:?}");
}

#[test]
fn idle_connections_keep_nobody_out() {
    let served = served();
    let idle: Vec<TcpStream> =
        (0..500).map(|_| TcpStream::connect(("127.0.0.1", served.port)).unwrap()).collect();
    let answer = served.get("/", &[("Authorization", &served.bearer())]);
    assert_eq!(status(&answer), 200);
    drop(idle);
    assert_eq!(served.terminate(), Some(0));
}

type Socket = WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>;

async fn socket(served: &Served) -> Socket {
    let address = format!("ws://127.0.0.1:{}/ws", served.port);
    let mut request = address.into_client_request().unwrap();
    let headers = request.headers_mut();
    headers.insert("authorization", served.bearer().parse().unwrap());
    headers.insert("origin", served.url("").parse().unwrap());
    connect_async(request).await.unwrap().0
}

async fn ask(socket: &mut Socket, text: String) -> Value {
    socket.send(Message::text(text)).await.unwrap();
    loop {
        let message = tokio::time::timeout(Duration::from_secs(30), socket.next()).await;
        if let Message::Text(text) = message.unwrap().unwrap().unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

#[tokio::test]
async fn long_messages_are_answered_or_end_only_their_connection() {
    let served = served();
    let mut socket = socket(&served).await;
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} });
    assert_eq!(ask(&mut socket, hello.to_string()).await["id"], 1);
    let long = |length: usize| {
        let words = "x".repeat(length);
        json!({ "jsonrpc": "2.0", "id": 2, "method": "nothing", "params": { "a": words } })
    };
    let answer = ask(&mut socket, long(10 << 20).to_string()).await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(2), &json!(-32601)));
    let answer = ask(&mut socket, long(17 << 20).to_string()).await;
    assert_eq!(answer["error"]["code"], -32005, "{answer}");
    // The connection lives on.
    let wrong = ask(&mut socket, "{".to_owned()).await;
    assert_eq!(wrong["error"]["code"], -32700);
    socket.send(Message::binary(vec![0; 10])).await.unwrap();
    let end = socket.next().await;
    assert!(matches!(end, Some(Ok(Message::Close(_)))), "{end:?}");
    assert_eq!(status(&served.get("/", &[("Authorization", &served.bearer())])), 200);
}

#[tokio::test]
async fn a_message_without_end_ends_its_connection_and_nothing_else() {
    let served = served();
    let mut socket = socket(&served).await;
    // Whether all of it is sent before the connection ends is a matter of luck.
    socket.send(Message::text("x".repeat(65 << 20))).await.ok();
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Close(Some(frame)) = message {
            assert_eq!(u16::from(frame.code), 1009);
        }
    }
    assert_eq!(status(&served.get("/", &[("Authorization", &served.bearer())])), 200);
    let mut again = self::socket(&served).await;
    assert_eq!(ask(&mut again, "{".to_owned()).await["error"]["code"], -32700);
}
