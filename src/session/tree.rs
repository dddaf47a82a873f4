//! The tree of agents and the room in it.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::Member;

/// The agents of a session, in the order in which they were started.
#[derive(Debug, Default)]
pub(super) struct Tree {
    members: Vec<Arc<Member>>,
    by_id: HashMap<String, u32>,
    children: HashMap<u32, Vec<u32>>,
    ordinals: HashMap<String, u32>,
    /// How many work, besides the main agent.
    working: usize,
}

impl Tree {
    /// The number the next agent gets.
    pub fn next_index(&self) -> u32 {
        u32::try_from(self.members.len()).unwrap_or(u32::MAX)
    }

    /// Which of its kind the next agent of a type is.
    pub fn next_ordinal(&self, agent_type: &str) -> u32 {
        self.ordinals.get(agent_type).map_or(1, |last| last + 1)
    }

    /// Adds an agent whose number is the next.
    pub fn add(&mut self, member: &Arc<Member>) {
        self.by_id.insert(member.id().to_owned(), member.index);
        if let Some(parent) = member.parent {
            self.children.entry(parent).or_default().push(member.index);
        }
        let ordinal = self.ordinals.entry(member.me.agent_type.clone()).or_default();
        *ordinal = (*ordinal).max(member.ordinal);
        self.members.push(Arc::clone(member));
    }

    /// Takes back the agent that was added last.
    pub fn remove_last(&mut self, member: &Arc<Member>) {
        if self.members.last().is_some_and(|last| Arc::ptr_eq(last, member)) {
            self.members.pop();
            self.by_id.remove(member.id());
            if let Some(siblings) = member.parent.and_then(|parent| self.children.get_mut(&parent))
            {
                siblings.pop();
            }
        }
    }

    pub fn all(&self) -> &[Arc<Member>] {
        &self.members
    }

    pub fn get(&self, index: u32) -> Option<&Arc<Member>> {
        self.members.get(index as usize)
    }

    /// The agent that is meant: by its thread, by the beginning of that if it is long enough to
    /// mean only one, by its kind and number (`worker#2`), or by its number in the session.
    pub fn find(&self, name: &str) -> Option<&Arc<Member>> {
        let by_index = || name.parse().ok().and_then(|index| self.get(index));
        let by_name = || {
            let (kind, ordinal) = name.rsplit_once('#')?;
            let ordinal: u32 = ordinal.parse().ok()?;
            let fits = |one: &&Arc<Member>| one.ordinal == ordinal && one.me.agent_type == kind;
            self.members.iter().find(fits)
        };
        let by_prefix = || {
            let mut fit = self.members.iter().filter(|member| member.id().starts_with(name));
            let first = fit.next().filter(|_| name.len() >= 8);
            first.filter(|_| fit.next().is_none())
        };
        let by_id = self.by_id.get(name).and_then(|index| self.get(*index));
        by_id.or_else(by_index).or_else(by_name).or_else(by_prefix)
    }

    /// The agents `index` started.
    pub fn children(&self, index: u32) -> impl Iterator<Item = &Arc<Member>> {
        self.children.get(&index).into_iter().flatten().filter_map(|child| self.get(*child))
    }

    /// `index` and everything below it, each agent after the one that started it.
    pub fn subtree(&self, index: u32) -> Vec<Arc<Member>> {
        let mut found: Vec<Arc<Member>> = self.get(index).cloned().into_iter().collect();
        let mut next = 0;
        while let Some(member) = found.get(next) {
            let below: Vec<_> = self.children(member.index).cloned().collect();
            found.extend(below);
            next += 1;
        }
        found
    }

    /// Whether `below` is `above` or below it.
    pub fn is_within(&self, below: u32, above: u32) -> bool {
        let mut seen = HashSet::new();
        let mut at = Some(below);
        while let Some(index) = at.filter(|index| seen.insert(*index)) {
            if index == above {
                return true;
            }
            at = self.get(index).and_then(|member| member.parent);
        }
        false
    }

    /// The names of the agents from the main one down to `index`.
    pub fn path(&self, index: u32) -> Vec<String> {
        let mut path = Vec::new();
        let mut at = self.get(index);
        while let Some(member) = at {
            path.push(if member.index == 0 { member.me.agent_type.clone() } else { member.name() });
            at = member.parent.and_then(|parent| self.get(parent));
        }
        path.reverse();
        path
    }

    /// Whether another agent may work, where no more than `most` may.
    pub fn has_room(&self, most: usize) -> bool {
        self.working < most
    }

    /// Makes room for `member` to work, where no more than `most` may. Whether there is any.
    pub fn take_slot(&mut self, member: &Member, most: usize) -> bool {
        if member.index == 0 {
            return true;
        }
        let has_room = self.has_room(most);
        self.working += usize::from(has_room);
        has_room
    }

    /// `member` no longer works.
    pub fn free_slot(&mut self, member: &Member) {
        if member.index != 0 {
            self.working = self.working.saturating_sub(1);
        }
    }
}
