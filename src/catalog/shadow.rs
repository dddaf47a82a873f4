//! Who hides whom.

use std::collections::HashMap;

use super::{Entry, Located};
use crate::dialect::{Confidence, Duplicates, Fault, FaultKind, Outcome};

/// Marks entries of the same name: the first one is what a look-up finds and hides the others.
/// Where a host itself takes only one of several, those it does not take get a fault.
pub(super) fn mark(entries: &mut [Entry]) {
    let mut first_of: HashMap<String, usize> = HashMap::new();
    let mut first_in_host: HashMap<(&'static str, String), usize> = HashMap::new();
    for at in 0..entries.len() {
        let name = entries[at].full_name();
        let key = (entries[at].dialect.id, name.clone());
        let winner = *first_of.entry(name).or_insert(at);
        // One file read as two hosts is not two definitions.
        let same_file = entries[winner].path == entries[at].path
            && entries[winner].dialect != entries[at].dialect;
        if winner != at && !same_file {
            entries[at].shadowed_by = Some(winner);
            entries[winner].shadows.push(at);
        }
        let in_host = *first_in_host.entry(key).or_insert(at);
        if in_host != at
            && let Some(fault) = duplicate(&entries[in_host], &entries[at])
        {
            entries[at].faults.push(fault);
        }
    }
}

fn duplicate(winner: &Entry, loser: &Entry) -> Option<Located<Fault>> {
    let host = loser.dialect;
    let outcome = match host.duplicates {
        Duplicates::FirstWins => Outcome::Skipped,
        Duplicates::LastWins | Duplicates::Merge | Duplicates::Unknown => return None,
        // Names of one file must differ; files do not know of each other.
        Duplicates::Refused if winner.path == loser.path => Outcome::HostFails,
        Duplicates::Refused => return None,
    };
    // Which of two files in the same folder a host takes is seldom written down.
    let confidence =
        if winner.origin == loser.origin { Confidence::Unverified } else { Confidence::Documented };
    let kind = FaultKind::Duplicate {
        name: loser.name().to_owned(),
        path: winner.path.display().to_string(),
        host: host.host,
    };
    let span = loser.definition.name.origin.span().unwrap_or_default();
    let fault = Fault { kind, span, outcome, confidence };
    let (start, end) = loser.name_place;
    Some(Located { what: fault, start, end })
}
