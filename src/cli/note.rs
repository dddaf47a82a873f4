//! `agentctl note`.

use std::io::Write as _;

use anyhow::Result;

use super::{Exit, stored, thread_args::NoteArgs, world::World};
use crate::{store, text::one_line};

/// Prints the note as it is afterwards.
pub(super) fn run(world: &mut World, args: &NoteArgs) -> Result<Exit> {
    let (store, thread) = stored::find(world, &args.id)?;
    let note = match &args.text {
        Some(text) => {
            let note = store::note(text);
            store.set_note(&thread.begun.id, note.as_deref())?;
            note
        }
        None => thread.begun.note,
    };
    if let Some(note) = note {
        writeln!(world.out, "{}", one_line(&note))?;
    }
    Ok(Exit::Done)
}
