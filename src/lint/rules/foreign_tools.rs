//! `foreign-tools`.

use crate::{
    document::{Format, Node, Value},
    lint::{
        AgentCx, Check, Findings, Level, Safety,
        cx::level_of,
        keys::node_at,
        rule::declare_rule,
        tool_list::{self, Foreign, Listed, Sort},
        words::{counted, listed},
    },
    model::Access,
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports lists of tools that use the names of another host, and says what this host calls
    /// those tools.
    ///
    /// ## Why is this bad?
    /// The names mean nothing here: the agent runs without the tools, with none at all, or is
    /// refused.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// tools: [search/codebase, edit/editFiles, execute/runInTerminal]
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// tools: [Grep, Glob, Edit, Write, Bash]
    /// ---
    /// You review changes.
    /// ```
    pub(super) static FOREIGN_TOOLS = {
        name: "foreign-tools",
        summary: "lists tools by the names of another host",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

/// More translations than this do not fit in a message.
const MAX_TRANSLATIONS: usize = 6;

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let allowed: Vec<_> = tool_list::allowed(cx).collect();
    let Some(foreign) = tool_list::foreign(cx, &allowed) else { return };
    let Some((first, _)) = foreign.names.first() else { return };
    let tools = cx.dialect().tools;
    let names = listed(foreign.names.iter().map(|(name, _)| name.value.as_str()));
    let are = counted(foreign.names.len(), "is a tool", "are tools");
    let nothing_left =
        allowed.iter().all(|listed| is_foreign(&foreign, listed.name.span)) && !tools.open;
    let (fact, left) = if nothing_left && tools.unknown.outcome.loads() {
        (tools.none_left, ", and nothing else is listed")
    } else {
        (tools.unknown, "")
    };
    let message = format!(
        "{names} {are} of {}, not of {}{left}; {}",
        foreign.host,
        cx.host(),
        fact.sentence(cx.host())
    );
    let fails = fact.outcome == crate::dialect::Outcome::FailsAtRun
        && fact.confidence > crate::dialect::Confidence::Unverified;
    let level = if fails { Level::Error } else { level_of(fact) };
    let finding = findings.report(cx, &FOREIGN_TOOLS, first.span, message).level(level);
    finding.help(translations(&foreign));
    if let Some((span, text)) = rewritten(cx, &allowed, &foreign) {
        finding.fix(Safety::Unsafe, "write the names of this host", span, text);
    }
}

fn is_foreign(foreign: &Foreign<'_>, span: Span) -> bool {
    foreign.names.iter().any(|(name, _)| name.span == span)
}

fn translations(foreign: &Foreign<'_>) -> String {
    let translated = foreign.names.iter().filter(|(_, own)| !own.is_empty());
    let all: Vec<_> =
        translated.map(|(name, own)| format!("{name} → {}", own.join(" and "))).collect();
    let lost: Vec<_> = foreign
        .names
        .iter()
        .filter(|(_, own)| own.is_empty())
        .map(|(name, _)| name.value.as_str())
        .collect();
    let more = match all.len().saturating_sub(MAX_TRANSLATIONS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown = all.iter().take(MAX_TRANSLATIONS).cloned().collect::<Vec<_>>().join(", ");
    match (shown.is_empty(), lost.is_empty()) {
        (false, true) => format!("write {shown}{more}"),
        (false, false) => format!("write {shown}{more}; nothing here is like {}", listed(lost)),
        (true, _) => "remove them: nothing here is like them".to_owned(),
    }
}

/// The whole list in this host's names, if every name has one.
fn rewritten(
    cx: &AgentCx<'_>,
    allowed: &[Listed<'_>],
    foreign: &Foreign<'_>,
) -> Option<(Span, String)> {
    let Access::Listed(list) = &cx.definition().tools.allowed else { return None };
    let known = |listed: &Listed<'_>| !matches!(listed.sort, Sort::Unknown | Sort::Wildcard);
    let node: &Node = node_at(&cx.document.root, list.span)?;
    let written = cx.source.slice(list.span);
    // Comments among the names would be lost, and only YAML takes names without quotes.
    if written.contains('#') || matches!(cx.document.format, Format::Json | Format::Toml) {
        return None;
    }
    let mut names: Vec<&str> = Vec::new();
    for listed in allowed {
        let own = foreign.names.iter().find(|(name, _)| name.span == listed.name.span);
        match own {
            Some((_, own)) if own.is_empty() => return None,
            Some((_, own)) => names.extend(own),
            None if known(listed) => names.push(cx.source.slice(listed.name.span)),
            None => return None,
        }
    }
    let mut seen = Vec::new();
    names.retain(|name| {
        !seen.contains(name) && {
            seen.push(*name);
            true
        }
    });
    match &node.value {
        Value::List(_) => Some((list.span, format!("[{}]", names.join(", ")))),
        Value::Text(_) if !names.iter().any(|name| name.contains(['*', '"', '\''])) => {
            Some((list.span, names.join(", ")))
        }
        _ => None,
    }
}

/// Whether every name of the list belongs to another host, so that this rule says all there is.
pub(super) fn says_it_all(cx: &AgentCx<'_>, allowed: &[Listed<'_>]) -> bool {
    tool_list::foreign(cx, allowed)
        .is_some_and(|foreign| allowed.iter().all(|listed| is_foreign(&foreign, listed.name.span)))
}

#[cfg(test)]
mod tests {
    use super::FOREIGN_TOOLS;
    use crate::lint::tests::check;

    #[test]
    fn names_every_host_s_tools_once_per_agent() {
        let text = "---\nname: a\ndescription: b\ntools: Read, search/codebase, problems, vscodeAPI\n---\nbody\n";
        insta::assert_snapshot!(check(&FOREIGN_TOOLS, ".claude/agents/a.md", text), @"
        4:14 warning `search/codebase`, `problems` and `vscodeAPI` are tools of GitHub Copilot, not of Claude Code; Claude Code probably ignores this without a message
          help: write search/codebase → Grep and Glob, problems → Bash; nothing here is like `vscodeAPI`
        ");
    }

    #[test]
    fn claude_s_names_are_dead_in_qwen_and_refused_by_gemini() {
        let text = "---\nname: abc\ndescription: b\ntools: [Read, Grep, Bash]\n---\nDo the work.\n";
        insta::assert_snapshot!(check(&FOREIGN_TOOLS, ".qwen/agents/a.md", text), @"
        4:9 warning `Read` and `Bash` are tools of Claude Code, not of Qwen Code; Qwen Code ignores this without a message
          help: write Read → read_file, Bash → run_shell_command
          fix (Unsafe): write the names of this host
            tools: [read_file, Grep, run_shell_command]
        ");
        insta::assert_snapshot!(check(&FOREIGN_TOOLS, ".gemini/agents/a.md", text), @"
        4:9 error `Read`, `Grep` and `Bash` are tools of Claude Code, not of Gemini CLI; Gemini CLI rejects this agent
          help: write Read → read_file, Grep → grep_search, Bash → run_shell_command
          fix (Unsafe): write the names of this host
            tools: [read_file, grep_search, run_shell_command]
        ");
    }

    #[test]
    fn a_single_name_in_the_wrong_case_is_a_slip() {
        let text = "---\nname: a\ndescription: b\ntools: Read, bash\n---\nbody\n";
        assert_eq!(check(&FOREIGN_TOOLS, ".claude/agents/a.md", text), "");
    }
}
