//! `schema-pattern`.

use jsonschema::{PatternOptions, Validator, error::ValidationErrorKind};
use serde_json::json;

use crate::{
    dialect::Confidence,
    document::Node,
    lint::{AgentCx, Check, Findings, Level, pattern, rule::declare_rule, schema::subschemas},
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports regular expressions in an output schema (`pattern`, and the keys of
    /// `patternProperties`) that do not compile, or that repeat what already repeats, as in
    /// `(a+)+`.
    ///
    /// ## Why is this bad?
    /// A pattern that does not compile makes the schema unusable. One that repeats a repetition
    /// can be matched in exponentially many ways: a validator that tries them all never comes
    /// back, and one with a limit refuses the result. Where the validator used here was seen to
    /// reach its limit the finding is a warning; where only others would, it is a note.
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
    ///       ticket: {type: string, pattern: '^([A-Z]+-[0-9]+$'}
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
    ///       ticket: {type: string, pattern: '^[A-Z]+-[0-9]+$'}
    /// ```
    pub(super) static SCHEMA_PATTERN = {
        name: "schema-pattern",
        summary: "has a regular expression that does not compile or can run forever",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

/// Compiled patterns larger than this are refused.
const MAX_COMPILED: usize = 1 << 20;
/// Steps back after which matching gives up.
const MAX_BACKTRACKS: usize = 100_000;

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let schema = cx.definition().output.as_ref().and_then(|output| output.schema.as_ref());
    for subschema in schema.map(subschemas).unwrap_or_default() {
        let pattern = subschema.map.get("pattern");
        if let Some((node, text)) = pattern.and_then(|node| Some((node, node.as_text()?))) {
            look(cx, findings, text, node.span);
        }
        let properties = subschema.map.get("patternProperties").and_then(Node::as_map);
        for entry in properties.into_iter().flat_map(|map| &map.entries) {
            look(cx, findings, &entry.key.value, entry.key.span);
        }
    }
}

fn look(cx: &AgentCx<'_>, findings: &mut Findings, text: &str, span: Span) {
    let Some(validator) = compile(text) else {
        let level = match cx.entry.form.failures.bad_value.confidence {
            Confidence::Unverified => Level::Warning,
            Confidence::Documented | Confidence::Verified => Level::Error,
        };
        let message = format!("`{text}` does not compile as a regular expression");
        let finding = findings.report(cx, &SCHEMA_PATTERN, span, message).level(level);
        finding.help("escape what is meant literally, and close every bracket");
        return;
    };
    let Some(part) = pattern::explosive_part(text) else { return };
    let (level, who) = if gives_up(&validator) {
        (Level::Warning, "so matching it gives up on some values")
    } else {
        (Level::Info, "which takes exponential time where a validator backtracks")
    };
    let message = format!("`{part}` can match the same text in many ways, {who}");
    let finding = findings.report(cx, &SCHEMA_PATTERN, span, message).level(level);
    finding.help("repeat only once, or put something between the repetitions");
}

fn compile(text: &str) -> Option<Validator> {
    let patterns =
        PatternOptions::fancy_regex().size_limit(MAX_COMPILED).backtrack_limit(MAX_BACKTRACKS);
    let schema = json!({ "pattern": text });
    jsonschema::options().with_pattern_options(patterns).offline().build(&schema).ok()
}

/// Whether a value was found on which matching gives up: what repeats, and then what does not fit.
fn gives_up(validator: &Validator) -> bool {
    ["a", "A", "0", "_", "-", ".", " ", "/", "x"].iter().any(|unit| {
        let value = json!(format!("{}\u{1}", unit.repeat(48)));
        let outcome = validator.validate(&value);
        let limited = |kind: &ValidationErrorKind| {
            matches!(kind, ValidationErrorKind::BacktrackLimitExceeded { .. })
        };
        outcome.is_err_and(|error| limited(error.kind()))
    })
}

#[cfg(test)]
mod tests {
    use super::SCHEMA_PATTERN;
    use crate::lint::tests::check;

    fn findings(pattern: &str) -> String {
        let text = format!(
            "agentType: a\nwhenToUse: b\npromptConfig: {{systemPrompt: c}}\noutputConfig:\n  \
             outputName: r\n  description: d\n  schema: {{pattern: '{pattern}'}}\n"
        );
        check(&SCHEMA_PATTERN, "agents/a.yaml", &text)
    }

    #[test]
    fn only_patterns_that_were_seen_to_give_up_are_warnings() {
        insta::assert_snapshot!(findings("^(a+)+$"), @"
        7:21 info `(a+)+` can match the same text in many ways, which takes exponential time where a validator backtracks
          help: repeat only once, or put something between the repetitions
        ");
        insta::assert_snapshot!(findings("^((?!b)a+)+$"), @"
        7:21 warning `((?!b)a+)+` can match the same text in many ways, so matching it gives up on some values
          help: repeat only once, or put something between the repetitions
        ");
    }

    #[test]
    fn lookarounds_compile() {
        assert_eq!(findings(r"^(?!.*--)(?=[a-z])[a-z0-9-]{1,64}(?<!-)$"), "");
    }
}
