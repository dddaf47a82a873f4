//! What the records of a damaged file say, as far as they can be what was written.

use std::{collections::HashMap, io, path::Path, time::Duration};

use rusqlite::{Connection, types::Value};
use serde::{Deserialize, de::IgnoredAny};

use super::{
    pages::Pages,
    tree::{self, Kind, Tree},
};
use crate::store::{MailKind, Owner, ThreadStatus, format, now};

/// What the columns hold: `t`ext or `i`ntegers; in capitals if they may hold nothing.
const THREAD: &str = "ttTiitittttttttTitTTiiiT";
const EVENT: &str = "tiitt";
const MESSAGE: &str = "tit";
const MAIL: &str = "NtttiI";
const NAME: &str = "it";

/// The columns of a thread that are told apart here.
const ID: usize = 0;
const PLACE: usize = 3;
const DEPTH: usize = 4;
const ORDINAL: usize = 6;
const CALL: usize = 14;
const STATUS: usize = 17;
const OUTCOME: usize = 18;
const OWNER: usize = 19;
const HEARTBEAT: usize = 20;

/// What is looked for, in this order.
const TREES: &[(&str, Kind)] = &[
    ("threads", Kind::Ordered),
    ("threads_by_age", Kind::Ordered),
    ("events", Kind::Ordered),
    ("messages", Kind::Ordered),
    ("mail", Kind::Numbered),
];

/// The tables, and their columns as a record has them.
pub(super) const TABLES: &[(&str, &str)] = &[
    ("threads", "*"),
    ("events", "*"),
    ("messages", "*"),
    ("mail", "NULL, thread, kind, text, sent, taken"),
];

/// Something that was found.
pub(super) enum Row {
    /// A thread: its columns.
    Thread(Vec<Value>),
    /// The name of a thread that was there.
    Name(String),
    /// Something that happened: its columns.
    Event(Vec<Value>),
    /// Something that was said: its columns.
    Message(Vec<Value>),
    /// Something that was sent: its columns.
    Mail(Vec<Value>),
}

impl Row {
    /// The thread it belongs to.
    pub fn thread(&self) -> &str {
        let (values, at) = match self {
            Self::Name(name) => return name,
            Self::Mail(values) => (values, 1),
            Self::Thread(values) | Self::Event(values) | Self::Message(values) => (values, ID),
        };
        values.get(at).and_then(text).unwrap_or_default()
    }

    /// Its number in its thread.
    pub fn number(&self) -> u64 {
        let (Self::Event(values) | Self::Message(values)) = self else { return 0 };
        let number = values.get(1).and_then(integer);
        number.and_then(|number| u64::try_from(number).ok()).unwrap_or_default()
    }

    /// Whether it is a thread that somebody alive works on, as far as it says.
    pub fn is_being_run(&self) -> bool {
        let Self::Thread(values) = self else { return false };
        let said = |at: usize| values.get(at).and_then(text);
        let active = said(STATUS).is_some_and(|status| ThreadStatus::parse(status).is_active());
        let owner: Option<Owner> = said(OWNER).and_then(|owner| owner.parse().ok());
        let seen = values.get(HEARTBEAT).and_then(integer).unwrap_or_default();
        let silent = u64::try_from(now().saturating_sub(seen)).unwrap_or_default();
        active && owner.is_some_and(|owner| owner.is_alive(Duration::from_millis(silent)))
    }
}

/// Shows everything in the file at `path` that can be read to `visit`. How many pages could not.
pub(super) fn scan<E: From<io::Error>>(
    path: &Path,
    mut visit: impl FnMut(Row) -> Result<(), E>,
) -> Result<u32, E> {
    let pages = Pages::open(path)?;
    let trees = trees(&pages);
    let members = tree::members(&pages, &trees);
    let mut numbers: Vec<(usize, u32)> =
        members.into_iter().map(|(number, tree)| (tree, number)).collect();
    numbers.sort_unstable();
    let mut unreadable = 0;
    for (tree, number) in numbers {
        let (Some((name, _)), Some(Tree { kind, .. })) = (TREES.get(tree), trees.get(tree)) else {
            continue;
        };
        let Some(records) = tree::records(&pages, number, *kind) else {
            unreadable += 1;
            continue;
        };
        for (id, values) in records {
            if let Some(row) = row(name, id, values) {
                visit(row)?;
            }
        }
    }
    Ok(unreadable)
}

