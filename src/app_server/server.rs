//! The server and its clients.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use serde_json::Value;

use super::{
    Starter,
    outbox::Outbox,
    protocol::{ClientInfo, InitializeParams, InitializeResult, VERSION},
    rpc::{self, Code, Incoming, RpcError},
};

/// All live sessions, shared by every connection.
pub struct Server {
    pub(super) starter: Arc<dyn Starter>,
    clients: Mutex<BTreeMap<u64, Arc<Client>>>,
    next_client: AtomicU64,
}

/// What the server knows of a client.
#[derive(Debug, Default)]
pub(super) struct Client {
    pub number: u64,
    pub outbox: Outbox,
    pub initialized: AtomicBool,
    pub wants_events: AtomicBool,
}

/// One client.
pub struct Connection {
    server: Arc<Server>,
    client: Arc<Client>,
}

impl Server {
    /// A server without sessions.
    pub fn new(starter: Arc<dyn Starter>) -> Arc<Self> {
        Arc::new(Self { starter, clients: Mutex::default(), next_client: AtomicU64::default() })
    }

    /// A new client.
    pub fn connect(self: &Arc<Self>) -> Connection {
        let number = self.next_client.fetch_add(1, Ordering::Relaxed);
        let client = Arc::new(Client { number, ..Client::default() });
        self.clients().insert(number, Arc::clone(&client));
        Connection { server: Arc::clone(self), client }
    }

    /// Stops every agent and waits until they rest. Clients are told nothing more afterwards.
    pub async fn shut_down(&self) {
        for client in self.clients().values() {
            client.outbox.close();
        }
    }

    fn clients(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Client>>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Takes one message of the client. What is wrong with it is answered.
    pub async fn receive(&self, text: &str) {
        self.client.outbox.has_room().await;
        match rpc::read(text) {
            Ok(Incoming::Request { id, method, params }) => {
                let result = self.handle(&method, params).await;
                self.client.outbox.keep(rpc::answered(&id, result));
            }
            Ok(Incoming::Notification { .. } | Incoming::Answer { .. }) => {}
            Err((id, error)) => self.client.outbox.keep(rpc::answered(&id, Err(error))),
        }
    }

    /// A message of the client was too long and has been skipped.
    pub fn skipped(&self) {
        self.client.outbox.keep(rpc::answered(&Value::Null, Err(rpc::oversized())));
    }

    /// The next message for the client; none any more when the server is shut down.
    pub async fn next(&self) -> Option<String> {
        self.client.outbox.next().await
    }

    async fn handle(&self, method: &str, params: Value) -> Result<Value, RpcError> {
        match method {
            "initialize" => self.initialize(rpc::params(params)?),
            _ if !self.client.initialized.load(Ordering::Acquire) => {
                Err(RpcError::new(Code::NotInitialized, "not initialized"))
            }
            _ => Err(RpcError::new(Code::UnknownMethod, format!("unknown method `{method}`"))),
        }
    }

    fn initialize(&self, params: InitializeParams) -> Result<Value, RpcError> {
        self.client.wants_events.store(params.capabilities.events, Ordering::Release);
        self.client.initialized.store(true, Ordering::Release);
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let server_info = ClientInfo { name: env!("CARGO_PKG_NAME").to_owned(), version };
        rpc::value(InitializeResult { server_info, protocol_version: VERSION })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.client.outbox.close();
        self.server.clients().remove(&self.client.number);
    }
}
