//! The process's surroundings, looked at once.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    io::{self, BufWriter, IsTerminal as _, Stderr, Stdout, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, anyhow};

use super::args::{Cli, When};
use crate::{
    catalog::{self, Candidate, Catalog, Entry, Exclude, File, Keep, Reading, Roots, Surroundings},
    config::{self, Owner, Settings},
    dialect::{self, Dialect},
    lint::{Known, Level},
    render::{Drawing, Lines, Paint, Pen},
    text::{Source, printable},
};

/// Where and how a command runs.
pub(super) struct World {
    /// The answer.
    pub out: BufWriter<Stdout>,
    /// Whether the answer is coloured.
    pub paint: Paint,
    /// How wide the answer may be; `None` where nobody looks.
    pub width: Option<usize>,
    err: Stderr,
    err_paint: Paint,
    /// Whether nothing may move on the terminal.
    dumb: bool,
    cwd: PathBuf,
    home: Option<PathBuf>,
    config_home: Option<PathBuf>,
    state_home: Option<PathBuf>,
    settings: Option<Settings>,
    variables: Vec<(OsString, OsString)>,
    agents: Vec<PathBuf>,
    forced: Option<&'static Dialect>,
}

/// Whose definitions are meant where no path is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The project's: what a user has at home is nothing a project is checked for.
    Project,
    /// The project's and the user's.
    Everyone,
}

/// Files that may be definitions, and places that could not be looked at.
type Candidates = (Vec<Candidate>, Vec<(PathBuf, io::Error)>);

/// How far above a definition its project is looked for, where there is no repository.
const MAX_PROJECT_DEPTH: usize = 6;

/// How wide messages are where nobody looks.
const DEFAULT_WIDTH: usize = 100;

impl World {
    pub fn of_process(cli: &Cli) -> Self {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let quiet = ["NO_COLOR", "CI"].iter().any(|name| variable(name).is_some())
            || variable("TERM").is_some_and(|term| term == "dumb");
        let paint = |terminal: bool| match cli.color {
            When::Always => Paint::Colour,
            When::Auto if terminal && !quiet => Paint::Colour,
            When::Auto | When::Never => Paint::Plain,
        };
        let home = variable("HOME").map(PathBuf::from);
        let columns = variable("COLUMNS").and_then(|columns| columns.to_str()?.parse().ok());
        let terminal = || io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
        Self {
            out: BufWriter::new(io::stdout()),
            paint: paint(io::stdout().is_terminal()),
            width: columns.or_else(|| terminal().map(|(width, _)| usize::from(width.0))),
            err: io::stderr(),
            err_paint: paint(io::stderr().is_terminal()),
            dumb: quiet,
            cwd: std::env::current_dir().unwrap_or_default(),
            config_home: variable("XDG_CONFIG_HOME")
                .map(PathBuf::from)
                .or_else(|| home.as_ref().map(|home| home.join(".config"))),
            state_home: variable("AGENTCTL_HOME").map(PathBuf::from).or_else(|| {
                let state = variable("XDG_STATE_HOME").map(PathBuf::from);
                let state = state.or_else(|| home.as_ref().map(|home| home.join(".local/state")));
                state.map(|state| state.join("agentctl"))
            }),
            home,
            settings: None,
            variables: std::env::vars_os().collect(),
            agents: cli.agents.clone(),
            forced: cli.dialect.as_deref().and_then(dialect::dialect),
        }
    }

    /// The same surroundings, with nothing read yet.
    pub fn afresh(&self) -> Self {
        Self {
            out: BufWriter::new(io::stdout()),
            err: io::stderr(),
            cwd: self.cwd.clone(),
            home: self.home.clone(),
            config_home: self.config_home.clone(),
            state_home: self.state_home.clone(),
            settings: None,
            variables: self.variables.clone(),
            agents: self.agents.clone(),
            ..*self
        }
    }

