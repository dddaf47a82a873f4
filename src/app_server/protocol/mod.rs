//! What clients and the server say to each other. Schemas and TypeScript types come from here.
//!
//! Names are in camelCase, except inside of a mode's settings. Numbers of events are those of the
//! session, so a client that has seen `seq` can ask for what follows it.

mod approval;
mod item;
mod notification;
mod request;
mod thread;

pub use approval::*;
pub use item::*;
pub use notification::*;
pub use request::*;
pub use thread::*;

/// The version of the protocol.
pub const VERSION: u32 = 1;
