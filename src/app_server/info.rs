//! Threads as clients see them.

use std::path::Path;

use super::protocol::Thread;
use crate::{
    session::{Member, StoredCall},
    store::{self, Store},
};

/// A thread of the store, and the agent that it is if this server runs it.
pub(super) fn thread(store: &Store, stored: &store::Thread, live: Option<&Member>) -> Thread {
    let begun = &stored.begun;
    let call: StoredCall = serde_json::from_value(begun.call.clone()).unwrap_or_default();
    let state = live.map(Member::state);
    let mode = call.mode.as_ref().and_then(|mode| mode.settings.reasoning_effort.clone());
    let status = state.as_ref().map_or(stored.status, |state| state.status());
    let used = stored.outcome.as_ref().map_or(0, |outcome| outcome.total_tokens);
    let is_live = live.is_some_and(|member| !member.is_closed());
    let preview = store.description(stored).ok().flatten();
    Thread {
        id: begun.id.clone(),
        session_id: begun.session.clone(),
        parent_thread_id: begun.parent.clone(),
        agent_index: stored.place,
        depth: begun.depth,
        agent_type: begun.agent_type.clone(),
        ordinal: begun.ordinal,
        agent_name: call.persona.clone(),
        status: status.into(),
        note: begun.note.clone(),
        model: live.and_then(Member::model).or_else(|| Some(begun.model.clone())),
        reasoning_effort: live.and_then(Member::effort).or(mode).or(call.effort),
        sandbox: sandbox(live).unwrap_or_else(|| begun.sandbox.clone()),
        cwd: Path::new(&begun.cwd).display().to_string(),
        preview: preview.unwrap_or_default(),
        max_juice: call.juice,
        used_juice: state.map_or(used, |state| state.life.tokens().max(used)),
        is_live,
        created_at_ms: stored.created,
        updated_at_ms: stored.updated,
    }
}

fn sandbox(live: Option<&Member>) -> Option<String> {
    live.and_then(Member::plan).map(|plan| plan.sandbox().name().to_owned())
}
