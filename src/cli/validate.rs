//! `agentctl validate`.

use std::{collections::HashMap, io::Write as _};

use anyhow::Result;
use serde_json::json;

use super::{
    Exit,
    args::{FindingFormat, ValidateArgs},
    world::World,
};
use crate::{
    catalog::Keep,
    dialect,
    lint::{self, FileReport, Finding, Known, Level},
};

pub(super) fn run(world: &mut World, args: &ValidateArgs) -> Result<Exit> {
    let hosts = args.host.iter().filter_map(|id| dialect::dialect(id)).collect();
    let (catalog, mut reports) = world.read(&args.paths, Keep::Outline, hosts, lint::lint_file)?;
    let mut by_path: HashMap<String, Vec<Finding>> = HashMap::new();
    for finding in lint::lint_catalog(&catalog, &Known::default()) {
        by_path.entry(finding.path.clone()).or_default().push(finding);
    }
    for report in &mut reports {
        report.findings.extend(by_path.remove(&report.path).unwrap_or_default());
    }
    lint::suppress(&mut reports);
    print(world, args.format, &reports)?;
    let any = |level: Level| {
        reports.iter().flat_map(|report| &report.findings).any(|finding| finding.level == level)
    };
    Ok(if any(Level::Error) { Exit::Findings } else { Exit::Done })
}

fn print(world: &mut World, format: FindingFormat, reports: &[FileReport]) -> Result<()> {
    let findings = reports.iter().flat_map(|report| &report.findings);
    match format {
        FindingFormat::Json => {
            let findings: Vec<_> = findings
                .map(|finding| {
                    json!({
                        "rule": finding.rule.name,
                        "severity": finding.level,
                        "path": finding.path,
                        "agent": finding.agent,
                        "start": finding.start,
                        "end": finding.end,
                        "message": finding.message,
                        "help": finding.help,
                        "hosts": finding.hosts,
                    })
                })
                .collect();
            writeln!(
                world.out,
                "{}",
                serde_json::to_string_pretty(
                    &json!({ "version": 1, "files": reports.len(), "findings": findings })
                )?
            )?;
        }
        FindingFormat::Text => {
            for finding in findings {
                let Finding { path, start, level, rule, message, .. } = finding;
                writeln!(
                    world.out,
                    "{path}:{}:{}: {}[{}]: {message}",
                    start.line,
                    start.column,
                    level.name(),
                    rule.name
                )?;
            }
        }
    }
    Ok(())
}
