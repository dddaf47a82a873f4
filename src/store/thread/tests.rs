//! Who runs threads, hands them over, closes them and opens them again.

use serde_json::json;

use crate::{
    event::{Event, Progress},
    store::{
        tests::{said, store, thread},
        *,
    },
};

/// A process that is gone.
fn gone() -> Owner {
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    format!("{}:1:x", child.id()).parse().unwrap()
}

fn started(id: &str) -> Event {
    let what = serde_json::from_value(json!({
        "event_type": "STARTED",
        "data": {
            "description": "", "model": "m", "llm": true, "tools": [], "cwd": "/",
            "progress": Progress::default(),
        },
    }));
    Event { what: what.unwrap(), ..said(id, 0, "") }
}

#[test]
fn whoever_lost_a_thread_can_no_longer_write_to_it() {
    let (_folder, store, me) = store();
    let gone = gone();
    store.create(&thread("a"), Some(&gone)).unwrap();
    let found = store.thread("a").unwrap();
    assert_eq!((found.status, found.owner), (ThreadStatus::Errored, None));
    assert_eq!(found.outcome.unwrap().error.unwrap().message, "the process running it died");
    assert!(matches!(store.append(&gone, &said("a", 0, "x")), Err(StoreError::Owned)));
    store.take_over("a", &me).unwrap();
    assert!(matches!(store.take_over("a", &me), Err(StoreError::Owned)));
    store.append(&me, &said("a", 0, "x")).unwrap();
}

#[test]
fn a_launcher_hands_its_thread_to_one_worker() {
    let (_folder, store, launcher) = store();
    let worker: Owner = "1:1:another".parse().unwrap();
    store.create(&thread("a"), Some(&launcher)).unwrap();
    assert!(matches!(store.take_over("a", &worker), Err(StoreError::Owned)));
    assert!(matches!(store.hand_over("a", &worker, &worker), Err(StoreError::Owned)));
    let told: Owner = launcher.to_string().parse().unwrap();
    store.hand_over("a", &told, &worker).unwrap();
    assert!(matches!(store.hand_over("a", &told, &worker), Err(StoreError::Owned)));
    assert!(matches!(store.append(&launcher, &said("a", 0, "x")), Err(StoreError::Owned)));
    store.append(&worker, &said("a", 0, "x")).unwrap();
    store.create(&thread("b"), Some(&launcher)).unwrap();
    store.append(&launcher, &started("b")).unwrap();
    let late = store.hand_over("b", &launcher, &worker);
    assert!(matches!(late, Err(StoreError::Owned)), "it has begun");
}

#[test]
fn a_thread_whose_launcher_died_has_ended_and_can_go_on() {
    let (_folder, store, me) = store();
    let launcher = gone();
    store.create(&thread("a"), Some(&launcher)).unwrap();
    let found = store.thread("a").unwrap();
    assert_eq!((found.status, found.owner), (ThreadStatus::Errored, None));
    assert_eq!(found.outcome.unwrap().error.unwrap().message, "the process running it died");
    assert!(matches!(store.hand_over("a", &launcher, &me), Err(StoreError::Owned)));
    store.take_over("a", &me).unwrap();
    assert_eq!(store.thread("a").unwrap().owner, Some(me));
}

#[test]
fn of_two_who_go_on_with_a_thread_one_does() {
    let (_folder, first, me) = store();
    let second = Store::open(first.path()).unwrap();
    let barrier = std::sync::Barrier::new(2);
    for round in 0..100 {
        let id = format!("t{round:03}");
        // The compared owner is that of the last run, which may be one of the two.
        first.create(&thread(&id), [None, Some(&me)][round % 2]).unwrap();
        first.shut_down(&id).unwrap();
        let attempt = |store: &Store| {
            barrier.wait();
            store.take_over(&id, &me)
        };
        let ends = std::thread::scope(|scope| {
            let other = scope.spawn(|| attempt(&second));
            [attempt(&first), other.join().unwrap()]
        });
        assert_eq!(ends.iter().filter(|end| end.is_ok()).count(), 1, "{ends:?}");
        assert!(ends.iter().any(|end| matches!(end, Err(StoreError::Owned))), "{ends:?}");
    }
}

#[test]
fn only_a_thread_that_nobody_runs_is_closed_directly() {
    let (_folder, store, me) = store();
    store.create(&thread("mine"), Some(&me)).unwrap();
    store.create(&thread("nobodys"), None).unwrap();
    assert!(!store.close_idle("mine").unwrap());
    assert!(store.close_idle("nobodys").unwrap());
    assert_eq!(store.thread("mine").unwrap().status, ThreadStatus::PendingInit);
    assert_eq!(store.thread("nobodys").unwrap().status, ThreadStatus::Shutdown);
}

#[test]
fn what_was_closed_is_what_it_was_when_it_is_open_again() {
    let (_folder, store, me) = store();
    let look = |id: &str| {
        let thread = store.thread(id).unwrap();
        (thread.status, thread.closed, thread.owner.is_some())
    };
    for id in ["new", "died"] {
        store.create(&thread(id), Some(&if id == "new" { me.clone() } else { gone() })).unwrap();
        let before = store.thread(id).unwrap().status;
        store.close(id, Closed::WithParent).unwrap();
        assert_eq!(look(id).1, Some(Closed::WithParent));
        store.close(id, Closed::Explicit).unwrap();
        store.close_unless_run(id, Closed::WithParent).unwrap();
        assert_eq!((look(id).0, look(id).1), (ThreadStatus::Shutdown, Some(Closed::Explicit)));
        store.reopen(id).unwrap();
        assert_eq!(look(id), (before, None, false));
        store.reopen(id).unwrap();
        assert_eq!(look(id), (before, None, false));
    }
    store.shut_down("new").unwrap();
    store.take_over("new", &me).unwrap();
    assert_eq!(look("new"), (ThreadStatus::PendingInit, None, true));
    assert!(matches!(store.reopen("nobody"), Err(StoreError::NoThread(_))));
}
