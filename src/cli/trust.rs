//! `agentctl trust`.

use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};

use super::{Exit, args::TrustCommand, world::World, write};
use crate::{authority::Trust, text::printable};

/// The name of the file in the state directory.
const FILE: &str = "trust.json";

pub(super) fn run(world: &mut World, command: &TrustCommand) -> Result<Exit> {
    let path = world.state_file(FILE)?;
    let mut trust = read(&path)?;
    match command {
        TrustCommand::Add { files } => {
            // All or none: a name that is wrong must not leave half of them trusted.
            let known: Result<Vec<_>> = files.iter().map(|file| load(file)).collect();
            for (file, bytes) in known? {
                trust.add(&file, &bytes);
            }
            write::put(&path, &to_text(&trust)?)?;
        }
        TrustCommand::Remove { files } => {
            let mut missing = false;
            for file in files {
                // A file that is gone was trusted under the name it had.
                let absolute = fs::canonicalize(file).or_else(|_| std::path::absolute(file))?;
                if !trust.remove(&absolute) {
                    missing = true;
                    world.error(&format!("{} is not trusted", file.display()));
                }
            }
            write::put(&path, &to_text(&trust)?)?;
            return Ok(if missing { Exit::Usage } else { Exit::Done });
        }
        TrustCommand::List => list(world, &trust)?,
    }
    Ok(Exit::Done)
}

/// The files the user trusts.
pub(super) fn trusted(world: &World) -> Result<Trust> {
    // Without a home there is nothing to read, and nobody is trusted.
    trust_file(world).map_or_else(|| Ok(Trust::default()), |path| read(&path))
}

/// Where the names of the files the user trusts are kept.
pub(super) fn trust_file(world: &World) -> Option<PathBuf> {
    world.state_file(FILE).ok()
}

/// The files the user trusts now. What cannot be read trusts nobody.
pub(super) fn read_trust(path: Option<&Path>) -> Trust {
    path.and_then(|path| read(path).ok()).unwrap_or_default()
}

fn load(file: &Path) -> Result<(PathBuf, Vec<u8>)> {
    let shown = file.display();
    let absolute = fs::canonicalize(file).with_context(|| format!("cannot read {shown}"))?;
    if !absolute.is_file() {
        bail!("{shown} is not a file");
    }
    let bytes = fs::read(&absolute).with_context(|| format!("cannot read {shown}"))?;
    Ok((absolute, bytes))
}

fn list(world: &mut World, trust: &Trust) -> Result<()> {
    for file in &trust.files {
        let state = match fs::read(&file.path) {
            Ok(bytes) if trust.holds(&file.path, &bytes) => "trusted",
            Ok(_) => "changed since, not trusted",
            Err(_) => "gone",
        };
        writeln!(world.out, "{}  {state}", printable(&file.path.display().to_string()))?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Trust> {
    match fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text)
            .with_context(|| format!("{} is damaged; remove it to trust nothing", path.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Trust::default()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn to_text(trust: &Trust) -> Result<String> {
    Ok(serde_json::to_string_pretty(trust)? + "\n")
}
