//! `unsupported-effort`.

use crate::{
    dialect::{Outcome, documented, unverified},
    lint::{AgentCx, Check, Findings, Level, Safety, cx::closest, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports words for the reasoning effort that no model of the host takes, and an effort that
    /// has no effect because the model is inherited.
    ///
    /// ## Why is this bad?
    /// The agent thinks as hard as its caller, or its model call is refused, and nothing in the
    /// file says so.
    ///
    /// ## Bad
    /// ```toml title=".codex/agents/reviewer.toml"
    /// name = "reviewer"
    /// description = "Reviews a change and lists its defects."
    /// developer_instructions = "You review changes."
    /// model_reasoning_effort = "maximum"
    /// ```
    ///
    /// ## Good
    /// ```toml title=".codex/agents/reviewer.toml"
    /// name = "reviewer"
    /// description = "Reviews a change and lists its defects."
    /// developer_instructions = "You review changes."
    /// model_reasoning_effort = "xhigh"
    /// ```
    pub(super) static UNSUPPORTED_EFFORT = {
        name: "unsupported-effort",
        summary: "asks for a reasoning effort that the model does not have",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let definition = cx.definition();
    let models = cx.dialect().models;
    let personas = definition.personas.iter().filter_map(|one| one.reasoning_effort.as_ref());
    for effort in definition.model.effort.iter().chain(personas) {
        let word = effort.value.as_str();
        if models.efforts.is_empty() || models.efforts.contains(&word) || cx.is_faulted(effort.span)
        {
            continue;
        }
        let what = format!("`{word}` is not a reasoning effort that {} knows", cx.host());
        let fact = unverified(Outcome::FailsAtRun);
        let finding = cx.report_fact(findings, &UNSUPPORTED_EFFORT, effort.span, fact, what);
        finding.help(format!("write one of {}", listed(models.efforts)));
        if let Some(near) = closest(word, models.efforts.iter().copied()) {
            let text = cx.requoted(effort.span, near);
            finding.fix(Safety::Unsafe, format!("replace with `{near}`"), effort.span, text);
        }
    }
    effort_without_model(cx, findings);
}

fn effort_without_model(cx: &AgentCx<'_>, findings: &mut Findings) {
    let model = &cx.definition().model;
    let own = model.chain.iter().any(|name| name.value != "inherit");
    if let Some(effort) = model.effort.as_ref().filter(|_| !own)
        && cx.dialect().models.effort_needs_model
    {
        let what = format!("the effort `{effort}` counts only for a model of the agent's own");
        let fact = documented(Outcome::Ignored);
        cx.report_fact(findings, &UNSUPPORTED_EFFORT, effort.span, fact, what)
            .help("name a model, or take the effort out");
    }
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::UNSUPPORTED_EFFORT;
    use crate::lint::tests::check;

    #[test]
    fn an_inherited_model_takes_no_effort() {
        let text = "---\nname: a\nmodel: inherit\nreasoningEffort: high\n---\nbody\n";
        insta::assert_snapshot!(check(&UNSUPPORTED_EFFORT, ".factory/droids/a.md", text), @"
        4:18 warning the effort `high` counts only for a model of the agent's own; Factory ignores this without a message
          help: name a model, or take the effort out
        ");
    }

    #[test]
    fn what_the_table_refuses_is_told_once() {
        let text = "---\nname: a\ndescription: b\neffort: maximum\n---\nbody\n";
        insta::assert_snapshot!(check(&UNSUPPORTED_EFFORT, ".claude/agents/a.md", text), @"");
    }
}
