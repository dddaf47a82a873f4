//! Calls attention to agents that have ended, where someone waits for them at a terminal and looks
//! elsewhere.

use std::{
    io::{self, IsTerminal as _, Write as _},
    time::Duration,
};

use anyhow::Result;

use super::{focus::Focus, stored, world::World};
use crate::{
    config::Notification,
    event::{AgentStatus, Background, Outcome, Status},
    store::{Thread, ThreadStatus},
    text::one_line,
};

/// The longest text of a notification, in characters.
const MAX_TEXT: usize = 200;

/// How much of an agent's name is shown.
const SHORT: usize = 13;

/// Parts of `TERM_PROGRAM`, `LC_TERMINAL` and `TERM` that name terminals which show the text of OSC 9.
const TERMINALS: &[&str] = &["iterm", "wezterm", "ghostty", "kitty"];

/// Variables that such terminals set. Within tmux, the others tell of tmux.
const MARKS: &[&str] =
    &["ITERM_SESSION_ID", "WEZTERM_PANE", "KITTY_WINDOW_ID", "GHOSTTY_RESOURCES_DIR"];

/// Calls attention to what has ended, or keeps quiet where nobody would see it or wants it.
#[derive(Debug)]
pub(super) struct Notifier {
    way: Option<Way>,
    focus: Option<Focus>,
}

/// How a terminal calls attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Way {
    /// It shows a text.
    text: bool,
    /// The text has to be passed through tmux.
    tmux: bool,
    bell: bool,
}

/// How a wait ended.
pub(super) enum Waited<T> {
    /// With what was waited for.
    Found(T),
    /// There was nothing in time.
    TimedOut,
    /// Someone stopped it.
    Cancelled,
}

/// Waits until `look` finds something, and then calls attention to the threads in it, unless they
/// were there at once.
pub(super) fn until<T>(
    world: &mut World,
    patience: Duration,
    mut look: impl FnMut() -> Result<Option<T>>,
    threads: impl Fn(&T) -> Vec<&Thread>,
) -> Result<Waited<T>> {
    if let Some(found) = look()? {
        return Ok(Waited::Found(found));
    }
    if patience.is_zero() {
        return Ok(Waited::TimedOut);
    }
    let notifier = Notifier::new(world)?.watching_focus();
    let waited = stored::until(stored::after(patience), || {
        if notifier.is_cancelled() {
            return Ok(Some(Waited::Cancelled));
        }
        Ok(look()?.map(Waited::Found))
    })?;
    if let Some(Waited::Found(found)) = &waited {
        threads(found).into_iter().for_each(|thread| notifier.ended(thread));
    }
    Ok(waited.unwrap_or(Waited::TimedOut))
}

impl Notifier {
    /// One for this process's terminal, as far as there is one and the settings want it.
    pub fn new(world: &mut World) -> Result<Self> {
        let quiet =
            world.variable("CI").is_some() || world.variable("TERM").is_some_and(|t| t == "dumb");
        if quiet || !io::stderr().is_terminal() {
            return Ok(Self { way: None, focus: None });
        }
        let wanted = world.settings()?.tui.notifies(Notification::SubAgentComplete);
        let way = wanted.then(|| Way::of(|name| world.variable(name)));
        Ok(Self { way, focus: None })
    }

    /// The same, but quiet while the terminal has the focus. Until it is dropped, it reads all that
    /// comes from the terminal, so nobody else may; and what would end this process only shows in
    /// [`Self::is_cancelled`].
    pub fn watching_focus(self) -> Self {
        // In a pipeline, others may read from the terminal.
        let alone = io::stdin().is_terminal() && io::stdout().is_terminal();
        let focus = self.way.filter(|_| alone).and_then(|_| Focus::watch());
        Self { focus, ..self }
    }

    /// Whether someone asked this process to end.
    pub fn is_cancelled(&self) -> bool {
        self.focus.as_ref().is_some_and(Focus::is_cancelled)
    }

    /// `thread` has ended.
    pub fn ended(&self, thread: &Thread) {
        let (agent_type, id) = (&thread.begun.agent_type, &thread.begun.id);
        match (thread.status, &thread.outcome) {
            (ThreadStatus::Shutdown, _) => self.call(agent_type, id, "was closed"),
            (ThreadStatus::Interrupted, _) => self.call(agent_type, id, "was stopped"),
            (_, Some(outcome)) => self.completed(outcome),
            (_, None) => self.call(agent_type, id, "failed"),
        }
    }

    /// An agent has ended like this.
    pub fn completed(&self, outcome: &Outcome) {
        let what = match (outcome.status, &outcome.error) {
            (Status::Goal, _) => format!("completed in {}", span(outcome.duration_seconds)),
            (_, Some(error)) => format!("failed: {}", error.message),
            (status, None) => format!("failed: {}", status.name()),
        };
        self.call(&outcome.agent_type, &outcome.agent_id, &what);
    }

