//! Starting agents: what they may do is worked out here, and never exceeds what their parent may.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    Main, Member, Session, SessionError, State, StoredCall,
    member::Inner,
    thread::{new_thread, stored},
};
use crate::{
    catalog::Entry,
    event::{AgentRef, Life, What},
    plan::{Context, Finish, ModelWishes, Plan},
    provider::efforts,
    store::{NewThread, Thread, note},
    tools::{Root, sandbox::Mode},
};

/// The kind of agent that is started where nothing is said.
const DEFAULT_TYPE: &str = "default";

/// An agent that is to be started.
#[derive(Clone, Debug, Default)]
pub struct Spawn {
    /// Its kind.
    pub agent_type: Option<String>,
    /// Which persona of its definition it is.
    pub persona: Option<String>,
    /// What it is to do; nothing yet without it.
    pub message: Option<String>,
    /// The same in a few words.
    pub description: Option<String>,
    /// Another model than its own.
    pub model: Option<String>,
    /// How hard it thinks.
    pub effort: Option<String>,
    /// Where it works, if somebody allowed that.
    pub cwd: Option<PathBuf>,
    /// Its label.
    pub note: Option<String>,
    /// What it knows when it begins.
    pub context: Context,
    /// What its commands may touch at most.
    pub sandbox: Option<Mode>,
    /// Tokens it may use.
    pub juice: Option<u64>,
    /// What it is told besides its definition.
    pub instructions: Option<String>,
    /// How it finishes.
    pub finish: Finish,
    /// Whether it runs in a process of its own.
    pub background: bool,
    /// The call that starts it.
    pub call_id: String,
}

/// What is known about an agent before it has a place in the tree.
struct Seat {
    me: AgentRef,
    index: u32,
    ordinal: u32,
    parent: Option<u32>,
    depth: u32,
    cwd: PathBuf,
    entry: Entry,
    call: StoredCall,
}

impl Session {
    /// Starts an agent below `parent`. It works as soon as it has something to do.
    pub fn spawn(&self, parent: &Arc<Member>, wish: Spawn) -> Result<Arc<Member>, SessionError> {
        let has_work = wish.message.is_some();
        let _one_at_a_time = self.spawning.lock().unwrap_or_else(PoisonError::into_inner);
        let (member, thread) = self.draft(parent, wish)?;
        // From here on the agent has its place; if it cannot be written down, it loses it again.
        let begun = self.register(&member, &thread, has_work);
        if begun.is_err() {
            self.tree().remove_last(&member);
        }
        begun?;
        if has_work {
            self.attend(&member);
        }
        Ok(member)
    }

    /// Whether `wish` could be fulfilled, as far as that can be told before anyone is asked.
    pub fn check(&self, parent: &Arc<Member>, wish: &Spawn) -> Result<(), SessionError> {
        self.draft(parent, wish.clone()).map(|_| ())
    }

    /// An agent with everything it needs, and its thread. It has no place in the tree yet.
    pub(super) fn draft(
        &self,
        parent: &Arc<Member>,
        wish: Spawn,
    ) -> Result<(Arc<Member>, NewThread), SessionError> {
        let depth = self.depth_below(parent)?;
        self.check_model(wish.model.as_deref())?;
        let above = parent.plan().ok_or(SessionError::Over)?;
        let sandbox = stricter(wish.sandbox, above.sandbox())?;
        let agent_type = wish.agent_type.as_deref().unwrap_or(DEFAULT_TYPE);
        let entry = self.entry(agent_type)?.clone();
        let juice = wish.juice.or(self.setup.collab.juice());
        let call = StoredCall {
            prompt: wish.message,
            description: wish.description,
            model: wish.model,
            parent_model: above.models().first().map(ToString::to_string),
            sandbox: Some(sandbox.name().to_owned()),
            approve: self.setup.approve,
            caller: Some(self.granted(&above)),
            persona: wish.persona,
            effort: wish.effort,
            parent_effort: above.sampling().effort.clone(),
            juice,
            instructions: wish.instructions,
            finish: wish.finish,
            call_id: wish.call_id,
            background: wish.background,
            dialect: entry.dialect.id.to_owned(),
            from: self.setup.from.clone(),
            ..StoredCall::default()
        };
        let (index, ordinal) = {
            let tree = self.tree();
            (tree.next_index(), tree.next_ordinal(&entry.full_name()))
        };
        let cwd = wish.cwd.unwrap_or_else(|| above.directory().to_owned());
        let me = AgentRef { agent_id: Uuid::now_v7().to_string(), agent_type: entry.full_name() };
        let seat = Seat { me, index, ordinal, parent: Some(parent.index), depth, cwd, entry, call };
        let closing = parent.inner().closing.child_token();
        let member = Arc::new(seat.member(State::new(Life::default()), closing));
        // An agent that is told later what to do is planned when it knows.
        let (context, later) = match &member.call().prompt {
            Some(_) => (wish.context, Context::New),
            None => (Context::New, wish.context),
        };
        let has_prompt = member.call().prompt.is_some();
        let plan = self.plan_of(&member, context)?;
        check_effort(&plan, member.call().effort.as_deref())?;
        let redactor = self.setup.around.journal.redactor();
        let note = wish.note.as_deref().map_or_else(|| default_note(&member), note);
        let thread = NewThread {
            id: member.id().to_owned(),
            session: self.main()?.id().to_owned(),
            parent: Some(parent.id().to_owned()),
            depth,
            ordinal,
            note: note.map(|note| redactor.text(&note).into_owned()),
            ..new_thread(&member.entry, &plan, &member.call(), &member.cwd, redactor)
        };
        {
            let mut inner = member.inner();
            inner.history = Some(Vec::new());
            inner.context = later;
            inner.note.clone_from(&thread.note);
            inner.plan = Some(Arc::new(plan));
            inner.planned = has_prompt;
            inner.owned = true;
        }
        Ok((member, thread))
    }

