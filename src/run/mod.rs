//! The turn loop of one agent: asks the model, carries out its calls, and stops at a limit.
//!
//! Knows nothing of definitions, files or terminals: a [`Plan`] says what to do, everything else
//! is in [`Surroundings`]. Whatever happens is an event first.

mod approval;
mod ask;
mod calls;
mod clock;
mod grace;
mod inbox;
mod resume;

use std::{
    collections::BTreeSet,
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

pub use approval::{Always, Approver, Question, Ruling};
pub use clock::Clock;
pub use inbox::Inbox;
pub use resume::recovered;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    config::Patience,
    conversation::{Answer, Message, ToolSpec, Usage},
    event::{
        AgentRef, Failure, FailureKind, Journal, ModelTry, Outcome, Progress, Started, Status, What,
    },
    plan::{Handed, Plan},
    provider::{Caller, ModelError, ModelId, Provider},
    tools::{Tool, ToolCx},
};

/// Finds the provider of a model.
pub trait Models: Send + Sync {
    /// The provider of `id`, or why there is none.
    fn provider(&self, id: &ModelId) -> Result<Arc<dyn Provider>, ModelError>;
}

/// Everything an agent works with. Agents of a session share most of it.
#[derive(Clone)]
pub struct Surroundings {
    /// The models.
    pub models: Arc<dyn Models>,
    /// Every tool there is; the plan says which of them the agent gets.
    pub tools: Arc<[Arc<dyn Tool>]>,
    /// What tools work with.
    pub cx: Arc<ToolCx>,
    /// Where everything that happens is written down.
    pub journal: Arc<Journal>,
    /// Whom to ask.
    pub approver: Arc<dyn Approver>,
    /// How long things may take.
    pub patience: Patience,
    /// Ends the run.
    pub cancel: CancellationToken,
    /// What is sent to the agent while it works.
    pub inbox: Arc<Inbox>,
    /// Where the agent is: the agents from the main one down to it.
    pub path: Arc<[String]>,
}

/// A run that is over.
#[derive(Debug)]
pub struct Ended {
    /// What it came to.
    pub outcome: Outcome,
    /// The whole conversation, for an agent that will be told more.
    pub history: Vec<Message>,
}

/// An agent at work.
pub struct Agent {
    plan: Arc<Plan>,
    around: Surroundings,
    me: AgentRef,
    caller: Caller,
    /// Its tools by name, without `complete_task`.
    tools: Vec<(String, Arc<dyn Tool>)>,
    specs: Arc<[ToolSpec]>,
    history: Vec<Message>,
    /// How much of the conversation has been written down before.
    known: usize,
    /// Tokens it may still use, whatever its definition says.
    juice: Option<u64>,
    clock: Clock,
    begun: Instant,
    turns: u32,
    tool_uses: u64,
    usage: Usage,
    /// The model of the chain that is asked now.
    model: usize,
    tried: Vec<ModelTry>,
    llm: bool,
    last_text: String,
    rulings: Mutex<Rulings>,
    /// Held while someone is asked: one question at a time.
    asking: tokio::sync::Mutex<()>,
}

/// What was decided about tools that need an approval.
#[derive(Debug, Default)]
struct Rulings {
    /// Tools that need not ask again.
    approved: BTreeSet<String>,
    /// Tools that nobody could be asked about.
    unapproved: BTreeSet<String>,
}

/// How a turn ended.
enum Turn {
    /// The agent goes on.
    Continue,
    /// It handed in its result.
    Goal(Handed),
    /// It called nothing.
    NoCalls,
    /// The time was over.
    TimedOut,
    /// Someone stopped it.
    Aborted,
    /// It cannot go on.
    Failed(Failure),
}

/// How a run ended.
enum End {
    Goal(Handed),
    /// At a limit, and the grace period has passed.
    Limit(Status),
    Aborted,
    Failed(Failure),
}

impl Agent {
    /// An agent that is about to do what `plan` says. `ordinal` counts the agents of its type in
    /// the session, from 1.
    pub fn new(plan: Arc<Plan>, around: Surroundings, agent_id: String, ordinal: u32) -> Self {
        let agent_type = plan.agent_type().to_owned();
        let all = around.tools.iter().map(|tool| (tool.spec(), Arc::clone(tool)));
        let granted = all.filter(|(spec, _)| plan.grants(&spec.name));
        let (mut specs, tools): (Vec<ToolSpec>, Vec<_>) = granted
            .map(|(spec, tool)| {
                let name = spec.name.clone();
                (spec, (name, tool))
            })
            .unzip();
        specs.push(plan.output().tool());
        specs.sort_by(|a, b| a.name.cmp(&b.name));
        Self {
            me: AgentRef { agent_id: agent_id.clone(), agent_type: agent_type.clone() },
            caller: Caller { agent_id, agent_type, ordinal },
            tools,
            specs: specs.into(),
            history: plan.messages().to_vec(),
            known: 0,
            juice: None,
            clock: Clock::start(plan.limits().time),
            begun: Instant::now(),
            turns: 0,
            tool_uses: 0,
            usage: Usage::default(),
            model: 0,
            tried: Vec::new(),
            llm: true,
            last_text: String::new(),
            rulings: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
            plan,
            around,
        }
    }

