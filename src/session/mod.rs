//! A main agent and the agents it starts.
//!
//! A child has what its parent has and its definition allows, never more: tools, sandbox,
//! directory, approvals. It runs in this process when its parent waits for it, and in one of its
//! own when nobody does.

mod call;

use std::{
    collections::HashMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

pub use call::{Approvals, StoredCall};
use thiserror::Error;
use uuid::Uuid;

use crate::{
    authority::{Circumstances, MAX_DEPTH, Position, Trust, fingerprint},
    catalog::{Catalog, Entry, File, Origin},
    config::RunSettings,
    conversation::Message,
    event::{Outcome, Redactor, What},
    lint::{Level, lint_file},
    plan::{ModelBook, ModelWishes, Plan, PlanError, Situation, plan},
    provider::ModelId,
    run::{Agent, Surroundings, recovered},
    store::{NewThread, Owner, Store, StoreError, Thread},
    text::Source,
    tools::{
        Root, RootError, ToolCx,
        sandbox::{Mode, Sandbox},
    },
};

/// Starts a process that runs a thread that is in the store.
pub trait Launcher: Send + Sync {
    /// Returns when the process has taken the thread over.
    fn launch(&self, id: &str) -> Result<(), String>;
}

/// The main agent of a session: what its children may not exceed.
#[derive(Clone, Debug)]
pub struct Main {
    /// Its thread.
    pub id: String,
    /// Where it works.
    pub cwd: PathBuf,
    /// Where it was started: paths in calls start there.
    pub from: PathBuf,
    /// What its commands may touch.
    pub sandbox: Mode,
    /// Its tools.
    pub tools: Vec<String>,
    /// Its model.
    pub model: Option<ModelId>,
}

/// A main agent and everything its children need.
pub struct Session {
    /// The main agent.
    pub main: Main,
    /// The agents there are.
    pub catalog: Catalog,
    /// The files the user trusts.
    pub trust: Trust,
    /// How agents are run.
    pub settings: RunSettings,
    /// The models there are.
    pub book: ModelBook,
    /// What the environment says about the model.
    pub wishes: ModelWishes,
    /// The date.
    pub today: String,
    /// What every agent works with; each gets a directory and an inbox of its own.
    pub around: Surroundings,
    /// What answers where an approval is needed.
    pub approve: Approvals,
    /// The program that runs commands, and the variables they see.
    pub helper: (PathBuf, Vec<(OsString, OsString)>),
    /// Where threads are kept, and who keeps them.
    pub kept: Option<(Arc<Store>, Owner)>,
    /// Starts processes for what runs in the background.
    pub launcher: Arc<dyn Launcher>,
    /// How many agents of each type there were.
    pub ordinals: Mutex<HashMap<String, u32>>,
}

/// What a child is asked to do.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// The kind of agent.
    pub agent_type: String,
    /// What it is to do.
    pub prompt: String,
    /// The same in a few words.
    pub description: String,
    /// The model.
    pub model: Option<String>,
}

/// A child that cannot be started. The model that asked for it is told.
#[derive(Debug, Error)]
pub enum TaskError {
    /// There is no such kind of agent.
    #[error("unknown subagent type `{asked}`; available: {}", .available.join(", "))]
    UnknownType {
        /// What was asked for.
        asked: String,
        /// What there is.
        available: Vec<String>,
    },
    /// The definition has errors.
    #[error("`{agent_type}` cannot be run: {first}")]
    Invalid {
        /// The kind of agent.
        agent_type: String,
        /// The first error.
        first: String,
    },
    /// It cannot be planned.
    #[error("`{agent_type}` cannot be run: {source}")]
    Plan {
        /// The kind of agent.
        agent_type: String,
        /// Why.
        source: PlanError,
    },
    /// Its directory cannot be worked in.
    #[error(transparent)]
    Root(#[from] RootError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nothing is kept, so nothing can be found again.
    #[error("this run is not kept, so agents can neither be resumed nor run in the background")]
    NotKept,
    /// It is still running.
    #[error("the agent {0} is still running")]
    Running(String),
    /// Its process did not start.
    #[error("the process for it did not start: {0}")]
    Launch(String),
    /// What was kept of it cannot be read.
    #[error("what was kept of {0} cannot be read")]
    Unreadable(String),
}

impl Session {
    /// Runs a child and waits for it.
    pub async fn run(&self, task: Task) -> Result<Outcome, TaskError> {
        let entry = self.entry(&task.agent_type)?;
        let call = self.call(&task, entry, false);
        let plan = self.plan(entry, &call)?;
        let thread = self.thread(entry, &plan, &call);
        if let Some((store, owner)) = &self.kept {
            store.create(&thread, Some(owner))?;
        }
        let agent = self.agent(plan, &thread)?;
        Ok(agent.run().await)
    }

