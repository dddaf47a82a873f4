//! Every rule: one file each, one line in one table.

mod absurd_limit;
mod blocked_tool;
mod broken_fence;
mod contradicting_tools;
mod duplicate_key;
mod duplicate_model;
mod duplicate_tool;
mod empty_prompt;
mod empty_tools_list;
mod foreign_model;
mod foreign_tools;
mod grace_longer_than_run;
mod host_quirk;
mod ignored_argument;
mod ignored_field;
mod impossible_limit;
mod ineffective_denial;
mod invalid_name;
mod invalid_value;
mod limit_unit;
mod literal_newline;
mod malformed_text;
mod mcp_tool_syntax;
mod memory_adds_tools;
mod missing_field;
mod no_front_matter;
mod no_tools_left;
mod oversized_prompt;
mod reserved_name;
mod sampling_range;
mod short_prompt;
mod template_trap;
mod tool_mention;
mod undefined_variable;
mod ungranted_tool;
mod unknown_key;
mod unknown_model;
mod unknown_tool;
mod unmatched_wildcard;
mod unquoted_text;
mod unreachable_model;
mod unread_file;
mod unsupported_effort;
mod unused_input;
mod unused_suppression;
mod wrong_type;

pub(super) use unused_suppression::UNUSED_SUPPRESSION;

use super::Rule;

/// All rules, sorted by name.
pub static RULES: &[&Rule] = &[
    &absurd_limit::ABSURD_LIMIT,
    &blocked_tool::BLOCKED_TOOL,
    &broken_fence::BROKEN_FENCE,
    &contradicting_tools::CONTRADICTING_TOOLS,
    &duplicate_key::DUPLICATE_KEY,
    &duplicate_model::DUPLICATE_MODEL,
    &duplicate_tool::DUPLICATE_TOOL,
    &empty_prompt::EMPTY_PROMPT,
    &empty_tools_list::EMPTY_TOOLS_LIST,
    &foreign_model::FOREIGN_MODEL,
    &foreign_tools::FOREIGN_TOOLS,
    &grace_longer_than_run::GRACE_LONGER_THAN_RUN,
    &host_quirk::HOST_QUIRK,
    &ignored_argument::IGNORED_ARGUMENT,
    &ignored_field::IGNORED_FIELD,
    &impossible_limit::IMPOSSIBLE_LIMIT,
    &ineffective_denial::INEFFECTIVE_DENIAL,
    &invalid_name::INVALID_NAME,
    &invalid_value::INVALID_VALUE,
    &limit_unit::LIMIT_UNIT,
    &literal_newline::LITERAL_NEWLINE,
    &malformed_text::MALFORMED_TEXT,
    &mcp_tool_syntax::MCP_TOOL_SYNTAX,
    &memory_adds_tools::MEMORY_ADDS_TOOLS,
    &missing_field::MISSING_FIELD,
    &no_front_matter::NO_FRONT_MATTER,
    &no_tools_left::NO_TOOLS_LEFT,
    &oversized_prompt::OVERSIZED_PROMPT,
    &reserved_name::RESERVED_NAME,
    &sampling_range::SAMPLING_RANGE,
    &short_prompt::SHORT_PROMPT,
    &template_trap::TEMPLATE_TRAP,
    &undefined_variable::UNDEFINED_VARIABLE,
    &ungranted_tool::UNGRANTED_TOOL,
    &unknown_key::UNKNOWN_KEY,
    &unknown_model::UNKNOWN_MODEL,
    &unknown_tool::UNKNOWN_TOOL,
    &unmatched_wildcard::UNMATCHED_WILDCARD,
    &unquoted_text::UNQUOTED_TEXT,
    &unreachable_model::UNREACHABLE_MODEL,
    &unread_file::UNREAD_FILE,
    &unsupported_effort::UNSUPPORTED_EFFORT,
    &unused_input::UNUSED_INPUT,
    &unused_suppression::UNUSED_SUPPRESSION,
    &wrong_type::WRONG_TYPE,
];
