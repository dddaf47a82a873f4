//! What stands on the terminal: what was said, which stays, and below it what changes: the line that
//! is being said, what agents are doing, and what is being typed.

use std::{io, time::Instant};

use unicode_width::UnicodeWidthChar as _;

use super::{
    editor::Layout,
    speech::{End, Speech},
    tty,
};
use crate::{
    cli::run::cut,
    event::{Event, What},
    render::{Activity, Paint},
    text::printable,
};

/// The size of a terminal that does not tell it.
const DEFAULT_SIZE: (usize, usize) = (80, 24);

/// The terminal.
pub(super) struct View {
    paint: Paint,
    speech: Speech,
    activity: Activity,
    since: Instant,
    /// What stays and has not been written.
    kept: String,
    /// The line that is being said.
    open: String,
    /// What stays, once that line has been said.
    later: Vec<String>,
    /// What changes, as it stands on the terminal.
    drawn: Option<Frame>,
}

/// What changes, and the size it was made for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Frame {
    layout: Layout,
    size: (usize, usize),
}

impl View {
    /// Of the conversation with the agent whose thread is `main`.
    pub fn new(main: &str, paint: Paint) -> Self {
        Self {
            paint,
            speech: Speech::of(main),
            activity: Activity::default(),
            since: Instant::now(),
            kept: String::new(),
            open: String::new(),
            later: Vec::new(),
            drawn: None,
        }
    }

    pub fn paint(&self) -> Paint {
        self.paint
    }

    /// Takes in an event; how the main agent's work ended, if it has.
    pub fn take(&mut self, event: &Event) -> Option<End> {
        let said = self.speech.take(event);
        self.open.push_str(&said.text);
        if let Some(end) = self.open.rfind('\n') {
            self.kept.extend(self.open.drain(..=end));
        }
        let line = self.activity.take(event, self.since.elapsed(), self.paint);
        // Whoever talks to the main agent sees when it begins and ends.
        let is_known = self.speech.is_about(event)
            && matches!(event.what, What::Started(_) | What::Completed(_) | What::Error { .. });
        self.later.extend(line.filter(|_| !is_known));
        if self.open.is_empty() {
            self.keep_waiting();
        }
        said.end
    }

    /// Shows text that is safe already, and leaves it there.
    pub fn keep(&mut self, text: &str) {
        self.end_line();
        self.kept.push_str(text);
        self.kept.push('\n');
    }

    /// What is being said goes on in a new line.
    fn end_line(&mut self) {
        if !self.open.is_empty() {
            self.kept.push_str(&std::mem::take(&mut self.open));
            self.kept.push('\n');
        }
        self.keep_waiting();
    }

    fn keep_waiting(&mut self) {
        for line in self.later.drain(..) {
            self.kept.push_str(&line);
            self.kept.push('\n');
        }
    }

    /// Says that something went wrong.
    pub fn error(&mut self, message: &str) {
        let label = self.paint.red("error:");
        self.keep(&format!("{label} {}", printable(message)));
    }

    /// Draws what has changed, with `typed` at the bottom.
    pub fn draw(&mut self, typed: impl FnOnce(usize) -> Option<Layout>) -> io::Result<()> {
        let size = size();
        let frame = Frame { layout: self.layout(size, typed), size };
        if self.kept.is_empty() && self.drawn.as_ref() == Some(&frame) {
            return Ok(());
        }
        let mut text = String::from("\x1b[?25l");
        text.push_str(&self.erased());
        text.push_str(&std::mem::take(&mut self.kept));
        text.push_str(&frame.layout.rows.join("\n"));
        let (row, column) = frame.layout.cursor;
        text.push_str(&moved(frame.layout.rows.len() - 1 - row, column));
        text.push_str("\x1b[?25h");
        self.drawn = Some(frame);
        tty::write(&text)
    }

    /// Takes away what changes, and leaves what stays.
    pub fn clear(&mut self) -> io::Result<()> {
        self.end_line();
        let text = self.erased() + &std::mem::take(&mut self.kept);
        self.drawn = None;
        tty::write(&text)
    }

    /// Begins with an empty screen.
    pub fn wipe(&mut self) -> io::Result<()> {
        self.drawn = None;
        tty::write("\x1b[H\x1b[2J")
    }

    /// What takes away what is drawn.
    fn erased(&self) -> String {
        match &self.drawn {
            Some(frame) => moved(frame.layout.cursor.0, 0) + "\x1b[J",
            None => String::new(),
        }
    }

