//! A conversation on a terminal: one loop that owns it, while agents work beside it.

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::{
    ask::{Asked, Questions},
    command::Command,
    editor::{Editor, Key, Keys, Layout, Typed},
    past::Past,
    speech::End,
    tty::Raw,
    view::View,
};
use crate::{
    cli::{
        keyboard::Keyboard,
        notify::Notifier,
        run::{CHOICES, answer, asked},
    },
    event::{Decision, Event, What},
    session::{Member, Session},
    text::printable,
};

/// How often the view is drawn again although nothing was typed or said.
const TICK: Duration = Duration::from_millis(100);

const HINT: &str = "Ctrl-C again or Ctrl-D leaves";

/// How a conversation was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// As one leaves.
    Quit,
    /// In the middle of something.
    Cancelled,
}

/// What reaches the one who talks, besides keys.
pub(super) struct Incoming {
    pub events: UnboundedReceiver<Event>,
    pub questions: UnboundedReceiver<Asked>,
    pub cancel: CancellationToken,
}

/// Someone who talks to an agent.
pub(super) struct Talk {
    session: Arc<Session>,
    main: Arc<Member>,
    view: View,
    editor: Editor,
    keys: Keys,
    questions: Questions,
    past: Past,
    notifier: Notifier,
    /// Whether the terminal has said that it has the focus.
    focused: bool,
    /// What Ctrl-C did last, if nothing was typed since.
    urge: Option<Urge>,
    /// What became of commands that took their time.
    replies: UnboundedSender<String>,
    left: Option<Left>,
    /// Whether anything was said.
    pub has_spoken: bool,
    was_offline: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Urge {
    /// It told how to leave.
    Hinted,
    /// It stopped the agent, which has not ended yet.
    Interrupting,
}

/// Talks until someone leaves.
pub(super) async fn talk(
    session: &Arc<Session>,
    view: View,
    past: Past,
    notifier: Notifier,
    mut keyboard: Keyboard,
    mut incoming: Incoming,
    first: Option<String>,
) -> Result<(Left, bool)> {
    let raw = Raw::begin(keyboard.terminal())?;
    let (replies, mut replied) = unbounded_channel();
    let editor = Editor { history: past.load(), ..Editor::default() };
    let mut talk = Talk {
        session: Arc::clone(session),
        main: session.main()?,
        view,
        editor,
        keys: Keys::default(),
        questions: Questions::default(),
        past,
        notifier,
        focused: false,
        urge: None,
        replies,
        left: None,
        has_spoken: false,
        was_offline: false,
    };
    if let Some(text) = first {
        talk.send(&text).await;
    }
    let mut tick = tokio::time::interval(TICK);
    let main = Arc::clone(&talk.main);
    while talk.left.is_none() {
        talk.draw()?;
        tokio::select! {
            bytes = keyboard.read() => match bytes {
                Some(bytes) => talk.typed(&bytes, &raw).await?,
                None => talk.left = Some(Left::Cancelled),
            },
            Some(event) = incoming.events.recv() => talk.happened(&event),
            Some(asked) = incoming.questions.recv() => talk.questions.add(asked),
            Some(reply) = replied.recv() => talk.view.keep(&reply),
            () = main.rests(), if talk.is_busy() => {}
            _ = tick.tick() => talk.keys.settle(),
            () = incoming.cancel.cancelled() => talk.left = Some(Left::Cancelled),
        }
        while let Ok(event) = incoming.events.try_recv() {
            talk.happened(&event);
        }
    }
    talk.view.clear()?;
    drop(raw);
    Ok((talk.left.unwrap_or(Left::Quit), talk.has_spoken))
}

impl Talk {
    fn is_busy(&self) -> bool {
        self.main.state().busy
    }

    fn draw(&mut self) -> Result<()> {
        self.show_question();
        let prompt = self.prompt();
        let (busy, asking) = (self.is_busy(), self.questions.shown);
        let (editor, questions) = (&self.editor, &self.questions);
        let layout = |columns: usize| -> Option<Layout> {
            if asking {
                return Some(questions.answer.layout(CHOICES, columns));
            }
            // While the agent works, the prompt stands there only for what is typed meanwhile.
            let stands = !busy || !editor.line.is_empty();
            stands.then(|| editor.line.layout(&prompt, columns))
        };
        self.view.draw(layout)?;
        Ok(())
    }

    fn prompt(&self) -> String {
        let mode = self.session.mode().map_or("", |mode| mode.mode.name());
        format!("{mode}> ")
    }

    /// Shows the question whose turn it is, unless it stands there already.
    fn show_question(&mut self) {
        if self.questions.forget() {
            let over = self.view.paint().dim("(nobody waits for the answer any more)");
            self.view.keep(&over);
        }
        if let Some(first) = self.questions.first().filter(|_| !self.questions.shown) {
            let mut lines = asked(&first.question, self.view.paint());
            lines.pop();
            self.view.keep(&lines.join("\n"));
            self.questions.shown = true;
        }
    }

