//! How hard a model should think: words and numbers, each in terms of the other.
//!
//! Definitions say one or the other, and so do providers.

use crate::provider::Sampling;

/// A budget without a limit.
const UNLIMITED: i64 = -1;

/// Words, and the tokens they are worth.
const EFFORTS: &[(&str, i64)] = &[
    ("none", 0),
    ("minimal", 1_024),
    ("low", 2_048),
    ("medium", 8_192),
    ("high", 16_384),
    ("xhigh", 24_576),
    ("max", 32_768),
];

/// How much a model may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Budget {
    Off,
    Tokens(u64),
    Unlimited,
}

/// The tokens for thinking, if anyone said anything about them.
pub(super) fn budget(sampling: &Sampling) -> Option<Budget> {
    let worth =
        |word: &str| EFFORTS.iter().find(|(known, _)| *known == word).map(|(_, worth)| *worth);
    let tokens = sampling.thinking_budget.or_else(|| worth(&word(sampling)?))?;
    Some(match u64::try_from(tokens) {
        Ok(0) => Budget::Off,
        Ok(tokens) => Budget::Tokens(tokens),
        Err(_) => Budget::Unlimited,
    })
}

/// The effort in a word of [`EFFORTS`], if anyone said anything about it.
pub(super) fn effort(sampling: &Sampling) -> Option<&'static str> {
    let known = |said: &str| EFFORTS.iter().find(|(word, _)| *word == said);
    if let Some(said) = word(sampling) {
        return known(&said).map(|(word, _)| *word);
    }
    match sampling.thinking_budget? {
        0 => Some("none"),
        ..=UNLIMITED => Some("high"),
        tokens => {
            let affordable = |(_, worth): &&(&str, i64)| *worth > 0 && *worth <= tokens;
            Some(EFFORTS.iter().rev().find(affordable).map_or("minimal", |(word, _)| *word))
        }
    }
}

fn word(sampling: &Sampling) -> Option<String> {
    sampling.effort.as_ref().map(|effort| effort.trim().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_say_the_same() {
        let said = |thinking_budget, effort: Option<&str>| {
            let effort_word = effort.map(str::to_owned);
            let sampling = Sampling { thinking_budget, effort: effort_word, ..Sampling::default() };
            (budget(&sampling), super::effort(&sampling))
        };
        assert_eq!(said(None, None), (None, None));
        assert_eq!(said(Some(0), None), (Some(Budget::Off), Some("none")));
        assert_eq!(said(Some(-1), None), (Some(Budget::Unlimited), Some("high")));
        assert_eq!(said(Some(10_000), None), (Some(Budget::Tokens(10_000)), Some("medium")));
        assert_eq!(said(Some(1), None), (Some(Budget::Tokens(1)), Some("minimal")));
        assert_eq!(said(None, Some("High")), (Some(Budget::Tokens(16_384)), Some("high")));
        assert_eq!(said(None, Some("none")), (Some(Budget::Off), Some("none")));
        assert_eq!(said(None, Some("heroic")), (None, None));
        assert_eq!(said(Some(0), Some("low")), (Some(Budget::Off), Some("low")));
    }
}
