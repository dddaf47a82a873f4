//! Every rule: one file each, one line in one table.

mod blocked_tool;
mod broken_fence;
mod contradicting_tools;
mod duplicate_key;
mod duplicate_tool;
mod empty_tools_list;
mod foreign_tools;
mod host_quirk;
mod ignored_argument;
mod ignored_field;
mod ineffective_denial;
mod invalid_name;
mod invalid_value;
mod malformed_text;
mod mcp_tool_syntax;
mod memory_adds_tools;
mod missing_field;
mod no_front_matter;
mod no_tools_left;
mod reserved_name;
mod unknown_key;
mod unknown_tool;
mod unmatched_wildcard;
mod unquoted_text;
mod unread_file;
mod unused_suppression;
mod wrong_type;

pub(super) use unused_suppression::UNUSED_SUPPRESSION;

use super::Rule;

/// All rules, sorted by name.
pub static RULES: &[&Rule] = &[
    &blocked_tool::BLOCKED_TOOL,
    &broken_fence::BROKEN_FENCE,
    &contradicting_tools::CONTRADICTING_TOOLS,
    &duplicate_key::DUPLICATE_KEY,
    &duplicate_tool::DUPLICATE_TOOL,
    &empty_tools_list::EMPTY_TOOLS_LIST,
    &foreign_tools::FOREIGN_TOOLS,
    &host_quirk::HOST_QUIRK,
    &ignored_argument::IGNORED_ARGUMENT,
    &ignored_field::IGNORED_FIELD,
    &ineffective_denial::INEFFECTIVE_DENIAL,
    &invalid_name::INVALID_NAME,
    &invalid_value::INVALID_VALUE,
    &malformed_text::MALFORMED_TEXT,
    &mcp_tool_syntax::MCP_TOOL_SYNTAX,
    &memory_adds_tools::MEMORY_ADDS_TOOLS,
    &missing_field::MISSING_FIELD,
    &no_front_matter::NO_FRONT_MATTER,
    &no_tools_left::NO_TOOLS_LEFT,
    &reserved_name::RESERVED_NAME,
    &unknown_key::UNKNOWN_KEY,
    &unknown_tool::UNKNOWN_TOOL,
    &unmatched_wildcard::UNMATCHED_WILDCARD,
    &unquoted_text::UNQUOTED_TEXT,
    &unread_file::UNREAD_FILE,
    &unused_suppression::UNUSED_SUPPRESSION,
    &wrong_type::WRONG_TYPE,
];
