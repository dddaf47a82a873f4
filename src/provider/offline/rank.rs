//! Which files and lines answer a question best, by words alone.
//!
//! Deterministic: the same evidence gives the same order. A file's score is the sum over the
//! words sought of how rare each is, times how much the file has of it, and what definitions,
//! names and words side by side add; times what the kind of file counts.

use std::{cmp::Reverse, collections::BTreeSet};

use super::{
    evidence::Evidence,
    line::{Line, line},
    place::{factor, kind, title},
    question::{Files, Question, Term, Wants},
    search::{TEST_MARKER, count_pattern, synonym_pattern},
    words::{Word, split},
};

/// What a word tells that every file has.
const COMMON: f64 = 0.2;
/// What a longer word that begins with the stem counts.
const PREFIX: f64 = 0.6;
/// What a synonym counts.
const SYNONYM: f64 = 0.4;
/// How many occurrences fill half of the measure.
const HALF: f64 = 8.0;
/// What the name of a defined thing adds.
const DEFINED: f64 = 1.5;
/// What the name of a file adds.
const NAMED: f64 = 2.5;
/// What a word of the folders counts in the name of a file.
const ABOVE: f64 = 0.5;
/// What the folders above a file add.
const FOLDERS: f64 = 0.4;
/// What the comment adds that a file opens with.
const TITLED: f64 = 1.0;
/// What is left of the lesser of the two: mostly they say the same.
const ECHO: f64 = 0.2;
/// What a line adds that has several of the words.
const TOGETHER: f64 = 1.5;
/// What a file adds that was asked for by its path.
const ASKED_FOR: f64 = 20.0;
/// What a line inside of a file's tests counts.
const IN_TESTS: f64 = 0.2;
/// The comment that a file opens with says what the file is about.
const OPENING_LINES: usize = 12;
/// More of one word does not make one line better than another.
const MOST_IN_LINE: f64 = 1.5;

/// A file and why it is where it is.
#[derive(Clone, Debug)]
pub(super) struct Ranked<'a> {
    /// Its path.
    pub path: &'a str,
    /// How well it fits.
    pub score: f64,
    /// Its lines, the best first.
    pub spots: Vec<Spot<'a>>,
}

/// A line that fits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot<'a> {
    /// Its number.
    pub line: usize,
    /// How well it fits.
    pub score: f64,
    /// The name it defines, if that is what is sought.
    pub defines: Option<&'a str>,
}

/// The files, the best first. Those that were looked at closely come before the others.
pub(super) fn rank<'a>(question: &Question, evidence: &Evidence<'a>) -> Vec<Ranked<'a>> {
    let sought = Sought::of(question, evidence);
    let files = evidence.files().into_iter();
    let mut ranked: Vec<(bool, Ranked<'a>)> = files
        .map(|path| (!evidence.examined.contains(path), sought.file(path, evidence)))
        .filter(|(_, file)| file.score > 0.0)
        .collect();
    ranked.sort_by(|(far, a), (also_far, b)| {
        far.cmp(also_far).then(b.score.total_cmp(&a.score)).then(a.path.cmp(b.path))
    });
    ranked.into_iter().map(|(_, file)| file).collect()
}

/// What is sought, with how much each part of it tells in these files.
struct Sought<'q> {
    question: &'q Question,
    /// Weight times rarity, for each term.
    terms: Vec<f64>,
    /// Weight times rarity, for each phrase.
    phrases: Vec<f64>,
}

/// What a file has of what is sought.
struct Tally<'a> {
    terms: Vec<f64>,
    phrases: Vec<f64>,
    defined: Vec<f64>,
    /// How well the comment it opens with fits each term.
    opening: Vec<f64>,
    together: f64,
    spots: Vec<Spot<'a>>,
}

/// The words of a text that were sought: how well each fits each term.
struct Hits {
    words: Vec<Word>,
    /// The term and how well it fits, for each word.
    terms: Vec<Option<(usize, f64)>>,
    /// The phrase and its first word.
    phrases: Vec<(usize, usize)>,
}

/// A line that was found.
struct Seen<'a> {
    number: usize,
    text: &'a str,
    what: Line,
    /// Whether it belongs to the comment that the file opens with.
    opens: bool,
}

impl<'a> Seen<'a> {
    fn of(path: &str, number: usize, text: &'a str) -> Self {
        let what = line(path, text);
        let opens = number <= OPENING_LINES && matches!(what, Line::Doc | Line::Comment);
        Self { number, text, what, opens }
    }

    fn defined(&self) -> Option<&'a str> {
        match self.what {
            Line::Definition { start, end } => Some(&self.text[start..end]),
            _ => None,
        }
    }
}

