//! Which of a file's definitions speaks for the whole file.

use super::AgentCx;
use crate::{dialect::Layout, document::Node};

/// Whether the definition is the first of its file: rules about the text look at it once.
pub fn speaks_for_file(cx: &AgentCx<'_>) -> bool {
    let root = &cx.document.root;
    let first = match cx.entry.form.layout {
        Layout::One | Layout::Wrapped(_) => return true,
        Layout::OneOrList => root.as_list().and_then(|items| items.first()),
        Layout::Keyed { keys, settings, .. } => {
            let entries = root.as_map().into_iter().flat_map(|map| &map.entries);
            let agents = entries.filter(|entry| keys.contains(&entry.key.value.as_str()));
            let inner =
                agents.filter_map(|entry| entry.value.as_map()).flat_map(|map| &map.entries);
            let setting = |key: &str| settings.iter().any(|field| field.key == key);
            inner.filter(|entry| !setting(&entry.key.value)).map(|entry| &entry.value).next()
        }
    };
    first.is_none_or(|first: &Node| first.span == cx.definition().span)
}
