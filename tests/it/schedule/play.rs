//! A random sequence of what can be done to a tree of agents, from the first spawn to the end.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use agentctl::{
    event::AgentStatus,
    plan::Finish,
    session::{Delivery, Member, Session, SessionError, Spawn},
};
use fastrand::Rng;
use tokio::{
    task::{JoinHandle, yield_now},
    time::sleep,
};

use super::{Scene, model::Model, stage::KIND, watch::Watch};

const DEEPEST: u32 = 4;

/// Plays the sequence of a seed, and says what was wrong.
pub async fn play(seed: u64) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9));
    let most = [1, 2, 3, 12][rng.usize(0..4)];
    let settings = format!("[collab]\nmax_depth = {DEEPEST}\nmax_agents = {most}\n");
    let scene = Scene::new(seed, &settings, seed.is_multiple_of(10)).watched();
    let Scene { session, model, watch, folder: _folder } = scene;
    let mut play = Play { session, model, watch, rng, most, waiting: Vec::new() };
    play.random_part().await;
    play.settle().await;
    play.deliver_everything().await;
    play.use_all_room().await;
    play.watch.check_pairs();
    play.watch.verdict()
}

struct Play {
    session: Arc<Session>,
    model: Arc<Model>,
    watch: Arc<Watch>,
    rng: Rng,
    most: usize,
    /// Those who wait, whom they wait for, and whether for tokens.
    waiting: Vec<(JoinHandle<()>, Vec<Arc<Member>>, bool)>,
}

impl Play {
    async fn random_part(&mut self) {
        self.send(&self.session.main().unwrap());
        for _ in 0..self.rng.usize(8..24) {
            self.step().await;
            self.watch.observe();
        }
    }

    async fn step(&mut self) {
        let one = self.one();
        match self.rng.u32(0..100) {
            0..22 => self.spawn(&one),
            22..42 => self.send(&one),
            42..48 => {
                self.watch.log(format!("# interrupt {}", one.index));
                self.session.interrupt(&one);
            }
            48..56 => self.wait(),
            56..60 => self.wait_for_tokens(),
            60..68 if one.index != 0 || self.rng.u32(0..4) == 0 => self.close(&one).await,
            68..78 => self.resume(&one),
            78..81 => self.stop_waiting(),
            81..88 => yield_now().await,
            _ => sleep(Duration::from_millis(self.rng.u64(0..3_000))).await,
        }
    }

    fn one(&mut self) -> Arc<Member> {
        let members = self.session.members();
        members[self.rng.usize(0..members.len())].clone()
    }

    fn working(&self) -> usize {
        let members = self.session.members();
        members.iter().filter(|one| one.index != 0 && one.state().busy).count()
    }

    fn spawn(&mut self, parent: &Arc<Member>) {
        let text = self.model.text();
        let message = (self.rng.u32(0..5) > 0).then(|| text.clone());
        let wish = Spawn {
            agent_type: Some(KIND.to_owned()),
            juice: (self.rng.u32(0..4) == 0).then(|| self.rng.u64(1..300)),
            finish: Finish::LastMessage,
            message: message.clone(),
            ..Spawn::default()
        };
        let full = message.is_some() && self.working() >= self.most;
        self.watch.log(format!("# spawn below {} {message:?}", parent.index));
        let spawned = self.session.spawn(parent, wish);
        let fine = match &spawned {
            Ok(child) => {
                self.watch.sent(child.id(), message.as_deref().unwrap_or_default());
                !full && parent.depth < DEEPEST && !parent.is_closed()
            }
            Err(SessionError::Limit(_)) => full,
            Err(SessionError::Depth) => parent.depth >= DEEPEST,
            Err(SessionError::Closed(_) | SessionError::ParentClosed(_)) => parent.is_closed(),
            Err(_) => false,
        };
        self.watch.expect(fine, || format!("{spawned:?} with {} of {}", self.working(), self.most));
    }