impl<'q> Sought<'q> {
    fn of(question: &'q Question, evidence: &Evidence<'_>) -> Self {
        let all = evidence.files().len() as f64;
        let rarity = |files: f64| COMMON + (1.0 + (all - files + 0.5) / (files + 0.5)).ln();
        let term = |term: &Term| {
            let count = evidence.counts.get(&count_pattern(term));
            let files = count
                .map_or(all, |count| if count.capped { all } else { count.files.len() as f64 });
            term.weight * rarity(files)
        };
        let mut sought = Self {
            question,
            terms: question.terms.iter().map(term).collect(),
            phrases: Vec::new(),
        };
        sought.cap_weak();
        let phrases = question.phrases.iter().zip(sought.files_with_phrases(evidence));
        sought.phrases = phrases.map(|(phrase, files)| phrase.weight * rarity(files)).collect();
        sought
    }

    /// How many files have each phrase.
    fn files_with_phrases(&self, evidence: &Evidence<'_>) -> Vec<f64> {
        let mut files = vec![0.0; self.question.phrases.len()];
        for lines in evidence.found.values() {
            let hits = lines.values().flat_map(|text| self.hits(text).phrases);
            let phrases: BTreeSet<usize> = hits.map(|(phrase, _)| phrase).collect();
            phrases.into_iter().for_each(|phrase| files[phrase] += 1.0);
        }
        files
    }

    /// A word that says little never outweighs one that does, however rare it is.
    fn cap_weak(&mut self) {
        let weights = self.question.terms.iter().map(|term| term.weight);
        let strong = weights.clone().zip(&self.terms).filter(|(weight, _)| *weight >= 1.0);
        let Some(most) = strong.map(|(_, worth)| *worth).max_by(f64::total_cmp) else { return };
        for (weight, worth) in weights.zip(&mut self.terms).filter(|(weight, _)| *weight < 1.0) {
            *worth = worth.min(weight * most);
        }
    }

