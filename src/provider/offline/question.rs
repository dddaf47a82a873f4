//! What a prompt asks for: terms, phrases, names to be taken literally, and which files matter.

use std::collections::HashMap;

use super::{
    vocabulary::{has, is_stop, is_weak, synonyms},
    words::{Word, split},
};

/// More single words are not looked for.
const MAX_TERMS: usize = 5;
/// More phrases are not looked for.
const MAX_PHRASES: usize = 6;
/// More literal names are not looked for.
const MAX_NAMES: usize = 3;
/// What a word that says little counts.
const WEAK_WEIGHT: f64 = 0.25;
/// What a name counts that was written as one: it is what the question is about.
const NAME_WEIGHT: f64 = 2.0;
/// What a phrase counts beside its words.
const PHRASE_WEIGHT: f64 = 1.2;

/// A prompt, understood as far as words go.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// Single words, the most telling ones first.
    pub terms: Vec<Term>,
    /// Words that stand side by side, and names that consist of several.
    pub phrases: Vec<Phrase>,
    /// Ends of paths.
    pub paths: Vec<String>,
    /// Which lines matter.
    pub wants: Wants,
    /// Which files matter.
    pub files: Files,
}

/// A word to look for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    /// As the prompt has it.
    pub text: String,
    /// What its forms have in common.
    pub stem: String,
    /// What it counts.
    pub weight: f64,
    /// Stems of words with much the same meaning.
    pub synonyms: Vec<String>,
}

/// Words to look for side by side, however they are joined.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Phrase {
    /// As the prompt has it.
    pub text: String,
    /// The stems.
    pub stems: Vec<String>,
    /// What it counts.
    pub weight: f64,
}

/// Which lines matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wants {
    /// Those that define what is sought.
    Definitions,
    /// Those that use it.
    Uses,
}

/// Which files matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Files {
    /// The program.
    Source,
    /// Its tests.
    Tests,
    /// What is written about it.
    Docs,
}

/// A word of the prompt with its place among the others.
struct Spoken {
    word: Word,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stop,
    Weak,
    Strong,
}

impl Question {
    /// Reads `prompt`.
    pub(super) fn of(prompt: &str) -> Self {
        let files = wanted_files(prompt);
        let spoken = spoken(prompt, files);
        let names = names(prompt);
        let mut phrases: Vec<Phrase> = names.iter().filter_map(|name| named(name)).collect();
        phrases.truncate(MAX_NAMES);
        for phrase in adjacent(&spoken) {
            if phrases.len() < MAX_PHRASES
                && !phrases.iter().any(|known| known.stems == phrase.stems)
            {
                phrases.push(phrase);
            }
        }
        let paths = names.into_iter().filter(|name| is_path(name)).collect();
        let terms = terms(&spoken, &phrases);
        Self { terms, phrases, paths, wants: wanted_lines(prompt), files }
    }

    /// Whether there is nothing to look for.
    pub(super) fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.phrases.is_empty() && self.paths.is_empty()
    }
}

fn spoken(prompt: &str, files: Files) -> Vec<Spoken> {
    let aside = match files {
        Files::Source => "",
        Files::Tests => TEST_WORDS,
        Files::Docs => DOC_WORDS,
    };
    let kind = |word: &Word| {
        let is_letter = word.lower.chars().count() < 2;
        let is_number = word.lower.chars().all(char::is_numeric);
        if is_letter || is_number || is_stop(&word.lower) {
            Kind::Stop
        } else if has(aside, &word.lower) || is_weak(&word.stem) {
            Kind::Weak
        } else {
            Kind::Strong
        }
    };
    split(prompt).into_iter().map(|word| Spoken { kind: kind(&word), word }).collect()
}

const TEST_WORDS: &str = "test tests tested testing covered spec specs";
const DOC_WORDS: &str = "changelog doc docs documentation documented manual readme";

/// "Which test …" asks for tests; "the test runner" does not.
fn wanted_files(prompt: &str) -> Files {
    let lower = prompt.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let follows = |first: &str, second: &str| {
        words.windows(2).any(|pair| has(first, pair[0]) && has(second, pair[1]))
    };
    if words.iter().any(|word| has(DOC_WORDS, word)) {
        Files::Docs
    } else if words.iter().any(|word| has("tested covered", word))
        || follows("which what any find", "test tests")
        || follows("test tests", "for of that check checks cover covers")
    {
        Files::Tests
    } else {
        Files::Source
    }
}

fn wanted_lines(prompt: &str) -> Wants {
    const USES: &str = "callers calls called mentioned mentions references usages used uses";
    let lower = prompt.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    if words.any(|word| has(USES, word)) { Wants::Uses } else { Wants::Definitions }
}

/// What is written as a name: in backticks or quotes, or with something a plain word does not have.
fn names(prompt: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for quote in ['`', '"'] {
        let quoted = prompt.split(quote).skip(1).step_by(2);
        found.extend(quoted.map(|name| name.trim().to_owned()));
    }
    let bare = |c: char| "`\"',;:!?()[]{}<>".contains(c);
    for token in prompt.split_whitespace() {
        let token = token.trim_matches(bare).trim_end_matches('.');
        if is_name(token) {
            found.push(token.to_owned());
        }
    }
    let mut seen = Vec::new();
    found.retain(|name| {
        let is_new = !name.is_empty() && name.len() <= 80 && !seen.contains(name);
        seen.push(name.clone());
        is_new
    });
    found
}

