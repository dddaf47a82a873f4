//! Which agents someone sees.

use std::sync::Arc;

use serde::Deserialize;

use super::{Member, Session};
use crate::event::AgentStatus;

/// Which agents someone asks about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Those it started.
    #[default]
    Children,
    /// Those and everything below them.
    Descendants,
    /// Every agent below the main one.
    All,
}

impl Session {
    /// The agents `caller` asks about. Closed ones only if it asks for them.
    pub fn listed(&self, caller: &Member, scope: Scope, with_closed: bool) -> Vec<Arc<Member>> {
        let found = match scope {
            Scope::Children => self.children(caller),
            Scope::Descendants => self.tree().subtree(caller.index).split_off(1),
            Scope::All => self.members().split_off(1),
        };
        let is_open = |member: &Arc<Member>| member.status() != AgentStatus::Shutdown;
        found.into_iter().filter(|member| with_closed || is_open(member)).collect()
    }
}
