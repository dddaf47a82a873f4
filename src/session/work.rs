//! What an agent's task does: one run after the other, as long as there is something to do.

use std::sync::{Arc, Weak, atomic::Ordering};

use tokio_util::sync::CancellationToken;

use super::{Member, Session, SessionError};
use crate::{
    conversation::Message,
    event::{AgentStatus, Background, Failure, FailureKind, Outcome, Status, What},
    plan::{Context, Plan},
    run::{Agent, Surroundings},
    store::Closed,
    tools::{Root, ToolCx, sandbox::Sandbox},
};

/// How much of its result an agent's parent is told without asking.
const MAX_TOLD: usize = 2_000;

/// Attends to an agent until it is closed or the session is over.
async fn live(session: Weak<Session>, member: Arc<Member>) {
    loop {
        member.wake.notified().await;
        let Some(session) = session.upgrade() else { return };
        while member.state.borrow().busy {
            let outcome = session.run_once(&member).await;
            session.ended(&member, &outcome);
        }
        if member.is_closed() {
            member.lives.store(false, Ordering::Release);
            return;
        }
    }
}

impl Session {
    /// Makes sure that a task attends to the agent, and wakes it.
    pub(super) fn attend(&self, member: &Arc<Member>) {
        if !member.lives.swap(true, Ordering::AcqRel) {
            tokio::spawn(live(Weak::clone(&self.myself), Arc::clone(member)));
        }
        member.wake.notify_one();
    }

    /// Runs the main agent on what it has been told, to the end.
    pub async fn run_main(&self) -> Result<Outcome, SessionError> {
        let main = self.main()?;
        self.read_old_mail()?;
        if !main.state.borrow().busy {
            main.begin();
        }
        self.attend(&main);
        main.rests().await;
        main.outcome().ok_or(SessionError::Over)
    }

    /// One run of the agent.
    async fn run_once(&self, member: &Arc<Member>) -> Outcome {
        let token = member.inner().run.clone();
        let prepared = self.prepare(member, token);
        let prepared = prepared.and_then(|agent| {
            self.announce(member, AgentStatus::Running, "is running")?;
            Ok(agent)
        });
        match prepared {
            Ok(agent) => {
                let ended = agent.run_on().await;
                member.inner().history = Some(ended.history);
                ended.outcome
            }
            Err(error) => self.failed(member, &error),
        }
    }

    /// The agent with everything it needs for a run.
    fn prepare(
        &self,
        member: &Arc<Member>,
        token: CancellationToken,
    ) -> Result<Agent, SessionError> {
        let (is_new, has_task) = {
            let inner = member.inner();
            let is_new = inner.history.as_ref().is_some_and(Vec::is_empty);
            (is_new, is_new && inner.planned)
        };
        // What it is to read after its work waits for the end of its task, too.
        let mut inputs = if has_task { member.inbox.take() } else { member.inbox.drain() };
        if is_new && member.call().prompt.is_none() && !inputs.is_empty() {
            member.call().prompt = Some(std::mem::take(&mut inputs).join("\n\n"));
            self.keep_call(member)?;
        }
        let prepared = self.prepare_for(member, inputs.clone(), is_new, token);
        if prepared.is_err() {
            member.inbox.put_back(inputs);
        }
        prepared
    }

    /// The agent with everything it needs to work on `inputs`.
    fn prepare_for(
        &self,
        member: &Arc<Member>,
        inputs: Vec<String>,
        is_new: bool,
        token: CancellationToken,
    ) -> Result<Agent, SessionError> {
        let plan = self.next_plan(member, is_new)?;
        let around = self.around(member, &plan, token)?;
        let history = member.inner().history.take();
        let told = |inputs: Vec<String>| inputs.into_iter().map(Message::user);
        let (past, more) = match history {
            Some(past) if past.is_empty() => {
                (past, plan.messages().iter().cloned().chain(told(inputs)).collect())
            }
            Some(past) => (past, told(inputs).collect()),
            None => self.past(member.id(), plan.messages(), inputs)?,
        };
        let juice = member.juice.map(|most| most.saturating_sub(member.state().life.tokens()));
        let agent = Agent::new(plan, around, member.id().to_owned(), member.ordinal);
        Ok(agent.after(past, more).with_juice(juice))
    }

    /// What the agent does next. What it may do is worked out anew.
    fn next_plan(&self, member: &Arc<Member>, is_new: bool) -> Result<Arc<Plan>, SessionError> {
        let context = {
            let mut inner = member.inner();
            if std::mem::take(&mut inner.planned)
                && let Some(plan) = &inner.plan
            {
                return Ok(Arc::clone(plan));
            }
            if is_new { std::mem::take(&mut inner.context) } else { Context::New }
        };
        let plan = Arc::new(self.plan_of(member, context)?);
        member.inner().plan = Some(Arc::clone(&plan));
        Ok(plan)
    }

    /// What the agent works with.
    fn around(
        &self,
        member: &Member,
        plan: &Plan,
        cancel: CancellationToken,
    ) -> Result<Surroundings, SessionError> {
        let root = Root::open(plan.directory())?;
        // A link may lead elsewhere, whatever the name says.
        if !root.path().starts_with(Root::open(&member.cwd)?.path()) {
            return Err(SessionError::Directory(plan.directory().to_owned()));
        }
        let around = &self.setup.around;
        let (helper, environment) = self.setup.helper.clone();
        Ok(Surroundings {
            cx: Arc::new(ToolCx {
                root,
                sandbox: Sandbox::new(plan.sandbox(), helper, environment),
                time_limit: around.cx.time_limit,
                web: around.cx.web,
            }),
            tools: Arc::clone(&self.tools),
            cancel,
            inbox: Arc::clone(&member.inbox),
            path: self.tree().path(member.index).into(),
            ..around.clone()
        })
    }

