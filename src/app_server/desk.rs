//! Questions that wait for an answer. Every client is asked, the first answer counts, and where
//! nobody can answer the agent is told so.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::sync::oneshot;

use super::{
    hosted::Feed,
    protocol::{ApprovalDecision, ApprovalRequest, ApprovalResolved, Notification},
    server::Server,
};
use crate::{
    event::Decision,
    run::{Approver, Question, Ruling},
};

/// How long questions stay open when the last client has gone: a page that is loaded again comes
/// back.
const RELOAD: Duration = Duration::from_secs(5);

/// Questions that wait for an answer.
#[derive(Debug, Default)]
pub(super) struct Desk {
    open: Mutex<BTreeMap<String, Open>>,
    next: AtomicU64,
}

#[derive(Debug)]
struct Open {
    request: ApprovalRequest,
    session: Arc<str>,
    answer: oneshot::Sender<Decision>,
    /// Clients that cannot answer.
    refused: BTreeSet<u64>,
}

impl Desk {
    fn put(&self, session: Arc<str>, request: ApprovalRequest) -> oneshot::Receiver<Decision> {
        let (answer, decision) = oneshot::channel();
        let open = Open { request, session, answer, refused: BTreeSet::new() };
        self.open().insert(open.request.approval_id.clone(), open);
        decision
    }

    /// What waits for an answer, in the order in which it was asked.
    pub fn waiting(&self) -> Vec<ApprovalRequest> {
        let mut waiting: Vec<ApprovalRequest> =
            self.open().values().map(|open| open.request.clone()).collect();
        waiting.sort_by_key(|request| number(&request.approval_id));
        waiting
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn number(id: &str) -> u64 {
    id.trim_start_matches('a').parse().unwrap_or_default()
}

impl Server {
    /// Answers a question. Whether this was the answer that counts.
    pub(super) fn rule(&self, id: &str, decision: ApprovalDecision) -> bool {
        let ruling = match decision {
            ApprovalDecision::Accept => Decision::Approved,
            ApprovalDecision::AcceptForSession => Decision::ApprovedForRun,
            ApprovalDecision::Decline => Decision::Denied,
        };
        self.settle_question(id, ruling, Some(decision))
    }

    /// A client cannot answer a question. When no client can, nobody is left to ask.
    pub(super) fn cannot_answer(&self, client: u64, id: &str) {
        let refused = match self.desk.open().get_mut(id) {
            Some(open) => {
                open.refused.insert(client);
                open.refused.clone()
            }
            None => return,
        };
        if self.attached().iter().all(|client| refused.contains(&client.number)) {
            self.settle_question(id, Decision::NobodyToAsk, None);
        }
    }

    /// A client has gone. When it was the last and none comes back, nobody is left to ask.
    pub(super) fn has_left(self: &Arc<Self>) {
        if !self.attached().is_empty() || self.desk.open().is_empty() {
            return;
        }
        let server = Arc::downgrade(self);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return self.give_up();
        };
        runtime.spawn(async move {
            tokio::time::sleep(RELOAD).await;
            if let Some(server) = server.upgrade().filter(|server| server.attached().is_empty()) {
                server.give_up();
            }
        });
    }

    /// Nobody is left to ask.
    fn give_up(&self) {
        for request in self.desk.waiting() {
            self.settle_question(&request.approval_id, Decision::NobodyToAsk, None);
        }
    }

    fn settle_question(
        &self,
        id: &str,
        ruling: Decision,
        decision: Option<ApprovalDecision>,
    ) -> bool {
        let Some(open) = self.desk.open().remove(id) else { return false };
        // An agent that no longer waits has been stopped.
        let applied = open.answer.send(ruling).is_ok();
        let (approval_id, thread_id) = (id.to_owned(), open.request.thread_id);
        let resolved = ApprovalResolved { approval_id, thread_id, decision };
        self.tell_all(&open.session, &Notification::ApprovalResolved(resolved));
        applied
    }
}

/// Asks the clients of a server.
pub(super) struct Clients {
    pub server: Weak<Server>,
    pub feed: Arc<Feed>,
}

/// Takes a question back that nobody waits for any more.
struct Waiting<'a> {
    server: &'a Server,
    id: String,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.server.settle_question(&self.id, Decision::TimedOut, None);
    }
}

impl Clients {
    async fn decision(&self, question: &Question) -> Decision {
        let Some(server) = self.server.upgrade() else { return Decision::NobodyToAsk };
        if server.attached().is_empty() {
            return Decision::NobodyToAsk;
        }
        let number = server.desk.next.fetch_add(1, Ordering::Relaxed) + 1;
        let request = ApprovalRequest {
            approval_id: format!("a{number}"),
            thread_id: question.agent.agent_id.clone(),
            turn_id: self.feed.turn(&question.agent.agent_id),
            item_id: question.call_id.clone(),
            agent_path: question.path.clone(),
            tool: question.tool.clone(),
            detail: question.detail.clone(),
        };
        let decision = server.desk.put(self.feed.session(), request.clone());
        let waiting = Waiting { server: &server, id: request.approval_id.clone() };
        for client in server.attached() {
            client.ask(&request);
        }
        // The last client may have gone meanwhile.
        server.has_left();
        let decision = decision.await.unwrap_or(Decision::NobodyToAsk);
        drop(waiting);
        decision
    }
}

impl Approver for Clients {
    fn ask<'a>(&'a self, question: &'a Question) -> Ruling<'a> {
        Box::pin(self.decision(question))
    }
}

#[cfg(test)]
mod tests;
