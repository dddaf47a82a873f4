//! Every integration test, in one executable: linking is the slow part.

#![expect(clippy::unwrap_used, clippy::panic, reason = "in a test, panicking is how to fail")]

mod app_server;
mod catalog;
#[cfg(target_os = "linux")]
mod chat;
mod cli;
mod collab;
mod corpus;
mod delegation;
mod docs;
mod document_hostile;
mod document_invariants;
mod document_oracles;
mod document_properties;
mod fault_server;
#[cfg(target_os = "linux")]
mod follow;
mod lint_invariants;
mod lint_properties;
mod list;
#[cfg(target_os = "linux")]
mod notify;
mod plan_server;
mod provider_connections;
mod providers;
#[cfg(target_os = "linux")]
mod pty;
mod recover;
mod resume;
mod run_cli;
mod run_grace;
mod run_models;
mod run_plan;
mod run_providers;
mod run_record;
mod run_stop;
mod run_tools;
mod run_turns;
#[cfg(target_os = "linux")]
mod sandbox;
mod schedule;
mod schema;
mod serve;
mod show;
mod stage;
mod support;
#[cfg(target_os = "linux")]
mod survival;
#[cfg(target_os = "linux")]
mod survival_load;
mod thread_store;
mod threads;
mod threads_steer;
mod tidy;
mod trust;
mod validate;