    /// Starts a child in a process of its own. Its thread.
    pub fn start(&self, task: &Task) -> Result<String, TaskError> {
        let (store, _) = self.kept.as_ref().ok_or(TaskError::NotKept)?;
        let entry = self.entry(&task.agent_type)?;
        let call = self.call(task, entry, true);
        let plan = self.plan(entry, &call)?;
        let thread = self.thread(entry, &plan, &call);
        store.create(&thread, None)?;
        self.launcher.launch(&thread.id).map_err(TaskError::Launch)?;
        Ok(thread.id)
    }

    /// Goes on with a child that ended, and waits for it.
    pub async fn resume(&self, id: &str, task: &Task) -> Result<Outcome, TaskError> {
        let (store, owner) = self.kept.as_ref().ok_or(TaskError::NotKept)?;
        let thread = store.thread(id)?;
        if thread.status.is_active() && thread.owner.is_some() {
            return Err(TaskError::Running(thread.begun.id));
        }
        let (entry, mut call) = stored(&thread)?;
        // What its caller may do now is what counts.
        call.caller = Some(self.main.tools.clone());
        call.sandbox = Some(self.main.sandbox.name().to_owned());
        call.background = false;
        let plan = self.plan(&entry, &call)?;
        store.take_over(&thread.begun.id, owner)?;
        let past = store.messages(&thread.begun.id)?;
        let happened: Vec<What> = store
            .events(&thread.begun.id, 0, usize::MAX >> 1)?
            .into_iter()
            .map(|entry| entry.event.what)
            .collect();
        let mut more: Vec<Message> = recovered(&past, &happened).into_iter().collect();
        more.push(Message::user(task.prompt.clone()));
        let agent = self.agent(plan, &thread.begun)?.after(past, more);
        Ok(agent.run().await)
    }

    fn entry(&self, agent_type: &str) -> Result<&Entry, TaskError> {
        self.catalog.find(agent_type).map_err(|_| {
            let visible = self.catalog.entries.iter().filter(|entry| entry.shadowed_by.is_none());
            let mut available: Vec<String> = visible.map(Entry::full_name).collect();
            available.sort();
            available.dedup();
            TaskError::UnknownType { asked: agent_type.to_owned(), available }
        })
    }

    fn call(&self, task: &Task, entry: &Entry, background: bool) -> StoredCall {
        StoredCall {
            prompt: Some(task.prompt.clone()),
            description: Some(task.description.clone()),
            model: task.model.clone(),
            parent_model: self.main.model.as_ref().map(ToString::to_string),
            sandbox: Some(self.main.sandbox.name().to_owned()),
            approve: self.approve,
            background,
            caller: Some(self.main.tools.clone()),
            dialect: entry.dialect.id.to_owned(),
            from: self.main.from.clone(),
            ..StoredCall::default()
        }
    }

    fn plan(&self, entry: &Entry, call: &StoredCall) -> Result<Arc<Plan>, TaskError> {
        let agent_type = entry.full_name();
        if let Some(first) = first_error(entry) {
            return Err(TaskError::Invalid { agent_type, first });
        }
        let tools: Vec<&str> = self.main.tools.iter().map(String::as_str).collect();
        let situation = Situation {
            cwd: &self.main.cwd,
            today: &self.today,
            models: &self.book,
            settings: &self.settings,
            circumstances: Circumstances {
                caller: Some(&tools),
                position: Position::Below { depth: 1, max_depth: MAX_DEPTH },
                background: call.background,
                trusted: is_trusted(&self.trust, entry),
            },
            sandbox: self.main.sandbox,
        };
        let wishes = ModelWishes {
            call: call.model.clone(),
            parent: self.main.model.clone(),
            ..self.wishes.clone()
        };
        let planned = plan(entry, &[], call.planned(wishes), &situation);
        planned.map(Arc::new).map_err(|source| TaskError::Plan { agent_type, source })
    }

