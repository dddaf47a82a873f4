//! `--fix` and `--diff`.

use std::{io::Write as _, path::Path};

use anyhow::Result;
use similar::TextDiff;

use super::Linter;
use crate::{
    catalog::File,
    cli::{args::ValidateArgs, world::World, write},
    lint::{self, FileReport, Fix, Safety},
};

/// Mends files, or shows how they would be mended. Whether there is something left to do.
pub(super) fn run(
    world: &mut World,
    args: &ValidateArgs,
    linter: &Linter,
    reports: &mut [FileReport],
) -> Result<bool> {
    let mut mended = 0;
    let mut left = false;
    for report in reports.iter_mut().filter(|report| fixes(args, report).next().is_some()) {
        let path = report.path.clone();
        let path = Path::new(&path);
        let old = match std::fs::read_to_string(path) {
            Ok(old) => old,
            Err(error) => {
                left = true;
                world.error(&format!("{} is not mended: {error}", path.display()));
                continue;
            }
        };
        let (new, after) = text(linter, args, &linter.read(path, &old));
        if new == old {
            continue;
        }
        if args.diff {
            left = true;
            world.out.write_all(diff(&report.path, &old, &new).as_bytes())?;
            continue;
        }
        match write::replace(path, &old, &new) {
            Ok(()) => {
                mended += 1;
                // What only the whole catalog shows was not looked at again.
                let whole = report.findings.drain(..).filter(|finding| finding.excerpt.is_none());
                let whole: Vec<_> = whole.collect();
                report.findings = after.findings;
                report.findings.extend(whole);
            }
            Err(error) => {
                left = true;
                world.error(&format!("{} is not mended: {error}", path.display()));
            }
        }
    }
    if args.fix && !args.diff && mended > 0 {
        world.note(&format!("mended {mended} file{}", if mended == 1 { "" } else { "s" }));
    }
    Ok(left)
}

/// The text of a file with everything mended that may be, and what is left to say about it.
pub(super) fn text(linter: &Linter, args: &ValidateArgs, file: &File) -> (String, FileReport) {
    let path = file.entries.first().map(|entry| entry.path.clone()).unwrap_or_default();
    let text = lint::mend(&file.source, file.document.format, |text| {
        fixes(args, &linter.again(&path, text)).cloned().collect()
    });
    let report = linter.again(&path, &text);
    (text, report)
}

fn fixes<'a>(args: &ValidateArgs, report: &'a FileReport) -> impl Iterator<Item = &'a Fix> {
    let most = if args.unsafe_fixes { Safety::Unsafe } else { Safety::Safe };
    report
        .findings
        .iter()
        .filter_map(|finding| finding.fix.as_ref())
        .filter(move |fix| fix.safety <= most)
}

/// A unified diff.
pub(super) fn diff(path: &str, old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let (from, to) = (format!("a/{path}"), format!("b/{path}"));
    diff.unified_diff().context_radius(3).header(&from, &to).to_string()
}
