//! How a host names models, and what it can do with them.

use super::{Fact, Outcome, unverified};

/// How models are named.
#[derive(Clone, Copy, Debug)]
pub struct Models {
    /// Words that stand for a model.
    pub aliases: &'static [&'static str],
    /// Whether full names are `provider/model`.
    pub provider_prefix: bool,
    /// What a definition without a model gets.
    pub default: &'static str,
    /// The providers there are without further settings; empty if the host has too many to know.
    pub providers: &'static [&'static str],
    /// The key of the file under which models are given names, if there is one.
    pub declared_in: Option<&'static str>,
    /// Whether one text can hold several names with commas between.
    pub comma_separated: bool,
    /// Whether models go by the names people see, blanks included.
    pub display_names: bool,
    /// What the host does with a name that is none: `provider/` missing, or not declared.
    pub unknown: Fact,
    /// Families whose full names the host cannot run.
    pub foreign: &'static [&'static Family],
    /// Words that stand for a model elsewhere and mean nothing here.
    pub foreign_aliases: &'static [&'static str],
    /// What the host does with those.
    pub on_foreign: Fact,
    /// Entries of a chain after which no other is ever tried.
    pub never_fail: &'static [&'static str],
    /// How hard the model can be told to think; empty if that is not known.
    pub efforts: &'static [&'static str],
    /// Whether an effort counts only together with a model of the agent's own.
    pub effort_needs_model: bool,
    /// The temperatures any model takes, where the host does not check.
    pub temperature: (f64, f64),
    /// The values for nucleus sampling any model takes, where the host does not check.
    pub top_p: (f64, f64),
}

impl Models {
    /// A host that passes any name on.
    pub const ANY: Self = Self {
        aliases: &[],
        provider_prefix: false,
        default: "the session's model",
        providers: &[],
        declared_in: None,
        comma_separated: false,
        display_names: false,
        unknown: unverified(Outcome::FailsAtRun),
        foreign: &[],
        foreign_aliases: &[],
        on_foreign: unverified(Outcome::FailsAtRun),
        never_fail: &[],
        efforts: &[],
        effort_needs_model: false,
        temperature: (0.0, 2.0),
        top_p: (0.0, 1.0),
    };
}

/// Claude Code's words for models.
pub const CLAUDE_ALIASES: &[&str] = &["sonnet", "opus", "haiku", "fable"];
/// The same, and its word for the caller's model.
pub const CLAUDE_WORDS: &[&str] = &["sonnet", "opus", "haiku", "fable", "inherit"];
/// Every word for an effort that some provider takes.
pub const ANY_EFFORT: &[&str] =
    &["none", "off", "minimal", "low", "medium", "high", "xhigh", "max", "ultra", "dynamic"];

/// Models of one maker.
#[derive(Debug, PartialEq)]
pub struct Family {
    /// The maker.
    pub maker: &'static str,
    /// The provider's usual name before a `/`.
    pub provider: &'static str,
    /// How full names start, in lower case.
    pub starts: &'static [&'static str],
    /// Full names that are not the start of others.
    pub names: &'static [&'static str],
    /// Words that stand for one of them in most places.
    pub aliases: &'static [&'static str],
    /// The highest temperature they take.
    pub max_temperature: f64,
    /// The fewest tokens for thinking they take, other than none.
    pub min_thinking: i64,
}

/// Anthropic's models.
pub static CLAUDE: Family = Family {
    maker: "Anthropic",
    provider: "anthropic",
    starts: &["claude-"],
    names: &[],
    aliases: CLAUDE_ALIASES,
    max_temperature: 1.0,
    min_thinking: 1024,
};

/// OpenAI's models.
pub static GPT: Family = Family {
    maker: "OpenAI",
    provider: "openai",
    starts: &["gpt-", "chatgpt-", "codex-", "o1-", "o3-", "o4-"],
    names: &["o1", "o3"],
    aliases: &[],
    max_temperature: 2.0,
    min_thinking: 0,
};

/// Google's models.
pub static GEMINI: Family = Family {
    maker: "Google",
    provider: "gemini",
    starts: &["gemini-"],
    names: &[],
    aliases: &[],
    max_temperature: 2.0,
    min_thinking: 0,
};

/// The families whose names are unmistakable.
pub static FAMILIES: &[&Family] = &[&CLAUDE, &GPT, &GEMINI];

impl Family {
    /// Whether `name` is the full name of one of these models, without a provider.
    pub fn owns(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        self.names.contains(&name.as_str())
            || self.starts.iter().any(|start| name.starts_with(start))
    }

    /// The family `name` belongs to, with or without a provider, or as an alias.
    pub fn of(name: &str) -> Option<&'static Self> {
        let model = name.rsplit('/').next().unwrap_or(name);
        FAMILIES
            .iter()
            .copied()
            .find(|family| family.owns(model) || family.aliases.contains(&model))
    }
}

