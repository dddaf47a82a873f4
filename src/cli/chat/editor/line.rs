//! A text with a cursor, and how it stands on a screen.

use unicode_width::UnicodeWidthChar as _;

/// How wide a tab is shown.
const TAB: usize = 4;

/// A text of one or more lines that is being typed.
#[derive(Debug, Default)]
pub(in crate::cli::chat) struct Line {
    text: String,
    /// Where the next character goes, in bytes.
    cursor: usize,
}

/// How a text stands on a screen.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::cli::chat) struct Layout {
    /// What is shown, row by row.
    pub rows: Vec<String>,
    /// The row and the column of the cursor.
    pub cursor: (usize, usize),
}

impl Line {
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether the end of the line says that another follows.
    pub fn continues(&self) -> bool {
        self.cursor == self.text.len() && self.text.ends_with('\\')
    }

    /// The text, of which nothing is left.
    pub fn take(&mut self) -> String {
        self.cursor = 0;
        std::mem::take(&mut self.text)
    }

    /// Another text, with the cursor at its end.
    pub fn replace(&mut self, text: String) -> String {
        self.cursor = text.len();
        std::mem::replace(&mut self.text, text)
    }

    pub fn insert(&mut self, c: char) {
        self.text.insert(self.cursor, c);
        self.cursor += c.len_utf8();
    }

    pub fn insert_text(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    pub fn backspace(&mut self) {
        let to = self.cursor;
        self.left();
        self.text.drain(self.cursor..to);
    }

    pub fn delete(&mut self) {
        let end = self.after();
        self.text.drain(self.cursor..end);
    }

    pub fn left(&mut self) {
        let before = self.text[..self.cursor].char_indices().rev();
        // What has no width belongs to the character before it.
        let mut before = before.skip_while(|(_, c)| is_mark(*c));
        self.cursor = before.next().map_or(0, |(at, _)| at);
    }

    pub fn right(&mut self) {
        self.cursor = self.after();
    }

    /// Where the character at the cursor ends, with everything that belongs to it.
    fn after(&self) -> usize {
        let rest = &self.text[self.cursor..];
        let mut next = rest.char_indices().skip(1).skip_while(|(_, c)| is_mark(*c));
        next.next().map_or(self.text.len(), |(at, _)| self.cursor + at)
    }

    pub fn word_left(&mut self) {
        self.cursor = self.word_start();
    }

    pub fn word_right(&mut self) {
        let rest = &self.text[self.cursor..];
        let word = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
        let end = rest[word..].find(char::is_whitespace).unwrap_or(rest.len() - word);
        self.cursor += word + end;
    }

    fn word_start(&self) -> usize {
        let before = self.text[..self.cursor].trim_end();
        let mut blanks = before.char_indices().rev().filter(|(_, c)| c.is_whitespace());
        blanks.next().map_or(0, |(at, c)| at + c.len_utf8())
    }

    pub fn home(&mut self) {
        self.cursor = self.line_start();
    }

    pub fn end(&mut self) {
        self.cursor = self.line_end();
    }

    fn line_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.cursor..].find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }

    /// Goes to the line above, if there is one.
    pub fn up(&mut self) -> bool {
        let start = self.line_start();
        if start == 0 {
            return false;
        }
        let column = width(&self.text[start..self.cursor]);
        self.cursor = start - 1;
        self.go_to(column);
        true
    }

    /// Goes to the line below, if there is one.
    pub fn down(&mut self) -> bool {
        let end = self.line_end();
        if end == self.text.len() {
            return false;
        }
        let column = width(&self.text[self.line_start()..self.cursor]);
        self.cursor = end + 1;
        self.go_to(column);
        true
    }

    /// Goes to a column of the present line, or to its end.
    fn go_to(&mut self, column: usize) {
        let (start, end) = (self.line_start(), self.line_end());
        let mut reached = 0;
        let mut places = self.text[start..end].char_indices();
        let found = places.find(|(_, c)| {
            let here = reached >= column && !is_mark(*c);
            reached += char_width(*c);
            here
        });
        self.cursor = found.map_or(end, |(at, _)| start + at);
    }

    pub fn kill_to_end(&mut self) {
        let end = self.line_end();
        // At the end of a line, what is taken away is the end itself.
        let end = if end == self.cursor { self.after() } else { end };
        self.text.drain(self.cursor..end);
    }

    pub fn kill_to_start(&mut self) {
        let start = self.line_start();
        self.text.drain(start..self.cursor);
        self.cursor = start;
    }

    pub fn kill_word(&mut self) {
        let start = self.word_start();
        self.text.drain(start..self.cursor);
        self.cursor = start;
    }

    /// How it stands on a screen with so many columns, after `prompt`.
    pub fn layout(&self, prompt: &str, columns: usize) -> Layout {
        let indent = width(prompt).min(columns.saturating_sub(2));
        let mut layout = Layout { rows: vec![prompt.to_owned()], cursor: (0, indent) };
        let mut column = indent;
        for (at, c) in self.text.char_indices() {
            let wide = char_width(c);
            if c != '\n' && column + wide > columns {
                layout.new_row(indent);
                column = indent;
            }
            if at == self.cursor {
                layout.cursor = (layout.rows.len() - 1, column);
            }
            match c {
                '\n' => {
                    layout.new_row(indent);
                    column = indent;
                }
                '\t' => layout.push(&" ".repeat(TAB)),
                c => layout.push(c.encode_utf8(&mut [0; 4])),
            }
            column += wide;
        }
        if self.cursor == self.text.len() {
            layout.cursor = (layout.rows.len() - 1, column);
        }
        layout
    }

    /// The text with its cursor, for tests.
    #[cfg(test)]
    pub fn with_cursor(&self) -> String {
        format!("{}|{}", &self.text[..self.cursor], &self.text[self.cursor..])
    }
}

impl Layout {
    fn new_row(&mut self, indent: usize) {
        self.rows.push(" ".repeat(indent));
    }

    fn push(&mut self, text: &str) {
        if let Some(row) = self.rows.last_mut() {
            row.push_str(text);
        }
    }
}

fn is_mark(c: char) -> bool {
    c.width() == Some(0)
}

fn char_width(c: char) -> usize {
    if c == '\t' { TAB } else { c.width().unwrap_or(0) }
}

fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        let mut line = Line::default();
        line.insert_text(text);
        line
    }

    #[test]
    fn a_text_is_laid_out_in_rows() {
        let layout = line("abcdef").layout("> ", 6);
        assert_eq!(layout, Layout { rows: vec!["> abcd".into(), "  ef".into()], cursor: (1, 4) });
        let layout = line("日本語").layout("> ", 7);
        assert_eq!(layout, Layout { rows: vec!["> 日本".into(), "  語".into()], cursor: (1, 4) });
        let mut two = line("a\tb\nc");
        two.home();
        let layout = two.layout("> ", 20);
        let rows = vec!["> a    b".into(), "  c".into()];
        assert_eq!(layout, Layout { rows, cursor: (1, 2) });
    }

    #[test]
    fn no_width_is_too_small() {
        for columns in 0..5 {
            let layout = line("ab日\n\tc").layout("> ", columns);
            assert!(layout.cursor.0 < layout.rows.len(), "{layout:?}");
        }
    }
}
