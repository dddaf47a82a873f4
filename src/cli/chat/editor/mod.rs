//! The line editor: bytes from a terminal to keys, keys to a text with a cursor, and the texts of
//! before. Nothing here reads or prints.

mod history;
mod keys;
mod line;

pub(super) use history::{History, MAX_ENTRIES};
pub(super) use keys::{Key, Keys};
pub(super) use line::{Layout, Line};

/// What came of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    /// The text has changed, or nothing has.
    Nothing,
    /// This is to be sent.
    Sent(String),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D where nothing is typed.
    Leave,
    /// Draw everything again.
    Redraw,
    /// Ctrl-Z.
    Suspend,
    /// The terminal has the focus, or no longer has it.
    Focus(bool),
}

/// A text that is being typed, and those that were.
#[derive(Debug, Default)]
pub(super) struct Editor {
    pub line: Line,
    pub history: History,
}

impl Editor {
    /// What `key` does.
    pub fn take(&mut self, key: Key) -> Typed {
        let line = &mut self.line;
        match key {
            Key::Char(c) => line.insert(c),
            Key::Paste(text) => line.insert_text(&text),
            Key::Newline => line.insert('\n'),
            Key::Enter if line.continues() => {
                line.backspace();
                line.insert('\n');
            }
            Key::Enter => return self.send(),
            Key::Backspace => line.backspace(),
            Key::Delete => line.delete(),
            Key::Left => line.left(),
            Key::Right => line.right(),
            Key::WordLeft => line.word_left(),
            Key::WordRight => line.word_right(),
            Key::Home => line.home(),
            Key::End => line.end(),
            Key::Up => {
                if !line.up() {
                    self.history.back(line);
                }
            }
            Key::Down => {
                if !line.down() {
                    self.history.forth(line);
                }
            }
            Key::KillEnd => line.kill_to_end(),
            Key::KillStart => line.kill_to_start(),
            Key::KillWord => line.kill_word(),
            Key::EndOfInput if line.is_empty() => return Typed::Leave,
            Key::EndOfInput => line.delete(),
            Key::Interrupt => return Typed::Interrupt,
            Key::Redraw => return Typed::Redraw,
            Key::Suspend => return Typed::Suspend,
            Key::Focus(focused) => return Typed::Focus(focused),
        }
        Typed::Nothing
    }

    fn send(&mut self) -> Typed {
        let text = self.line.take();
        self.history.rest();
        if text.trim().is_empty() { Typed::Nothing } else { Typed::Sent(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the keys in `bytes` come to, and the text that is left with its cursor as `|`.
    fn typed(editor: &mut Editor, bytes: &str) -> (Vec<Typed>, String) {
        let keys = Keys::default().feed(bytes.as_bytes());
        let came = keys.into_iter().map(|key| editor.take(key));
        let came = came.filter(|typed| *typed != Typed::Nothing).collect();
        (came, editor.line.with_cursor())
    }

    fn sent(text: &str) -> Vec<Typed> {
        vec![Typed::Sent(text.to_owned())]
    }

    #[test]
    fn enter_sends_and_three_ways_go_on_in_a_new_line() {
        let mut editor = Editor::default();
        assert_eq!(typed(&mut editor, "a\r"), (sent("a"), "|".to_owned()));
        assert_eq!(typed(&mut editor, "a\nb\x1b\rc\\\rd\r").0, sent("a\nb\nc\nd"));
        assert_eq!(typed(&mut editor, "  \r"), (Vec::new(), "|".to_owned()));
        let pasted = "\x1b[200~x\r\ny\r\x1b[31mz\x1b[201~";
        assert_eq!(typed(&mut editor, pasted).1, "x\ny\n[31mz|");
    }

    #[test]
    fn keys_move_and_take_away() {
        for (keys, text) in [
            ("abc\x1b[D\x1b[Dx", "ax|bc"),
            ("abc\x01x\x05y", "xabcy|"),
            ("abc\x1b[Hx\x1b[Fy", "xabcy|"),
            ("abc\x1bOHx\x1bOFy", "xabcy|"),
            ("abc\x1b[1~\x1b[3~\x1b[4~", "bc|"),
            ("abc\x1b[D\x0b", "ab|"),
            ("abc\x1b[D\x15", "|c"),
            ("one two  \x17", "one |"),
            ("one two\x1bb\x1bb\x1bfx", "onex| two"),
            ("one two\x1b[1;5Dx", "one x|two"),
            ("ab\x7f\x08", "|"),
            ("ab\x01\x04", "|b"),
            ("ä日本\x7f\x1b[Dx", "äx|日"),
            ("e\u{301}x\x1b[D\x7f", "|x"),
            ("a\nbcd\x01x\x1b[Ay", "ay|\nxbcd"),
            ("abc\nd\x1b[A\x1b[Bx", "abc\ndx|"),
            ("a\x1b[99;9zb\x1b", "ab|"),
        ] {
            assert_eq!(typed(&mut Editor::default(), keys).1, text, "{keys:?}");
        }
    }

    #[test]
    fn what_was_typed_comes_back_and_a_draft_is_not_lost() {
        let mut editor = Editor { history: History::of(["one", "two\n2"]), ..Editor::default() };
        assert_eq!(typed(&mut editor, "draft\x1b[A").1, "two\n2|");
        // Within a text of several lines, the keys move in it first.
        assert_eq!(typed(&mut editor, "\x1b[A").1, "t|wo\n2");
        assert_eq!(typed(&mut editor, "\x1b[A\x1b[A").1, "one|");
        assert_eq!(typed(&mut editor, "\x1b[B\x1b[B").1, "draft|");
        assert_eq!(typed(&mut editor, "\x1b[A\x1b[A\x1b[A\r").0, sent("one"));
        assert_eq!(typed(&mut editor, "\x1b[A").1, "two\n2|");
    }

    #[test]
    fn keys_with_a_meaning_of_their_own() {
        let mut editor = Editor::default();
        let all = vec![
            Typed::Interrupt,
            Typed::Leave,
            Typed::Redraw,
            Typed::Suspend,
            Typed::Focus(true),
            Typed::Focus(false),
        ];
        assert_eq!(typed(&mut editor, "\x03\x04\x0c\x1a\x1b[I\x1b[O").0, all);
        assert_eq!(typed(&mut editor, "a\x04"), (Vec::new(), "a|".to_owned()));
    }
}
