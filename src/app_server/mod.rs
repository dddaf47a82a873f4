//! JSON-RPC for clients: conversations with main agents, and the trees of agents below them.

pub mod protocol;