/// What a host makes of the name of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ModelName<'a> {
    /// It may well be one.
    Plausible,
    /// It is almost this alias.
    Misspelt(&'static str),
    /// It is what people see in a menu, not what the host goes by.
    DisplayName,
    /// The provider is missing.
    NoProvider,
    /// The provider is not one the host has by itself.
    UnknownProvider(&'a str),
    /// The model is made by this maker, and the host cannot run it.
    Foreign(&'static Family),
    /// It stands for a model elsewhere.
    ForeignAlias,
}

impl Models {
    /// What the host makes of `name`; `declared` are names given in the file itself.
    pub fn recognise<'a>(&self, name: &'a str, declared: &[&str]) -> ModelName<'a> {
        // Placeholders are filled in by something else.
        let is_placeholder = name.contains(['{', '$', '<']);
        // `sonnet[1m]` is `sonnet` with a longer context.
        let bare = name.split('[').next().unwrap_or(name);
        let is_alias = self.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(bare));
        if name.is_empty() || is_placeholder || is_alias || declared.contains(&name) {
            return ModelName::Plausible;
        }
        if let Some(family) = self.foreign.iter().find(|family| family.owns(name)) {
            return ModelName::Foreign(family);
        }
        if self.foreign_aliases.contains(&bare) {
            return ModelName::ForeignAlias;
        }
        if name.contains(char::is_whitespace) && !self.display_names {
            return ModelName::DisplayName;
        }
        if let Some((provider, _)) = name.split_once('/') {
            // `script:turns/one.yaml` is a path.
            let open = self.providers.is_empty() || provider.contains(':');
            let known = open || self.providers.contains(&provider);
            let plain = !self.provider_prefix || known;
            return if plain { ModelName::Plausible } else { ModelName::UnknownProvider(provider) };
        }
        if let Some(alias) = misspelt(bare, self.aliases) {
            return ModelName::Misspelt(alias);
        }
        // Where names can be given in settings that are not here, only what is plainly the full
        // name of a model lacks its provider.
        let nameable_elsewhere = self.declared_in.is_none() && !self.aliases.is_empty();
        let lacks_provider = self.provider_prefix
            && !name.contains(':')
            && (!nameable_elsewhere || Family::of(name).is_some());
        if lacks_provider { ModelName::NoProvider } else { ModelName::Plausible }
    }
}

/// The alias that `word` is a slip of the fingers away from.
fn misspelt(word: &str, aliases: &'static [&'static str]) -> Option<&'static str> {
    let is_word = word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let word = word.to_ascii_lowercase();
    let close = |alias: &&&str| strsim::osa_distance(&word, alias) == 1;
    aliases.iter().filter(|_| is_word).find(close).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::dialect;

    fn recognise(host: &str, name: &'static str) -> ModelName<'static> {
        dialect(host).unwrap().models.recognise(name, &["main"])
    }

    #[test]
    fn a_full_name_of_the_right_family_is_never_questioned() {
        for name in [
            "claude-sonnet-4-5",
            "claude-opus-4-5@20251101",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "arn:aws:bedrock:us-east-1:1:inference-profile/x",
            "sonnet[1m]",
            "opusplan",
            "Sonnet",
            "glm-4.6",
            "best",
        ] {
            assert_eq!(recognise("claude", name), ModelName::Plausible, "{name}");
        }
    }

    #[test]
    fn a_slip_of_the_fingers_is_told_from_another_name() {
        assert_eq!(recognise("claude", "sonet"), ModelName::Misspelt("sonnet"));
        assert_eq!(recognise("claude", "hiaku"), ModelName::Misspelt("haiku"));
        assert_eq!(recognise("claude", "gpt-5"), ModelName::Foreign(&GPT));
        assert_eq!(recognise("claude", "Claude Sonnet 4"), ModelName::DisplayName);
        assert_eq!(recognise("copilot", "Claude Sonnet 4"), ModelName::Plausible);
        assert_eq!(recognise("codex", "inherit"), ModelName::ForeignAlias);
    }

    #[test]
    fn a_provider_is_missed_only_where_no_setting_can_give_the_name() {
        assert_eq!(recognise("opencode", "whatever"), ModelName::NoProvider);
        assert_eq!(recognise("docker", "main"), ModelName::Plausible);
        assert_eq!(recognise("docker", "other"), ModelName::NoProvider);
        assert_eq!(recognise("agentctl", "fast"), ModelName::Plausible);
        assert_eq!(recognise("agentctl", "gpt-5"), ModelName::NoProvider);
        assert_eq!(recognise("agentctl", "acme/x"), ModelName::UnknownProvider("acme"));
        assert_eq!(recognise("agentctl", "script:t/one.yaml"), ModelName::Plausible);
    }
}
