//! Waiting for agents. It costs no tokens, and an agent that has ended is not waited for.

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use futures_util::{StreamExt as _, stream::FuturesUnordered};

use tokio::sync::watch;

use super::{Member, Session, State, member::Awaited};
use crate::event::{AgentState, AgentStatus};

/// What waiting came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waited {
    /// Those that ended, by the names they were asked for.
    pub ended: BTreeMap<String, AgentState>,
    /// The first of them.
    pub first: Option<String>,
    /// Whether none did in time.
    pub timed_out: bool,
}

/// What waiting for tokens came to.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// Those that were waited for, and how many tokens each used.
    pub used: Vec<(Arc<Member>, u64)>,
    /// Whether they used as many as they might.
    pub is_exhausted: bool,
}

/// An agent someone waits for.
struct Target {
    id: String,
    member: Option<Arc<Member>>,
    /// How often it had ended before.
    runs: u64,
    /// Held if its parent waits, who is then not told besides.
    awaited: Option<Awaited>,
}

impl Target {
    fn ended(&self) -> Option<AgentState> {
        match &self.member {
            Some(member) => member.state.borrow().ended_since(self.runs),
            None => Some(AgentState { status: AgentStatus::NotFound, message: None }),
        }
    }
}

/// Those someone waits for. If they stop waiting without having looked, the parents of those that
/// ended are told after all.
struct Targets<'a> {
    session: &'a Session,
    targets: Vec<Target>,
    looked: bool,
}

impl Targets<'_> {
    fn ended(&mut self) -> BTreeMap<String, AgentState> {
        self.looked = true;
        let ended = self.targets.iter().filter_map(|one| Some((one.id.clone(), one.ended()?)));
        ended.collect()
    }
}

impl Drop for Targets<'_> {
    fn drop(&mut self) {
        if self.looked {
            return;
        }
        for target in self.targets.iter().filter(|target| target.awaited.is_some()) {
            let Some(member) = &target.member else { continue };
            let state = member.state();
            if state.life.runs > target.runs
                && member.awaited.load(Ordering::Relaxed) <= 1
                && let Some(outcome) = member.outcome()
            {
                self.session.tell_again(member, &outcome);
            }
        }
    }
}

impl Session {
    /// Waits until the first of `targets` has ended, for `time` at most. What is not there has
    /// ended.
    pub async fn wait(
        &self,
        targets: Vec<(String, Option<Arc<Member>>)>,
        time: Duration,
    ) -> Waited {
        self.wait_as(None, targets, time).await
    }

    /// The same for the agent `by`: it is not told besides what became of those it started.
    pub async fn wait_as(
        &self,
        by: Option<&Member>,
        targets: Vec<(String, Option<Arc<Member>>)>,
        time: Duration,
    ) -> Waited {
        let is_parent =
            |member: &&Arc<Member>| by.is_some_and(|by| member.parent == Some(by.index));
        let targets = targets.into_iter().map(|(id, member)| Target {
            runs: member.as_ref().map_or(0, |member| member.state.borrow().life.runs),
            awaited: member.as_ref().filter(is_parent).map(Member::await_it),
            id,
            member,
        });
        let mut targets = Targets { session: self, targets: targets.collect(), looked: false };
        let over = targets.targets.iter().find(|one| one.ended().is_some());
        if let Some(first) = over.map(|one| one.id.clone()) {
            return Waited { ended: targets.ended(), first: Some(first), timed_out: false };
        }
        let mut ends: FuturesUnordered<_> = targets
            .targets
            .iter()
            .filter_map(|one| {
                let mut state = one.member.as_ref()?.state.subscribe();
                let (runs, id) = (one.runs, one.id.clone());
                Some(async move {
                    state.wait_for(|state| state.ended_since(runs).is_some()).await.ok();
                    id
                })
            })
            .collect();
        let first = tokio::time::timeout(time, ends.next()).await.ok().flatten();
        drop(ends);
        let ended = targets.ended();
        Waited { timed_out: first.is_none(), ended, first }
    }

    /// Waits until `targets` have used `budget` tokens together, or all of them rest.
    pub async fn wait_for_tokens(&self, targets: &[Arc<Member>], budget: u64) -> Tokens {
        let before: Vec<u64> = targets.iter().map(|one| one.state.borrow().life.tokens()).collect();
        let mut used = vec![0; targets.len()];
        let (mut total, mut resting) = (0_u64, 0);
        let mut changes: FuturesUnordered<_> = FuturesUnordered::new();
        for (at, one) in targets.iter().enumerate() {
            let mut state = one.state.subscribe();
            state.mark_changed();
            changes.push(change(at, state));
        }
        let mut rests = vec![false; targets.len()];
        let mut seen = 0;
        let rest_now = || targets.iter().all(|one| !one.state.borrow().busy);
        loop {
            // Some may have begun again since they were last looked at.
            let all_rest = resting == targets.len() && rest_now();
            if all_rest || (seen >= targets.len() && total >= budget) {
                break;
            }
            let Some((at, mut state)) = changes.next().await else { break };
            let (tokens, busy) = {
                let state = state.borrow_and_update();
                (state.life.tokens(), state.busy)
            };
            seen += 1;
            let now = tokens.saturating_sub(before[at]);
            total = total.saturating_sub(used[at]).saturating_add(now);
            used[at] = now;
            resting = resting + usize::from(!busy) - usize::from(rests[at]);
            rests[at] = !busy;
            changes.push(change(at, state));
        }
        let is_exhausted = total >= budget && resting < targets.len();
        Tokens { used: targets.iter().cloned().zip(used).collect(), is_exhausted }
    }
}

/// Waits until something changes about the agent whose state it is.
async fn change(at: usize, mut state: watch::Receiver<State>) -> (usize, watch::Receiver<State>) {
    state.changed().await.ok();
    (at, state)
}