    /// How wide a paragraph is.
    pub fn text_width(&self) -> usize {
        self.width.unwrap_or(DEFAULT_WIDTH).clamp(40, 120)
    }

    /// Prints an error.
    pub fn error(&mut self, message: &str) {
        let label = self.err_paint.red("error:");
        writeln!(self.err, "{label} {}", printable(message)).ok();
    }

    /// Prints a line of the answer at once.
    pub fn announce(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")?;
        self.out.flush()
    }

    /// Prints text that is safe already, on the side of errors.
    pub fn note_raw(&mut self, text: &str) {
        write!(self.err, "{text}").ok();
    }

    /// Whether errors are coloured.
    pub fn err_paint(&self) -> Paint {
        self.err_paint
    }

    /// Whether someone watches.
    pub fn err_is_terminal(&self) -> bool {
        self.err.is_terminal() && !self.dumb
    }

    /// What a variable of the environment says, if anything.
    pub fn variable(&self, name: &str) -> Option<String> {
        let (_, value) = self.variables.iter().find(|(known, _)| known == name)?;
        value.to_str().filter(|value| !value.trim().is_empty()).map(str::to_owned)
    }

    /// The environment.
    pub fn variables(&self) -> &[(OsString, OsString)] {
        &self.variables
    }

    /// Prints something that is neither the answer nor an error.
    pub fn note(&mut self, message: &str) {
        writeln!(self.err, "{}", printable(message)).ok();
    }

    /// The catalog: what is below `paths`, or without any everything a name can mean.
    pub fn catalog(&mut self, paths: &[PathBuf], keep: Keep) -> Result<Catalog> {
        Ok(self.read(paths, Whose::Everyone, keep, Vec::new(), |_| ())?.0)
    }

    /// The catalog, and what `inspect` made of each file. Files are read as `hosts` would read
    /// them, or by what they look like.
    pub fn read<R: Send>(
        &mut self,
        paths: &[PathBuf],
        whose: Whose,
        keep: Keep,
        hosts: Vec<&'static Dialect>,
        inspect: impl Fn(&File) -> R + Sync,
    ) -> Result<(Catalog, Vec<R>)> {
        let (candidates, errors) = self.candidates(paths, whose)?;
        let hosts = if hosts.is_empty() { self.forced.into_iter().collect() } else { hosts };
        let reading = Reading { hosts, keep, built_in: paths.is_empty() };
        let (mut catalog, inspected) = catalog::load(&candidates, &reading, inspect);
        let errors = errors.into_iter().map(|(path, error)| catalog::Unreadable { path, error });
        catalog.unreadable.extend(errors);
        Ok((catalog, inspected))
    }

    /// The files that may be definitions: those below `paths`, or without any those of `whose`.
    pub fn candidates(&mut self, paths: &[PathBuf], whose: Whose) -> Result<Candidates> {
        let Settings { dirs, exclude, .. } = self.settings()?.clone();
        let exclude = Exclude { cwd: self.cwd.clone(), patterns: exclude };
        if !paths.is_empty() {
            return Ok(catalog::discover_paths(paths, &exclude));
        }
        let given = if self.agents.is_empty() {
            dirs.iter().map(|dir| self.as_written(dir)).collect()
        } else {
            self.agents.clone()
        };
        Ok(catalog::discover(&Roots {
            given,
            project: self.project_roots(),
            home: self.home.clone().filter(|_| whose == Whose::Everyone),
            config_home: self.config_home.clone(),
            exclude,
        }))
    }

