//! `grace-longer-than-run`.

use crate::{
    dialect::{Field, Form, Kind, Slot},
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports a grace period that is longer than the run it ends.
    ///
    /// ## Why is this bad?
    /// The grace period is for handing in a result after the time is up: one turn with one tool.
    /// When it is longer than the run, the two numbers have mostly been confused.
    ///
    /// ## Bad
    /// ```markdown title="agents/reviewer.md"
    /// ---
    /// agentType: reviewer
    /// whenToUse: Reviews a change and lists its defects.
    /// runConfig:
    ///   maxTimeSeconds: 60
    ///   gracePeriodSeconds: 300
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title="agents/reviewer.md"
    /// ---
    /// agentType: reviewer
    /// whenToUse: Reviews a change and lists its defects.
    /// runConfig:
    ///   maxTimeSeconds: 300
    ///   gracePeriodSeconds: 60
    /// ---
    /// You review changes.
    /// ```
    pub(super) static GRACE_LONGER_THAN_RUN = {
        name: "grace-longer-than-run",
        summary: "has more time after its time is up than before",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let limits = &cx.definition().limits;
    let Some(grace) = limits.grace_seconds else { return };
    let (run, by_default) = match limits.max_seconds {
        Some(run) => (Some(run.value), ""),
        None => (default_seconds(cx.entry.form), ", the default"),
    };
    let Some(run) = run.filter(|run| grace.value > *run && *run > 0.0) else { return };
    let message = format!(
        "the grace period of {grace} seconds is longer than the run of {run} seconds{by_default}"
    );
    findings
        .report(cx, &GRACE_LONGER_THAN_RUN, grace.span, message)
        .help("make the grace period shorter than the run");
}

/// What a definition of this kind gets when it sets no time limit.
fn default_seconds(form: &Form) -> Option<f64> {
    seconds_in(form.fields)
}

fn seconds_in(fields: &[Field]) -> Option<f64> {
    fields.iter().find_map(|field| match field.kind {
        _ if field.slot == Slot::MaxSeconds => field.default?.parse().ok(),
        Kind::Table(inner) | Kind::OpenTable(inner, _) => seconds_in(inner),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::GRACE_LONGER_THAN_RUN;
    use crate::lint::tests::check;

    #[test]
    fn the_default_counts_where_no_limit_is_written() {
        let text = "---\nagentType: a\nrunConfig:\n  gracePeriodSeconds: 400\n---\nbody\n";
        insta::assert_snapshot!(check(&GRACE_LONGER_THAN_RUN, "agents/a.md", text), @"
        4:23 warning the grace period of 400 seconds is longer than the run of 300 seconds, the default
          help: make the grace period shorter than the run
        ");
    }
}
