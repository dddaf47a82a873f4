//! Reads candidates into a catalog: each file once, several at a time.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::{BUILT_IN, Candidate, Catalog, Entry, Located, Origin, shadow};
use crate::{
    dialect::{self, Detected, Dialect, Lowered, McpSyntax, Meaning},
    document::{self, Document, Format},
    model::{Definition, ModelChoice, Prompt, Tools},
    text::{MAX_BYTES, Source, Span, Spanned},
};

/// Fewer files than this are not worth a thread.
const FILES_PER_THREAD: usize = 64;

/// How files are read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The hosts to read every file as; none to find out.
    pub hosts: Vec<&'static Dialect>,
    /// What stays in memory.
    pub keep: Keep,
    /// Whether the built-in agents are part of the catalog.
    pub built_in: bool,
}

/// What stays in memory once a file is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The text as well, for those who show prompts.
    Text,
    /// Only what was understood.
    Outline,
    /// Only what concerns other definitions: names, descriptions, references and faults.
    Names,
}

/// A file while its text is there.
#[derive(Debug)]
pub struct File {
    /// The text.
    pub source: Arc<Source>,
    /// The text, read.
    pub document: Document,
    /// The definitions in it; none if it is not one.
    pub entries: Vec<Entry>,
}

/// A file that could not be read.
#[derive(Debug)]
pub struct Unreadable {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub error: io::Error,
}

/// Reads `candidates` and then the built-in agents. `inspect` sees each file of definitions once,
/// while its text is there.
pub fn load<R: Send>(
    candidates: &[Candidate],
    reading: &Reading,
    inspect: impl Fn(&File) -> R + Sync,
) -> (Catalog, Vec<R>) {
    let results = in_parallel(candidates, |candidate| {
        let file = read(candidate, &reading.hosts)?;
        let inspected = (!file.entries.is_empty()).then(|| inspect(&file));
        Ok((file.into_entries(reading.keep), inspected))
    });
    let mut catalog = Catalog { files: candidates.len(), ..Catalog::default() };
    let mut inspected = Vec::new();
    for (candidate, result) in candidates.iter().zip(results) {
        match result {
            Ok((entries, seen)) => {
                catalog.entries.extend(entries);
                inspected.extend(seen);
            }
            Err(error) => {
                catalog.unreadable.push(Unreadable { path: candidate.path.clone(), error });
            }
        }
    }
    if reading.built_in {
        for (name, text) in BUILT_IN {
            let path = PathBuf::from(format!("builtin:{name}"));
            let file = File::new(&path, text.as_bytes().to_vec(), Origin::Builtin, &[]);
            catalog.entries.extend(file.into_entries(reading.keep));
        }
    }
    shadow::mark(&mut catalog.entries);
    (catalog, inspected)
}

