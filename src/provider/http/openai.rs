//! What OpenAI's two formats share: which models reason, and how hard.

use super::effort::effort;
use crate::provider::Sampling;

/// What a model does before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// It reasons; it does not let its sampling be chosen.
    Reasoning,
    /// It does not reason, and refuses to be told how hard.
    Plain,
    /// Somebody else's.
    Unknown,
}

impl Family {
    pub(super) fn of(model: &str) -> Self {
        let name = bare(model);
        let o_series = name
            .strip_prefix('o')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if o_series || gpt(name).is_some_and(|(major, _)| major >= 5) && !name.contains("-chat") {
            Self::Reasoning
        } else if name.starts_with("gpt-3") || gpt(name).is_some() || name.starts_with("chatgpt") {
            Self::Plain
        } else {
            Self::Unknown
        }
    }
}

/// The word for the effort that `model` understands.
pub(super) fn reasoning_effort(model: &str, sampling: &Sampling) -> Option<&'static str> {
    let word = effort(sampling)?;
    let (none, minimal, above_high) = match gpt(bare(model)) {
        Some((5, 0)) if bare(model).contains("codex") => ("low", "low", "high"),
        Some((5, 0)) => ("minimal", "minimal", "high"),
        Some((5, 1)) => ("none", "low", "high"),
        Some((5.., _)) => ("none", "low", "xhigh"),
        _ => ("low", "low", "high"),
    };
    Some(match word {
        "none" => none,
        "minimal" => minimal,
        "xhigh" | "max" => above_high,
        word => word,
    })
}

/// The name without that of whoever passes it on.
fn bare(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or(model)
}

/// The version of a `gpt-` model.
fn gpt(name: &str) -> Option<(u32, u32)> {
    let version = name.strip_prefix("gpt-")?.split('-').next()?;
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    let digits = major.trim_end_matches(|c: char| !c.is_ascii_digit());
    Some((digits.parse().ok()?, minor.parse().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_which_models_reason() {
        for model in
            ["o1", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5.4-codex", "openai/gpt-5-mini"]
        {
            assert_eq!(Family::of(model), Family::Reasoning, "{model}");
        }
        for model in
            ["gpt-4o", "gpt-4.1-mini", "gpt-3.5-turbo", "chatgpt-4o-latest", "gpt-5-chat-latest"]
        {
            assert_eq!(Family::of(model), Family::Plain, "{model}");
        }
        for model in ["gpt-oss-20b", "llama-3.3", "olmo-2", "deepseek-reasoner"] {
            assert_eq!(Family::of(model), Family::Unknown, "{model}");
        }
    }

    #[test]
    fn every_model_hears_a_word_it_knows() {
        let said = |model: &str, word: &str| {
            let sampling = Sampling { effort: Some(word.to_owned()), ..Sampling::default() };
            reasoning_effort(model, &sampling)
        };
        assert_eq!(said("o3", "none"), Some("low"));
        assert_eq!(said("gpt-5", "none"), Some("minimal"));
        assert_eq!(said("gpt-5-codex", "minimal"), Some("low"));
        assert_eq!(said("gpt-5.1", "minimal"), Some("low"));
        assert_eq!(said("gpt-5.4", "none"), Some("none"));
        assert_eq!(said("gpt-5.4", "max"), Some("xhigh"));
        assert_eq!(said("o3", "max"), Some("high"));
        assert_eq!(said("o3", "medium"), Some("medium"));
        assert_eq!(said("o3", "heroic"), None);
    }
}
