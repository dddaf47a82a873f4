//! The report: what was found, as Markdown. It quotes what tools have shown and concludes nothing.

use std::fmt::Write as _;

use super::{
    evidence::Evidence,
    question::Question,
    rank::{Ranked, Spot},
    search::count_pattern,
};

/// Files that are quoted from.
pub(super) const MAX_FILES: usize = 6;
/// Places that are quoted.
const MAX_PLACES: usize = 8;
/// Places that are quoted of one file.
const MAX_IN_FILE: usize = 2;
/// Lines in a quotation before and after the place itself.
const BEFORE: usize = 3;
const AFTER: usize = 5;
/// Places nearer than this are one.
const APART: usize = 12;
/// Files that are named without being quoted.
const MAX_MENTIONS: usize = 8;
/// Longer lines are cut.
const MAX_WIDTH: usize = 200;
/// Entries that are listed of a folder.
const MAX_ENTRIES: usize = 60;
/// A file that fits this much worse than the best is only mentioned.
const WORTH_QUOTING: f64 = 0.2;

const NO_MODEL: &str = "Found by a keyword search, not by a language model: places are ranked by \
                        words, and nothing is concluded from them.";

/// The places to quote, the most important first.
pub(super) fn places<'a>(ranked: &[Ranked<'a>]) -> Vec<(&'a str, Spot<'a>)> {
    let best = ranked.first().map_or(0.0, |file| file.score);
    let mut places = Vec::new();
    for (at, file) in ranked.iter().take(MAX_FILES).enumerate() {
        if file.score < WORTH_QUOTING * best {
            break;
        }
        let most = if at < 2 { MAX_IN_FILE } else { 1 };
        let mut taken: Vec<usize> = Vec::new();
        let top = file.spots.first().map_or(0.0, |spot| spot.score);
        for spot in file.spots.iter().take_while(|spot| spot.score >= 0.4 * top) {
            if taken.len() < most && taken.iter().all(|line| line.abs_diff(spot.line) >= APART) {
                taken.push(spot.line);
                places.push((file.path, *spot));
            }
        }
    }
    places.truncate(MAX_PLACES);
    places
}

