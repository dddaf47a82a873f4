//! Which definitions meet in a host.

use std::path::{Component, Path, PathBuf};

use crate::{catalog::Entry, dialect::Duplicates};

/// The folder or file whose definitions a host loads together with `entry`.
pub fn scope(entry: &Entry) -> PathBuf {
    match entry.dialect.duplicates {
        // Such files do not know of each other.
        Duplicates::Refused => entry.path.clone(),
        _ => project(&entry.path),
    }
}

/// The project or collection of plugins a file belongs to: what is above the first hidden folder.
/// Files outside of any host's folder are a collection that is installed as a whole.
fn project(path: &Path) -> PathBuf {
    let hidden = |part: &Component<'_>| match part {
        Component::Normal(name) => {
            name.to_str().is_some_and(|name| name.starts_with('.') || name == "plugins")
        }
        _ => false,
    };
    let parts: Vec<Component<'_>> = path.components().collect();
    match parts.iter().position(hidden) {
        Some(at) => parts[..at].iter().collect(),
        None => PathBuf::new(),
    }
}
