//! What else a project has that definitions name: skills and MCP servers.
//!
//! Only names are taken, and only from the places hosts read. Where nothing of a kind is found, or
//! a file cannot be understood, nothing is known: an empty answer would make every name unknown.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value as Json;
use walkdir::WalkDir;

use crate::{
    document::{self, Format},
    text::{MAX_BYTES, Source},
};

/// The names found. `None`: nothing of the kind is there, or it could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Skills.
    pub skills: Option<BTreeSet<String>>,
    /// MCP servers.
    pub mcp_servers: Option<BTreeSet<String>>,
}

/// Folders of skills, below a project and below home.
const SKILLS: &[&str] = &[
    ".claude/skills",
    ".agents/skills",
    ".gemini/skills",
    ".qwen/skills",
    ".github/skills",
    ".agentctl/skills",
];
/// Folders of plugins; each may bring skills and servers.
const PLUGINS: &[&str] = &["plugins", ".claude/plugins", ".gemini/extensions", ".qwen/extensions"];
/// How deep installed plugins lie below those: `cache/marketplace/plugin/version`.
const PLUGIN_DEPTH: usize = 5;

/// Files of MCP servers, and the key their names are under.
const SERVERS: &[(&str, &str)] = &[
    (".mcp.json", "mcpServers"),
    (".gemini/settings.json", "mcpServers"),
    (".qwen/settings.json", "mcpServers"),
    (".vscode/mcp.json", "servers"),
    (".cursor/mcp.json", "mcpServers"),
    (".kiro/settings/mcp.json", "mcpServers"),
    (".factory/mcp.json", "mcpServers"),
    (".codex/config.toml", "mcp_servers"),
];
/// Claude Code keeps the user's servers here, and those of a project for this user alone.
const CLAUDE_STATE: &str = ".claude.json";
/// Larger files are not read; they count as unreadable.
const MAX_STATE: u64 = 64 << 20;

/// Looks below the `projects` and `home`.
pub fn surroundings(projects: &[PathBuf], home: Option<&Path>) -> Surroundings {
    let mut skills = BTreeSet::new();
    let mut servers = Servers::default();
    // An empty path is the working directory, which cannot be opened by that name.
    let here = |path: &PathBuf| path.as_os_str().is_empty();
    let roots = projects.iter().map(|path| if here(path) { Path::new(".") } else { path });
    for root in roots.clone().chain(home) {
        for folder in SKILLS {
            add_skills(&root.join(folder), &mut skills);
        }
        for (file, key) in SERVERS {
            servers.add(&root.join(file), key);
        }
        for folder in PLUGINS {
            add_plugins(&root.join(folder), &mut skills, &mut servers);
        }
    }
    for root in roots.clone() {
        // A project can be a plugin itself.
        if root.join("agents").is_dir() {
            add_skills(&root.join("skills"), &mut skills);
        }
    }
    if let Some(home) = home {
        servers.add_claude_state(&home.join(CLAUDE_STATE), roots);
    }
    Surroundings {
        skills: Some(skills).filter(|names| !names.is_empty()),
        mcp_servers: servers.known(),
    }
}

/// Adds every `folder/*/SKILL.md`, by the name of its folder and by the name it gives itself.
fn add_skills(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(text) = read_some(&entry.path().join("SKILL.md")) else { continue };
        names.extend(entry.file_name().into_string());
        let source = Source::new("SKILL.md", text);
        let (document, _) = document::parse(&source, Format::Markdown);
        let name = document.root.as_map().and_then(|map| map.get("name"));
        names.extend(name.and_then(document::Node::scalar_text));
    }
}

fn add_plugins(folder: &Path, skills: &mut BTreeSet<String>, servers: &mut Servers) {
    let walk = WalkDir::new(folder).max_depth(PLUGIN_DEPTH).follow_links(false).into_iter();
    let entered = |name: &str| !matches!(name, "node_modules" | ".git");
    let entries = walk.filter_entry(move |entry| entry.file_name().to_str().is_none_or(entered));
    for entry in entries.flatten() {
        match entry.file_name().to_str() {
            Some("skills") if entry.file_type().is_dir() => add_skills(entry.path(), skills),
            Some(".mcp.json" | "gemini-extension.json" | "qwen-extension.json") => {
                servers.add(entry.path(), "mcpServers");
            }
            _ => {}
        }
    }
}

/// The servers found so far.
#[derive(Default)]
struct Servers {
    names: BTreeSet<String>,
    unreadable: bool,
}

