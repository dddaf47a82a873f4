//! A reader of the stream that checks at every event what must hold for a tree of agents.

use std::{
    collections::{HashMap, HashSet},
    io,
    sync::{Arc, Mutex, MutexGuard, OnceLock, Weak},
};

use agentctl::{
    conversation::{Message, text_of},
    event::{AgentRef, AgentStatus, CollabBegin, CollabEnd, Event, Sink, What},
    session::{Member, Session},
};

use super::{
    model::{MAX_USAGE, numbers},
    play::spent,
};

/// What has been seen of a session, and what was wrong with it.
#[derive(Debug, Default)]
pub struct Watch {
    pub session: OnceLock<Weak<Session>>,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    events: u64,
    wrong: Vec<String>,
    log: Vec<Line>,
    /// Ends for each beginning: by agent, act and call.
    pairs: HashMap<(String, &'static str, String), u32>,
    /// Conversations as they were written down.
    said: HashMap<String, Vec<Message>>,
    /// Texts by number and who was told them.
    sent: Vec<(String, u32)>,
    /// What each agent did last, and what it did last when it was open.
    statuses: HashMap<String, (AgentStatus, AgentStatus)>,
    /// Those nothing may happen to until they are opened again.
    sealed: HashSet<String>,
}

/// Something that happened or was done.
#[derive(Debug)]
enum Line {
    Event(Box<Event>),
    Done(String),
    Wrong(String),
}

impl Line {
    fn text(&self) -> String {
        match self {
            Self::Event(event) => described(event),
            Self::Done(text) => text.clone(),
            Self::Wrong(text) => format!("WRONG {text}"),
        }
    }
}

/// The watch as a reader of the stream.
pub struct Reader(pub Arc<Watch>);

impl Sink for Reader {
    fn take(&self, event: &Event) -> io::Result<()> {
        self.0.take(event);
        Ok(())
    }

    fn said(&self, agent: &AgentRef, messages: &[Message]) -> io::Result<()> {
        let mut seen = self.0.seen();
        seen.said.entry(agent.agent_id.clone()).or_default().extend_from_slice(messages);
        Ok(())
    }
}

impl Watch {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }

    fn session(&self) -> Option<Arc<Session>> {
        self.session.get()?.upgrade()
    }

    /// Something is as it must not be.
    pub fn wrong(&self, what: String) {
        let mut seen = self.seen();
        seen.log.push(Line::Wrong(what.clone()));
        seen.wrong.push(what);
    }

