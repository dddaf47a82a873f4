//! `agentctl logs`: what happened to a thread, as a transcript that grows while it is read.

use std::fmt::Write as _;

use serde_json::Value;

use super::cut;
use crate::{
    event::{Decision, Event, Outcome, Status, What},
    render::{
        Paint,
        progress::{limit, short},
    },
    store::Thread,
    text::{one_line, printable},
};

/// How many lines of a result are shown.
const MAX_LINES: usize = 20;

/// A transcript. What it returns is to be printed as it is: it may end in the middle of a line.
#[derive(Debug)]
pub struct Log {
    paint: Paint,
    speaking: Speaking,
    /// Whether the next character begins a line.
    fresh: bool,
    ended: bool,
}

/// Who is in the middle of saying something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaking {
    Nobody,
    Thinking,
    Assistant,
}

impl Log {
    /// An empty one.
    pub fn new(paint: Paint) -> Self {
        Self { paint, speaking: Speaking::Nobody, fresh: true, ended: false }
    }

    /// What the agent was told.
    pub fn user(&mut self, text: &str) -> String {
        let mut out = self.silence();
        writeln!(out, "{}", self.paint.bold("user")).ok();
        indented(&mut out, text);
        out
    }

    /// What happened next.
    pub fn take(&mut self, event: &Event) -> String {
        match &event.what {
            What::TextChunk { text } => self.say(Speaking::Assistant, text),
            What::ThoughtChunk { text } => self.say(Speaking::Thinking, text),
            what => {
                let mut out = self.silence();
                self.happen(&mut out, event, what);
                out
            }
        }
    }

    /// Whether the next words begin a line.
    pub fn is_at_line_start(&self) -> bool {
        self.fresh
    }

    /// How the thread ended, if that has not been told.
    pub fn end(&mut self, thread: &Thread) -> String {
        let mut out = self.silence();
        if !std::mem::replace(&mut self.ended, true) {
            match &thread.outcome {
                Some(outcome) => self.completed(&mut out, outcome),
                None => {
                    writeln!(out, "{}", self.paint.yellow(thread.status)).ok();
                }
            }
        }
        out
    }

    /// Ends the line, where what follows is not waited for.
    pub fn pause(&mut self) -> String {
        self.silence()
    }

    /// Ends what is being said.
    fn silence(&mut self) -> String {
        self.speaking = Speaking::Nobody;
        if std::mem::replace(&mut self.fresh, true) { String::new() } else { "\n".to_owned() }
    }

    fn say(&mut self, who: Speaking, text: &str) -> String {
        let mut out = String::new();
        if self.speaking != who {
            out.push_str(&self.silence());
            let title = match who {
                Speaking::Thinking => self.paint.dim("thinking"),
                Speaking::Assistant | Speaking::Nobody => self.paint.bold("assistant"),
            };
            writeln!(out, "{title}").ok();
            self.speaking = who;
        }
        for line in printable(text).split_inclusive('\n') {
            let words = line.strip_suffix('\n').unwrap_or(line);
            if !words.is_empty() {
                out.push_str(if self.fresh { "  " } else { "" });
                match who {
                    Speaking::Thinking => out.push_str(&self.paint.dim(words)),
                    Speaking::Assistant | Speaking::Nobody => out.push_str(words),
                }
            }
            self.fresh = line.ends_with('\n') || (self.fresh && words.is_empty());
            out.push_str(if line.ends_with('\n') { "\n" } else { "" });
        }
        out
    }

    fn happen(&mut self, out: &mut String, event: &Event, what: &What) {
        let paint = self.paint;
        match what {
            What::Started(started) => {
                self.ended = false;
                let name = paint.bold(one_line(&event.agent.agent_type));
                let (model, cwd) = (one_line(&started.model), one_line(&started.cwd));
                writeln!(out, "{name} asks {model} in {cwd}").ok();
            }
            What::ToolCallStart { tool_name, arguments, .. } => {
                let arguments = match arguments {
                    Value::String(text) => text.clone(),
                    value => value.to_string(),
                };
                let name = paint.cyan(one_line(tool_name));
                writeln!(out, "→ {name} {}", cut(&one_line(&arguments))).ok();
            }
            What::ToolCallEnd { tool_name, success, duration_ms, output, .. } => {
                let name = one_line(tool_name);
                let name =
                    if *success { paint.cyan(name) } else { paint.red(format!("{name} failed")) };
                writeln!(out, "← {name} {}", paint.dim(format!("({duration_ms} ms)"))).ok();
                shortened(out, output);
            }
            What::GracePeriodStart { reason, grace_seconds } => {
                let what = limit(*reason);
                let what = format!("{what}: {grace_seconds} s to hand in a result");
                writeln!(out, "{}", paint.yellow(what)).ok();
            }
            What::GracePeriodEnd { success } => {
                let what = if *success { "a result" } else { "nothing" };
                writeln!(out, "{}", paint.yellow(format!("{what} was handed in"))).ok();
            }
            What::Retry { model, delay_ms, error, next, .. } => {
                let (model, what) = (one_line(model), short(&error.message));
                let then = match next {
                    Some(next) => format!("asking {}", one_line(next)),
                    None => format!("again in {:.1} s", *delay_ms as f64 / 1000.0),
                };
                writeln!(out, "{}", paint.yellow(format!("{model}: {what}; {then}"))).ok();
            }
            What::ApprovalRequest { tool_name, detail, .. } => {
                writeln!(out, "{} {}?", paint.yellow("may it use"), one_line(tool_name)).ok();
                shortened(out, detail);
            }
            What::ApprovalDecision { decision, .. } => {
                let answer = match decision {
                    Decision::Approved => "yes",
                    Decision::ApprovedForRun => "yes, from now on",
                    Decision::Denied => "no",
                    Decision::TimedOut => "no: nobody answered in time",
                    Decision::NobodyToAsk => "no: nobody can be asked",
                };
                writeln!(out, "{}", paint.yellow(format!("the answer is {answer}"))).ok();
            }
            What::Error { error } => {
                writeln!(out, "{}", paint.red(format!("error: {}", one_line(&error.message)))).ok();
            }
            What::BackgroundEvent(background) => {
                writeln!(out, "{}", paint.dim(one_line(&background.message))).ok();
            }
            What::UserMessage { text, .. } => {
                writeln!(out, "{} {}", paint.cyan("told:"), one_line(text)).ok();
            }
            What::ThreadNoteUpdated { thread_note, .. } => {
                let note = thread_note.as_deref().map_or_else(|| "none".to_owned(), one_line);
                writeln!(out, "{}", paint.dim(format!("note: {note}"))).ok();
            }
            What::Completed(outcome) => {
                self.ended = true;
                self.completed(out, outcome);
            }
            // The calls that lead to these say the same.
            What::CollabAgentSpawnBegin(_)
            | What::CollabAgentSpawnEnd(_)
            | What::CollabAgentInteractionBegin(_)
            | What::CollabAgentInteractionEnd(_)
            | What::CollabWaitingBegin(_)
            | What::CollabWaitingEnd(_)
            | What::CollabCloseBegin(_)
            | What::CollabCloseEnd(_)
            | What::CollabResumeBegin(_)
            | What::CollabResumeEnd(_)
            | What::TurnStart { .. }
            | What::TurnComplete { .. }
            | What::TextChunk { .. }
            | What::ThoughtChunk { .. } => {}
        }
    }