    fn send(&mut self, to: &Arc<Member>) {
        let delivery = [Delivery::NextTurn, Delivery::AfterWork, Delivery::Interrupt];
        let delivery = delivery[self.rng.usize(0..3)];
        self.send_as(to, delivery);
    }

    fn send_as(&mut self, to: &Arc<Member>, delivery: Delivery) {
        let text = self.model.text();
        let state = to.state();
        let full = to.index != 0 && !state.busy && self.working() >= self.most;
        let spent = spent(to);
        self.watch.log(format!("# send {text} to {} {delivery:?}", to.index));
        let sent = self.session.send(to, text.clone(), delivery);
        let fine = match &sent {
            Ok(()) => {
                self.watch.sent(to.id(), &text);
                !full && !spent && !to.is_closed()
            }
            Err(SessionError::Limit(_)) => full,
            Err(SessionError::Exhausted(..)) => spent,
            Err(SessionError::Closed(_)) => to.is_closed(),
            Err(_) => false,
        };
        self.watch.expect(fine, || format!("{sent:?} with {} of {}", self.working(), self.most));
    }

    fn wait(&mut self) {
        let targets: Vec<_> = (0..self.rng.usize(1..4)).map(|_| self.one()).collect();
        let mut named: Vec<(String, Option<Arc<Member>>)> =
            targets.iter().map(|one| (one.id().to_owned(), Some(Arc::clone(one)))).collect();
        if self.rng.u32(0..6) == 0 {
            named.push(("nobody".to_owned(), None));
        }
        let time = Duration::from_secs(self.rng.u64(1..3_000));
        let runs: Vec<u64> = targets.iter().map(|one| one.state().life.runs).collect();
        let (session, watch, those) =
            (Arc::clone(&self.session), Arc::clone(&self.watch), targets.clone());
        let task = tokio::spawn(async move {
            let waited = session.wait(named, time).await;
            let fine = waited.timed_out == waited.ended.is_empty()
                && waited.timed_out == waited.first.is_none()
                && waited.ended.values().all(|state| state.status.is_final());
            watch.expect(fine, || format!("{waited:?}"));
            for (one, runs) in those.iter().zip(runs) {
                let named = waited.ended.contains_key(one.id());
                let ended = one.status().is_final() || one.state().life.runs > runs;
                watch.expect(!named || ended, || format!("{} has not ended", one.index));
            }
        });
        self.waiting.push((task, targets, false));
    }

    fn wait_for_tokens(&mut self) {
        let targets: Vec<_> = (0..self.rng.usize(1..4)).map(|_| self.one()).collect();
        let budget = self.rng.u64(0..400);
        let (session, watch, those) =
            (Arc::clone(&self.session), Arc::clone(&self.watch), targets.clone());
        let task = tokio::spawn(async move {
            let waited = session.wait_for_tokens(&those, budget).await;
            let used: u64 = waited.used.iter().map(|(_, used)| used).sum();
            let rest = those.iter().all(|one| !one.state().busy);
            watch.expect(rest || used >= budget, || format!("waited for {budget}: {waited:?}"));
        });
        self.waiting.push((task, targets, true));
    }

    /// Someone waits no longer.
    fn stop_waiting(&mut self) {
        if !self.waiting.is_empty() {
            let at = self.rng.usize(0..self.waiting.len());
            self.waiting.swap_remove(at).0.abort();
        }
    }

    /// Closes an agent, and waits for that, or goes on meanwhile, or gives up on the way.
    async fn close(&mut self, one: &Arc<Member>) {
        self.watch.log(format!("# close {}", one.index));
        let (session, watch, one) =
            (Arc::clone(&self.session), Arc::clone(&self.watch), Arc::clone(one));
        let closing = async move {
            session.close(&one, None).await;
            watch.closed(&[one.id().to_owned()], None);
        };
        match self.rng.u32(0..4) {
            0 => {
                let task = tokio::spawn(closing);
                yield_now().await;
                task.abort();
            }
            1 => drop(tokio::spawn(closing)),
            _ => closing.await,
        }
    }

