//! `agentctl show`.

use std::{io::Write as _, path::PathBuf};

use anyhow::Result;

use super::{
    Exit,
    args::{ShowArgs, ShowFormat},
    world::World,
};
use crate::{
    authority::{Circumstances, MAX_DEPTH, Position, Trust, authority},
    catalog::{Catalog, Entry, File, Keep, NotFound},
    dialect::{self, Dialect},
    plan::{ApprovalMode, Sheet, Situation, preview},
    render::{json_text, show_json, show_text, yaml_text},
    session::is_trusted,
};

pub(super) fn run(world: &mut World, args: &ShowArgs) -> Result<Exit> {
    // A path names every agent of the file, whether or not something shadows it.
    let file = PathBuf::from(&args.agent);
    let is_file = file.is_file();
    let catalog =
        world.catalog(if is_file { std::slice::from_ref(&file) } else { &[] }, Keep::Text)?;
    let entries: Vec<&Entry> = if is_file {
        catalog.entries.iter().collect()
    } else {
        catalog.find(&args.agent).into_iter().collect()
    };
    if entries.is_empty() {
        if world.report_unreadable(&catalog) {
            return Ok(Exit::Usage);
        }
        let message = if is_file {
            format!(
                "{} is not an agent definition\nhelp: `--dialect` reads any file as one",
                file.display()
            )
        } else {
            unknown_agent(&catalog, &args.agent)
        };
        world.error(&message);
        return Ok(Exit::Usage);
    }
    match args.host.as_deref().and_then(dialect::dialect) {
        Some(host) => {
            let catalog = Catalog { entries: as_host(host, &entries), ..Catalog::default() };
            let entries: Vec<&Entry> = catalog.entries.iter().collect();
            print(world, args.format, &catalog, &entries, Of::Host)?;
        }
        None => print(world, args.format, &catalog, &entries, Of::Agentctl)?,
    }
    Ok(Exit::Done)
}

/// The same files, read as `host` would read them.
pub(super) fn as_host(host: &'static Dialect, entries: &[&Entry]) -> Vec<Entry> {
    let mut files: Vec<&Entry> = entries.to_vec();
    files.dedup_by(|next, kept| next.path == kept.path);
    let text = |entry: &Entry| entry.source.as_ref().map_or("", |source| source.text()).to_owned();
    files
        .into_iter()
        .flat_map(|entry| {
            File::new(&entry.path, text(entry).into_bytes(), entry.origin, &[host]).entries
        })
        .collect()
}

/// Whose view of a file is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// How agentctl would run it.
    Agentctl,
    /// What its host makes of it.
    Host,
}

/// Each agent in full, for people.
pub(super) fn print_text(
    world: &mut World,
    catalog: &Catalog,
    entries: &[&Entry],
    of: Of,
) -> Result<()> {
    let trust = super::trust::trusted(world)?;
    for (at, entry) in entries.iter().enumerate() {
        let rule = if at > 0 { "\n" } else { "" };
        let verdicts = authority(entry, &circumstances(&trust, entry));
        let sheet = sheet(world, &trust, entry, of)?;
        let (width, paint) = (world.text_width(), world.paint);
        let text = show_text(catalog, entry, &verdicts, sheet.as_ref(), width, paint);
        write!(world.out, "{rule}{text}")?;
    }
    Ok(())
}

fn print(
    world: &mut World,
    format: ShowFormat,
    catalog: &Catalog,
    entries: &[&Entry],
    of: Of,
) -> Result<()> {
    if format == ShowFormat::Text {
        return print_text(world, catalog, entries, of);
    }
    let trust = super::trust::trusted(world)?;
    let mut values = Vec::new();
    for entry in entries {
        let verdicts = authority(entry, &circumstances(&trust, entry));
        let sheet = sheet(world, &trust, entry, of)?;
        values.push(show_json(catalog, entry, &verdicts, sheet.as_ref()));
    }
    // One agent is an object, the agents of a file of several are a list.
    let value = if values.len() == 1 { values.remove(0) } else { values.into() };
    let text = match format {
        ShowFormat::Yaml => yaml_text(&value)?,
        ShowFormat::Json | ShowFormat::Text => json_text(&value)?,
    };
    writeln!(world.out, "{text}")?;
    Ok(())
}

/// How agentctl would run an agent.
fn sheet(world: &mut World, trust: &Trust, entry: &Entry, of: Of) -> Result<Option<Sheet>> {
    if of == Of::Host {
        return Ok(None);
    }
    let settings = world.settings()?.run.clone();
    let book = super::run::book(world, &settings);
    let situation = Situation {
        cwd: world.cwd(),
        // The day on which it runs is not known yet.
        today: "${today}",
        models: &book,
        settings: &settings,
        circumstances: circumstances(trust, entry),
        sandbox: settings.sandbox(),
        approval: ApprovalMode::AutoApproveInSandbox,
    };
    Ok(Some(preview(entry, &super::run::environment_wishes(world), &situation)))
}

/// An agent that agentctl runs below a main agent.
pub(super) fn circumstances(trust: &Trust, entry: &Entry) -> Circumstances<'static> {
    Circumstances {
        caller: None,
        position: Position::Below { depth: 1, max_depth: MAX_DEPTH },
        background: false,
        trusted: is_trusted(trust, entry),
    }
}

/// There is no such agent; what to type instead.
pub(super) fn unknown_agent(catalog: &Catalog, name: &str) -> String {
    let near = match catalog.find(name) {
        Err(NotFound { near }) => near,
        Ok(_) => Vec::new(),
    };
    let names: Vec<_> = near.iter().map(|name| format!("`{name}`")).collect();
    let help = match names.as_slice() {
        [] => "`agentctl list` shows the agents there are".to_owned(),
        names => format!("did you mean {}?", names.join(" or ")),
    };
    format!("there is no agent called `{name}`\nhelp: {help}")
}

/// Paths, for a message.
pub(super) fn quoted(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}
