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
    render::{list_json, list_text, show_text},
};

pub(super) fn run(world: &mut World, args: &ListArgs) -> Result<Exit> {
    let keep = if args.expanded { Keep::Text } else { Keep::Outline };
    let catalog = world.catalog(&args.paths, keep)?;
    let wanted =
        |entry: &&Entry| args.agent_type.as_ref().is_none_or(|wanted| entry.name() == wanted);
    let entries: Vec<&Entry> = catalog.entries.iter().filter(wanted).collect();
    print(world, args, &catalog, &entries)?;
    world.out.flush()?;
    if world.report_unreadable(&catalog) {
        return Ok(Exit::Usage);
    }
    if !entries.is_empty() {
        return Ok(Exit::Done);
    }
    match (&args.agent_type, args.paths.is_empty()) {
        (Some(name), _) => world.error(&super::show::unknown_agent(&catalog, name)),
        (None, _) => {
            world.error(&format!("no agent definitions in {}", super::show::quoted(&args.paths)))
        }
    }
    Ok(Exit::Usage)
}

fn print(world: &mut World, args: &ListArgs, catalog: &Catalog, entries: &[&Entry]) -> Result<()> {
    match args.format {
        ListFormat::Json => {
            let json = list_json(catalog, entries, args.expanded);
            writeln!(world.out, "{}", serde_json::to_string_pretty(&json)?)?;
        }
        ListFormat::Text if entries.is_empty() => {}
        ListFormat::Text if args.expanded => {
            for (at, entry) in entries.iter().enumerate() {
                let rule = if at > 0 { "\n" } else { "" };
                write!(
                    world.out,
                    "{rule}{}",
                    show_text(catalog, entry, world.text_width(), world.paint)
                )?;
            }
        }
        ListFormat::Text => {
            write!(world.out, "{}", list_text(catalog, entries, world.width, world.paint))?
        }
    }
    Ok(())
}
