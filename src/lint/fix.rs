//! Applies fixes to a text, and proves that nothing else changed.
//!
//! Edits are byte splices, so comments, order and line endings survive. Afterwards the text is
//! read again: what the edits did not touch must mean what it meant before, and no problem may
//! have come in. A fix that cannot be shown to be harmless is not applied.

use thiserror::Error;

use super::{Edit, Fix};
use crate::{
    document::{self, Document, Format, Map, Node, Value},
    text::{Source, Span},
};

/// Why a fix was not applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FixError {
    /// Another fix changes the same bytes; another run may apply it.
    #[error("another fix changes the same text")]
    Overlap,
    /// The bytes are not there. A rule's mistake.
    #[error("the fix does not fit the text")]
    OutOfBounds,
    /// The text would be read with more problems than before.
    #[error("the text would be less readable than before")]
    Worse,
    /// Something else in the file would change its meaning.
    #[error("something else in the file would change")]
    ChangesOther,
}

/// A text with fixes applied.
#[derive(Clone, Debug)]
pub struct Fixed {
    /// The text.
    pub text: String,
    /// How many fixes were applied.
    pub applied: usize,
    /// Those that were not, by their index, and why.
    pub refused: Vec<(usize, FixError)>,
}

/// A fix can make room for another; after this many rounds a text is left as it is.
const MAX_ROUNDS: usize = 8;

/// Applies fixes until there are none left that can be applied. `fixes` finds them in a text.
/// Where the bytes of `source` were not text, nothing is changed: writing the text back would lose
/// them.
pub fn mend(source: &Source, format: Format, fixes: impl Fn(&str) -> Vec<Fix>) -> String {
    let mut text = source.text().to_owned();
    if source.problem().is_some() {
        return text;
    }
    for _ in 0..MAX_ROUNDS {
        let found = fixes(&text);
        let found: Vec<&Fix> = found.iter().collect();
        let fixed = apply(&Source::new(source.name(), text.clone().into_bytes()), format, &found);
        if fixed.text == text {
            break;
        }
        text = fixed.text;
    }
    text
}

/// Applies as many of `fixes` as can be shown to be harmless, in order.
pub fn apply(source: &Source, format: Format, fixes: &[&Fix]) -> Fixed {
    let mut fixed = Fixed { text: source.text().to_owned(), applied: 0, refused: Vec::new() };
    let mut taken: Vec<Edit> = Vec::new();
    for (at, fix) in fixes.iter().enumerate() {
        match with(source, format, &taken, fix) {
            Ok((text, edits)) => {
                fixed.text = text;
                fixed.applied += 1;
                taken = edits;
            }
            Err(error) => fixed.refused.push((at, error)),
        }
    }
    fixed
}

/// The text with `taken` and then `fix` applied, if `fix` on top of `taken` is harmless.
fn with(
    source: &Source,
    format: Format,
    taken: &[Edit],
    fix: &Fix,
) -> Result<(String, Vec<Edit>), FixError> {
    for edit in &fix.edits {
        if source.text().get(edit.span.range()).is_none() {
            return Err(FixError::OutOfBounds);
        }
        if taken.iter().any(|other| touches(other.span, edit.span)) {
            return Err(FixError::Overlap);
        }
    }
    let edits = || taken.iter().chain(&fix.edits).cloned().collect::<Vec<_>>();
    let before = splice(source.text(), taken.to_vec());
    let after = splice(source.text(), edits());
    verify(&before, &after, format, &shifted(&fix.edits, taken))?;
    Ok((after, edits()))
}

/// Where the edits of a fix lie in a text to which `taken` has been applied.
fn shifted(edits: &[Edit], taken: &[Edit]) -> Vec<Span> {
    let offset = |at: u32| -> i64 {
        let before = taken.iter().filter(|edit| edit.span.end <= at);
        before.map(|edit| edit.text.len() as i64 - edit.span.len() as i64).sum()
    };
    let moved = |at: u32| usize::try_from(i64::from(at) + offset(at)).unwrap_or(0);
    edits.iter().map(|edit| Span::new(moved(edit.span.start), moved(edit.span.end))).collect()
}

fn touches(a: Span, b: Span) -> bool {
    a.start <= b.end && b.start <= a.end
}

fn splice(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.span);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for Edit { span, text: new } in &edits {
        out.push_str(&text[at..span.start as usize]);
        out.push_str(new);
        at = span.end as usize;
    }
    out.push_str(&text[at..]);
    out
}

/// Reads both texts; outside of `edited` they must mean the same, and nothing may have got worse.
fn verify(before: &str, after: &str, format: Format, edited: &[Span]) -> Result<(), FixError> {
    let read = |text: &str| document::parse(&Source::new("", text.as_bytes().to_vec()), format);
    let (old, old_problems) = read(before);
    let (new, new_problems) = read(after);
    if new_problems.len() > old_problems.len() {
        return Err(FixError::Worse);
    }
    let in_front = |span: &Span| old.body.is_none_or(|body| span.start < body.start);
    let body =
        |document: &Document, text: &str| document.body.map(|body| text[body.range()].to_owned());
    if edited.iter().all(in_front) && body(&old, before) != body(&new, after) {
        return Err(FixError::ChangesOther);
    }
    if same(&old.root, &new.root, edited) { Ok(()) } else { Err(FixError::ChangesOther) }
}

/// Whether two trees mean the same where no edit touches them. A value that was read as if it had
/// been quoted must be the same value once it is.
fn same(old: &Node, new: &Node, edited: &[Span]) -> bool {
    if old.style == document::Style::Repaired && new.style != document::Style::Repaired {
        return old.value == new.value;
    }
    let touched = edited.iter().any(|span| touches(*span, old.span));
    match (&old.value, &new.value) {
        (Value::Map(old), Value::Map(new)) => same_map(old, new, edited),
        (Value::List(old_items), Value::List(new_items)) if old_items.len() == new_items.len() => {
            old_items.iter().zip(new_items).all(|(old, new)| same(old, new, edited))
        }
        (old_value, new_value) => touched || old_value == new_value,
    }
}

fn same_map(old: &Map, new: &Map, edited: &[Span]) -> bool {
    let key_touched = |span: Span| edited.iter().any(|edit| touches(*edit, span));
    if old.entries.len() != new.entries.len() {
        // A key went away or came: every other one must still be there, in order.
        let kept: Vec<_> = old
            .entries
            .iter()
            .filter(|entry| !key_touched(entry.key.span.to(entry.value.span)))
            .collect();
        let mut rest = new.entries.iter();
        return kept.iter().all(|entry| {
            rest.any(|other| {
                other.key.value == entry.key.value && same(&entry.value, &other.value, edited)
            })
        });
    }
    old.entries.iter().zip(&new.entries).all(|(old, new)| {
        (old.key.value == new.key.value || key_touched(old.key.span))
            && same(&old.value, &new.value, edited)
    })
}
