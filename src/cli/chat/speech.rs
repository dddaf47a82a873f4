//! What the main agent says, as it says it, and how each of its turns ended.

use crate::{
    event::{Event, Outcome, Status, What},
    text::printable,
};

/// Finds the main agent's words in the stream of events.
#[derive(Debug)]
pub(super) struct Speech {
    main: String,
    /// The last line has not ended.
    open: bool,
    /// What was said in the present turn.
    said: String,
}

/// What an event adds to what was said.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// What follows, safe to print.
    pub text: String,
    /// How the agent's work ended, if it has.
    pub end: Option<End>,
}

/// How the agent's work ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct End {
    /// What went wrong, in words.
    pub problems: Vec<String>,
    /// Whether it did not reach its goal.
    pub failed: bool,
    /// Whether someone stopped it.
    pub aborted: bool,
    /// Whether no language model was asked.
    pub offline: bool,
}

impl Speech {
    /// Of the agent with the thread `main`.
    pub fn of(main: &str) -> Self {
        Self { main: main.to_owned(), open: false, said: String::new() }
    }

    /// Whether `event` is about the agent.
    pub fn is_about(&self, event: &Event) -> bool {
        event.agent.agent_id == self.main
    }

    pub fn take(&mut self, event: &Event) -> Said {
        if !self.is_about(event) {
            return Said::default();
        }
        let mut text = String::new();
        match &event.what {
            What::TurnStart { .. } => self.said.clear(),
            What::TextChunk { text: more } => {
                let more = printable(more);
                self.said.push_str(&more);
                text.push_str(&more);
                self.open = if more.is_empty() { self.open } else { !more.ends_with('\n') };
            }
            What::TurnComplete { .. } | What::Retry { .. } | What::Error { .. } => {
                text.push_str(self.end_line());
            }
            What::Completed(outcome) => {
                text.push_str(self.end_line());
                let result = printable(outcome.result.trim());
                if outcome.status == Status::Goal && result != self.said.trim() {
                    text.push_str(&format!("{result}\n"));
                }
                return Said { text, end: Some(End::of(outcome)) };
            }
            _ => {}
        }
        Said { text, end: None }
    }

    fn end_line(&mut self) -> &'static str {
        if std::mem::take(&mut self.open) { "\n" } else { "" }
    }
}

impl End {
    fn of(outcome: &Outcome) -> Self {
        let aborted = outcome.status == Status::Aborted;
        let error = outcome.error.as_ref().filter(|_| !aborted);
        let mut problems: Vec<String> =
            error.map(|error| error.message.clone()).into_iter().collect();
        if !outcome.unapproved.is_empty() {
            let tools: Vec<_> = outcome.unapproved.iter().map(|tool| format!("`{tool}`")).collect();
            let tools = tools.join(", ");
            problems.push(format!("{tools} needed an approval, and nobody could be asked"));
        }
        let failed = outcome.status != Status::Goal;
        Self { problems, failed, aborted, offline: !outcome.llm }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{AgentRef, Failure, FailureKind, Progress};

    fn event(id: &str, what: What) -> Event {
        let agent = AgentRef { agent_id: id.to_owned(), agent_type: "a".to_owned() };
        Event { seq: 0, at: String::new(), agent, what }
    }

    fn says(text: &str) -> What {
        What::TextChunk { text: text.to_owned() }
    }

    fn completed(result: &str) -> What {
        let agent = AgentRef { agent_id: "m".to_owned(), agent_type: "a".to_owned() };
        let failure = Failure { kind: FailureKind::Server, message: String::new() };
        let outcome = Outcome::failed(&agent, String::new(), failure);
        let result = result.to_owned();
        What::Completed(Box::new(Outcome { status: Status::Goal, result, error: None, ..outcome }))
    }

    fn spoken(events: Vec<(&str, What)>) -> String {
        let mut speech = Speech::of("m");
        events.into_iter().map(|(id, what)| speech.take(&event(id, what)).text).collect()
    }

    #[test]
    fn only_the_main_agent_speaks_and_each_turn_ends_its_line() {
        let turn = || What::TurnStart { progress: Progress::default() };
        let over =
            || What::TurnComplete { progress: Progress::default(), usage: Default::default() };
        let text = spoken(vec![
            ("m", turn()),
            ("m", says("Lo")),
            ("x", says("no")),
            ("m", says("ok\x1b[2J.")),
            ("m", over()),
            ("m", turn()),
            ("m", says("Done.")),
            ("m", over()),
            ("m", completed("Done.")),
        ]);
        assert_eq!(text, "Look\u{fffd}[2J.\nDone.\n");
    }

    #[test]
    fn a_result_that_was_handed_in_is_said() {
        assert_eq!(spoken(vec![("m", says("Hm.")), ("m", completed("42"))]), "Hm.\n42\n");
    }
}