    /// A run that could not begin.
    pub(super) fn failed(&self, member: &Member, error: &SessionError) -> Outcome {
        let message = error.to_string();
        let failure = Failure { kind: FailureKind::NotStarted, message };
        let outcome = Outcome::failed(&member.me, member.model().unwrap_or_default(), failure);
        let outcome = self.setup.around.journal.redactor().outcome(outcome);
        // What cannot be written down shows in the result.
        self.record(&member.me, What::Completed(Box::new(outcome.clone()))).ok();
        outcome
    }

    /// A run is over: its parent is told, and woken if it rests, and the agent rests unless it has
    /// been told more.
    fn ended(&self, member: &Arc<Member>, outcome: &Outcome) {
        member.inner().outcome = Some(outcome.clone());
        // An agent that was stopped has nothing to tell.
        let tells = outcome.status != Status::Aborted && member.is_announced();
        let (status, text) = (AgentStatus::after(outcome.status), told(outcome));
        let told = tells && self.announce(member, status, &text).is_ok();
        if member.is_closed() {
            self.shut(member);
        }
        self.go_on_or_rest(member, outcome);
        // A parent that waits for it gets to know anyway.
        if told && member.awaited.load(Ordering::Relaxed) == 0 {
            self.notify_parent(member, &text);
        }
    }

    /// An agent that has been told more meanwhile works on; any other makes room.
    fn go_on_or_rest(&self, member: &Member, outcome: &Outcome) {
        let stopped = outcome.status == Status::Aborted
            || outcome.error.as_ref().is_some_and(|error| error.kind == FailureKind::NotStarted);
        let mut tree = self.tree();
        // One that handed in its result is done, whatever came too late for it.
        let goes_on = (!stopped || member.inner().again) && member.is_open_ended();
        if goes_on && !member.is_closed() && !member.inbox.is_drained() {
            member.begin();
        } else {
            tree.free_slot(member);
            member.rest();
        }
    }

    /// Tells the parent of an agent about an end that whoever waited for it did not see.
    pub(super) fn tell_again(&self, member: &Arc<Member>, outcome: &Outcome) {
        if member.is_announced() && outcome.status != Status::Aborted {
            self.notify_parent(member, &told(outcome));
        }
    }

    fn notify_parent(&self, member: &Member, text: &str) {
        let parent = member.parent.and_then(|parent| self.at(parent).ok());
        if let Some(parent) = parent.filter(|parent| !parent.is_closed()) {
            self.notify(&parent, described(member, text));
        }
    }

    /// Tells an agent what became of another; it is woken if it rests and can go on.
    pub(super) fn notify(&self, member: &Arc<Member>, text: String) {
        let mut tree = self.tree();
        let state = member.state();
        if !state.busy && !member.is_open_ended() {
            return;
        }
        member.inbox.put(text);
        if !state.busy && state.life.status() == AgentStatus::Completed {
            // The one that ended has just made room.
            tree.take_slot(member, usize::MAX);
            member.begin();
        }
        drop(tree);
        if member.state.borrow().busy {
            self.attend(member);
        }
    }

    /// Tells whoever watches that something about an agent went wrong that does not matter to it.
    pub fn warn(&self, member: &Member, text: &str) {
        self.announce(member, member.status(), &format!("goes on, but {text}")).ok();
    }

    /// Writes down for the parent of an agent what became of it, if the parent still works or can.
    pub(super) fn announce(
        &self,
        member: &Member,
        status: AgentStatus,
        text: &str,
    ) -> Result<(), SessionError> {
        let parent = member.parent.and_then(|parent| self.at(parent).ok());
        let Some(parent) = parent.filter(|_| member.is_announced()) else { return Ok(()) };
        if !parent.state.borrow().busy && !parent.is_open_ended() {
            return Ok(());
        }
        // A parent that goes on in another process hears of it there.
        if !self.attends_to(&parent) {
            return Ok(());
        }
        let background = Background {
            thread_id: member.id().to_owned(),
            status,
            message: described(member, text),
            is_final: status.is_final(),
        };
        self.record(&parent.me, What::BackgroundEvent(background))
    }

    /// Makes sure that what happens to an agent that rests can be written down here.
    fn attends_to(&self, member: &Member) -> bool {
        let Some((store, owner)) = self.kept() else { return true };
        let mut inner = member.inner();
        inner.owned = inner.owned || store.attend(member.id(), owner).is_ok();
        inner.owned
    }

    /// The agent is closed, now that it rests.
    pub(super) fn shut(&self, member: &Member) {
        let closed = member.inner().closed.unwrap_or(Closed::WithParent);
        if let Some((store, _)) = self.kept() {
            // Whoever looks finds it interrupted instead.
            store.close(member.id(), closed).ok();
        }
        self.announce(member, AgentStatus::Shutdown, "was closed").ok();
        member.change(|state| state.life.close());
    }
}

fn described(member: &Member, text: &str) -> String {
    format!("agent {} ({}) [{}] {text}", member.me.agent_type, member.id(), member.call_id)
}

/// How a run ended, in words.
pub(super) fn told(outcome: &Outcome) -> String {
    let words = match &outcome.error {
        None => &outcome.result,
        Some(error) => &error.message,
    };
    let (status, time) = (AgentStatus::after(outcome.status), outcome.duration_seconds);
    format!("{status} in {time:.1}s: {}", capped(words))
}

/// As much of `text` as is told without being asked for.
fn capped(text: &str) -> String {
    if text.len() <= MAX_TOLD {
        return text.to_owned();
    }
    let cut = &text[..text.floor_char_boundary(MAX_TOLD)];
    format!("{cut} [… cut; `wait` for it or ask it for the rest]")
}
