//! Agents as threads in a store, and back.

use std::path::Path;

use uuid::Uuid;

use super::{Member, Session, SessionError, StoredCall};
use crate::{
    authority::{Trust, fingerprint},
    catalog::{Entry, File, Origin},
    event::Redactor,
    plan::Plan,
    store::{NewThread, Thread},
};

/// Whether the user trusts the file of `entry` as it was read.
pub fn is_trusted(trust: &Trust, entry: &Entry) -> bool {
    let text = entry.source.as_ref().filter(|source| source.problem().is_none());
    let path = std::fs::canonicalize(&entry.path).unwrap_or_else(|_| entry.path.clone());
    text.is_some_and(|source| trust.holds(&path, source.text().as_bytes()))
}

/// A thread that nobody started, not yet in any store. Keys are taken out of what is kept; a
/// definition that has one is then no longer the file that is trusted.
pub fn new_thread(
    entry: &Entry,
    plan: &Plan,
    call: &StoredCall,
    cwd: &Path,
    redactor: &Redactor,
) -> NewThread {
    let id = Uuid::now_v7().to_string();
    let definition = entry.source.as_ref().map_or("", |source| source.text());
    let path = match entry.origin {
        Origin::Builtin => entry.path.clone(),
        Origin::Project | Origin::User => call.from.join(&entry.path),
    };
    NewThread {
        session: id.clone(),
        id,
        parent: None,
        depth: 0,
        agent_type: plan.agent_type().to_owned(),
        ordinal: 1,
        model: plan.models().first().map(ToString::to_string).unwrap_or_default(),
        sandbox: plan.sandbox().name().to_owned(),
        cwd: cwd.display().to_string(),
        path: path.display().to_string(),
        origin: entry.origin.name().to_owned(),
        hash: fingerprint(definition.as_bytes()),
        definition: redactor.text(definition).into_owned(),
        call: redactor.value(serde_json::to_value(call).unwrap_or_default()),
        note: None,
        background: call.background,
    }
}

impl Session {
    /// Keeps how an agent is called now, for whoever goes on with it later.
    pub(super) fn keep_call(&self, member: &Member) -> Result<(), SessionError> {
        let Some((store, owner)) = self.kept() else { return Ok(()) };
        let call = serde_json::to_value(&*member.call()).unwrap_or_default();
        let call = self.setup.around.journal.redactor().value(call);
        Ok(store.keep_call(owner, member.id(), &call)?)
    }
}

/// The definition of a thread as it was, and how it was called.
pub(super) fn stored(thread: &Thread) -> Result<(Entry, StoredCall), SessionError> {
    let begun = &thread.begun;
    let unreadable = || SessionError::Unreadable(begun.id.clone());
    let call: StoredCall = serde_json::from_value(begun.call.clone()).map_err(|_| unreadable())?;
    let entry = stored_entry(begun, &call).ok_or_else(unreadable)?;
    Ok((entry, call))
}

/// The definition of a thread as it was.
pub fn stored_entry(begun: &NewThread, call: &StoredCall) -> Option<Entry> {
    let origin = match begun.origin.as_str() {
        "builtin" => Origin::Builtin,
        "user" => Origin::User,
        _ => Origin::Project,
    };
    let hosts: Vec<_> = crate::dialect::dialect(&call.dialect).into_iter().collect();
    let path = Path::new(&begun.path);
    let file = File::new(path, begun.definition.clone().into_bytes(), origin, &hosts);
    file.entries.into_iter().find(|entry| entry.full_name() == begun.agent_type)
}
