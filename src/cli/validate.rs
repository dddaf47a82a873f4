//! `agentctl validate`.

mod baseline;
mod fix;
mod watch;

use std::{
    collections::HashMap,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

use super::{
    Exit,
    args::{FindingFormat, ValidateArgs},
    world::{Whose, World},
};
use crate::{
    catalog::{Catalog, File, Keep, Origin},
    config::LintSettings,
    dialect::{self, Dialect},
    lint::{self, FileReport, Finding, Known, Level},
    render::{Report, findings_github, findings_json, findings_sarif, findings_text},
    text::MAX_BYTES,
};

pub(super) fn run(world: &mut World, args: &ValidateArgs) -> Result<Exit> {
    if args.watch {
        return watch::run(world, args);
    }
    once(world, args)
}

/// Checks everything once.
fn once(world: &mut World, args: &ValidateArgs) -> Result<Exit> {
    let mut linter = Linter::new(world, args)?;
    if args.paths == [PathBuf::from("-")] {
        return stdin(world, args, &linter);
    }
    let hosts = linter.hosts.clone();
    let (catalog, reports) =
        world.read(&args.paths, Whose::Project, Keep::Names, hosts, lint::lint_file)?;
    let unreadable = world.report_unreadable(&catalog);
    if reports.is_empty() {
        if !unreadable {
            world.error(&nothing_found(args));
        }
        return Ok(Exit::Usage);
    }
    linter.known = world.known(&catalog, &args.paths);
    let mut reports = linter.finish(&catalog, reports);
    let mut failed = false;
    if args.fix || args.diff {
        failed = fix::run(world, args, &linter, &mut reports)?;
    }
    // A diff is the whole answer.
    if !args.diff {
        print(world, args.format, &reports)?;
    }
    world.out.flush()?;
    Ok(if unreadable { Exit::Usage } else { exit(args, &reports, failed) })
}

/// Everything a name can mean, and what is wrong with it.
pub(super) fn everything(world: &mut World) -> Result<(Catalog, Vec<FileReport>)> {
    let mut linter = Linter::of_settings(world)?;
    let hosts = linter.hosts.clone();
    let (catalog, reports) =
        world.read(&[], Whose::Everyone, Keep::Names, hosts, lint::lint_file)?;
    linter.known = world.known(&catalog, &[]);
    let reports = linter.finish(&catalog, reports);
    Ok((catalog, reports))
}

/// Checks a file that stands on stdin; with `--fix`, prints it mended.
fn stdin(world: &mut World, args: &ValidateArgs, linter: &Linter) -> Result<Exit> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .context("cannot read stdin")?;
    let name = args.stdin_filename.clone().unwrap_or_else(|| PathBuf::from("<stdin>"));
    let file = File::new(&name, bytes, Origin::Project, &linter.hosts);
    if file.entries.is_empty() {
        world.error("what is on stdin is not an agent definition\nhelp: say what it is with `--stdin-filename` or `--dialect`");
        return Ok(Exit::Usage);
    }
    if args.fix || args.diff {
        let (mended, reports) = fix::text(linter, args, &file);
        if args.diff {
            world.out.write_all(
                fix::diff(&name.display().to_string(), file.source.text(), &mended).as_bytes(),
            )?;
        } else {
            world.out.write_all(mended.as_bytes())?;
        }
        let changed = args.diff && mended != file.source.text();
        return Ok(exit(args, &[reports], changed));
    }
    let reports = [linter.report(&file)];
    print(world, args.format, &reports)?;
    Ok(exit(args, &reports, false))
}

fn nothing_found(args: &ValidateArgs) -> String {
    if args.paths.is_empty() {
        return "there are no agent definitions in this project\nhelp: name a file or folder, or start one in `agents/`".to_owned();
    }
    let paths = super::show::quoted(&args.paths);
    format!("no agent definitions in {paths}\nhelp: `--dialect` reads any file as one")
}

