//! One client: its messages, and the methods it can call.

use std::sync::{Arc, atomic::Ordering};

use serde_json::{Value, json};

use super::{
    protocol::{
        AgentsListResult, ApprovalAnswerParams, ApprovalAnswerResult, ApprovalResponse, ClientInfo,
        CollaborationModeListResult, CollaborationModePreset, InitializeParams, InitializeResult,
        Notification, VERSION,
    },
    rpc::{self, Code, Incoming, RpcError},
    server::{Client, Server},
};
use crate::session::ModeKind;

/// One client.
#[derive(Debug)]
pub struct Connection {
    server: Arc<Server>,
    client: Arc<Client>,
}

/// What a request comes to.
pub(super) struct Reply {
    result: Value,
    /// What everyone is told once the client has its answer: about which session, and what.
    then: Option<(Arc<str>, Notification)>,
}

impl Reply {
    pub fn then(result: Value, session: Arc<str>, notification: Notification) -> Self {
        Self { result, then: Some((session, notification)) }
    }
}

impl From<Value> for Reply {
    fn from(result: Value) -> Self {
        Self { result, then: None }
    }
}

impl Connection {
    pub(super) fn new(server: Arc<Server>, client: Arc<Client>) -> Self {
        Self { server, client }
    }

    /// Takes one message of the client. What is wrong with it is answered. A client that does not
    /// read its answers is not listened to.
    pub async fn receive(&self, text: &str) {
        self.client.outbox.has_room().await;
        match rpc::read(text) {
            Ok(Incoming::Request { id, method, params }) => {
                self.call(Some(id), &method, params).await;
            }
            Ok(Incoming::Notification { method, params }) => {
                self.call(None, &method, params).await;
            }
            Ok(Incoming::Answer { id, result }) => self.answered(&id, result),
            Err((id, error)) => self.client.outbox.keep(rpc::answered(&id, Err(error))),
        }
    }

    /// A message of the client was longer than [`super::MAX_MESSAGE`] and has been skipped.
    pub fn skipped(&self) {
        self.client.outbox.keep(rpc::answered(&Value::Null, Err(rpc::oversized())));
    }

    /// The next message for the client; none any more when the server is shut down.
    pub async fn next(&self) -> Option<String> {
        self.client.outbox.next().await
    }

    /// Does what is asked. Closing agents takes time; what follows need not wait for that.
    async fn call(&self, id: Option<Value>, method: &str, params: Value) {
        let (server, client) = (Arc::clone(&self.server), Arc::clone(&self.client));
        if method == "thread/close" {
            tokio::spawn(async move {
                let reply = handle(&server, &client, "thread/close", params).await;
                finish(&server, &client, id, reply);
            });
            return;
        }
        let was_attached = client.initialized.load(Ordering::Acquire);
        let reply = handle(&server, &client, method, params).await;
        finish(&server, &client, id, reply);
        if !was_attached && client.initialized.load(Ordering::Acquire) {
            for request in server.desk.waiting() {
                client.ask(&request);
            }
        }
    }

    /// A client has answered a question of the server.
    fn answered(&self, id: &Value, result: Option<Value>) {
        let Some(id) = id.as_str() else { return };
        let response = result.and_then(|result| serde_json::from_value(result).ok());
        match response {
            Some(ApprovalResponse { decision }) => _ = self.server.rule(id, decision),
            None => self.server.cannot_answer(self.client.number, id),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.server.disconnect(&self.client);
    }
}

/// Hands out what a request came to.
fn finish(server: &Server, client: &Client, id: Option<Value>, reply: Result<Reply, RpcError>) {
    let (result, then) = match reply {
        Ok(Reply { result, then }) => (Ok(result), then),
        Err(error) => (Err(error), None),
    };
    if let Some(id) = id {
        client.outbox.keep(rpc::answered(&id, result));
    }
    if let Some((session, notification)) = then {
        server.tell_all(&session, &notification);
    }
}

/// Every method but `initialize`, which comes first.
pub const METHODS: &[&str] = &[
    "agents/list",
    "approval/answer",
    "collaborationMode/list",
    "thread/close",
    "thread/list",
    "thread/note/set",
    "thread/read",
    "thread/resume",
    "thread/start",
    "turn/interrupt",
    "turn/start",
];

async fn handle(
    server: &Arc<Server>,
    client: &Client,
    method: &str,
    params: Value,
) -> Result<Reply, RpcError> {
    if method == "initialize" {
        return Ok(initialize(client, &rpc::params(params)?)?.into());
    }
    if !client.initialized.load(Ordering::Acquire) {
        return Err(RpcError::new(Code::NotInitialized, "not initialized"));
    }
    match method {
        "agents/list" => {
            let starter = Arc::clone(&server.starter);
            let data = blocking(move || Ok(starter.agents()?)).await?;
            Ok(rpc::value(AgentsListResult { data })?.into())
        }
        "approval/answer" => {
            let ApprovalAnswerParams { approval_id, decision } = rpc::params(params)?;
            let applied = server.rule(&approval_id, decision);
            Ok(rpc::value(ApprovalAnswerResult { applied })?.into())
        }
        "collaborationMode/list" => Ok(rpc::value(modes())?.into()),
        "thread/close" => server.thread_close(rpc::params(params)?).await,
        "thread/list" => server.thread_list(rpc::params(params)?).await,
        "thread/note/set" => server.thread_note_set(&rpc::params(params)?),
        "thread/read" => server.thread_read(rpc::params(params)?).await,
        "thread/resume" => server.thread_resume(rpc::params(params)?).await,
        "thread/start" => server.thread_start(rpc::params(params)?).await,
        "turn/interrupt" => server.turn_interrupt(rpc::params(params)?),
        "turn/start" => server.turn_start(rpc::params(params)?),
        // Some clients say so after `initialize`.
        "initialized" => Ok(json!({}).into()),
        _ => {
            let known = METHODS.join(", ");
            let message = format!("there is no method `{method}`; there are initialize, {known}");
            Err(RpcError::new(Code::UnknownMethod, message))
        }
    }
}

fn initialize(client: &Client, params: &InitializeParams) -> Result<Value, RpcError> {
    client.wants_events.store(params.capabilities.events, Ordering::Release);
    client.initialized.store(true, Ordering::Release);
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let server_info = ClientInfo { name: env!("CARGO_PKG_NAME").to_owned(), version };
    rpc::value(InitializeResult { server_info, protocol_version: VERSION })
}

fn modes() -> CollaborationModeListResult {
    let preset = |(mode, name, ..): &(&str, &str, ModeKind, &str)| CollaborationModePreset {
        name: (*name).to_owned(),
        mode: (*mode).to_owned(),
        model: None,
        reasoning_effort: None,
    };
    CollaborationModeListResult { data: ModeKind::ALL.iter().map(preset).collect() }
}

/// Does something that takes a while where nobody waits for it but the client that asked.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RpcError> + Send + 'static,
) -> Result<T, RpcError> {
    tokio::task::spawn_blocking(work).await.map_err(RpcError::internal)?
}
