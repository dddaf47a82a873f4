//! What a host does with prompts and descriptions.

use super::{Fact, Outcome, verified};

/// What a kind of file allows in its texts.
#[derive(Clone, Copy, Debug)]
pub struct Prompts {
    /// How the values of inputs get into the texts.
    pub template: Option<Template>,
    /// The longest prompt.
    pub max_prompt: Option<TextLimit>,
    /// The longest description.
    pub max_description: Option<TextLimit>,
    /// What becomes of an agent without a prompt; `None` if that is usual, or reported otherwise.
    pub without: Option<&'static str>,
    /// Whether `\n` in a description becomes a line break.
    pub unescapes_description: bool,
}

/// How many characters a text may have.
#[derive(Clone, Copy, Debug)]
pub struct TextLimit {
    /// The most.
    pub characters: usize,
    /// What happens beyond, after "characters: ".
    pub beyond: &'static str,
    /// A key and a value of it with which there is no limit.
    pub unless: Option<(&'static str, &'static str)>,
}

/// How names in a text are replaced.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// What opens a name.
    pub open: &'static str,
    /// What closes it.
    pub close: &'static str,
    /// Names that are there without being declared.
    pub known: &'static [&'static str],
    /// Whether the whole file is the template, and not only its prompts.
    pub whole_file: bool,
    /// What happens with a name nobody declared.
    pub undefined: Fact,
    /// What happens with an input nobody uses.
    pub unused: Fact,
}

impl Prompts {
    /// Texts that are passed on as they are.
    pub const PLAIN: Self = Self {
        template: None,
        max_prompt: None,
        max_description: None,
        without: None,
        unescapes_description: false,
    };
}

impl Template {
    /// `${name}`, with agentctl's own names.
    pub const DOLLAR: Self = Self {
        open: "${",
        close: "}",
        known: &["cwd", "prompt", "agent_type", "today"],
        whole_file: false,
        undefined: verified(Outcome::FailsAtRun),
        unused: verified(Outcome::Ignored),
    };

    /// Every expression of `text`: the bytes from opening to closing mark, and the name it
    /// starts with. A doubled `$` is an escape.
    pub fn uses<'t>(&self, text: &'t str) -> impl Iterator<Item = TemplateUse<'t>> {
        let Self { open, close, .. } = *self;
        text.match_indices(open).filter_map(move |(at, _)| {
            let escaped = open.starts_with('$') && text[..at].ends_with('$');
            let inner = text[at + open.len()..].lines().next()?;
            let length = inner.find(close)?;
            let inner = &inner[..length];
            let start = inner.len() - inner.trim_start_matches(['-', ' ', '\t']).len();
            let rest = &inner[start..];
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let name = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
            let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            (!escaped && begins).then(|| TemplateUse {
                at,
                end: at + open.len() + length + close.len(),
                name,
                name_at: at + open.len() + start,
                rest: rest[name.len()..].trim(),
            })
        })
    }
}

/// One expression in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateUse<'t> {
    /// Where it opens.
    pub at: usize,
    /// One past where it closes.
    pub end: usize,
    /// The name it starts with.
    pub name: &'t str,
    /// Where that stands.
    pub name_at: usize,
    /// What follows the name.
    pub rest: &'t str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_leading_name_of_an_expression_counts() {
        let text = "${a} ${ b | upper } ${c[0]} $${d} $HOME ${} ${'e'} ${1}";
        let names: Vec<_> = Template::DOLLAR.uses(text).map(|found| found.name).collect();
        assert_eq!(names, ["a", "b", "c"]);
    }
}