    fn resume(&mut self, one: &Arc<Member>) {
        self.watch.log(format!("# resume {}", one.index));
        let was_closed = one.is_closed();
        let parent = one.parent.and_then(|parent| self.session.at(parent).ok());
        let shut = parent.is_some_and(|parent| parent.is_closed());
        let resumed = self.session.resume(one);
        let fine = match &resumed {
            Ok(opened) => {
                let ids: Vec<String> = opened.iter().map(|one| one.id().to_owned()).collect();
                self.watch.opened(ids.iter());
                opened.is_empty() != was_closed && !one.is_closed()
            }
            Err(SessionError::ParentClosed(_)) => was_closed && shut,
            Err(_) => false,
        };
        self.watch.expect(fine, || format!("{resumed:?}"));
        self.watch.observe();
    }

    /// Lets everything come to its end.
    async fn settle(&mut self) {
        self.model.calm.store(true, Ordering::Relaxed);
        for _ in 0..20 {
            sleep(Duration::from_secs(100)).await;
            if !self.is_busy() {
                break;
            }
            // Some models never answer.
            self.session.interrupt(&self.session.main().unwrap());
        }
        self.watch.log("# settled".to_owned());
        self.check_rest().await;
        self.watch.expect(!self.is_busy(), || "somebody is still busy".to_owned());
        for (task, targets, for_tokens) in &self.waiting {
            let over = targets.iter().any(|one| one.status().is_final());
            let stuck = !task.is_finished() && (*for_tokens || over);
            self.watch.expect(!stuck, || format!("still waits for {targets:?}"));
        }
        self.waiting.drain(..).for_each(|(task, ..)| task.abort());
    }

    fn is_busy(&self) -> bool {
        self.session.members().iter().any(|one| one.state().busy)
    }

    /// Where nobody works nothing happens.
    async fn check_rest(&mut self) {
        let before = self.watch.events();
        sleep(Duration::from_secs(3_600)).await;
        let more = self.watch.events() - before;
        self.watch.expect(more == 0, || format!("{more} events where nobody works"));
        self.watch.observe();
    }

    /// Opens everyone and tells everyone something: now they have been told everything.
    async fn deliver_everything(&mut self) {
        for one in self.session.members() {
            self.resume(&one);
        }
        for one in self.session.members() {
            if spent(&one) {
                continue;
            }
            self.send_as(&one, Delivery::NextTurn);
            for _ in 0..100 {
                sleep(Duration::from_millis(50)).await;
                if !self.is_busy() {
                    break;
                }
            }
            let status = one.status();
            let fine = status == AgentStatus::Completed || one.juice.is_some();
            self.watch.expect(fine, || format!("{} is {status} at the end", one.index));
        }
        self.watch.check_delivered();
    }

    /// When nobody works there is room for as many as may work, and for no more.
    async fn use_all_room(&mut self) {
        self.model.stuck.store(true, Ordering::Relaxed);
        let main = self.session.main().unwrap();
        let wish = || Spawn {
            agent_type: Some(KIND.to_owned()),
            message: Some("Work.".to_owned()),
            finish: Finish::LastMessage,
            ..Spawn::default()
        };
        for _ in 0..self.most {
            let spawned = self.session.spawn(&main, wish());
            self.watch.expect(spawned.is_ok(), || format!("room is lost: {spawned:?}"));
        }
        let spawned = self.session.spawn(&main, wish());
        let refused = matches!(spawned, Err(SessionError::Limit(_)));
        self.watch.expect(refused, || format!("more than all: {spawned:?}"));
        sleep(Duration::from_millis(10)).await;
        self.session.close(&main, None).await;
        self.watch.closed(&[main.id().to_owned()], None);
        self.check_rest().await;
        self.watch.expect(!self.is_busy(), || "somebody is still busy".to_owned());
    }
}

/// Whether an agent has used up its tokens.
pub fn spent(member: &Member) -> bool {
    member.juice.is_some_and(|most| member.state().life.tokens() >= most)
}
