//! Every rule: one file each, one line in one table.

mod ineffective_denial;
mod input_name;
mod invalid_schema;
mod missing_field;
mod output_name;
mod required_without_property;
mod schema_pattern;
mod schema_reference;
mod unknown_tool;
mod unquoted_text;
mod unused_suppression;

pub(super) use unused_suppression::UNUSED_SUPPRESSION;

use super::Rule;

/// All rules, sorted by name.
pub static RULES: &[&Rule] = &[
    &ineffective_denial::INEFFECTIVE_DENIAL,
    &input_name::INPUT_NAME,
    &invalid_schema::INVALID_SCHEMA,
    &missing_field::MISSING_FIELD,
    &output_name::OUTPUT_NAME,
    &required_without_property::REQUIRED_WITHOUT_PROPERTY,
    &schema_pattern::SCHEMA_PATTERN,
    &schema_reference::SCHEMA_REFERENCE,
    &unknown_tool::UNKNOWN_TOOL,
    &unquoted_text::UNQUOTED_TEXT,
    &unused_suppression::UNUSED_SUPPRESSION,
];
