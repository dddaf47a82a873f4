//! Every rule: one file each, one line in one table.

mod absurd_limit;
mod duplicate_model;
mod empty_prompt;
mod foreign_model;
mod grace_longer_than_run;
mod impossible_limit;
mod ineffective_denial;
mod limit_unit;
mod literal_newline;
mod missing_field;
mod oversized_prompt;
mod sampling_range;
mod short_prompt;
mod template_trap;
mod tool_mention;
mod undefined_variable;
mod ungranted_tool;
mod unknown_model;
mod unknown_tool;
mod unquoted_text;
mod unreachable_model;
mod unsupported_effort;
mod unused_input;
mod unused_suppression;

pub(super) use unused_suppression::UNUSED_SUPPRESSION;

use super::Rule;

/// All rules, sorted by name.
pub static RULES: &[&Rule] = &[
    &absurd_limit::ABSURD_LIMIT,
    &duplicate_model::DUPLICATE_MODEL,
    &empty_prompt::EMPTY_PROMPT,
    &foreign_model::FOREIGN_MODEL,
    &grace_longer_than_run::GRACE_LONGER_THAN_RUN,
    &impossible_limit::IMPOSSIBLE_LIMIT,
    &ineffective_denial::INEFFECTIVE_DENIAL,
    &limit_unit::LIMIT_UNIT,
    &literal_newline::LITERAL_NEWLINE,
    &missing_field::MISSING_FIELD,
    &oversized_prompt::OVERSIZED_PROMPT,
    &sampling_range::SAMPLING_RANGE,
    &short_prompt::SHORT_PROMPT,
    &template_trap::TEMPLATE_TRAP,
    &undefined_variable::UNDEFINED_VARIABLE,
    &ungranted_tool::UNGRANTED_TOOL,
    &unknown_model::UNKNOWN_MODEL,
    &unknown_tool::UNKNOWN_TOOL,
    &unquoted_text::UNQUOTED_TEXT,
    &unreachable_model::UNREACHABLE_MODEL,
    &unsupported_effort::UNSUPPORTED_EFFORT,
    &unused_input::UNUSED_INPUT,
    &unused_suppression::UNUSED_SUPPRESSION,
];
