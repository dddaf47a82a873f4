//! Against a server on this machine that stands for the public internet.

use std::{net::SocketAddr, path::PathBuf};

use axum::{
    Router,
    body::Body,
    http::{StatusCode, header},
    response::{IntoResponse, Redirect},
    routing::get,
};

use super::*;
use crate::tools::{
    Root,
    sandbox::{Mode, Sandbox},
};

/// What the tests take for public: this machine, under one of its addresses.
fn only_this(address: IpAddr) -> bool {
    address == IpAddr::from([127, 0, 0, 1])
}

fn cx() -> ToolCx {
    ToolCx {
        root: Root::open(&std::env::temp_dir()).unwrap(),
        sandbox: Sandbox::new(Mode::ReadOnly, PathBuf::new(), []),
        time_limit: Duration::from_secs(30),
        web: true,
    }
}

/// Serves a few pages until the runtime of the test ends.
async fn serve() -> SocketAddr {
    let typed = |kind: &'static str, body: Vec<u8>| ([(header::CONTENT_TYPE, kind)], body);
    let router = Router::new()
        .route("/html", get(async || axum::response::Html("<p>Hello <a href='/x'>you</a>")))
        .route("/text", get(async || "plain <b>text</b>"))
        .route("/json", get(async move || typed("application/ld+json", b"{}".to_vec())))
        .route("/latin", get(async move || typed("text/plain; charset=ISO-8859-1", vec![0xe9])))
        .route("/png", get(async move || typed("image/png", b"\x89PNG\0".to_vec())))
        .route("/large", get(async move || typed("text/plain", vec![b'x'; MAX_BYTES + 1])))
        .route("/missing", get(async || StatusCode::NOT_FOUND))
        .route("/never", get(std::future::pending::<()>))
        .route("/endless", get(async || endless()))
        .route("/to-html", get(async || Redirect::temporary("html")))
        .route("/loop", get(async || Redirect::temporary("/loop")))
        .route("/to-file", get(async || Redirect::temporary("file:///etc/passwd")))
        .route("/to-metadata", get(async || Redirect::temporary("http://169.254.169.254/")))
        .route("/to-number", get(async || Redirect::temporary("http://2852039166/")))
        .route("/to-private", get(async || Redirect::temporary("http://127.0.0.2:1/")));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async { axum::serve(listener, router).await });
    address
}

/// A page that goes on forever.
fn endless() -> impl IntoResponse {
    let chunks = futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>("x".repeat(1 << 16)));
    ([(header::CONTENT_TYPE, "text/plain")], Body::from_stream(chunks))
}

async fn fetch(url: &str) -> Result<String, ToolError> {
    let tool = WebFetch { allowed: only_this };
    tool.call((&cx()).into(), json!({ "url": url })).await
}

#[tokio::test]
async fn pages_come_as_text() {
    let at = serve().await;
    for (path, text) in [
        ("html", format!("Hello you (http://{at}/x)")),
        ("text", "plain <b>text</b>".to_owned()),
        ("json", "{}".to_owned()),
        ("latin", "é".to_owned()),
    ] {
        let url = format!("http://{at}/{path}");
        assert_eq!(fetch(&url).await.unwrap(), format!("url: {url}\n\n{text}"));
    }
}

#[tokio::test]
async fn a_redirect_is_followed_and_told() {
    let at = serve().await;
    let page = fetch(&format!("http://{at}/to-html")).await.unwrap();
    assert!(page.starts_with(&format!("url: http://{at}/html\n\nHello")), "{page}");
}

#[tokio::test]
async fn redirects_lead_to_public_pages_only_and_come_to_an_end() {
    let at = serve().await;
    for (path, why) in [
        ("to-file", "cannot fetch `file:///etc/passwd`: not an http or https address"),
        (
            "to-metadata",
            "cannot fetch `http://169.254.169.254/`: 169.254.169.254 is not a public address",
        ),
        (
            "to-number",
            "cannot fetch `http://169.254.169.254/`: 169.254.169.254 is not a public address",
        ),
        ("to-private", "cannot fetch `http://127.0.0.2:1/`: 127.0.0.2 is not a public address"),
    ] {
        let error = fetch(&format!("http://{at}/{path}")).await.unwrap_err();
        assert_eq!(error, ToolError::Refused(why.to_owned()));
    }
    let error = fetch(&format!("http://{at}/loop")).await.unwrap_err();
    assert!(error.to_string().ends_with("more than 5 redirects"), "{error}");
}

