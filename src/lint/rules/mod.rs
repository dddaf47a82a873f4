//! Every rule: one file each, one line in one table.

mod duplicate_model;
mod foreign_model;
mod ineffective_denial;
mod missing_field;
mod sampling_range;
mod unknown_model;
mod unknown_tool;
mod unquoted_text;
mod unreachable_model;
mod unsupported_effort;
mod unused_suppression;

pub(super) use unused_suppression::UNUSED_SUPPRESSION;

use super::Rule;

/// All rules, sorted by name.
pub static RULES: &[&Rule] = &[
    &duplicate_model::DUPLICATE_MODEL,
    &foreign_model::FOREIGN_MODEL,
    &ineffective_denial::INEFFECTIVE_DENIAL,
    &missing_field::MISSING_FIELD,
    &sampling_range::SAMPLING_RANGE,
    &unknown_model::UNKNOWN_MODEL,
    &unknown_tool::UNKNOWN_TOOL,
    &unquoted_text::UNQUOTED_TEXT,
    &unreachable_model::UNREACHABLE_MODEL,
    &unsupported_effort::UNSUPPORTED_EFFORT,
    &unused_suppression::UNUSED_SUPPRESSION,
];
