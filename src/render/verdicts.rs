//! What an agent may use in agentctl, and why.

use std::fmt::Write as _;

use super::Paint;
use crate::authority::Verdict;

/// The tools by what became of them: those granted first, one line for each reason.
pub(super) fn verdicts_text(verdicts: &[Verdict], paint: Paint) -> String {
    let mut groups: Vec<(bool, &str, Vec<&str>)> = Vec::new();
    for Verdict { tool, granted, reason, .. } in verdicts {
        let same = |group: &&mut (bool, &str, Vec<&str>)| group.0 == *granted && group.1 == reason;
        match groups.iter_mut().find(same) {
            Some(group) => group.2.push(tool),
            None => groups.push((*granted, reason, vec![tool])),
        }
    }
    groups.sort_by_key(|(granted, ..)| !granted);
    let mut out = String::new();
    writeln!(out, "\n{}", paint.bold("Tools that agentctl grants to it as a sub-agent")).ok();
    for (granted, reason, tools) in groups {
        let word = if granted { "yes" } else { "no " };
        writeln!(out, "  {word}  {}", listed(&tools)).ok();
        writeln!(out, "       {}", paint.dim(reason)).ok();
    }
    out
}

/// The first tools, and how many more there are.
fn listed(tools: &[&str]) -> String {
    const SHOWN: usize = 6;
    match tools.len().saturating_sub(SHOWN) {
        0 | 1 => tools.join(", "),
        more => format!("{} and {more} more", tools[..SHOWN].join(", ")),
    }
}
