//! What is sent to an agent while it works.

use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use tokio::sync::Notify;

/// Texts that wait for the end of a turn or of the work, or end it.
#[derive(Debug, Default)]
pub struct Inbox {
    texts: Mutex<Texts>,
    urgent: Notify,
}

#[derive(Debug, Default)]
struct Texts {
    next: Vec<String>,
    later: Vec<String>,
}

impl Inbox {
    /// Puts `text` in; the agent reads it after its present turn.
    pub fn put(&self, text: String) {
        self.texts().next.push(text);
    }

    /// Puts `text` in; the agent reads it when it is done with what it is doing.
    pub fn put_for_later(&self, text: String) {
        self.texts().later.push(text);
    }

    /// Puts `text` in; the agent drops what it is doing and reads it.
    pub fn interrupt(&self, text: String) {
        self.put(text);
        self.urgent.notify_one();
    }

    /// Whether nothing waits for the end of a turn.
    pub fn is_empty(&self) -> bool {
        self.texts().next.is_empty()
    }

    /// Whether nothing waits at all.
    pub fn is_drained(&self) -> bool {
        let texts = self.texts();
        texts.next.is_empty() && texts.later.is_empty()
    }

    /// Puts back what was taken out and could not be read.
    pub fn put_back(&self, texts: Vec<String>) {
        self.texts().next.splice(0..0, texts);
    }

    /// Takes everything, for an agent that begins to work.
    pub fn drain(&self) -> Vec<String> {
        let next = self.take();
        next.into_iter().chain(std::mem::take(&mut self.texts().later)).collect()
    }

    /// Takes what does not wait for the end of the work.
    pub fn take(&self) -> Vec<String> {
        self.calm_down();
        std::mem::take(&mut self.texts().next)
    }

    pub(super) async fn interrupted(&self) {
        self.urgent.notified().await;
    }

    /// What was urgent is about to be read, and interrupts nothing any more.
    fn calm_down(&self) {
        self.urgent.notified().now_or_never();
    }

    fn texts(&self) -> MutexGuard<'_, Texts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
