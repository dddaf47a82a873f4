//! Damaged stores: what is said of them, and what `threads recover` saves.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use agentctl::store::{Mail, MailKind, Store};
use rusqlite::{Connection, types::Value};

use crate::{
    stage::{DONE, Stage},
    support::{Sandbox, agent, assert_snapshot},
    thread_store::{CHILD, OTHER, ROOT, Threads, database},
};

const PAGE: usize = 4096;
/// The place of the definition among the columns of a thread.
const DEFINITION: usize = 12;

/// A row of a table by its key.
type Rows = BTreeMap<(String, i64), Vec<Value>>;

/// What a store holds: threads, events, messages and mail.
type Contents = [Rows; 4];

/// A store as several runs of a scripted model leave it, and what is in it.
static STORE: LazyLock<(Vec<u8>, Contents)> = LazyLock::new(|| {
    let call = "{name: list_dir, arguments: {path: .}}";
    let turn = |at: usize| {
        // Some of what is said does not fit on a page.
        let words = format!("turn {at} ").repeat(if at.is_multiple_of(5) { 1200 } else { 20 });
        format!("{{text: '{words}', tool_calls: [{call}]}}")
    };
    let mut turns: Vec<String> = (0..12).map(turn).collect();
    turns.push(DONE.to_owned());
    let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
    let stage = Stage::new("tools: [list_dir]", &turns);
    for _ in 0..5 {
        stage.play().ended("goal", 0);
    }
    let path = database(&stage.sandbox);
    let store = Store::open(&path).unwrap();
    for thread in store.threads(&[]).unwrap() {
        let text = "more to do".to_owned();
        store.send(&thread.begun.id, &Mail { kind: MailKind::Input, text }).unwrap();
    }
    // What was forgotten must not come back.
    let first = store.threads(&[]).unwrap()[0].begun.id.clone();
    let sql = Connection::open(&path).unwrap();
    sql.pragma_update(None, "foreign_keys", true).unwrap();
    sql.execute("DELETE FROM threads WHERE id = ?1", [first]).unwrap();
    sql.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop((store, sql));
    let before = contents(&path);
    assert_eq!(before.each_ref().map(|rows| rows.is_empty()), [false; 4]);
    (fs::read(&path).unwrap(), before)
});

/// Everything in a store.
fn contents(path: &Path) -> Contents {
    let store = Connection::open(path).unwrap();
    let tables = [("threads", "0"), ("events", "seq"), ("messages", "number"), ("mail", "id")];
    tables.map(|(table, number)| {
        let thread = if table == "threads" { "id" } else { "thread" };
        let sql = format!("SELECT {thread}, {number}, * FROM {table}");
        let mut query = store.prepare(&sql).unwrap();
        let columns = query.column_count();
        let rows = query.query_map([], |row| {
            let values = (2..columns).map(|at| row.get(at)).collect::<Result<_, _>>()?;
            Ok(((row.get(0)?, row.get(1)?), values))
        });
        rows.unwrap().map(Result::unwrap).collect()
    })
}

/// A home with `bytes` for a store.
fn home(bytes: &[u8]) -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::with(&[(".claude/agents/a.md", &agent("a"))]);
    let path = database(&sandbox);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    (sandbox, path)
}

/// The files a recovery set aside.
fn aside(path: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(path.parent().unwrap()).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let is_aside = |file: &PathBuf| file.to_str().unwrap().contains(".damaged-");
    let mut files: Vec<PathBuf> = files.filter(is_aside).collect();
    files.sort();
    files
}

/// Whether what cannot be told from the truth may be in a store.
#[derive(Clone, Copy, PartialEq)]
enum Texts {
    Same,
    MayDiffer,
}

/// Damages the store, has it recovered, and makes sure of what is always so. What was saved.
fn recovered(case: &str, bytes: &[u8], texts: Texts) -> Contents {
    let (sandbox, path) = home(bytes);
    let seen = sandbox.run(&["ps", "--all", "--format", "json"]);
    let sound = seen.exit == Some(0);
    if !sound {
        assert_eq!((seen.exit, seen.stdout.as_str()), (Some(2), ""), "{case}: {seen}");
        let clear = seen.stderr.contains(" is damaged: ") && seen.stderr.contains("\nhelp: ");
        assert!(clear || texts == Texts::MayDiffer, "{case}: {seen}");
    }
    assert!(fs::read(&path).unwrap() == bytes, "{case}: looking changed the file");
    let said = seen.stderr;
    let seen = sandbox.run(&["threads", "recover"]);
    assert_eq!(seen.exit, Some(0), "{case}: {seen}");
    let changed = seen.stdout != "the store is not damaged\n";
    assert!(changed || sound, "{case}: {said}{seen}");
    match aside(&path).as_slice() {
        [] => assert!(!changed, "{case}: {seen}"),
        [file] => {
            assert!(fs::read(file).unwrap() == bytes, "{case}: the damaged file was changed");
            assert!(seen.stdout.contains(file.file_name().unwrap().to_str().unwrap()), "{seen}");
        }
        more => panic!("{case}: {more:?}"),
    }
    let names = fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(names, 1 + usize::from(changed), "{case}: something was left behind");
    assert_eq!(sandbox.run(&["ps", "--all"]).exit, Some(0), "{case}");
    let again = sandbox.run(&["threads", "recover"]);
    assert_eq!(again.stdout, "the store is not damaged\n", "{case}: {again}");
    let saved = contents(&path);
    is_in_order(case, &path, &saved);
    if texts == Texts::Same {
        was_there(case, &saved);
        let counted = format!("{} threads with {} events can", saved[0].len(), saved[1].len());
        let as_told = sound || saved[0].len() < 2 || said.contains(&counted);
        assert!(as_told, "{case}: {said}{counted}");
    }
    saved
}

