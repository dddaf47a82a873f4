//! What agents are doing, for someone who watches: a fold over events.

use std::collections::BTreeMap;

use super::Paint;
use crate::{
    event::{Decision, Event, Progress, Status, What},
    text::one_line,
};

/// The longest description of a task in a line.
const MAX_TASK: usize = 60;

/// What each agent is doing.
#[derive(Debug, Default)]
pub struct Activity {
    agents: BTreeMap<String, AgentActivity>,
}

/// What one agent is doing.
#[derive(Debug, Default)]
struct AgentActivity {
    agent_type: String,
    progress: Progress,
    turn: u32,
    /// Tools at work, by their calls.
    tools: Vec<(String, String)>,
    tokens: u64,
    /// What it is waiting for, if it is.
    waits: Option<String>,
}

impl Activity {
    /// Takes in an event. Returns a line that is worth keeping, if there is one.
    pub fn take(&mut self, event: &Event, paint: Paint) -> Option<String> {
        let name = one_line(&event.agent.agent_type);
        let agent = self.agents.entry(event.agent.agent_id.clone()).or_default();
        match &event.what {
            What::Started(started) => {
                agent.agent_type.clone_from(&name);
                agent.progress = started.progress;
                let task = short(&started.description);
                return Some(format!("[{}] Starting: {task}", paint.cyan(name)));
            }
            What::TurnStart { progress } => {
                agent.progress = *progress;
                agent.turn = progress.turns_completed + 1;
                agent.waits = None;
            }
            What::TurnComplete { progress, .. } => {
                agent.progress = *progress;
                agent.tokens = progress.total_tokens;
            }
            What::ToolCallStart { tool_name, call_id, .. } => {
                agent.tools.push((call_id.clone(), one_line(tool_name)));
            }
            What::ToolCallEnd { call_id, .. } => agent.tools.retain(|(id, _)| id != call_id),
            What::GracePeriodStart { reason, .. } => {
                let what = limit(*reason);
                return Some(format!(
                    "[{}] {what}: last chance to hand in a result",
                    paint.yellow(name)
                ));
            }
            What::Retry { model, delay_ms, error, next, .. } => {
                let what = short(&error.message);
                return Some(match next {
                    Some(next) => {
                        format!("[{}] {model}: {what}; asking {next}", paint.yellow(name))
                    }
                    None => {
                        let seconds = *delay_ms as f64 / 1000.0;
                        agent.waits = Some("waiting to try again".to_owned());
                        format!("[{}] {model}: {what}; again in {seconds:.1} s", paint.yellow(name))
                    }
                });
            }
            What::ApprovalRequest { tool_name, .. } => {
                agent.waits = Some(format!("waiting for approval of {}", one_line(tool_name)));
            }
            What::ApprovalDecision { decision, .. } => {
                agent.waits = None;
                if *decision == Decision::NobodyToAsk {
                    return Some(format!("[{}] denied: nobody can be asked", paint.yellow(name)));
                }
            }
            What::Error { error } => {
                return Some(format!("[{}] {}", paint.yellow(name), short(&error.message)));
            }
            What::Completed(outcome) => {
                self.agents.remove(&event.agent.agent_id);
                let (turns, seconds) = (outcome.turns_used, outcome.duration_seconds);
                return Some(match outcome.status {
                    Status::Goal => {
                        let plural = if turns == 1 { "" } else { "s" };
                        let name = paint.green(name);
                        format!("[{name}] Completed in {seconds:.1}s ({turns} turn{plural})")
                    }
                    status => format!(
                        "[{}] Ended after {seconds:.1}s: {}",
                        paint.red(name),
                        limit(status)
                    ),
                });
            }
            What::CollabWaitingBegin(begun) => {
                let (count, plural) = match begun.receiver_thread_ids.len() {
                    1 => (1, ""),
                    count => (count, "s"),
                };
                agent.waits = Some(format!("waiting for {count} agent{plural}"));
            }
            What::CollabWaitingEnd(_) => agent.waits = None,
            What::CollabAgentSpawnBegin(_)
            | What::CollabAgentSpawnEnd(_)
            | What::CollabAgentInteractionBegin(_)
            | What::CollabAgentInteractionEnd(_)
            | What::CollabCloseBegin(_)
            | What::CollabCloseEnd(_)
            | What::CollabResumeBegin(_)
            | What::CollabResumeEnd(_)
            | What::BackgroundEvent(_)
            | What::ThreadNoteUpdated { .. }
            | What::UserMessage { .. }
            | What::TextChunk { .. }
            | What::ThoughtChunk { .. }
            | What::GracePeriodEnd { .. } => {}
        }
        None
    }

    /// What is going on, `since` seconds after the last turn began: one line for each agent.
    pub fn lines(&self, since: f64, paint: Paint) -> Vec<String> {
        self.agents.values().map(|agent| agent.line(since, paint)).collect()
    }
}

impl AgentActivity {
    fn line(&self, since: f64, paint: Paint) -> String {
        let Progress { max_turns, max_seconds, elapsed_seconds, .. } = self.progress;
        let elapsed = (elapsed_seconds + since).floor();
        let doing = match (&self.waits, self.tools.as_slice()) {
            (Some(waits), _) => waits.clone(),
            (None, []) => "thinking".to_owned(),
            (None, [(_, tool)]) => tool.clone(),
            (None, [(_, tool), more @ ..]) => format!("{tool} +{}", more.len()),
        };
        let tokens =
            if self.tokens == 0 { String::new() } else { format!(" · {} tokens", self.tokens) };
        format!(
            "[{}] turn {}/{max_turns} · {elapsed}s/{max_seconds}s · {doing}{tokens}",
            paint.cyan(&self.agent_type),
            self.turn
        )
    }
}

/// What a status means to someone who watches.
pub(super) fn limit(status: Status) -> &'static str {
    match status {
        Status::Goal => "done",
        Status::Timeout => "out of time",
        Status::MaxTurns => "out of turns",
        Status::Aborted => "cancelled",
        Status::Error => "failed",
        Status::ErrorNoCompleteTaskCall => "stopped without a result",
    }
}

/// `text` in one line that is not too long.
pub(super) fn short(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(MAX_TASK) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
