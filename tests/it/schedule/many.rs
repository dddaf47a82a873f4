//! A thousand agents in one session.

use std::{collections::BTreeSet, sync::Arc, sync::atomic::Ordering, time::Duration};

use agentctl::{
    event::AgentStatus,
    plan::Finish,
    session::{Session, Spawn},
};

use super::{Scene, stage::KIND};

const AGENTS: u32 = 1_000;

#[tokio::test(start_paused = true)]
async fn a_thousand_agents_work_in_one_session() {
    let scene = Scene::new(1, &format!("[collab]\nmax_agents = {AGENTS}\n"), true);
    scene.model.calm.store(true, Ordering::Relaxed);
    let session = &scene.session;
    let main = session.main().unwrap();
    let start = |number: u32| {
        let wish = Spawn {
            agent_type: Some(KIND.to_owned()),
            message: Some(format!("<<{number}>>")),
            finish: Finish::LastMessage,
            ..Spawn::default()
        };
        session.spawn(&main, wish).unwrap()
    };
    let all: Vec<_> = (1..=AGENTS).map(start).collect();
    let mut left: BTreeSet<String> = all.iter().map(|one| one.id().to_owned()).collect();
    while !left.is_empty() {
        let waited = session.wait(named(session, &left), Duration::from_secs(60)).await;
        assert!(!waited.timed_out, "{} have not ended", left.len());
        waited.ended.keys().for_each(|id| assert!(left.remove(id)));
    }
    for (one, number) in all.iter().zip(1..) {
        let told = one.state().told();
        assert_eq!(told.status, AgentStatus::Completed);
        assert_eq!(told.message, Some(format!("I see [{number}].")));
    }
    let everyone = named(session, &all.iter().map(|one| one.id().to_owned()).collect());
    let waited = session.wait(everyone, Duration::from_secs(60)).await;
    assert_eq!(waited.ended.len(), all.len());
    scene.watch.verdict().unwrap();
}

type Named = Vec<(String, Option<Arc<agentctl::session::Member>>)>;

fn named(session: &Session, ids: &BTreeSet<String>) -> Named {
    ids.iter().map(|id| (id.clone(), session.find(id).ok())).collect()
}
