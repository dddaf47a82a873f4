//! What agents are doing, for someone who watches: a fold over events.

use std::{collections::HashMap, time::Duration};

use super::Paint;
use crate::{
    event::{Decision, Event, Failure, Outcome, Progress, Started, Status, What},
    text::one_line,
};

/// The longest description of a task in a line.
const MAX_TASK: usize = 60;

/// The longest label in a line.
const MAX_NOTE: usize = 40;

/// What each agent is doing, and who started whom.
#[derive(Debug, Default)]
pub struct Activity {
    /// The agents that work, by their threads.
    agents: HashMap<String, AgentActivity>,
    /// The labels of agents, whether or not they work.
    notes: HashMap<String, String>,
    /// When each place in the tree was first taken, so that agents keep their order.
    places: HashMap<Vec<String>, usize>,
}

/// What one agent is doing.
#[derive(Debug, Default)]
struct AgentActivity {
    /// The agents from the main one down to it.
    path: Vec<String>,
    progress: Progress,
    /// When its progress was that.
    at: Duration,
    /// Since when its clock stands still.
    stopped: Option<Duration>,
    turn: u32,
    /// Tools at work, by their calls.
    tools: Vec<(String, String)>,
    tokens: u64,
    /// What it is waiting for, if it is.
    waits: Option<String>,
}

impl Activity {
    /// Takes in an event that happens `now`, counted from any moment. Returns a line that is worth
    /// keeping, if there is one.
    pub fn take(&mut self, event: &Event, now: Duration, paint: Paint) -> Option<String> {
        let id = &event.agent.agent_id;
        match &event.what {
            What::Started(started) => {
                let agent = AgentActivity::begin(&event.agent.agent_type, started, now);
                let line = agent.said(&paint.cyan(agent.name()), &starting(started));
                self.take_place(&agent.path);
                self.agents.insert(id.clone(), agent);
                Some(line)
            }
            What::Completed(outcome) => {
                let agent = self.agents.remove(id).unwrap_or_else(|| AgentActivity {
                    path: vec![one_line(&event.agent.agent_type)],
                    ..Default::default()
                });
                Some(agent.ended(outcome, paint))
            }
            What::ThreadNoteUpdated { thread_id, thread_note } => {
                match thread_note {
                    Some(note) => self.notes.insert(thread_id.clone(), note.clone()),
                    None => self.notes.remove(thread_id),
                };
                None
            }
            // What is told to an agent that rests does not make it work.
            what => self.agents.get_mut(id)?.take(what, now, paint),
        }
    }

    /// What is going on now: one line for each agent that works, below the one that started it.
    pub fn lines(&self, now: Duration, paint: Paint) -> Vec<String> {
        let mut agents: Vec<_> = self.agents.iter().collect();
        agents.sort_by_key(|(id, agent)| (self.place(&agent.path), id.as_str()));
        let note = |id: &String| self.notes.get(id).map(String::as_str);
        agents.into_iter().map(|(id, agent)| agent.line(note(id), now, paint)).collect()
    }

    fn take_place(&mut self, path: &[String]) {
        for end in 1..=path.len() {
            let next = self.places.len();
            self.places.entry(path[..end].to_vec()).or_insert(next);
        }
    }

    /// Where `path` stands among all: below what is above it, in the order of the first start.
    fn place(&self, path: &[String]) -> Vec<usize> {
        let above = (1..=path.len()).filter_map(|end| self.places.get(&path[..end]));
        above.copied().collect()
    }
}

impl AgentActivity {
    fn begin(agent_type: &str, started: &Started, now: Duration) -> Self {
        let path = match started.path.as_slice() {
            [] => vec![one_line(agent_type)],
            path => path.iter().map(|name| one_line(name)).collect(),
        };
        Self { path, progress: started.progress, at: now, ..Self::default() }
    }

