//! What clients have been told about one agent: its turn, and what in it has not ended.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    super::protocol::{
        CallStatus, ItemCompleted, ItemDelta, ItemStarted, Notification, ThreadItem, Turn,
        TurnNotification, TurnStatus, UserInput,
    },
    call,
};
use crate::event::{Event, Life, Outcome, Status, What, milliseconds};

/// One agent.
#[derive(Debug)]
pub(super) struct Line {
    id: String,
    /// What it is doing.
    pub life: Life,
    /// The turn it is in.
    pub turn: Option<String>,
    /// The turn it will begin with, because it was told something.
    pub next_turn: Option<String>,
    /// What it was told before that turn has begun.
    waiting: Vec<ThreadItem>,
    /// What it is saying or thinking.
    words: Option<Words>,
    /// Its calls that have not ended, as clients see them.
    calls: BTreeMap<String, ThreadItem>,
    /// Calls that act on other agents and have not said how yet.
    held: BTreeMap<String, ThreadItem>,
    /// Calls that are shown as what one agent does to others.
    collab: BTreeSet<String>,
}

/// What an agent is saying or thinking.
#[derive(Debug)]
struct Words {
    id: String,
    text: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Message,
    Reasoning,
}

impl Words {
    fn item(&self, text: String) -> ThreadItem {
        let id = self.id.clone();
        match self.kind {
            Kind::Message => ThreadItem::AgentMessage { id, text },
            Kind::Reasoning => ThreadItem::Reasoning { id, text },
        }
    }
}

/// What is told, and where and when it happened.
struct Telling<'a> {
    thread: &'a str,
    turn: &'a str,
    at: i64,
    told: &'a mut Vec<Notification>,
}

impl Telling<'_> {
    fn started(&mut self, item: ThreadItem) {
        let (thread_id, turn_id) = (self.thread.to_owned(), self.turn.to_owned());
        let started = ItemStarted { thread_id, turn_id, item, started_at_ms: self.at };
        self.told.push(Notification::ItemStarted(started));
    }

    fn completed(&mut self, item: ThreadItem) {
        let (thread_id, turn_id) = (self.thread.to_owned(), self.turn.to_owned());
        let completed = ItemCompleted { thread_id, turn_id, item, completed_at_ms: self.at };
        self.told.push(Notification::ItemCompleted(completed));
    }

    fn delta(&mut self, item_id: &str, kind: Kind, delta: &str) {
        let (thread_id, turn_id) = (self.thread.to_owned(), self.turn.to_owned());
        let (item_id, delta) = (item_id.to_owned(), delta.to_owned());
        let delta = ItemDelta { thread_id, turn_id, item_id, delta };
        self.told.push(match kind {
            Kind::Message => Notification::AgentMessageDelta(delta),
            Kind::Reasoning => Notification::ReasoningDelta(delta),
        });
    }
}

