//! The session a tool belongs to, and the agent that calls it.

use std::sync::{Arc, Weak};

use crate::{
    session::{Member, Session, SessionError},
    tools::{CallCx, ToolError},
};

/// The session of a tool. It does not keep the session alive.
#[derive(Clone, Debug)]
pub(super) struct Handle(pub Weak<Session>);

impl Handle {
    /// The session, if it is not over.
    pub fn session(&self) -> Result<Arc<Session>, SessionError> {
        self.0.upgrade().ok_or(SessionError::Over)
    }

    /// The session, and who calls.
    pub fn call(&self, cx: CallCx<'_>) -> Result<(Arc<Session>, Arc<Member>), SessionError> {
        let session = self.session()?;
        let caller = session.find(&cx.agent.agent_id)?;
        Ok((session, caller))
    }
}

/// The agent that is meant by `id`, if it is below `caller`.
pub(super) fn below(
    session: &Session,
    caller: &Member,
    id: &str,
) -> Result<Arc<Member>, SessionError> {
    let found = session.find(id)?;
    if found.index != caller.index && session.is_within(&found, caller) {
        Ok(found)
    } else {
        Err(SessionError::NotFound(id.to_owned()))
    }
}

impl From<SessionError> for ToolError {
    fn from(error: SessionError) -> Self {
        Self::refused(error)
    }
}
