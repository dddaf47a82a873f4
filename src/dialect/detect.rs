//! Which dialect a file is written in: first by where it lies, then by its keys.

use std::path::{Component, Path};

use super::{DIALECTS, Dialect, Fit, Form, Layout, Place, agentctl};
use crate::document::{Document, Map, Node};

/// A file's dialect, and how it was found.
#[derive(Clone, Debug)]
pub struct Detected {
    /// The dialect.
    pub dialect: &'static Dialect,
    /// The kind of file.
    pub form: &'static Form,
    /// The host's folder the file lies in, if it lies in one.
    pub place: Option<(&'static Place, Fit)>,
    /// The host in whose folder the file lies although it is written for another.
    pub misplaced_in: Option<&'static str>,
}

impl Detected {
    /// The plugin the file belongs to, if it lies in one.
    pub fn plugin(&self) -> Option<&str> {
        let (_, fit) = self.place.as_ref()?;
        fit.wildcards.first().map(String::as_str)
    }
}

/// Files called this, in any case, are about a project.
const ABOUT_A_PROJECT: &[&str] = &[
    "changelog.md",
    "code_of_conduct.md",
    "contributing.md",
    "license.md",
    "readme.md",
    "security.md",
];

/// Files called exactly this are instructions or skills, not agents.
const NOT_AGENTS: &[&str] = &["AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "SKILL.md"];

/// Folders whose Markdown files have front matter like agents but are something else.
const NOT_AGENT_FOLDERS: &[&str] =
    &["commands", "hooks", "instructions", "prompts", "rules", "skills"];

/// The dialect of `document`, read from `path`; `None` if it does not look like an agent.
pub fn detect(path: &Path, document: &Document) -> Option<Detected> {
    if document.front_matter.is_none() && is_about_agents(path) {
        return None;
    }
    if is_ours(document) {
        return Some(detect_as(&agentctl::DIALECT, path, document));
    }
    by_path(path, document)
        .or_else(|| (!is_something_else(path)).then(|| by_keys(path, document)).flatten())
        .or_else(|| in_open_folder(path, document))
}

/// `document` as `dialect`, whatever it looks like.
pub fn detect_as(dialect: &'static Dialect, path: &Path, document: &Document) -> Detected {
    let forms = dialect.forms.iter().filter(|form| form.reads(document));
    let placed = forms.clone().filter_map(|form| placed(dialect, form, path)).max_by_key(weight);
    // Of equally likely forms the first is the usual one.
    let scored =
        || forms.clone().rev().max_by_key(|form| score(form, document).unwrap_or(i64::MIN));
    placed.unwrap_or_else(|| Detected {
        dialect,
        form: scored().unwrap_or(&dialect.forms[0]),
        place: None,
        misplaced_in: None,
    })
}

/// `agentType` without `name` is our own dialect even in the folder of a host, which cannot load
/// it there.
fn is_ours(document: &Document) -> bool {
    document
        .root
        .as_map()
        .is_some_and(|map| map.get("agentType").is_some() && map.get("name").is_none())
}

/// Every host's folder that `path` lies in.
fn by_path(path: &Path, document: &Document) -> Option<Detected> {
    let forms =
        DIALECTS.iter().flat_map(|dialect| dialect.forms.iter().map(move |form| (*dialect, form)));
    let found = forms
        .filter(|(dialect, form)| dialect.id != agentctl::DIALECT.id && form.reads(document))
        .filter_map(|(dialect, form)| placed(dialect, form, path));
    // Of equally specific places the first in the table counts, unless the keys speak for another
    // form of the same host.
    let best =
        found.reduce(|best, next| if weight(&next) > weight(&best) { next } else { best })?;
    let siblings = best.dialect.forms.iter().filter(|form| form.reads(document));
    let equal = siblings
        .filter_map(|form| placed(best.dialect, form, path))
        .filter(|other| weight(other) == weight(&best));
    equal.max_by_key(|other| (score(other.form, document), other.form.id == best.form.id))
}

fn placed(dialect: &'static Dialect, form: &'static Form, path: &Path) -> Option<Detected> {
    let fits = form.places.iter().filter_map(|place| place.fit(path).map(|fit| (place, fit)));
    let place = fits.max_by_key(|(_, fit)| (fit.weight, !fit.too_deep))?;
    Some(Detected { dialect, form, place: Some(place), misplaced_in: None })
}

fn weight(detected: &Detected) -> usize {
    detected.place.as_ref().map_or(0, |(_, fit)| fit.weight)
}

fn by_keys(path: &Path, document: &Document) -> Option<Detected> {
    let forms =
        DIALECTS.iter().flat_map(|dialect| dialect.forms.iter().map(move |form| (*dialect, form)));
    let scored = forms
        .filter(|(_, form)| form.reads(document))
        .filter_map(|(dialect, form)| score(form, document).map(|score| (score, dialect, form)));
    let (_, dialect, form) =
        scored.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    Some(placed(dialect, form, path).unwrap_or_else(|| {
        let misplaced_in = folder_of(path).map(|owner| owner.host);
        Detected { dialect, form, place: None, misplaced_in }
    }))
}

/// The host other than ours in whose folder `path` lies.
fn folder_of(path: &Path) -> Option<&'static Dialect> {
    let hosts = DIALECTS.iter().copied().filter(|dialect| dialect.id != agentctl::DIALECT.id);
    let mut hosts = hosts.filter(|dialect| {
        dialect.forms.iter().flat_map(|form| form.places).any(|place| place.is_above(path))
    });
    hosts.next()
}

/// A file in one of our own folders that has keys of ours is an agent, if a bad one. `.codex/agents` is
/// not ours, whatever its last part.
fn in_open_folder(path: &Path, document: &Document) -> Option<Detected> {
    if folder_of(path).is_some() {
        return None;
    }
    // Prose and other settings lie in folders called `agents`, too.
    let has_our_keys = |form: &Form| {
        let entries = document.root.as_map().into_iter().flat_map(|map| &map.entries);
        entries.into_iter().any(|entry| form.field(&entry.key.value).is_some())
    };
    let forms = agentctl::DIALECT.forms.iter();
    let mut forms = forms.filter(|form| form.reads(document) && has_our_keys(form));
    forms.find_map(|form| placed(&agentctl::DIALECT, form, path))
}

/// How well the keys of `document` fit `form`; `None` if they do not.
fn score(form: &Form, document: &Document) -> Option<i64> {
    let root = match (&form.layout, document.root.as_list()) {
        (Layout::OneOrList, Some(items)) => items.first()?,
        _ => &document.root,
    };
    let mut map = root.as_map()?;
    if let Layout::Wrapped(key) = form.layout
        && let Some(inner) = map.get(key).and_then(Node::as_map)
    {
        map = inner;
    }
    let has = |key: &&&str| map.get(key).is_some();
    let signature = &form.signature;
    if !signature.all.iter().all(|key| has(&key)) {
        return None;
    }
    if !signature.any.is_empty() && !signature.any.iter().any(|key| has(&key)) {
        return None;
    }
    let hints = signature.any.iter().chain(signature.hints).filter(has).count();
    let strong = 3 * signature.all.len() + 5 * hints;
    Some(i64::try_from(strong).unwrap_or(i64::MAX) + fit_of_keys(form, map))
}

/// Keys the form knows, less those it does not.
fn fit_of_keys(form: &Form, map: &Map) -> i64 {
    let known = |key: &str| match form.layout {
        Layout::Keyed { keys, top, .. } => {
            keys.contains(&key) || top.iter().any(|field| field.key == key)
        }
        _ => form.field(key).is_some(),
    };
    map.entries.iter().map(|entry| if known(&entry.key.value) { 1 } else { -1 }).sum()
}

/// Documentation that lies among agents.
fn is_about_agents(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    NOT_AGENTS.contains(&name) || ABOUT_A_PROJECT.contains(&name.to_ascii_lowercase().as_str())
}

/// Files that look like agents but are skills, commands and the like.
fn is_something_else(path: &Path) -> bool {
    is_about_agents(path)
        || path.parent().into_iter().flat_map(Path::components).any(|part| match part {
            Component::Normal(name) => NOT_AGENT_FOLDERS.iter().any(|folder| name == *folder),
            _ => false,
        })
}
