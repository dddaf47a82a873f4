//! `agentctl chat`: a conversation with a main agent that can start others.

mod ask;
mod command;
mod editor;
mod past;
mod piped;
mod speech;
mod talk;
mod tty;
mod view;

use std::{
    io::{self, IsTerminal as _},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context as _, Result};
use tokio::{
    runtime::Runtime,
    sync::mpsc::{UnboundedSender, unbounded_channel},
};

use ask::Asker;
use past::Past;
use talk::{Incoming, Left, talk};
use view::View;

use super::{
    Exit,
    args::{ChatArgs, RunFormat},
    keyboard::Keyboard,
    notify::Notifier,
    run::{self, Job, Order, Staging},
    world::World,
};
use crate::{
    catalog::Keep,
    event::{Decision, Event, Redactor, Sink},
    plan::Finish,
    run::{Always, Approver},
    session::{Approvals, Leaving, Mode, ModeKind, Session, new_thread},
    store::Owner,
    text::printable,
};

/// How long an agent that is told to stop may take.
const STOPPING: Duration = Duration::from_secs(5);

pub(super) fn run(world: &mut World, args: &ChatArgs) -> Result<Exit> {
    let runtime = run::runtime()?;
    let (job, staging) = match prepare(world, args, &runtime)? {
        Ok(prepared) => prepared,
        Err(exit) => return Ok(exit),
    };
    let conversation = Conversation {
        first: args.prompt.clone(),
        last_words: last_words(&staging),
        approve: args.approve.into(),
    };
    let exit = runtime.block_on(conversation.hold(world, job, staging))?;
    // A tool that does not end in time must not keep the process.
    runtime.shutdown_background();
    Ok(exit)
}

/// What is known before anything is said.
struct Conversation {
    first: Option<String>,
    last_words: Option<String>,
    approve: Approvals,
}

type Prepared = Result<(Job, Staging), Exit>;

/// The agent and its thread, or what to exit with where that was said already.
fn prepare(world: &mut World, args: &ChatArgs, runtime: &Runtime) -> Result<Prepared> {
    match &args.resume {
        Some(id) => go_on(world, args, runtime, id),
        None => begin(world, args, runtime),
    }
}

fn begin(world: &mut World, args: &ChatArgs, runtime: &Runtime) -> Result<Prepared> {
    let agent = &args.agent;
    let Some((catalog, entry, findings)) = run::find(world, agent)? else {
        return Ok(Err(Exit::Usage));
    };
    let cwd = args.cwd.as_ref().map_or(world.cwd().to_owned(), |dir| world.cwd().join(dir));
    let mut order = Order::spoken(world, &args.how(), entry, findings, catalog, cwd);
    order.call.mode = args.mode.map(Mode::plain);
    let job = match Job::prepare(world, &mut order, runtime)? {
        Ok(job) => job,
        Err(error) => return run::refuse(world, agent, &order.findings, &error).map(Err),
    };
    let thread = new_thread(&order.entry, &job.plan, &order.call, &order.cwd, &job.redactor);
    let store = run::store(world)?;
    let cancel = run::listen(runtime)?;
    let kept = store.map(|store| (store, Owner::this_process()));
    if let Some((store, owner)) = &kept {
        store.create(&thread, Some(owner))?;
    }
    Ok(Ok((job, Staging { format: RunFormat::Text, kept, thread, resumed: None, cancel })))
}

/// Goes on with a thread that nobody runs.
fn go_on(world: &mut World, args: &ChatArgs, runtime: &Runtime, id: &str) -> Result<Prepared> {
    let store = run::store(world)?.context("there is nothing to go on with")?;
    let thread = store.thread(id)?;
    let id = &thread.begun.id;
    if thread.is_attended() {
        world.error(&format!("{id} is still running"));
        world.note(&format!("help: `agentctl send {id} \"…\"` tells it something"));
        return Ok(Err(Exit::Usage));
    }
    run::point_out_changes(world, &thread);
    let mut order = Order::stored(world, &thread)?;
    order.replace(&args.how());
    order.call.finish = Finish::LastMessage;
    if let Some(mode) = args.mode {
        order.call.mode = Some(Mode::plain(mode));
    }
    if order.catalog.is_none() && order.call.caller.is_none() {
        order.catalog = Some(world.catalog(&[], Keep::Text)?);
    }
    let job = match Job::prepare(world, &mut order, runtime)? {
        Ok(job) => job,
        Err(error) => {
            return run::refuse(world, &thread.begun.agent_type, &[], &error).map(Err);
        }
    };
    let cancel = run::listen(runtime)?;
    let owner = Owner::this_process();
    store.take_over(id, &owner)?;
    Ok(Ok((
        job,
        Staging {
            format: RunFormat::Text,
            kept: Some((store, owner)),
            resumed: Some(Vec::new()),
            thread: thread.begun,
            cancel,
        },
    )))
}