fn read(candidate: &Candidate, hosts: &[&'static Dialect]) -> io::Result<File> {
    let mut bytes = Vec::new();
    let limit = MAX_BYTES as u64 + 1;
    fs::File::open(&candidate.path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(File::new(&candidate.path, bytes, candidate.origin, hosts))
}

impl File {
    /// Understands the bytes of the file at `path`, as `hosts` would, or by what it looks like.
    pub fn new(path: &Path, bytes: Vec<u8>, origin: Origin, hosts: &[&'static Dialect]) -> Self {
        let source = Arc::new(Source::new(path.display().to_string(), bytes));
        let format = Format::of_path(path).unwrap_or_else(|| Format::of_text(source.text()));
        let (document, problems) = document::parse(&source, format);
        let mut file = Self { source, document, entries: Vec::new() };
        let found = match hosts {
            [] => dialect::detect(path, &file.document).into_iter().collect(),
            hosts => file.as_hosts(hosts, path),
        };
        for detected in found {
            let lowered = dialect::lower(&file.source, &file.document, &problems, &detected, path);
            let mut faults = lowered.iter().flat_map(|agent| &agent.faults);
            let loads = !faults.any(|fault| fault.is_of_file() && fault.stops());
            for agent in lowered {
                let entry = file.entry(agent, &detected, loads, path, origin);
                file.entries.push(entry);
            }
        }
        file
    }

    /// What `hosts` make of the file: those that read its format at all.
    fn as_hosts(&self, hosts: &[&'static Dialect], path: &Path) -> Vec<Detected> {
        let reads = |dialect: &&&'static Dialect| {
            hosts.len() == 1 || dialect.forms.iter().any(|form| form.reads(&self.document))
        };
        hosts
            .iter()
            .filter(reads)
            .map(|host| dialect::detect_as(host, path, &self.document))
            .collect()
    }

    fn entry(
        &self,
        agent: Lowered,
        detected: &Detected,
        file_loads: bool,
        path: &Path,
        origin: Origin,
    ) -> Entry {
        let Lowered { definition, mut faults } = agent;
        faults.sort_by_key(|fault| fault.span);
        let source = &self.source;
        let place =
            |span: Span| (source.position(span.start as usize), source.position(span.end as usize));
        let head = self.document.front_matter.as_ref().map_or(Span::at(0), |front| front.open);
        Entry {
            path: path.to_owned(),
            origin,
            dialect: detected.dialect,
            form: detected.form,
            plugin: detected.plugin().map(str::to_owned),
            name_place: place(definition.name.origin.span().unwrap_or(head)),
            description_place: definition.description.as_ref().map(|text| place(text.span)),
            agent_places: located_names(&definition.references.agents, source),
            skill_places: located_names(&definition.references.skills, source),
            server_places: located_names(&foreign_servers(&definition, detected.dialect), source),
            persona_places: definition
                .personas
                .iter()
                .map(|persona| Located::new(persona.name.span, persona.name.value.clone(), source))
                .collect(),
            faults: faults
                .into_iter()
                .map(|fault| Located::new(fault.span, fault, source))
                .collect(),
            file_loads,
            definition,
            shadows: Vec::new(),
            shadowed_by: None,
            source: Some(Arc::clone(source)),
        }
    }

    fn into_entries(mut self, keep: Keep) -> Vec<Entry> {
        for entry in &mut self.entries {
            let definition = &mut entry.definition;
            if keep != Keep::Text {
                entry.source = None;
                // Prompts written as values are as long as bodies.
                definition.prompt = Prompt::default();
                definition.output = None;
                definition.fields = Vec::new();
            }
            if keep == Keep::Names {
                definition.tools = Tools::default();
                definition.model = ModelChoice::default();
                definition.inputs = Vec::new();
            }
        }
        self.entries
    }
}

fn located_names(names: &[Spanned<String>], source: &Source) -> Vec<Located<String>> {
    names.iter().map(|name| Located::new(name.span, name.value.clone(), source)).collect()
}

/// The MCP servers that someone else must have configured: those named as such, and those whose
/// tools are allowed. Names of tools with a slash may be tool sets of the host, so they do not
/// count.
fn foreign_servers(definition: &Definition, dialect: &Dialect) -> Vec<Spanned<String>> {
    let references = &definition.references;
    let named = references.mcp_servers.iter().cloned();
    let tools = definition.tools.allowed.names().unwrap_or_default();
    let tools = if dialect.tools.mcp == McpSyntax::Slash { &[] } else { tools };
    let of_tools = tools.iter().filter_map(|tool| match dialect.tools.meaning(&tool.value) {
        Meaning::Mcp { server, .. } if server != "*" => Some(Spanned::new(server, tool.span)),
        _ => None,
    });
    let mut servers: Vec<Spanned<String>> = Vec::new();
    for server in named.chain(of_tools) {
        let known = references.own_servers.contains(&server.value)
            || servers.iter().any(|other| other.value == server.value);
        if !known {
            servers.push(server);
        }
    }
    servers
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
