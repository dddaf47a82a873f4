//! A live session, and what clients hear of it.

use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio_util::sync::CancellationToken;

use super::{
    projection::Projection,
    protocol::{Notification, ThreadEvent},
    server::Server,
};
use crate::{
    event::{AgentStatus, Event, Sink},
    session::{Leaving, Living, Member, Session, SessionError},
    store::Closed,
};

/// How long a main agent that is told to end may take.
const CLOSING: Duration = Duration::from_secs(5);

/// A live session.
pub(super) struct Hosted {
    pub session: Arc<Session>,
    pub feed: Arc<Feed>,
    pub cancel: CancellationToken,
    pub living: Mutex<Option<Living>>,
}

/// What happens in a session, on its way to the clients.
pub(super) struct Feed {
    server: Weak<Server>,
    session: OnceLock<Arc<str>>,
    projection: Mutex<Projection>,
    next: AtomicU64,
}

impl Feed {
    pub fn new(server: &Arc<Server>) -> Arc<Self> {
        Arc::new(Self {
            server: Arc::downgrade(server),
            session: OnceLock::new(),
            projection: Mutex::default(),
            next: AtomicU64::default(),
        })
    }

    /// Says which session it is. Clients know its agents already, and the event that comes next is
    /// number `next`.
    pub fn begin(&self, session: &Session, next: u64) -> Result<(), SessionError> {
        let mut projection = self.projection();
        for member in session.members() {
            projection.know(member.id(), member.status());
        }
        self.next.store(next, Ordering::Relaxed);
        let main = session.main()?;
        self.session.get_or_init(|| Arc::from(main.id()));
        Ok(())
    }

    /// The root of its tree.
    pub fn session(&self) -> Arc<str> {
        self.session.get().map_or_else(|| Arc::from(""), Arc::clone)
    }

    /// The number of the event that comes next.
    pub fn next(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// The turn an agent is in.
    pub fn turn(&self, id: &str) -> Option<String> {
        self.projection().turn(id).map(str::to_owned)
    }

    /// The turn an agent will begin with.
    pub fn next_turn(&self, id: &str) -> Option<String> {
        self.projection().next_turn(id).map(str::to_owned)
    }

    /// Tells clients that agents were closed, if they do not know.
    pub fn closed(&self, members: &[Arc<Member>]) {
        let Some(server) = self.server.upgrade() else { return };
        for member in members {
            let told = self.projection().closed(member.id());
            if let Some(told) = told {
                server.publish(&self.session(), self.next(), &told);
            }
        }
    }

    fn projection(&self) -> MutexGuard<'_, Projection> {
        self.projection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, event: &Event) {
        self.next.store(event.seq + 1, Ordering::Relaxed);
        let Some(server) = self.server.upgrade() else { return };
        let session = self.session();
        let event = event.streamed();
        let who = |id: &str| server.newcomer(id);
        let told = self.projection().fold(&event, &who);
        for notification in &told {
            server.publish(&session, event.seq, notification);
        }
        if server.wants_events() {
            let session_id = session.to_string();
            let event_value = serde_json::to_value(&*event).unwrap_or_default();
            let happened = ThreadEvent { session_id, event: event_value };
            server.publish(&session, event.seq, &Notification::ThreadEvent(happened));
        }
    }
}

/// A feed as a reader of events.
pub(super) struct FeedSink(pub Arc<Feed>);

impl Sink for FeedSink {
    fn take(&self, event: &Event) -> io::Result<()> {
        self.0.take(event);
        Ok(())
    }
}

impl Hosted {
    /// The root of its tree.
    pub fn id(&self) -> Arc<str> {
        self.feed.session()
    }

    /// The agent that is the thread `id`.
    pub fn member(&self, id: &str) -> Option<Arc<Member>> {
        self.session.find(id).ok().filter(|member| member.id() == id)
    }

    /// Stops every agent, and waits until they rest and nobody attends to them any more.
    pub async fn settle(&self) -> Result<(), SessionError> {
        self.cancel.cancel();
        let main = self.session.main()?;
        tokio::time::timeout(CLOSING, main.rests()).await.ok();
        self.session.leave(Leaving::Cancel).await?;
        drop(self.living.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.put_back(&main)?;
        self.session.end()
    }

    /// A conversation that was opened and not used is what it was before.
    fn put_back(&self, main: &Member) -> Result<(), SessionError> {
        let Some((store, _)) = self.session.kept() else { return Ok(()) };
        if main.status() != AgentStatus::PendingInit {
            return Ok(());
        }
        store.close(main.id(), Closed::Explicit)?;
        if store.thread(main.id())?.outcome.is_some() {
            store.reopen(main.id())?;
        }
        Ok(())
    }
}
