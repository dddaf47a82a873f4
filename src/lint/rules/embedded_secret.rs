//! `embedded-secret`.

use crate::lint::{
    AgentCx, Check, Findings, Level, once::speaks_for_file, rule::declare_rule, secret::secrets,
};

declare_rule! {
    /// ## What it does
    /// Reports keys, tokens and private keys in a definition. Examples and placeholders are left
    /// alone. The message shows no more than the first four characters.
    ///
    /// ## Why is this bad?
    /// Definitions are shared, and their text is sent to model providers with every request.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/tracker.md"
    /// ---
    /// name: tracker
    /// description: Sorts new issues by what they are about.
    /// mcp_servers:
    ///   tracker:
    ///     http_url: https://tracker.example.com/mcp
    ///     headers:
    ///       Authorization: Bearer q7Rz0VbT4mWk9XcJ2sLd8NfH5gPyE1aU
    /// ---
    /// You sort issues.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/tracker.md"
    /// ---
    /// name: tracker
    /// description: Sorts new issues by what they are about.
    /// mcp_servers:
    ///   tracker:
    ///     http_url: https://tracker.example.com/mcp
    ///     headers:
    ///       Authorization: Bearer $TRACKER_TOKEN
    /// ---
    /// You sort issues.
    /// ```
    pub(super) static EMBEDDED_SECRET = {
        name: "embedded-secret",
        summary: "has a key or token in it",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    if !speaks_for_file(cx) {
        return;
    }
    for secret in secrets(cx.source.text()) {
        let start: String = cx.source.slice(secret.span).chars().take(4).collect();
        let message = format!("this looks like {} (`{start}…`)", secret.kind);
        let level = if secret.certain { Level::Error } else { Level::Warning };
        let finding =
            findings.report(cx, &EMBEDDED_SECRET, secret.span, message).level(level).secret();
        finding.help("take it out, revoke it, and read it from the environment");
    }
}
