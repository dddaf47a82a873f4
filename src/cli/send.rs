//! `agentctl send`.

use anyhow::{Result, bail};

use super::{
    Exit,
    run::{start_again, typed_or_stdin},
    stored,
    thread_args::SendArgs,
    world::World,
};
use crate::store::{Mail, MailKind, Store, Thread, ThreadStatus};

pub(super) fn run(world: &mut World, args: &SendArgs) -> Result<Exit> {
    let text = message(&args.message)?;
    let (store, thread) = stored::find(world, &args.id)?;
    let kind = if args.interrupt { MailKind::Interrupt } else { MailKind::Input };
    let mail = Mail { kind, text };
    if !thread.is_attended() {
        return wake(world, &store, &thread, Some(&mail));
    }
    let id = &thread.begun.id;
    store.send(id, &mail)?;
    // It may have ended before it could read this.
    let thread = store.thread(id)?;
    if !thread.is_attended() && thread.status != ThreadStatus::Shutdown && store.has_mail(id)? {
        return wake(world, &store, &thread, None);
    }
    Ok(Exit::Done)
}

/// Starts a thread again that has ended.
fn wake(world: &mut World, store: &Store, thread: &Thread, mail: Option<&Mail>) -> Result<Exit> {
    let id = &thread.begun.id;
    if thread.status == ThreadStatus::Shutdown {
        bail!("`{id}` was closed\nhelp: `agentctl resume {id} \"…\"` opens it again");
    }
    let exit = match start_again(world, store, thread, mail) {
        // Someone else was faster, and reads this too.
        Err(_) if store.thread(id)?.is_attended() => {
            if let Some(mail) = mail {
                store.send(id, mail)?;
            }
            Exit::Done
        }
        started => started?,
    };
    if exit == Exit::Done {
        world.note(&format!(
            "note: `{id}` had ended and was started again; `agentctl output {id}` waits for its result"
        ));
    }
    Ok(exit)
}

fn message(given: &str) -> Result<String> {
    let text = typed_or_stdin(given, "message")?;
    if text.trim().is_empty() {
        bail!("the message is empty");
    }
    Ok(text)
}