    fn file<'a>(&self, path: &'a str, evidence: &Evidence<'a>) -> Ranked<'a> {
        let mut tally = self.tally(path, evidence);
        if !evidence.examined.contains(path) {
            self.estimate(path, evidence, &mut tally);
        }
        let (named, folders) = self.names(path, &mut tally);
        let filled = |amounts: &[f64], worth: &[f64]| -> f64 {
            amounts.iter().zip(worth).map(|(amount, worth)| worth * amount / (amount + HALF)).sum()
        };
        let (named, titled) = (NAMED * named, TITLED * self.share(self.worth(&tally.opening)));

        // In lines that have all of it.
        let all: f64 = self.terms.iter().sum();
        let full = |amount: f64, all: f64| all * amount / (amount + HALF * all);
        let sum = filled(&tally.terms, &self.terms)
            + filled(&tally.phrases, &self.phrases)
            + DEFINED * best_of(&mut tally.defined)
            + named.max(titled)
            + ECHO * named.min(titled)
            + TOGETHER * full(tally.together, all)
            + FOLDERS * folders
            + if self.is_asked_for(path) { ASKED_FOR } else { 0.0 };
        let score = sum * self.coverage(&tally) * factor(kind(path), self.question.files);
        tally.spots.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.line.cmp(&b.line)));
        Ranked { path, score, spots: tally.spots }
    }

    fn is_asked_for(&self, path: &str) -> bool {
        self.question.paths.iter().any(|wanted| {
            let wanted = wanted.trim_matches('/').trim_start_matches("./");
            path.strip_suffix(wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
    }

    /// What the lines of a file that were found have.
    fn tally<'a>(&self, path: &str, evidence: &Evidence<'a>) -> Tally<'a> {
        let mut tally = Tally {
            terms: vec![0.0; self.terms.len()],
            phrases: vec![0.0; self.phrases.len()],
            defined: Vec::new(),
            opening: vec![0.0; self.terms.len()],
            together: 0.0,
            spots: Vec::new(),
        };
        let mut in_tests = false;
        for (number, text) in evidence.found.get(path).into_iter().flatten() {
            in_tests |= text.starts_with(TEST_MARKER);
            let counts =
                if in_tests && self.question.files == Files::Source { IN_TESTS } else { 1.0 };
            self.line(&Seen::of(path, *number, text), counts, &mut tally);
        }
        tally
    }

    fn line<'a>(&self, seen: &Seen<'a>, counts: f64, tally: &mut Tally<'a>) {
        let hits = self.hits(seen.text);
        if hits.is_empty() {
            return;
        }
        let mut best = vec![(0.0_f64, 0.0_f64); self.terms.len()];
        for (word, hit) in hits.words.iter().zip(&hits.terms) {
            let Some((term, fit)) = *hit else { continue };
            let amount = counts * fit * self.amount(seen, word);
            let (most, fits) = best[term];
            best[term] = (most.max(amount), fits.max(fit.min(amount)));
        }
        let mut score = 0.0;
        for (term, (amount, _)) in best.iter().enumerate() {
            tally.terms[term] += amount;
            score += amount.min(MOST_IN_LINE) * self.terms[term];
        }
        for (phrase, at) in &hits.phrases {
            let words = &hits.words[*at..at + self.question.phrases[*phrase].stems.len()];
            let amounts = words.iter().map(|word| self.amount(seen, word));
            let amount = counts * amounts.fold(f64::INFINITY, f64::min);
            tally.phrases[*phrase] += amount;
            score += amount.min(MOST_IN_LINE) * self.phrases[*phrase];
        }
        if seen.opens {
            let pairs = tally.opening.iter_mut().zip(&best);
            pairs.for_each(|(fit, (_, better))| *fit = fit.max(*better));
        }
        let together = self.together(&best);
        tally.together += together;
        let named = counts * self.named(seen);
        tally.defined.extend(Some(named).filter(|named| *named > 0.0));
        let defines = seen.defined().filter(|_| named > 0.0);
        let score = score + together + 2.0 * DEFINED * named;
        tally.spots.push(Spot { line: seen.number, score, defines });
    }

    /// What the name that a line gives to something has of what is sought.
    fn named(&self, seen: &Seen<'_>) -> f64 {
        match (seen.defined(), seen.what) {
            _ if self.question.wants == Wants::Uses => 0.0,
            (Some(name), _) => self.covered(name),
            (None, Line::Heading) if self.question.files == Files::Docs => self.covered(seen.text),
            (None, _) => 0.0,
        }
    }

    /// What one occurrence counts.
    fn amount(&self, seen: &Seen<'_>, word: &Word) -> f64 {
        let text = seen.text;
        let before = text[..word.start].chars().next_back();
        let rest = text[word.end..].trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        let is_method_call = before == Some('.') && rest.starts_with('(');
        let is_quoted = text[..word.start].matches('"').count() % 2 == 1;
        if self.question.wants == Wants::Uses {
            return match seen.what {
                Line::Definition { .. } | Line::Import => 0.5,
                Line::Doc | Line::Comment => 0.4,
                Line::Code | Line::Heading => 1.0,
            };
        }
        match seen.what {
            _ if seen.opens => 3.0,
            Line::Definition { start, end } if (start..end).contains(&word.start) => 2.0,
            Line::Heading => 1.5,
            Line::Doc => 1.0,
            Line::Comment => 0.5,
            Line::Import => 0.2,
            Line::Code | Line::Definition { .. } if is_method_call => 0.15,
            Line::Code | Line::Definition { .. } if is_quoted => 0.4,
            Line::Code | Line::Definition { .. } => 0.8,
        }
    }

    /// What several words in one line are worth, as far as the second best of them fits; one alone
    /// is worth nothing.
    fn together(&self, seen: &[(f64, f64)]) -> f64 {
        let mut fits: Vec<f64> = seen.iter().map(|(_, fit)| *fit).collect();
        fits.sort_by(|a, b| b.total_cmp(a));
        let second = fits.get(1).copied().unwrap_or_default();
        let all: f64 = seen.iter().zip(&self.terms).map(|((_, fit), worth)| fit * worth).sum();
        all * second
    }

    /// How much of what is sought a name has, less for what else it has.
    fn covered(&self, name: &str) -> f64 {
        self.covered_below("", name)
    }

    /// The same, where `above` has helped to say what the name is about.
    fn covered_below(&self, above: &str, name: &str) -> f64 {
        let hits = self.hits(name);
        if hits.is_empty() {
            return 0.0;
        }
        let mut best: Vec<f64> =
            self.fits(&self.hits(above)).iter().map(|fit| fit * ABOVE).collect();
        best.iter_mut().zip(self.fits(&hits)).for_each(|(fit, own)| *fit = fit.max(own));
        let words = self.worth(&best);
        let phrases =
            hits.phrases.iter().map(|(phrase, _)| self.phrases[*phrase]).fold(0.0, f64::max);
        let in_phrase = |at: usize| {
            let length = |phrase: usize| self.question.phrases[phrase].stems.len();
            hits.phrases.iter().any(|(phrase, from)| (*from..from + length(*phrase)).contains(&at))
        };
        let sought = hits.terms.iter().enumerate();
        let sought = sought.filter(|(at, term)| term.is_some() || in_phrase(*at)).count();
        let part = sought as f64 / hits.words.len() as f64;
        part * self.share(words + phrases)
    }

    /// How well the best word fits each term.
    fn fits(&self, hits: &Hits) -> Vec<f64> {
        let mut best = vec![0.0_f64; self.terms.len()];
        for (term, fit) in hits.terms.iter().flatten() {
            best[*term] = best[*term].max(*fit);
        }
        best
    }

    /// What terms are worth that fit so well.
    fn worth(&self, fits: &[f64]) -> f64 {
        fits.iter().zip(&self.terms).map(|(fit, worth)| fit * worth).sum()
    }

    /// `worth`, less if it is only a part of what is sought.
    fn share(&self, worth: f64) -> f64 {
        let all: f64 = self.terms.iter().sum();
        if worth > 0.0 { worth * (worth / all.max(worth)).sqrt() } else { 0.0 }
    }

    /// What the names of a file and of its folders have.
    fn names(&self, path: &str, tally: &mut Tally<'_>) -> (f64, f64) {
        if self.question.wants == Wants::Uses {
            return (0.0, 0.0);
        }
        let (name, folders) = title(path);
        for part in [name, folders] {
            for (term, fit) in self.hits(part).terms.into_iter().flatten() {
                tally.terms[term] += fit;
            }
        }
        let above = folders.split('/').map(|folder| self.covered(folder));
        (self.covered_below(folders, name), above.fold(0.0, f64::max))
    }

    /// Of a file that was only counted: what a look at it might bring.
    fn estimate(&self, path: &str, evidence: &Evidence<'_>, tally: &mut Tally<'_>) {
        let counted = |pattern: &str| {
            let files = evidence.counts.get(pattern).map(|count| &count.files);
            files.and_then(|files| files.get(path)).copied().unwrap_or_default() as f64
        };
        for (at, term) in self.question.terms.iter().enumerate() {
            let same = counted(&count_pattern(term));
            let like = synonym_pattern(term).map_or(0.0, |pattern| counted(&pattern));
            tally.terms[at] = tally.terms[at].max(0.5 * (same + SYNONYM * like));
        }
    }

    /// The part of what is sought that a file has, between a third and all.
    fn coverage(&self, tally: &Tally<'_>) -> f64 {
        let all: f64 = self.terms.iter().sum();
        if all <= 0.0 {
            return 1.0;
        }
        let has: f64 = tally
            .terms
            .iter()
            .zip(&self.terms)
            .map(|(amount, worth)| worth * amount.min(1.0))
            .sum();
        0.33 + 0.67 * has / all
    }

    fn hits(&self, text: &str) -> Hits {
        let words = split(text);
        let terms = words.iter().map(|word| self.term(word)).collect();
        let mut phrases = Vec::new();
        for (phrase, sought) in self.question.phrases.iter().enumerate() {
            let runs = words.windows(sought.stems.len()).enumerate();
            let fits = |run: &[Word]| {
                run.iter().zip(&sought.stems).all(|(word, stem)| fit(stem, word).is_some())
                    && run.windows(2).all(|pair| are_joined(text, pair))
            };
            phrases.extend(runs.filter(|(_, run)| fits(run)).map(|(at, _)| (phrase, at)));
        }
        Hits { words, terms, phrases }
    }

    /// The term that `word` fits best.
    fn term(&self, word: &Word) -> Option<(usize, f64)> {
        let terms = self.question.terms.iter().enumerate();
        let fits = terms.filter_map(|(at, term)| {
            let similar = || term.synonyms.contains(&word.stem).then_some(SYNONYM);
            fit(&term.stem, word).or_else(similar).map(|fit| (at, fit))
        });
        fits.max_by(|(at, a), (other, b)| a.total_cmp(b).then(Reverse(at).cmp(&Reverse(other))))
    }
}

impl Hits {
    fn is_empty(&self) -> bool {
        self.phrases.is_empty() && self.terms.iter().all(Option::is_none)
    }
}

/// The best, half of the second and a quarter of the third.
fn best_of(amounts: &mut [f64]) -> f64 {
    amounts.sort_by(|a, b| b.total_cmp(a));
    amounts.iter().zip([1.0, 0.5, 0.25]).map(|(amount, part)| amount * part).sum()
}

/// How well `word` fits `stem`.
fn fit(stem: &str, word: &Word) -> Option<f64> {
    if word.stem == stem {
        return Some(1.0);
    }
    let longer = stem.len() >= 4 && word.lower.starts_with(stem);
    (longer && word.lower.len() <= stem.len() + 5).then_some(PREFIX)
}

/// Whether two words follow each other so closely that they can be one name.
fn are_joined(text: &str, pair: &[Word]) -> bool {
    let between = &text[pair[0].end..pair[1].start];
    between.len() <= 1 || between == "::"
}
