//! Servers that speak providers' formats, well or badly.

use std::{
    convert::Infallible,
    io,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::HeaderMap,
    response::Response,
};
use futures_util::{StreamExt as _, stream};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::AbortHandle,
};

/// The longest request that is read.
const MAX_REQUEST: usize = 1 << 20;

/// What a server does with every request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Answers.
    Whole { status: u16, headers: Vec<(&'static str, String)>, body: Bytes },
    /// Begins to answer, then says nothing more.
    Stall { content_type: &'static str, body: Bytes },
    /// Never says anything.
    Silence,
}

impl Reply {
    /// An answer with nothing special about it.
    pub fn ok(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let headers = vec![("content-type", content_type.to_owned())];
        Self::Whole { status: 200, headers, body: body.into() }
    }
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Path and query.
    pub target: String,
    pub headers: HeaderMap,
    pub body: Value,
}

type Arrived = Arc<Mutex<Vec<Seen>>>;

/// A server on this machine. It ends when it is dropped.
#[derive(Debug)]
pub struct Server {
    pub url: String,
    seen: Arrived,
    task: AbortHandle,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// A server that answers every request with `reply`.
    pub async fn start(reply: Reply) -> Self {
        Self::sequence(vec![reply]).await
    }

    /// A server that answers with one of `replies` after the other, and then always with the last.
    pub async fn sequence(replies: Vec<Reply>) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let router = Router::new().fallback(answer).with_state((replies, Arc::clone(&seen)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let serve = async move { axum::serve(listener, router).await.unwrap() };
        Self { url, seen, task: tokio::spawn(serve).abort_handle() }
    }

    /// A server that sends the first N bytes of `answer` to a request for `/MODE/N/…` and closes
    /// the connection: after `closed` nobody can tell that there was more, after `chunked` the end
    /// is missing, and after `announced` most of what was announced is.
    pub async fn cutting(content_type: &'static str, answer: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let answer: Arc<[u8]> = answer.into();
        let serve = async move {
            while let Ok((connection, _)) = listener.accept().await {
                let answer = Arc::clone(&answer);
                // A client that gives up first is not this server's problem.
                tokio::spawn(async move { cut(connection, content_type, &answer).await.ok() });
            }
        };
        Self { url, seen: Arc::default(), task: tokio::spawn(serve).abort_handle() }
    }

    /// What arrived so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

async fn answer(
    State((replies, seen)): State<(Vec<Reply>, Arrived)>,
    request: Request,
) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, MAX_REQUEST).await.unwrap();
    let request = Seen {
        target: head.uri.to_string(),
        headers: head.headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push(request);
        seen.len()
    };
    match replies[number.min(replies.len()) - 1].clone() {
        Reply::Whole { status, headers, body } => {
            let mut response = Response::builder().status(status);
            for (name, value) in headers {
                response = response.header(name, value);
            }
            response.body(Body::from(body)).unwrap()
        }
        Reply::Stall { content_type, body } => {
            let first = stream::iter([Ok::<_, Infallible>(body)]);
            let body = Body::from_stream(first.chain(stream::pending()));
            Response::builder().header("content-type", content_type).body(body).unwrap()
        }
        Reply::Silence => std::future::pending().await,
    }
}

async fn cut(mut connection: TcpStream, content_type: &str, answer: &[u8]) -> io::Result<()> {
    let head = request_head(&mut connection).await?;
    let mut path = head.split(' ').nth(1).unwrap().split('/').skip(1);
    let mode = path.next().unwrap();
    let kept = &answer[..path.next().unwrap().parse::<usize>().unwrap()];
    let (framing, body) = match mode {
        "closed" => ("connection: close".to_owned(), kept.to_vec()),
        "announced" => (format!("content-length: {}", answer.len() + 1), kept.to_vec()),
        // Chunks that are as small as they can be.
        _ => ("transfer-encoding: chunked".to_owned(), {
            kept.iter().flat_map(|byte| [b'1', b'\r', b'\n', *byte, b'\r', b'\n']).collect()
        }),
    };
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\n{framing}\r\n\r\n");
    connection.write_all(head.as_bytes()).await?;
    connection.write_all(&body).await?;
    connection.shutdown().await
}

/// The head of a request whose body has arrived as well.
async fn request_head(connection: &mut TcpStream) -> io::Result<String> {
    let mut bytes = Vec::new();
    loop {
        connection.read_buf(&mut bytes).await?;
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok()
        });
        if body.len() >= length.unwrap_or(0_usize) {
            return Ok(head.to_owned());
        }
    }
}