    /// An agent that nobody waited for has ended, as its parent is told.
    pub fn background(&self, background: &Background) {
        // Whoever closes an agent knows that it ends.
        if background.is_final && background.status != AgentStatus::Shutdown {
            self.tell(&background.message);
        }
    }

    fn call(&self, agent_type: &str, id: &str, what: &str) {
        let short = id.get(..SHORT).unwrap_or(id);
        self.tell(&format!("agent {agent_type} ({short}) {what}"));
    }

    fn tell(&self, text: &str) {
        let Some(way) = self.way else { return };
        if self.focus.as_ref().is_some_and(Focus::is_focused) {
            return;
        }
        let sequence = way.sequence(text);
        let mut err = io::stderr().lock();
        // Whoever closed the terminal need not be called.
        err.write_all(sequence.as_bytes()).and_then(|()| err.flush()).ok();
    }
}

impl Way {
    /// What the terminal these variables tell of understands.
    fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let mut named = ["TERM_PROGRAM", "LC_TERMINAL", "TERM"].into_iter().filter_map(&variable);
        let known = |name: String| {
            let name = name.to_ascii_lowercase();
            TERMINALS.iter().any(|known| name.contains(known))
        };
        let set = |name: &str| variable(name).is_some();
        // Windows Terminal takes the text, but not every version shows it.
        let windows = set("WT_SESSION");
        let text = named.any(known) || MARKS.iter().any(|name| set(name));
        let tmux = set("TMUX");
        // tmux passes nothing through unless it is told to.
        Self { text: text || windows, tmux, bell: tmux || windows || !text }
    }

    /// What is written to the terminal.
    fn sequence(self, text: &str) -> String {
        let mut sequence = String::new();
        if self.text {
            let text: String = one_line(text).chars().take(MAX_TEXT).collect();
            sequence += &match self.tmux {
                true => format!("\x1bPtmux;\x1b\x1b]9;{text}\x07\x1b\\"),
                false => format!("\x1b]9;{text}\x07"),
            };
        }
        if self.bell {
            sequence.push('\x07');
        }
        sequence
    }
}

/// A time span in a few characters.
fn span(seconds: f64) -> String {
    let whole = seconds as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3_600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3_600, whole % 3_600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(variables: &[(&str, &str)]) -> Way {
        Way::of(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn terminals_get_what_they_understand() {
        let bell = Way { text: false, tmux: false, bell: true };
        let text = Way { text: true, tmux: false, bell: false };
        assert_eq!(way(&[("TERM", "xterm-256color")]), bell);
        assert_eq!(way(&[("TERM_PROGRAM", "Apple_Terminal")]), bell);
        for (name, value) in [
            ("TERM_PROGRAM", "iTerm.app"),
            ("TERM_PROGRAM", "WezTerm"),
            ("TERM_PROGRAM", "ghostty"),
            ("TERM", "xterm-kitty"),
            ("TERM", "xterm-ghostty"),
            ("TERM", "wezterm"),
            ("KITTY_WINDOW_ID", "1"),
        ] {
            assert_eq!(way(&[(name, value)]), text, "{name}={value}");
        }
        assert_eq!(way(&[("WT_SESSION", "x")]), Way { bell: true, ..text });
        let tmux = [("TERM_PROGRAM", "tmux"), ("TMUX", "/tmp/x"), ("WEZTERM_PANE", "0")];
        assert_eq!(way(&tmux), Way { text: true, tmux: true, bell: true });
        assert_eq!(way(&tmux[..2]), Way { text: false, tmux: true, bell: true });
    }

    #[test]
    fn nothing_in_the_text_ends_it() {
        let text = Way { text: true, tmux: false, bell: false };
        let evil = text.sequence("a\x07b\x1b\\c\u{9c}d\ne");
        let inside = evil.strip_prefix("\x1b]9;").and_then(|rest| rest.strip_suffix('\x07'));
        assert!(inside.is_some_and(|text| !text.contains(char::is_control)), "{evil:?}");
        assert_eq!(text.sequence(&"x".repeat(999)).chars().count(), MAX_TEXT + 5);
        let wrapped = Way { tmux: true, bell: true, ..text }.sequence("x");
        assert_eq!(wrapped, "\x1bPtmux;\x1b\x1b]9;x\x07\x1b\\\x07");
    }

    #[test]
    fn time_spans_are_short() {
        assert_eq!([1.25, 61.0, 7_260.0].map(span), ["1.2 s", "1 min 1 s", "2 h 1 min"]);
    }
}