/// Where the trees begin, by what the file says or else where a new file has them.
fn trees(pages: &Pages) -> Vec<Tree> {
    let stated = stated_roots(pages);
    let usual = usual_roots().unwrap_or_default();
    let root = |name: &str| stated.get(name).or_else(|| usual.get(name)).copied();
    TREES
        .iter()
        .map(|(name, kind)| Tree { root: root(name).unwrap_or_default(), kind: *kind })
        .collect()
}

fn stated_roots(pages: &Pages) -> HashMap<String, u32> {
    let schema = Tree { root: 1, kind: Kind::Numbered };
    let mut roots = HashMap::new();
    for number in tree::members(pages, &[schema]).into_keys() {
        for (_, values) in tree::records(pages, number, schema.kind).unwrap_or_default() {
            let name = values.get(1).and_then(text);
            let root = values.get(3).and_then(integer).and_then(|root| u32::try_from(root).ok());
            if let (Some(name), Some(root)) = (name, root) {
                roots.insert(name.to_owned(), root);
            }
        }
    }
    roots
}

fn usual_roots() -> rusqlite::Result<HashMap<String, u32>> {
    let new = Connection::open_in_memory()?;
    format::lay_out(&new)?;
    let mut query = new.prepare("SELECT name, rootpage FROM sqlite_schema")?;
    query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// A record as what the table called `table` holds, if it can be that.
pub(super) fn row(table: &str, id: Option<i64>, mut values: Vec<Value>) -> Option<Row> {
    match table {
        "threads" => {
            // A thread of an older format has fewer columns.
            if values.len() + 1 == THREAD.len() {
                values.push(Value::Null);
            }
            (fits(&values, THREAD) && is_thread(&values)).then_some(Row::Thread(values))
        }
        "threads_by_age" if fits(&values, NAME) => {
            Some(Row::Name(values.get(1).and_then(text)?.to_owned()))
        }
        "events" => (fits(&values, EVENT) && is_event(&values)?).then_some(Row::Event(values)),
        "messages" => {
            let fine = fits(&values, MESSAGE) && is_json(values.get(2)?);
            fine.then_some(Row::Message(values))
        }
        "mail" => {
            let fine = fits(&values, MAIL) && MailKind::parse(text(values.get(2)?)?).is_some();
            *values.first_mut()? = Value::Integer(id?);
            fine.then_some(Row::Mail(values))
        }
        _ => None,
    }
}

/// Whether each value is of the kind its column has.
fn fits(values: &[Value], columns: &str) -> bool {
    let fits = |(value, column): (&Value, char)| match value {
        Value::Null => column.is_ascii_uppercase(),
        Value::Integer(_) => column.eq_ignore_ascii_case(&'i'),
        // Nobody writes a zero; a page that was lost is full of them.
        Value::Text(text) => column.eq_ignore_ascii_case(&'t') && !text.contains('\0'),
        Value::Real(_) | Value::Blob(_) => false,
    };
    values.len() == columns.len() && values.iter().zip(columns.chars()).all(fits)
}

fn is_thread(values: &[Value]) -> bool {
    let small =
        |at: usize| values.get(at).and_then(integer).is_some_and(|n| u32::try_from(n).is_ok());
    let known = |name: &str| ThreadStatus::parse(name).name() == name;
    let status = values.get(STATUS).and_then(text).is_some_and(known);
    let outcome = values.get(OUTCOME).is_some_and(|it| *it == Value::Null || is_json(it));
    let call = values.get(CALL).is_some_and(is_json);
    [PLACE, DEPTH, ORDINAL].into_iter().all(small) && status && outcome && call
}

/// What an event says about itself, and its row too.
#[derive(Deserialize)]
struct Stated {
    seq: i64,
    at: String,
    agent_id: String,
}

fn is_event(values: &[Value]) -> Option<bool> {
    let [thread, number, stream, at, event] = values else { return None };
    let stated: Stated = serde_json::from_str(text(event)?).ok()?;
    let same = text(thread)? == stated.agent_id && text(at)? == stated.at;
    Some(same && integer(stream)? == stated.seq && integer(number)? >= 0)
}

fn is_json(value: &Value) -> bool {
    text(value).is_some_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(number) => Some(*number),
        _ => None,
    }
}
