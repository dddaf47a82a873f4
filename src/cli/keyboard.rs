//! What is typed at this process's terminal, whatever stdin is: one reader for as long as the process
//! lives, so that nothing that is typed goes to a question that nobody waits for any more.

use std::{
    fs::File,
    io::{self, Read as _},
    thread,
};

use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The keyboard.
pub(super) struct Keyboard {
    terminal: File,
    typed: UnboundedReceiver<Vec<u8>>,
    /// The beginning of a line.
    begun: Vec<u8>,
}

impl Keyboard {
    /// From here on this process reads whatever is typed.
    pub fn open() -> io::Result<Self> {
        let terminal = File::open("/dev/tty")?;
        let mut reader = terminal.try_clone()?;
        let (sender, typed) = unbounded_channel();
        thread::Builder::new().spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { terminal, typed, begun: Vec::new() })
    }

    /// The terminal it belongs to.
    pub fn terminal(&self) -> &File {
        &self.terminal
    }

    /// Forgets what has been typed so far.
    pub fn forget(&mut self) {
        tcflush(&self.terminal, QueueSelector::IFlush).ok();
        while self.typed.try_recv().is_ok() {}
        self.begun.clear();
    }

    /// What is typed next; `None` when the terminal is gone.
    pub async fn read(&mut self) -> Option<Vec<u8>> {
        self.typed.recv().await
    }

    /// The next line.
    pub async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.begun.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.begun.drain(..=end).collect();
                return Some(String::from_utf8_lossy(&line).into_owned());
            }
            let bytes = self.typed.recv().await?;
            self.begun.extend(bytes);
        }
    }
}
