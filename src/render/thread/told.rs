//! Where the messages of users stand among what happened to a thread.
//!
//! A message of a user is no event, but its place among the model's answers is known, and each
//! answer belongs to a turn: what was said before an answer stands before the turn that gave it. A
//! turn gave an answer if it was completed and something was heard of it, or if it called a tool. Of
//! a turn that broke off before that, an answer was kept only if it says what was heard. The last
//! turns of an agent after a limit are not events; they are counted by their calls.
//!
//! What was said before and after a turn without an answer cannot be told apart. Whoever interrupts a
//! turn, gives a last chance, or begins again is taken to have said one thing, and everything else
//! stands before the turn; a run begins with at least one.

use std::{collections::VecDeque, mem};

use crate::{
    conversation::{FORK_BOUNDARY, Message, Part},
    event::What,
};

/// As many answers have to be known before the next place is decided: after a limit there are two,
/// and what follows them shows that nothing is missing in front of it.
const AHEAD: usize = 3;

/// A fold over what happened that says what the agent was told before.
#[derive(Debug, Default)]
pub struct Told {
    /// What was said and has no place yet.
    waiting: VecDeque<Message>,
    /// How many of these are answers.
    answers: usize,
    /// How many messages have been read.
    read: usize,
    /// Whether what is said next is told now: the agent has just begun, or has a last chance.
    due: bool,
    heard: Heard,
}

/// What was heard of the model since its turn began.
#[derive(Debug, Default)]
struct Heard {
    /// Since the last call.
    text: String,
    anything: bool,
    calls: usize,
    complete: bool,
    /// After a limit, several turns follow each other.
    last_chance: bool,
}

impl Told {
    /// How many messages have been read.
    pub fn read(&self) -> usize {
        self.read
    }

    /// Takes the messages that follow those that have been read.
    pub fn add(&mut self, messages: impl IntoIterator<Item = Message>) {
        let first = self.read == 0;
        for message in messages {
            self.read += 1;
            self.answers += usize::from(is_answer(&message));
            self.waiting.push_back(message);
        }
        if first {
            self.leave_out_what_others_said();
        }
    }

    /// Whether more messages have to be read before it is known what stands before `what`.
    pub fn is_short(&self, what: &What) -> bool {
        self.answers < AHEAD && (self.due || is_boundary(what))
    }

    /// What the agent was told before `what`, which `after` follows.
    pub fn before<'a>(
        &mut self,
        what: &What,
        after: impl Iterator<Item = &'a What>,
    ) -> Vec<String> {
        let mut told = Vec::new();
        if is_boundary(what) {
            self.leave_turn(&mut told);
        }
        if self.heard.last_chance && self.due {
            self.take_told(&mut told, 1);
        } else if self.due || matches!(what, What::TurnStart { .. }) {
            let here = self.ready().saturating_sub(unanswered(what, after));
            self.take_told(&mut told, here.max(usize::from(self.due)));
        }
        self.due = matches!(what, What::Started(_) | What::GracePeriodStart { .. });
        self.heard.take(what);
        told
    }

    /// What the agent is told right now, before anything else happens.
    pub fn so_far(&mut self) -> Vec<String> {
        let mut told = Vec::new();
        if self.due {
            self.take_told(&mut told, usize::MAX);
            self.due = told.is_empty();
        }
        told
    }

    /// Whether something is said right now.
    pub fn is_due(&self) -> bool {
        self.due
    }

    /// Everything it was told that no turn has come for.
    pub fn rest(&mut self) -> Vec<String> {
        self.answers = 0;
        self.waiting.drain(..).filter_map(text).collect()
    }

    /// Agents that were forked begin with a conversation of others.
    fn leave_out_what_others_said(&mut self) {
        let is_boundary =
            |message: &Message| matches!(message, Message::User { text } if text == FORK_BOUNDARY);
        if let Some(end) = self.waiting.iter().rposition(is_boundary) {
            self.waiting.drain(..=end);
            self.answers = self.waiting.iter().filter(|message| is_answer(message)).count();
        }
    }

    /// Passes over the answers of the turn that is over.
    fn leave_turn(&mut self, told: &mut Vec<String>) {
        let heard = mem::take(&mut self.heard);
        let mut calls = heard.calls;
        while calls > 0 {
            let Some(carried) = self.pass_answer(told) else { return };
            calls = if heard.last_chance { calls.saturating_sub(carried.max(1)) } else { 0 };
        }
        let more = heard.calls == 0 || heard.last_chance;
        if more && self.next_answer().is_some_and(|answer| heard.is(answer)) {
            self.pass_answer(told);
        }
    }

    /// Passes over the next answer; how many calls it has.
    fn pass_answer(&mut self, told: &mut Vec<String>) -> Option<usize> {
        self.next_answer()?;
        while let Some(message) = self.waiting.pop_front() {
            match message {
                Message::Assistant { parts, by } if !by.is_empty() => {
                    self.answers -= 1;
                    let calls = parts.iter().filter(|part| matches!(part, Part::Call(_)));
                    return Some(calls.count());
                }
                // It is late, but not lost.
                message => told.extend(text(message)),
            }
        }
        None
    }

    fn next_answer(&self) -> Option<&[Part]> {
        self.waiting.iter().find_map(|message| match message {
            Message::Assistant { parts, by } if !by.is_empty() => Some(parts.as_slice()),
            _ => None,
        })
    }

    /// How many messages of users stand before the next answer.
    fn ready(&self) -> usize {
        let ready = self.waiting.iter().take_while(|message| !is_answer(message));
        ready.filter(|message| matches!(message, Message::User { .. })).count()
    }

    /// Takes what stands before the next answer, at most `most` messages of users.
    fn take_told(&mut self, told: &mut Vec<String>, most: usize) {
        let most = told.len().saturating_add(most);
        while told.len() < most
            && let Some(message) = self.waiting.pop_front_if(|message| !is_answer(message))
        {
            told.extend(text(message));
        }
    }
}