#[tokio::test]
async fn this_machine_is_not_public_however_it_is_written() {
    let at = serve().await;
    let port = at.port();
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "localhost",
        "LocalHost",
    ] {
        let url = format!("http://{host}:{port}/text");
        let error = WebFetch::new().call((&cx()).into(), json!({ "url": url })).await.unwrap_err();
        let error = error.to_string();
        assert!(error.ends_with("public address"), "{host}: {error}");
    }
}

#[tokio::test]
async fn names_are_connected_to_at_their_allowed_addresses() {
    let at = serve().await;
    let url = format!("http://localhost:{}/text", at.port());
    assert!(fetch(&url).await.unwrap().ends_with("plain <b>text</b>"));
    let nobody = WebFetch { allowed: |_| false };
    let error = nobody.call((&cx()).into(), json!({ "url": url })).await.unwrap_err();
    assert!(error.to_string().ends_with("localhost has no public address"), "{error}");
}

#[tokio::test]
async fn credentials_and_other_schemes_are_refused() {
    for (url, why) in [
        ("http://me:secret@127.0.0.1/", "it holds credentials"),
        ("http://token@127.0.0.1/", "it holds credentials"),
        ("ftp://127.0.0.1/", "not an http or https address"),
        ("file:///etc/passwd", "not an http or https address"),
        ("data:text/plain,x", "not an http or https address"),
        ("nonsense", "relative URL without a base"),
    ] {
        let error = fetch(url).await.unwrap_err().to_string();
        assert!(error.ends_with(why), "{url}: {error}");
    }
}

#[tokio::test]
async fn what_is_no_page_is_refused_kindly() {
    let at = serve().await;
    for (path, why) in [
        ("png", "it is image/png, and only text can be read"),
        ("missing", "the server answered 404 Not Found"),
    ] {
        let error = fetch(&format!("http://{at}/{path}")).await.unwrap_err().to_string();
        assert!(error.ends_with(why), "{error}");
    }
}

#[tokio::test]
async fn long_pages_say_how_to_get_the_rest() {
    let at = serve().await;
    let arguments = json!({ "url": format!("http://{at}/text"), "max_chars": 5 });
    let page = WebFetch { allowed: only_this }.call((&cx()).into(), arguments).await.unwrap();
    assert!(
        page.ends_with("\n\nplain\n[12 more characters; ask again with max_chars = 17]"),
        "{page}"
    );
}

#[tokio::test]
async fn no_more_of_a_page_is_read_than_it_may_have() {
    let at = serve().await;
    for path in ["large", "endless"] {
        let page = fetch(&format!("http://{at}/{path}")).await.unwrap();
        assert!(page.ends_with("[only the first 2097152 bytes were read]"), "{path}");
        assert!(page.len() < CHARS + 300, "{path}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up() {
    let at = serve().await;
    let cx = ToolCx { time_limit: Duration::from_millis(200), ..cx() };
    let arguments = json!({ "url": format!("http://{at}/never") });
    let error = WebFetch { allowed: only_this }.call((&cx).into(), arguments).await.unwrap_err();
    assert!(error.to_string().ends_with("no answer within 0.2 s"), "{error}");
}

#[tokio::test]
async fn it_is_off_unless_the_user_allows_it() {
    let cx = ToolCx { web: false, ..cx() };
    let error = WebFetch::new().call((&cx).into(), json!({ "url": "http://example.org" })).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "`web_fetch` is off; `[tools] web_fetch = true` in the user's configuration allows it"
    );
}

#[test]
fn people_are_shown_the_address() {
    let shown = WebFetch::new().preview(&cx(), &json!({ "url": "https://example.org/a" }));
    assert_eq!(shown, "GET https://example.org/a");
}
