//! Every rule: one file each, one line in one table.

mod absurd_limit;
mod blocked_tool;
mod broken_fence;
mod bypassed_permissions;
mod claimed_source;
mod contradicting_tools;
mod duplicate_key;
mod duplicate_model;
mod duplicate_name;
mod duplicate_tool;
mod embedded_secret;
mod empty_prompt;
mod empty_tools_list;
mod fetch_and_execute;
mod foreign_model;
mod foreign_tools;
mod grace_longer_than_run;
mod hidden_unicode;
mod host_quirk;
mod ignored_argument;
mod ignored_field;
mod impossible_limit;
mod ineffective_denial;
mod input_name;
mod invalid_name;
mod invalid_schema;
mod invalid_value;
mod limit_unit;
mod literal_newline;
mod malformed_text;
mod mcp_tool_syntax;
mod memory_adds_tools;
mod missing_field;
mod no_front_matter;
mod no_tools_left;
mod output_name;
mod oversized_prompt;
mod persona_clash;
mod required_without_property;
mod reserved_name;
mod sampling_range;
mod schema_pattern;
mod schema_reference;
mod shadowed_agent;
mod shell_and_web;
mod short_prompt;
mod similar_descriptions;
mod suppressed_approval;
mod template_trap;
mod tool_mention;
mod undefined_variable;
mod ungranted_tool;
mod unknown_agent;
mod unknown_key;
mod unknown_mcp_server;
mod unknown_model;
mod unknown_skill;
mod unknown_tool;
mod unmatched_wildcard;
mod unpinned_mcp_server;
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
    &bypassed_permissions::BYPASSED_PERMISSIONS,
    &claimed_source::CLAIMED_SOURCE,
    &contradicting_tools::CONTRADICTING_TOOLS,
    &duplicate_key::DUPLICATE_KEY,
    &duplicate_model::DUPLICATE_MODEL,
    &duplicate_name::DUPLICATE_NAME,
    &duplicate_tool::DUPLICATE_TOOL,
    &embedded_secret::EMBEDDED_SECRET,
    &empty_prompt::EMPTY_PROMPT,
    &empty_tools_list::EMPTY_TOOLS_LIST,
    &fetch_and_execute::FETCH_AND_EXECUTE,
    &foreign_model::FOREIGN_MODEL,
    &foreign_tools::FOREIGN_TOOLS,
    &grace_longer_than_run::GRACE_LONGER_THAN_RUN,
    &hidden_unicode::HIDDEN_UNICODE,
    &host_quirk::HOST_QUIRK,
    &ignored_argument::IGNORED_ARGUMENT,
    &ignored_field::IGNORED_FIELD,
    &impossible_limit::IMPOSSIBLE_LIMIT,
    &ineffective_denial::INEFFECTIVE_DENIAL,
    &input_name::INPUT_NAME,
    &invalid_name::INVALID_NAME,
    &invalid_schema::INVALID_SCHEMA,
    &invalid_value::INVALID_VALUE,
    &limit_unit::LIMIT_UNIT,
    &literal_newline::LITERAL_NEWLINE,
    &malformed_text::MALFORMED_TEXT,
    &mcp_tool_syntax::MCP_TOOL_SYNTAX,
    &memory_adds_tools::MEMORY_ADDS_TOOLS,
    &missing_field::MISSING_FIELD,
    &no_front_matter::NO_FRONT_MATTER,
    &no_tools_left::NO_TOOLS_LEFT,
    &output_name::OUTPUT_NAME,
    &oversized_prompt::OVERSIZED_PROMPT,
    &persona_clash::PERSONA_CLASH,
    &required_without_property::REQUIRED_WITHOUT_PROPERTY,
    &reserved_name::RESERVED_NAME,
    &sampling_range::SAMPLING_RANGE,
    &schema_pattern::SCHEMA_PATTERN,
    &schema_reference::SCHEMA_REFERENCE,
    &shadowed_agent::SHADOWED_AGENT,
    &shell_and_web::SHELL_AND_WEB,
    &short_prompt::SHORT_PROMPT,
    &similar_descriptions::SIMILAR_DESCRIPTIONS,
    &suppressed_approval::SUPPRESSED_APPROVAL,
    &template_trap::TEMPLATE_TRAP,
    &undefined_variable::UNDEFINED_VARIABLE,
    &ungranted_tool::UNGRANTED_TOOL,
    &unknown_agent::UNKNOWN_AGENT,
    &unknown_key::UNKNOWN_KEY,
    &unknown_mcp_server::UNKNOWN_MCP_SERVER,
    &unknown_model::UNKNOWN_MODEL,
    &unknown_skill::UNKNOWN_SKILL,
    &unknown_tool::UNKNOWN_TOOL,
    &unmatched_wildcard::UNMATCHED_WILDCARD,
    &unpinned_mcp_server::UNPINNED_MCP_SERVER,
    &unquoted_text::UNQUOTED_TEXT,
    &unreachable_model::UNREACHABLE_MODEL,
    &unread_file::UNREAD_FILE,
    &unsupported_effort::UNSUPPORTED_EFFORT,
    &unused_input::UNUSED_INPUT,
    &unused_suppression::UNUSED_SUPPRESSION,
    &wrong_type::WRONG_TYPE,
];
