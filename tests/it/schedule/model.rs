//! A model that takes its time, fails, hangs and calls tools as a seed says, and quotes whatever it
//! is told for the first time.

use std::{
    future::pending,
    sync::{
        Arc, Mutex, OnceLock, Weak,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use agentctl::{
    conversation::{Answer, Message, Part, Stop, ToolCall, Usage, text_of},
    provider::{Listener, ModelError, Provider, Reply, Request},
    session::Session,
};
use fastrand::Rng;
use serde_json::{Value, json};

use super::{stage::KIND, watch::Watch};

/// The most tokens a turn costs.
pub const MAX_USAGE: u64 = 100;
/// No model starts agents beyond this many.
const MAX_TREE: usize = 14;

/// The model of every agent of a session.
#[derive(Debug)]
pub struct Model {
    pub rng: Mutex<Rng>,
    pub session: OnceLock<Weak<Session>>,
    pub watch: Arc<Watch>,
    /// Answers at once and does nothing else.
    pub calm: AtomicBool,
    /// Never answers.
    pub stuck: AtomicBool,
    next: AtomicU32,
}

/// What an answer is like.
enum Mood {
    Speaks,
    Acts,
    Fails,
    FailsForNow,
    Hangs,
}

impl Model {
    pub fn new(seed: u64, watch: Arc<Watch>) -> Self {
        Self {
            rng: Mutex::new(Rng::with_seed(seed)),
            session: OnceLock::new(),
            watch,
            calm: AtomicBool::new(false),
            stuck: AtomicBool::new(false),
            next: AtomicU32::new(0),
        }
    }

    /// A text nobody has been told before.
    pub fn text(&self) -> String {
        format!("<<{}>>", self.number())
    }

    fn number(&self) -> u32 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    pub fn session(&self) -> Arc<Session> {
        self.session.get().unwrap().upgrade().unwrap()
    }

    fn mood(&self) -> (Mood, Duration, Usage) {
        if self.stuck.load(Ordering::Relaxed) {
            return (Mood::Hangs, Duration::ZERO, Usage::default());
        }
        if self.calm.load(Ordering::Relaxed) {
            return (Mood::Speaks, Duration::from_millis(1), Usage::default());
        }
        let mut rng = self.rng.lock().unwrap();
        let mood = match rng.u32(0..100) {
            0..8 => Mood::Hangs,
            8..14 => Mood::Fails,
            14..20 => Mood::FailsForNow,
            20..55 => Mood::Acts,
            _ => Mood::Speaks,
        };
        let delay = Duration::from_millis(rng.u64(0..4) * rng.u64(0..500));
        let input_tokens = rng.u64(1..MAX_USAGE - 10);
        (mood, delay, Usage { input_tokens, output_tokens: 10, ..Usage::default() })
    }

    /// Calls of tools, most of them on other agents, some of them none of the caller's business.
    fn calls(&self, caller: &str) -> Vec<Part> {
        let count = self.rng.lock().unwrap().usize(1..3);
        (0..count).map(|_| self.call(caller)).collect()
    }

    fn call(&self, caller: &str) -> Part {
        let session = self.session();
        let members = session.members();
        let text = self.text();
        let mut rng = self.rng.lock().unwrap();
        let some = |rng: &mut Rng| members[rng.usize(0..members.len())].clone();
        // Mostly those below, for whom calls are allowed.
        let me = session.find(caller).unwrap();
        let below: Vec<_> = members
            .iter()
            .filter(|one| one.index != me.index && session.is_within(one, &me))
            .collect();
        let one = match below.len() {
            0 => some(&mut rng),
            _ if rng.u32(0..5) == 0 => some(&mut rng),
            count => Arc::clone(below[rng.usize(0..count)]),
        };
        let full = members.len() >= MAX_TREE;
        let (name, arguments) = match rng.u32(0..100) {
            0..30 if !full => ("spawn_agent", json!({ "message": text, "agent_type": KIND })),
            0..36 if !full => ("collaboration.init_agent", json!({ "agent_type": KIND })),
            0..46 => {
                let interrupt = rng.bool();
                ("send_input", json!({ "id": one.id(), "message": text, "interrupt": interrupt }))
            }
            46..56 => ("collaboration.send", json!({ "recipients": [one.index], "message": text })),
            56..72 => {
                let ids = json!([one.id(), some(&mut rng).id()]);
                ("wait", json!({ "ids": ids, "timeout_ms": rng.u32(10_000..60_000) }))
            }
            72..78 => ("collaboration.wait", json!({ "max_duration": rng.u64(0..300) })),
            78..84 => ("close_agent", json!({ "id": one.id() })),
            84..87 => ("collaboration.close", json!({ "recipients": [one.index] })),
            87..94 => ("resume_agent", json!({ "id": one.id() })),
            94..96 => ("close_agent", json!({ "id": me.id() })),
            _ => ("list_dir", json!({})),
        };
        Part::Call(self.called(name, &arguments))
    }

    fn called(&self, name: &str, arguments: &Value) -> ToolCall {
        let id = format!("call-{}", self.number());
        let arguments = arguments.to_string();
        ToolCall { id, name: name.to_owned(), arguments, signature: None }
    }
}

impl Provider for Model {
    fn answer<'a>(&'a self, request: &'a Request<'a>, _: Listener<'a>) -> Reply<'a> {
        Box::pin(async move {
            self.watch.asked(&request.caller.agent_id, request.messages);
            let (mood, delay, usage) = self.mood();
            tokio::time::sleep(delay).await;
            let mut parts = vec![Part::Text { text: quoted(request.messages) }];
            match mood {
                Mood::Speaks => {}
                Mood::Acts => parts.extend(self.calls(&request.caller.agent_id)),
                Mood::Hangs => pending().await,
                Mood::Fails => {
                    let message = "no".to_owned();
                    return Err(ModelError::BadRequest { status: 400, message });
                }
                Mood::FailsForNow => {
                    let retry_after = Some(Duration::from_millis(700));
                    let message = "later".to_owned();
                    return Err(ModelError::Overloaded { retry_after, message });
                }
            }
            Ok(Answer { parts, usage, stop: Stop::End })
        })
    }
}

/// Everything the model was told and has not quoted yet.
fn quoted(messages: &[Message]) -> String {
    let (mut told, mut said) = (Vec::new(), String::new());
    for message in messages {
        match message {
            Message::User { text } => told.extend(numbers(text)),
            Message::Assistant { parts, .. } => said.push_str(&text_of(parts)),
            Message::Results { .. } => {}
        }
    }
    let new = told.into_iter().map(|number| format!("[{number}]"));
    let new: String = new.filter(|quote| !said.contains(quote.as_str())).collect();
    format!("I see {new}.")
}

/// The numbers of the texts in `text`.
pub fn numbers(text: &str) -> impl Iterator<Item = u32> {
    text.split("<<").skip(1).filter_map(|rest| rest.split_once(">>")?.0.parse().ok())
}
