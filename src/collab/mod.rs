//! The tools with which agents act on each other: three vocabularies over one [`Session`].
//!
//! `Task` and `TaskOutput` delegate one piece of work. `spawn_agent` and its like steer a tree of
//! agents by their threads. `collaboration.*` does the same by numbers, with a report on every call.

mod caller;
mod close_agent;
pub mod collaboration;
mod items;
mod list_active_agents;
mod list_agents;
mod pair;
mod resume_agent;
mod send_input;
mod set_thread_note;
mod spawn_agent;
mod task;
mod task_output;
mod wait;

use std::sync::{Arc, Weak};

use caller::Handle;

use crate::{session::Session, tools::Tool};

/// Makes a tool of a session.
type Make = fn(Handle) -> Arc<dyn Tool>;

/// Every tool with which agents act on each other.
static TOOLS: &[(&str, Make)] = &[
    ("Task", |session| Arc::new(task::TaskTool(session))),
    ("TaskOutput", |session| Arc::new(task_output::TaskOutputTool(session))),
    ("close_agent", |session| Arc::new(close_agent::CloseAgent(session))),
    ("collaboration.close", |session| Arc::new(collaboration::Close(session))),
    ("collaboration.get_state", |session| Arc::new(collaboration::GetState(session))),
    ("collaboration.init_agent", |session| Arc::new(collaboration::InitAgent(session))),
    ("collaboration.send", |session| Arc::new(collaboration::Send(session))),
    ("collaboration.wait", |session| Arc::new(collaboration::Wait(session))),
    ("list_active_agents", |session| Arc::new(list_active_agents::ListActiveAgents(session))),
    ("list_agents", |session| Arc::new(list_agents::ListAgents(session))),
    ("resume_agent", |session| Arc::new(resume_agent::ResumeAgent(session))),
    ("send_input", |session| Arc::new(send_input::SendInput(session))),
    ("set_thread_note", |session| Arc::new(set_thread_note::SetThreadNote(session))),
    ("spawn_agent", |session| Arc::new(spawn_agent::SpawnAgent::new(session))),
    ("wait", |session| Arc::new(wait::Wait(session))),
];

/// The names of the tools with which agents act on each other.
pub fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|(name, _)| *name)
}

/// The tools with which agents of a session act on each other.
pub fn tools(session: &Weak<Session>) -> Vec<Arc<dyn Tool>> {
    TOOLS.iter().map(|(_, make)| make(Handle(Weak::clone(session)))).collect()
}
