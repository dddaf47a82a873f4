//! Words: how text and identifiers are cut into them, and what is left of one without its ending.
//!
//! Light on purpose: a stem need not be a word, it only has to be the same for the forms of one.

/// A word of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// In lower case.
    pub lower: String,
    /// Without its ending.
    pub stem: String,
    /// Its first byte.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
}

/// The words of `text`: `blue_whale`, `BlueWhale` and `blue whale` have the same two.
pub(super) fn split(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = None;
    let mut chars = text.char_indices().peekable();
    let mut before: Option<char> = None;
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, next)| *next);
        if let Some(from) = start
            && (!c.is_alphanumeric() || is_hump(before, c, after))
        {
            words.push(word(text, from, at));
            start = None;
        }
        if c.is_alphanumeric() && start.is_none() {
            start = Some(at);
        }
        before = Some(c);
    }
    words.extend(start.map(|from| word(text, from, text.len())));
    words
}

/// Whether a new word starts at `c` although nothing separates it: `blueWhale`, `HTTPServer`.
fn is_hump(before: Option<char>, c: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    c.is_uppercase()
        && (!before.is_uppercase() && before.is_alphanumeric()
            || before.is_uppercase() && after.is_some_and(char::is_lowercase))
}

fn word(text: &str, start: usize, end: usize) -> Word {
    let lower = text[start..end].to_lowercase();
    Word { stem: stem(&lower), lower, start, end }
}

/// Endings that go together with what they leave; the first that fits is taken.
const ENDINGS: &[(&str, &str)] = &[
    ("ness", ""),
    ("izations", "iz"),
    ("ization", "iz"),
    ("entations", "ent"),
    ("entation", "ent"),
    ("ations", ""),
    ("ation", ""),
    ("ators", ""),
    ("ator", ""),
    ("ating", ""),
    ("ated", ""),
    ("ates", ""),
    ("ate", ""),
    ("ions", ""),
    ("ion", ""),
    ("ings", ""),
    ("ing", ""),
    ("ies", "y"),
    ("ied", "y"),
    ("ed", ""),
    ("sses", "ss"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("xes", "x"),
    ("es", "e"),
    ("s", ""),
];

/// Fewer letters are no stem.
const MIN_STEM: usize = 3;

/// `word`, which is in lower case, without the ending that grammar gave it.
pub(super) fn stem(word: &str) -> String {
    let fits = |(ending, left): &&(&str, &str)| {
        let Some(rest) = word.strip_suffix(ending) else { return false };
        let keeps = *ending == "s" && rest.ends_with(['s', 'u', 'i'])
            || matches!(*ending, "ed" | "ing") && is_clipped(rest);
        let long_enough = rest.chars().count() + left.len() >= MIN_STEM;
        long_enough && !keeps && rest.contains(['a', 'e', 'i', 'o', 'u', 'y'])
    };
    let bare = match ENDINGS.iter().find(fits) {
        Some((ending, left)) => format!("{}{left}", &word[..word.len() - ending.len()]),
        None => word.to_owned(),
    };
    without_tail(&bare)
}

/// Whether `rest` is too little to be a word: `emb` of `embed`, but not `typ` of `typed`.
fn is_clipped(rest: &str) -> bool {
    let mut last = rest.chars().rev();
    last.clone().count() <= MIN_STEM && !last.nth(1).is_some_and(|c| "aeiouy".contains(c))
}

/// Lets `cache` and `caching`, `policy` and `policies`, `run` and `running` meet.
fn without_tail(bare: &str) -> String {
    let count = bare.chars().count();
    if count > MIN_STEM
        && let Some(rest) = bare.strip_suffix(['e', 'y'])
    {
        return rest.to_owned();
    }
    let mut last = bare.chars().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b && count > MIN_STEM && !"aeioulsz".contains(a) => {
            bare[..bare.len() - a.len_utf8()].to_owned()
        }
        _ => bare.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lowers(text: &str) -> Vec<String> {
        split(text).into_iter().map(|word| word.lower).collect()
    }

    #[test]
    fn every_spelling_of_an_identifier_has_the_same_words() {
        for text in ["blue_whale", "BlueWhale", "blueWhale", "blue-whale", "BLUE_WHALE"] {
            assert_eq!(lowers(text), ["blue", "whale"], "{text}");
        }
        assert_eq!(lowers("parseHTTPHeader2 x"), ["parse", "http", "header2", "x"]);
        assert_eq!(lowers("größte Zahl…"), ["größte", "zahl"]);
        assert_eq!(lowers(""), [""; 0]);
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["filter", "filters", "filtered", "filtering"][..],
            &["policy", "policies"],
            &["implement", "implemented", "implementation", "implementations"],
            &["cache", "caches", "cached", "caching"],
            &["run", "runs", "running"],
            &["retry", "retries", "retried"],
            &["validate", "validation", "validator", "validates"],
            &["match", "matches", "matched"],
            &["embed", "embedded"],
            &["class", "classes"],
        ] {
            for form in forms {
                assert_eq!(stem(form), stem(forms[0]), "{form}");
            }
        }
    }

    #[test]
    fn words_that_only_look_inflected_stay() {
        for word in ["string", "status", "process", "analysis", "need", "bus", "id"] {
            assert_eq!(stem(word), word);
        }
        assert_ne!(stem("filled"), stem("file"));
    }
}