/// A store that was saved is whole, and its logs have no gaps.
fn is_in_order(case: &str, path: &Path, saved: &Contents) {
    let store = Connection::open(path).unwrap();
    let check: String = store.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok", "{case}");
    for rows in &saved[1..3] {
        let mut next: BTreeMap<&str, i64> = BTreeMap::new();
        for (thread, number) in rows.keys() {
            let next = next.entry(thread).or_default();
            assert_eq!(next, number, "{case}: {thread}");
            *next += 1;
        }
    }
    for rows in saved {
        let strangers = rows.keys().any(|(id, _)| !saved[0].contains_key(&(id.clone(), 0)));
        assert!(!strangers, "{case}");
    }
}

/// Nothing was saved that was not there before.
fn was_there(case: &str, saved: &Contents) {
    for (saved, before) in saved.iter().zip(&STORE.1) {
        for (key, row) in saved {
            let known = before.get(key);
            let same = known == Some(row) || (known.is_some() && stands_in(row));
            assert!(same, "{case}: {key:?} was not there before");
        }
    }
}

/// Whether a row is a thread that stands in for one that is lost: it has no definition.
fn stands_in(row: &[Value]) -> bool {
    row.get(DEFINITION) == Some(&Value::Text(String::new()))
}

/// The numbers of the pages of which something is so.
fn pages(bytes: &[u8], so: impl Fn(&[u8]) -> bool) -> Vec<usize> {
    bytes.chunks(PAGE).enumerate().filter(|(_, page)| so(page)).map(|(at, _)| at).collect()
}

fn has(page: &[u8], text: &str) -> bool {
    page.windows(text.len()).any(|window| window == text.as_bytes())
}

/// The store with pages overwritten by `byte`.
fn overwritten(which: &[usize], mut byte: impl FnMut() -> u8) -> Vec<u8> {
    let mut bytes = STORE.0.clone();
    for page in which {
        bytes[page * PAGE..(page + 1) * PAGE].fill_with(&mut byte);
    }
    bytes
}

/// Every event, message and piece of mail of a thread.
fn belongings(contents: &Contents, thread: &str) -> Vec<Vec<Value>> {
    let rows = contents.iter().flatten();
    rows.filter(|((id, _), _)| id == thread).map(|(_, row)| row.clone()).collect()
}

#[test]
fn a_store_without_damage_is_left_alone() {
    let (sandbox, path) = home(&STORE.0);
    let seen = sandbox.run(&["threads", "recover"]);
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), "the store is not damaged\n"));
    let seen = sandbox.run(&["threads", "recover", "--format", "json"]);
    assert_eq!(seen.json(), serde_json::json!({ "damaged": false, "recovered": null }));
    assert!(fs::read(&path).unwrap() == STORE.0);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    let empty = Sandbox::empty();
    assert_eq!(empty.run(&["threads", "recover"]).exit, Some(0));
    assert!(!database(&empty).exists());
}

#[test]
fn a_log_can_be_read_without_its_thread() {
    let threads = pages(&STORE.0, |page| page[0] == 10 && has(page, "agentType: tester"));
    let saved = recovered("threads", &overwritten(&threads, || 0), Texts::Same);
    assert_eq!(saved[0].len(), STORE.1[0].len());
    assert!(saved[0].values().any(|row| stands_in(row)), "{:?}", threads);
    assert_eq!((saved[1].len(), saved[2].len()), (STORE.1[1].len(), STORE.1[2].len()));
}

#[test]
fn every_page_can_be_lost_alone() {
    let mut random = fastrand::Rng::with_seed(1);
    // The first pages are the tops of trees.
    for page in (0..14).chain((14..STORE.0.len() / PAGE).step_by(3)) {
        let saved = recovered(&format!("page {page}"), &overwritten(&[page], || 0), Texts::Same);
        if page < 2 {
            assert!(saved == STORE.1, "page {page} can be made again");
        }
        let noise = overwritten(&[page], || random.u8(..));
        recovered(&format!("noise on page {page}"), &noise, Texts::Same);
    }
}

