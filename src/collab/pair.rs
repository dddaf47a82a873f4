//! A beginning and its end. Whatever happens in between, both are written down.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    event::{AgentRef, AgentState, CollabBegin, CollabEnd, What},
    session::{Member, Session, SessionError},
    tools::{CallCx, ToolError},
};

/// What agents do to each other.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    Spawn,
    Interaction,
    Waiting,
    Close,
    Resume,
}

impl Act {
    fn begin(self, begun: CollabBegin) -> What {
        match self {
            Self::Spawn => What::CollabAgentSpawnBegin(begun),
            Self::Interaction => What::CollabAgentInteractionBegin(begun),
            Self::Waiting => What::CollabWaitingBegin(begun),
            Self::Close => What::CollabCloseBegin(begun),
            Self::Resume => What::CollabResumeBegin(begun),
        }
    }

    fn end(self, end: CollabEnd) -> What {
        match self {
            Self::Spawn => What::CollabAgentSpawnEnd(end),
            Self::Interaction => What::CollabAgentInteractionEnd(end),
            Self::Waiting => What::CollabWaitingEnd(end),
            Self::Close => What::CollabCloseEnd(end),
            Self::Resume => What::CollabResumeEnd(end),
        }
    }
}

/// Something that has begun. If nobody says how it ended, it was stopped.
pub(super) struct Pair {
    session: Arc<Session>,
    agent: AgentRef,
    act: Act,
    begun: Option<CollabBegin>,
}

impl Pair {
    /// Writes down that `act` begins.
    pub fn begin(
        session: &Arc<Session>,
        cx: CallCx<'_>,
        act: Act,
        begun: CollabBegin,
    ) -> Result<Self, SessionError> {
        let begun = CollabBegin { call_id: cx.call_id.to_owned(), ..begun };
        session.record(cx.agent, act.begin(begun.clone()))?;
        let (session, agent) = (Arc::clone(session), cx.agent.clone());
        Ok(Self { session, agent, act, begun: Some(begun) })
    }

    /// Writes down that it worked. `now` changes what is known of it.
    pub fn worked(
        mut self,
        agents_states: BTreeMap<String, AgentState>,
        now: impl FnOnce(&mut CollabBegin),
    ) -> Result<(), SessionError> {
        let mut begun = self.begun.take().unwrap_or_default();
        now(&mut begun);
        let end = CollabEnd { begun, success: true, agents_states, error: None };
        self.session.record(&self.agent, self.act.end(end))
    }

    /// Writes down that it did not work. The model is told why.
    pub fn failed<E: Into<ToolError>>(mut self, error: E) -> ToolError {
        let error = error.into();
        self.fail(error.to_string());
        error
    }

    fn fail(&mut self, error: String) {
        let Some(begun) = self.begun.take() else { return };
        let error = Some(error);
        let end = CollabEnd { begun, success: false, agents_states: BTreeMap::new(), error };
        // What cannot be written down shows at the agent's next event.
        self.session.record(&self.agent, self.act.end(end)).ok();
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        self.fail("the call was stopped".to_owned());
    }
}

/// What `members` are doing.
pub(super) fn states(members: &[Arc<Member>]) -> BTreeMap<String, AgentState> {
    members.iter().map(|member| (member.id().to_owned(), member.state().told())).collect()
}
