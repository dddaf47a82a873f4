//! What reaches a session from outside: mail from other processes, and the ends of agents that run
//! in processes of their own. And what is done when it is over.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use tokio::task::AbortHandle;

use super::{Delivery, Member, Session, SessionError, work::told};
use crate::{
    event::{AgentStatus, Background, What},
    store::{HEARTBEAT, Mail, MailKind, Store, Thread},
};

/// How often mail is looked for.
const MAIL: Duration = Duration::from_millis(200);

/// How long agents that are told to end may take.
const CLOSING: Duration = Duration::from_secs(5);

/// What becomes of agents that still work when the main one is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// They are waited for.
    Wait,
    /// They are stopped.
    Cancel,
    /// They go on in processes of their own.
    Detach,
}

/// While it lives, the session's agents get their mail and everyone sees that they are alive.
#[derive(Debug)]
pub struct Living(Option<AbortHandle>);

impl Drop for Living {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

/// How far the mail of a session has been read.
#[derive(Debug, Default)]
pub(super) struct Letters {
    /// The last that was handed to anyone.
    handed: i64,
    /// The last each agent was handed, until it has been written down.
    unwritten: HashMap<String, i64>,
    /// Agents in processes of their own whose end nobody has heard of, and who started them.
    watched: HashMap<String, u32>,
}

impl Session {
    /// Hands mail to the agents and shows that they are alive.
    pub fn live(&self) -> Living {
        if self.kept().is_none() {
            return Living(None);
        }
        let session = Weak::clone(&self.myself);
        let task = tokio::spawn(async move {
            let mut beat = Instant::now();
            loop {
                tokio::time::sleep(MAIL).await;
                let Some(session) = session.upgrade() else { return };
                session.look_for_mail().await;
                session.look_for_ends();
                if beat.elapsed() >= HEARTBEAT
                    && let Some((store, owner)) = session.kept()
                {
                    // What cannot be written now shows when the next event is.
                    store.beat(owner).ok();
                    beat = Instant::now();
                }
            }
        });
        Living(Some(task.abort_handle()))
    }

    /// Gives the main agent what was sent to it while nobody ran it. What told it to end has been
    /// done, and must not end it again.
    pub fn read_old_mail(&self) -> Result<(), SessionError> {
        let (Some((store, _)), main) = (self.kept(), self.main()?) else { return Ok(()) };
        let mail = store.unread(main.id(), 0)?;
        let Some((last, _)) = mail.last() else { return Ok(()) };
        let mut letters = self.letters();
        letters.handed = letters.handed.max(*last);
        letters.unwritten.insert(main.id().to_owned(), *last);
        for (_, mail) in mail.into_iter().filter(|(_, mail)| mail.kind != MailKind::Close) {
            main.inbox.put(mail.text);
        }
        Ok(())
    }

    /// Hands out what was sent to the agents.
    pub(super) async fn look_for_mail(&self) {
        let Some((store, owner)) = self.kept() else { return };
        let handed = self.letters().handed;
        let mut waits_for_room = false;
        for (number, thread, mail) in store.mail_for(owner, handed).unwrap_or_default() {
            let Ok(member) = self.find(&thread) else { continue };
            // Nothing overtakes what waits for room, except what makes room.
            if waits_for_room && mail.kind != MailKind::Close {
                continue;
            }
            waits_for_room |= self.hand(&member, mail).await.is_err();
            if waits_for_room {
                continue;
            }
            let mut letters = self.letters();
            letters.handed = number;
            letters.unwritten.insert(thread, number);
        }
        self.file_mail(store);
    }

    async fn hand(&self, member: &Arc<Member>, mail: Mail) -> Result<(), SessionError> {
        // What was written before its end was known comes too late. Those below an agent are told
        // to close as well, and have been closed with it.
        if member.is_closed() {
            return Ok(());
        }
        let delivery = match mail.kind {
            MailKind::Input => Delivery::NextTurn,
            MailKind::Interrupt => Delivery::Interrupt,
            MailKind::Close => {
                self.close(member, None).await;
                return Ok(());
            }
        };
        if member.is_closed() {
            // It reads that if it is opened again.
            member.inbox.put(mail.text);
            return Ok(());
        }
        match self.put(member, Some((mail.text, delivery))) {
            Err(error @ SessionError::Limit(_)) => Err(error),
            // Whoever sends something to an agent that cannot take it sees what became of it.
            _ => Ok(()),
        }
    }

    /// Mail is read when the agent has written it down, which it does as it takes it: told twice is
    /// better than never.
    fn file_mail(&self, store: &Store) {
        let written: Vec<(String, i64)> = {
            let letters = self.letters();
            let is_written = |id: &str| self.find(id).is_ok_and(|one| one.inbox.is_drained());
            let all = letters.unwritten.iter().filter(|(id, _)| is_written(id));
            all.map(|(id, number)| (id.clone(), *number)).collect()
        };
        for (id, number) in written {
            if store.mail_is_read(&id, number).is_ok() {
                self.letters().unwritten.remove(&id);
            }
        }
    }

    /// Tells the agent that started it when an agent in a process of its own has ended.
    pub(super) fn watch(&self, id: String, by: u32) {
        self.letters().watched.insert(id, by);
    }

