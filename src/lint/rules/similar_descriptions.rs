//! `similar-descriptions`.

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
};

use crate::{
    catalog::Entry,
    lint::{
        CatalogCx, Check, Finding, Level,
        finding::{FNV_START, fnv},
        rule::declare_rule,
        scope::scope,
    },
};

declare_rule! {
    /// ## What it does
    /// Reports agents of one host whose descriptions have the same words. As a note, it reports
    /// those whose descriptions differ in a word or two that their names do not explain. Agents
    /// of different plugins need not meet and are not compared.
    ///
    /// ## Why is this bad?
    /// The main agent chooses by the description alone. Where two say the same, it guesses.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects before it is merged.
    /// tools: Read, Grep
    /// ---
    /// You review changes in Rust.
    /// ```
    /// ```markdown title=".claude/agents/checker.md"
    /// ---
    /// name: checker
    /// description: Reviews a change, and lists its defects before it is merged.
    /// tools: Read, Grep
    /// ---
    /// You review changes in Python.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change to Rust code and lists its defects before it is merged.
    /// tools: Read, Grep
    /// ---
    /// You review changes in Rust.
    /// ```
    /// ```markdown title=".claude/agents/checker.md"
    /// ---
    /// name: checker
    /// description: Looks for type errors and untested branches in Python modules.
    /// tools: Read, Grep
    /// ---
    /// You review changes in Python.
    /// ```
    pub(super) static SIMILAR_DESCRIPTIONS = {
        name: "similar-descriptions",
        summary: "has a description that cannot be told from another agent's",
        level: Level::Warning,
        check: Check::Catalog(check),
    }
}

/// Shorter descriptions say too little to be compared.
const MIN_WORDS: usize = 5;
/// The part of their words that nearly equal descriptions share.
const NEARLY: f64 = 0.85;
/// Pieces of a fingerprint. Descriptions are compared if one piece is the same.
const BANDS: u32 = 6;
/// How many descriptions with the same piece one is compared with: more would grow with the
/// square.
const MOST_COMPARED: usize = 8;

/// What agents meet in: a host, a place and a plugin.
type Meeting<'a> = (&'a str, PathBuf, Option<&'a str>);

/// A description, ready to be compared.
struct Text<'a> {
    entry: &'a Entry,
    /// Where it meets others.
    meeting: Meeting<'a>,
    /// All its words.
    whole: u64,
}

fn check(cx: &CatalogCx<'_>, findings: &mut Vec<Finding>) {
    let texts: Vec<Text<'_>> = cx.catalog.entries.iter().filter_map(text).collect();
    let equal = equal_groups(&texts);
    for group in &equal {
        let names: HashSet<&str> = group.iter().map(|at| texts[*at].entry.name()).collect();
        // Copies of one agent are the business of other rules.
        if names.len() > 1 {
            report(findings, &texts, group, Level::Warning);
        }
    }
    // Of equal ones only the first is compared with others.
    let firsts: Vec<usize> = equal.iter().map(|group| group[0]).collect();
    for pair in near_pairs(&texts, &firsts) {
        report(findings, &texts, &pair, Level::Info);
    }
}

fn text(entry: &Entry) -> Option<Text<'_>> {
    let description = entry.definition.description.as_ref().filter(|_| entry.loads())?;
    entry.description_place?;
    let (count, whole) = words(&description.value)
        .fold((0, FNV_START), |(count, whole), word| (count + 1, fnv(whole, &word.to_le_bytes())));
    let meeting = (entry.dialect.id, scope(entry), entry.plugin.as_deref());
    (count >= MIN_WORDS).then_some(Text { entry, meeting, whole })
}

/// The words of a text, each as a number.
fn words(text: &str) -> impl Iterator<Item = u64> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(|word| {
        if word.is_ascii() {
            return word
                .bytes()
                .fold(FNV_START, |hash, byte| fnv(hash, &[byte.to_ascii_lowercase()]));
        }
        fnv(FNV_START, word.to_lowercase().as_bytes())
    })
}

/// What makes a description comparable with others that are not equal.
struct Bag {
    words: HashSet<u64>,
    fingerprint: u64,
}

impl Bag {
    fn of(text: &Text<'_>) -> Self {
        let description = text.entry.definition.description.as_ref();
        let words = description.into_iter().flat_map(|text| words(&text.value)).collect();
        Self { fingerprint: fingerprint(&words), words }
    }
}

/// Each bit is what most words have there.
fn fingerprint(words: &HashSet<u64>) -> u64 {
    let mut votes = [0_i32; 64];
    for word in words {
        for (bit, vote) in votes.iter_mut().enumerate() {
            *vote += if word >> bit & 1 == 1 { 1 } else { -1 };
        }
    }
    votes.iter().enumerate().filter(|(_, vote)| **vote > 0).map(|(bit, _)| 1 << bit).sum()
}

