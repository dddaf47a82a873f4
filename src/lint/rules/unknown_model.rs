//! `unknown-model`.

use crate::{
    dialect::{Family, ModelName},
    lint::{AgentCx, Check, Findings, Level, Safety, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports names of models that the host cannot resolve: a misspelt alias, a name without the
    /// provider where the host insists on `provider/model`, a name that the file does not declare,
    /// or the name people see in a menu.
    ///
    /// ## Why is this bad?
    /// Few hosts look at the name before they use it. The agent loads and fails when it is run, or
    /// quietly runs with another model.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// model: sonet
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ```markdown title=".opencode/agent/planner.md"
    /// ---
    /// description: Plans a change.
    /// mode: subagent
    /// model: claude-sonnet-4-5
    /// ---
    /// You plan changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// model: sonnet
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ```markdown title=".opencode/agent/planner.md"
    /// ---
    /// description: Plans a change.
    /// mode: subagent
    /// model: anthropic/claude-sonnet-4-5
    /// ---
    /// You plan changes.
    /// ```
    pub(super) static UNKNOWN_MODEL = {
        name: "unknown-model",
        summary: "names a model that the host cannot resolve",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let models = cx.dialect().models;
    let declared = cx.declared_models();
    for name in cx.models() {
        let written = name.value.as_ref();
        let seen = models.recognise(written, &declared);
        let (what, help) = match seen {
            ModelName::Misspelt(alias) => {
                (format!("`{written}` is not a model"), format!("did you mean `{alias}`?"))
            }
            ModelName::DisplayName => (
                format!("`{written}` is a name for people, not the id of a model"),
                "write the id of the model".to_owned(),
            ),
            ModelName::NoProvider => no_provider(cx, written),
            ModelName::UnknownProvider(provider) => (
                format!("`{provider}` is not a provider that {} brings", cx.host()),
                format!("declare `[providers.{provider}]` in the configuration"),
            ),
            ModelName::Plausible | ModelName::Foreign(_) | ModelName::ForeignAlias => continue,
        };
        let finding = cx.report_fact(findings, &UNKNOWN_MODEL, name.span, models.unknown, what);
        finding.help(help);
        if let ModelName::Misspelt(alias) = seen {
            let text = cx.requoted(name.span, alias);
            finding.fix(Safety::Unsafe, format!("replace with `{alias}`"), name.span, text);
        }
    }
}

fn no_provider(cx: &AgentCx<'_>, written: &str) -> (String, String) {
    let what = match cx.dialect().models.declared_in {
        Some(key) => {
            format!("`{written}` is neither `provider/model` nor declared under `{key}`")
        }
        None => format!("`{written}` has no provider in front"),
    };
    let help = match Family::of(written) {
        Some(family) if family.owns(written) => {
            format!("write the provider in front, as in `{}/{written}`", family.provider)
        }
        _ => "write `provider/model`".to_owned(),
    };
    (what, help)
}

#[cfg(test)]
mod tests {
    use super::UNKNOWN_MODEL;
    use crate::lint::tests::check;

    #[test]
    fn a_model_of_a_docker_file_is_declared_or_has_a_provider() {
        let text = "models:\n  main:\n    provider: openai\n    model: gpt-5\nagents:\n  root:\n    \
                    model: main,openai/gpt-5,mian\n    instruction: x\n";
        insta::assert_snapshot!(check(&UNKNOWN_MODEL, "team.yaml", text), @"
        7:30 error `mian` is neither `provider/model` nor declared under `models`; Docker Agent does not start with this file
          help: write `provider/model`
        ");
    }

    #[test]
    fn quotes_survive_the_fix() {
        let text = "---\nname: a\ndescription: b\nmodel: \"hiaku\"\n---\nbody\n";
        insta::assert_snapshot!(check(&UNKNOWN_MODEL, ".claude/agents/a.md", text), @r#"
        4:8 warning `hiaku` is not a model; Claude Code probably loads this agent and fails when it runs
          help: did you mean `haiku`?
          fix (Unsafe): replace with `haiku`
            model: "haiku"
        "#);
    }
}