fn exit(args: &ValidateArgs, reports: &[FileReport], failed: bool) -> Exit {
    let worst =
        reports.iter().flat_map(|report| &report.findings).map(|finding| finding.level).max();
    let limit = if args.deny_warnings { Level::Warning } else { Level::Error };
    if failed || worst >= Some(limit) { Exit::Findings } else { Exit::Done }
}

fn print(world: &mut World, format: FindingFormat, reports: &[FileReport]) -> Result<()> {
    let report = Report(reports);
    let text = match format {
        FindingFormat::Json => {
            serde_json::to_writer_pretty(&mut world.out, &findings_json(&report))
                .map_err(io::Error::from)?;
            "\n".to_owned()
        }
        FindingFormat::Sarif => {
            serde_json::to_writer_pretty(&mut world.out, &findings_sarif(&report))
                .map_err(io::Error::from)?;
            "\n".to_owned()
        }
        FindingFormat::Text => findings_text(&report, world.text_width(), world.paint),
        FindingFormat::Github => findings_github(&report),
    };
    world.out.write_all(text.as_bytes())?;
    Ok(())
}

/// How files are checked in this run.
struct Linter {
    hosts: Vec<&'static Dialect>,
    settings: LintSettings,
    known: Known,
    baseline: baseline::Baseline,
    cwd: PathBuf,
}

impl Linter {
    fn new(world: &mut World, args: &ValidateArgs) -> Result<Self> {
        let mut linter = Self::of_settings(world)?;
        linter.settings.select.extend(args.select.iter().cloned());
        linter.settings.ignore.extend(args.ignore.iter().cloned());
        if !args.host.is_empty() {
            linter.hosts = args.host.iter().filter_map(|id| dialect::dialect(id)).collect();
        }
        if let Some(path) = &args.baseline {
            linter.baseline = baseline::Baseline::read(path)?;
        }
        Ok(linter)
    }

    /// As the settings files say.
    fn of_settings(world: &mut World) -> Result<Self> {
        let settings = world.settings()?.lint.clone();
        let named = settings.hosts.iter();
        let mut hosts: Vec<_> = named.filter_map(|id| dialect::dialect(id)).collect();
        if hosts.is_empty() {
            hosts.extend(world.forced());
        }
        let baseline = baseline::Baseline::default();
        Ok(Self { hosts, settings, known: Known::default(), baseline, cwd: world.cwd().to_owned() })
    }

    /// Adds what only the whole catalog shows, and takes out what is allowed or does not count.
    fn finish(&self, catalog: &Catalog, mut reports: Vec<FileReport>) -> Vec<FileReport> {
        let mut by_path: HashMap<String, Vec<Finding>> = HashMap::new();
        for finding in lint::lint_catalog(catalog, &self.known) {
            by_path.entry(finding.path.clone()).or_default().push(finding);
        }
        for report in &mut reports {
            report.findings.extend(by_path.remove(&report.path).unwrap_or_default());
        }
        lint::suppress(&mut reports);
        let mut accepted = self.baseline.clone();
        reports.iter_mut().for_each(|report| self.settle(report, &mut accepted));
        reports
    }

    /// What one file by itself has to say.
    fn report(&self, file: &File) -> FileReport {
        let mut reports = [lint::lint_file(file)];
        lint::suppress(&mut reports);
        let [mut report] = reports;
        self.settle(&mut report, &mut self.baseline.clone());
        report
    }

    fn settle(&self, report: &mut FileReport, accepted: &mut baseline::Baseline) {
        let path = self.cwd.join(&report.path);
        report.findings.retain_mut(|finding| match self.settings.level(finding, &path) {
            Some(level) => {
                finding.level = level;
                !accepted.take(finding)
            }
            None => false,
        });
    }

    /// Reads a text as the file at `path`.
    fn read(&self, path: &Path, text: &str) -> File {
        File::new(path, text.as_bytes().to_vec(), Origin::Project, &self.hosts)
    }

    /// What a text has to say as the file at `path`.
    fn again(&self, path: &Path, text: &str) -> FileReport {
        self.report(&self.read(path, text))
    }
}
