//! `unknown-mcp-server`.

use crate::lint::{CatalogCx, Check, Finding, Level, cx::closest, rule::declare_rule};

declare_rule! {
    /// ## What it does
    /// Reports MCP servers that a definition uses, by name or through one of their tools, and
    /// that neither it nor the project nor the user has configured. Nothing is reported where no
    /// server is configured at all.
    ///
    /// ## Why is this bad?
    /// The tools of the server are not there, and hosts do not say so.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/triage.md"
    /// ---
    /// name: triage
    /// description: Sorts new issues by what they are about.
    /// tools: Read, mcp__tracker__list_issues
    /// ---
    /// You sort issues.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/triage.md"
    /// ---
    /// name: triage
    /// description: Sorts new issues by what they are about.
    /// tools: Read, mcp__tracker__list_issues
    /// mcpServers:
    ///   - tracker:
    ///       type: http
    ///       url: https://tracker.example.com/mcp
    /// ---
    /// You sort issues.
    /// ```
    pub(super) static UNKNOWN_MCP_SERVER = {
        name: "unknown-mcp-server",
        summary: "uses an MCP server that nobody configured",
        level: Level::Warning,
        check: Check::Catalog(check),
    }
}

/// Servers that hosts start themselves, or that come with an account or a plugin.
const BROUGHT: &[&str] = &["ide", "plugin_", "claude_ai_", "claude-in-chrome"];

fn check(cx: &CatalogCx<'_>, findings: &mut Vec<Finding>) {
    let Some(known) = &cx.known.mcp_servers else { return };
    for entry in &cx.catalog.entries {
        for place in &entry.server_places {
            let name = place.what.as_str();
            let brought = BROUGHT.iter().any(|prefix| {
                name == *prefix || (prefix.ends_with('_') && name.starts_with(prefix))
            });
            // In the names of tools, hosts replace what is no letter or digit.
            let same =
                |other: &String| other == name || tool_spelling(other) == tool_spelling(name);
            if brought || known.iter().any(same) {
                continue;
            }
            let message = format!("no MCP server `{name}` is configured");
            let at = (place.start, place.end);
            let mut finding = Finding::of_entry(entry, &UNKNOWN_MCP_SERVER, at, message);
            finding.help(match closest(name, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "configure it, or do not use it".to_owned(),
            });
            findings.push(finding);
        }
    }
}

fn tool_spelling(name: &str) -> String {
    let spelt = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    name.chars().map(spelt).collect()
}
