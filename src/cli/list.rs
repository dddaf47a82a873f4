//! `agentctl list`.

use std::io::Write as _;

use anyhow::Result;

use super::{
    Exit,
    args::{ListArgs, ListFormat},
    world::World,
};
use crate::{
    catalog::{Catalog, Entry, Keep},
    render::{json_text, list_json, list_text},
};

pub(super) fn run(world: &mut World, args: &ListArgs) -> Result<Exit> {
    let keep = if args.expanded { Keep::Text } else { Keep::Outline };
    let catalog = world.catalog(&args.paths, keep)?;
    let called = |entry: &Entry, name: &str| entry.name() == name || entry.full_name() == name;
    let wanted = |entry: &&Entry| args.agent_type.as_ref().is_none_or(|name| called(entry, name));
    let entries: Vec<&Entry> = catalog.entries.iter().filter(wanted).collect();
    print(world, args, &catalog, &entries)?;
    // The answer first, then what could not be part of it.
    world.out.flush()?;
    if world.report_unreadable(&catalog) {
        return Ok(Exit::Usage);
    }
    if !entries.is_empty() {
        return Ok(Exit::Done);
    }
    let message = match &args.agent_type {
        Some(name) => super::show::unknown_agent(&catalog, name),
        None => format!(
            "no agent definitions in {}\nhelp: agents are known by their folder or their keys; \
             `--dialect` reads any file as one",
            super::show::quoted(&args.paths)
        ),
    };
    world.error(&message);
    Ok(Exit::Usage)
}

fn print(world: &mut World, args: &ListArgs, catalog: &Catalog, entries: &[&Entry]) -> Result<()> {
    match args.format {
        ListFormat::Json => {
            let json = list_json(catalog, entries, args.expanded);
            writeln!(world.out, "{}", json_text(&json)?)?;
        }
        ListFormat::Text if entries.is_empty() => {}
        ListFormat::Text if args.expanded => {
            super::show::print_text(world, catalog, entries, super::show::Of::Host)?;
        }
        ListFormat::Text => {
            write!(world.out, "{}", list_text(catalog, entries, world.width, world.paint))?
        }
    }
    Ok(())
}