    fn thread(&self, entry: &Entry, plan: &Plan, call: &StoredCall) -> NewThread {
        let thread = new_thread(entry, plan, call, &self.main.cwd, self.around.journal.redactor());
        // What runs in a process of its own has a stream of its own.
        let session = if call.background { thread.session.clone() } else { self.main.id.clone() };
        NewThread {
            session,
            parent: Some(self.main.id.clone()),
            depth: 1,
            ordinal: self.next_ordinal(plan.agent_type()),
            ..thread
        }
    }

    fn next_ordinal(&self, agent_type: &str) -> u32 {
        let mut ordinals = self.ordinals.lock().unwrap_or_else(PoisonError::into_inner);
        let ordinal = ordinals.entry(agent_type.to_owned()).or_default();
        *ordinal += 1;
        *ordinal
    }

    /// The child, ready to run. It ends when its parent does.
    fn agent(&self, plan: Arc<Plan>, thread: &NewThread) -> Result<Agent, TaskError> {
        let (helper, environment) = self.helper.clone();
        let around = Surroundings {
            cx: Arc::new(ToolCx {
                root: Root::open(plan.directory())?,
                sandbox: Sandbox::new(plan.sandbox(), helper, environment),
                time_limit: self.around.cx.time_limit,
                web: self.around.cx.web,
            }),
            cancel: self.around.cancel.child_token(),
            inbox: Arc::default(),
            ..self.around.clone()
        };
        Ok(Agent::new(plan, around, thread.id.clone(), thread.ordinal))
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("main", &self.main).finish_non_exhaustive()
    }
}

/// Whether the user trusts the file of `entry` as it was read.
pub fn is_trusted(trust: &Trust, entry: &Entry) -> bool {
    let text = entry.source.as_ref().filter(|source| source.problem().is_none());
    let path = std::fs::canonicalize(&entry.path).unwrap_or_else(|_| entry.path.clone());
    text.is_some_and(|source| trust.holds(&path, source.text().as_bytes()))
}

/// A thread that nobody started, not yet in any store. Keys are taken out of what is kept; a
/// definition that has one is then no longer the file that is trusted.
pub fn new_thread(
    entry: &Entry,
    plan: &Plan,
    call: &StoredCall,
    cwd: &Path,
    redactor: &Redactor,
) -> NewThread {
    let id = Uuid::now_v7().to_string();
    let definition = entry.source.as_ref().map_or("", |source| source.text());
    let path = match entry.origin {
        Origin::Builtin => entry.path.clone(),
        Origin::Project | Origin::User => call.from.join(&entry.path),
    };
    NewThread {
        session: id.clone(),
        id,
        parent: None,
        depth: 0,
        agent_type: plan.agent_type().to_owned(),
        ordinal: 1,
        model: plan.models().first().map(ToString::to_string).unwrap_or_default(),
        sandbox: plan.sandbox().name().to_owned(),
        cwd: cwd.display().to_string(),
        path: path.display().to_string(),
        origin: entry.origin.name().to_owned(),
        hash: fingerprint(definition.as_bytes()),
        definition: redactor.text(definition).into_owned(),
        call: redactor.value(serde_json::to_value(call).unwrap_or_default()),
        note: None,
        background: call.background,
    }
}

/// The first thing that is wrong with a definition.
fn first_error(entry: &Entry) -> Option<String> {
    let text = entry.source.as_deref().map(Source::text)?;
    let file = File::new(&entry.path, text.as_bytes().to_vec(), entry.origin, &[entry.dialect]);
    let findings = lint_file(&file).findings;
    findings.into_iter().find(|finding| finding.level == Level::Error).map(|error| error.message)
}

/// The definition of a thread as it was, and how it was called.
fn stored(thread: &Thread) -> Result<(Entry, StoredCall), TaskError> {
    let begun = &thread.begun;
    let unreadable = || TaskError::Unreadable(begun.id.clone());
    let call: StoredCall = serde_json::from_value(begun.call.clone()).map_err(|_| unreadable())?;
    let entry = stored_entry(begun, &call).ok_or_else(unreadable)?;
    Ok((entry, call))
}

/// The definition of a thread as it was.
pub fn stored_entry(begun: &NewThread, call: &StoredCall) -> Option<Entry> {
    let origin = match begun.origin.as_str() {
        "builtin" => Origin::Builtin,
        "user" => Origin::User,
        _ => Origin::Project,
    };
    let hosts: Vec<_> = crate::dialect::dialect(&call.dialect).into_iter().collect();
    let path = std::path::Path::new(&begun.path);
    let file = File::new(path, begun.definition.clone().into_bytes(), origin, &hosts);
    file.entries.into_iter().find(|entry| entry.full_name() == begun.agent_type)
}
