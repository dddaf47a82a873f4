//! `shell-and-web`.

use crate::{
    dialect::Meaning,
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
    model::{Effect, canonical_tool},
    text::Spanned,
};

declare_rule! {
    /// ## What it does
    /// Reports agents that list both an unrestricted shell and access to the web.
    ///
    /// ## Why is this bad?
    /// What stands on a web page can then become a command: an instruction hidden in a page
    /// reaches an agent that can obey it. It is often needed, which is why this is a note.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/researcher.md"
    /// ---
    /// name: researcher
    /// description: Looks things up and tries them out.
    /// tools: Read, Bash, WebFetch
    /// ---
    /// You look things up.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/researcher.md"
    /// ---
    /// name: researcher
    /// description: Looks things up and tries them out.
    /// tools: Read, WebFetch
    /// ---
    /// You look things up.
    /// ```
    pub(super) static SHELL_AND_WEB = {
        name: "shell-and-web",
        summary: "can read the web and run any command",
        level: Level::Info,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let shell = first_with(cx, Effect::Execute).filter(|name| !name.value.contains('('));
    let (Some(shell), Some(web)) = (shell, first_with(cx, Effect::Network)) else { return };
    let message = format!("with `{web}` and `{shell}`, what a web page says can become a command");
    let finding = findings.report(cx, &SHELL_AND_WEB, shell.span, message);
    finding.help("split the agent in two, or restrict what the shell may run");
}

/// The first listed tool that does `effect` and is not taken away again.
fn first_with<'a>(cx: &AgentCx<'a>, effect: Effect) -> Option<&'a Spanned<String>> {
    let does = |meaning: &Meaning| match meaning {
        Meaning::Tools(names) => {
            names.iter().filter_map(|name| canonical_tool(name)).any(|tool| tool.effect == effect)
        }
        _ => false,
    };
    let denied = |name: &str| cx.denied().any(|(denied, _)| denied.value == name);
    cx.allowed().find(|(name, meaning)| does(meaning) && !denied(&name.value)).map(|(name, _)| name)
}
