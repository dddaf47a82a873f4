//! Reads candidates into a catalog: each file once, several at a time.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::{BUILT_IN, Candidate, Catalog, Entry, Located, Origin, shadow};
use crate::{
    dialect::{self, Dialect},
    document::{self, Format},
    text::{MAX_BYTES, Source, Span},
};

/// Fewer files than this are not worth a thread.
const FILES_PER_THREAD: usize = 64;

/// What stays in memory once a file is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The text as well, for those who show prompts.
    Text,
    /// Only what was understood.
    Outline,
}

/// A file that could not be read.
#[derive(Debug)]
pub struct Unreadable {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub error: io::Error,
}

/// Reads `candidates`, then the built-in agents if `built_in` is set. `forced` makes every file a
/// definition of that dialect.
pub fn load(
    candidates: &[Candidate],
    forced: Option<&'static Dialect>,
    keep: Keep,
    built_in: bool,
) -> Catalog {
    let results = in_parallel(candidates, |candidate| read(candidate, forced, keep));
    let mut catalog = Catalog { files: candidates.len(), ..Catalog::default() };
    for (candidate, result) in candidates.iter().zip(results) {
        match result {
            Ok(entries) => catalog.entries.extend(entries),
            Err(error) => {
                catalog.unreadable.push(Unreadable { path: candidate.path.clone(), error })
            }
        }
    }
    if built_in {
        for (name, text) in BUILT_IN {
            let path = PathBuf::from(format!("builtin:{name}"));
            let bytes = text.as_bytes().to_vec();
            catalog.entries.extend(understand(&path, bytes, Origin::Builtin, None, keep));
        }
    }
    shadow::mark(&mut catalog.entries);
    catalog
}

fn read(
    candidate: &Candidate,
    forced: Option<&'static Dialect>,
    keep: Keep,
) -> io::Result<Vec<Entry>> {
    let mut bytes = Vec::new();
    let limit = MAX_BYTES as u64 + 1;
    File::open(&candidate.path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(understand(&candidate.path, bytes, candidate.origin, forced, keep))
}

/// The definitions in a file; none if it is not one.
fn understand(
    path: &Path,
    bytes: Vec<u8>,
    origin: Origin,
    forced: Option<&'static Dialect>,
    keep: Keep,
) -> Vec<Entry> {
    let source = Source::new(path.display().to_string(), bytes);
    let format = Format::of_path(path).unwrap_or(Format::Markdown);
    let (document, problems) = document::parse(&source, format);
    let detected = match forced {
        Some(dialect) => Some(dialect::detect_as(dialect, path, &document)),
        None => dialect::detect(path, &document),
    };
    let Some(detected) = detected else { return Vec::new() };
    let lowered = dialect::lower(&source, &document, &problems, &detected, path);
    let faults = || lowered.iter().flat_map(|lowered| &lowered.faults);
    let file_loads = !faults().any(|fault| fault.is_of_file() && fault.stops());
    let source = Arc::new(source);
    let located: Vec<_> =
        problems.into_iter().map(|problem| Located::new(problem.span, problem, &source)).collect();
    let head = document.front_matter.as_ref().map_or(Span::at(0), |front| front.open);
    let entry = |lowered: dialect::Lowered| {
        let mut faults = lowered.faults;
        faults.sort_by_key(|fault| fault.span);
        let faults = faults.into_iter();
        let name = lowered.definition.name.origin.span().unwrap_or(head);
        Entry {
            path: path.to_owned(),
            origin,
            dialect: detected.dialect,
            form: detected.form,
            plugin: detected.plugin().map(str::to_owned),
            definition: lowered.definition,
            name_place: (source.position(name.start as usize), source.position(name.end as usize)),
            problems: located.clone(),
            faults: faults.map(|fault| Located::new(fault.span, fault, &source)).collect(),
            file_loads,
            shadows: Vec::new(),
            shadowed_by: None,
            source: (keep == Keep::Text).then(|| Arc::clone(&source)),
        }
    };
    lowered.into_iter().map(entry).collect()
}

/// `work` on every item, results in the order of the items.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(items.len().div_ceil(FILES_PER_THREAD)).max(1);
    if threads == 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut mine = Vec::new();
                while let Some((at, item)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    items.get(at).map(|item| (at, item))
                } {
                    mine.push((at, work(item)));
                }
                done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).append(&mut mine);
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