    /// Somebody has been told how the agent ended.
    pub fn has_heard(&self, id: &str) {
        self.letters().watched.remove(id);
    }

    fn look_for_ends(&self) {
        let Some((store, _)) = self.kept() else { return };
        let watched: Vec<(String, u32)> =
            self.letters().watched.iter().map(|(id, by)| (id.clone(), *by)).collect();
        for (id, by) in watched {
            if let Ok(thread) = store.thread(&id)
                && !thread.status.is_active()
            {
                self.has_heard(&id);
                self.tell_about(by, &thread);
            }
        }
    }

    fn tell_about(&self, by: u32, thread: &Thread) {
        let Ok(parent) = self.at(by) else { return };
        if !parent.state.borrow().busy && !parent.is_open_ended() {
            return;
        }
        let text = thread.outcome.as_ref().map_or_else(|| thread.status.to_string(), told);
        let (kind, id) = (&thread.begun.agent_type, &thread.begun.id);
        let message = format!("agent {kind} ({id}) [background] {text}");
        let background = Background {
            thread_id: id.clone(),
            status: thread.status,
            message: message.clone(),
            is_final: thread.status.is_final(),
        };
        if self.record(&parent.me, What::BackgroundEvent(background)).is_ok()
            && thread.status != AgentStatus::Interrupted
        {
            self.notify(&parent, message);
        }
    }

    /// The main agent is done: waits for those that still work, or stops them, or lets them go on
    /// elsewhere.
    pub async fn leave(&self, leaving: Leaving) -> Result<(), SessionError> {
        let main = self.main()?;
        let mut leaving = leaving;
        if leaving == Leaving::Wait {
            tokio::select! {
                () = self.cancel.cancelled() => leaving = Leaving::Cancel,
                done = self.all_rest(&main) => return done,
            }
        }
        let children = self.children(&main).into_iter();
        let working: Vec<_> = children.filter(|child| child.state.borrow().busy).collect();
        for child in &working {
            self.interrupt(child);
        }
        for child in &working {
            tokio::time::timeout(CLOSING, child.rests()).await.ok();
        }
        if leaving == Leaving::Detach {
            return self.hand_over(&working);
        }
        self.close_background(&main).await
    }

    /// Waits until nothing works, and nobody is still to be told that something has ended.
    pub async fn settle(&self) -> Result<(), SessionError> {
        let main = self.main()?;
        loop {
            main.rests().await;
            self.all_rest(&main).await?;
            let rests = !main.state.borrow().busy;
            if rests && self.letters().watched.is_empty() {
                return Ok(());
            }
            if rests {
                tokio::time::sleep(MAIL).await;
            }
        }
    }

    /// Waits until nothing below the main agent works, in this process or elsewhere.
    async fn all_rest(&self, main: &Member) -> Result<(), SessionError> {
        loop {
            let others = self.members().into_iter().filter(|member| member.index != 0);
            for member in others {
                member.rests().await;
            }
            let elsewhere = self.background(main)?;
            if elsewhere.is_empty() && !self.is_working() {
                return Ok(());
            }
            if !elsewhere.is_empty() {
                tokio::time::sleep(MAIL).await;
            }
        }
    }

    /// Agents go on in processes of their own.
    fn hand_over(&self, working: &[Arc<Member>]) -> Result<(), SessionError> {
        if self.kept().is_none() {
            return Ok(());
        }
        for child in working {
            self.launch(child.id())?;
        }
        Ok(())
    }

    /// Ends the agents in processes of their own.
    async fn close_background(&self, main: &Member) -> Result<(), SessionError> {
        let Some((store, _)) = self.kept() else { return Ok(()) };
        for id in self.background(main)? {
            store.send(&id, &Mail { kind: MailKind::Close, text: String::new() })?;
        }
        let until = Instant::now() + CLOSING;
        while Instant::now() < until && !self.background(main)?.is_empty() {
            tokio::time::sleep(MAIL).await;
        }
        Ok(())
    }

    /// The session is over and nobody attends to its agents any more. Those that were told
    /// something too late go on in processes of their own.
    pub fn end(&self) -> Result<(), SessionError> {
        let Some((store, owner)) = self.kept() else { return Ok(()) };
        self.file_mail(store);
        for member in self.members() {
            store.release(owner, member.id())?;
            let unread = store.unread(member.id(), 0)?;
            let wants_more = unread.iter().any(|(_, mail)| mail.kind != MailKind::Close);
            if wants_more && !member.is_closed() {
                self.launch(member.id())?;
            }
        }
        Ok(())
    }

    /// Starts a process for an agent that nobody attends to.
    fn launch(&self, id: &str) -> Result<(), SessionError> {
        let (store, owner) = self.kept().ok_or(SessionError::NotKept)?;
        store.take_over(id, owner)?;
        self.setup.launcher.launch(id).map_err(SessionError::Launch)
    }

    /// The agents in processes of their own that work for the main one.
    fn background(&self, main: &Member) -> Result<Vec<String>, SessionError> {
        let Some((store, _)) = self.kept() else { return Ok(Vec::new()) };
        let children = store.children(main.id())?.into_iter();
        let working = children.filter(|child| child.begun.background && child.status.is_active());
        Ok(working.map(|child| child.begun.id).collect())
    }

    fn letters(&self) -> std::sync::MutexGuard<'_, Letters> {
        self.letters.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