impl Servers {
    fn known(self) -> Option<BTreeSet<String>> {
        Some(self.names).filter(|names| !self.unreadable && !names.is_empty())
    }

    /// Adds the names under `key` of a file, if there is such a file.
    fn add(&mut self, path: &Path, key: &str) {
        let Some(text) = self.read(path) else { return };
        let format = Format::of_path(path).unwrap_or(Format::Json);
        let source = Source::new(path.display().to_string(), text);
        let (document, problems) = document::parse(&source, format);
        self.unreadable |= problems.iter().any(|problem| problem.kind.is_malformed());
        let root = document.root.as_map();
        // Plugins may leave the key out.
        let servers = root.and_then(|map| map.get(key)).and_then(document::Node::as_map);
        let bare = root.filter(|_| servers.is_none() && path.ends_with(".mcp.json"));
        let entries = servers.or(bare).into_iter().flat_map(|map| &map.entries);
        self.names.extend(entries.map(|entry| entry.key.value.clone()));
    }

    /// Adds the user's servers, and the user's own for one of the `projects`.
    fn add_claude_state<'a>(&mut self, path: &Path, projects: impl Iterator<Item = &'a Path>) {
        let Some(text) = self.read(path) else { return };
        let Ok(state) = serde_json::from_slice::<Json>(&text) else {
            self.unreadable = true;
            return;
        };
        self.add_object(state.get("mcpServers"));
        for project in projects {
            let Ok(absolute) = project.canonicalize() else { continue };
            let own = state.get("projects").and_then(|all| all.get(absolute.to_str()?));
            self.add_object(own.and_then(|own| own.get("mcpServers")));
        }
    }

    fn add_object(&mut self, servers: Option<&Json>) {
        let servers = servers.and_then(Json::as_object).into_iter();
        self.names.extend(servers.flat_map(|servers| servers.keys().cloned()));
    }

    fn read(&mut self, path: &Path) -> Option<Vec<u8>> {
        let length = match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => metadata.len(),
            Ok(_) => return None,
            Err(error) => {
                self.unreadable |= error.kind() == io::ErrorKind::PermissionDenied;
                return None;
            }
        };
        let text = if length <= MAX_STATE { fs::read(path).ok() } else { None };
        self.unreadable |= text.is_none();
        text
    }
}

/// The beginning of a file, enough for its front matter.
fn read_some(path: &Path) -> io::Result<Vec<u8>> {
    use io::Read as _;
    let mut bytes = Vec::new();
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    fs::File::open(path)?.take(MAX_BYTES as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(files: &[(&str, &str)]) -> Surroundings {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let (project, home) = (folder.path().join("project"), folder.path().join("home"));
        surroundings(&[project], Some(&home))
    }

    fn set(names: &[&str]) -> Option<BTreeSet<String>> {
        Some(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn nothing_is_known_where_nothing_is() {
        assert_eq!(look(&[]), Surroundings::default());
    }

    #[test]
    fn skills_go_by_their_folder_and_by_the_name_they_give_themselves() {
        let found = look(&[
            ("project/.claude/skills/pdf/SKILL.md", "---\nname: pdf-forms\n---\n"),
            ("project/plugins/db/skills/sql/SKILL.md", "no front matter"),
            ("home/.agents/skills/git/SKILL.md", ""),
            ("home/.agents/skills/notes.md", ""),
        ]);
        assert_eq!(found.skills, set(&["git", "pdf", "pdf-forms", "sql"]));
    }

    #[test]
    fn servers_come_from_every_host_s_file() {
        let found = look(&[
            ("project/.mcp.json", r#"{"mcpServers": {"github": {}}}"#),
            ("project/.vscode/mcp.json", "{\"servers\": {\"db\": {}}, // a comment\n}"),
            ("project/.codex/config.toml", "[mcp_servers.docs]\ncommand = \"x\"\n"),
            (
                "home/.claude.json",
                r#"{"mcpServers": {"mail": {}}, "projects": {"/x": {"mcpServers": {"other": {}}}}}"#,
            ),
        ]);
        assert_eq!(found.mcp_servers, set(&["db", "docs", "github", "mail"]));
    }

    #[test]
    fn a_file_that_cannot_be_understood_leaves_the_answer_open() {
        let found = look(&[
            ("project/.mcp.json", r#"{"mcpServers": {"github": {}}}"#),
            ("project/.cursor/mcp.json", "{\"mcpServers\": "),
        ]);
        assert_eq!(found.mcp_servers, None);
    }
}
