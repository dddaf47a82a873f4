//! Every rule: one file each, one line in one table.

mod bypassed_permissions;
mod claimed_source;
mod duplicate_name;
mod embedded_secret;
mod fetch_and_execute;
mod hidden_unicode;
mod ineffective_denial;
mod input_name;
mod invalid_schema;
mod missing_field;
mod output_name;
mod persona_clash;
mod required_without_property;
mod schema_pattern;
mod schema_reference;
mod shadowed_agent;
mod shell_and_web;
mod similar_descriptions;
mod suppressed_approval;
mod unknown_agent;
mod unknown_mcp_server;
mod unknown_skill;
mod unknown_tool;
mod unpinned_mcp_server;
mod unquoted_text;
mod unused_suppression;

pub(super) use unused_suppression::UNUSED_SUPPRESSION;

use super::Rule;

/// All rules, sorted by name.
pub static RULES: &[&Rule] = &[
    &bypassed_permissions::BYPASSED_PERMISSIONS,
    &claimed_source::CLAIMED_SOURCE,
    &duplicate_name::DUPLICATE_NAME,
    &embedded_secret::EMBEDDED_SECRET,
    &fetch_and_execute::FETCH_AND_EXECUTE,
    &hidden_unicode::HIDDEN_UNICODE,
    &ineffective_denial::INEFFECTIVE_DENIAL,
    &input_name::INPUT_NAME,
    &invalid_schema::INVALID_SCHEMA,
    &missing_field::MISSING_FIELD,
    &output_name::OUTPUT_NAME,
    &persona_clash::PERSONA_CLASH,
    &required_without_property::REQUIRED_WITHOUT_PROPERTY,
    &schema_pattern::SCHEMA_PATTERN,
    &schema_reference::SCHEMA_REFERENCE,
    &shadowed_agent::SHADOWED_AGENT,
    &shell_and_web::SHELL_AND_WEB,
    &similar_descriptions::SIMILAR_DESCRIPTIONS,
    &suppressed_approval::SUPPRESSED_APPROVAL,
    &unknown_agent::UNKNOWN_AGENT,
    &unknown_mcp_server::UNKNOWN_MCP_SERVER,
    &unknown_skill::UNKNOWN_SKILL,
    &unknown_tool::UNKNOWN_TOOL,
    &unpinned_mcp_server::UNPINNED_MCP_SERVER,
    &unquoted_text::UNQUOTED_TEXT,
    &unused_suppression::UNUSED_SUPPRESSION,
];
