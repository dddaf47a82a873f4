//! JSON-RPC for clients: conversations with main agents, and the trees of agents below them.
//!
//! A [`Server`] has the live sessions; every [`Connection`] is one client, whatever carries its
//! messages. Both know nothing of stdio or sockets. Everything clients hear about agents is a fold
//! over the stream of events ([`projection`]), and a client that does not read holds nobody up.

mod connection;
mod desk;
mod hosted;
mod info;
mod outbox;
pub mod projection;
pub mod protocol;
mod rpc;
pub mod schema;
mod server;
mod starter;
mod threads;
mod turns;

pub use connection::Connection;
pub use rpc::{Code, MAX_MESSAGE, RpcError};
pub use server::Server;
pub use starter::{Stage, StartError, Starter};