    pub fn expect(&self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.wrong(what());
        }
    }

    pub fn log(&self, what: String) {
        self.seen().log.push(Line::Done(what));
    }

    pub fn events(&self) -> u64 {
        self.seen().events
    }

    /// What was wrong, and everything that happened up to it.
    pub fn verdict(&self) -> Result<(), String> {
        let seen = self.seen();
        let Some(first) = seen.wrong.first() else { return Ok(()) };
        let at = seen.log.iter().position(|line| matches!(line, Line::Wrong(_))).unwrap_or(0);
        let lines = seen.log[at.saturating_sub(150)..=at].iter();
        let shown = lines.map(Line::text).collect::<Vec<_>>().join("\n");
        Err(format!("{shown}\n{} wrong, first: {first}", seen.wrong.len()))
    }

    /// A text was accepted for an agent.
    pub fn sent(&self, to: &str, text: &str) {
        let mut seen = self.seen();
        seen.sent.extend(numbers(text).map(|number| (to.to_owned(), number)));
    }

    /// A model was asked with this conversation.
    pub fn asked(&self, id: &str, messages: &[Message]) {
        let same = self.seen().said.get(id).is_some_and(|said| said == messages);
        self.expect(same, || format!("{id} is shown something else than was written down"));
    }

    fn take(&self, event: &Event) {
        let id = &event.agent.agent_id;
        {
            let mut seen = self.seen();
            seen.log.push(Line::Event(Box::new(event.clone())));
            if event.seq != seen.events {
                let wrong = format!("event {} has number {}", seen.events, event.seq);
                seen.wrong.push(wrong);
            }
            seen.events += 1;
        }
        let sealed = self.seen().sealed.contains(id);
        self.expect(!sealed, || format!("after it was closed: {}", described(event)));
        if let Some((act, begun)) = begin(&event.what) {
            let key = (id.clone(), act, begun.call_id.clone());
            let again = self.seen().pairs.insert(key, 0).is_some();
            self.expect(!again, || format!("begins twice: {}", described(event)));
        }
        if let Some((act, end)) = end(&event.what) {
            self.ended(id, act, end);
        }
        self.observe();
    }

    fn ended(&self, id: &str, act: &'static str, end: &CollabEnd) {
        let call = end.begun.call_id.clone();
        let count = self.seen().pairs.get_mut(&(id.to_owned(), act, call.clone())).map(|count| {
            *count += 1;
            *count
        });
        self.expect(count == Some(1), || format!("{act} {call} of {id} ends: {count:?}"));
        if !end.success {
            return;
        }
        let receivers = &end.begun.receiver_thread_ids;
        match act {
            "spawn" | "interaction" => {
                for to in receivers {
                    self.sent(to, end.begun.prompt.as_deref().unwrap_or_default());
                }
            }
            "waiting" if end.begun.prompt.is_none() => self.waited(end),
            "close" => self.closed(receivers, Some(id)),
            "resume" => self.opened(end.agents_states.keys()),
            _ => {}
        }
    }

    /// `wait` names only those that have ended; `collaboration.wait` all, whatever they do.
    fn waited(&self, end: &CollabEnd) {
        let all = end.agents_states.len() == end.begun.receiver_thread_ids.len();
        let is_final = end.agents_states.values().all(|state| state.status.is_final());
        self.expect(all || is_final, || format!("waiting ended too early: {end:?}"));
    }

    /// Nothing may happen any more to those below `ids`, except `by`, until they are opened again.
    pub fn closed(&self, ids: &[String], by: Option<&str>) {
        let Some(session) = self.session() else { return };
        let tops: Vec<_> = ids.iter().filter_map(|id| session.find(id).ok()).collect();
        for one in session.members() {
            let below = tops.iter().any(|top| session.is_within(&one, top));
            if !below || Some(one.id()) == by || !one.is_closed() {
                continue;
            }
            let rests = !one.state().busy && one.status() == AgentStatus::Shutdown;
            self.expect(rests, || format!("{} works after it was closed", one.index));
            self.seen().sealed.insert(one.id().to_owned());
        }
    }

    pub fn opened<'a>(&self, ids: impl Iterator<Item = &'a String>) {
        let mut seen = self.seen();
        ids.for_each(|id| {
            seen.sealed.remove(id);
        });
    }

    /// Looks at every agent.
    pub fn observe(&self) {
        let Some(session) = self.session() else { return };
        let members = session.members();
        let works = |one: &&Arc<Member>| one.index != 0 && one.state().busy;
        let working = members.iter().filter(works).count();
        // A parent that is woken by one of its own needs no room.
        let parents: HashSet<u32> = members.iter().filter_map(|one| one.parent).collect();
        let woken = members.iter().filter(works).filter(|one| parents.contains(&one.index)).count();
        let most = session.collab().max_agents();
        self.expect(working <= most + woken, || format!("{working} work, {woken} of them woken"));
        for one in &members {
            self.look_at(&session, one);
        }
    }

    fn look_at(&self, session: &Session, one: &Arc<Member>) {
        let (state, index) = (one.state(), one.index);
        let parent = one.parent.and_then(|parent| session.at(parent).ok());
        let orphaned = parent.is_some_and(|parent| parent.is_closed()) && !one.is_closed();
        self.expect(!orphaned, || format!("{index} is open below one that is closed"));
        let overdrawn = one.juice.is_some_and(|juice| state.life.tokens() >= juice + MAX_USAGE);
        self.expect(!overdrawn, || format!("{index} used {} tokens", state.life.tokens()));
        let now = state.status();
        let open = match state.life.status() {
            AgentStatus::Running => AgentStatus::Interrupted,
            status => status,
        };
        let before = self.seen().statuses.get(one.id()).copied();
        let (last, was) = before.unwrap_or((AgentStatus::PendingInit, AgentStatus::PendingInit));
        self.expect(may_become(last, now, was), || format!("{index} goes from {last} to {now}"));
        let was = if now == AgentStatus::Shutdown { was } else { open };
        self.seen().statuses.insert(one.id().to_owned(), (now, was));
    }

    /// Everything that began has ended.
    pub fn check_pairs(&self) {
        let open: Vec<_> = self
            .seen()
            .pairs
            .iter()
            .filter(|(_, ends)| **ends != 1)
            .map(|(key, _)| key.clone())
            .collect();
        self.expect(open.is_empty(), || format!("no end: {open:?}"));
    }

    /// Everything that was sent was told once, and nothing else; it was quoted once.
    pub fn check_delivered(&self) {
        let Some(session) = self.session() else { return };
        for one in session.members() {
            let spent = spent(&one);
            let (told, quoted) = self.conversation(one.id());
            let sent: Vec<u32> = {
                let seen = self.seen();
                seen.sent.iter().filter(|(to, _)| to == one.id()).map(|(_, n)| *n).collect()
            };
            let index = one.index;
            for number in &sent {
                let times = told.iter().filter(|told| *told == number).count();
                let fine = times == 1 || (spent && times == 0);
                self.expect(fine, || format!("{index} was told <<{number}>> {times} times"));
                let times = quoted.iter().filter(|quote| *quote == number).count();
                let fine = times == 1 || (spent && times == 0);
                self.expect(fine, || format!("{index} quoted <<{number}>> {times} times"));
            }
            let more: Vec<_> = told.iter().filter(|told| !sent.contains(told)).collect();
            self.expect(more.is_empty(), || format!("{index} was told {more:?}, never sent"));
        }
    }

    /// What an agent was told and what it quoted.
    fn conversation(&self, id: &str) -> (Vec<u32>, Vec<u32>) {
        let seen = self.seen();
        let (mut told, mut quoted) = (Vec::new(), Vec::new());
        for message in seen.said.get(id).into_iter().flatten() {
            match message {
                Message::User { text } => told.extend(numbers(text)),
                Message::Assistant { parts, .. } => {
                    let text = text_of(parts);
                    let quotes = text.split('[').skip(1);
                    quoted.extend(quotes.filter_map(|q| q.split_once(']')?.0.parse::<u32>().ok()));
                }
                Message::Results { .. } => {}
            }
        }
        (told, quoted)
    }
}

