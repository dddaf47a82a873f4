//! `no-front-matter`.

use crate::{
    dialect::{FaultKind, Outcome},
    lint::{AgentCx, Check, Findings, Level, cx::level_of, rule::declare_rule},
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports Markdown files in a folder of agents that have no front matter.
    ///
    /// ## Why is this bad?
    /// The host cannot know what the agent is called or what it is for. It leaves the file out,
    /// or, in a plugin, loads it as an agent with every tool.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// ---
    /// You review changes.
    /// ```
    pub(super) static NO_FRONT_MATTER = {
        name: "no-front-matter",
        summary: "has no front matter",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let found = cx.faults().find(|fault| fault.kind == FaultKind::NoFrontMatter);
    let Some(fault) = found else { return };
    // A file that the host passes over may well be a note about the agents beside it.
    let level = match fault.outcome {
        Outcome::Skipped => Level::Warning,
        _ => level_of(fault.fact()),
    };
    let mut fault = fault.clone();
    fault.span = first_line(cx);
    cx.report_fact(
        findings,
        &NO_FRONT_MATTER,
        fault.span,
        fault.fact(),
        "there is no front matter",
    )
    .level(level)
    .help("start the file with `---`, its keys and `---`, or move it out of this folder");
}

/// The first line that says something.
fn first_line(cx: &AgentCx<'_>) -> Span {
    let text = cx.source.text();
    let start = text.len() - text.trim_start().len();
    let length = text[start..].lines().next().map_or(0, str::len);
    Span::new(start, start + length)
}

#[cfg(test)]
mod tests {
    use super::NO_FRONT_MATTER;
    use crate::lint::tests::check;

    #[test]
    fn a_note_beside_agents_is_no_error_but_a_plugin_makes_an_agent_of_it() {
        let text = "# How we work\n";
        insta::assert_snapshot!(check(&NO_FRONT_MATTER, ".claude/agents/how.md", text), @"
        1:1 warning there is no front matter; Claude Code skips this agent without a message
          help: start the file with `---`, its keys and `---`, or move it out of this folder
        ");
        insta::assert_snapshot!(check(&NO_FRONT_MATTER, "plugins/db/agents/how.md", text), @"
        1:1 error there is no front matter; Claude Code loads this agent under its file name with every tool
          help: start the file with `---`, its keys and `---`, or move it out of this folder
        ");
    }
}
