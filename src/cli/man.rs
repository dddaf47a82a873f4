//! `agentctl man`.

use std::io::Write as _;

use anyhow::Result;

use super::{EXIT_CODES, Exit, command, world::World};

pub(super) fn run(world: &mut World) -> Result<Exit> {
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command());
    man.render(&mut page)?;
    for subcommand in command().get_subcommands().filter(|command| !command.is_hide_set()) {
        writeln!(page, ".SH \"AGENTCTL {}\"", subcommand.get_name().to_uppercase())?;
        let man = clap_mangen::Man::new(subcommand.clone());
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    writeln!(page, ".SH \"EXIT STATUS\"")?;
    for (code, _, meaning) in EXIT_CODES {
        writeln!(page, ".TP\n{code}\n{meaning}")?;
    }
    world.out.write_all(&page)?;
    Ok(Exit::Done)
}
