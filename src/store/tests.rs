//! Threads, logs and mail.

use std::{sync::Arc, time::Duration};

use serde_json::json;

use super::*;
use crate::{
    conversation::Message,
    event::{AgentRef, Event, Progress, What},
};

pub(super) fn thread(id: &str) -> NewThread {
    NewThread {
        id: id.to_owned(),
        session: id.to_owned(),
        parent: None,
        depth: 0,
        agent_type: "tester".to_owned(),
        ordinal: 1,
        model: "m".to_owned(),
        sandbox: "read_only".to_owned(),
        cwd: "/".to_owned(),
        path: "agents/tester.md".to_owned(),
        origin: "project".to_owned(),
        definition: "text".to_owned(),
        hash: "h".to_owned(),
        call: json!({}),
        note: None,
        background: false,
    }
}

pub(super) fn said(id: &str, seq: u64, text: &str) -> Event {
    Event {
        seq,
        at: String::new(),
        agent: AgentRef { agent_id: id.to_owned(), agent_type: "tester".to_owned() },
        what: What::TextChunk { text: text.to_owned() },
    }
}

pub(super) fn store() -> (tempfile::TempDir, Store, Owner) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("threads.db")).unwrap();
    (folder, store, Owner::this_process())
}

#[test]
fn what_is_written_is_read_again_in_order() {
    let (_folder, store, me) = store();
    store.create(&thread("a1"), Some(&me)).unwrap();
    for seq in 0..5 {
        store.append(&me, &said("a1", seq * 7, &seq.to_string())).unwrap();
        store
            .say(&me, "a1", &serde_json::to_value(Message::user(seq.to_string())).unwrap())
            .unwrap();
    }
    let events = store.events("a1", 2, 2).unwrap();
    let numbers: Vec<_> = events.iter().map(|entry| (entry.seq, entry.event.seq)).collect();
    assert_eq!(numbers, [(2, 14), (3, 21)]);
    let messages: Vec<_> = (0..5).map(|at: u64| Message::user(at.to_string())).collect();
    assert_eq!(store.messages("a1").unwrap(), messages);
    assert_eq!(store.next_in_session("a1").unwrap(), 29);
}

#[test]
fn nobody_else_can_read_what_was_said() {
    use std::os::unix::fs::PermissionsExt as _;

    let (folder, store, me) = store();
    store.create(&thread("a"), Some(&me)).unwrap();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");
    }
}

#[test]
fn a_thread_is_found_by_the_beginning_of_its_name() {
    let (_folder, store, me) = store();
    for id in ["01a1-x", "01a1-y", "01b2-z"] {
        store.create(&thread(id), Some(&me)).unwrap();
    }
    assert_eq!(store.thread("01b2").unwrap().begun.id, "01b2-z");
    assert!(matches!(store.thread("01a1"), Err(StoreError::Ambiguous { .. })));
    let error = store.thread("01a1").unwrap_err().to_string();
    assert_eq!(error, "several threads begin with `01a1`: `01a1-x`, `01a1-y`");
    store.create(&thread("01b2-z-and-more"), Some(&me)).unwrap();
    assert_eq!(store.thread("01b2-z").unwrap().begun.id, "01b2-z", "a whole name is no prefix");
    assert!(matches!(store.thread("zz"), Err(StoreError::NoThread(_))));
    assert!(matches!(store.thread(""), Err(StoreError::NoThread(_))));
}

#[test]
fn mail_is_taken_once_and_in_order() {
    let (_folder, store, me) = store();
    store.create(&thread("a"), Some(&me)).unwrap();
    let mail = |kind, text: &str| Mail { kind, text: text.to_owned() };
    let sent = [mail(MailKind::Input, "one"), mail(MailKind::Close, "")];
    sent.iter().for_each(|mail| store.send("a", mail).unwrap());
    assert_eq!(store.take_mail("a").unwrap(), sent);
    assert_eq!(store.take_mail("a").unwrap(), []);
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let (folder, store, _) = store();
    store.connection().pragma_update(None, "user_version", 99).unwrap();
    drop(store);
    let path = folder.path().join("threads.db");
    let before = std::fs::read(&path).unwrap();
    let error = Store::open(&path).unwrap_err().to_string();
    assert!(error.contains("written by a newer agentctl: it has format 99"), "{error}");
    assert!(std::fs::read(&path).unwrap() == before, "the file was changed");
}

