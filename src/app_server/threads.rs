//! Starting, resuming, listing, reading, labelling and closing threads.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    Stage,
    connection::{Reply, blocking},
    desk::Clients,
    hosted::{Feed, FeedSink, Hosted},
    protocol::{
        ApprovalPolicy, Notification, ThreadCloseParams, ThreadListParams, ThreadListResult,
        ThreadNoteSetParams, ThreadNoteSetResult, ThreadNoteUpdated, ThreadReadParams,
        ThreadReadResult, ThreadResult, ThreadResumeParams, ThreadStartParams,
    },
    rpc::{self, Code, RpcError},
    server::Server,
    turns,
};
use crate::{
    event::Event,
    session::{Session, SessionError},
    store::{self, Mail, MailKind, Page, note},
};

/// How many sessions are live at most.
const MAX_SESSIONS: usize = 64;

/// How many threads are listed where nothing is said, and at most.
const THREADS: (u32, u32) = (50, 1_000);

/// How many events are read where nothing is said, and at most.
const EVENTS: (u32, u32) = (1_000, 10_000);

/// How many bytes of events are read at once.
const EVENT_BYTES: usize = 4 << 20;

impl Server {
    pub(super) async fn thread_start(
        self: &Arc<Self>,
        params: ThreadStartParams,
    ) -> Result<Reply, RpcError> {
        self.has_room()?;
        let mode = params.collaboration_mode.clone().map(turns::mode).transpose()?;
        let (feed, stage, cancel) = self.stage();
        let starter = Arc::clone(&self.starter);
        let session = blocking(move || Ok(starter.start(&params, mode, stage)?)).await?;
        self.host(session, feed, cancel)
    }

    pub(super) async fn thread_resume(
        self: &Arc<Self>,
        params: ThreadResumeParams,
    ) -> Result<Reply, RpcError> {
        let thread = self.thread(&params.thread_id)?;
        let id = &thread.begun.id;
        if self.live(id).is_some() {
            let thread = self.shown(&thread)?;
            return Ok(rpc::value(ThreadResult { thread })?.into());
        }
        if thread.begun.session != *id {
            let root = &thread.begun.session;
            let message = format!("{id} was started by another agent: resume {root} instead");
            return Err(RpcError::params(message));
        }
        if thread.owner.is_some() && thread.is_attended() {
            let message = format!("another process runs {id}");
            return Err(RpcError::new(Code::NotLive, message));
        }
        self.has_room()?;
        let (feed, stage, cancel) = self.stage();
        let starter = Arc::clone(&self.starter);
        let approvals = params.approvals.unwrap_or(ApprovalPolicy::Ask);
        let resumed = move || Ok(starter.resume(&thread, approvals, stage)?);
        self.host(blocking(resumed).await?, feed, cancel)
    }

    fn has_room(&self) -> Result<(), RpcError> {
        if self.sessions().len() < MAX_SESSIONS {
            return Ok(());
        }
        let message = format!("{MAX_SESSIONS} threads are live already; close one first");
        Err(RpcError::new(Code::Limit, message))
    }

    /// What a new session is connected to.
    fn stage(self: &Arc<Self>) -> (Arc<Feed>, Stage, CancellationToken) {
        let feed = Feed::new(self);
        let cancel = CancellationToken::new();
        let approver = Clients { server: Arc::downgrade(self), feed: Arc::clone(&feed) };
        let stage = Stage {
            sinks: vec![Box::new(FeedSink(Arc::clone(&feed)))],
            approver: Arc::new(approver),
            cancel: cancel.clone(),
        };
        (feed, stage, cancel)
    }

    /// From here on the session is one of this server's.
    fn host(
        &self,
        session: Arc<Session>,
        feed: Arc<Feed>,
        cancel: CancellationToken,
    ) -> Result<Reply, RpcError> {
        let main = session.main()?;
        feed.begin(&session, self.store()?.next_in_session(main.id())?)?;
        let living = Some(session.live()).into();
        let id = feed.session();
        let hosted = Hosted { session, feed, cancel, living };
        self.sessions().insert(Arc::clone(&id), Arc::new(hosted));
        let thread = self.shown(&self.thread(&id)?)?;
        let result = ThreadResult { thread };
        let started = Notification::ThreadStarted(result.clone());
        Ok(Reply::then(rpc::value(result)?, id, started))
    }

    pub(super) async fn thread_list(
        self: &Arc<Self>,
        params: ThreadListParams,
    ) -> Result<Reply, RpcError> {
        let server = Arc::clone(self);
        blocking(move || server.list(params)).await.map(Into::into)
    }

