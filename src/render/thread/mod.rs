//! Threads as text and JSON.

mod list;
mod log;
mod told;
mod transcript;

pub use list::{Arrangement, arranged, threads_text};
pub use log::Log;
pub use told::Told;
pub use transcript::transcript_text;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use crate::{event::rfc3339, store::Thread};

/// How many characters of a line are shown.
const MAX_LINE: usize = 400;

/// A thread, and what it is about.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The thread.
    pub thread: Thread,
    /// Its task in a few words.
    pub description: Option<String>,
}

/// A thread as an object.
pub fn thread_json(listed: &Listed) -> Value {
    let Listed { thread, description } = listed;
    let begun = &thread.begun;
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("agent_id", json!(begun.id));
    put("agent_type", json!(begun.agent_type));
    put("parent_id", json!(begun.parent));
    put("session_id", json!(begun.session));
    put("depth", json!(begun.depth));
    put("index", json!(thread.place));
    put("status", json!(thread.status));
    put("model", json!(begun.model));
    put("note", json!(begun.note));
    put("description", json!(description));
    put("cwd", json!(begun.cwd));
    put("background", json!(begun.background));
    put("created_at", json!(rfc3339(moment(thread.created))));
    put("updated_at", json!(rfc3339(moment(thread.updated))));
    if let Some(outcome) = &thread.outcome {
        put("result_status", json!(outcome.status));
        if let Some(error) = &outcome.error {
            put("error", json!(error));
        }
    }
    Value::Object(object)
}

/// A moment in milliseconds since 1970.
fn moment(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// How long ago `millis` was at `now`.
fn since(millis: i64, now: SystemTime) -> Duration {
    now.duration_since(moment(millis)).unwrap_or_default()
}

/// A time span in its largest unit.
fn rough(span: Duration) -> String {
    const UNITS: &[(u64, &str)] = &[(86_400, "d"), (3_600, "h"), (60, "m")];
    let seconds = span.as_secs();
    match UNITS.iter().find(|(unit, _)| seconds >= *unit) {
        Some((unit, name)) => format!("{}{name}", seconds / unit),
        None => format!("{seconds}s"),
    }
}

/// `line` without what is too long to be read.
fn cut(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
