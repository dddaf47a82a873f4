//! `agentctl completions`.

use std::io::Write as _;

use anyhow::Result;

use super::{Exit, args::CompletionsArgs, command, world::World};

pub(super) fn run(world: &mut World, args: &CompletionsArgs) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "agentctl", &mut script);
    world.out.write_all(&script)?;
    Ok(Exit::Done)
}
