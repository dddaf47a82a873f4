//! `agentctl transcript`.

use std::io::Write as _;

use anyhow::Result;
use serde_json::json;

use super::{
    Exit, stored,
    thread_args::{TranscriptArgs, TranscriptFormat},
    world::World,
};
use crate::render::{json_text, thread_json, transcript_text};

pub(super) fn run(world: &mut World, args: &TranscriptArgs) -> Result<Exit> {
    let (store, thread) = stored::find(world, &args.id)?;
    let messages = store.messages(&thread.begun.id)?;
    let listed = stored::listed(&store, thread)?;
    match args.format {
        TranscriptFormat::Md => write!(world.out, "{}", transcript_text(&listed, &messages))?,
        TranscriptFormat::Json => {
            let object = json!({ "thread": thread_json(&listed), "messages": messages });
            writeln!(world.out, "{}", json_text(&object)?)?;
        }
    }
    Ok(Exit::Done)
}
