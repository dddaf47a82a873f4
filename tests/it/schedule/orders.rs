//! Orders of events that once went wrong.

use std::{fs, sync::Arc, sync::atomic::Ordering, time::Duration};

use agentctl::{
    event::AgentStatus,
    plan::Finish,
    session::{Delivery, Member, SessionError, Spawn},
};
use tokio::time::sleep;

use super::{Scene, stage::KIND};

const DEEP: &str = "[collab]\nmax_depth = 4\n";

fn calm(is_kept: bool) -> Scene {
    let scene = Scene::new(1, DEEP, is_kept).watched();
    scene.model.calm.store(true, Ordering::Relaxed);
    scene
}

fn wish(message: Option<&str>) -> Spawn {
    Spawn {
        agent_type: Some(KIND.to_owned()),
        message: message.map(str::to_owned),
        finish: Finish::LastMessage,
        ..Spawn::default()
    }
}

async fn said(one: &Arc<Member>) -> String {
    sleep(Duration::from_secs(1)).await;
    one.state().life.message().unwrap_or_default().to_owned()
}

#[tokio::test(start_paused = true)]
async fn what_is_stopped_before_it_began_does_not_begin() {
    let scene = calm(false);
    let main = scene.session.main().unwrap();
    let child = scene.session.spawn(&main, wish(Some("<<1>>"))).unwrap();
    scene.session.interrupt(&child);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(child.status(), AgentStatus::Interrupted);
}

#[tokio::test(start_paused = true)]
async fn what_is_told_after_it_was_stopped_works_on_it() {
    let scene = calm(false);
    let main = scene.session.main().unwrap();
    scene.model.stuck.store(true, Ordering::Relaxed);
    let child = scene.session.spawn(&main, wish(Some("<<1>>"))).unwrap();
    sleep(Duration::from_secs(1)).await;
    scene.model.stuck.store(false, Ordering::Relaxed);
    scene.session.interrupt(&child);
    scene.session.send(&child, "<<2>>".to_owned(), Delivery::NextTurn).unwrap();
    assert_eq!(said(&child).await, "I see [1][2].");
}

#[tokio::test(start_paused = true)]
async fn an_urgent_word_to_one_that_rests_costs_no_turn() {
    let scene = calm(false);
    let main = scene.session.main().unwrap();
    let child = scene.session.spawn(&main, wish(None)).unwrap();
    scene.session.send(&child, "<<1>>".to_owned(), Delivery::Interrupt).unwrap();
    assert_eq!(said(&child).await, "I see [1].");
    assert_eq!(child.outcome().unwrap().turns_used, 1);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_started_below_one_that_is_closed() {
    let scene = calm(false);
    let main = scene.session.main().unwrap();
    let child = scene.session.spawn(&main, wish(None)).unwrap();
    scene.session.close(&child, None).await;
    let refused = scene.session.spawn(&child, wish(Some("<<1>>")));
    assert!(matches!(refused, Err(SessionError::Closed(_))), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_below_one_that_was_opened_again_can_work_before_it() {
    let scene = calm(true);
    let main = scene.session.main().unwrap();
    let child = scene.session.spawn(&main, wish(Some("<<1>>"))).unwrap();
    let below = scene.session.spawn(&child, wish(Some("<<2>>"))).unwrap();
    sleep(Duration::from_secs(1)).await;
    scene.session.close(&child, None).await;
    scene.session.resume(&child).unwrap();
    scene.session.send(&below, "<<3>>".to_owned(), Delivery::NextTurn).unwrap();
    assert_eq!(said(&below).await, "I see [3].");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_begin_reads_what_it_was_told_when_it_can() {
    let scene = calm(false);
    let main = scene.session.main().unwrap();
    let cwd = scene.folder.path().join("below");
    fs::create_dir(&cwd).unwrap();
    let wish = Spawn { cwd: Some(cwd.clone()), ..wish(Some("<<1>>")) };
    let child = scene.session.spawn(&main, wish).unwrap();
    assert_eq!(said(&child).await, "I see [1].");
    fs::remove_dir(&cwd).unwrap();
    scene.session.send(&child, "<<2>>".to_owned(), Delivery::NextTurn).unwrap();
    said(&child).await;
    assert_eq!(child.status(), AgentStatus::Errored);
    fs::create_dir(&cwd).unwrap();
    scene.session.send(&child, "<<3>>".to_owned(), Delivery::NextTurn).unwrap();
    assert_eq!(said(&child).await, "I see [2][3].");
}

#[tokio::test(start_paused = true)]
async fn a_parent_is_told_although_somebody_else_waits() {
    let scene = calm(false);
    let main = scene.session.main().unwrap();
    let child = scene.session.spawn(&main, wish(Some("<<1>>"))).unwrap();
    sleep(Duration::from_secs(1)).await;
    let below = scene.session.spawn(&child, wish(Some("<<2>>"))).unwrap();
    let targets = vec![(below.id().to_owned(), Some(Arc::clone(&below)))];
    let waited = scene.session.wait_as(Some(&main), targets, Duration::from_secs(9)).await;
    assert_eq!(waited.first.as_deref(), Some(below.id()));
    sleep(Duration::from_secs(1)).await;
    assert_eq!(child.state().life.runs, 2);
}