    async fn typed(&mut self, bytes: &[u8], raw: &Raw) -> Result<()> {
        for key in self.keys.feed(bytes) {
            match self.key(key) {
                Typed::Nothing => {}
                Typed::Sent(text) => self.sent(&text).await,
                Typed::Interrupt => {
                    self.interrupt();
                    continue;
                }
                Typed::Leave => self.left = Some(Left::Quit),
                Typed::Redraw => self.view.wipe()?,
                Typed::Suspend => {
                    self.view.clear()?;
                    raw.suspend()?;
                }
                Typed::Focus(focused) => {
                    self.focused = focused;
                    continue;
                }
            }
            if self.urge == Some(Urge::Hinted) {
                self.urge = None;
            }
        }
        Ok(())
    }

    /// What a key does. While a question stands there, it belongs to the answer.
    fn key(&mut self, key: Key) -> Typed {
        if !self.questions.shown {
            return self.editor.take(key);
        }
        let answer = &mut self.questions.answer;
        match key {
            Key::Enter => self.answered(),
            Key::Char(c) => answer.insert(c),
            Key::Backspace => answer.backspace(),
            Key::KillStart | Key::KillWord => answer.kill_to_start(),
            Key::Interrupt => return Typed::Interrupt,
            Key::Redraw => return Typed::Redraw,
            Key::Suspend => return Typed::Suspend,
            Key::Focus(focused) => return Typed::Focus(focused),
            // Half of a message is no answer.
            _ => {}
        }
        Typed::Nothing
    }

    fn answered(&mut self) {
        let typed = self.questions.answer.take();
        match answer(&typed) {
            Some(decision) => self.decide(decision),
            None => self.view.keep("Please answer y, n or a."),
        }
    }

    fn decide(&mut self, decision: Decision) {
        let Some(asked) = self.questions.next() else { return };
        let word = match decision {
            Decision::Approved => "allowed",
            Decision::ApprovedForRun => "allowed, now and later in this run",
            _ => "denied",
        };
        let tool = printable(&asked.question.tool).into_owned();
        self.view.keep(&self.view.paint().dim(format!("`{tool}`: {word}\n")));
        asked.answer(decision);
    }

    /// Ctrl-C: stops the agent, or takes away what was typed, or leaves.
    fn interrupt(&mut self) {
        if self.is_busy() {
            if self.urge == Some(Urge::Interrupting) {
                self.left = Some(Left::Cancelled);
                return;
            }
            self.session.interrupt(&self.main);
            self.urge = Some(Urge::Interrupting);
        } else if self.questions.shown {
            self.decide(Decision::Denied);
        } else if !self.editor.line.is_empty() {
            self.editor.line.take();
            self.editor.history.rest();
        } else if self.urge == Some(Urge::Hinted) {
            self.left = Some(Left::Cancelled);
        } else {
            self.view.keep(&self.view.paint().dim(HINT));
            self.urge = Some(Urge::Hinted);
        }
    }

    async fn sent(&mut self, text: &str) {
        self.past.add(&mut self.editor.history, text);
        self.send(text).await;
    }

    /// Does what `text` says, or tells the agent.
    async fn send(&mut self, text: &str) {
        let shown = printable(text).replace('\n', "\n  ");
        self.view.keep(&self.view.paint().bold(format!("{}{shown}", self.prompt())));
        match Command::parse(text) {
            Some(Ok(command)) => self.command(command).await,
            Some(Err(why)) => self.view.error(&why),
            None => {
                self.urge = None;
                match self.session.tell(text.to_owned()) {
                    Ok(()) => self.has_spoken = true,
                    Err(error) => self.view.error(&error.to_string()),
                }
            }
        }
    }

    async fn command(&mut self, command: Command) {
        match command {
            Command::Quit => self.left = Some(Left::Quit),
            // The agent may take its time, which is nobody else's.
            Command::Close(_) => {
                let (session, replies) = (Arc::clone(&self.session), self.replies.clone());
                tokio::spawn(async move {
                    let done = command.carry_out(&session).await;
                    replies.send(done.unwrap_or_else(|why| format!("error: {why}"))).ok();
                });
            }
            command => match command.carry_out(&self.session).await {
                Ok(text) => self.view.keep(&format!("{}\n", printable(&text))),
                Err(why) => self.view.error(&why),
            },
        }
    }

    fn happened(&mut self, event: &Event) {
        if let Some(end) = self.view.take(event) {
            self.ended(&end);
        }
        if let What::BackgroundEvent(background) = &event.what
            && !self.focused
        {
            self.notifier.background(background);
        }
    }

    /// The main agent is done for now.
    fn ended(&mut self, end: &End) {
        self.urge = None;
        for problem in &end.problems {
            self.view.error(problem);
        }
        if end.aborted {
            let said = "Interrupted. What you say next goes on from here.";
            self.view.keep(&self.view.paint().yellow(said));
        }
        if end.offline && !std::mem::replace(&mut self.was_offline, true) {
            self.view.keep(
                "note: no language model was asked: `offline` searches with the agent's own tools",
            );
        }
        self.view.keep("");
    }
}
