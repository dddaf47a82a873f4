//! The command line: the only place that prints, reads the environment or decides an exit code.

mod app_server;
mod args;
mod chat;
mod close;
mod completions;
mod exit;
mod explain;
mod focus;
mod keyboard;
mod list;
mod logs;
mod man;
mod note;
mod notify;
mod output;
mod ps;
mod resume;
mod run;
mod schema;
mod send;
mod serve;
mod show;
mod stored;
mod thread_args;
mod threads;
mod transcript;
mod trust;
mod validate;
mod wait;
mod world;
mod write;

use std::{io::Write as _, process::ExitCode};

use clap::Parser as _;

use crate::{store::StoreError, tools::sandbox};
use args::Command;
pub use args::{Cli, command};
pub use exit::{EXIT_CODES, Exit};
use world::World;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == sandbox::HELPER) {
        return sandbox::helper_main(arguments);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let failed = error.use_stderr();
            // Help and version go to a pipe that may be closed; there is no one left to tell.
            error.print().ok();
            return if failed { Exit::Usage } else { Exit::Done }.into();
        }
    };
    let mut world = World::of_process(&cli);
    let result = match &cli.command {
        Command::List(args) => list::run(&mut world, args),
        Command::Validate(args) => validate::run(&mut world, args),
        Command::Explain(args) => explain::run(&mut world, args),
        Command::Show(args) => show::run(&mut world, args),
        Command::Run(args) => run::run(&mut world, args),
        Command::Chat(args) => chat::run(&mut world, args),
        Command::AppServer => app_server::run(&mut world),
        Command::Ps(args) => ps::run(&mut world, args),
        Command::Output(args) => output::run(&mut world, args),
        Command::Wait(args) => wait::run(&mut world, args),
        Command::Logs(args) => logs::run(&mut world, args),
        Command::Transcript(args) => transcript::run(&mut world, args),
        Command::Send(args) => send::run(&mut world, args),
        Command::Resume(args) => resume::run(&mut world, args),
        Command::Note(args) => note::run(&mut world, args),
        Command::Close(args) => close::run(&mut world, args),
        Command::Threads(command) => threads::run(&mut world, command),
        Command::Trust(command) => trust::run(&mut world, command),
        Command::Serve(args) => serve::run(&mut world, args),
        Command::Schema(args) => schema::run(&mut world, args),
        Command::Completions(args) => completions::run(&mut world, args),
        Command::Man => man::run(&mut world),
        Command::Worker { id, from } => run::work(&mut world, id, from),
    };
    let flushed = result.and_then(|exit| world.out.flush().map(|()| exit).map_err(Into::into));
    flushed.unwrap_or_else(|error| report(&mut world, &error)).into()
}

/// Says what went wrong. A reader that closed the pipe has what it wanted.
fn report(world: &mut World, error: &anyhow::Error) -> Exit {
    let closed = |cause: &std::io::Error| cause.kind() == std::io::ErrorKind::BrokenPipe;
    if error.downcast_ref::<std::io::Error>().is_some_and(closed) {
        return Exit::Done;
    }
    world.error(&format!("{error:#}"));
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<StoreError>());
    if let Some(help) = causes.find_map(StoreError::help) {
        world.note(&format!("help: {help}"));
    }
    Exit::Usage
}
