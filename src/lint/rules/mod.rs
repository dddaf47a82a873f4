//! Every rule: one file each, one line in one table.

mod ineffective_denial;
mod missing_field;
mod unknown_tool;
mod unquoted_text;
mod unused_suppression;

pub(super) use unused_suppression::UNUSED_SUPPRESSION;

use super::Rule;

/// All rules, sorted by name.
pub static RULES: &[&Rule] = &[
    &ineffective_denial::INEFFECTIVE_DENIAL,
    &missing_field::MISSING_FIELD,
    &unknown_tool::UNKNOWN_TOOL,
    &unquoted_text::UNQUOTED_TEXT,
    &unused_suppression::UNUSED_SUPPRESSION,
];
