//! `agentctl run`.
