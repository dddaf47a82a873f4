//! The page's line to the server: every text frame is one JSON-RPC message.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{
        State,
        ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code},
    },
    response::Response,
};
use futures_util::{
    SinkExt as _, StreamExt as _,
    stream::{SplitSink, SplitStream},
};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::app_server::{Connection, MAX_MESSAGE, Server};

/// Frames longer than this end the connection; shorter ones that are too long are answered.
const MAX_FRAME: usize = 4 * MAX_MESSAGE;
/// How often a client that says nothing is asked whether it is there.
const PING: Duration = Duration::from_secs(20);
/// How many answers wait to be sent.
const ANSWERS: usize = 16;

/// Answers what the page asks besides what every client can ask.
pub trait Extra: Send + Sync {
    /// The methods it answers.
    fn methods(&self) -> &'static [&'static str];

    /// Answers one. May take a while: it is called on a thread of its own.
    fn answer(&self, method: &str, params: &Value) -> Result<Value, String>;
}

/// What every connection talks to.
pub(super) struct Socket {
    pub server: Arc<Server>,
    pub extra: Arc<dyn Extra>,
    pub stop: CancellationToken,
}

/// Turns a request into a connection. Whether it may is checked before.
pub(super) async fn upgrade(
    State(socket): State<Arc<Socket>>,
    request: WebSocketUpgrade,
) -> Response {
    let request = request.max_message_size(MAX_FRAME).max_frame_size(MAX_FRAME);
    request.on_upgrade(move |stream| async move { socket.attend(stream).await })
}

impl Socket {
    /// Attends to a client until it goes or the server stops.
    async fn attend(&self, stream: WebSocket) {
        let connection = self.server.connect();
        let (mut sending, receiving) = stream.split();
        let (answers, answered) = mpsc::channel(ANSWERS);
        let reason = tokio::select! {
            reason = self.read(receiving, &connection, &answers) => reason,
            reason = write(&mut sending, &connection, answered) => reason,
            () = self.stop.cancelled() => Some(close_code::AWAY),
        };
        if let Some(code) = reason {
            // Whoever is gone already does not need to be told.
            let frame = CloseFrame { code, reason: "".into() };
            sending.send(Message::Close(Some(frame))).await.ok();
        }
    }

    /// Hands on what the client says. Why the connection ends, unless the client ended it.
    async fn read(
        &self,
        mut stream: SplitStream<WebSocket>,
        connection: &Connection,
        answers: &mpsc::Sender<String>,
    ) -> Option<u16> {
        while let Some(message) = stream.next().await {
            match message {
                Ok(Message::Text(text)) if text.len() > MAX_MESSAGE => connection.skipped(),
                Ok(Message::Text(text)) => match self.besides(&text) {
                    Some((id, method, params)) => {
                        self.answer(id, method, params, answers.clone()).await;
                    }
                    None => connection.receive(&text).await,
                },
                Ok(Message::Binary(_)) => return Some(close_code::UNSUPPORTED),
                Ok(Message::Close(_)) => return None,
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Err(error) => return Some(reason(&error.to_string())),
            }
        }
        None
    }

    /// A request that the server itself does not know.
    fn besides(&self, text: &str) -> Option<(Value, String, Value)> {
        // Few messages name one of the methods, and long ones are not read twice.
        let methods = self.extra.methods();
        let head = &text[..text.floor_char_boundary(1000)];
        methods.iter().find(|method| head.contains(**method))?;
        let mut message: Value = serde_json::from_str(text).ok()?;
        let method = message["method"].as_str().filter(|name| methods.contains(name))?.to_owned();
        let id = message.get("id").filter(|id| id.is_string() || id.is_number())?.clone();
        Some((id, method, message["params"].take()))
    }

    async fn answer(
        &self,
        id: Value,
        method: String,
        params: Value,
        answers: mpsc::Sender<String>,
    ) {
        let extra = Arc::clone(&self.extra);
        let result = tokio::task::spawn_blocking(move || extra.answer(&method, &params)).await;
        let answer = match result.unwrap_or_else(|error| Err(error.to_string())) {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(message) => {
                let error = json!({ "code": -32603, "message": message });
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        };
        // Without a reader the connection is over.
        answers.send(answer.to_string()).await.ok();
    }
}

/// Sends what there is for the client, and asks whether it is still there.
async fn write(
    sending: &mut SplitSink<WebSocket, Message>,
    connection: &Connection,
    mut answered: mpsc::Receiver<String>,
) -> Option<u16> {
    let mut ping = tokio::time::interval(PING);
    loop {
        let message = tokio::select! {
            text = connection.next() => match text {
                Some(text) => Message::text(text),
                None => return Some(close_code::AWAY),
            },
            Some(text) = answered.recv() => Message::text(text),
            _ = ping.tick() => Message::Ping(Default::default()),
        };
        if sending.send(message).await.is_err() {
            return None;
        }
    }
}

/// Why a connection cannot go on after an error. Its kind is only told in words.
fn reason(error: &str) -> u16 {
    if error.contains("too long") || error.contains("too big") {
        close_code::SIZE
    } else {
        close_code::PROTOCOL
    }
}
