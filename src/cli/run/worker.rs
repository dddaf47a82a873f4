//! Running an agent in a process of its own that outlives the terminal.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

use anyhow::{Context as _, Result, bail};
use tokio::runtime::Runtime;

use super::{
    job::{self, Job, Staging},
    order::Order,
};
use crate::{
    cli::{
        Exit,
        args::{OnExit, RunFormat},
        run::thread::STORE,
        world::World,
    },
    store::{Owner, Store, StoreError},
};

/// The command that runs a thread that is in the store already.
pub(in crate::cli) const WORKER: &str = "__worker";

/// What a worker says when the thread is its own.
const READY: &str = "ready";

/// Starts a process that runs the thread `id`, which is this process's, and waits until it has taken
/// it over.
pub(in crate::cli) fn start(started_in: &Path, id: &str) -> Result<()> {
    let program = std::env::current_exe().context("cannot find agentctl itself")?;
    let mut child = Command::new(program)
        .args([WORKER, id, &Owner::this_process().to_string()])
        .current_dir(started_in)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start a process for it")?;
    let mut line = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out).read_line(&mut line)?;
    }
    if line.trim_end() == READY {
        // Someone has to ask for its end, as long as this process lives.
        std::thread::spawn(move || child.wait());
        return Ok(());
    }
    let mut why = String::new();
    if let Some(mut err) = child.stderr.take() {
        err.read_to_string(&mut why).ok();
    }
    child.wait().ok();
    bail!("the process for it did not start\n{}", why.trim_end());
}

/// Runs the thread `id` in this process, which takes it over from `from`.
pub(in crate::cli) fn work(world: &mut World, id: &str, from: &str) -> Result<Exit> {
    // Whoever closes the terminal this was started from does not mean this process.
    rustix::process::setsid().ok();
    let store = Arc::new(Store::open(&world.state_file(STORE)?)?);
    let thread = store.thread(id)?;
    let mut order = Order::stored(world, &thread)?;
    let runtime: Runtime = super::runtime()?;
    let job = Job::prepare(world, &mut order, &runtime)??;
    let cancel = job::listen(&runtime)?;
    let owner = Owner::this_process();
    let taken = match from.parse() {
        Ok(from) => store.hand_over(id, &from, &owner),
        Err(()) => Err(StoreError::Owned),
    };
    // Whoever started this process may be gone, and the thread nobody's.
    taken.or_else(|_| store.take_over(id, &owner))?;
    world.announce(READY)?;
    let staging = Staging {
        format: RunFormat::Text,
        kept: Some((store, owner)),
        thread: thread.begun,
        resumed: Some(Vec::new()),
        cancel,
    };
    let outcome = runtime.block_on(job.run(world, staging, OnExit::Wait))?;
    runtime.shutdown_background();
    Ok(super::outcome::exit(&outcome))
}
