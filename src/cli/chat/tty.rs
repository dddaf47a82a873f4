//! The terminal while someone types: every key comes at once and nothing is echoed. However it ends,
//! the terminal is as it was.

use std::{
    fs::File,
    io::{self, Write as _},
};

use rustix::{
    process::{Signal, getpid, kill_process},
    termios::{
        InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
    },
};

/// Asks for pastes to be marked, and for reports of the focus.
const ASK: &str = "\x1b[?2004h\x1b[?1004h";
const ASK_NO_MORE: &str = "\x1b[?1004l\x1b[?2004l";

/// A terminal that hands over every key.
pub(super) struct Raw {
    terminal: File,
    before: Termios,
}

impl Raw {
    pub fn begin(terminal: &File) -> io::Result<Self> {
        let before = tcgetattr(terminal)?;
        let raw = Self { terminal: terminal.try_clone()?, before };
        raw.enter()?;
        Ok(raw)
    }

    /// Stops this process until someone wants it to go on.
    pub fn suspend(&self) -> io::Result<()> {
        self.restore();
        kill_process(getpid(), Signal::STOP)?;
        self.enter()
    }

    fn enter(&self) -> io::Result<()> {
        let mut modes = self.before.clone();
        let local = LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        modes.local_modes.remove(local);
        // Enter and Ctrl-J differ, and Ctrl-S does not stop anything.
        modes.input_modes.remove(InputModes::ICRNL | InputModes::INLCR | InputModes::IXON);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&self.terminal, OptionalActions::Now, &modes)?;
        write(ASK)
    }

    fn restore(&self) {
        // There may be no terminal left to restore.
        write(ASK_NO_MORE).ok();
        // A report that is still on its way is nothing anyone typed.
        tcsetattr(&self.terminal, OptionalActions::Flush, &self.before).ok();
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        self.restore();
    }
}

/// Writes to the terminal at once.
pub(super) fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
