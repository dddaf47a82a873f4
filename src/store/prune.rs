//! Forgetting what is old.

use std::time::Duration;

use rusqlite::params;

use super::{Durability, Store, StoreError, now};

/// How many threads are forgotten in one transaction, so that nobody waits long.
const BATCH: u32 = 50;

impl Store {
    /// Forgets every thread that has not changed for `age` and that nobody works on. How many.
    pub fn prune(&self, age: Duration) -> Result<usize, StoreError> {
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        let before = now().saturating_sub(age);
        // Whose process is gone is not active, but only looking at it shows that.
        self.threads(&[super::ThreadStatus::PendingInit, super::ThreadStatus::Running])?;
        let mut forgotten = 0;
        loop {
            let batch = self.write(Durability::Process, |store| {
                store.execute(
                    "DELETE FROM threads WHERE id IN (
                         SELECT id FROM threads WHERE updated < ?1
                             AND status NOT IN ('pending_init', 'running') LIMIT ?2)",
                    params![before, BATCH],
                )
            })?;
            forgotten += batch;
            if batch == 0 {
                break;
            }
        }
        if forgotten > 0 {
            self.read(|store| store.execute_batch("PRAGMA incremental_vacuum; PRAGMA optimize"))?;
        }
        Ok(forgotten)
    }
}
