//! Words that several rules use.

/// Names that are not listed beyond this many.
const MAX_NAMES: usize = 6;

/// `a`, `b` and `c`, in backticks; a long list is cut.
pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let quoted = |name: &&str| format!("`{name}`");
    match names.as_slice() {
        [] => String::new(),
        [one] => quoted(one),
        [first @ .., last] if names.len() <= MAX_NAMES => {
            let first: Vec<_> = first.iter().map(quoted).collect();
            format!("{} and {}", first.join(", "), quoted(last))
        }
        _ => {
            let first: Vec<_> = names[..MAX_NAMES].iter().map(quoted).collect();
            format!("{} and {} more", first.join(", "), names.len() - MAX_NAMES)
        }
    }
}

/// The word that goes with so many things.
pub(super) fn counted<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}
