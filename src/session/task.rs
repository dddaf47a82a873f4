//! Agents for one piece of work, whose result is waited for or asked for later.

use std::sync::Arc;

use super::{Member, Session, SessionError, Spawn};
use crate::{
    event::Outcome,
    plan::{Context, Finish, Plan},
    store::NewThread,
};

/// Stops an agent that nobody waits for any more.
struct Leash<'a> {
    session: &'a Session,
    member: &'a Arc<Member>,
}

impl Drop for Leash<'_> {
    fn drop(&mut self) {
        self.session.interrupt(self.member);
    }
}

impl Session {
    /// Runs an agent and waits for it. It is stopped when nobody waits any more.
    pub async fn run_task(
        &self,
        parent: &Arc<Member>,
        task: Spawn,
    ) -> Result<Outcome, SessionError> {
        let member = self.spawn(parent, task)?;
        self.result(&member).await
    }

    /// Goes on with an agent that ended, and waits for it.
    pub async fn resume_task(
        &self,
        parent: &Arc<Member>,
        id: &str,
        prompt: String,
    ) -> Result<Outcome, SessionError> {
        let (store, _) = self.kept().ok_or(SessionError::NotKept)?;
        let member = match self.find(id) {
            Ok(member) => member,
            Err(_) => {
                let thread = store.thread(id)?;
                if thread.is_attended() {
                    return Err(SessionError::Running(thread.begun.id));
                }
                // What its caller may do now is what counts.
                self.adopt(parent, &thread)?
            }
        };
        if member.state.borrow().busy {
            return Err(SessionError::Running(member.id().to_owned()));
        }
        if member.is_closed() {
            self.resume(&member)?;
        }
        self.put(&member, Some((prompt, super::Delivery::NextTurn)))?;
        self.result(&member).await
    }

    async fn result(&self, member: &Arc<Member>) -> Result<Outcome, SessionError> {
        let _leash = Leash { session: self, member };
        member.rests().await;
        member.outcome().ok_or(SessionError::Over)
    }

    /// Starts an agent in a process of its own. Its thread.
    pub fn start_in_background(
        &self,
        parent: &Arc<Member>,
        task: Spawn,
    ) -> Result<String, SessionError> {
        let (store, owner) = self.kept().ok_or(SessionError::NotKept)?;
        let (member, thread) = self.draft(parent, Spawn { background: true, ..task })?;
        let plan = member.plan().ok_or(SessionError::Over)?;
        // What runs in a process of its own has a stream of its own.
        let thread = NewThread { session: thread.id.clone(), ..thread };
        store.create(&thread, Some(owner))?;
        let launched = self.hand_to_a_process(&plan, &thread);
        if let Err(error) = &launched {
            // It never began, and nobody must think that it may.
            self.failed(&member, error);
            store.release(owner, &thread.id)?;
        }
        launched?;
        self.watch(thread.id.clone(), parent.index);
        Ok(thread.id)
    }

    fn hand_to_a_process(&self, plan: &Plan, thread: &NewThread) -> Result<(), SessionError> {
        let (store, owner) = self.kept().ok_or(SessionError::NotKept)?;
        // The process that runs it knows nothing but the store.
        let redactor = self.setup.around.journal.redactor();
        let first = plan.messages().iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>();
        let first = first.map_err(|_| SessionError::Unreadable(thread.id.clone()))?;
        let first: Vec<_> = first.into_iter().map(|value| redactor.value(value)).collect();
        store.go_on(owner, &thread.id, &first, 0)?;
        self.setup.launcher.launch(&thread.id).map_err(SessionError::Launch)
    }
}

impl Spawn {
    /// An agent for one piece of work. It hands in its result.
    pub fn task(agent_type: String, prompt: String, context: Context) -> Self {
        Self {
            agent_type: Some(agent_type),
            message: Some(prompt),
            context,
            finish: Finish::CompleteTask,
            ..Self::default()
        }
    }
}
