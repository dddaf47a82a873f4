//! The thread of a run: made, kept, fed with mail, and found again.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Result;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    cli::{args::OnExit, world::World},
    conversation::Message,
    event::{Redactor, Sink, What},
    run::{Inbox, recovered},
    store::{HEARTBEAT, Mail, MailKind, NewThread, Owner, Store, StoreSink, Thread},
};

/// How often mail is looked for.
const MAIL: Duration = Duration::from_millis(200);

/// How long agents that are told to end may take.
const CLOSING: Duration = Duration::from_secs(5);

/// What an agent is told that goes on without anything new to do.
const GO_ON: &str = "Go on where you were stopped.";

/// The name of the store in the state directory.
pub(in crate::cli) const STORE: &str = "threads.db";

/// Keeps a run, where there is a place to keep it.
pub(super) struct Keeper {
    id: String,
    session: String,
    ordinal: u32,
    kept: Option<(Arc<Store>, Owner)>,
    /// What to go on from.
    resumed: Option<Vec<String>>,
    closed: Arc<AtomicBool>,
    /// The last mail the agent was handed.
    handed: Arc<AtomicI64>,
}

/// While it lives, the thread's owner is alive and reads its mail.
pub(super) struct Living(Option<AbortHandle>);

impl Drop for Living {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

/// The store, if there is a place for one.
pub(super) fn store(world: &mut World) -> Result<Option<Arc<Store>>> {
    match world.state_file(STORE) {
        Ok(path) => Ok(Some(Arc::new(Store::open(&path)?))),
        Err(error) => {
            world.note(&format!("note: this run is not kept: {error:#}"));
            Ok(None)
        }
    }
}

impl Keeper {
    /// Keeps a new thread in `store`, if there is one.
    pub fn new(thread: &NewThread, store: Option<Arc<Store>>) -> Result<Self> {
        let owner = Owner::this_process();
        if let Some(store) = &store {
            store.create(thread, Some(&owner))?;
        }
        Ok(Self {
            id: thread.id.clone(),
            session: thread.session.clone(),
            ordinal: thread.ordinal,
            kept: store.map(|store| (store, owner)),
            resumed: None,
            closed: Arc::default(),
            handed: Arc::default(),
        })
    }