#[test]
fn a_lost_page_of_events_costs_only_the_threads_on_it() {
    let leaves = pages(&STORE.0, |page| page[0] == 10 && has(page, "\"event_type\""));
    assert!(leaves.len() > 5, "{leaves:?}");
    let threads: BTreeSet<&str> = STORE.1[0].keys().map(|(id, _)| id.as_str()).collect();
    for leaf in leaves.iter().step_by(3) {
        let lost = &STORE.0[leaf * PAGE..(leaf + 1) * PAGE];
        let (hit, spared): (Vec<&str>, Vec<&str>) =
            threads.iter().partition(|thread| has(lost, thread));
        if hit.is_empty() {
            // It is free.
            continue;
        }
        let saved = recovered(&format!("leaf {leaf}"), &overwritten(&[*leaf], || 0), Texts::Same);
        assert!(saved[0] == STORE.1[0] && saved[2..] == STORE.1[2..], "{leaf}");
        assert!(spared.len() >= 2, "{leaf}");
        for thread in spared {
            assert!(belongings(&saved, thread) == belongings(&STORE.1, thread), "{leaf}");
        }
    }
}

#[test]
fn a_lost_page_high_in_a_tree_does_not_cost_what_is_below_it() {
    let (_sandbox, path) = home(&STORE.0);
    let store = Connection::open(&path).unwrap();
    let query = "SELECT rootpage - 1 FROM sqlite_schema WHERE name = 'events'";
    let root: usize = store.query_row(query, [], |row| row.get(0)).unwrap();
    assert_eq!(STORE.0[root * PAGE], 2, "it is no leaf");
    let saved = recovered("the root of events", &overwritten(&[root], || 0), Texts::Same);
    assert!(saved[0] == STORE.1[0] && saved[2..] == STORE.1[2..]);
    assert!(saved[1].len() >= STORE.1[0].len(), "every log begins: {}", saved[1].len());
}

#[test]
fn many_lost_pages_are_survived() {
    let mut random = fastrand::Rng::with_seed(2);
    let count = STORE.0.len() / PAGE;
    for round in 0..16 {
        let which: Vec<usize> = (0..1 + round).map(|_| random.usize(..count)).collect();
        let noise = round % 2 == 1;
        let bytes = overwritten(&which, || if noise { random.u8(..) } else { 0 });
        recovered(&format!("pages {which:?}, noise: {noise}"), &bytes, Texts::Same);
    }
}

#[test]
fn a_file_that_ends_early_is_survived() {
    let mut random = fastrand::Rng::with_seed(3);
    let length = STORE.0.len();
    let borders = (1..length / PAGE).step_by(4).map(|page| page * PAGE);
    let inside = (0..8).map(|_| random.usize(PAGE..length));
    for end in borders.chain(inside).chain([1, 99, 100, 512, 4095, length - 1]) {
        recovered(&format!("cut at {end}"), &STORE.0[..end], Texts::Same);
    }
}

#[test]
fn a_lost_header_costs_nothing() {
    for (from, to) in [(0, 16), (0, 100), (0, PAGE), (100, 112), (16, 24)] {
        let mut bytes = STORE.0.clone();
        bytes[from..to].fill(0);
        let saved = recovered(&format!("zeros from {from} to {to}"), &bytes, Texts::Same);
        assert!(saved == STORE.1, "{from} to {to}");
    }
}

#[test]
fn flipped_bits_are_survived() {
    let mut random = fastrand::Rng::with_seed(4);
    for round in 0..24 {
        let mut bytes = STORE.0.clone();
        for _ in 0..1 + round / 4 {
            // Half of the time where a page says what is on it: there a wrong bit can be told.
            let page = random.usize(2..bytes.len() / PAGE);
            let at = random.usize(..if round % 2 == 0 { 16 } else { PAGE });
            bytes[page * PAGE + at] ^= 1 << random.u8(..8);
        }
        recovered(&format!("flips {round}"), &bytes, Texts::MayDiffer);
    }
}

#[test]
fn a_header_that_makes_no_sense_costs_nothing() {
    // The formats of SQLite's and of the store, and what letters are written in.
    for (at, bit) in [(47, 6), (44, 0), (60, 3), (61, 7), (63, 1), (59, 1), (16, 0), (18, 5)] {
        let mut bytes = STORE.0.clone();
        bytes[at] ^= 1 << bit;
        let saved = recovered(&format!("bit {bit} of {at}"), &bytes, Texts::MayDiffer);
        assert!(saved == STORE.1, "bit {bit} of {at}");
    }
}

