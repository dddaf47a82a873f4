//! `--watch`: checks again whenever a file changes.

use std::{
    collections::BTreeMap,
    io::Write as _,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use anyhow::Result;

use crate::cli::{
    Exit,
    args::ValidateArgs,
    world::{Whose, World},
};

/// How often files are looked at.
const PAUSE: Duration = Duration::from_millis(300);

/// Runs until it is interrupted.
pub(super) fn run(world: &mut World, args: &ValidateArgs) -> Result<Exit> {
    loop {
        world.forget_settings();
        let seen = stamps(world, args)?;
        // A mistake in the settings must not end the watch: the next save may mend it.
        if let Err(error) = super::once(world, args) {
            world.error(&format!("{error:#}"));
        }
        world.out.flush()?;
        while stamps(world, args).map_or(true, |now| now == seen) {
            std::thread::sleep(PAUSE);
        }
        world.note("checking again");
    }
}

/// When each file was last changed, and how long it is.
fn stamps(
    world: &mut World,
    args: &ValidateArgs,
) -> Result<BTreeMap<PathBuf, (Option<SystemTime>, u64)>> {
    let (candidates, _) = world.candidates(&args.paths, Whose::Project)?;
    let files = candidates
        .into_iter()
        .map(|candidate| candidate.path)
        .chain(world.settings_files().into_iter().map(|(path, _)| path));
    Ok(files
        .filter_map(|path| {
            let metadata = std::fs::metadata(&path).ok()?;
            Some((path, (metadata.modified().ok(), metadata.len())))
        })
        .collect())
}