    fn layout(
        &self,
        (columns, rows): (usize, usize),
        typed: impl FnOnce(usize) -> Option<Layout>,
    ) -> Layout {
        let room = columns.saturating_sub(1).max(1);
        let mut layout = Layout { rows: wrapped(&self.open, room), ..Layout::default() };
        let doing = self.activity.lines(self.since.elapsed(), self.paint);
        layout.rows.extend(doing.iter().map(|line| cut(line, columns)));
        match typed(room) {
            Some(typed) => {
                layout.cursor = (layout.rows.len() + typed.cursor.0, typed.cursor.1);
                layout.rows.extend(typed.rows);
            }
            None => {
                layout.rows.push(String::new());
                layout.cursor = (layout.rows.len() - 1, 0);
            }
        }
        fitted(layout, rows.saturating_sub(1).max(1))
    }
}

/// As much of `layout` as fits: its end, but at least where the cursor is.
fn fitted(mut layout: Layout, most: usize) -> Layout {
    let over = layout.rows.len().saturating_sub(most).min(layout.cursor.0);
    layout.rows.drain(..over);
    layout.rows.truncate(most);
    layout.cursor.0 -= over;
    layout
}

/// Moves the cursor so many rows up and to a column.
fn moved(up: usize, column: usize) -> String {
    let up = if up > 0 { format!("\x1b[{up}A") } else { String::new() };
    let right = if column > 0 { format!("\x1b[{column}C") } else { String::new() };
    format!("\r{up}{right}")
}

/// `text` in rows that are not wider than `columns`.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let (mut rows, mut column) = (Vec::<String>::new(), 0);
    for c in text.chars() {
        let c = if c == '\t' { ' ' } else { c };
        let wide = c.width().unwrap_or(0);
        if rows.is_empty() || column + wide > columns {
            rows.push(String::new());
            column = 0;
        }
        if let Some(row) = rows.last_mut() {
            row.push(c);
        }
        column += wide;
    }
    rows
}

fn size() -> (usize, usize) {
    let size = terminal_size::terminal_size();
    let size = size.map(|(width, height)| (usize::from(width.0), usize::from(height.0)));
    size.filter(|(width, height)| *width > 0 && *height > 0).unwrap_or(DEFAULT_SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{AgentRef, Failure, FailureKind, Outcome};

    fn event(id: &str, what: What) -> Event {
        let agent = AgentRef { agent_id: id.to_owned(), agent_type: id.to_owned() };
        Event { seq: 0, at: String::new(), agent, what }
    }

    #[test]
    fn what_others_do_does_not_cut_a_sentence_in_two() {
        let mut view = View::new("main", Paint::Plain);
        let says = |text: &str| event("main", What::TextChunk { text: text.to_owned() });
        view.take(&says("Hel"));
        let other = AgentRef { agent_id: "other".to_owned(), agent_type: "other".to_owned() };
        let outcome = Outcome::failed(&other, String::new(), failure());
        view.take(&event("other", What::Completed(Box::new(outcome))));
        assert_eq!((view.kept.as_str(), view.open.as_str()), ("", "Hel"));
        view.take(&says("lo.\nMo"));
        assert_eq!((view.kept.as_str(), view.open.as_str()), ("Hello.\n", "Mo"));
        view.take(&says("re.\n"));
        assert_eq!(view.kept, "Hello.\nMore.\n[other] Ended after 0.0s: failed\n");
    }

    fn failure() -> Failure {
        Failure { kind: FailureKind::Server, message: "gone".to_owned() }
    }

    #[test]
    fn rows_are_as_wide_as_the_screen_and_no_wider() {
        assert_eq!(wrapped("", 3), Vec::<String>::new());
        assert_eq!(wrapped("abcd", 3), ["abc", "d"]);
        assert_eq!(wrapped("日本", 3), ["日", "本"]);
    }

    #[test]
    fn what_does_not_fit_is_cut_above_the_cursor() {
        let rows = || ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let cut = fitted(Layout { rows: rows(), cursor: (3, 1) }, 2);
        assert_eq!(cut, Layout { rows: vec!["c".into(), "d".into()], cursor: (1, 1) });
        let cut = fitted(Layout { rows: rows(), cursor: (0, 1) }, 2);
        assert_eq!(cut, Layout { rows: vec!["a".into(), "b".into()], cursor: (0, 1) });
    }
}
