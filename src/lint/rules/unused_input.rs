//! `unused-input`.

use super::undefined_variable::template_texts;
use crate::{
    dialect::Template,
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports inputs that are declared and used in no text of the definition.
    ///
    /// ## Why is this bad?
    /// A caller fills the input in, and the agent never hears of it. Goose refuses such a recipe.
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
    /// You review a file and list its defects.
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
    /// You review ${file_path} and list its defects.
    /// ```
    pub(super) static UNUSED_INPUT = {
        name: "unused-input",
        summary: "declares an input that no text uses",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let Some(template) = cx.entry.form.prompts.template else { return };
    let texts = template_texts(cx, &template);
    for input in &cx.definition().inputs {
        let name = input.name.value.as_str();
        if !texts.iter().any(|text| is_used(&template, text.text, name)) {
            let what = format!("no text uses the input `{name}`");
            let help = format!(
                "write `{}{name}{}` where the agent should read it, or remove the input",
                template.open, template.close
            );
            cx.report_fact(findings, &UNUSED_INPUT, input.name.span, template.unused, what)
                .help(help);
        }
    }
}

/// Whether `name` stands anywhere in an expression or a statement.
fn is_used(template: &Template, text: &str, name: &str) -> bool {
    let marks = [(template.open, template.close), ("{%", "%}")];
    marks.iter().any(|(open, close)| {
        let opened = text.match_indices(open).map(|(at, _)| &text[at + open.len()..]);
        // Where one is not closed, none after it is.
        let mut inner = opened.map_while(|rest| Some(&rest[..rest.find(close)?]));
        inner.any(|inner| has_word(inner, name))
    })
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))
        .flat_map(|part| [part, part.trim_matches('-')])
        .any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use super::UNUSED_INPUT;
    use crate::lint::tests::check;

    #[test]
    fn a_name_inside_of_an_expression_or_statement_is_used() {
        let text = "agentType: a\ninputConfig:\n  inputs:\n    one: {type: string, description: d}\n    \
                    two: {type: string, description: d}\n    three: {type: string, description: d}\n\
                    promptConfig:\n  systemPrompt: '${ \"x\" ~ one }'\n  query: '{% if two %}y{% endif %}'\n";
        insta::assert_snapshot!(check(&UNUSED_INPUT, "agents/a.yaml", text), @"
        6:5 warning no text uses the input `three`; agentctl ignores this without a message
          help: write `${three}` where the agent should read it, or remove the input
        ");
    }
}