#[test]
fn a_file_that_is_none_is_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("threads.db");
    std::fs::write(&path, "this is not a database at all, and long enough to tell".repeat(50))
        .unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Damaged { .. })));
}

#[test]
fn only_what_is_old_and_done_is_forgotten() {
    let (_folder, store, me) = store();
    for id in ["old", "new", "busy"] {
        store.create(&thread(id), Some(&me)).unwrap();
    }
    store.append(&me, &said("old", 0, "x")).unwrap();
    for id in ["old", "new"] {
        store.shut_down(id).unwrap();
    }
    store.connection().execute("UPDATE threads SET updated = 1 WHERE id != 'new'", []).unwrap();
    assert_eq!(store.prune(Duration::from_secs(60)).unwrap(), 1);
    assert!(store.thread("old").is_err());
    assert!(store.events("old", 0, 9).unwrap().is_empty());
    assert_eq!(store.threads(&[]).unwrap().len(), 2);
}

#[test]
fn several_threads_of_a_process_write_at_once() {
    let (_folder, store, me) = store();
    let store = Arc::new(store);
    store.create(&thread("a"), Some(&me)).unwrap();
    let second = Store::open(store.path()).unwrap();
    std::thread::scope(|scope| {
        for store in [&*store, &second] {
            let me = &me;
            scope.spawn(move || {
                for seq in 0..200 {
                    store.append(me, &said("a", seq, "x")).unwrap();
                }
            });
        }
    });
    let numbers: Vec<u64> =
        store.events("a", 0, 1000).unwrap().iter().map(|entry| entry.seq).collect();
    assert_eq!(numbers, (0..400).collect::<Vec<_>>());
}

#[test]
fn reading_one_thread_does_not_depend_on_how_many_there_are() {
    let (_folder, store, _) = store();
    let by_prefix = thread::by_prefix();
    let queries = [
        by_prefix.as_str(),
        thread::OF_A_PARENT,
        log::EVENTS,
        log::MESSAGES,
        look::FIRST_EVENT,
        look::FIRST_MESSAGE,
        mail::WAITING,
    ];
    let connection = store.connection();
    for query in queries {
        let query = query.replace("{COLUMNS}", "*");
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {query}")).unwrap();
        let unbound = vec![rusqlite::types::Null; plan.parameter_count()];
        let steps = plan.query_map(rusqlite::params_from_iter(unbound), |row| row.get(3)).unwrap();
        let steps: Vec<String> = steps.collect::<Result<_, _>>().unwrap();
        assert!(!steps.is_empty());
        for step in &steps {
            let by_index = step.starts_with("SEARCH") && step.contains(" USING ");
            assert!(
                by_index || step.starts_with("USE TEMP B-TREE FOR ORDER BY"),
                "{query}: {step}"
            );
        }
    }
}

#[test]
fn descendants_come_after_those_who_started_them() {
    let (_folder, store, me) = store();
    for (id, parent) in [("r", None), ("a", Some("r")), ("b", Some("r")), ("aa", Some("a"))] {
        let parent = parent.map(str::to_owned);
        let new = NewThread { session: "r".to_owned(), parent, ..thread(id) };
        store.create(&new, Some(&me)).unwrap();
    }
    let ids = |id: &str| -> Vec<String> {
        store.descendants(id).unwrap().into_iter().map(|thread| thread.begun.id).collect()
    };
    assert_eq!(ids("r"), ["a", "b", "aa"]);
    assert!(ids("b").is_empty());
}

#[test]
fn notes_are_one_line_and_not_too_long() {
    assert_eq!(note("  two\n words\t").as_deref(), Some("two words"));
    assert_eq!(note(" \n "), None);
    assert_eq!(note(&"é".repeat(300)).unwrap().chars().count(), 200);
}

#[test]
fn a_new_file_can_give_room_back_and_opening_it_again_writes_nothing() {
    let (_folder, store, _) = store();
    let mode = |store: &Store| -> i64 {
        store.connection().pragma_query_value(None, "auto_vacuum", |row| row.get(0)).unwrap()
    };
    assert_eq!(mode(&store), 2, "incremental");
    let version = |store: &Store| -> i64 {
        store.connection().pragma_query_value(None, "data_version", |row| row.get(0)).unwrap()
    };
    let before = version(&store);
    let again = Store::open(store.path()).unwrap();
    assert_eq!(mode(&again), 2);
    assert_eq!(version(&store), before);
}