fn may_become(last: AgentStatus, now: AgentStatus, was: AgentStatus) -> bool {
    use AgentStatus::{Completed, Errored, Interrupted, NotFound, PendingInit, Running, Shutdown};
    last == now
        || match last {
            PendingInit => matches!(now, Running | Errored | Shutdown | Interrupted),
            Running => matches!(now, Completed | Errored | Interrupted | Shutdown),
            Completed | Errored | Interrupted => matches!(now, Running | Shutdown),
            Shutdown => now == was,
            NotFound => false,
        }
}

fn begin(what: &What) -> Option<(&'static str, &CollabBegin)> {
    Some(match what {
        What::CollabAgentSpawnBegin(begun) => ("spawn", begun),
        What::CollabAgentInteractionBegin(begun) => ("interaction", begun),
        What::CollabWaitingBegin(begun) => ("waiting", begun),
        What::CollabCloseBegin(begun) => ("close", begun),
        What::CollabResumeBegin(begun) => ("resume", begun),
        _ => return None,
    })
}

fn end(what: &What) -> Option<(&'static str, &CollabEnd)> {
    Some(match what {
        What::CollabAgentSpawnEnd(end) => ("spawn", end),
        What::CollabAgentInteractionEnd(end) => ("interaction", end),
        What::CollabWaitingEnd(end) => ("waiting", end),
        What::CollabCloseEnd(end) => ("close", end),
        What::CollabResumeEnd(end) => ("resume", end),
        _ => return None,
    })
}

fn described(event: &Event) -> String {
    let data = serde_json::to_string(&event.what).unwrap_or_default();
    let id = &event.agent.agent_id;
    format!("{} …{} {data}", event.seq, &id[id.len().saturating_sub(6)..])
}