/// Descriptions with the same words in the same order, in the order of the catalog.
fn equal_groups(texts: &[Text<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut group_of: HashMap<(&Meeting<'_>, u64), usize> = HashMap::new();
    for (at, text) in texts.iter().enumerate() {
        let key = (&text.meeting, text.whole);
        let group = *group_of.entry(key).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// For each description the earlier one that is nearly equal, if there is one.
fn near_pairs(texts: &[Text<'_>], candidates: &[usize]) -> Vec<[usize; 2]> {
    let bags: Vec<Bag> = candidates.iter().map(|at| Bag::of(&texts[*at])).collect();
    let mut buckets: HashMap<(&str, u32, u64), Vec<usize>> = HashMap::new();
    let mut pairs = Vec::new();
    for (this, &at) in candidates.iter().enumerate() {
        let is_near = |other: &usize| {
            let (one, two) = (&texts[at], &texts[candidates[*other]]);
            is_near((one, &bags[this]), (two, &bags[*other]))
        };
        let mut near = None;
        for band in 0..BANDS {
            let width = 64 / BANDS;
            let piece = bags[this].fingerprint >> (band * width) & ((1 << width) - 1);
            let bucket = buckets.entry((texts[at].entry.dialect.id, band, piece)).or_default();
            let mut latest = bucket.iter().rev().take(MOST_COMPARED);
            near = near.or_else(|| latest.find(|other| is_near(other)).copied());
            bucket.push(this);
        }
        pairs.extend(near.map(|other| [candidates[other], at]));
    }
    pairs
}

fn is_near((one, one_bag): (&Text<'_>, &Bag), (two, two_bag): (&Text<'_>, &Bag)) -> bool {
    let shared = one_bag.words.intersection(&two_bag.words).count();
    let all = one_bag.words.len() + two_bag.words.len() - shared;
    // Whether a name has a word that only its own description has: `go-expert`, `rust-expert`.
    let told_apart = |name: &str, own: &Bag, other: &Bag| {
        words(name).any(|word| own.words.contains(&word) && !other.words.contains(&word))
    };
    shared as f64 >= NEARLY * all as f64
        && one.meeting == two.meeting
        && one.entry.name() != two.entry.name()
        && !told_apart(one.entry.name(), one_bag, two_bag)
        && !told_apart(two.entry.name(), two_bag, one_bag)
}

/// One finding for a group, at its last member.
fn report(findings: &mut Vec<Finding>, texts: &[Text<'_>], group: &[usize], level: Level) {
    let [others @ .., last] = group else { return };
    let entry = texts[*last].entry;
    let Some(place) = entry.description_place else { return };
    let mut names: Vec<String> = Vec::new();
    for other in others {
        let name = format!("`{}`", texts[*other].entry.full_name());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let same = others.iter().all(|other| texts[*other].whole == texts[*last].whole);
    let how = if same { "the same as" } else { "almost the same as" };
    let message = format!("the description is {how} that of {}", listed(&names));
    let mut finding = Finding::of_entry(entry, &SIMILAR_DESCRIPTIONS, place, message);
    finding.level(level).help("say what sets this agent apart, so that one can be chosen");
    findings.push(finding);
}

/// The first few names, and how many more there are.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 3;
    match names.len().saturating_sub(SHOWN) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..SHOWN].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use crate::lint::tests::lint;

    fn findings(descriptions: &[&str]) -> Vec<String> {
        let file = |(at, text): (usize, &&str)| {
            let body = format!("---\nname: agent-{at}\ndescription: {text}\n---\nbody\n");
            (format!(".claude/agents/{at}.md"), body)
        };
        let files: Vec<_> = descriptions.iter().enumerate().map(file).collect();
        let all = lint(&files);
        let mine = all.iter().filter(|finding| finding.rule.name == "similar-descriptions");
        mine.map(|finding| format!("{} {}", finding.level.name(), finding.message)).collect()
    }

    #[test]
    fn a_group_is_told_of_once() {
        let same = "Use for reviewing code before it is merged";
        assert_eq!(
            findings(&[same, same, same]),
            ["warning the description is the same as that of `agent-0`, `agent-1`"]
        );
    }

    #[test]
    fn a_word_more_or_less_is_a_note() {
        let one = "Expert in writing fast and safe Rust code for servers, command line tools and libraries with tests";
        let two = format!("{one} always");
        assert_eq!(
            findings(&[one, &two]),
            ["info the description is almost the same as that of `agent-0`"]
        );
    }

    #[test]
    fn short_ones_and_other_subjects_are_left_alone() {
        assert!(findings(&["Code reviewer", "Code reviewer"]).is_empty());
        let about = |what: &str| format!("Expert in {what} that designs builds and tests systems");
        let body = |name: &str| {
            let long = format!(
                "Helps to build command line tools in {name} with tests and docs for users and for admins"
            );
            (
                format!(".claude/agents/{name}.md"),
                format!("---\nname: {name}-expert\ndescription: {long}\n---\nbody\n"),
            )
        };
        let found = lint(&[body("go"), body("rust")]);
        assert!(!found.iter().any(|finding| finding.rule.name == "similar-descriptions"));
        assert!(findings(&[&about("Rust"), &about("Java"), &about("SQL")]).is_empty());
    }
}
