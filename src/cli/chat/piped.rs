//! A conversation without a terminal: each line is a message, and answers are all that is printed.

use std::{
    io::{self, BufRead as _, Read as _, Write as _},
    sync::Arc,
    thread,
};

use anyhow::Result;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::{command::Command, speech::Speech};
use crate::{
    cli::{Exit, world::World},
    event::Event,
    session::{Member, Session},
};

/// The longest line.
const MAX_LINE: u64 = 4 << 20;

/// What is said without a terminal.
struct Piped<'a> {
    world: &'a mut World,
    session: &'a Arc<Session>,
    main: Arc<Member>,
    speech: Speech,
    events: UnboundedReceiver<Event>,
    cancel: CancellationToken,
    /// Whether the last turn did not reach its goal.
    failed: bool,
}

/// Says what stands on stdin, message by message, and waits for the answer to each.
pub(super) async fn read_out(
    world: &mut World,
    session: &Arc<Session>,
    events: UnboundedReceiver<Event>,
    cancel: CancellationToken,
    first: Option<String>,
) -> Result<Exit> {
    let main = session.main()?;
    let speech = Speech::of(main.id());
    let mut piped = Piped { world, session, main, speech, events, cancel, failed: false };
    if let Some(text) = first {
        piped.say(text).await?;
    }
    let mut messages = messages()?;
    loop {
        let cancel = piped.cancel.clone();
        let message = tokio::select! {
            () = cancel.cancelled() => return Ok(Exit::Cancelled),
            message = piped.until(messages.recv()) => message?,
        };
        let Some(message) = message else { break };
        match Command::parse(&message) {
            Some(Ok(Command::Quit)) => break,
            Some(command) => piped.command(command).await,
            None => piped.say(message).await?,
        }
        if piped.cancel.is_cancelled() {
            return Ok(Exit::Cancelled);
        }
    }
    piped.settle().await?;
    Ok(match (piped.cancel.is_cancelled(), piped.failed) {
        (true, _) => Exit::Cancelled,
        (_, true) => Exit::Failed,
        _ => Exit::Done,
    })
}

impl Piped<'_> {
    /// Tells the agent something and waits until it rests.
    async fn say(&mut self, text: String) -> Result<()> {
        if let Err(error) = self.session.tell(text) {
            self.world.error(&error.to_string());
            self.failed = true;
            return Ok(());
        }
        let main = Arc::clone(&self.main);
        self.until(main.rests()).await
    }

    /// Waits until nothing works any more. What ends may make the agent speak again.
    async fn settle(&mut self) -> Result<()> {
        let (session, cancel) = (Arc::clone(self.session), self.cancel.clone());
        let settled = async {
            tokio::select! {
                () = cancel.cancelled() => Ok(()),
                settled = session.settle() => settled,
            }
        };
        self.until(settled).await??;
        Ok(())
    }

    /// Prints what is said until `done`.
    async fn until<T>(&mut self, done: impl Future<Output = T>) -> Result<T> {
        let mut done = std::pin::pin!(done);
        let found = loop {
            tokio::select! {
                found = &mut done => break found,
                Some(event) = self.events.recv() => self.print(&event)?,
            }
        };
        while let Ok(event) = self.events.try_recv() {
            self.print(&event)?;
        }
        Ok(found)
    }

    fn print(&mut self, event: &Event) -> Result<()> {
        let said = self.speech.take(event);
        if !said.text.is_empty() {
            self.world.out.write_all(said.text.as_bytes())?;
            self.world.out.flush()?;
        }
        let Some(end) = said.end else { return Ok(()) };
        self.failed = end.failed;
        for problem in &end.problems {
            self.world.error(problem);
        }
        Ok(())
    }

    async fn command(&mut self, command: Result<Command, String>) {
        let done = match command {
            Ok(command) => command.carry_out(self.session).await,
            Err(why) => Err(why),
        };
        match done {
            Ok(text) => self.world.note(&text),
            Err(why) => self.world.error(&why),
        }
    }
}

/// The messages on stdin, as they come.
fn messages() -> io::Result<UnboundedReceiver<String>> {
    let (sender, messages) = unbounded_channel();
    thread::Builder::new().spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(message) = message(&mut input) {
            if !message.trim().is_empty() && sender.send(message).is_err() {
                return;
            }
        }
    })?;
    Ok(messages)
}

/// The next message: a line, and the next as long as one ends with a backslash.
fn message(input: &mut impl io::BufRead) -> Option<String> {
    let mut message = String::new();
    loop {
        let mut line = Vec::new();
        let count = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).ok()?;
        if count == 0 {
            return (!message.is_empty()).then_some(message);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\n', '\r']);
        match line.strip_suffix('\\') {
            Some(begun) => {
                message.push_str(begun);
                message.push('\n');
            }
            None => return Some(message + line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_joins_lines() {
        let mut input = &b"one\ntwo\\\r\nlines\n\nlast\\"[..];
        let mut all = Vec::new();
        while let Some(message) = message(&mut input) {
            all.push(message);
        }
        assert_eq!(all, ["one", "two\nlines", "", "last\n"]);
    }
}