    /// Goes on with a thread that nobody runs. `prompt` is what it is told.
    pub fn resume(thread: &Thread, store: Arc<Store>, prompt: Option<String>) -> Result<Self> {
        let owner = Owner::this_process();
        store.take_over(&thread.begun.id, &owner)?;
        Ok(Self {
            id: thread.begun.id.clone(),
            session: thread.begun.session.clone(),
            ordinal: thread.begun.ordinal,
            kept: Some((store, owner)),
            resumed: Some(prompt.into_iter().collect()),
            closed: Arc::default(),
            handed: Arc::default(),
        })
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// What keeps everything that happens.
    pub fn sink(&self, redactor: &Redactor) -> Option<Box<dyn Sink>> {
        let (store, owner) = self.kept.as_ref()?;
        Some(Box::new(StoreSink::new(Arc::clone(store), owner.clone(), redactor.clone())))
    }

    /// The number of the first event.
    pub fn next(&self) -> Result<u64> {
        Ok(match &self.kept {
            Some((store, _)) => store.next_in_session(&self.session)?,
            None => 0,
        })
    }

    /// The conversation that the agent goes on with, all of it written down; `None` for a new
    /// thread. One that was stopped before anything was said goes on with `first`.
    pub fn past(&self, first: &[Message], redactor: &Redactor) -> Result<Option<Vec<Message>>> {
        let (Some((store, owner)), Some(prompts)) = (&self.kept, &self.resumed) else {
            return Ok(None);
        };
        let mut past = store.messages(&self.id)?;
        let happened: Vec<What> =
            store.events(&self.id, 0, usize::MAX >> 1)?.into_iter().map(|e| e.event.what).collect();
        let mut more: Vec<Message> = recovered(&past, &happened).into_iter().collect();
        // A conversation that ends with its user needs no further word.
        let waits = more.is_empty() && !matches!(past.last(), Some(Message::Assistant { .. }));
        if past.is_empty() {
            more.extend_from_slice(first);
        }
        let mail = store.unread(&self.id, 0)?;
        let last = mail.last().map_or(0, |(number, _)| *number);
        let inputs = mail.into_iter().filter(|(_, mail)| mail.kind != MailKind::Close);
        let mut prompts: Vec<String> =
            prompts.iter().cloned().chain(inputs.map(|(_, mail)| mail.text)).collect();
        if prompts.is_empty() && !waits {
            prompts.push(GO_ON.to_owned());
        }
        more.extend(prompts.into_iter().map(Message::user));
        let written: Result<Vec<_>, _> = more.iter().map(serde_json::to_value).collect();
        let written: Vec<_> = written?.into_iter().map(|value| redactor.value(value)).collect();
        store.go_on(owner, &self.id, &written, last)?;
        past.extend(more);
        Ok(Some(past))
    }

    /// Shows that the owner is alive, and hands mail to the agent.
    pub fn live(&self, inbox: Arc<Inbox>, cancel: CancellationToken) -> Living {
        let Some((store, owner)) = self.kept.clone() else { return Living(None) };
        let (id, closed) = (self.id.clone(), Arc::clone(&self.closed));
        let handed = Arc::clone(&self.handed);
        let task = tokio::spawn(async move {
            let (mut beat, mut read) = (Instant::now(), 0);
            loop {
                tokio::time::sleep(MAIL).await;
                // What cannot be read or written now shows when the next event is written.
                let after = handed.load(Ordering::Relaxed);
                for (number, mail) in store.unread(&id, after).unwrap_or_default() {
                    handed.store(number, Ordering::Relaxed);
                    match mail.kind {
                        MailKind::Input => inbox.put(mail.text),
                        MailKind::Interrupt => inbox.interrupt(mail.text),
                        MailKind::Close => {
                            closed.store(true, Ordering::Relaxed);
                            cancel.cancel();
                        }
                    }
                }
                // Mail is read when the agent has written it down, which it does as it takes it:
                // told twice is better than never.
                let last = handed.load(Ordering::Relaxed);
                if last > read && inbox.is_empty() && store.mail_is_read(&id, last).is_ok() {
                    read = last;
                }
                if beat.elapsed() >= HEARTBEAT {
                    store.beat(&owner).ok();
                    beat = Instant::now();
                }
            }
        });
        Living(Some(task.abort_handle()))
    }

    /// Where it is kept, and by whom.
    pub fn kept(&self) -> Option<(Arc<Store>, Owner)> {
        self.kept.clone()
    }

    /// Waits for the agents it started, or ends them, or leaves them.
    pub async fn settle_children(&self, on_exit: OnExit, cancel: &CancellationToken) -> Result<()> {
        let Some((store, _)) = &self.kept else { return Ok(()) };
        if on_exit == OnExit::Detach {
            return Ok(());
        }
        let mut given_up = None;
        loop {
            let working = active_children(store, &self.id)?;
            if working.is_empty() || given_up.is_some_and(|at| Instant::now() >= at) {
                return Ok(());
            }
            if given_up.is_none() && (on_exit == OnExit::Cancel || cancel.is_cancelled()) {
                given_up = Some(Instant::now() + CLOSING);
                for child in working {
                    store.send(&child, &Mail { kind: MailKind::Close, text: String::new() })?;
                }
            }
            tokio::time::sleep(MAIL).await;
        }
    }

    /// The run is over. What is left in `inbox` waits for the next one.
    pub fn end(&self, inbox: &Inbox) -> Result<()> {
        let last = self.handed.load(Ordering::Relaxed);
        if let Some((store, _)) = &self.kept
            && last > 0
            && inbox.is_empty()
        {
            store.mail_is_read(&self.id, last)?;
        }
        if let Some((store, _)) = &self.kept
            && self.closed.load(Ordering::Relaxed)
        {
            store.shut_down(&self.id)?;
        }
        Ok(())
    }
}

/// The agents `id` started that still work.
fn active_children(store: &Store, id: &str) -> Result<Vec<String>> {
    let children = store.children(id)?.into_iter().filter(|child| child.status.is_active());
    Ok(children.map(|child| child.begun.id).collect())
}
