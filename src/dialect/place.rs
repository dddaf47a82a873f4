//! Where a host looks for definitions.

use std::path::{Component, Path};

use super::Confidence;

/// Which folder a place is below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Base {
    /// The project: the working directory and what is above it up to the repository.
    Project,
    /// The user's home.
    Home,
    /// An installed plugin or extension, wherever that is.
    Plugin,
}

/// Which files of a folder a host reads.
#[derive(Clone, Copy, Debug)]
pub enum Names {
    /// Files with one of these endings.
    Ending(&'static [&'static str]),
    /// Exactly these files.
    Exactly(&'static [&'static str]),
}

/// How far below the folder a host looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Only the folder itself.
    Flat,
    /// Everything below.
    Recursive,
}

/// A folder a host reads. `*` stands for one folder of any name.
#[derive(Debug)]
pub struct Place {
    /// Below what.
    pub base: Base,
    /// The folder; empty for the base itself.
    pub folder: &'static str,
    /// Which files.
    pub names: Names,
    /// How far down.
    pub depth: Depth,
    /// How sure that is.
    pub confidence: Confidence,
}

/// How a path fits a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The path below the place's folder.
    pub relative: String,
    /// The folders that `*` stood for.
    pub wildcards: Vec<String>,
    /// Whether the file is deeper than the host looks.
    pub too_deep: bool,
    /// How many folders of the path the place names: the most specific place wins.
    pub weight: usize,
}

impl Place {
    /// A folder of the project.
    pub const fn project(folder: &'static str, names: Names, depth: Depth) -> Self {
        Self { base: Base::Project, folder, names, depth, confidence: Confidence::Documented }
    }

    /// A folder of the user's home.
    pub const fn home(folder: &'static str, names: Names, depth: Depth) -> Self {
        Self { base: Base::Home, folder, names, depth, confidence: Confidence::Documented }
    }

    /// A folder of a plugin.
    pub const fn plugin(folder: &'static str, names: Names, depth: Depth) -> Self {
        Self { base: Base::Plugin, folder, names, depth, confidence: Confidence::Documented }
    }

    /// A place nobody has confirmed.
    pub const fn unverified(mut self) -> Self {
        self.confidence = Confidence::Unverified;
        self
    }

    /// Whether `path` is in this place, wherever its base may be: the folder's parts are looked
    /// for in the path, the innermost match wins.
    pub fn fit(&self, path: &Path) -> Option<Fit> {
        if !self.may_hold(path) {
            return None;
        }
        let parts = parts(path);
        let (name, folders) = parts.split_last()?;
        if !self.names.accept(name) {
            return None;
        }
        let pattern = self.pattern();
        let start = start(&pattern, folders)?;
        let below = &parts[start + pattern.len()..];
        let wildcards = pattern.iter().zip(&folders[start..]).filter(|(wanted, _)| **wanted == "*");
        Some(Fit {
            relative: below.join("/"),
            wildcards: wildcards.map(|(_, part)| (*part).to_owned()).collect(),
            too_deep: self.depth == Depth::Flat && below.len() > 1,
            weight: pattern.len(),
        })
    }

    /// Whether `path` is below this place's folder, if it has one, whatever the file is called.
    pub fn is_above(&self, path: &Path) -> bool {
        if !self.may_hold(path) {
            return false;
        }
        let parts = parts(path);
        let folders = parts.split_last().map_or(&[][..], |(_, folders)| folders);
        !self.folder.is_empty() && start(&self.pattern(), folders).is_some()
    }

    /// A cheap look at the whole path, which is asked of every place for every file.
    fn may_hold(&self, path: &Path) -> bool {
        let written = path.to_str().filter(|_| std::path::MAIN_SEPARATOR == '/');
        let Some(written) = written.filter(|_| !self.folder.contains('*')) else { return true };
        written.contains(self.folder)
    }

    fn pattern(&self) -> Vec<&'static str> {
        self.folder.split('/').filter(|part| !part.is_empty()).collect()
    }
}

/// Where in `folders` the innermost match of `pattern` starts; an empty one matches at the file.
fn start(pattern: &[&str], folders: &[&str]) -> Option<usize> {
    if pattern.is_empty() {
        return Some(folders.len());
    }
    let matches = |window: &[&str]| {
        pattern.iter().zip(window).all(|(wanted, part)| *wanted == "*" || wanted == part)
    };
    folders.windows(pattern.len()).rposition(matches)
}

fn parts(path: &Path) -> Vec<&str> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect()
}

impl Names {
    /// Whether a file called `name` is one of these.
    pub fn accept(&self, name: &str) -> bool {
        match self {
            Self::Ending(endings) => endings.iter().any(|ending| name.ends_with(ending)),
            Self::Exactly(names) => names.contains(&name),
        }
    }

    /// `name` without its ending: the longest one counts.
    pub fn stem<'a>(&self, name: &'a str) -> &'a str {
        match self {
            Self::Ending(endings) => {
                let stems = endings.iter().filter_map(|ending| name.strip_suffix(ending));
                stems.min_by_key(|stem| stem.len()).unwrap_or(name)
            }
            Self::Exactly(_) => name.rsplit_once('.').map_or(name, |(stem, _)| stem),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_its_folder_anywhere_in_a_path() {
        let place = Place::project(".x/agents", Names::Ending(&[".md"]), Depth::Flat);
        let fit = |path: &str| place.fit(Path::new(path));
        assert_eq!(fit("/repo/.x/agents/a.md").unwrap().relative, "a.md");
        assert!(!fit(".x/agents/a.md").unwrap().too_deep);
        assert!(fit(".x/agents/team/a.md").unwrap().too_deep);
        assert_eq!(fit("agents/a.md"), None);
        assert_eq!(fit(".x/agents/a.toml"), None);
    }

    #[test]
    fn a_star_is_one_folder_and_is_remembered() {
        let place = Place::plugin("plugins/*/agents", Names::Ending(&[".md"]), Depth::Recursive);
        let fit = place.fit(Path::new("r/plugins/db/agents/sub/a.md")).unwrap();
        assert_eq!((fit.relative.as_str(), fit.wildcards), ("sub/a.md", vec!["db".to_owned()]));
    }
}