#[test]
fn mail_stays_until_it_is_part_of_the_conversation() {
    let (_folder, store, me) = store();
    store.create(&thread("a"), Some(&me)).unwrap();
    for text in ["one", "two", "three"] {
        store.send("a", &Mail { kind: MailKind::Input, text: text.to_owned() }).unwrap();
    }
    let texts = |after| -> Vec<String> {
        store.unread("a", after).unwrap().into_iter().map(|(_, mail)| mail.text).collect()
    };
    assert_eq!(texts(0), ["one", "two", "three"]);
    let first = store.unread("a", 0).unwrap()[0].0;
    assert_eq!(texts(first), ["two", "three"]);
    let said = serde_json::to_value(Message::user("one")).unwrap();
    store.go_on(&me, "a", std::slice::from_ref(&said), first).unwrap();
    assert_eq!(store.messages("a").unwrap(), [Message::user("one")]);
    assert_eq!(texts(0), ["two", "three"]);
    // Who is not the owner neither says nor takes anything.
    let other = "1:1:another".parse().unwrap();
    assert!(matches!(store.go_on(&other, "a", &[said], i64::MAX), Err(StoreError::Owned)));
    assert_eq!(store.messages("a").unwrap().len(), 1);
    store.mail_is_read("a", i64::MAX).unwrap();
    assert!(texts(0).is_empty());
}

/// The steps of a query plan.
fn steps(store: &Store, sql: &str) -> Vec<String> {
    let connection = store.connection();
    let mut query = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let nothing = vec![rusqlite::types::Null; query.parameter_count()];
    let rows = query.query_map(rusqlite::params_from_iter(nothing), |row| row.get("detail"));
    rows.unwrap().map(Result::unwrap).collect()
}

#[test]
fn what_a_turn_does_is_found_by_an_index() {
    let (_folder, store, _) = store();
    let turn = [log::APPEND, log::CHANGE, log::SAY, log::EVENTS, log::MESSAGES, log::OWNED];
    let turn = turn.into_iter().chain([log::BACKWARDS]);
    let mail = [mail::WAITING, mail::UNREAD, mail::AFTER, mail::TAKE, mail::TAKE_UP_TO];
    for sql in turn.chain(mail).chain([thread::BEAT]) {
        let steps = steps(&store, sql);
        assert!(!steps.is_empty(), "{sql}");
        // Nothing is looked through, and nothing has to be put in order.
        assert!(steps.iter().all(|step| step.starts_with("SEARCH ")), "{sql}: {steps:?}");
    }
    let whole = steps(&store, "SELECT * FROM events WHERE event = ?1");
    assert!(whole.iter().any(|step| step.starts_with("SCAN ")), "{whole:?}");
}

#[test]
fn a_turn_costs_the_same_however_many_there_were() {
    let (_folder, store, me) = store();
    store.create(&thread("a"), Some(&me)).unwrap();
    store.create(&thread("b"), Some(&me)).unwrap();
    let work = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
        let connection = store.connection();
        let mut query = connection.prepare(sql).unwrap();
        query.execute(values).unwrap();
        query.get_status(rusqlite::StatementStatus::VmStep)
    };
    let cost = || {
        let append = work(log::APPEND, &[&"a", &0, &"", &"{}"]);
        (append, work(log::SAY, &[&"a", &"{}"]), work(mail::TAKE, &[&"a", &1]))
    };
    cost();
    let before = cost();
    for seq in 0..500 {
        for id in ["a", "b"] {
            store.append(&me, &said(id, seq, "x")).unwrap();
            store.say(&me, id, &json!({})).unwrap();
            store.send(id, &Mail { kind: MailKind::Input, text: String::new() }).unwrap();
            store.take_mail(id).unwrap();
        }
    }
    assert_eq!(cost(), before);
}