/// What the agent said last, if the conversation goes on.
fn last_words(staging: &Staging) -> Option<String> {
    staging.resumed.as_ref()?;
    let (store, _) = staging.kept.as_ref()?;
    let outcome = store.thread(&staging.thread.id).ok()?.outcome?;
    Some(outcome.result).filter(|result| !result.trim().is_empty())
}

impl Conversation {
    async fn hold(self, world: &mut World, job: Job, staging: Staging) -> Result<Exit> {
        match is_terminal(world).then(Keyboard::open) {
            Some(Ok(keyboard)) => self.on_terminal(world, job, staging, keyboard).await,
            _ => self.piped(world, job, staging).await,
        }
    }

    async fn piped(self, world: &mut World, job: Job, staging: Staging) -> Result<Exit> {
        let cancel = staging.cancel.clone();
        let (sender, events) = unbounded_channel();
        let approver = self.approver(|| Arc::new(Always(Decision::NobodyToAsk)));
        let session = job.session(world, staging, vec![Box::new(Forward(sender))], approver)?;
        session.read_old_mail()?;
        let living = session.live();
        let exit = piped::read_out(world, &session, events, cancel, self.first).await;
        stop(&session).await?;
        drop(living);
        session.end()?;
        exit
    }

    async fn on_terminal(
        self,
        world: &mut World,
        job: Job,
        staging: Staging,
        keyboard: Keyboard,
    ) -> Result<Exit> {
        let mut view = View::new(&staging.thread.id, world.paint);
        view.keep(&self.greeting(&job, world));
        let past = past(world, &job.redactor);
        let notifier = Notifier::new(world)?;
        let (sender, events) = unbounded_channel();
        let (asker, questions) = Asker::new();
        let incoming = Incoming { events, questions, cancel: staging.cancel.clone() };
        let approver = self.approver(|| Arc::new(asker));
        let (id, is_kept) = (staging.thread.id.clone(), staging.kept.is_some());
        let resumed = staging.resumed.is_some();
        let session = job.session(world, staging, vec![Box::new(Forward(sender))], approver)?;
        session.read_old_mail()?;
        let living = session.live();
        let left = talk(&session, view, past, notifier, keyboard, incoming, self.first).await;
        stop(&session).await?;
        drop(living);
        session.end()?;
        let (left, has_spoken) = left?;
        if is_kept && (has_spoken || resumed) {
            world.note(&format!("note: `agentctl chat --resume {id}` goes on with it"));
        }
        Ok(match left {
            Left::Quit => Exit::Done,
            Left::Cancelled => Exit::Cancelled,
        })
    }

    fn approver(&self, ask: impl FnOnce() -> Arc<dyn Approver>) -> Arc<dyn Approver> {
        match self.approve {
            Approvals::Always => Arc::new(Always(Decision::Approved)),
            Approvals::Never => Arc::new(Always(Decision::Denied)),
            Approvals::Ask => ask(),
        }
    }

    /// What stands at the top.
    fn greeting(&self, job: &Job, world: &World) -> String {
        let model = job.plan.models().first().map(ToString::to_string).unwrap_or_default();
        let who = format!("{} with {model}", job.plan.agent_type());
        let text = format!("{}; /help lists the commands, Ctrl-D leaves\n", printable(&who));
        let text = world.paint.dim(text);
        match &self.last_words {
            Some(words) => format!("{text}\n{}\n", printable(words.trim_end())),
            None => text,
        }
    }
}

/// Whether someone sits at a terminal on which lines can be drawn again.
fn is_terminal(world: &World) -> bool {
    let plain =
        world.variable("CI").is_some() || world.variable("TERM").is_none_or(|term| term == "dumb");
    !plain && io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal()
}

fn past(world: &World, redactor: &Redactor) -> Past {
    Past::new(world.state_file(past::FILE).ok(), redactor.clone())
}

/// Stops whatever still works, so that everything is in the store.
async fn stop(session: &Arc<Session>) -> Result<()> {
    let main = session.main()?;
    session.interrupt(&main);
    tokio::time::timeout(STOPPING, main.rests()).await.ok();
    session.leave(Leaving::Cancel).await?;
    Ok(())
}

/// Hands events to whoever shows them.
struct Forward(UnboundedSender<Event>);

impl Sink for Forward {
    fn take(&self, event: &Event) -> io::Result<()> {
        // Whoever no longer looks has left.
        self.0.send(event.clone()).ok();
        Ok(())
    }
}

/// A mode as it is typed.
pub(super) fn mode(text: &str) -> Result<ModeKind, String> {
    command::mode_called(text)
}