    /// The dialect every file is read as, if one was asked for.
    pub fn forced(&self) -> Option<&'static Dialect> {
        self.forced
    }

    /// A file in which agentctl keeps something for this user.
    pub fn state_file(&self, name: &str) -> Result<PathBuf> {
        let home = self.state_home.as_ref();
        Ok(home.context("there is no place to keep it: set `AGENTCTL_HOME` or `HOME`")?.join(name))
    }

    /// The working directory.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// What the project has besides agents, if any of them names such a thing.
    pub fn known(&self, catalog: &Catalog, paths: &[PathBuf]) -> Known {
        let partial = paths.iter().any(|path| path.is_file());
        let names =
            |entry: &&Entry| !entry.skill_places.is_empty() || !entry.server_places.is_empty();
        let mut roots = BTreeSet::new();
        for entry in catalog.entries.iter().filter(names) {
            // Whatever folder is the entry's project, it is above the entry.
            let above = self.cwd.join(&entry.path);
            let repository = above.ancestors().position(|folder| folder.join(".git").exists());
            let levels = repository.unwrap_or(MAX_PROJECT_DEPTH);
            roots.extend(above.ancestors().skip(1).take(levels).map(Path::to_owned));
        }
        if roots.is_empty() {
            return Known { partial, ..Known::default() };
        }
        let roots: Vec<PathBuf> = roots.into_iter().collect();
        let Surroundings { skills, mcp_servers } =
            catalog::surroundings(&roots, self.home.as_deref());
        Known { skills, mcp_servers, partial }
    }

    /// Says which files could not be read. Whether there were any.
    pub fn report_unreadable(&mut self, catalog: &Catalog) -> bool {
        for unreadable in &catalog.unreadable {
            self.error(&format!("cannot read {}: {}", unreadable.path.display(), unreadable.error));
        }
        !catalog.unreadable.is_empty()
    }

    /// The working directory and those above it up to the repository, as the user would write
    /// them: ``, `..`, `../..`.
    fn project_roots(&self) -> Vec<PathBuf> {
        let above =
            self.cwd.ancestors().position(|folder| folder.join(".git").exists()).unwrap_or(0);
        (0..=above).map(|up| std::iter::repeat_n("..", up).collect()).collect()
    }

    /// An absolute path as the user would write it here.
    fn as_written(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.cwd) {
            Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
            Ok(below) => below.to_owned(),
            Err(_) => path.to_owned(),
        }
    }

    /// The settings files there are: the project's, then the user's.
    pub fn settings_files(&self) -> Vec<(PathBuf, Owner)> {
        let nearest = self.cwd.ancestors().take(self.project_roots().len());
        let mut project = nearest.map(|folder| folder.join(config::FILE_NAME));
        let project = project.find(|path| path.is_file());
        let user = self.config_home.as_ref().map(|home| home.join("agentctl/config.toml"));
        let project = project.map(|path| (path, Owner::Project));
        let user = user.filter(|path| path.is_file()).map(|path| (path, Owner::User));
        project.into_iter().chain(user).collect()
    }

    /// What the settings files say. They are read once.
    pub fn settings(&mut self) -> Result<&Settings> {
        if self.settings.is_none() {
            let mut settings = Settings::default();
            for (path, owner) in self.settings_files() {
                settings = settings.over(self.read_settings(&path, owner)?);
            }
            self.settings = Some(settings);
        }
        Ok(self.settings.get_or_insert_default())
    }

    /// The settings files have changed: read them again when they are next needed.
    pub fn forget_settings(&mut self) {
        self.settings = None;
    }

    fn read_settings(&self, path: &Path, owner: Owner) -> Result<Settings> {
        let shown = path.strip_prefix(&self.cwd).unwrap_or(path);
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", shown.display()))?;
        let source = Source::new(shown.display().to_string(), bytes);
        Settings::parse(&source, path.parent().unwrap_or(Path::new("")), owner).map_err(|error| {
            let drawing = Drawing {
                level: Level::Error,
                code: None,
                message: error.message,
                label: Some("here".to_owned()),
                help: Some("`agentctl schema config` prints what this file may say".to_owned()),
                lines: Some(Lines::of_source(&source, error.span)),
            };
            let mut drawn = String::new();
            Pen::new(self.text_width(), Paint::Plain).draw(&drawing, &mut drawn);
            anyhow!("{} cannot be used\n{}", shown.display(), drawn.trim_end())
        })
    }
}