impl Line {
    pub fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            life: Life::default(),
            turn: None,
            next_turn: None,
            waiting: Vec::new(),
            words: None,
            calls: BTreeMap::new(),
            held: BTreeMap::new(),
            collab: BTreeSet::new(),
        }
    }

    /// Takes in what happened to the agent.
    pub fn take(&mut self, event: &Event, told: &mut Vec<Notification>) {
        if let What::UserMessage { text, later } = &event.what {
            return self.told_something(event, text, *later, told);
        }
        if matches!(event.what, What::Started(_) | What::Completed(_)) {
            self.begin(event, told);
        }
        // What happens between two turns is part of none.
        let Some(turn) = self.turn.clone() else { return };
        let thread = self.id.clone();
        let at = milliseconds(&event.at);
        let mut telling = Telling { thread: &thread, turn: &turn, at, told };
        match &event.what {
            What::TextChunk { text } => self.says(event.seq, Kind::Message, text, &mut telling),
            What::ThoughtChunk { text } => {
                self.says(event.seq, Kind::Reasoning, text, &mut telling);
            }
            What::Retry { .. } => self.withdraw(&mut telling),
            What::TurnStart { .. } | What::TurnComplete { .. } => self.has_said(&mut telling),
            What::ToolCallStart { tool_name, call_id, arguments } => {
                self.has_said(&mut telling);
                let item = call::item(tool_name, call_id, arguments);
                self.calls_begin(tool_name, call_id, item, &mut telling);
            }
            What::ToolCallEnd { call_id, success, duration_ms, output, .. } => {
                let status = if *success { CallStatus::Completed } else { CallStatus::Failed };
                let end = call::End { status, output, duration_ms: Some(*duration_ms) };
                self.call_ends(call_id, &end, &mut telling);
            }
            What::Completed(outcome) => self.end(outcome, &mut telling),
            what => self.acts(what, &mut telling),
        }
    }

    fn told_something(
        &mut self,
        event: &Event,
        text: &str,
        later: bool,
        told: &mut Vec<Notification>,
    ) {
        let content = vec![UserInput::Text { text: text.to_owned() }];
        let item = ThreadItem::UserMessage { id: format!("user-{}", event.seq), content };
        let Some(turn) = self.turn.clone().filter(|_| !later) else {
            self.next_turn.get_or_insert_with(|| turn_id(event));
            return self.waiting.push(item);
        };
        let thread = self.id.clone();
        let at = milliseconds(&event.at);
        let mut telling = Telling { thread: &thread, turn: &turn, at, told };
        telling.started(item.clone());
        telling.completed(item);
    }

    /// A turn begins, unless the agent is in one.
    fn begin(&mut self, event: &Event, told: &mut Vec<Notification>) {
        if self.turn.is_some() {
            return;
        }
        let turn = self.next_turn.take().unwrap_or_else(|| turn_id(event));
        told.push(Notification::TurnStarted(TurnNotification {
            thread_id: self.id.clone(),
            turn: Turn { id: turn.clone(), status: TurnStatus::InProgress, error: None },
        }));
        let (thread, at) = (self.id.clone(), milliseconds(&event.at));
        let mut telling = Telling { thread: &thread, turn: &turn, at, told };
        for item in std::mem::take(&mut self.waiting) {
            telling.started(item.clone());
            telling.completed(item);
        }
        self.turn = Some(turn);
    }

    fn says(&mut self, seq: u64, kind: Kind, text: &str, telling: &mut Telling<'_>) {
        if self.words.as_ref().is_some_and(|words| words.kind != kind) {
            self.has_said(telling);
        }
        let words = self.words.get_or_insert_with(|| {
            let id = match kind {
                Kind::Message => format!("message-{seq}"),
                Kind::Reasoning => format!("reasoning-{seq}"),
            };
            let words = Words { id, text: String::new(), kind };
            telling.started(words.item(String::new()));
            words
        });
        words.text.push_str(text);
        telling.delta(&words.id, kind, text);
    }

    /// What it was saying is said.
    fn has_said(&mut self, telling: &mut Telling<'_>) {
        if let Some(mut words) = self.words.take() {
            let text = std::mem::take(&mut words.text);
            telling.completed(words.item(text));
        }
    }

    /// What it was saying does not count.
    fn withdraw(&mut self, telling: &mut Telling<'_>) {
        if let Some(words) = self.words.take() {
            telling.completed(words.item(String::new()));
        }
    }

    fn calls_begin(
        &mut self,
        tool: &str,
        call_id: &str,
        item: ThreadItem,
        telling: &mut Telling<'_>,
    ) {
        if call::acts_on_others(tool) {
            self.held.insert(call_id.to_owned(), item);
            return;
        }
        telling.started(item.clone());
        self.calls.insert(call_id.to_owned(), item);
    }

    fn call_ends(&mut self, call_id: &str, end: &call::End<'_>, telling: &mut Telling<'_>) {
        if self.collab.remove(call_id) {
            return;
        }
        if let Some(item) = self.held.remove(call_id) {
            telling.started(item.clone());
            self.calls.insert(call_id.to_owned(), item);
        }
        if let Some(item) = self.calls.remove(call_id) {
            telling.completed(call::ended(item, end));
        }
    }

    /// The agent does something to others.
    fn acts(&mut self, what: &What, telling: &mut Telling<'_>) {
        if let Some((tool, begun)) = call::begins(what) {
            let item = call::collab(tool, telling.thread, begun);
            self.held.remove(&begun.call_id);
            self.collab.insert(begun.call_id.clone());
            telling.started(item.clone());
            self.calls.insert(begun.call_id.clone(), item);
        }
        if let Some((tool, end)) = call::ends(what)
            && self.calls.remove(&end.begun.call_id).is_some()
        {
            telling.completed(call::collab_ended(tool, telling.thread, end));
        }
    }

    /// The turn is over, and everything in it.
    fn end(&mut self, outcome: &Outcome, telling: &mut Telling<'_>) {
        self.has_said(telling);
        self.held.clear();
        self.collab.clear();
        for item in std::mem::take(&mut self.calls).into_values() {
            let end = call::End {
                status: CallStatus::Failed,
                output: "the call was stopped",
                duration_ms: None,
            };
            telling.completed(call::ended(item, &end));
        }
        let status = match outcome.status {
            Status::Goal => TurnStatus::Completed,
            Status::Aborted => TurnStatus::Interrupted,
            _ => TurnStatus::Failed,
        };
        let failed = status == TurnStatus::Failed;
        let error = outcome.error.as_ref().filter(|_| failed).map(Into::into);
        let turn = Turn { id: telling.turn.to_owned(), status, error };
        let thread_id = telling.thread.to_owned();
        telling.told.push(Notification::TurnCompleted(TurnNotification { thread_id, turn }));
        self.turn = None;
    }
}

fn turn_id(event: &Event) -> String {
    format!("turn-{}", event.seq)
}
