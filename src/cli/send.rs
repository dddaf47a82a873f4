//! `agentctl send`.

use std::io::{self, Read as _};

use anyhow::{Context as _, Result, bail};

use super::{Exit, stored, thread_args::SendArgs, world::World};
use crate::store::{Mail, MailKind};

/// The longest message on stdin.
const MAX_MESSAGE: u64 = 4 << 20;

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
    let text = if given == "-" {
        let mut text = String::new();
        let read = io::stdin().lock().take(MAX_MESSAGE + 1).read_to_string(&mut text);
        read.context("cannot read the message from stdin")?;
        text
    } else {
        given.to_owned()
    };
    if text.len() as u64 > MAX_MESSAGE {
        bail!("the message is longer than {} MiB", MAX_MESSAGE >> 20);
    }
    if text.trim().is_empty() {
        bail!("the message is empty");
    }
    Ok(text)
}
