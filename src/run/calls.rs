//! Carrying out the calls of a turn: side by side, one result for each, in call order.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::future::join_all;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{
    Agent, Rulings, Turn,
    approval::{Gate, Question, gate},
    unwritten,
};
use crate::{
    authority::COMPLETE_TASK,
    conversation::{Answer, Message, ToolCall, ToolResult},
    event::{Decision, Failure, FailureKind, What},
    plan::{ApprovalMode, Handed},
    tools::{CallCx, Tool, ToolError},
};

/// The longest result a model gets, whatever a tool returns.
const MAX_OUTPUT: usize = 100_000;

/// A tool knows its own limit and says more when it reaches it; this is for one that does not.
const MARGIN: Duration = Duration::from_secs(2);

/// What a call came to.
enum Done {
    /// A result for the model.
    Told(String),
    /// The result of the run.
    Handed(Handed),
    /// A failure the model is told about.
    Failed(String),
    /// The run cannot go on.
    Broken(Failure),
}

/// A call that is over.
struct Finished {
    result: ToolResult,
    /// What it handed in.
    handed: Option<Handed>,
    /// Why the run cannot go on.
    broken: Option<Failure>,
}

/// A call's place among the results of its turn.
type Slot = Mutex<Option<Finished>>;

impl Agent {
    /// Carries out the calls of `answer` and remembers their results.
    pub(super) async fn carry_out(&mut self, answer: &Answer) -> Turn {
        let calls: Vec<ToolCall> = answer.calls().cloned().collect();
        self.tool_uses += calls.len() as u64;
        let ids: Vec<String> =
            calls.iter().enumerate().map(|(at, call)| self.call_id(call, at)).collect();
        let slots: Vec<Slot> = calls.iter().map(|_| Slot::default()).collect();
        let begun = Instant::now();
        let all = join_all(calls.iter().zip(&ids).zip(&slots).map(|((call, id), slot)| async {
            let (done, took) = self.carry_out_one(call, id).await;
            let finished = self.ended(call, id, done, took);
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(finished);
        }));
        let stopped = tokio::select! {
            biased;
            () = self.around.cancel.cancelled() => Some("the run was cancelled"),
            _ = all => None,
            () = self.clock.expired() => Some("the time limit was reached"),
            () = self.around.inbox.interrupted() => Some("something more urgent came in"),
        };
        let mut results = Vec::with_capacity(calls.len());
        let (mut handed, mut broken) = (None, None);
        for ((call, id), slot) in calls.iter().zip(&ids).zip(slots) {
            let slot = slot.into_inner().unwrap_or_else(PoisonError::into_inner);
            let finished = slot.unwrap_or_else(|| {
                let why = stopped.unwrap_or("its result was lost");
                let done = Done::Failed(format!("the call was stopped: {why}"));
                self.ended(call, id, done, begun.elapsed())
            });
            results.push(finished.result);
            // Of several results that fit, the first counts.
            handed = handed.or(finished.handed);
            broken = broken.or(finished.broken);
        }
        if let Err(error) = self.remember(Message::Results { results }) {
            return Turn::Failed(unwritten(&error));
        }
        match (handed, broken) {
            (Some(handed), _) => Turn::Goal(handed),
            (None, Some(failure)) => Turn::Failed(failure),
            (None, None) if self.around.cancel.is_cancelled() => Turn::Aborted,
            (None, None) if self.clock.left().is_zero() => Turn::TimedOut,
            (None, None) => Turn::Continue,
        }
    }

    /// Writes down what a call came to.
    fn ended(&self, call: &ToolCall, id: &str, done: Done, took: Duration) -> Finished {
        let (mut handed, mut broken) = (None, None);
        let (content, is_error) = match done {
            Done::Told(text) => (text, false),
            Done::Failed(text) => (text, true),
            Done::Handed(result) => {
                handed = Some(result);
                ("The result was handed in.".to_owned(), false)
            }
            Done::Broken(failure) => {
                let text = failure.message.clone();
                broken = Some(failure);
                (text, true)
            }
        };
        let content = self.around.journal.redactor().text(&capped(content)).into_owned();
        let ended = What::ToolCallEnd {
            tool_name: call.name.clone(),
            call_id: id.to_owned(),
            success: !is_error,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            output: content.clone(),
        };
        if let Err(error) = self.record(ended) {
            broken = Some(unwritten(&error));
        }
        let (call_id, name) = (call.id.clone(), call.name.clone());
        Finished { result: ToolResult { call_id, name, content, is_error }, handed, broken }
    }