    /// The same agent with a conversation behind it, `past`, that goes on with `more`.
    pub fn after(mut self, past: Vec<Message>, more: Vec<Message>) -> Self {
        self.known = past.len();
        self.history = past;
        self.history.extend(more);
        self
    }

    /// The same agent with `tokens` to use at most.
    pub fn with_juice(mut self, tokens: Option<u64>) -> Self {
        self.juice = tokens;
        self
    }

    /// Runs to the end.
    pub async fn run(self) -> Outcome {
        self.run_on().await.outcome
    }

    /// Runs to the end of what it was told.
    pub async fn run_on(mut self) -> Ended {
        // The provider of the first model that can be had says whether it is a language model.
        self.llm = self.first_provider().is_none_or(|provider| provider.is_llm());
        let end = match self.start() {
            Ok(()) => self.work().await,
            Err(error) => End::Failed(unwritten(&error)),
        };
        self.finish(end)
    }

    fn first_provider(&self) -> Option<Arc<dyn Provider>> {
        let models = self.plan.models();
        models.iter().find_map(|model| self.around.models.provider(model).ok())
    }

    fn start(&self) -> io::Result<()> {
        self.record(What::Started(Started {
            description: self.plan.description().to_owned(),
            model: self.plan.models().first().map(ToString::to_string).unwrap_or_default(),
            llm: self.llm,
            tools: self.specs.iter().map(|spec| spec.name.clone()).collect(),
            cwd: self.plan.directory().display().to_string(),
            progress: self.progress(),
            path: if self.around.path.len() > 1 { self.around.path.to_vec() } else { Vec::new() },
        }))?;
        self.around.journal.said(&self.me, &self.history[self.known..])
    }

    /// Adds `message` to the conversation, once it is written down.
    fn remember(&mut self, message: Message) -> io::Result<()> {
        self.around.journal.said(&self.me, std::slice::from_ref(&message))?;
        self.history.push(message);
        Ok(())
    }

    /// Adds what was sent meanwhile to the conversation.
    fn read_mail(&mut self) -> io::Result<()> {
        let sent = self.around.inbox.take();
        sent.into_iter().try_for_each(|text| self.remember(Message::user(text)))
    }

    async fn work(&mut self) -> End {
        let limits = *self.plan.limits();
        let specs = Arc::clone(&self.specs);
        loop {
            if self.around.cancel.is_cancelled() {
                return End::Aborted;
            }
            if self.turns >= limits.max_turns {
                return self.grace(Status::MaxTurns).await;
            }
            if self.clock.left().is_zero() {
                return self.grace(Status::Timeout).await;
            }
            if let Some(failure) = self.over_budget() {
                return End::Failed(failure);
            }
            if let Err(error) = self.read_mail() {
                return End::Failed(unwritten(&error));
            }
            match self.turn(&specs).await {
                Turn::Continue => {}
                Turn::Goal(handed) => return End::Goal(handed),
                Turn::NoCalls if self.plan.ends_with_a_message() => {
                    // What came in meanwhile is answered, too.
                    if self.around.inbox.is_empty() {
                        let text = self.last_text.clone();
                        return End::Goal(Handed { text, value: None });
                    }
                }
                Turn::NoCalls => return self.grace(Status::ErrorNoCompleteTaskCall).await,
                Turn::TimedOut => return self.grace(Status::Timeout).await,
                Turn::Aborted => return End::Aborted,
                Turn::Failed(failure) => return End::Failed(failure),
            }
        }
    }

    /// One turn: an answer of the model, and its calls.
    async fn turn(&mut self, specs: &[ToolSpec]) -> Turn {
        if let Err(error) = self.record(What::TurnStart { progress: self.progress() }) {
            return Turn::Failed(unwritten(&error));
        }
        self.turns += 1;
        let answer = match self.ask(specs).await {
            Ok(answer) => answer,
            Err(turn) => return turn,
        };
        let usage = answer.usage.clone();
        let turn = self.act(&answer).await;
        let progress = Progress { turns_completed: self.turns, ..self.progress() };
        match self.record(What::TurnComplete { progress, usage }) {
            Ok(()) => turn,
            Err(error) => Turn::Failed(unwritten(&error)),
        }
    }