impl Heard {
    fn take(&mut self, what: &What) {
        match what {
            What::TextChunk { text } => {
                self.anything = true;
                self.text.push_str(text);
            }
            What::ThoughtChunk { .. } => self.anything = true,
            What::ToolCallStart { .. } => {
                self.calls += 1;
                self.text.clear();
            }
            // What was heard so far was no answer.
            What::Retry { .. } => {
                self.anything = false;
                self.text.clear();
            }
            What::TurnComplete { .. } => self.complete = true,
            What::GracePeriodStart { .. } => self.last_chance = true,
            _ => {}
        }
    }

    /// Whether `answer` is what was heard, where no call tells.
    fn is(&self, answer: &[Part]) -> bool {
        let texts = answer.iter().filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        });
        let said: String = texts.collect();
        if self.complete {
            let silent = answer.iter().all(|part| matches!(part, Part::Opaque { .. }));
            return self.anything != silent;
        }
        !said.trim().is_empty() && said.trim() == self.text.trim()
    }
}

/// How often something more may have been said after `what` before a model answers.
fn unanswered<'a>(what: &What, after: impl Iterator<Item = &'a What>) -> usize {
    let (mut count, mut in_turn) = (0, matches!(what, What::TurnStart { .. }));
    let mut heard = false;
    for what in after {
        match what {
            What::TurnStart { .. } => {
                count += usize::from(mem::replace(&mut in_turn, true));
                heard = false;
            }
            What::Started(_) | What::GracePeriodStart { .. } => {
                count += 1;
                in_turn = false;
            }
            What::TextChunk { .. } | What::ThoughtChunk { .. } => heard = true,
            What::ToolCallStart { .. } => break,
            What::TurnComplete { .. } if heard => break,
            What::TurnComplete { .. } => in_turn = false,
            _ => {}
        }
    }
    count
}

/// Whether a turn ends here at the latest.
fn is_boundary(what: &What) -> bool {
    matches!(what, What::Started(_) | What::TurnStart { .. } | What::GracePeriodStart { .. })
}

/// Whether a model said it. What a definition lets an agent say is no one's.
fn is_answer(message: &Message) -> bool {
    matches!(message, Message::Assistant { by, .. } if !by.is_empty())
}

fn text(message: Message) -> Option<String> {
    match message {
        Message::User { text } => Some(text),
        Message::Assistant { .. } | Message::Results { .. } => None,
    }
}