    /// What ties events to a call. Providers that give no ids get one that is unique in the run.
    fn call_id(&self, call: &ToolCall, at: usize) -> String {
        if call.id.is_empty() { format!("{}-{}", self.turns, at + 1) } else { call.id.clone() }
    }

    /// Carries out a call; says how long that took, without waiting for people.
    async fn carry_out_one(&self, call: &ToolCall, id: &str) -> (Done, Duration) {
        let (tool, arguments) = match self.prepare(call, id).await {
            Ok(ready) => ready,
            Err(done) => return (done, Duration::ZERO),
        };
        let begun = Instant::now();
        let limit = if tool.is_timed() { self.around.patience.tool } else { Duration::MAX };
        let called = tool.call(self.cx(id), arguments);
        let done = match tokio::time::timeout(limit.saturating_add(MARGIN), called).await {
            Ok(Ok(text)) => Done::Told(text),
            Ok(Err(ToolError::Refused(why))) => Done::Failed(why),
            Ok(Err(ToolError::Broken(why))) => Done::Broken(Failure {
                kind: FailureKind::ToolBroken,
                message: format!("`{}` cannot work here: {why}", call.name),
            }),
            Err(_) => {
                Done::Failed(format!("`{}` took longer than {} s", call.name, limit.as_secs()))
            }
        };
        (done, begun.elapsed())
    }

    /// A tool that may be used and what to use it with; otherwise what the call came to.
    async fn prepare(&self, call: &ToolCall, id: &str) -> Result<(Arc<dyn Tool>, Value), Done> {
        let parsed = serde_json::from_str::<Value>(&call.arguments);
        let written = || Value::String(call.arguments.clone());
        self.record(What::ToolCallStart {
            tool_name: call.name.clone(),
            call_id: id.to_owned(),
            arguments: parsed.as_ref().map_or_else(|_| written(), Value::clone),
        })
        .map_err(|error| Done::Broken(unwritten(&error)))?;
        let arguments = arguments(call, parsed)?;
        if call.name == COMPLETE_TASK {
            return Err(self.hand_in(&arguments));
        }
        let Some((_, tool)) = self.tools.iter().find(|(name, _)| *name == call.name) else {
            return Err(self.unavailable(call));
        };
        let arguments = Value::Object(arguments);
        self.approve(&**tool, call, id, &arguments).await?;
        Ok((Arc::clone(tool), arguments))
    }

    /// What a tool is called with.
    fn cx<'a>(&'a self, call_id: &'a str) -> CallCx<'a> {
        CallCx { tools: &self.around.cx, agent: &self.me, call_id, history: &self.history }
    }

    fn hand_in(&self, arguments: &Map<String, Value>) -> Done {
        match self.plan.output().check(arguments) {
            Ok(handed) => Done::Handed(handed),
            Err(problems) => Done::Failed(format!(
                "the result was not accepted:\n{}\nCorrect it and call `{COMPLETE_TASK}` again.",
                problems.iter().map(|one| format!("- {one}")).collect::<Vec<_>>().join("\n")
            )),
        }
    }

    /// A tool that does not exist, or that the agent does not have.
    fn unavailable(&self, call: &ToolCall) -> Done {
        let verdict = self.plan.verdicts().iter().find(|verdict| verdict.tool == call.name);
        let available: Vec<_> = self.specs.iter().map(|spec| format!("`{}`", spec.name)).collect();
        let why = match verdict {
            Some(verdict) if !verdict.granted => {
                format!("`{}` is not available to this agent: {}", call.name, verdict.reason)
            }
            Some(_) => format!("`{}` is no longer available", call.name),
            None => format!("there is no tool called `{}`", call.name),
        };
        let message = format!("{why}; there are {}", available.join(", "));
        let error = Failure { kind: FailureKind::ToolUnauthorized, message: message.clone() };
        match self.record(What::Error { error }) {
            Ok(()) => Done::Failed(message),
            Err(error) => Done::Broken(unwritten(&error)),
        }
    }

