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

/// The folder of a host or of plugins that a file lies below; else the nearest folder of agents,
/// which may be a plugin's. Other files are a collection that is installed as a whole.
fn project(path: &Path) -> PathBuf {
    let parts: Vec<Component<'_>> = path.parent().into_iter().flat_map(Path::components).collect();
    let named = |part: &Component<'_>, test: fn(&str) -> bool| match part {
        Component::Normal(name) => name.to_str().is_some_and(test),
        _ => false,
    };
    let host = parts
        .iter()
        .position(|part| named(part, |name| name.starts_with('.') || name == "plugins"));
    let agents = || parts.iter().rposition(|part| named(part, |name| name == "agents"));
    match host.or_else(agents) {
        Some(at) => parts[..=at].iter().collect(),
        None => PathBuf::new(),
    }
}
