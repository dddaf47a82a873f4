//! The toolchain for AI-agent definitions.
//!
//! `ARCHITECTURE.md` is the map. Data flows one way: bytes become a [`text::Source`], that a
//! [`document::Document`], that one or more [`model::Definition`]s, and those a
//! [`catalog::Catalog`]. Only [`cli`] prints, reads the environment or decides an exit code.

/// Compares with `snapshots/<name>.snap` at the top of the repository.
#[cfg(test)]
macro_rules! assert_snapshot {
    ($name:literal, $value:expr) => {
        insta::with_settings!({
            snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"),
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, { insta::assert_snapshot!($name, $value) })
    };
}

pub mod app_server;
pub mod authority;
pub mod catalog;
pub mod cli;
pub mod collab;
pub mod config;
pub mod conversation;
pub mod dialect;
pub mod document;
pub mod event;
pub mod lint;
pub mod model;
pub mod plan;
pub mod provider;
pub mod render;
pub mod run;
pub mod serve;
pub mod session;
pub mod store;
pub mod text;
pub mod tools;