    /// Makes sure that the call may happen.
    async fn approve(
        &self,
        tool: &dyn Tool,
        call: &ToolCall,
        id: &str,
        arguments: &Value,
    ) -> Result<(), Done> {
        let name = &call.name;
        // What one call asks in particular says nothing about the next.
        let special = tool.asks(self.cx(id), arguments);
        let what =
            special.as_ref().map_or_else(|| name.clone(), |asked| format!("{name}: {asked}"));
        let gate = match &special {
            None => gate(tool.effect(), self.plan.approval(), self.plan.sandbox()),
            Some(_) if self.plan.approval() == ApprovalMode::Suppress => Gate::Shut,
            Some(_) => Gate::Ask,
        };
        match gate {
            Gate::Open => return Ok(()),
            Gate::Shut => {
                return Err(Done::Failed(format!(
                    "`{name}` needs an approval, and this agent's definition says that nobody is \
                     asked"
                )));
            }
            Gate::Ask => {}
        }
        if self.rulings().approved.contains(&what) {
            return Ok(());
        }
        let detail = special.unwrap_or_else(|| tool.preview(&self.around.cx, arguments));
        let decision = self.decision(name, &what, id, detail).await?;
        match decision {
            Decision::Approved | Decision::ApprovedForRun => Ok(()),
            Decision::Denied => Err(Done::Failed(format!(
                "the user refused this call of `{name}`. Do not try it again; acknowledge it and go \
                 on without it, or finish and say what is missing."
            ))),
            Decision::TimedOut => Err(Done::Failed(format!(
                "`{name}` needs an approval and nobody answered in time, so it was not carried out. \
                 Go on without it, or finish and say what is missing."
            ))),
            Decision::NobodyToAsk => {
                self.rulings().unapproved.insert(name.clone());
                Err(Done::Failed(format!(
                    "`{name}` needs an approval and nobody can be asked. Go on without it, or finish \
                     and say what is missing."
                )))
            }
        }
    }

    /// What someone says about `what`. The agent's clock stands still meanwhile.
    async fn decision(
        &self,
        tool: &str,
        what: &str,
        id: &str,
        detail: String,
    ) -> Result<Decision, Done> {
        let unwritten = |error: std::io::Error| Done::Broken(unwritten(&error));
        let path = self.around.path.to_vec();
        self.record(What::ApprovalRequest {
            call_id: id.to_owned(),
            tool_name: tool.to_owned(),
            detail: detail.clone(),
            path: path.clone(),
        })
        .map_err(unwritten)?;
        let (agent, tool, call_id) = (self.me.clone(), tool.to_owned(), id.to_owned());
        let question = Question { agent, path, call_id, tool, detail };
        let decision = {
            let _stopped = self.clock.stop();
            let _asking = self.asking.lock().await;
            // The answer to the question before may have answered this one, too.
            let decision = if self.rulings().approved.contains(what) {
                Decision::Approved
            } else {
                let asked = self.around.approver.ask(&question);
                let limit = self.around.patience.approval;
                tokio::time::timeout(limit, asked).await.unwrap_or(Decision::TimedOut)
            };
            if decision == Decision::ApprovedForRun {
                self.rulings().approved.insert(what.to_owned());
            }
            decision
        };
        self.record(What::ApprovalDecision { call_id: id.to_owned(), decision })
            .map_err(unwritten)?;
        Ok(decision)
    }

    fn rulings(&self) -> MutexGuard<'_, Rulings> {
        self.rulings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The arguments of a call, if they are what they must be.
fn arguments(
    call: &ToolCall,
    parsed: Result<Value, serde_json::Error>,
) -> Result<Map<String, Value>, Done> {
    match parsed {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err(Done::Failed("the arguments must be a JSON object".to_owned())),
        // Some providers send nothing where there are no arguments.
        Err(_) if call.arguments.trim().is_empty() => Ok(Map::new()),
        Err(error) => Err(Done::Failed(format!(
            "the arguments of `{}` are not valid JSON: {error}; send them again as one JSON object",
            call.name
        ))),
    }
}

/// `text`, cut in the middle if it is too long.
fn capped(text: String) -> String {
    if text.len() <= MAX_OUTPUT {
        return text;
    }
    let head = text.floor_char_boundary(MAX_OUTPUT / 2);
    let tail = text.ceil_char_boundary(text.len() - MAX_OUTPUT / 2);
    let left_out = text[head..tail].chars().count();
    format!("{}\n[… {left_out} characters left out …]\n{}", &text[..head], &text[tail..])
}