    fn take(&mut self, what: &What, now: Duration, paint: Paint) -> Option<String> {
        match what {
            What::TurnStart { progress } => {
                self.reach(*progress, now);
                self.turn = progress.turns_completed + 1;
                self.waits = None;
            }
            What::TurnComplete { progress, .. } => {
                self.reach(*progress, now);
                self.tokens = progress.total_tokens;
            }
            What::ToolCallStart { tool_name, call_id, .. } => {
                self.tools.push((call_id.clone(), one_line(tool_name)));
            }
            What::ToolCallEnd { call_id, .. } => self.tools.retain(|(id, _)| id != call_id),
            What::GracePeriodStart { reason, .. } => {
                let what = format!("{}: last chance to hand in a result", limit(*reason));
                return Some(self.said(&paint.yellow(self.name()), &what));
            }
            What::Retry { model, delay_ms, error, next, .. } => {
                let what = self.retries(model, *delay_ms, error, next.as_deref());
                return Some(self.said(&paint.yellow(self.name()), &what));
            }
            What::ApprovalRequest { tool_name, .. } => {
                self.waits = Some(format!("waiting for approval of {}", one_line(tool_name)));
                self.stopped.get_or_insert(now);
            }
            What::ApprovalDecision { decision, .. } => {
                self.waits = None;
                self.at +=
                    self.stopped.take().map_or(Duration::ZERO, |then| now.saturating_sub(then));
                if *decision == Decision::NobodyToAsk {
                    let what = "denied: nobody can be asked";
                    return Some(self.said(&paint.yellow(self.name()), what));
                }
            }
            What::Error { error } => {
                return Some(self.said(&paint.yellow(self.name()), &short(&error.message)));
            }
            What::CollabWaitingBegin(begun) => {
                let (count, plural) = match begun.receiver_thread_ids.len() {
                    1 => (1, ""),
                    count => (count, "s"),
                };
                self.waits = Some(format!("waiting for {count} agent{plural}"));
            }
            What::CollabWaitingEnd(_) => self.waits = None,
            What::CollabAgentSpawnBegin(_)
            | What::CollabAgentSpawnEnd(_)
            | What::CollabAgentInteractionBegin(_)
            | What::CollabAgentInteractionEnd(_)
            | What::CollabCloseBegin(_)
            | What::CollabCloseEnd(_)
            | What::CollabResumeBegin(_)
            | What::CollabResumeEnd(_)
            | What::BackgroundEvent(_)
            | What::UserMessage { .. }
            | What::TextChunk { .. }
            | What::ThoughtChunk { .. }
            | What::GracePeriodEnd { .. }
            | What::ThreadNoteUpdated { .. }
            | What::Started(_)
            | What::Completed(_) => {}
        }
        None
    }

    fn reach(&mut self, progress: Progress, now: Duration) {
        self.progress = progress;
        self.at = now;
    }

    fn retries(
        &mut self,
        model: &str,
        delay_ms: u64,
        error: &Failure,
        next: Option<&str>,
    ) -> String {
        let (model, what) = (one_line(model), short(&error.message));
        if let Some(next) = next {
            return format!("{model}: {what}; asking {}", one_line(next));
        }
        self.waits = Some("waiting to try again".to_owned());
        format!("{model}: {what}; again in {:.1} s", delay_ms as f64 / 1000.0)
    }

    fn ended(&self, outcome: &Outcome, paint: Paint) -> String {
        let (turns, seconds) = (outcome.turns_used, outcome.duration_seconds);
        if outcome.status == Status::Goal {
            let plural = if turns == 1 { "" } else { "s" };
            let what = format!("Completed in {seconds:.1}s ({turns} turn{plural})");
            return self.said(&paint.green(self.name()), &what);
        }
        let what = format!("Ended after {seconds:.1}s: {}", limit(outcome.status));
        self.said(&paint.red(self.name()), &what)
    }