    /// Remembers `answer` and carries out its calls.
    async fn act(&mut self, answer: &Answer) -> Turn {
        self.usage += &answer.usage;
        let text = answer.text();
        if !text.trim().is_empty() {
            self.last_text = text;
        }
        // A model that says nothing at all leaves no message: providers refuse empty ones.
        if !answer.parts.is_empty() {
            let by = self.plan.models()[self.model].to_string();
            let said = Message::Assistant { parts: answer.parts.clone(), by };
            if let Err(error) = self.remember(said) {
                return Turn::Failed(unwritten(&error));
            }
        }
        if answer.calls().next().is_none() {
            return Turn::NoCalls;
        }
        self.carry_out(answer).await
    }

    /// More tokens than the definition or whoever started it allows.
    fn over_budget(&self) -> Option<Failure> {
        let limits = [self.plan.limits().max_tokens, self.juice];
        let limit = limits.into_iter().flatten().min()?;
        let used = self.usage.total();
        (used >= limit).then(|| Failure {
            kind: FailureKind::TokenLimit,
            message: format!("the agent used {used} tokens of the {limit} it may use"),
        })
    }

    fn finish(self, end: End) -> Ended {
        let limits = *self.plan.limits();
        let failure = |kind, message: String| Some(Failure { kind, message });
        let (status, error) = match &end {
            End::Goal(_) => (Status::Goal, None),
            End::Aborted => {
                (Status::Aborted, failure(FailureKind::Cancelled, "the run was cancelled".into()))
            }
            End::Failed(failure) => (Status::Error, Some(failure.clone())),
            End::Limit(status) => (*status, limit_failure(*status, limits.time, limits.max_turns)),
        };
        let (result, output) = match end {
            End::Goal(handed) => (handed.text, handed.value),
            _ => (self.last_text.clone(), None),
        };
        let elapsed = self.begun.elapsed();
        let rulings = self.rulings.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = Outcome {
            status,
            result,
            output,
            agent_id: self.me.agent_id.clone(),
            agent_type: self.me.agent_type.clone(),
            model: self.plan.models().get(self.model).map(ToString::to_string).unwrap_or_default(),
            llm: self.llm,
            models: self.tried.clone(),
            turns_used: self.turns,
            duration_seconds: seconds(elapsed),
            total_tool_use_count: self.tool_uses,
            total_duration_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            total_tokens: self.usage.total(),
            usage: self.usage.clone(),
            unapproved: rulings.unapproved.iter().cloned().collect(),
            error,
        };
        drop(rulings);
        let mut outcome = self.around.journal.redactor().outcome(outcome);
        if let Err(error) = self.record(What::Completed(Box::new(outcome.clone()))) {
            outcome.status = Status::Error;
            outcome.error = Some(unwritten(&error));
        }
        Ended { outcome, history: self.history }
    }

    fn record(&self, what: What) -> io::Result<()> {
        self.around.journal.record(&self.me, what)
    }

    fn progress(&self) -> Progress {
        let limits = self.plan.limits();
        Progress {
            turns_completed: self.turns,
            max_turns: limits.max_turns,
            elapsed_seconds: seconds(self.clock.elapsed()),
            max_seconds: seconds(limits.time),
            total_tokens: self.usage.total(),
        }
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent").field("me", &self.me).finish_non_exhaustive()
    }
}

/// What is wrong with a run that ended at a limit.
fn limit_failure(status: Status, time: Duration, turns: u32) -> Option<Failure> {
    let (kind, message) = match status {
        Status::Timeout => {
            let message = format!("the agent did not finish within {} s", time.as_secs_f64());
            (FailureKind::Timeout, message)
        }
        Status::MaxTurns => {
            (FailureKind::MaxTurns, format!("the agent did not finish within {turns} turns"))
        }
        _ => {
            let message = "the agent stopped calling tools and did not call `complete_task`";
            (FailureKind::NoCompleteTask, message.to_owned())
        }
    };
    Some(Failure { kind, message })
}

/// What cannot be written down must not go on happening.
fn unwritten(error: &io::Error) -> Failure {
    let message = format!("what happened could not be written down: {error}");
    Failure { kind: FailureKind::Journal, message }
}

fn seconds(duration: Duration) -> f64 {
    // Milliseconds are precise enough, and read better.
    (duration.as_secs_f64() * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests;
