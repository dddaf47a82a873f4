//! `undefined-variable`.

use crate::{
    dialect::Template,
    lint::{
        AgentCx, Check, Findings, Level, Safety, cx::closest, reading::Text, rule::declare_rule,
    },
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports names in a prompt template that are neither declared as inputs nor put in by the
    /// host. In agentctl's own files those are `${name}` beyond the declared inputs and `cwd`,
    /// `prompt`, `agent_type` and `today`; in Goose recipes, `{{ name }}`.
    ///
    /// ## Why is this bad?
    /// The prompt cannot be rendered, and the run ends before the model is asked.
    ///
    /// ## Bad
    /// ```markdown title="agents/reviewer.md"
    /// ---
    /// agentType: reviewer
    /// whenToUse: Reviews a file and lists its defects.
    /// inputConfig:
    ///   inputs:
    ///     file_path: {type: string, required: true, description: The file to review}
    /// ---
    /// You review ${filepath} and list its defects.
    /// ```
    ///
    /// ## Good
    /// ```markdown title="agents/reviewer.md"
    /// ---
    /// agentType: reviewer
    /// whenToUse: Reviews a file and lists its defects.
    /// inputConfig:
    ///   inputs:
    ///     file_path: {type: string, required: true, description: The file to review}
    /// ---
    /// You review ${file_path} and list its defects. Home is $${HOME}.
    /// ```
    pub(super) static UNDEFINED_VARIABLE = {
        name: "undefined-variable",
        summary: "uses a name in its prompt that nothing defines",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

/// Words of the template language itself.
const LANGUAGE: &[&str] =
    &["true", "false", "none", "True", "False", "None", "not", "loop", "self", "super"];

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let Some(template) = cx.entry.form.prompts.template else { return };
    let texts = template_texts(cx, &template);
    // Statements can define names of their own, in ways only the template language knows.
    if texts.iter().any(|text| text.text.contains("{%")) {
        return;
    }
    let inputs = || cx.definition().inputs.iter().map(|input| input.name.value.as_str());
    let mut told: Vec<&str> = Vec::new();
    for text in &texts {
        for found in template.uses(text.text) {
            let defined = inputs().chain(template.known.iter().copied()).any(|n| n == found.name);
            let is_call = found.rest.starts_with('(');
            if defined || is_call || LANGUAGE.contains(&found.name) || told.contains(&found.name) {
                continue;
            }
            told.push(found.name);
            let place = cx.place_in(*text, found.at, found.end);
            let near = closest(found.name, inputs().chain(template.known.iter().copied()));
            report(cx, findings, &template, found.name, place, near);
        }
    }
}

fn report(
    cx: &AgentCx<'_>,
    findings: &mut Findings,
    template: &Template,
    name: &str,
    place: Span,
    near: Option<&str>,
) {
    let Template { open, close, .. } = template;
    let what = format!("nothing defines `{name}`, which the prompt uses");
    let finding = cx.report_fact(findings, &UNDEFINED_VARIABLE, place, template.undefined, what);
    let Some(near) = near else {
        let escape = if *open == "${" { ", or write `$$` for a `$` that stays" } else { "" };
        let inputs = cx.definition().inputs.iter().map(|input| input.name.value.as_str());
        let names: Vec<_> =
            inputs.chain(template.known.iter().copied()).map(|name| format!("`{name}`")).collect();
        let there = names.join(", ");
        finding.help(format!("declare it as an input{escape}; there are {there}"));
        return;
    };
    finding.help(format!("did you mean `{open}{near}{close}`?"));
    let written = cx.source.slice(place);
    if written.starts_with(open)
        && let Some(at) = written.find(name)
    {
        let span = Span::new(at, at + name.len()).shifted(place.start as usize);
        finding.fix(Safety::Unsafe, format!("replace with `{near}`"), span, near);
    }
}

/// The texts in which names are replaced.
pub(super) fn template_texts<'a>(cx: &AgentCx<'a>, template: &Template) -> Vec<Text<'a>> {
    if template.whole_file {
        let text = cx.source.text();
        vec![Text { text, span: Span::new(0, text.len()), exact: true }]
    } else {
        cx.texts()
    }
}

#[cfg(test)]
mod tests {
    use super::UNDEFINED_VARIABLE;
    use crate::lint::tests::check;

    #[test]
    fn expressions_count_by_their_leading_name_and_other_dollars_are_text() {
        let text = "---\nagentType: a\ninputConfig:\n  inputs:\n    items: {type: \"string[]\", \
                    description: d}\n---\n${ items[0] | upper } $HOME $${HOME} ${cwd} ${range(3)}\n\
                    ${ ghost | upper } and ${ghost}\n";
        insta::assert_snapshot!(check(&UNDEFINED_VARIABLE, "agents/a.md", text), @"
        8:1 error nothing defines `ghost`, which the prompt uses; agentctl loads this agent and fails when it runs
          help: declare it as an input, or write `$$` for a `$` that stays; there are `items`, `cwd`, `prompt`, `agent_type`, `today`
        ");
    }

    #[test]
    fn a_name_in_a_value_is_pointed_at_and_mended() {
        let text = "agentType: a\npromptConfig:\n  systemPrompt: |\n    Do ${promt}.\n  \
                    query: Begin.\n";
        insta::assert_snapshot!(check(&UNDEFINED_VARIABLE, "agents/a.yaml", text), @"
        4:8 error nothing defines `promt`, which the prompt uses; agentctl loads this agent and fails when it runs
          help: did you mean `${prompt}`?
          fix (Unsafe): replace with `prompt`
                Do ${prompt}.
        ");
    }

    #[test]
    fn a_recipe_is_a_template_as_a_whole() {
        let text = "version: 1.0.0\ntitle: t\ndescription: d\ninstructions: Look at {{ target }} in \
                    {{ recipe_dir }}.\n";
        insta::assert_snapshot!(check(&UNDEFINED_VARIABLE, ".goose/recipes/a.yaml", text), @"
        4:23 error nothing defines `target`, which the prompt uses; Goose rejects this agent
          help: declare it as an input; there are `recipe_dir`
        ");
    }
}
