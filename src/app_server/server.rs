//! The live sessions and the clients that hear of them.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use futures_util::future::join_all;

use super::{
    Connection, StartError, Starter,
    desk::Desk,
    hosted::Hosted,
    info,
    outbox::{News, Outbox},
    protocol::{ApprovalRequest, Notification, Thread},
    rpc::{self, Code, RpcError},
};
use crate::{
    session::{Member, SessionError},
    store::{self, Store, StoreError},
};

/// All live sessions, shared by every connection.
pub struct Server {
    pub(super) starter: Arc<dyn Starter>,
    pub(super) desk: Desk,
    store: OnceLock<Arc<Store>>,
    sessions: Mutex<BTreeMap<Arc<str>, Arc<Hosted>>>,
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

impl Client {
    /// Asks whether a call may happen.
    pub fn ask(&self, request: &ApprovalRequest) {
        self.outbox.keep(rpc::request(&request.approval_id, "approval/request", request));
    }
}

impl Server {
    /// A server without sessions.
    pub fn new(starter: Arc<dyn Starter>) -> Arc<Self> {
        Arc::new(Self {
            starter,
            desk: Desk::default(),
            store: OnceLock::new(),
            sessions: Mutex::default(),
            clients: Mutex::default(),
            next_client: AtomicU64::default(),
        })
    }

    /// A new client.
    pub fn connect(self: &Arc<Self>) -> Connection {
        let number = self.next_client.fetch_add(1, Ordering::Relaxed);
        let client = Arc::new(Client { number, ..Client::default() });
        self.clients().insert(number, Arc::clone(&client));
        Connection::new(Arc::clone(self), client)
    }

    /// Stops every agent and waits until they rest. Clients hear nothing more afterwards.
    pub async fn shut_down(&self) {
        let hosted: Vec<Arc<Hosted>> =
            std::mem::take(&mut *self.sessions()).into_values().collect();
        // What cannot be put away is found by whoever looks at the store next.
        join_all(hosted.iter().map(|one| one.settle())).await;
        for client in self.clients().values() {
            client.outbox.close();
        }
    }

    /// Where threads are kept.
    pub(super) fn store(&self) -> Result<Arc<Store>, RpcError> {
        if let Some(store) = self.store.get() {
            return Ok(Arc::clone(store));
        }
        let store = self.starter.store()?;
        Ok(Arc::clone(self.store.get_or_init(|| store)))
    }

    pub(super) fn sessions(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Arc<Hosted>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn clients(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Client>>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The clients that have introduced themselves.
    pub(super) fn attached(&self) -> Vec<Arc<Client>> {
        let clients = self.clients();
        let attached = clients.values().filter(|one| one.initialized.load(Ordering::Acquire));
        attached.cloned().collect()
    }

    /// A client has gone.
    pub(super) fn disconnect(self: &Arc<Self>, client: &Client) {
        client.outbox.close();
        self.clients().remove(&client.number);
        self.has_left();
    }

    /// Whether a client wants every event.
    pub(super) fn wants_events(&self) -> bool {
        self.clients().values().any(|client| client.wants_events.load(Ordering::Acquire))
    }

    /// Tells clients about event `seq` of a session.
    pub(super) fn publish(&self, session: &Arc<str>, seq: u64, notification: &Notification) {
        let clients = self.attached();
        if clients.is_empty() {
            return;
        }
        let is_event = matches!(notification, Notification::ThreadEvent(_));
        let text: Arc<str> = rpc::notification(notification).into();
        let news = News { session: Arc::clone(session), seq, text };
        for client in clients {
            if !is_event || client.wants_events.load(Ordering::Acquire) {
                client.outbox.tell(&news);
            }
        }
    }

    /// Tells clients something about a session that is no event of it.
    pub(super) fn tell_all(&self, session: &Arc<str>, notification: &Notification) {
        let hosted = self.sessions().get(session).cloned();
        let next = hosted.map_or(0, |hosted| hosted.feed.next());
        self.publish(session, next, notification);
    }

    /// The thread called `id`, or whose name begins like that.
    pub(super) fn thread(&self, id: &str) -> Result<store::Thread, RpcError> {
        Ok(self.store()?.thread(id)?)
    }

    /// The agent that is the thread `id`, if a session of this server has it.
    pub(super) fn live(&self, id: &str) -> Option<(Arc<Hosted>, Arc<Member>)> {
        let sessions: Vec<Arc<Hosted>> = self.sessions().values().cloned().collect();
        sessions.into_iter().find_map(|hosted| {
            let member = hosted.member(id)?;
            Some((hosted, member))
        })
    }

    /// The agent that is meant, which must be one of this server's.
    pub(super) fn live_or_why(&self, id: &str) -> Result<(Arc<Hosted>, Arc<Member>), RpcError> {
        if let Some(found) = self.live(id) {
            return Ok(found);
        }
        let thread = self.thread(id)?;
        if let Some(found) = self.live(&thread.begun.id) {
            return Ok(found);
        }
        let root = &thread.begun.session;
        let message = if thread.owner.is_some() && thread.is_attended() {
            format!("another process runs {}: `agentctl send` tells it something", thread.begun.id)
        } else {
            format!("nobody runs {}: `thread/resume` {root} first", thread.begun.id)
        };
        Err(RpcError::new(Code::NotLive, message))
    }

    /// A thread as clients see it.
    pub(super) fn shown(&self, thread: &store::Thread) -> Result<Thread, RpcError> {
        let live = self.live(&thread.begun.id);
        let member = live.as_ref().map(|(_, member)| &**member);
        Ok(info::thread(&*self.store()?, thread, member))
    }

    /// A thread that has just been started. Only the store is asked: whoever calls this holds up
    /// the session.
    pub(super) fn newcomer(&self, id: &str) -> Option<Thread> {
        let store = self.store().ok()?;
        let thread = store.thread(id).ok()?;
        Some(Thread { is_live: true, ..info::thread(&store, &thread, None) })
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("sessions", &self.sessions().len()).finish_non_exhaustive()
    }
}

impl From<StartError> for RpcError {
    fn from(error: StartError) -> Self {
        let code = match &error {
            StartError::Refused(_) => Code::CannotRun,
            StartError::Params(_) => Code::InvalidParams,
            StartError::Broken(_) => Code::Internal,
        };
        Self::new(code, error.to_string())
    }
}

impl From<StoreError> for RpcError {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::NoThread(_) | StoreError::Ambiguous { .. } => Code::ThreadNotFound,
            StoreError::Owned => Code::NotLive,
            _ => Code::Internal,
        };
        Self::new(code, error.to_string())
    }
}

impl From<SessionError> for RpcError {
    fn from(error: SessionError) -> Self {
        let error = match error {
            SessionError::Store(error) => return error.into(),
            // Its own words are for models.
            SessionError::UnknownModel { asked, available } => {
                let known = available.join(", ");
                return Self::params(format!("there is no model `{asked}`; there are {known}"));
            }
            error => error,
        };
        let code = match &error {
            SessionError::NotFound(_) => Code::ThreadNotFound,
            SessionError::Closed(_) | SessionError::ParentClosed(_) | SessionError::Over => {
                Code::NotLive
            }
            SessionError::Limit(_) | SessionError::Exhausted(..) => Code::Limit,
            SessionError::Invalid { .. } | SessionError::Plan { .. } => Code::CannotRun,
            error if error.is_a_mistake() => Code::InvalidParams,
            _ => Code::Internal,
        };
        Self::new(code, error.to_string())
    }
}
