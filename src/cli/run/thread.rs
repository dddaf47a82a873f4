//! Where threads are kept.

use std::sync::Arc;

use anyhow::Result;

use crate::{cli::world::World, store::Store};

/// The name of the store in the state directory.
pub(in crate::cli) const STORE: &str = "threads.db";

/// The store, if there is a place for one.
pub(in crate::cli) fn store(world: &mut World) -> Result<Option<Arc<Store>>> {
    match world.state_file(STORE) {
        Ok(path) => Ok(Some(Arc::new(Store::open(&path)?))),
        Err(error) => {
            world.note(&format!("note: this run is not kept: {error:#}"));
            Ok(None)
        }
    }
}
