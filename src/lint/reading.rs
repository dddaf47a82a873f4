//! What several rules read in a definition: its models, its texts, and the keys they stand under.

use std::borrow::Cow;

use super::AgentCx;
use crate::{
    dialect::Field,
    model::PromptText,
    text::{Span, Spanned},
};

/// One text a definition tells its agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    /// What it says.
    pub text: &'a str,
    /// Where it stands.
    pub span: Span,
    /// Whether byte `n` of it is byte `span.start + n` of the file.
    pub exact: bool,
}

impl<'a> AgentCx<'a> {
    /// Every model the definition names, in order; those of its variants last.
    pub(super) fn models(&self) -> Vec<Spanned<Cow<'a, str>>> {
        let definition = self.definition();
        let personas = definition.personas.iter().filter_map(|persona| persona.model.as_ref());
        let names = definition.model.chain.iter().chain(personas);
        if self.dialect().models.comma_separated {
            names.flat_map(|name| self.split_at_commas(name)).collect()
        } else {
            names.map(|name| Spanned::new(Cow::from(name.value.trim()), name.span)).collect()
        }
    }

    fn split_at_commas(&self, names: &'a Spanned<String>) -> Vec<Spanned<Cow<'a, str>>> {
        let written = self.source.slice(names.span);
        let parts = names.value.split(',').map(str::trim).filter(|part| !part.is_empty());
        let place = |part: &str| match written.find(part) {
            Some(at) if written != part => {
                Span::new(at, at + part.len()).shifted(names.span.start as usize)
            }
            _ => names.span,
        };
        parts.map(|part| Spanned::new(Cow::from(part), place(part))).collect()
    }

    /// The names that the file itself gives to models.
    pub(super) fn declared_models(&self) -> Vec<&'a str> {
        let key = self.dialect().models.declared_in;
        let map = key.and_then(|key| self.root()?.get(key)?.as_map());
        map.map_or_else(Vec::new, |map| {
            map.entries.iter().map(|entry| entry.key.value.as_str()).collect()
        })
    }

    /// Every text the agent is told: its prompt, the first message, and a conversation.
    pub(super) fn texts(&self) -> Vec<Text<'a>> {
        let prompt = &self.definition().prompt;
        let mut texts = Vec::new();
        if let Some(system) = &prompt.system {
            let span = system.span;
            texts.push(match &system.value {
                PromptText::Body => Text { text: self.source.slice(span), span, exact: true },
                PromptText::Value(text) => Text { text, span, exact: false },
            });
        }
        let messages = prompt.initial_messages.iter().map(|message| &message.content);
        let variants = self.definition().personas.iter().filter_map(|one| one.prompt.as_ref());
        for Spanned { value, span } in prompt.query.iter().chain(messages).chain(variants) {
            texts.push(Text { text: value, span: *span, exact: false });
        }
        texts
    }

    /// The bytes of the file that say `text[start..end]`, as exactly as can be told: in a value
    /// that was folded or unescaped they are looked for.
    pub(super) fn place_in(&self, text: Text<'_>, start: usize, end: usize) -> Span {
        let from = text.span.start as usize;
        if text.exact {
            return Span::new(start, end).shifted(from);
        }
        let wanted = &text.text[start..end];
        // The same words may stand there several times.
        let nth = text.text[..start].matches(wanted).count();
        let found = self.source.slice(text.span).match_indices(wanted).nth(nth);
        found.map_or(text.span, |(at, _)| Span::new(at, at + wanted.len()).shifted(from))
    }

    /// The key whose value is `span`, and what the host's table says about it.
    pub(super) fn key_of(&self, span: Span) -> Option<(&'a str, &'static Field)> {
        let used = self.definition().fields.iter().find(|field| field.value == span)?;
        Some((used.path.as_str(), self.entry.form.field_at(&used.path)?))
    }

    /// Whether the table already finds fault with what stands at `span`, or with its key.
    pub(super) fn is_faulted(&self, span: Span) -> bool {
        let key = self.definition().fields.iter().find(|field| field.value == span);
        self.faults()
            .any(|fault| fault.span == span || key.is_some_and(|key| key.key == fault.span))
    }

    /// `text` in the quotes that stand around `span`, if any do.
    pub(super) fn requoted(&self, span: Span, text: &str) -> String {
        let quote = self.source.slice(span).chars().next().filter(|c| matches!(c, '"' | '\''));
        quote.map_or_else(|| text.to_owned(), |quote| format!("{quote}{text}{quote}"))
    }
}
