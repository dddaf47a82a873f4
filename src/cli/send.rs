//! `agentctl send`.

use anyhow::{Result, bail};

use super::{Exit, run::typed_or_stdin, stored, thread_args::SendArgs, world::World};
use crate::store::{Mail, MailKind};

pub(super) fn run(world: &mut World, args: &SendArgs) -> Result<Exit> {
    let text = message(&args.message)?;
    let (store, thread) = stored::find(world, &args.id)?;
    let id = &thread.begun.id;
    if !thread.is_attended() {
        bail!(
            "`{id}` is not running: it is {}\nhelp: agentctl run --resume {id} \"…\" continues it",
            thread.status
        );
    }
    let kind = if args.interrupt { MailKind::Interrupt } else { MailKind::Input };
    store.send(id, &Mail { kind, text })?;
    Ok(Exit::Done)
}

fn message(given: &str) -> Result<String> {
    let text = typed_or_stdin(given, "message")?;
    if text.trim().is_empty() {
        bail!("the message is empty");
    }
    Ok(text)
}
