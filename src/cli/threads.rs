//! `agentctl threads`.

use std::{io::Write as _, time::Duration};

use anyhow::Result;

use super::{
    Exit, ps, stored,
    thread_args::{PsArgs, ThreadsCommand},
    world::World,
};

pub(super) fn run(world: &mut World, command: &ThreadsCommand) -> Result<Exit> {
    match command {
        ThreadsCommand::List { tree, format } => {
            let all = PsArgs { all: true, tree: *tree, scope: None, of: None, format: *format };
            ps::run(world, &all)
        }
        ThreadsCommand::Prune { older_than } => prune(world, *older_than),
    }
}

fn prune(world: &mut World, age: Duration) -> Result<Exit> {
    let forgotten = match stored::open(world)? {
        Some(store) => store.prune(age)?,
        None => 0,
    };
    match forgotten {
        1 => writeln!(world.out, "1 thread was forgotten")?,
        count => writeln!(world.out, "{count} threads were forgotten")?,
    }
    Ok(Exit::Done)
}