#[test]
fn what_is_only_in_the_log_is_saved() {
    let threads = Threads::new();
    threads.completed(ROOT, None);
    threads.sql("PRAGMA wal_checkpoint(TRUNCATE)");
    threads.completed(CHILD, Some(ROOT));
    threads.completed(OTHER, None);
    // As if the process had been killed here.
    let from = database(&threads.sandbox);
    let before = contents(&from);
    let mut bytes = fs::read(&from).unwrap();
    bytes[..100].fill(0);
    let (sandbox, path) = home(&bytes);
    let log = |path: &Path| path.with_extension("db-wal");
    fs::copy(log(&from), log(&path)).unwrap();
    let seen = sandbox.run(&["threads", "recover"]);
    assert!(seen.stdout.starts_with("saved 3 threads, 6 events and 3 messages\n"), "{seen}");
    assert!(contents(&path) == before);
    let [file, log_file] = &aside(&path)[..] else { panic!("{:?}", aside(&path)) };
    assert!(fs::read(file).unwrap() == bytes);
    assert!(fs::read(log_file).unwrap() == fs::read(log(&from)).unwrap());
}

#[test]
fn a_store_in_use_is_not_recovered() {
    let threads = Threads::new();
    threads.running(ROOT, None);
    let Threads { sandbox, store, .. } = threads;
    drop(store);
    let path = database(&sandbox);
    let mut bytes = fs::read(&path).unwrap();
    bytes[..100].fill(0);
    fs::write(&path, &bytes).unwrap();
    let seen = sandbox.run(&["threads", "recover"]);
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(2), ""), "{seen}");
    let running = format!("error: the thread `{ROOT}` is being run by another process\n");
    assert_eq!(seen.stderr, running);
    assert!(fs::read(&path).unwrap() == bytes && aside(&path).is_empty());
}

#[test]
fn a_newer_store_is_not_recovered() {
    let (sandbox, path) = home(&STORE.0);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(&path).unwrap();
    let seen = sandbox.run(&["threads", "recover"]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    assert!(seen.stderr.contains("was written by a newer agentctl"), "{seen}");
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn what_is_lost_is_told() {
    let threads = Threads::new();
    for id in [ROOT, OTHER] {
        threads.running(id, None);
        for at in 0..40 {
            threads.speaks(id, &format!("{at} ").repeat(200));
        }
        threads.store.shut_down(id).unwrap();
    }
    let Threads { sandbox, store, .. } = threads;
    drop(store);
    let path = database(&sandbox);
    let mut bytes = fs::read(&path).unwrap();
    let leaves = pages(&bytes, |page| page[0] == 10 && has(page, "\"20 20 20"));
    let [_, second] = leaves[..] else { panic!("{leaves:?}") };
    bytes[second * PAGE..(second + 1) * PAGE].fill(0);
    fs::write(&path, &bytes).unwrap();
    let plain = |text: &str| {
        let (start, end) = text.split_once(".damaged-").unwrap();
        format!("{start}.damaged-<time>{}", end.trim_start_matches(|c: char| c != 'Z' && c != '"'))
    };
    let seen = sandbox.run(&["logs", OTHER]);
    assert_snapshot!("recover-damaged", seen);
    let seen = sandbox.run(&["threads", "recover"]);
    assert_snapshot!("recover-text", plain(&seen.to_string()));
    fs::write(&path, &bytes).unwrap();
    let seen = sandbox.run(&["threads", "recover", "--format", "json"]);
    assert_snapshot!("recover-json", plain(&seen.to_string()));
    assert_eq!(aside(&path).len(), 2);
}

#[test]
fn where_nothing_can_be_read_one_starts_anew() {
    let (sandbox, path) = home("this is no database\n".repeat(500).as_bytes());
    for arguments in [&["validate"][..], &["list"]] {
        assert_eq!(sandbox.run(arguments).exit, Some(0), "{arguments:?}");
    }
    assert_snapshot!("recover-nothing", sandbox.run(&["ps"]));
    let seen = sandbox.run(&["threads", "recover"]);
    assert!(seen.stdout.starts_with("saved nothing\n"), "{seen}");
    assert_eq!(sandbox.run(&["ps"]).stderr, "no agents are running\n");
    assert_eq!(aside(&path).len(), 1);
}

#[test]
fn definitions_are_checked_beside_a_damaged_store() {
    let (sandbox, path) = home(&overwritten(&[0, 2, 7], || 0));
    let before = fs::read(&path).unwrap();
    for arguments in [&["validate"][..], &["list"], &["show", "a"]] {
        let seen = sandbox.run(arguments);
        assert_eq!((seen.exit, seen.stderr.contains("damaged")), (Some(0), false), "{seen}");
    }
    assert!(fs::read(&path).unwrap() == before);
}
