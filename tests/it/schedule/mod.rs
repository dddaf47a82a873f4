//! Trees of agents under random schedules: what must hold at every step, whatever happens when.
//! And what is worth saying by itself: orders that once went wrong, and many agents at once.

mod many;
mod model;
mod orders;
mod play;
mod stage;
mod watch;

use std::{ops::Range, sync::Arc};

use agentctl::session::Session;
use model::Model;
use tempfile::TempDir;
use watch::{Reader, Watch};

/// A session whose model answers at once, in a folder of its own.
struct Scene {
    folder: TempDir,
    session: Arc<Session>,
    model: Arc<Model>,
    watch: Arc<Watch>,
}

impl Scene {
    fn new(seed: u64, settings: &str, is_kept: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let watch = Arc::new(Watch::default());
        let model = Arc::new(Model::new(seed, Arc::clone(&watch)));
        let reader = Box::new(Reader(Arc::clone(&watch)));
        let session = stage::session(folder.path(), settings, is_kept, model.clone(), reader);
        model.session.set(Arc::downgrade(&session)).unwrap();
        Self { folder, session, model, watch }
    }

    /// Looks at every agent at every event, which takes time.
    fn watched(self) -> Self {
        self.watch.session.set(Arc::downgrade(&self.session)).unwrap();
        self
    }
}

/// Plays the sequences of `seeds`; a failure names its seed.
fn play(seeds: Range<u64>) {
    for seed in seeds {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        if let Err(wrong) = runtime.block_on(play::play(seed)) {
            panic!("seed {seed}:\n{wrong}");
        }
    }
}

#[test]
fn a_tree_of_agents_keeps_its_promises_under_any_schedule() {
    play(0..500);
}

#[test]
fn a_tree_of_agents_keeps_them_under_as_many_others() {
    play(500..1_000);
}
