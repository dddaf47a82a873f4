//! What a run came to: printed, and as an exit code.

use std::io::Write as _;

use anyhow::Result;

use crate::{
    cli::{Exit, args::RunFormat, world::World},
    event::{FailureKind, Outcome, Status},
    render::json_text,
    text::printable,
};

pub(in crate::cli) fn print(world: &mut World, format: RunFormat, outcome: &Outcome) -> Result<()> {
    match format {
        RunFormat::Text => {
            if !outcome.result.is_empty() {
                writeln!(world.out, "{}", printable(outcome.result.trim_end()))?;
                world.out.flush()?;
            }
        }
        RunFormat::Json => writeln!(world.out, "{}", json_text(&serde_json::to_value(outcome)?)?)?,
        // The last event was the result.
        RunFormat::Jsonl => {}
    }
    if !outcome.llm {
        world.note(
            "note: no language model was asked: `offline` searched with the agent's own tools and \
             quoted what it found",
        );
    }
    if let Some(error) = &outcome.error {
        let partial = !outcome.result.is_empty() && outcome.status != Status::Goal;
        let partial = if partial { "; what is printed are its last words" } else { "" };
        world.error(&format!("{}{partial}", error.message));
    }
    if !outcome.unapproved.is_empty() {
        let tools: Vec<_> = outcome.unapproved.iter().map(|tool| format!("`{tool}`")).collect();
        world.error(&format!(
            "{} needed an approval, and nobody could be asked\nhelp: run it on a terminal, or say \
             `--approve always` or `--approve never`",
            tools.join(", ")
        ));
    }
    Ok(())
}

pub(in crate::cli) fn exit(outcome: &Outcome) -> Exit {
    let exit = match outcome.status {
        Status::Goal => Exit::Done,
        Status::Timeout => Exit::Timeout,
        Status::MaxTurns => Exit::Limit,
        Status::Aborted => Exit::Cancelled,
        Status::ErrorNoCompleteTaskCall => Exit::NoOutput,
        Status::Error => match outcome.error.as_ref().map(|error| error.kind) {
            Some(FailureKind::NoModel) => Exit::NoModel,
            Some(FailureKind::Auth) => Exit::Auth,
            Some(FailureKind::TokenLimit) => Exit::Limit,
            _ => Exit::Failed,
        },
    };
    // Whatever the agent made of it, what it was asked to do has not been done.
    let unapproved = !outcome.unapproved.is_empty();
    if unapproved && matches!(exit, Exit::Done | Exit::NoOutput | Exit::Limit) {
        return Exit::Unapproved;
    }
    exit
}
