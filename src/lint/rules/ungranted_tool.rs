//! `ungranted-tool`.

use super::tool_mention::{Mention, may_mention, mentions};
use crate::{
    dialect::{Grant, HostTool, McpSyntax, Meaning, dialect},
    lint::{AgentCx, Check, Findings, Level, prose, reading::Text, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports a prompt that tells the agent to use a tool which its own list of tools does not
    /// grant, or takes away. Only plain instructions count, such as "use the `Bash` tool"; code,
    /// examples, quotations and prohibitions do not.
    ///
    /// ## Why is this bad?
    /// The agent is told to do what it cannot do. It gives up, or finds another way that nobody
    /// asked for.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// tools: Read, Grep
    /// ---
    /// You review changes. Use the Bash tool to run the tests first.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// tools: Read, Grep, Bash
    /// ---
    /// You review changes. Use the Bash tool to run the tests first.
    /// ```
    pub(super) static UNGRANTED_TOOL = {
        name: "ungranted-tool",
        summary: "tells its agent to use a tool it does not have",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let Some(granted) = Granted::of(cx) else { return };
    let mut told: Vec<&str> = Vec::new();
    for text in cx.texts().into_iter().filter(|text| may_mention(text.text)) {
        for line in prose::lines(text.text) {
            for mention in mentions(&line) {
                if !told.contains(&mention.name) && report(cx, findings, &granted, text, mention) {
                    told.push(mention.name);
                }
            }
        }
    }
}

fn report(
    cx: &AgentCx<'_>,
    findings: &mut Findings,
    granted: &Granted<'_>,
    text: Text<'_>,
    mention: Mention<'_>,
) -> bool {
    let Mention { name, at, .. } = mention;
    let Some(tools) = meant(cx, &mention) else { return false };
    let why = match granted.has(name, tools) {
        Held::Granted => return false,
        Held::Ungranted => "its list of tools does not grant it",
        Held::Denied => "its list of forbidden tools takes it away",
    };
    let message = format!("the prompt says to use `{name}`, but {why}");
    let place = cx.place_in(text, at, at + name.len());
    findings
        .report(cx, &UNGRANTED_TOOL, place, message)
        .help(format!("grant `{name}`, or take the instruction out"));
    true
}

/// The tools a name stands for in this host, or plainly in another; `None` if it is not a tool, or
/// one that sub-agents never or always have.
fn meant(cx: &AgentCx<'_>, mention: &Mention<'_>) -> Option<&'static [&'static str]> {
    let vocabulary = cx.dialect().tools;
    // Prose is held to the spelling of the table even where lists are not.
    let exact = |tool: &&HostTool| tool.name == mention.name;
    if let Some(tool) = vocabulary.tools.iter().find(exact) {
        let usable = tool.for_subagents && !tool.canonical.contains(&"complete_task");
        return (usable && mention.is_plain()).then_some(tool.canonical);
    }
    let other = dialect("agentctl")?.tools.tool(mention.name)?;
    let usable = other.for_subagents && !other.canonical.contains(&"complete_task");
    let has_counterpart = vocabulary
        .tools
        .iter()
        .any(|tool| tool.canonical.iter().any(|name| other.canonical.contains(name)));
    // A name of another host may be anything here, unless it is called a tool.
    (usable && has_counterpart && mention.called_tool && mention.is_plain())
        .then_some(other.canonical)
}

enum Held {
    Granted,
    Ungranted,
    Denied,
}

/// What a definition grants, where that can be told.
struct Granted<'a> {
    /// Names and what they stand for; `None` without a list.
    allowed: Option<Vec<(&'a str, &'static [&'static str])>>,
    denied: Vec<(&'a str, &'static [&'static str])>,
    /// Whether tools of MCP servers are granted, whose short names can be anything.
    servers: bool,
}

impl<'a> Granted<'a> {
    /// `None` if anything in the lists could grant anything.
    fn of(cx: &AgentCx<'a>) -> Option<Self> {
        let vocabulary = cx.dialect().tools;
        let mut servers = !cx.definition().references.mcp_servers.is_empty();
        let listed = cx.definition().tools.allowed.names();
        let opens = listed.is_some_and(<[_]>::is_empty) && vocabulary.empty != Grant::Nothing;
        let mut allowed = listed.map(|_| Vec::new()).filter(|_| !opens);
        for (name, meaning) in cx.allowed() {
            let tools = match meaning {
                Meaning::Everything | Meaning::Unknown => return None,
                Meaning::Tools(tools) => tools,
                Meaning::Mcp { server, .. } => {
                    servers = true;
                    // `search/codebase` is part of `search`.
                    vocabulary.tool(&server).map_or(&[] as &[_], |tool| tool.canonical)
                }
            };
            servers |= tools.is_empty() && vocabulary.mcp == McpSyntax::None;
            if let Some(allowed) = &mut allowed {
                allowed.push((name.value.as_str(), tools));
            }
        }
        // A folder for memories brings the tools to keep them.
        if let (Some(allowed), Some(_)) = (&mut allowed, cx.field("memory")) {
            allowed.push(("memory", &["read_file", "write_file", "apply_patch"]));
        }
        let denied = cx
            .denied()
            .filter(|(name, _)| !name.value.contains('('))
            .filter_map(|(name, meaning)| match meaning {
                Meaning::Tools(tools) => Some((name.value.as_str(), tools)),
                _ => None,
            })
            .collect::<Vec<_>>();
        (allowed.is_some() || !denied.is_empty()).then_some(Self { allowed, denied, servers })
    }

    fn has(&self, name: &str, tools: &[&str]) -> Held {
        let covers = |list: &[(&str, &[&str])]| {
            list.iter().any(|(other, theirs)| {
                *other == name || theirs.iter().any(|tool| tools.contains(tool))
            })
        };
        if covers(&self.denied) {
            return Held::Denied;
        }
        match &self.allowed {
            None => Held::Granted,
            Some(allowed) if covers(allowed) => Held::Granted,
            // `search` may be the short name of a server's tool.
            Some(_) if self.servers && !name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                Held::Granted
            }
            Some(_) => Held::Ungranted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::UNGRANTED_TOOL;
    use crate::lint::tests::check;

    fn claude(tools: &str, body: &str) -> String {
        let text = format!("---\nname: a\ndescription: b\n{tools}\n---\n{body}\n");
        check(&UNGRANTED_TOOL, ".claude/agents/a.md", &text)
    }

    #[test]
    fn points_at_the_tool_in_the_prompt() {
        insta::assert_snapshot!(claude("tools: Read", "Look around.\n- Then search using the `WebSearch` tool."), @"
        7:26 warning the prompt says to use `WebSearch`, but its list of tools does not grant it
          help: grant `WebSearch`, or take the instruction out
        ");
        insta::assert_snapshot!(claude("disallowedTools: Bash", "Always use the Bash tool."), @"
        6:16 warning the prompt says to use `Bash`, but its list of forbidden tools takes it away
          help: grant `Bash`, or take the instruction out
        ");
    }

    #[test]
    fn prohibitions_and_what_others_do_are_not_instructions() {
        for body in [
            "Do not use the Bash tool.",
            "Never:\n- use the Bash tool",
            "## Don'ts\n- Use the Bash tool",
            "You work without using the Bash tool.",
            "Do not under any\ncircumstances use the Bash tool.",
            "The parent agent will use the Bash tool.",
            "If available, use the Bash tool.",
            "```\nuse the Bash tool\n```",
            "Agents that use the Bash tool are slow.",
            "assistant: \"I'm going to use the Task tool\"",
            "Use Read instead of using the Bash tool.",
            "Use the Read or Bash tools.",
            "Use `bash` scripts.",
        ] {
            assert_eq!(claude("tools: Read", body), "", "{body}");
        }
    }

    #[test]
    fn any_granted_spelling_of_the_same_tool_counts() {
        assert_eq!(claude("tools: Edit, Bash(git:*)", "Use the MultiEdit and Bash tools."), "");
        assert_eq!(claude("tools: Read\nmemory: user", "Use the Write tool."), "");
        assert_eq!(claude("", "Use the Bash tool."), "");
    }
}
