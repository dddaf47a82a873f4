//! An agent of a session.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::SystemTime,
};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::StoredCall;
use crate::{
    catalog::Entry,
    conversation::Message,
    event::{AgentRef, AgentState, AgentStatus, Life, Outcome},
    plan::{Context, Finish, Plan},
    run::Inbox,
    store::Closed,
};

/// An agent of a session: who it is, and what it is doing.
pub struct Member {
    /// Its number in the session; the main agent is 0.
    pub index: u32,
    /// Its thread and its kind.
    pub me: AgentRef,
    /// Which of its kind it is in the session, from 1.
    pub ordinal: u32,
    /// The number of the agent that started it.
    pub parent: Option<u32>,
    /// How far below the main agent it is.
    pub depth: u32,
    /// Where it may work.
    pub cwd: PathBuf,
    /// The call that started it.
    pub call_id: String,
    /// Tokens it may use.
    pub juice: Option<u64>,
    /// What is sent to it.
    pub inbox: Arc<Inbox>,
    pub(super) entry: Entry,
    pub(super) call: Mutex<StoredCall>,
    pub(super) state: Arc<watch::Sender<State>>,
    pub(super) inner: Mutex<Inner>,
    /// There is something to do.
    pub(super) wake: Notify,
    /// It has a task.
    pub(super) lives: AtomicBool,
    /// How many calls of its parent wait for its end.
    pub(super) awaited: AtomicUsize,
}

/// What changes about an agent, besides what follows from events.
#[derive(Debug, Default)]
pub(super) struct Inner {
    /// What it does now or did last.
    pub plan: Option<Arc<Plan>>,
    /// Whether that has been worked out for a run that has not begun.
    pub planned: bool,
    /// Its conversation; `None` as long as it is only in the store.
    pub history: Option<Vec<Message>>,
    /// What it knows when it begins, if it has not.
    pub context: Context,
    /// Whether the thread in the store is this process's.
    pub owned: bool,
    /// Ends everything it does.
    pub closing: CancellationToken,
    /// Ends what it does now.
    pub run: CancellationToken,
    /// It was told something after that was ended.
    pub again: bool,
    /// How it was closed.
    pub closed: Option<Closed>,
    /// Its label.
    pub note: Option<String>,
    /// What its last run came to.
    pub outcome: Option<Outcome>,
}

/// What an agent is doing.
#[derive(Clone, Debug)]
pub struct State {
    /// What follows from what happened to it.
    pub life: Life,
    /// Whether it works or is about to.
    pub busy: bool,
    /// What its last run left behind.
    pub last: Option<AgentState>,
    /// Since when its status is what it is.
    pub since: SystemTime,
}

impl State {
    pub(super) fn new(life: Life) -> Self {
        Self { life, busy: false, last: None, since: SystemTime::now() }
    }

    /// What it is doing. What is about to begin is not over.
    pub fn status(&self) -> AgentStatus {
        match self.life.status() {
            AgentStatus::Shutdown => AgentStatus::Shutdown,
            AgentStatus::PendingInit => AgentStatus::PendingInit,
            _ if self.busy => AgentStatus::Running,
            status => status,
        }
    }

    /// What others are told about it.
    pub fn told(&self) -> AgentState {
        let status = self.status();
        let message = self.life.message().filter(|_| status == self.life.status());
        AgentState { status, message: message.map(str::to_owned) }
    }

    /// How it ended, if it has ended since it had ended `runs` times.
    pub fn ended_since(&self, runs: u64) -> Option<AgentState> {
        let told = self.told();
        if told.status.is_final() {
            return Some(told);
        }
        let last = self.last.as_ref().filter(|last| last.status.is_final());
        last.filter(|_| self.life.runs > runs).cloned()
    }
}

impl Member {
    /// A name for something that was handed to an agent.
    pub fn submission() -> String {
        Uuid::now_v7().to_string()
    }

    /// Its thread.
    pub fn id(&self) -> &str {
        &self.me.agent_id
    }

    /// Its kind and which of it: `worker#2`.
    pub fn name(&self) -> String {
        format!("{}#{}", self.me.agent_type, self.ordinal)
    }

    /// What it is doing.
    pub fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// What it is doing, in a word.
    pub fn status(&self) -> AgentStatus {
        self.state.borrow().status()
    }

    /// Its label.
    pub fn note(&self) -> Option<String> {
        self.inner().note.clone()
    }

    /// Which persona of its definition it is.
    pub fn persona(&self) -> Option<String> {
        self.call().persona.clone()
    }

    /// What its last run came to.
    pub fn outcome(&self) -> Option<Outcome> {
        self.inner().outcome.clone()
    }

    /// The model it asks first.
    pub fn model(&self) -> Option<String> {
        self.plan().and_then(|plan| plan.models().first().map(ToString::to_string))
    }

    /// How hard it thinks.
    pub fn effort(&self) -> Option<String> {
        self.plan().and_then(|plan| plan.sampling().effort.clone())
    }

    /// What it does now or did last.
    pub fn plan(&self) -> Option<Arc<Plan>> {
        self.inner().plan.clone()
    }

    /// Whether it was closed.
    pub fn is_closed(&self) -> bool {
        self.inner().closed.is_some()
    }

    /// Whether it converses, so that it can be told more when it is done.
    pub fn is_open_ended(&self) -> bool {
        self.call().finish == Finish::LastMessage
    }

    /// Whether its parent is told what becomes of it.
    pub(super) fn is_announced(&self) -> bool {
        self.parent.is_some() && self.is_open_ended()
    }

    /// Waits until it does nothing.
    pub async fn rests(&self) {
        let mut state = self.state.subscribe();
        state.wait_for(|state| !state.busy).await.ok();
    }

    pub(super) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn call(&self) -> MutexGuard<'_, StoredCall> {
        self.call.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It works from here on, even before its task has noticed, and can be stopped.
    pub(super) fn begin(&self) {
        {
            let mut inner = self.inner();
            inner.run = inner.closing.child_token();
            inner.again = false;
        }
        self.change(|state| state.busy = true);
    }

    /// It is told something while it works. If it is being stopped, it works again afterwards.
    pub(super) fn go_on(&self) {
        let mut inner = self.inner();
        inner.again |= inner.run.is_cancelled();
    }

    /// It works no longer.
    pub(super) fn rest(&self) {
        self.change(|state| state.busy = false);
    }

    /// Changes its state; whoever waits for it looks again.
    pub(super) fn change(&self, change: impl FnOnce(&mut State)) {
        change_state(&self.state, change);
    }

    /// Its parent waits for its end.
    pub(super) fn await_it(self: &Arc<Self>) -> Awaited {
        self.awaited.fetch_add(1, Ordering::Relaxed);
        Awaited(Arc::clone(self))
    }
}

pub(super) fn change_state(state: &watch::Sender<State>, change: impl FnOnce(&mut State)) {
    state.send_modify(|state| {
        let before = state.status();
        change(state);
        if state.status() != before {
            state.since = SystemTime::now();
        }
    });
}

/// While it lives, the parent of an agent waits for its end.
pub(super) struct Awaited(Arc<Member>);

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.awaited.fetch_sub(1, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Member").field("index", &self.index).field("me", &self.me).finish()
    }
}