    fn list(&self, params: ThreadListParams) -> Result<Value, RpcError> {
        let (usual, most) = THREADS;
        let limit = params.limit.unwrap_or(usual).clamp(1, most) as usize;
        let parent = params.parent_thread_id.map(|id| self.thread(&id)).transpose()?;
        let page = Page {
            before: params.cursor,
            parent: parent.map(|parent| parent.begun.id),
            children: params.include_children,
            most: limit + 1,
        };
        let mut found = self.store()?.page(&page)?;
        let has_more = found.len() > limit;
        found.truncate(limit);
        let last = found.last().map(|thread| thread.begun.id.clone());
        let data = found.iter().map(|one| self.shown(one)).collect::<Result<_, _>>()?;
        rpc::value(ThreadListResult { data, next_cursor: last.filter(|_| has_more) })
    }

    pub(super) async fn thread_read(
        self: &Arc<Self>,
        params: ThreadReadParams,
    ) -> Result<Reply, RpcError> {
        let server = Arc::clone(self);
        blocking(move || server.read(&params)).await.map(Into::into)
    }

    fn read(&self, params: &ThreadReadParams) -> Result<Value, RpcError> {
        let store = self.store()?;
        let thread = self.thread(&params.thread_id)?;
        let descendants = store.descendants(&thread.begun.id)?;
        let family = descendants.iter().chain([&thread]).map(|one| one.begun.id.clone());
        let family: BTreeSet<String> = family.collect();
        let (usual, most) = EVENTS;
        let limit = params.limit.unwrap_or(usual).clamp(1, most) as usize;
        let (mut events, mut bytes) = (Vec::<Value>::new(), 0);
        let mut next_seq = params.from_seq;
        let take = |event: &Event| {
            next_seq = event.seq;
            if family.contains(&event.agent.agent_id) {
                if events.len() >= limit || bytes > EVENT_BYTES {
                    return false;
                }
                let value = serde_json::to_value(event.streamed()).unwrap_or_default();
                bytes += value.to_string().len();
                events.push(value);
            }
            next_seq = event.seq + 1;
            true
        };
        let has_more = store.stream(&thread.begun.session, params.from_seq, take)?;
        let mut approvals = self.desk.waiting();
        approvals.retain(|request| family.contains(&request.thread_id));
        let descendants =
            descendants.iter().map(|one| self.shown(one)).collect::<Result<_, _>>()?;
        let thread = self.shown(&thread)?;
        rpc::value(ThreadReadResult { thread, descendants, events, next_seq, has_more, approvals })
    }

    pub(super) fn thread_note_set(&self, params: &ThreadNoteSetParams) -> Result<Reply, RpcError> {
        let thread = self.thread(&params.thread_id)?;
        let id = &thread.begun.id;
        if let Some((hosted, member)) = self.live(id) {
            match hosted.session.set_note(&member, &params.note) {
                // It is kept, although nothing can be written into the log of one that rests since
                // another process ran it.
                Err(SessionError::Journal(_)) => {}
                set => {
                    let thread_note = set?;
                    return Ok(rpc::value(ThreadNoteSetResult { thread_note })?.into());
                }
            }
        }
        let thread_note = note(&params.note);
        self.store()?.set_note(id, thread_note.as_deref())?;
        let updated = ThreadNoteUpdated { thread_id: id.clone(), thread_note: thread_note.clone() };
        let result = rpc::value(ThreadNoteSetResult { thread_note })?;
        let updated = Notification::ThreadNoteUpdated(updated);
        Ok(Reply::then(result, Arc::from(thread.begun.session.as_str()), updated))
    }

    pub(super) async fn thread_close(
        self: &Arc<Self>,
        params: ThreadCloseParams,
    ) -> Result<Reply, RpcError> {
        let thread = self.thread(&params.thread_id)?;
        let Some((hosted, member)) = self.live(&thread.begun.id) else {
            self.close_stored(&thread)?;
            return Ok(json!({}).into());
        };
        let closed = hosted.session.close(&member, None).await;
        hosted.feed.closed(&closed);
        if member.index == 0 {
            let mine = self.sessions().remove(&hosted.id());
            if let Some(hosted) = mine {
                hosted.settle().await?;
            }
        }
        Ok(json!({}).into())
    }

    /// Closes what another process runs, or nobody.
    fn close_stored(&self, thread: &store::Thread) -> Result<(), RpcError> {
        let store = self.store()?;
        let mut family = store.descendants(&thread.begun.id)?;
        family.insert(0, thread.clone());
        for one in family.iter().rev() {
            if one.owner.is_some() && one.is_attended() {
                let close = Mail { kind: MailKind::Close, text: String::new() };
                store.send(&one.begun.id, &close)?;
            } else {
                store.close_idle(&one.begun.id)?;
            }
        }
        Ok(())
    }
}
