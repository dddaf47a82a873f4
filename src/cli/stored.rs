//! What the commands about threads have in common: finding them, and waiting for them.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow};

use super::world::World;
use crate::{
    render::Listed,
    store::{Store, StoreError, Thread},
};

/// How often a thread is looked at while waiting for it.
const POLL: Duration = Duration::from_millis(50);

/// The store, if anything was ever run. Looking for it makes none.
pub(super) fn open(world: &World) -> Result<Option<Store>> {
    Ok(Store::open_existing(&world.state_file("threads.db")?)?)
}

/// The thread `id` or one whose name begins so; it is an error if there is none.
pub(super) fn find(world: &World, id: &str) -> Result<(Store, Thread)> {
    let store = open(world)?.ok_or_else(|| unknown(id))?;
    let thread = look_up(&store, id)?.ok_or_else(|| unknown(id))?;
    Ok((store, thread))
}

/// The thread `id` or one whose name begins so, if there is one.
pub(super) fn look_up(store: &Store, id: &str) -> Result<Option<Thread>> {
    match store.thread(id) {
        Ok(thread) => Ok(Some(thread)),
        Err(StoreError::NoThread(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What is said of a thread that is not there.
pub(super) fn unknown(id: &str) -> anyhow::Error {
    anyhow!("there is no agent `{id}`\nhelp: `agentctl ps --all` lists those that are remembered")
}

/// A thread and what it is about.
pub(super) fn listed(store: &Store, thread: Thread) -> Result<Listed> {
    let description = store.description(&thread)?;
    Ok(Listed { thread, description })
}

/// Asks `look` again and again until it has something, or until `deadline`.
pub(super) fn until<T>(
    deadline: Instant,
    mut look: impl FnMut() -> Result<Option<T>>,
) -> Result<Option<T>> {
    loop {
        if let Some(found) = look()? {
            return Ok(Some(found));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        sleep(left.min(POLL));
    }
}

/// The moment `span` from now, or one that nobody will see.
pub(super) fn after(span: Duration) -> Instant {
    const AGES: Duration = Duration::from_secs(100 * 365 * 86_400);
    let now = Instant::now();
    now.checked_add(span).unwrap_or_else(|| now + AGES)
}

/// Waits for a moment before looking again.
pub(super) fn pause() {
    sleep(POLL);
}