/// The report about what was found.
pub(super) fn findings(
    question: &Question,
    evidence: &Evidence<'_>,
    ranked: &[Ranked<'_>],
) -> String {
    let places = places(ranked);
    let mut report = format!("{NO_MODEL}\n\n");
    match (places.first(), ranked.first()) {
        (Some((path, spot)), _) => _ = writeln!(report, "Best match: `{path}:{}`", spot.line),
        (None, Some(file)) => _ = writeln!(report, "Best match, by its name: `{}`", file.path),
        (None, None) => report.push_str("Nothing was found.\n"),
    }
    let mut last = "";
    for (path, spot) in &places {
        if *path != last {
            _ = writeln!(report, "\n## `{path}`");
            last = path;
        }
        quote(&mut report, evidence, path, spot);
    }
    mentions(&mut report, evidence, question, ranked, &places);
    looked_for(&mut report, question, evidence);
    report
}

/// The report where there is nothing to look for.
pub(super) fn overview(evidence: &Evidence<'_>) -> String {
    let mut report = format!(
        "{NO_MODEL}\n\nThe task has no words that could be looked for. Ask for something by name: \
         `where is the retry limit decided?`, `who calls parse_header?`, `which test covers \
         time-outs?`\n"
    );
    if !evidence.listing.is_empty() {
        report.push_str("\nThe working directory holds:\n\n");
    }
    let mut entries = evidence.listing.clone();
    entries.sort_unstable();
    for entry in entries.iter().take(MAX_ENTRIES) {
        _ = writeln!(report, "- `{}`", entry.trim());
    }
    if let Some(more) = entries.len().checked_sub(MAX_ENTRIES).filter(|more| *more > 0) {
        _ = writeln!(report, "- and {more} more");
    }
    report
}

/// A place with the lines around it that were seen.
fn quote(report: &mut String, evidence: &Evidence<'_>, path: &str, spot: &Spot<'_>) {
    let defines = spot.defines.map(|name| format!(", defines `{name}`")).unwrap_or_default();
    let seen = |number: usize| evidence.line(path, number).map(|text| (number, text));
    let mut before: Vec<(usize, &str)> = (spot.line.saturating_sub(BEFORE)..spot.line)
        .rev()
        .map_while(seen)
        .take_while(|(_, text)| !text.trim().is_empty())
        .collect();
    before.reverse();
    let after = (spot.line..=spot.line + AFTER)
        .map_while(seen)
        .take_while(|(number, text)| *number == spot.line || !text.trim().is_empty());
    let lines: Vec<(usize, &str)> = before.into_iter().chain(after).collect();
    let fence =
        "`".repeat(lines.iter().map(|(_, text)| longest_fence(text)).fold(2, usize::max) + 1);
    _ = writeln!(report, "\n`{path}:{}`{defines}\n\n{fence}text", spot.line);
    for (number, text) in lines {
        _ = writeln!(report, "{number:>6}\t{}", clipped(text));
    }
    _ = writeln!(report, "{fence}");
}

/// The most backticks in a row.
fn longest_fence(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

fn clipped(text: &str) -> String {
    let text = text.trim_end();
    match text.char_indices().nth(MAX_WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Files that have what was sought and are not quoted.
fn mentions(
    report: &mut String,
    evidence: &Evidence<'_>,
    question: &Question,
    ranked: &[Ranked<'_>],
    places: &[(&str, Spot<'_>)],
) {
    let lines_of = |path: &str| -> usize {
        let strong = question.terms.iter().filter(|term| term.weight >= 1.0);
        let counts = strong.filter_map(|term| evidence.counts.get(&count_pattern(term)));
        counts.filter_map(|count| count.files.get(path)).copied().max().unwrap_or_default()
    };
    let quoted = |path: &str| places.iter().any(|(known, _)| *known == path);
    let others: Vec<(&str, usize)> = ranked
        .iter()
        .filter(|file| !quoted(file.path))
        .map(|file| (file.path, lines_of(file.path)))
        .filter(|(_, lines)| *lines > 0)
        .collect();
    if others.is_empty() {
        return;
    }
    let named = others.iter().take(MAX_MENTIONS).map(|(path, lines)| format!("`{path}` ({lines})"));
    let named = named.collect::<Vec<_>>().join(", ");
    _ = write!(report, "\nAlso mentioned in (lines): {named}");
    if let Some(more) = others.len().checked_sub(MAX_MENTIONS).filter(|more| *more > 0) {
        _ = write!(report, " and {more} more files");
    }
    report.push_str(".\n");
}

/// What was looked for, and what of it is nowhere.
fn looked_for(report: &mut String, question: &Question, evidence: &Evidence<'_>) {
    let (mut present, mut absent) = (Vec::new(), Vec::new());
    for term in &question.terms {
        match evidence.counts.get(&count_pattern(term)) {
            Some(count) if count.files.is_empty() => absent.push(format!("`{}`", term.text)),
            Some(count) => {
                let least = if count.capped { "at least " } else { "" };
                present.push(format!("`{}` ({least}{} files)", term.text, count.files.len()));
            }
            None => present.push(format!("`{}` (not counted)", term.text)),
        }
    }
    let phrases = question.phrases.iter().map(|phrase| format!("\"{}\"", phrase.text));
    let paths = question.paths.iter().map(|path| format!("`{path}`"));
    present.extend(phrases.chain(paths));
    if !present.is_empty() {
        _ = writeln!(report, "\nLooked for: {}.", present.join(", "));
    }
    if !absent.is_empty() {
        _ = writeln!(report, "\nFound nowhere: {}.", absent.join(", "));
    }
    if evidence.failed > 0 {
        _ = writeln!(report, "\nTool calls that failed: {}.", evidence.failed);
    }
}
