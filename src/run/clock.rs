//! The time an agent has. It stands still while someone is asked for an approval.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

/// A clock that can be stopped.
#[derive(Debug)]
pub struct Clock {
    limit: Duration,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    started: Instant,
    /// Time that did not count.
    stopped_for: Duration,
    /// How many wait for someone, and since when the first of them does.
    waiting: usize,
    waiting_since: Instant,
}

impl State {
    fn elapsed(&self) -> Duration {
        let now = if self.waiting > 0 { self.waiting_since } else { Instant::now() };
        now.duration_since(self.started).saturating_sub(self.stopped_for)
    }
}

impl Clock {
    /// A clock that starts now and runs for `limit`.
    pub fn start(limit: Duration) -> Self {
        let now = Instant::now();
        let state =
            State { started: now, stopped_for: Duration::ZERO, waiting: 0, waiting_since: now };
        Self { limit, state: Mutex::new(state), changed: Notify::new() }
    }

    /// How long it has run.
    pub fn elapsed(&self) -> Duration {
        self.state().elapsed()
    }

    /// How long it may run.
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// How long it will run yet.
    pub fn left(&self) -> Duration {
        self.limit.saturating_sub(self.elapsed())
    }

    /// Waits until the time is over.
    pub async fn expired(&self) {
        loop {
            let changed = self.changed.notified();
            let (left, stands) = {
                let state = self.state();
                (self.limit.saturating_sub(state.elapsed()), state.waiting > 0)
            };
            if left.is_zero() {
                return;
            }
            if stands {
                changed.await;
            } else {
                tokio::select! {
                    () = tokio::time::sleep(left) => {}
                    () = changed => {}
                }
            }
        }
    }

    /// Stops the clock until the returned guard is dropped.
    pub fn stop(&self) -> Stopped<'_> {
        let mut state = self.state();
        if state.waiting == 0 {
            state.waiting_since = Instant::now();
        }
        state.waiting += 1;
        drop(state);
        self.changed.notify_waiters();
        Stopped { clock: self }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// While it lives, a clock stands still.
#[derive(Debug)]
pub struct Stopped<'a> {
    clock: &'a Clock,
}

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        let mut state = self.clock.state();
        state.waiting -= 1;
        if state.waiting == 0 {
            let stood = state.waiting_since.elapsed();
            state.stopped_for += stood;
        }
        drop(state);
        self.clock.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn stands_still_while_anyone_waits() {
        let clock = Clock::start(Duration::from_secs(10));
        tokio::time::sleep(Duration::from_secs(4)).await;
        let first = clock.stop();
        tokio::time::sleep(Duration::from_secs(100)).await;
        let second = clock.stop();
        drop(first);
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert_eq!(clock.elapsed(), Duration::from_secs(4));
        drop(second);
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(clock.left(), Duration::from_secs(5));
    }

    #[tokio::test(start_paused = true)]
    async fn expires_later_by_the_time_it_stood() {
        let clock = Clock::start(Duration::from_secs(10));
        let before = Instant::now();
        tokio::join!(clock.expired(), async {
            tokio::time::sleep(Duration::from_secs(9)).await;
            let stopped = clock.stop();
            tokio::time::sleep(Duration::from_secs(50)).await;
            drop(stopped);
        });
        assert_eq!(before.elapsed(), Duration::from_secs(60));
    }
}
