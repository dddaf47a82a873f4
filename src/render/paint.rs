//! Colour, or none.

use std::fmt::Display;

/// Whether output is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// With escape sequences.
    Colour,
    /// Plain text.
    Plain,
}

impl Paint {
    /// Headings and names.
    pub fn bold(self, text: impl Display) -> String {
        self.wrap("1", text)
    }

    /// What matters less.
    pub fn dim(self, text: impl Display) -> String {
        self.wrap("2", text)
    }

    /// What is wrong.
    pub fn red(self, text: impl Display) -> String {
        self.wrap("31", text)
    }

    /// What went well.
    pub fn green(self, text: impl Display) -> String {
        self.wrap("32", text)
    }

    /// What begins.
    pub fn cyan(self, text: impl Display) -> String {
        self.wrap("36", text)
    }

    /// What needs a look.
    pub fn yellow(self, text: impl Display) -> String {
        self.wrap("33", text)
    }

    fn wrap(self, code: &str, text: impl Display) -> String {
        match self {
            Self::Colour => format!("\x1b[{code}m{text}\x1b[0m"),
            Self::Plain => text.to_string(),
        }
    }
}