    /// Its kind, and which of it where there are several.
    fn name(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// A line about it, as far to the right as it is down in the tree.
    fn said(&self, name: &str, what: &str) -> String {
        let indent = "  ".repeat(self.path.len().saturating_sub(1));
        format!("{indent}[{name}] {what}")
    }

    fn line(&self, note: Option<&str>, now: Duration, paint: Paint) -> String {
        let Progress { max_turns, max_seconds, elapsed_seconds, .. } = self.progress;
        let since = self.stopped.unwrap_or(now).saturating_sub(self.at);
        let elapsed = (elapsed_seconds + since.as_secs_f64()).floor();
        let doing = match (&self.waits, self.tools.as_slice()) {
            (Some(waits), _) => waits.clone(),
            (None, []) => "thinking".to_owned(),
            (None, [(_, tool)]) => tool.clone(),
            (None, [(_, tool), more @ ..]) => format!("{tool} +{}", more.len()),
        };
        let mut what =
            format!("turn {}/{max_turns} · {elapsed}s/{max_seconds}s · {doing}", self.turn);
        if self.tokens > 0 {
            what.push_str(&format!(" · {} tokens", self.tokens));
        }
        // A label that nobody chose says nothing that the name does not.
        if let Some(note) = note.filter(|note| !note.starts_with("agent_type=")) {
            what.push_str(&format!(" · {}", cut(note, MAX_NOTE)));
        }
        self.said(&paint.cyan(self.name()), &what)
    }
}

fn starting(started: &Started) -> String {
    format!("Starting: {}", short(&started.description))
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
    cut(text, MAX_TASK)
}

fn cut(text: &str, most: usize) -> String {
    let line = one_line(text);
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{AgentRef, CollabBegin};

    fn happens(activity: &mut Activity, id: &str, second: u64, what: What) -> Option<String> {
        let agent = AgentRef { agent_id: id.to_owned(), agent_type: "worker".to_owned() };
        let event = Event { seq: 0, at: String::new(), agent, what };
        activity.take(&event, Duration::from_secs(second), Paint::Plain)
    }

    fn started(path: &[&str]) -> What {
        What::Started(Started {
            description: "Work".to_owned(),
            model: String::new(),
            llm: true,
            tools: Vec::new(),
            cwd: String::new(),
            progress: Progress { max_turns: 9, max_seconds: 60.0, ..Progress::default() },
            path: path.iter().map(ToString::to_string).collect(),
        })
    }

    #[test]
    fn agents_stand_below_those_that_started_them() {
        let mut activity = Activity::default();
        happens(&mut activity, "m", 0, started(&["main"]));
        happens(&mut activity, "b", 0, started(&["main", "worker#1"]));
        happens(&mut activity, "a", 2, started(&["main", "worker#2"]));
        let line = happens(&mut activity, "c", 3, started(&["main", "worker#1", "scout#1"]));
        assert_eq!(line.as_deref(), Some("    [scout#1] Starting: Work"));
        let note = Some("reads\nall".to_owned());
        let labelled = What::ThreadNoteUpdated { thread_id: "a".to_owned(), thread_note: note };
        happens(&mut activity, "a", 3, labelled);
        let both = vec!["a".to_owned(), "b".to_owned()];
        let waits = CollabBegin { receiver_thread_ids: both, ..CollabBegin::default() };
        happens(&mut activity, "m", 3, What::CollabWaitingBegin(waits));
        let lines = activity.lines(Duration::from_secs(5), Paint::Plain);
        assert_eq!(
            lines,
            [
                "[main] turn 0/9 · 5s/60s · waiting for 2 agents",
                "  [worker#1] turn 0/9 · 5s/60s · thinking",
                "    [scout#1] turn 0/9 · 2s/60s · thinking",
                "  [worker#2] turn 0/9 · 3s/60s · thinking · reads all",
            ]
        );
    }

    #[test]
    fn the_clock_stands_still_while_someone_is_asked() {
        let mut activity = Activity::default();
        happens(&mut activity, "m", 0, started(&[]));
        let (call_id, path) = ("c".to_owned(), Vec::new());
        let (tool_name, detail) = ("shell".to_owned(), String::new());
        let asks = What::ApprovalRequest { call_id: call_id.clone(), tool_name, detail, path };
        happens(&mut activity, "m", 2, asks);
        let line = |activity: &Activity, second| {
            activity.lines(Duration::from_secs(second), Paint::Plain).concat()
        };
        let waits = "[worker] turn 0/9 · 2s/60s · waiting for approval of shell";
        assert_eq!(line(&activity, 30), waits);
        let decision = Decision::Approved;
        happens(&mut activity, "m", 30, What::ApprovalDecision { call_id, decision });
        assert_eq!(line(&activity, 31), "[worker] turn 0/9 · 3s/60s · thinking");
    }
}
