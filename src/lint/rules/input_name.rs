//! `input-name`.

use crate::{
    dialect::{Field, Kind, Slot},
    document::{Node, Value},
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
    model::{Input, InputType, TEMPLATE_VARIABLES},
};

declare_rule! {
    /// ## What it does
    /// Reports inputs that a prompt cannot use by their name, that are declared twice or hide a
    /// variable every prompt has (`agent_type`, `cwd`, `prompt`, `today`), and defaults that are
    /// never used or of another type than the input.
    ///
    /// ## Why is this bad?
    /// The value the caller gives never reaches the prompt, or another one does.
    ///
    /// ## Bad
    /// ```yaml title="agents/reviewer.yaml"
    /// agentType: reviewer
    /// whenToUse: Reviews a change and lists its defects.
    /// tools: [read_file]
    /// inputConfig:
    ///   inputs:
    ///     file path:
    ///       type: string
    ///       required: true
    ///       description: What to review.
    /// promptConfig:
    ///   systemPrompt: You review changes.
    /// ```
    ///
    /// ## Good
    /// ```yaml title="agents/reviewer.yaml"
    /// agentType: reviewer
    /// whenToUse: Reviews a change and lists its defects.
    /// tools: [read_file]
    /// inputConfig:
    ///   inputs:
    ///     file_path:
    ///       type: string
    ///       required: true
    ///       description: What to review.
    /// promptConfig:
    ///   systemPrompt: You review ${file_path}.
    /// ```
    pub(super) static INPUT_NAME = {
        name: "input-name",
        summary: "has an input that cannot be used as declared",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let inputs = &cx.definition().inputs;
    if inputs.is_empty() {
        return;
    }
    // Recipes have a template language of their own, with other variables and other defaults.
    let ours = has_slot(cx.entry.form.fields, Slot::Inputs);
    for (at, input) in inputs.iter().enumerate() {
        let name = input.name.value.as_str();
        let earlier = inputs[..at].iter().any(|other| other.name.value == name);
        let problem = if !is_identifier(name) {
            let usable = "a prompt can only use letters, digits and `_`";
            Some((format!("`{name}` cannot be used in a prompt"), usable))
        } else if ours && TEMPLATE_VARIABLES.contains(&name) {
            Some((format!("`{name}` is a variable that every prompt has"), "give it another name"))
        } else if earlier && !ours {
            // A key that stands twice in a map is no YAML, which is reported as such.
            Some((format!("`{name}` is declared twice"), "keep one of them"))
        } else {
            None
        };
        if let Some((message, help)) = problem {
            findings.report(cx, &INPUT_NAME, input.name.span, message).help(help);
        }
        if ours {
            default(cx, findings, input);
        }
    }
}

fn default(cx: &AgentCx<'_>, findings: &mut Findings, input: &Input) {
    let Some(default) = input.default.as_ref().filter(|node| !node.is_null()) else { return };
    let name = &input.name;
    if input.required {
        let message = format!("`{name}` must always be given, so its default is never used");
        let finding = findings.report(cx, &INPUT_NAME, default.span, message);
        finding.help("remove the default, or `required`");
        return;
    }
    if let Some(kind) = input.kind.filter(|kind| !fits(kind.value, default)) {
        let found = default.kind_name();
        let message =
            format!("the default of `{name}` is {found}, but its type is `{}`", kind.value.name());
        findings
            .report(cx, &INPUT_NAME, default.span, message)
            .help(format!("write a default that is `{}`", kind.value.name()));
    }
}

fn fits(kind: InputType, node: &Node) -> bool {
    let all = |test: fn(&Node) -> bool| node.as_list().is_some_and(|items| items.iter().all(test));
    let number = |node: &Node| node.as_number().is_some();
    match kind {
        InputType::String => node.as_text().is_some(),
        InputType::Number => number(node),
        InputType::Boolean => matches!(node.value, Value::Bool(_)),
        InputType::Integer => matches!(node.value, Value::Integer(_)),
        InputType::StringList => all(|item| item.as_text().is_some()),
        InputType::NumberList => all(number),
    }
}

fn is_identifier(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(inner)
}

fn has_slot(fields: &[Field], slot: Slot) -> bool {
    fields.iter().any(|field| {
        field.slot == slot || matches!(field.kind, Kind::Table(inner) if has_slot(inner, slot))
    })
}

#[cfg(test)]
mod tests {
    use super::INPUT_NAME;
    use crate::lint::tests::check;

    #[test]
    fn defaults_must_be_used_and_of_the_type_of_the_input() {
        let text = "agentType: a
inputConfig:
  inputs:
    cwd: {type: string, description: x}
    a: {type: integer, description: x, default: '3'}
    b: {type: string, description: x, required: true, default: main}
    c: {type: 'string[]', description: x, default: [a, b]}
    d: {type: number, description: x, default: 3}
";
        insta::assert_snapshot!(check(&INPUT_NAME, "agents/a.yaml", text), @"
        4:5 warning `cwd` is a variable that every prompt has
          help: give it another name
        5:49 warning the default of `a` is a string, but its type is `integer`
          help: write a default that is `integer`
        6:64 warning `b` must always be given, so its default is never used
          help: remove the default, or `required`
        ");
    }

    #[test]
    fn recipes_use_a_default_even_for_what_is_required() {
        let text = "title: t
description: d
prompt: hello {{ name }}
parameters:
  - {key: name, input_type: string, requirement: required, description: d, default: x}
  - {key: name, input_type: string, requirement: optional, description: d, default: x}
";
        insta::assert_snapshot!(check(&INPUT_NAME, ".goose/recipes/a.yaml", text), @"
        6:11 warning `name` is declared twice
          help: keep one of them
        ");
    }
}
