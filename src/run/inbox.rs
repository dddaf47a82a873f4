//! What is sent to an agent while it works.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// Texts that wait for the end of a turn, or end it.
#[derive(Debug, Default)]
pub struct Inbox {
    texts: Mutex<Vec<String>>,
    urgent: Notify,
}

impl Inbox {
    /// Puts `text` in; the agent reads it after its present turn.
    pub fn put(&self, text: String) {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// Puts `text` in; the agent drops what it is doing and reads it.
    pub fn interrupt(&self, text: String) {
        self.put(text);
        self.urgent.notify_one();
    }

    /// Whether something waits.
    pub fn is_empty(&self) -> bool {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.texts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) async fn interrupted(&self) {
        self.urgent.notified().await;
    }
}
