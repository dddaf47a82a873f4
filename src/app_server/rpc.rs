//! JSON-RPC 2.0: what a message is, and how one is answered.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::protocol::Notification;

/// The longest message, in bytes.
pub const MAX_MESSAGE: usize = 16 << 20;

/// What an error answer says about its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// It is not JSON.
    Parse,
    /// It is JSON, and no request.
    InvalidRequest,
    /// There is no such method.
    UnknownMethod,
    /// The parameters do not fit the method.
    InvalidParams,
    /// Something broke here.
    Internal,
    /// There is no such thread.
    ThreadNotFound,
    /// The client has not introduced itself.
    NotInitialized,
    /// Nobody runs the thread here.
    NotLive,
    /// Too much happens already.
    Limit,
    /// The message is too long.
    Oversized,
    /// The agent cannot be run.
    CannotRun,
}

impl Code {
    /// Every one: its number and when it is sent. Numbers never change.
    pub const ALL: &[(i32, Self, &str)] = &[
        (-32700, Self::Parse, "the message is not JSON"),
        (-32600, Self::InvalidRequest, "the message is no request; batches are not taken"),
        (-32601, Self::UnknownMethod, "there is no such method"),
        (-32602, Self::InvalidParams, "the parameters do not fit the method"),
        (-32603, Self::Internal, "something broke in the server"),
        (-32001, Self::ThreadNotFound, "there is no such thread, or several begin like that"),
        (-32002, Self::NotInitialized, "the first request must be `initialize`"),
        (
            -32003,
            Self::NotLive,
            "the thread is in the store and this server does not run it: `thread/resume` it first",
        ),
        (-32004, Self::Limit, "too many threads or agents are at work already"),
        (-32005, Self::Oversized, "the message is longer than 16 MiB; it was skipped"),
        (
            -32006,
            Self::CannotRun,
            "the agent cannot be run: it does not exist, its definition has errors, or it has no \
             model",
        ),
    ];

    /// Its number.
    pub fn number(self) -> i32 {
        Self::ALL.iter().find(|(_, code, _)| *code == self).map_or(0, |(number, ..)| *number)
    }
}

/// Why a request was not fulfilled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RpcError {
    /// What kind of thing.
    pub code: Code,
    /// In words.
    pub message: String,
}

impl RpcError {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub(super) fn internal(error: impl std::fmt::Display) -> Self {
        Self::new(Code::Internal, error.to_string())
    }

    pub(super) fn params(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidParams, message)
    }
}

/// What a client sent.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    /// It wants an answer.
    Request { id: Value, method: String, params: Value },
    /// It wants none.
    Notification { method: String, params: Value },
    /// It answers; without a value if it could not.
    Answer { id: Value, result: Option<Value> },
}

/// Reads a message. What is wrong with it is said together with its id, as far as it has one.
pub(super) fn read(text: &str) -> Result<Incoming, (Value, RpcError)> {
    if text.len() > MAX_MESSAGE {
        return Err((Value::Null, oversized()));
    }
    let value: Value = serde_json::from_str(text)
        .map_err(|error| (Value::Null, RpcError::new(Code::Parse, error.to_string())))?;
    let wrong = |id: &Value, why: &str| (id.clone(), RpcError::new(Code::InvalidRequest, why));
    let Value::Object(mut message) = value else {
        let is_batch = value.is_array();
        let why = if is_batch { "batches are not taken" } else { "it is no object" };
        return Err(wrong(&Value::Null, why));
    };
    let id = message.remove("id");
    let known = id.clone().filter(|id| id.is_string() || id.is_number()).unwrap_or(Value::Null);
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(wrong(&known, "`jsonrpc` must be \"2.0\""));
    }
    if id.is_some() && known.is_null() && message.contains_key("method") {
        return Err(wrong(&Value::Null, "`id` must be a string or a number"));
    }
    match message.remove("method") {
        Some(Value::String(method)) => {
            let params = message.remove("params").unwrap_or(Value::Null);
            Ok(match id {
                Some(id) => Incoming::Request { id, method, params },
                None => Incoming::Notification { method, params },
            })
        }
        Some(_) => Err(wrong(&known, "`method` must be a string")),
        None => answer(known, message),
    }
}

fn answer(id: Value, mut message: Map<String, Value>) -> Result<Incoming, (Value, RpcError)> {
    let result = message.remove("result");
    if result.is_none() && !message.contains_key("error") {
        let why = "it has neither `method` nor `result` nor `error`";
        return Err((id, RpcError::new(Code::InvalidRequest, why)));
    }
    Ok(Incoming::Answer { id, result })
}

/// The error for a message that is too long.
pub(super) fn oversized() -> RpcError {
    let message = format!("a message is at most {} MiB long", MAX_MESSAGE >> 20);
    RpcError::new(Code::Oversized, message)
}

/// The parameters of a method.
pub(super) fn params<T: DeserializeOwned>(params: Value) -> Result<T, RpcError> {
    let params = if params.is_null() { json!({}) } else { params };
    if !params.is_object() {
        return Err(RpcError::params("`params` must be an object"));
    }
    serde_path_to_error::deserialize(params).map_err(|error| {
        let path = error.path().to_string();
        let at = if path == "." { String::new() } else { format!(" at `{path}`") };
        RpcError::params(format!("{}{at}", error.inner()))
    })
}

/// An answer.
pub(super) fn answered(id: &Value, result: Result<Value, RpcError>) -> String {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(RpcError { code, message }) => json!({
            "jsonrpc": "2.0",
            "id": id,
            "error": { "code": code.number(), "message": message },
        }),
    }
    .to_string()
}

/// A request to a client.
pub(super) fn request(id: &str, method: &str, params: &impl Serialize) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// Something a client is told without asking.
pub(super) fn notification(notification: &Notification) -> String {
    let mut message = Map::new();
    message.insert("jsonrpc".to_owned(), json!("2.0"));
    if let Ok(Value::Object(rest)) = serde_json::to_value(notification) {
        message.extend(rest);
    }
    Value::Object(message).to_string()
}

/// A value of the protocol as JSON.
pub(super) fn value(value: impl Serialize) -> Result<Value, RpcError> {
    serde_json::to_value(value).map_err(RpcError::internal)
}
