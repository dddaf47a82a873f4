//! What the server is given: how sessions begin, and where they are kept.

use std::sync::Arc;

use thiserror::Error;
use tokio_util::sync::CancellationToken;

use super::protocol::{AgentInfo, ApprovalPolicy, ThreadStartParams};
use crate::{
    event::Sink,
    run::Approver,
    session::{Mode, Session},
    store::{Store, Thread},
};

/// Starts sessions. Everything here may take a while and must not be called where others wait: the
/// server calls it on threads of their own.
pub trait Starter: Send + Sync {
    /// Where threads are kept.
    fn store(&self) -> Result<Arc<Store>, StartError>;

    /// The agents there are.
    fn agents(&self) -> Result<Vec<AgentInfo>, StartError>;

    /// A session whose main agent waits for what it is told, in `mode` if there is one.
    fn start(
        &self,
        params: &ThreadStartParams,
        mode: Option<Mode>,
        stage: Stage,
    ) -> Result<Arc<Session>, StartError>;

    /// A session whose main agent goes on with a thread that nobody runs, once it is told
    /// something.
    fn resume(
        &self,
        thread: &Thread,
        approvals: ApprovalPolicy,
        stage: Stage,
    ) -> Result<Arc<Session>, StartError>;
}

/// What a session is connected to.
pub struct Stage {
    /// What sees everything that happens, after the store.
    pub sinks: Vec<Box<dyn Sink>>,
    /// Who is asked, where the policy is to ask.
    pub approver: Arc<dyn Approver>,
    /// Ends everything.
    pub cancel: CancellationToken,
}

/// A session that could not begin.
#[derive(Debug, Error)]
pub enum StartError {
    /// Whoever asked for it has to ask for something else.
    #[error("{0}")]
    Refused(String),
    /// Something of what was asked for is no such thing.
    #[error("{0}")]
    Params(String),
    /// Something broke.
    #[error("{0}")]
    Broken(String),
}
