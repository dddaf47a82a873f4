//! `required-without-property`.

use crate::{
    document::{Map, Node, Value},
    lint::{
        AgentCx, Check, Findings, Level,
        cx::closest,
        rule::declare_rule,
        schema::{Subschema, subschemas},
    },
};

declare_rule! {
    /// ## What it does
    /// Reports names in `required` of an output schema that its `properties` do not have.
    ///
    /// ## Why is this bad?
    /// It is a typo, or left over from a property with another name now. With
    /// `additionalProperties: false` no value can satisfy both, and the agent can never hand in
    /// its result.
    ///
    /// ## Bad
    /// ```yaml title="agents/reviewer.yaml"
    /// agentType: reviewer
    /// whenToUse: Reviews a change and lists its defects.
    /// tools: [read_file]
    /// promptConfig:
    ///   systemPrompt: You review changes.
    /// outputConfig:
    ///   outputName: report
    ///   description: The defects.
    ///   schema:
    ///     type: object
    ///     properties:
    ///       summary: {type: string}
    ///     required: [sumary]
    ///     additionalProperties: false
    /// ```
    ///
    /// ## Good
    /// ```yaml title="agents/reviewer.yaml"
    /// agentType: reviewer
    /// whenToUse: Reviews a change and lists its defects.
    /// tools: [read_file]
    /// promptConfig:
    ///   systemPrompt: You review changes.
    /// outputConfig:
    ///   outputName: report
    ///   description: The defects.
    ///   schema:
    ///     type: object
    ///     properties:
    ///       summary: {type: string}
    ///     required: [summary]
    ///     additionalProperties: false
    /// ```
    pub(super) static REQUIRED_WITHOUT_PROPERTY = {
        name: "required-without-property",
        summary: "requires a property that its schema does not describe",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

/// Keywords that can describe properties elsewhere.
const ELSEWHERE: &[&str] = &[
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependencies",
];

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let schema = cx.definition().output.as_ref().and_then(|output| output.schema.as_ref());
    for subschema in schema.map(subschemas).unwrap_or_default() {
        look(cx, findings, &subschema);
    }
}

fn look(cx: &AgentCx<'_>, findings: &mut Findings, subschema: &Subschema<'_>) {
    let map = subschema.map;
    let Some(required) = map.get("required").and_then(Node::as_list) else { return };
    // A pattern can describe any name.
    if map.get("patternProperties").is_some() {
        return;
    }
    let closed =
        map.get("additionalProperties").is_some_and(|node| node.value == Value::Bool(false));
    let elsewhere = subschema.in_place || ELSEWHERE.iter().any(|key| map.get(key).is_some());
    let properties = map.get("properties").and_then(Node::as_map);
    if !closed && (elsewhere || properties.is_none()) {
        return;
    }
    let known = |name: &str| properties.is_some_and(|map: &Map| map.get(name).is_some());
    for item in required {
        let Some(name) = item.as_text().filter(|name| !known(name)) else { continue };
        let (level, message) = if closed {
            let level = if subschema.needed { Level::Error } else { Level::Warning };
            let why = "no value has it: it is not in `properties`, and others are not allowed";
            (level, format!("`{name}` is required, but {why}"))
        } else {
            (Level::Warning, format!("`{name}` is required, but `properties` does not describe it"))
        };
        let names = properties.into_iter().flat_map(|map| &map.entries);
        let near = closest(name, names.map(|entry| entry.key.value.as_str()));
        let finding =
            findings.report(cx, &REQUIRED_WITHOUT_PROPERTY, item.span, message).level(level);
        finding.help(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("describe `{name}` in `properties`, or do not require it"),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::REQUIRED_WITHOUT_PROPERTY;
    use crate::lint::tests::check_schema;

    fn findings(schema: &str) -> String {
        check_schema(&REQUIRED_WITHOUT_PROPERTY, schema)
    }

    #[test]
    fn properties_described_elsewhere_are_not_missed() {
        assert_eq!(
            findings("{properties: {a: {}, b: {}}, anyOf: [{required: [a]}, {required: [b]}]}"),
            ""
        );
        assert_eq!(findings("{required: [a], properties: {}, allOf: [{properties: {a: {}}}]}"), "");
        assert_eq!(findings("{required: [a], properties: {}, patternProperties: {a: {}}}"), "");
        assert_eq!(findings("{required: [a]}"), "");
    }

    #[test]
    fn what_the_agent_can_leave_out_is_less_bad() {
        let inner = "{type: object, required: [x], additionalProperties: false}";
        let schema = |required: &str| {
            format!("{{type: object, required: [{required}], properties: {{a: {inner}}}}}")
        };
        assert!(findings(&schema("a")).contains("error"));
        assert!(findings(&schema("")).contains("warning"));
    }
}
