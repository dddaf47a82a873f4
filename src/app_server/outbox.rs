//! What waits to be read by one client. A client that does not read costs a bounded amount of
//! memory and holds nobody up: what happened in a session is dropped, and it is told from where to
//! read it again. Answers and questions are never dropped.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use super::{
    protocol::{FellBehind, Notification},
    rpc,
};

/// How many messages wait at most, before some are dropped.
const MAX_COUNT: usize = 8_192;

/// How many bytes of them.
const MAX_BYTES: usize = 8 << 20;

/// How many bytes of answers wait before no more requests are read.
const MAX_ANSWERS: usize = 64 << 20;

/// Something that happened in a session, for clients.
#[derive(Clone, Debug)]
pub(super) struct News {
    /// The root of the tree.
    pub session: Arc<str>,
    /// The number of the event it comes from.
    pub seq: u64,
    /// The message.
    pub text: Arc<str>,
}

#[derive(Debug)]
enum Item {
    Kept(String),
    News(News),
}

impl Item {
    fn len(&self) -> usize {
        match self {
            Self::Kept(text) => text.len(),
            Self::News(news) => news.text.len(),
        }
    }

    fn is_of(&self, session: &str) -> bool {
        matches!(self, Self::News(news) if *news.session == *session)
    }
}

/// What waits to be read.
#[derive(Debug, Default)]
struct Queue {
    items: VecDeque<Item>,
    bytes: usize,
    /// Sessions of which something was dropped, and the first event that is missing.
    behind: BTreeMap<Arc<str>, u64>,
    closed: bool,
}

/// What waits to be read by one client.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    queue: Mutex<Queue>,
    more: Notify,
    room: Notify,
}

impl Outbox {
    /// Adds something that must arrive.
    pub fn keep(&self, text: String) {
        let mut queue = self.queue();
        if queue.closed {
            return;
        }
        queue.bytes += text.len();
        queue.items.push_back(Item::Kept(text));
        drop(queue);
        self.more.notify_one();
    }

    /// Adds what happened in a session, unless the client is too far behind.
    pub fn tell(&self, news: &News) {
        let mut queue = self.queue();
        if queue.closed || queue.behind.contains_key(&news.session) {
            return;
        }
        queue.bytes += news.text.len();
        queue.items.push_back(Item::News(news.clone()));
        if queue.items.len() > MAX_COUNT || queue.bytes > MAX_BYTES {
            queue.fall_behind(&news.session);
        }
        drop(queue);
        self.more.notify_one();
    }

    /// The next message; none any more when it was closed and everything has been read.
    pub async fn next(&self) -> Option<String> {
        loop {
            {
                let mut queue = self.queue();
                if let Some(text) = queue.pop() {
                    self.room.notify_waiters();
                    return Some(text);
                }
                if queue.closed {
                    return None;
                }
            }
            self.more.notified().await;
        }
    }

    /// Waits until the client has read its answers.
    pub async fn has_room(&self) {
        loop {
            let waits = self.room.notified();
            {
                let queue = self.queue();
                if queue.closed || queue.bytes <= MAX_ANSWERS {
                    return;
                }
            }
            waits.await;
        }
    }

    /// Nothing is added any more.
    pub fn close(&self) {
        self.queue().closed = true;
        self.more.notify_one();
        self.room.notify_waiters();
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// Drops what waits of a session.
    fn fall_behind(&mut self, session: &Arc<str>) {
        let first = self.items.iter().find_map(|item| match item {
            Item::News(news) if news.session == *session => Some(news.seq),
            _ => None,
        });
        self.items.retain(|item| !item.is_of(session));
        self.bytes = self.items.iter().map(Item::len).sum();
        self.behind.insert(Arc::clone(session), first.unwrap_or_default());
    }

    /// What is read next. Whoever reads again is told what it missed as soon as there is room for
    /// what follows, but after answers it has waited for longer.
    fn pop(&mut self) -> Option<String> {
        let is_first = !matches!(self.items.front(), Some(Item::Kept(_)));
        if is_first
            && self.items.len() < MAX_COUNT / 2
            && self.bytes < MAX_BYTES / 2
            && let Some((session, from_seq)) = self.behind.pop_first()
        {
            let missed = FellBehind { session_id: session.to_string(), from_seq };
            return Some(rpc::notification(&Notification::FellBehind(missed)));
        }
        let item = self.items.pop_front()?;
        self.bytes -= item.len();
        Some(match item {
            Item::Kept(text) => text,
            Item::News(news) => news.text.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn news(session: &str, seq: u64) -> News {
        News { session: session.into(), seq, text: format!("{session} {seq}").into() }
    }

    #[tokio::test]
    async fn drops_what_happened_and_says_from_where_to_read_it_again() {
        let outbox = Outbox::default();
        outbox.tell(&news("calm", 7));
        outbox.keep("answer".to_owned());
        for seq in 100..100 + 3 * MAX_COUNT as u64 {
            outbox.tell(&news("busy", seq));
        }
        let behind: Value = serde_json::from_str(&outbox.next().await.unwrap()).unwrap();
        assert_eq!(behind["method"], "client/fellBehind");
        assert_eq!(behind["params"]["sessionId"], "busy");
        assert_eq!(behind["params"]["fromSeq"], 100);
        assert_eq!(outbox.next().await.unwrap(), "calm 7");
        assert_eq!(outbox.next().await.unwrap(), "answer");
        outbox.tell(&news("busy", 1_000_000));
        assert_eq!(outbox.next().await.unwrap(), "busy 1000000");
        outbox.close();
        assert_eq!(outbox.next().await, None);
    }

    #[tokio::test]
    async fn never_drops_an_answer() {
        let outbox = Outbox::default();
        for at in 0..3 * MAX_COUNT {
            outbox.keep(at.to_string());
        }
        for at in 0..3 * MAX_COUNT {
            assert_eq!(outbox.next().await.unwrap(), at.to_string());
        }
    }
}
