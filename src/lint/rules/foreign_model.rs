//! `foreign-model`.

use crate::{
    dialect::{ModelName, Outcome},
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports models that only another host has, and words such as `sonnet` or `inherit` where
    /// the host takes them for the name of a model.
    ///
    /// ## Why is this bad?
    /// The file was written for another host. This one loads the agent, asks its provider for a
    /// model that is not there, and fails when the agent is run.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// model: sonnet
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// model: inherit
    /// ---
    /// You review changes.
    /// ```
    pub(super) static FOREIGN_MODEL = {
        name: "foreign-model",
        summary: "names a model that only another host has",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let models = cx.dialect().models;
    for name in cx.models() {
        let written = name.value.as_ref();
        let what = match models.recognise(written, &[]) {
            ModelName::Foreign(family) => format!("`{written}` is a model of {}", family.maker),
            ModelName::ForeignAlias => {
                format!("`{written}` stands for a model in other hosts only")
            }
            _ => continue,
        };
        let help = if models.aliases.contains(&"inherit") {
            "name a model of this host, or write `inherit`"
        } else {
            "name a model of this host, or leave the key out"
        };
        let finding = cx.report_fact(findings, &FOREIGN_MODEL, name.span, models.on_foreign, what);
        if models.on_foreign.outcome == Outcome::Ignored {
            finding.message.push_str(" and takes its caller's model");
        }
        finding.help(help);
    }
}

#[cfg(test)]
mod tests {
    use super::FOREIGN_MODEL;
    use crate::lint::tests::check;

    #[test]
    fn what_a_gateway_could_serve_is_no_error() {
        let text = "---\nname: a\ndescription: b\nmodel: gpt-5\n---\nbody\n";
        insta::assert_snapshot!(check(&FOREIGN_MODEL, ".claude/agents/a.md", text), @"
        4:8 warning `gpt-5` is a model of OpenAI; Claude Code probably loads this agent and fails when it runs
          help: name a model of this host, or write `inherit`
        ");
    }

    #[test]
    fn codex_has_no_word_for_the_parent_s_model() {
        let text = "name = \"a\"\ndescription = \"b\"\ndeveloper_instructions = \"c\"\nmodel = \"inherit\"\n";
        insta::assert_snapshot!(check(&FOREIGN_MODEL, ".codex/agents/a.toml", text), @"
        4:9 warning `inherit` stands for a model in other hosts only; Codex probably loads this agent and fails when it runs
          help: name a model of this host, or leave the key out
        ");
    }
}
