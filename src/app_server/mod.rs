//! JSON-RPC for clients: conversations with main agents, and the trees of agents below them.
//!
//! A [`Server`] has the live sessions; every [`Connection`] is one client, whatever carries its
//! messages. Both know nothing of stdio or sockets.

mod outbox;
pub mod protocol;
mod rpc;
mod server;
mod starter;

pub use rpc::{Code, MAX_MESSAGE, RpcError};
pub use server::{Connection, Server};
pub use starter::{Stage, StartError, Starter};