    /// Gives the agent its place, and room if it begins at once.
    fn register(
        &self,
        member: &Arc<Member>,
        thread: &NewThread,
        begins: bool,
    ) -> Result<(), SessionError> {
        let most = self.setup.collab.max_agents();
        {
            let mut tree = self.tree();
            if begins && !tree.take_slot(member, most) {
                return Err(SessionError::Limit(most));
            }
            tree.add(member);
        }
        self.setup.roster.add(member.id(), &member.state);
        let written = match self.kept() {
            Some((store, owner)) => store.create(thread, Some(owner)).map_err(Into::into),
            None => Ok(()),
        };
        if let Err(error) = written {
            if begins {
                self.tree().free_slot(member);
            }
            return Err(error);
        }
        if begins {
            member.set_busy(true);
        }
        Ok(())
    }

    /// Gives the main agent its place, and those that were below it before theirs.
    pub(super) fn seat_main(&self, main: Main) -> Result<(), SessionError> {
        let Main { thread, entry, plan, call, resumed } = main;
        let waits =
            call.finish == Finish::LastMessage && call.prompt.is_none() && resumed.is_none();
        let seat = Seat {
            me: AgentRef { agent_id: thread.id.clone(), agent_type: thread.agent_type.clone() },
            index: 0,
            ordinal: thread.ordinal,
            parent: None,
            depth: thread.depth,
            cwd: PathBuf::from(&thread.cwd),
            entry,
            call,
        };
        let member = Arc::new(seat.member(State::new(Life::default()), self.cancel.child_token()));
        {
            let mut inner = member.inner();
            inner.plan = Some(plan);
            // One that waits for what it is told is planned when it knows.
            inner.planned = !waits;
            inner.owned = true;
            inner.note = thread.note;
            inner.history = if resumed.is_none() { Some(Vec::new()) } else { None };
        }
        self.tree().add(&member);
        self.setup.roster.add(member.id(), &member.state);
        if let Some(prompts) = resumed {
            prompts.into_iter().for_each(|prompt| member.inbox.put(prompt));
            self.seat_descendants(&member)?;
        }
        Ok(())
    }

    /// Gives those that were below a resumed agent their places. What runs in processes of its own
    /// has none.
    fn seat_descendants(&self, main: &Member) -> Result<(), SessionError> {
        let Some((store, _)) = self.kept() else { return Ok(()) };
        for thread in store.descendants(main.id())? {
            if thread.begun.background || thread.is_attended() {
                continue;
            }
            let parent = thread.begun.parent.as_deref().map(|parent| self.find(parent));
            if let Some(Ok(parent)) = parent {
                // What cannot be read any more cannot be resumed either.
                self.adopt(&parent, &thread).ok();
            }
        }
        Ok(())
    }

    /// Gives an agent that is in the store a place below `parent`.
    pub(super) fn adopt(
        &self,
        parent: &Arc<Member>,
        thread: &Thread,
    ) -> Result<Arc<Member>, SessionError> {
        let (entry, call) = stored(thread)?;
        let begun = &thread.begun;
        let mut tree = self.tree();
        let seat = Seat {
            me: AgentRef { agent_id: begun.id.clone(), agent_type: begun.agent_type.clone() },
            index: tree.next_index(),
            ordinal: begun.ordinal,
            parent: Some(parent.index),
            depth: parent.depth + 1,
            cwd: PathBuf::from(&begun.cwd),
            entry,
            call,
        };
        let outcome = thread.outcome.as_ref();
        let message = outcome.map(|outcome| match &outcome.error {
            Some(error) => error.message.clone(),
            None => outcome.result.clone(),
        });
        let tokens = outcome.map_or(0, |outcome| outcome.total_tokens);
        let life = Life::left(thread.status, message.unwrap_or_default(), tokens);
        let member = Arc::new(seat.member(State::new(life), parent.inner().closing.child_token()));
        {
            let mut inner = member.inner();
            inner.note.clone_from(&begun.note);
            inner.closed = thread.closed;
            inner.outcome.clone_from(&thread.outcome);
        }
        tree.add(&member);
        drop(tree);
        self.setup.roster.add(member.id(), &member.state);
        Ok(member)
    }

