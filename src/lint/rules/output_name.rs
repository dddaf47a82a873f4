//! `output-name`.

use crate::lint::{AgentCx, Check, Findings, Level, rule::declare_rule};

declare_rule! {
    /// ## What it does
    /// Reports names of an agent's result that cannot be an argument of a tool, or that are also
    /// the name of something else.
    ///
    /// ## Why is this bad?
    /// The model hands in its result under this name, and model providers refuse requests with a
    /// name that has blanks or other characters in it.
    ///
    /// ## Bad
    /// ```yaml title="agents/reviewer.yaml"
    /// agentType: reviewer
    /// whenToUse: Reviews a change and lists its defects.
    /// tools: [read_file]
    /// promptConfig:
    ///   systemPrompt: You review changes.
    /// outputConfig:
    ///   outputName: review report
    ///   description: The defects.
    ///   schema: {type: string}
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
    ///   outputName: review_report
    ///   description: The defects.
    ///   schema: {type: string}
    /// ```
    pub(super) static OUTPUT_NAME = {
        name: "output-name",
        summary: "returns its result under a name that does not work",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

/// What `complete_task` calls its argument when there is no schema.
const PLAIN_RESULT: &str = "result";
/// Longer names are refused by model providers.
const LONGEST: usize = 64;

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let Some(name) = cx.definition().output.as_ref().and_then(|output| output.name.as_ref()) else {
        return;
    };
    let text = name.value.as_str();
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    let (level, message, help) = if text.is_empty() || !text.chars().all(allowed) {
        let message = format!("`{text}` cannot be the name of an argument");
        (Level::Warning, message, "use letters, digits and `_` only".to_owned())
    } else if text.len() > LONGEST {
        let message = format!("the name is longer than {LONGEST} characters");
        (Level::Warning, message, "shorten it".to_owned())
    } else if cx.definition().inputs.iter().any(|input| input.name.value == text) {
        let message = format!("`{text}` is the name of an input, too");
        (Level::Info, message, "give one of them another name".to_owned())
    } else if text.contains('-') || !text.starts_with(starts) {
        let message = format!("`{text}` is not an identifier");
        (Level::Info, message, "use letters, digits and `_` only".to_owned())
    } else if text == PLAIN_RESULT {
        let message = format!("`{text}` is also what a result without a schema is called");
        (Level::Info, message, "name it after what it holds".to_owned())
    } else {
        return;
    };
    findings.report(cx, &OUTPUT_NAME, name.span, message).level(level).help(help);
}
