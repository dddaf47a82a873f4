//! `schema-reference`.

use crate::{
    dialect::Confidence,
    document::Entry,
    lint::{
        AgentCx, Check, Findings, Level,
        rule::declare_rule,
        schema::{Subschema, Target, is_bundled, resolve, subschemas},
    },
};

declare_rule! {
    /// ## What it does
    /// Reports references in an output schema that lead out of the file, or to a place in it
    /// where nothing is.
    ///
    /// ## Why is this bad?
    /// Nothing outside of the definition is ever read for a schema, neither from the network nor
    /// from the disk, and a schema with a hole in it cannot be used.
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
    ///       defect: {$ref: '#/$defs/defect'}
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
    ///       defect: {$ref: '#/$defs/defect'}
    ///     $defs:
    ///       defect: {type: string}
    /// ```
    pub(super) static SCHEMA_REFERENCE = {
        name: "schema-reference",
        summary: "has an output schema that refers to something that is not there",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

const REFERENCES: &[&str] = &["$ref", "$dynamicRef", "$recursiveRef"];

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let schema = cx.definition().output.as_ref().and_then(|output| output.schema.as_ref());
    let all = schema.map(subschemas).unwrap_or_default();
    for subschema in &all {
        for entry in &subschema.map.entries {
            match entry.key.value.as_str() {
                key if REFERENCES.contains(&key) => reference(cx, findings, entry, subschema, &all),
                "$schema" => meta_schema(cx, findings, entry),
                _ => {}
            }
        }
    }
}

fn reference(
    cx: &AgentCx<'_>,
    findings: &mut Findings,
    entry: &Entry,
    from: &Subschema<'_>,
    all: &[Subschema<'_>],
) {
    let Some(target) = entry.value.as_text() else { return };
    let strict = refuses_what_it_does_not_know(cx);
    let (level, message, help) = match resolve(target, from, all) {
        Target::Found => return,
        Target::Nowhere => (
            Level::Error,
            format!("`{target}` points at nothing in this schema"),
            "point it at a schema that is there, for example below `$defs`",
        ),
        Target::Outside => (
            if strict { Level::Error } else { Level::Warning },
            if strict {
                format!(
                    "`{target}` leads out of the file, and nothing outside is read for a schema"
                )
            } else {
                format!("`{target}` leads out of the file, which {} may not read", cx.host())
            },
            "copy what it means below `$defs`, and point there",
        ),
    };
    findings.report(cx, &SCHEMA_REFERENCE, entry.value.span, message).level(level).help(help);
}

/// Of other hosts nobody knows whether they would fetch a schema.
fn refuses_what_it_does_not_know(cx: &AgentCx<'_>) -> bool {
    let fact = cx.entry.form.failures.unknown_key;
    fact.confidence == Confidence::Verified && !fact.outcome.loads()
}

/// A draft nobody knows is a reference too.
fn meta_schema(cx: &AgentCx<'_>, findings: &mut Findings, entry: &Entry) {
    let Some(uri) = entry.value.as_text().filter(|uri| !is_bundled(uri)) else { return };
    let message = format!("`{uri}` is not a draft of JSON Schema, and nothing outside is read");
    let finding = findings.report(cx, &SCHEMA_REFERENCE, entry.value.span, message);
    finding.level(Level::Warning).help("leave `$schema` out, or name a draft");
}

#[cfg(test)]
mod tests {
    use super::SCHEMA_REFERENCE;
    use crate::lint::tests::check_schema;

    fn findings(schema: &str) -> String {
        check_schema(&SCHEMA_REFERENCE, schema)
    }

    #[test]
    fn what_is_in_the_file_is_found() {
        for schema in [
            "{$defs: {a: {}}, items: {$ref: '#/$defs/a'}}",
            "{$defs: {'a b/c': {}}, items: {$ref: '#/$defs/a%20b~1c'}}",
            "{$defs: {a: {$anchor: here}}, items: {$ref: '#here'}}",
            "{$id: 'https://x.org/root.json', items: {$ref: 'https://x.org/root.json#'}}",
            "{$id: 'https://x.org/root.json', $defs: {a: {$id: other.json}}, items: {$ref: other.json}}",
            "{items: {$ref: '#'}, properties: {$ref: {type: string}}}",
            "{items: {$ref: 'https://json-schema.org/draft/2020-12/schema'}}",
            "{enum: [{$ref: nowhere.json}]}",
        ] {
            assert_eq!(findings(schema), "", "{schema}");
        }
    }

    #[test]
    fn what_is_not_is_told_apart() {
        insta::assert_snapshot!(findings("{allOf: [{$ref: ./other.yaml}, {$ref: '#/$defs/x'}, {$ref: '#x'}]}"), @"
        7:27 error `./other.yaml` leads out of the file, and nothing outside is read for a schema
          help: copy what it means below `$defs`, and point there
        7:49 error `#/$defs/x` points at nothing in this schema
          help: point it at a schema that is there, for example below `$defs`
        7:70 error `#x` points at nothing in this schema
          help: point it at a schema that is there, for example below `$defs`
        ");
    }

    #[test]
    fn a_hash_means_the_nearest_schema_with_an_id() {
        let schema = "{$defs: {a: {}, b: {$id: b.json, items: {$ref: '#/$defs/a'}}}}";
        assert!(findings(schema).contains("points at nothing"));
    }
}
