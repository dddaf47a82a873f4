//! `collaboration.*`: the same tree by numbers, with a report on every call.
//!
//! Every answer has a text for the model and metadata: whether the call was handled, whether a
//! failure was the model's own, and structured facts. A failure is an answer, too.

mod close;
mod get_state;
mod init_agent;
mod report;
mod send;
mod wait;

pub(super) use close::Close;
pub(super) use get_state::GetState;
pub(super) use init_agent::InitAgent;
pub(super) use send::Send;
pub(super) use wait::Wait;