fn is_name(token: &str) -> bool {
    let humps = token.chars().skip(1).any(char::is_uppercase)
        && token.chars().any(char::is_lowercase)
        && token.chars().all(char::is_alphanumeric);
    let flag = token.len() > 3 && token.starts_with("--");
    humps || flag || token.contains('_') || token.contains("::") || is_path(token)
}

fn is_path(token: &str) -> bool {
    let fits = token.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c));
    let ending = token.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=5).contains(&ending.len())
            && ending.chars().all(char::is_alphanumeric)
            && ending.chars().any(char::is_alphabetic)
    });
    fits && (ending || token.trim_matches('/').contains('/'))
}

/// A literal name as a phrase; a single plain word is one as well.
fn named(name: &str) -> Option<Phrase> {
    let stems: Vec<String> = split(name).into_iter().map(|word| word.stem).collect();
    let usable = (1..=5).contains(&stems.len()) && stems.iter().any(|stem| stem.len() > 1);
    (usable && !is_path(name)).then(|| Phrase { text: name.to_owned(), stems, weight: NAME_WEIGHT })
}

/// Two and three words that stand side by side in the prompt, the longer ones first.
fn adjacent(spoken: &[Spoken]) -> Vec<Phrase> {
    let mut phrases = Vec::new();
    for length in [3, 2] {
        for run in spoken.windows(length) {
            let strong = run.iter().filter(|spoken| spoken.kind == Kind::Strong).count();
            if strong == 0 || run.iter().any(|spoken| spoken.kind == Kind::Stop) {
                continue;
            }
            // With a word that says little a phrase is still more than its parts.
            let weight = PHRASE_WEIGHT * (strong as f64 + 1.0) / (length as f64 + 1.0);
            let words: Vec<&str> = run.iter().map(|spoken| spoken.word.lower.as_str()).collect();
            let stems = run.iter().map(|spoken| spoken.word.stem.clone()).collect();
            phrases.push(Phrase { text: words.join(" "), stems, weight });
        }
    }
    phrases
}

/// The words that say most: strong ones first, then the often repeated, then by place.
fn terms(spoken: &[Spoken], phrases: &[Phrase]) -> Vec<Term> {
    let mut said: HashMap<&str, usize> = HashMap::new();
    let mut terms: Vec<Term> = Vec::new();
    for Spoken { word, kind } in spoken.iter().filter(|spoken| spoken.kind != Kind::Stop) {
        let times = said.entry(&word.stem).or_default();
        *times += 1;
        if *times > 1 {
            continue;
        }
        let weight = if *kind == Kind::Weak { WEAK_WEIGHT } else { 1.0 };
        let synonyms = if *kind == Kind::Weak { Vec::new() } else { synonyms(&word.stem) };
        terms.push(Term { text: word.lower.clone(), stem: word.stem.clone(), weight, synonyms });
    }
    let of_a_name = |term: &Term| {
        phrases
            .iter()
            .any(|phrase| phrase.weight >= NAME_WEIGHT && phrase.stems.contains(&term.stem))
    };
    let key = |term: &Term| {
        let times = said.get(term.stem.as_str()).copied().unwrap_or_default();
        (term.weight < 1.0, !of_a_name(term), usize::MAX - times)
    };
    terms.sort_by_cached_key(key);
    terms.truncate(MAX_TERMS);
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(prompt: &str) -> (Vec<String>, Vec<String>) {
        let question = Question::of(prompt);
        let terms = question.terms.into_iter().map(|term| term.text).collect();
        (terms, question.phrases.into_iter().map(|phrase| phrase.text).collect())
    }

    #[test]
    fn question_words_go_and_the_rest_becomes_terms_and_phrases() {
        let (terms, phrases) = texts("Where is the grace period implemented?");
        assert_eq!(terms, ["grace", "period"]);
        assert_eq!(phrases, ["grace period"]);
        let (terms, phrases) = texts("where is the exit code table?");
        assert_eq!(terms, ["exit", "table", "code"]);
        assert_eq!(phrases, ["exit code table", "exit code", "code table"]);
    }

    #[test]
    fn names_are_kept_whole() {
        let (terms, phrases) = texts("who calls `blue_whale` and BlueWhale::new with --dry-run?");
        assert_eq!(phrases[..3], ["blue_whale", "BlueWhale::new", "--dry-run"]);
        assert!(terms.contains(&"whale".to_owned()));
        assert_eq!(Question::of("what is in src/text/mod.rs?").paths, ["src/text/mod.rs"]);
        let (_, phrases) = texts("find \"grace period\"");
        assert_eq!(phrases[0], "grace period");
    }

    #[test]
    fn nothing_to_look_for_is_noticed() {
        assert!(Question::of("Get Started!").is_empty());
        assert!(Question::of("").is_empty());
        assert!(Question::of("what is this?").is_empty());
        assert!(!Question::of("where are modules?").is_empty());
    }

    #[test]
    fn the_kind_of_file_and_line_is_heard() {
        assert_eq!(Question::of("which test covers retries?").files, Files::Tests);
        assert_eq!(Question::of("where is the test runner?").files, Files::Source);
        assert_eq!(Question::of("documentation of exit codes").files, Files::Docs);
        assert_eq!(Question::of("where is `parse` used?").wants, Wants::Uses);
        assert_eq!(Question::of("where is `parse` defined?").wants, Wants::Definitions);
    }

    #[test]
    fn a_long_prompt_yields_few_terms() {
        let question = Question::of(&"alpha beta gamma delta epsilon zeta eta theta ".repeat(50));
        assert!(question.terms.len() <= MAX_TERMS && question.phrases.len() <= MAX_PHRASES);
    }
}