#[test]
fn the_last_turn_is_the_end_of_the_log() {
    let (_folder, store, me) = store();
    store.create(&thread("a"), Some(&me)).unwrap();
    let mut seq = 0;
    let mut happens = |what: What| {
        store.append(&me, &Event { what, ..said("a", seq, "") }).unwrap();
        seq += 1;
    };
    for length in [3, 0, 1, log::BATCH - 1, log::BATCH, 3 * log::BATCH + 5] {
        for at in 0..length {
            happens(What::TextChunk { text: at.to_string() });
        }
        let all = store.events("a", 0, 1000).unwrap().into_iter().map(|entry| entry.event.what);
        let all: Vec<What> = all.collect();
        let begins = |what: &What| matches!(what, What::TurnStart { .. });
        let from = all.iter().rposition(begins).unwrap_or(0);
        assert_eq!(store.last_turn("a").unwrap(), all[from..]);
        happens(What::TurnStart { progress: Progress::default() });
        assert_eq!(store.last_turn("a").unwrap().len(), 1);
    }
    assert!(store.last_turn("nobody").unwrap().is_empty());
}

#[test]
fn a_file_of_the_first_format_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("threads.db");
    let old = Connection::open(&path).unwrap();
    settle(&old, 0).unwrap();
    old.execute_batch(format::FIRST).unwrap();
    old.execute_batch(
        "INSERT INTO threads VALUES
             ('a', 'a', NULL, 0, 0, 'tester', 1, 'm', 'read_only', '/', 'agents/tester.md',
              'project', 'text', 'h', '{}', NULL, 0, 'completed', NULL, NULL, 5, 6, 7),
             ('b', 'a', 'a', 1, 1, 'tester', 1, 'm', 'read_only', '/', 'agents/tester.md',
              'project', 'text', 'h', '{}', 'a note', 1, 'shutdown', NULL, NULL, 5, 6, 7);
         INSERT INTO messages VALUES ('a', 0, '{\"role\":\"user\",\"text\":\"hello\"}');
         INSERT INTO mail (thread, kind, text, sent) VALUES ('b', 'input', 'more', 1);
         PRAGMA user_version = 1;",
    )
    .unwrap();
    let event = said("a", 0, "x");
    old.execute(log::APPEND, rusqlite::params!["a", 0, "", serde_json::to_string(&event).unwrap()])
        .unwrap();
    drop(old);
    let store = Store::open(&path).unwrap();
    let [a, b] = <[Thread; 2]>::try_from(store.threads(&[]).unwrap()).unwrap();
    assert_eq!(a.begun, thread("a"));
    assert_eq!((a.status, a.closed, a.updated), (ThreadStatus::Completed, None, 7));
    assert_eq!((b.begun.note.as_deref(), b.place, b.created), (Some("a note"), 1, 6));
    assert_eq!((b.status, b.closed), (ThreadStatus::Shutdown, Some(Closed::Explicit)));
    assert_eq!(store.events("a", 0, 9).unwrap(), [LogEntry { seq: 0, event }]);
    assert_eq!(store.messages("a").unwrap(), [Message::user("hello")]);
    assert_eq!(store.unread("b", 0).unwrap().len(), 1);
    assert_eq!(format::known_version(&store.connection(), &path).unwrap(), 2);
    store.create(&thread("c"), None).unwrap();
}

#[test]
fn a_process_asks_for_the_mail_of_all_its_threads_at_once() {
    let (_folder, store, me) = store();
    let other: Owner = "1:1:another".parse().unwrap();
    for (id, owner) in [("a", &me), ("b", &me), ("c", &other)] {
        store.create(&thread(id), Some(owner)).unwrap();
    }
    for (id, text) in [("b", "one"), ("c", "not mine"), ("a", "two"), ("b", "three")] {
        store.send(id, &Mail { kind: MailKind::Input, text: text.to_owned() }).unwrap();
    }
    let mail = store.mail_for(&me, 0).unwrap();
    let seen: Vec<_> = mail.iter().map(|(_, id, mail)| (id.as_str(), &*mail.text)).collect();
    assert_eq!(seen, [("b", "one"), ("a", "two"), ("b", "three")]);
    assert_eq!(store.mail_for(&me, mail[1].0).unwrap(), mail[2..]);
    store.mail_is_read("b", mail[0].0).unwrap();
    assert_eq!(store.mail_for(&me, 0).unwrap(), mail[1..]);
    let steps = steps(&store, mail::OF_AN_OWNER);
    let sorted = "USE TEMP B-TREE FOR ORDER BY";
    assert!(steps.iter().all(|s| s.starts_with("SEARCH ") || s == sorted), "{steps:?}");
}