    fn depth_below(&self, parent: &Member) -> Result<u32, SessionError> {
        let depth = parent.depth + 1;
        let deepest = self.setup.collab.max_depth();
        if depth as usize > deepest { Err(SessionError::Depth) } else { Ok(depth) }
    }

    fn entry(&self, agent_type: &str) -> Result<&Entry, SessionError> {
        self.setup.catalog.find(agent_type).map_err(|_| SessionError::UnknownType {
            asked: agent_type.to_owned(),
            available: self.types(),
        })
    }

    /// The kinds of agents there are.
    pub fn types(&self) -> Vec<String> {
        let all = self.setup.catalog.entries.iter();
        let visible = all.filter(|entry| entry.shadowed_by.is_none());
        let mut types: Vec<String> = visible.map(Entry::full_name).collect();
        types.sort();
        types.dedup();
        types
    }

    pub(super) fn check_model(&self, model: Option<&str>) -> Result<(), SessionError> {
        let Some(model) = model else { return Ok(()) };
        let wishes = ModelWishes { call: Some(model.to_owned()), ..ModelWishes::default() };
        let known = self.setup.book.chain(&[], &wishes);
        known.map(|_| ()).map_err(|_| SessionError::UnknownModel {
            asked: model.to_owned(),
            available: self.setup.book.names(),
        })
    }

    /// Labels an agent.
    pub fn set_note(&self, member: &Member, text: &str) -> Result<Option<String>, SessionError> {
        let note =
            note(text).map(|note| self.setup.around.journal.redactor().text(&note).into_owned());
        if let Some((store, _)) = self.kept() {
            store.set_note(member.id(), note.as_deref())?;
        }
        member.inner().note.clone_from(&note);
        let (thread_id, thread_note) = (member.id().to_owned(), note.clone());
        self.record(&member.me, What::ThreadNoteUpdated { thread_id, thread_note })?;
        Ok(note)
    }
}

impl Seat {
    fn member(self, state: State, closing: CancellationToken) -> Member {
        Member {
            index: self.index,
            ordinal: self.ordinal,
            parent: self.parent,
            depth: self.depth,
            cwd: self.cwd,
            call_id: self.call.call_id.clone(),
            juice: self.call.juice,
            me: self.me,
            inbox: Arc::default(),
            entry: self.entry,
            call: Mutex::new(self.call),
            state: Arc::new(watch::Sender::new(state)),
            inner: Mutex::new(Inner { closing, ..Inner::default() }),
            wake: Notify::new(),
            lives: AtomicBool::new(false),
            awaited: Default::default(),
        }
    }
}

/// The stricter of what was asked for and what the parent has; asking for less is refused.
fn stricter(asked: Option<Mode>, allowed: Mode) -> Result<Mode, SessionError> {
    match asked {
        Some(asked) if asked < allowed => Err(SessionError::Sandbox { asked, allowed }),
        asked => Ok(asked.unwrap_or(allowed)),
    }
}

/// An effort that the model does not know is refused before anything is started.
pub(super) fn check_effort(plan: &Plan, effort: Option<&str>) -> Result<(), SessionError> {
    let (Some(asked), Some(model)) = (effort, plan.models().first()) else { return Ok(()) };
    let supported = efforts(&model.provider);
    if supported.contains(&asked) {
        return Ok(());
    }
    let supported = supported.to_vec();
    Err(SessionError::UnsupportedEffort {
        asked: asked.to_owned(),
        model: model.to_string(),
        supported,
    })
}

/// The label of an agent that was given none.
fn default_note(member: &Member) -> Option<String> {
    let description = member.entry.definition.description.as_ref().map(|text| text.value.as_str());
    let parts = [
        Some(format!("agent_type={}", member.me.agent_type)),
        member.persona().map(|name| format!("agent_name={name}")),
        description.map(|text| format!("agent_description={text}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    note(&parts.join("; "))
}

/// Where `asked` is, seen from `from`.
pub fn resolved(from: &Path, asked: &Path) -> Result<PathBuf, SessionError> {
    Ok(Root::open(&from.join(asked))?.path().to_owned())
}
