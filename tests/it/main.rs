//! Every integration test, in one executable: linking is the slow part.

#![expect(clippy::unwrap_used, clippy::panic, reason = "in a test, panicking is how to fail")]

mod catalog;
mod cli;
mod corpus;
mod docs;
mod document_hostile;
mod document_invariants;
mod document_oracles;
mod document_properties;
mod fault_server;
mod lint_invariants;
mod lint_properties;
mod list;
mod providers;
mod run_providers;
#[cfg(target_os = "linux")]
mod sandbox;
mod schema;
mod show;
mod support;
mod tidy;
mod trust;
mod validate;
