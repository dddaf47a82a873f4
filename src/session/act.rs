//! Telling, interrupting, closing and reopening agents.

use std::{collections::HashSet, sync::Arc, time::Duration};

use super::{Member, Session, SessionError};
use crate::{event::AgentStatus, plan::Context, store::Closed};

/// How long agents that are told to end may take.
const CLOSING: Duration = Duration::from_secs(10);

/// When an agent reads what it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// After its present turn.
    NextTurn,
    /// When it is done with what it is doing.
    AfterWork,
    /// At once; it drops what it is doing.
    Interrupt,
}

impl Session {
    /// Tells an agent something. One that rests begins to work.
    pub fn send(
        &self,
        member: &Arc<Member>,
        text: String,
        delivery: Delivery,
    ) -> Result<(), SessionError> {
        if member.is_closed() {
            return Err(SessionError::Closed(member.id().to_owned()));
        }
        let used = member.state().life.tokens();
        if let Some(juice) = member.juice.filter(|juice| used >= *juice) {
            return Err(SessionError::Exhausted(member.id().to_owned(), juice));
        }
        self.check_authority(member)?;
        self.put(member, Some((text, delivery)))
    }

    /// Tells the main agent something. It begins to work if it rests.
    pub fn tell(&self, text: String) -> Result<(), SessionError> {
        self.put(&self.main()?, Some((text, Delivery::NextTurn)))
    }

    /// Makes an agent work on what it has been told.
    pub(super) fn put(
        &self,
        member: &Arc<Member>,
        told: Option<(String, Delivery)>,
    ) -> Result<(), SessionError> {
        let mut tree = self.tree();
        if member.state.borrow().busy {
            member.go_on();
        } else {
            let most = self.setup.collab.max_agents();
            if !tree.take_slot(member, most) {
                return Err(SessionError::Limit(most));
            }
            if let Err(error) = self.own(member) {
                tree.free_slot(member);
                return Err(error);
            }
            member.begin();
        }
        match told {
            Some((text, Delivery::NextTurn)) => member.inbox.put(text),
            Some((text, Delivery::AfterWork)) => member.inbox.put_for_later(text),
            Some((text, Delivery::Interrupt)) => member.inbox.interrupt(text),
            None => {}
        }
        drop(tree);
        self.attend(member);
        Ok(())
    }

    /// Takes mail for an agent that rests and can be told more, and writes down what it is told.
    pub(super) fn attend_to(&self, member: &Member) -> Result<(), SessionError> {
        let Some((store, owner)) = self.kept() else { return Ok(()) };
        if !member.is_closed() {
            store.attend(member.id(), owner)?;
            member.inner().owned = true;
        }
        Ok(())
    }

    /// Makes sure that the agent's thread is this process's.
    fn own(&self, member: &Member) -> Result<(), SessionError> {
        if let Some((store, owner)) = self.kept()
            && !member.inner().owned
        {
            store.take_over(member.id(), owner)?;
        }
        member.inner().owned = true;
        Ok(())
    }

    /// What an agent may do is what its parent may do now and its definition allows now. One that
    /// works and has more than that is told nothing any more; one that rests gets less.
    fn check_authority(&self, member: &Arc<Member>) -> Result<(), SessionError> {
        let (is_new, plan) = {
            let inner = member.inner();
            (inner.history.as_ref().is_some_and(Vec::is_empty), inner.plan.clone())
        };
        if member.parent.is_none() || is_new {
            return Ok(());
        }
        let fresh = self.plan_of(member, Context::New)?;
        let Some(plan) = plan.filter(|_| member.state.borrow().busy) else { return Ok(()) };
        let lost = self.granted(&plan).into_iter().find(|tool| !fresh.grants(tool));
        match lost {
            Some(tool) => Err(SessionError::Narrowed(member.id().to_owned(), tool)),
            None => Ok(()),
        }
    }

    /// Stops what an agent and everything below it are doing. They can be told more.
    pub fn interrupt(&self, member: &Member) {
        let subtree = self.tree().subtree(member.index);
        for member in subtree {
            member.inner().run.cancel();
        }
    }

