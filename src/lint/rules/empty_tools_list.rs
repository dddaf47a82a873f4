//! `empty-tools-list`.

use crate::{
    dialect::{Grant, Slot},
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports `tools: []`.
    ///
    /// ## Why is this bad?
    /// It reads like "no tool". Qwen Code takes it for a list that is not there, and gives the
    /// agent every tool. Elsewhere the agent can only talk, which is seldom what one wants.
    ///
    /// ## Bad
    /// ```markdown title=".qwen/agents/adviser.md"
    /// ---
    /// name: adviser
    /// description: Answers questions about the design.
    /// tools: []
    /// ---
    /// You answer questions.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".qwen/agents/adviser.md"
    /// ---
    /// name: adviser
    /// description: Answers questions about the design.
    /// tools: [read_file]
    /// ---
    /// You answer questions.
    /// ```
    pub(super) static EMPTY_TOOLS_LIST = {
        name: "empty-tools-list",
        summary: "has an empty list of tools",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let tools = cx.dialect().tools;
    let fields = cx.entry.form.fields.iter().filter(|field| field.slot == Slot::Tools);
    let empty = fields.filter_map(|field| cx.field(field.key)).find(|field| {
        let written = cx.source.slice(field.value);
        let inner = written.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        inner.is_some_and(|inner| inner.trim().is_empty())
    });
    let Some(field) = empty.filter(|_| !tools.tools.is_empty()) else { return };
    let (level, what, help) = match tools.empty {
        Grant::Everything => {
            (Level::Error, "gives this agent every tool", "name the tools it may use")
        }
        Grant::Nothing => {
            (Level::Info, "leaves this agent without any tool", "name the tools it may use")
        }
        Grant::Unknown => return,
    };
    let message = format!("an empty list {what} in {}", cx.host());
    findings.report(cx, &EMPTY_TOOLS_LIST, field.value, message).level(level).help(help);
}

#[cfg(test)]
mod tests {
    use super::EMPTY_TOOLS_LIST;
    use crate::lint::tests::check;

    #[test]
    fn nothing_is_meant_where_nothing_is_given() {
        let text = "---\nname: abc\ndescription: b\ntools: [ ]\n---\nDo the work.\n";
        insta::assert_snapshot!(check(&EMPTY_TOOLS_LIST, ".claude/agents/a.md", text), @"
        4:8 info an empty list leaves this agent without any tool in Claude Code
          help: name the tools it may use
        ");
        insta::assert_snapshot!(check(&EMPTY_TOOLS_LIST, ".qwen/agents/a.md", text), @"
        4:8 error an empty list gives this agent every tool in Qwen Code
          help: name the tools it may use
        ");
    }
}
