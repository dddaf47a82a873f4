//! Finds the files that may be definitions. Reads folders, never files.

use std::{
    collections::HashSet,
    io,
    path::{Component, Path, PathBuf},
};

use globset::GlobSet;
use walkdir::{DirEntry, WalkDir};

use super::Origin;
use crate::{
    dialect::{Base, DIALECTS, Names},
    document::Format,
};

/// Folders no definition is looked for in, unless they are named themselves.
const NEVER_ENTERED: &[&str] = &[".git", "node_modules"];

/// Deeper folders are not entered.
const MAX_DEPTH: usize = 24;

/// A file that may hold definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The file.
    pub path: PathBuf,
    /// Where it comes from.
    pub origin: Origin,
}

/// A folder or file to look in.
#[derive(Clone, Debug)]
struct Place {
    path: PathBuf,
    /// Where what is found there comes from.
    origin: Origin,
    /// Which files; `None` for everything that can be a definition.
    names: Option<Names>,
}

/// Where to start.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    /// Folders given by the user, in place of the project's own.
    pub given: Vec<PathBuf>,
    /// The working directory and those above it up to the repository, nearest first.
    pub project: Vec<PathBuf>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// What stands for `~/.config`, if that is elsewhere.
    pub config_home: Option<PathBuf>,
    /// Files to leave out.
    pub exclude: Exclude,
}

/// Files to leave out, by their absolute paths.
#[derive(Clone, Debug, Default)]
pub struct Exclude {
    /// The working directory, which relative paths are below.
    pub cwd: PathBuf,
    /// What to leave out.
    pub patterns: Vec<GlobSet>,
}

impl Exclude {
    fn matches(&self, absolute: &Path) -> bool {
        self.patterns.iter().any(|set| set.is_match(absolute))
    }

    /// `path` from the root. Links are not followed: patterns name what the user sees.
    fn absolute(&self, path: &Path) -> PathBuf {
        let mut absolute = PathBuf::new();
        for part in self.cwd.join(path).components() {
            match part {
                Component::ParentDir => {
                    absolute.pop();
                }
                part => absolute.push(part),
            }
        }
        absolute
    }
}

/// The places of every host, most important first.
fn places(roots: &Roots) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let given = roots.given.iter().cloned();
    places.extend(given.map(|path| Place { path, origin: Origin::Project, names: None }));
    let mut usual = Vec::new();
    if roots.given.is_empty() {
        for root in &roots.project {
            usual.extend(host_places(root, Base::Project, Origin::Project));
        }
    }
    if let Some(home) = &roots.home {
        let default = home.join(".config");
        usual.extend(host_places(home, Base::Home, Origin::User).map(|place| {
            match (place.path.strip_prefix(&default), &roots.config_home) {
                (Ok(below), Some(config)) => Place { path: config.join(below), ..place },
                _ => place,
            }
        }));
    }
    // What the user named must be there; what hosts would look for need not.
    places.extend(usual.into_iter().filter(|place| place.path.exists()));
    places
}

fn host_places(root: &Path, base: Base, origin: Origin) -> impl Iterator<Item = Place> {
    let forms = DIALECTS.iter().flat_map(|dialect| dialect.forms);
    let places = forms.flat_map(|form| form.places).filter(move |place| {
        // Endings without a folder are recognised anywhere, but not searched for everywhere.
        place.base == base && !(place.folder.is_empty() && matches!(place.names, Names::Ending(_)))
    });
    places.map(move |place| {
        // Whatever lies in a folder of agents is looked at: a host that does not read it is told of.
        let names = Some(place.names).filter(|names| matches!(names, Names::Exactly(_)));
        let path = root.join(place.folder);
        // The working directory has no name of its own, and a path without a name does not exist.
        let path = if path.as_os_str().is_empty() { PathBuf::from(".") } else { path };
        Place { path, origin, names }
    })
}

/// Finds the candidates of a project and its user, each file once, most important first.
pub fn discover(roots: &Roots) -> (Vec<Candidate>, Vec<(PathBuf, io::Error)>) {
    let mut found = Found::new(&roots.exclude);
    for place in places(roots) {
        found.walk(&place);
    }
    (found.candidates, found.errors)
}

/// Finds the candidates below `paths`. A path that is a file is always one.
pub fn discover_paths(
    paths: &[PathBuf],
    exclude: &Exclude,
) -> (Vec<Candidate>, Vec<(PathBuf, io::Error)>) {
    let mut found = Found::new(exclude);
    for path in paths {
        found.walk(&Place { path: path.clone(), origin: Origin::Project, names: None });
    }
    (found.candidates, found.errors)
}

struct Found<'a> {
    exclude: &'a Exclude,
    seen: HashSet<PathBuf>,
    candidates: Vec<Candidate>,
    errors: Vec<(PathBuf, io::Error)>,
}

impl<'a> Found<'a> {
    fn new(exclude: &'a Exclude) -> Self {
        Self { exclude, seen: HashSet::new(), candidates: Vec::new(), errors: Vec::new() }
    }

    fn walk(&mut self, place: &Place) {
        let exactly = |name: &&str| Place { path: place.path.join(name), names: None, ..*place };
        if let Some(Names::Exactly(names)) = place.names {
            let files: Vec<Place> =
                names.iter().map(exactly).filter(|place| place.path.is_file()).collect();
            return files.iter().for_each(|file| self.walk(file));
        }
        // Links to files are followed, links to folders are not: those may lead anywhere.
        let walk = WalkDir::new(&place.path)
            .follow_root_links(true)
            .max_depth(MAX_DEPTH)
            .sort_by_file_name();
        for entry in walk.into_iter().filter_entry(is_entered) {
            match entry {
                Ok(entry) if entry.depth() == 0 && entry.file_type().is_file() => {
                    self.add(entry.path(), place)
                }
                Ok(entry) => match is_candidate(&entry, place) {
                    Ok(true) => self.add(entry.path(), place),
                    Ok(false) => {}
                    Err(error) => self.errors.push((plain(entry.path()), error)),
                },
                Err(error) => {
                    let path = plain(error.path().unwrap_or(&place.path));
                    let words = error.to_string();
                    // Its own words would name the path a second time.
                    let error = error.into_io_error().unwrap_or_else(|| io::Error::other(words));
                    self.errors.push((path, error));
                }
            }
        }
    }

    fn add(&mut self, path: &Path, place: &Place) {
        let path = plain(path);
        let absolute = self.exclude.absolute(&path);
        if !self.exclude.matches(&absolute) && self.seen.insert(absolute) {
            self.candidates.push(Candidate { path, origin: place.origin });
        }
    }
}

fn is_entered(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    entry.depth() == 0
        || !entry.file_type().is_dir()
        || !NEVER_ENTERED.iter().any(|never| name == *never)
}

/// Whether a file is called like a definition and can be read to its end: pipes and devices would
/// hang or never end. A link that leads nowhere is an error.
fn is_candidate(entry: &DirEntry, place: &Place) -> io::Result<bool> {
    let wanted = match (&place.names, entry.file_name().to_str()) {
        (Some(names), Some(name)) => names.accept(name),
        _ => Format::of_path(entry.path()).is_some(),
    };
    let kind = entry.file_type();
    if wanted && kind.is_symlink() {
        return Ok(std::fs::metadata(entry.path())?.is_file());
    }
    Ok(wanted && kind.is_file())
}

/// `path` as people write it.
fn plain(path: &Path) -> PathBuf {
    path.strip_prefix("./").unwrap_or(path).to_owned()
}
