//! Questions to whoever sits at the terminal, asked by the one who reads it.

use std::collections::VecDeque;

use tokio::sync::{
    mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    oneshot,
};

use super::editor::Line;
use crate::{
    event::Decision,
    run::{Approver, Question, Ruling},
};

/// A question that waits for an answer.
pub(super) struct Asked {
    pub question: Question,
    reply: oneshot::Sender<Decision>,
}

impl Asked {
    /// Whether nobody waits for the answer any more.
    pub fn is_over(&self) -> bool {
        self.reply.is_closed()
    }

    pub fn answer(self, decision: Decision) {
        // Whoever asked may have stopped waiting just now.
        self.reply.send(decision).ok();
    }
}

/// Hands questions to whoever owns the terminal.
pub(super) struct Asker(UnboundedSender<Asked>);

impl Asker {
    pub fn new() -> (Self, UnboundedReceiver<Asked>) {
        let (sender, asked) = unbounded_channel();
        (Self(sender), asked)
    }
}

impl Approver for Asker {
    fn ask<'a>(&'a self, question: &'a Question) -> Ruling<'a> {
        Box::pin(async move {
            let (reply, decision) = oneshot::channel();
            let question = question.clone();
            if self.0.send(Asked { question, reply }).is_err() {
                return Decision::Denied;
            }
            decision.await.unwrap_or(Decision::Denied)
        })
    }
}

/// The questions that wait. The first is on the screen.
#[derive(Default)]
pub(super) struct Questions {
    waiting: VecDeque<Asked>,
    /// Whether the first has been shown.
    pub shown: bool,
    /// What is being answered to it; what else is being typed stays as it is.
    pub answer: Line,
}

impl Questions {
    pub fn add(&mut self, asked: Asked) {
        self.waiting.push_back(asked);
    }

    pub fn first(&self) -> Option<&Asked> {
        self.waiting.front()
    }

    /// Takes the first away.
    pub fn next(&mut self) -> Option<Asked> {
        self.shown = false;
        self.answer.take();
        self.waiting.pop_front()
    }

    /// Forgets questions that nobody waits for any more. Whether the one on the screen is among them.
    pub fn forget(&mut self) -> bool {
        let gone = self.shown && self.first().is_some_and(Asked::is_over);
        if gone {
            self.next();
        }
        self.waiting.retain(|asked| !asked.is_over());
        gone
    }
}
