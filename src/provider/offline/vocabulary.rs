//! What is known about English and about programmers' words: tables, and nothing else.

use super::words::stem;

/// Words that ask, point or glue, and say nothing about what is sought.
const STOP: &str = "\
    a about across actually again all also am an and another any are as at be been being between \
    both but by call called calls can codebase could currently declare declared declares define \
    defined defines describe did do does doing done each either else ever every everything exactly \
    explain find for from get gets give had has have having he help here how i if implement \
    implementation implementations implemented implementing implements in inside into is it its \
    just know let like live lives locate located look looking many may me medium mentioned \
    mentions might more most much must my need no nor not of off on one only onto or other our out \
    over please project quick quickly really repo repository responsible s search shall should \
    show so some something started such t tell than that the their them then there these they \
    thing things this thorough thoroughly thoroughness those through to too under up us use used \
    uses using very via want was way ways we were what when where whether which who whom whose why \
    will with within without would you your";

/// Words that name any piece of code, or say only that code does something. They count beside
/// others, and alone only where there is nothing else.
const WEAK: &str = "\
    add apply ask behave behaviour calculate caller change check class code compute contain \
    control create decide definition detect determine exist file found function go handle happen \
    keep kept line list logic made main make mean mention method module name part perform place \
    possible put reference report return set source store take type usage value work write written";

/// Words that mean much the same to programmers, a group in a line.
const SYNONYMS: &[&str] = &[
    "allow deny filter forbid grant permit restrict",
    "mask redact sanitize scrub",
    "delete erase purge remove",
    "config configure option setting",
    "decode deserialize parse",
    "encode serialize",
    "launch spawn start",
    "abort cancel interrupt kill terminate",
    "deadline timeout",
    "backoff retry",
    "display format print render",
    "lint validate verify",
    "err error fail failure",
    "auth authenticate credential login",
    "authorize permission",
    "hide override shadow",
    "choose pick resolve select",
    "order rank sort",
    "crawl discover scan traverse walk",
    "bundle embed",
    "dispatch route",
    "dir directory folder",
    "env environment",
    "arg argument",
    "param parameter",
    "bound cap limit max maximum",
];

/// Whether `list` has `word`.
pub(super) fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// Whether the word says nothing about what is sought.
pub(super) fn is_stop(lower: &str) -> bool {
    has(STOP, lower)
}

/// Whether the word says little.
pub(super) fn is_weak(stemmed: &str) -> bool {
    WEAK.split(' ').any(|word| stem(word) == stemmed)
}

/// Stems of words that mean much the same.
pub(super) fn synonyms(stemmed: &str) -> Vec<String> {
    let stems = SYNONYMS.iter().map(|group| group.split(' ').map(stem).collect());
    let groups = stems.filter(|group: &Vec<String>| group.iter().any(|word| word == stemmed));
    groups.flatten().filter(|word| word != stemmed).collect()
}
