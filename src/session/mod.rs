//! A main agent and the agents it starts, as one tree.
//!
//! One task for each agent reads its model whether or not anyone waits for it. What an agent is
//! doing follows from events ([`Roster`]); what it is told waits in its inbox; who may start, tell,
//! wait for, close and reopen whom is decided here and nowhere else. The tools in `collab`, the
//! command line and every other front end only translate.
//!
//! A child has what its parent has and its definition and the call allow, never more: tools,
//! sandbox, approvals, directory. That is worked out anew for every run.

mod act;
mod call;
mod error;
mod listing;
mod member;
mod mode;
mod past;
mod planning;
mod post;
mod roster;
mod spawn;
mod task;
mod thread;
mod tree;
mod wait;
mod work;

use std::{
    collections::HashMap,
    ffi::OsString,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

pub use act::Delivery;
pub use call::{Approvals, StoredCall};
pub use error::SessionError;
pub use listing::Scope;
pub use member::{Member, State};
pub use mode::{Mode, ModeKind, ModeSettings};
pub use planning::position;
pub use post::{Leaving, Living};
pub use roster::{Roster, RosterSink};
pub use spawn::{DEFAULT_TYPE, Spawn, resolved};
pub use thread::{is_trusted, new_thread, stored_entry};
use tokio_util::sync::CancellationToken;
use tree::Tree;
pub use wait::{Tokens, Waited};

use crate::{
    authority::Trust,
    catalog::{Catalog, Entry},
    config::{CollabSettings, LintSettings, RunSettings},
    event::{AgentRef, What},
    plan::{ModelBook, ModelWishes, Plan},
    run::Surroundings,
    store::{NewThread, Owner, Store},
    text::Source,
    tools::Tool,
};

/// Starts a process that runs a thread that is in the store.
pub trait Launcher: Send + Sync {
    /// Returns when the process has taken the thread over from this one.
    fn launch(&self, id: &str) -> Result<(), String>;
}

/// What a session works with.
pub struct Setup {
    /// The agents there are.
    pub catalog: Catalog,
    /// The files the user trusts now.
    pub trust: Box<dyn Fn() -> Trust + Send + Sync>,
    /// What counts as an error in a definition.
    pub lint: LintSettings,
    /// How agents are run.
    pub run: RunSettings,
    /// How agents start others.
    pub collab: CollabSettings,
    /// The models there are.
    pub book: ModelBook,
    /// What the environment says about the model.
    pub wishes: ModelWishes,
    /// The date.
    pub today: String,
    /// What every agent works with; each gets a directory, an inbox and a path of its own.
    pub around: Surroundings,
    /// What answers where an approval is needed.
    pub approve: Approvals,
    /// The program that runs commands, and the variables they see.
    pub helper: (PathBuf, Vec<(OsString, OsString)>),
    /// Where threads are kept, and who keeps them.
    pub kept: Option<(Arc<Store>, Owner)>,
    /// Starts processes for what runs in the background.
    pub launcher: Arc<dyn Launcher>,
    /// What agents are doing.
    pub roster: Arc<Roster>,
    /// Where paths in calls start.
    pub from: PathBuf,
}

/// The main agent of a session.
pub struct Main {
    /// Its thread, which is in the store if there is one.
    pub thread: NewThread,
    /// Its definition.
    pub entry: Entry,
    /// What it does first.
    pub plan: Arc<Plan>,
    /// How it was called.
    pub call: StoredCall,
    /// What to tell it, if it goes on with a conversation that is in the store.
    pub resumed: Option<Vec<String>>,
}

/// The text of a definition, and the first thing that is wrong with it.
type Checked = (Arc<Source>, Option<String>);

/// A tree of agents.
pub struct Session {
    setup: Setup,
    tree: Mutex<Tree>,
    /// Held while an agent gets its place.
    spawning: Mutex<()>,
    /// Every tool there is, those for starting agents among them.
    tools: Arc<[Arc<dyn Tool>]>,
    /// Their names.
    names: Vec<String>,
    /// The texts of definitions that have been checked, by their addresses, and what is wrong with
    /// each.
    errors: Mutex<HashMap<usize, Checked>>,
    /// How far the mail has been read.
    letters: Mutex<post::Letters>,
    /// Ends everything.
    cancel: CancellationToken,
    myself: Weak<Self>,
}

impl Session {
    /// A session whose main agent is about to begin. `tools` makes the tools with which agents act
    /// on each other.
    pub fn new(
        setup: Setup,
        main: Main,
        tools: impl FnOnce(&Weak<Self>) -> Vec<Arc<dyn Tool>>,
    ) -> Result<Arc<Self>, SessionError> {
        let session = Arc::new_cyclic(|myself| {
            let tools: Arc<[Arc<dyn Tool>]> =
                setup.around.tools.iter().cloned().chain(tools(myself)).collect();
            Self {
                names: tools.iter().map(|tool| tool.spec().name).collect(),
                tools,
                cancel: setup.around.cancel.clone(),
                tree: Mutex::default(),
                spawning: Mutex::default(),
                errors: Mutex::default(),
                letters: Mutex::default(),
                myself: Weak::clone(myself),
                setup,
            }
        });
        session.seat_main(main)?;
        Ok(session)
    }

    /// The main agent.
    pub fn main(&self) -> Result<Arc<Member>, SessionError> {
        self.at(0)
    }

    /// The agent with a number.
    pub fn at(&self, index: u32) -> Result<Arc<Member>, SessionError> {
        self.tree().get(index).cloned().ok_or_else(|| SessionError::NotFound(index.to_string()))
    }

    /// The agent that is meant.
    pub fn find(&self, name: &str) -> Result<Arc<Member>, SessionError> {
        self.tree().find(name).cloned().ok_or_else(|| SessionError::NotFound(name.to_owned()))
    }

    /// Every agent, in the order in which they were started.
    pub fn members(&self) -> Vec<Arc<Member>> {
        self.tree().all().to_vec()
    }

    /// The agents there are.
    pub fn catalog(&self) -> &Catalog {
        &self.setup.catalog
    }

    /// How agents start others.
    pub fn collab(&self) -> &CollabSettings {
        &self.setup.collab
    }

    /// Where threads are kept, and who keeps them.
    pub fn kept(&self) -> Option<&(Arc<Store>, Owner)> {
        self.setup.kept.as_ref()
    }

    /// Writes down that `what` happened to `agent`.
    pub fn record(&self, agent: &AgentRef, what: What) -> Result<(), SessionError> {
        self.setup.around.journal.record(agent, what).map_err(SessionError::Journal)
    }

    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Tasks that wait for something to do have nothing to wait for any more.
        for member in self.tree().all() {
            member.wake.notify_one();
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("agents", &self.tree().all().len()).finish_non_exhaustive()
    }
}