    fn completed(&self, out: &mut String, outcome: &Outcome) {
        let seconds = outcome.duration_seconds;
        let turns = match outcome.turns_used {
            1 => "1 turn".to_owned(),
            turns => format!("{turns} turns"),
        };
        let cost = self.paint.dim(format!("({turns}, {} tokens)", outcome.total_tokens));
        let what = match outcome.status {
            Status::Goal => self.paint.green(format!("completed in {seconds:.1} s")),
            status => {
                let ended = format!("ended after {seconds:.1} s: {}", limit(status));
                self.paint.red(ended)
            }
        };
        writeln!(out, "{what} {cost}").ok();
        if let Some(error) = &outcome.error {
            indented(out, &error.message);
        }
        if outcome.status == Status::Goal && !outcome.result.is_empty() {
            indented(out, &outcome.result);
        }
    }
}

/// `text`, two columns to the right.
fn indented(out: &mut String, text: &str) {
    for line in printable(text.trim_end()).lines() {
        writeln!(out, "{}", format!("  {line}").trim_end()).ok();
    }
}

/// The first lines of `text`, and how many more there are.
fn shortened(out: &mut String, text: &str) {
    let text = printable(text.trim_end());
    let mut lines = text.lines();
    for line in lines.by_ref().take(MAX_LINES) {
        writeln!(out, "{}", format!("  {}", cut(line)).trim_end()).ok();
    }
    match lines.count() {
        0 => {}
        1 => out.push_str("  … 1 more line\n"),
        more => writeln!(out, "  … {more} more lines").unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::AgentRef;

    fn log(events: &[What]) -> String {
        let mut log = Log::new(Paint::Plain);
        let agent = AgentRef { agent_id: "a".to_owned(), agent_type: "t".to_owned() };
        events
            .iter()
            .map(|what| {
                let (agent, what) = (agent.clone(), what.clone());
                log.take(&Event { seq: 0, at: String::new(), agent, what })
            })
            .collect()
    }

    #[test]
    fn chunks_are_put_together_however_they_are_cut() {
        let text = |text: &str| What::TextChunk { text: text.to_owned() };
        let thought = |text: &str| What::ThoughtChunk { text: text.to_owned() };
        let said = [thought("hm"), thought("m"), text("on"), text("e\n"), text("\ntw"), text("o")];
        let mut said = said.to_vec();
        said.push(What::GracePeriodEnd { success: false });
        let expected = "thinking\n  hmm\nassistant\n  one\n\n  two\nnothing was handed in\n";
        assert_eq!(log(&said), expected);
    }

    #[test]
    fn nothing_that_repaints_a_terminal_gets_through() {
        let evil = "a\u{1b}[2Jb\u{9b}c\rd".to_owned();
        let said = log(&[
            What::TextChunk { text: evil.clone() },
            What::ToolCallStart {
                tool_name: evil.clone(),
                call_id: String::new(),
                arguments: Value::String(evil.clone()),
            },
            What::ToolCallEnd {
                tool_name: evil.clone(),
                call_id: String::new(),
                success: false,
                duration_ms: 1,
                output: evil,
            },
        ]);
        assert!(said.chars().all(crate::text::is_printable), "{said:?}");
    }

    #[test]
    fn long_results_are_shortened_and_say_so() {
        let result = |lines: usize| {
            let mut out = String::new();
            shortened(&mut out, &"x\n".repeat(lines));
            out
        };
        assert_eq!(result(20).lines().count(), 20);
        assert!(result(21).ends_with("  x\n  … 1 more line\n"));
        assert!(result(50).ends_with("  x\n  … 30 more lines\n"));
        let mut out = String::new();
        shortened(&mut out, &"x".repeat(1_000));
        assert!(out.ends_with("x…\n") && out.chars().count() < 500, "{out}");
    }
}