    /// Closes an agent and everything below it, and waits until they rest; all that were open.
    /// `by` is the agent that asks for it, which is not waited for.
    pub async fn close(&self, member: &Arc<Member>, by: Option<&Member>) -> Vec<Arc<Member>> {
        let subtree = self.tree().subtree(member.index);
        let mut closed = Vec::new();
        for one in &subtree {
            let mut inner = one.inner();
            let was_open = inner.closed.is_none();
            if one.index == member.index {
                let before = inner.closed.replace(Closed::Explicit);
                // It was closed with its parent, and must not be opened with it.
                if before == Some(Closed::WithParent)
                    && let Some((store, _)) = self.kept()
                {
                    store.close(one.id(), Closed::Explicit).ok();
                }
            } else if was_open {
                inner.closed = Some(Closed::WithParent);
            }
            let closing = inner.closing.clone();
            drop(inner);
            if was_open {
                closed.push((Arc::clone(one), closing));
            }
        }
        // Those below end first, so that nobody is told about the end of what it started.
        for (one, closing) in closed.iter().rev() {
            if one.state.borrow().busy {
                closing.cancel();
            } else {
                self.shut(one);
                one.wake.notify_one();
            }
        }
        // Those that someone else is closing are waited for, too.
        let others = subtree.iter().filter(|one| by.is_none_or(|by| by.index != one.index));
        for one in others {
            tokio::time::timeout(CLOSING, one.rests()).await.ok();
        }
        closed.into_iter().map(|(one, _)| one).collect()
    }

    /// Opens an agent that was closed, and those below it that were closed with it; those it
    /// opened. They begin to work when they are told something.
    pub fn resume(&self, member: &Arc<Member>) -> Result<Vec<Arc<Member>>, SessionError> {
        if !member.is_closed() {
            return Ok(Vec::new());
        }
        let parent = member.parent.map(|parent| self.at(parent)).transpose()?;
        if parent.as_ref().is_some_and(|parent| parent.is_closed()) {
            return Err(SessionError::ParentClosed(member.id().to_owned()));
        }
        if member.depth as usize > self.setup.collab.max_depth() {
            return Err(SessionError::Depth);
        }
        if member.parent.is_some() {
            self.plan_of(member, Context::New)?;
        }
        let (mut opened, mut shut) = (Vec::new(), HashSet::new());
        let subtree = self.tree().subtree(member.index);
        for one in subtree {
            let explicit = one.inner().closed == Some(Closed::Explicit);
            let below_shut = one.parent.is_some_and(|parent| shut.contains(&parent));
            if one.index != member.index && (explicit || below_shut) {
                shut.insert(one.index);
                continue;
            }
            self.reopen(&one)?;
            opened.push(one);
        }
        Ok(opened)
    }

    fn reopen(&self, member: &Arc<Member>) -> Result<(), SessionError> {
        if let Some((store, owner)) = self.kept() {
            store.reopen(member.id())?;
            store.attend(member.id(), owner)?;
        }
        let parent = member.parent.and_then(|parent| self.at(parent).ok());
        let closing = match parent {
            Some(parent) => parent.inner().closing.child_token(),
            None => self.cancel.child_token(),
        };
        let mut inner = member.inner();
        inner.closed = None;
        inner.closing = closing;
        inner.owned = true;
        // Someone else may have gone on with it meanwhile.
        if self.kept().is_some() && inner.history.as_ref().is_some_and(|past| !past.is_empty()) {
            inner.history = None;
        }
        drop(inner);
        member.change(|state| state.life.reopen());
        Ok(())
    }

    /// Whether `below` is `above` or below it.
    pub fn is_within(&self, below: &Member, above: &Member) -> bool {
        self.tree().is_within(below.index, above.index)
    }

    /// The agents `member` started.
    pub fn children(&self, member: &Member) -> Vec<Arc<Member>> {
        self.tree().children(member.index).cloned().collect()
    }

    /// Whether an agent below the main one works.
    pub fn is_working(&self) -> bool {
        let others = self.members().into_iter().filter(|member| member.index != 0);
        others.into_iter().any(|member| member.status() == AgentStatus::Running)
    }
}
