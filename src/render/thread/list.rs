//! `agentctl ps`.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, SystemTime},
};

use super::{Listed, cut, rough, since};
use crate::{
    render::{Paint, table::table},
    store::ThreadStatus,
    text::one_line,
};

/// How much of a name is shown, if that is enough to tell threads apart.
const SHORT: usize = 13;

/// How threads stand below each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// The oldest first.
    Flat,
    /// Each below the one that started it.
    Tree,
}

/// `threads` in order, each with how far it stands to the right.
pub fn arranged(threads: Vec<Listed>, arrangement: Arrangement) -> Vec<(usize, Listed)> {
    if arrangement == Arrangement::Flat {
        return threads.into_iter().map(|thread| (0, thread)).collect();
    }
    let ids: HashSet<String> =
        threads.iter().map(|listed| listed.thread.begun.id.clone()).collect();
    let mut below: HashMap<Option<String>, Vec<Listed>> = HashMap::new();
    for listed in threads {
        // Whoever started it may not be shown.
        let parent = listed.thread.begun.parent.clone().filter(|parent| ids.contains(parent));
        below.entry(parent).or_default().push(listed);
    }
    let mut placed = Vec::new();
    let mut open: Vec<(usize, Listed)> =
        below.remove(&None).into_iter().flatten().rev().map(|root| (0, root)).collect();
    while let Some((depth, listed)) = open.pop() {
        let children = below.remove(&Some(listed.thread.begun.id.clone()));
        open.extend(children.into_iter().flatten().rev().map(|child| (depth + 1, child)));
        placed.push((depth, listed));
    }
    placed
}

/// Threads as a table.
pub fn threads_text(
    threads: &[(usize, Listed)],
    now: SystemTime,
    width: Option<usize>,
    paint: Paint,
) -> String {
    let length = short_length(threads.iter().map(|(_, listed)| listed.thread.begun.id.as_str()));
    let rows: Vec<Vec<String>> = threads
        .iter()
        .map(|(depth, listed)| {
            let mut row = row(listed, length, now);
            row[0].insert_str(0, &"  ".repeat(*depth));
            row
        })
        .collect();
    let head = ["ID", "AGENT", "STATUS", "TURNS", "TOKENS", "AGE", "ELAPSED", "TASK"];
    table(&head, &rows, width, paint)
}

fn row(Listed { thread, description }: &Listed, length: usize, now: SystemTime) -> Vec<String> {
    let begun = &thread.begun;
    let outcome = thread.outcome.as_ref().filter(|_| !thread.status.is_active());
    let elapsed = match outcome {
        Some(outcome) => Duration::from_millis(outcome.total_duration_ms),
        None if thread.status == ThreadStatus::Running => since(thread.updated, now),
        None => Duration::ZERO,
    };
    let count =
        |count: Option<u64>| count.filter(|count| *count > 0).map_or("-".into(), |n| n.to_string());
    let about = begun.note.as_ref().or(description.as_ref()).map_or("", String::as_str);
    vec![
        one_line(begun.id.get(..length).unwrap_or(&begun.id)),
        one_line(&begun.agent_type),
        thread.status.name().to_owned(),
        count(outcome.map(|outcome| u64::from(outcome.turns_used))),
        count(outcome.map(|outcome| outcome.total_tokens)),
        rough(since(thread.created, now)),
        if elapsed.is_zero() { "-".to_owned() } else { rough(elapsed) },
        cut(&one_line(about)),
    ]
}

/// How many bytes of each name are needed to tell them apart.
fn short_length<'a>(ids: impl Iterator<Item = &'a str>) -> usize {
    let mut ids: Vec<&str> = ids.collect();
    ids.sort_unstable();
    let shared = |pair: &[&str]| {
        let same = pair[0].bytes().zip(pair[1].bytes()).take_while(|(a, b)| a == b);
        same.count()
    };
    ids.windows(2).map(|pair| shared(pair) + 1).max().unwrap_or(0).max(SHORT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_long_as_it_takes_to_tell_them_apart() {
        let length = |ids: &[&str]| short_length(ids.iter().copied());
        assert_eq!(length(&["01890000-0001-7000"]), 13);
        assert_eq!(length(&["01890000-0001-7000", "01890000-0002-7000"]), 13);
        assert_eq!(length(&["01890000-0001-7000", "01890000-0001-7001"]), 18);
    }

    #[test]
    fn time_spans_are_told_in_their_largest_unit() {
        let told = [0, 59, 60, 3_599, 3_600, 86_399, 86_400 * 40];
        let told = told.map(|seconds| rough(Duration::from_secs(seconds)));
        assert_eq!(told, ["0s", "59s", "1m", "59m", "1h", "23h", "40d"]);
    }
}
