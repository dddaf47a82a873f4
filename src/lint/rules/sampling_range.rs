//! `sampling-range`.

use crate::{
    dialect::{Family, Outcome, unverified},
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
    text::Spanned,
};

declare_rule! {
    /// ## What it does
    /// Reports temperatures, values for nucleus sampling and thinking budgets that the model does
    /// not take, where the host does not check them.
    ///
    /// ## Why is this bad?
    /// The agent loads, and the provider refuses its first call.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/poet.md"
    /// ---
    /// name: poet
    /// description: Writes release notes in verse.
    /// temperature: 5
    /// ---
    /// You write release notes in verse.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/poet.md"
    /// ---
    /// name: poet
    /// description: Writes release notes in verse.
    /// temperature: 1.5
    /// ---
    /// You write release notes in verse.
    /// ```
    pub(super) static SAMPLING_RANGE = {
        name: "sampling-range",
        summary: "has a sampling setting that the model does not take",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let model = &cx.definition().model;
    let models = cx.dialect().models;
    // Of several models the strictest counts: it will be asked at some time.
    let families: Vec<_> = model.chain.iter().filter_map(|name| Family::of(&name.value)).collect();
    let strictest = families.iter().min_by(|a, b| a.max_temperature.total_cmp(&b.max_temperature));
    let (min, max) = models.temperature;
    let max = strictest.map_or(max, |family| family.max_temperature.min(max));
    let whose = strictest.map_or_else(
        || "any model takes".to_owned(),
        |family| format!("models of {} take", family.maker),
    );
    range(cx, findings, model.temperature, (min, max), &whose);
    range(cx, findings, model.top_p, models.top_p, "any model takes");
    if let Some(budget) = model.thinking_budget
        && let Some(family) = families.iter().max_by_key(|family| family.min_thinking)
        && (1..family.min_thinking).contains(&budget.value)
    {
        let least = family.min_thinking;
        let what = format!("models of {} take no thinking budget below {least}", family.maker);
        let fact = unverified(Outcome::FailsAtRun);
        cx.report_fact(findings, &SAMPLING_RANGE, budget.span, fact, what)
            .help(format!("write 0 to switch thinking off, or at least {least}"));
    }
}

fn range(
    cx: &AgentCx<'_>,
    findings: &mut Findings,
    number: Option<Spanned<f64>>,
    (min, max): (f64, f64),
    whose: &str,
) {
    let Some(number) = number.filter(|number| !(min..=max).contains(&number.value)) else { return };
    if cx.is_faulted(number.span) {
        return;
    }
    let key = cx.key_of(number.span).map_or("this value", |(path, _)| path);
    let what = format!("`{key}` is {number}, outside of the {min} to {max} that {whose}");
    let fact = unverified(Outcome::FailsAtRun);
    cx.report_fact(findings, &SAMPLING_RANGE, number.span, fact, what)
        .help(format!("write a number from {min} to {max}"));
}

#[cfg(test)]
mod tests {
    use super::SAMPLING_RANGE;
    use crate::lint::tests::check;

    #[test]
    fn the_model_s_own_range_counts() {
        let text = "---\ndescription: b\nmode: subagent\nmodel: anthropic/claude-sonnet-4-5\n\
                    temperature: 1.5\ntop_p: 0.9\n---\nbody\n";
        insta::assert_snapshot!(check(&SAMPLING_RANGE, ".opencode/agent/a.md", text), @"
        5:14 warning `temperature` is 1.5, outside of the 0 to 1 that models of Anthropic take; opencode probably loads this agent and fails when it runs
          help: write a number from 0 to 1
        ");
        let other = text.replace("anthropic/claude-sonnet-4-5", "openai/gpt-4.1");
        insta::assert_snapshot!(check(&SAMPLING_RANGE, ".opencode/agent/a.md", &other), @"");
    }

    #[test]
    fn what_the_table_refuses_is_told_once() {
        let text = "---\nagentType: a\nmodelConfig:\n  temperature: 3\n---\nbody\n";
        insta::assert_snapshot!(check(&SAMPLING_RANGE, "agents/a.md", text), @"");
    }
}
