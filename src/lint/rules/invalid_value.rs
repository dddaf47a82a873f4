//! `invalid-value`.

use crate::{
    dialect::{Confidence, FaultKind, Kind, Outcome, Slot},
    lint::{
        AgentCx, Check, Findings, Level, Safety,
        keys::{field_at, is_name},
        rule::declare_rule,
        tool_list::near_miss,
    },
};

declare_rule! {
    /// ## What it does
    /// Reports values of the right type that the host does not accept: a word that is none of its
    /// choices, a number that is out of range.
    ///
    /// ## Why is this bad?
    /// The agent is refused, or runs as if the key were not there.
    ///
    /// ## Bad
    /// ```markdown title=".qwen/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// approvalMode: plans
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".qwen/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// approvalMode: plan
    /// ---
    /// You review changes.
    /// ```
    pub(super) static INVALID_VALUE = {
        name: "invalid-value",
        summary: "has a value that the host does not accept",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    for fault in cx.faults() {
        let FaultKind::BadValue { path, found, wanted } = &fault.kind else { continue };
        if is_name(cx, path) {
            continue;
        }
        let finding = cx.report_fault(findings, &INVALID_VALUE, fault);
        finding.help(format!("write {wanted}"));
        let field = field_at(cx.entry.form, path);
        // A colour nobody can see, and nobody has confirmed that: worth knowing, no more.
        let cosmetic = field.is_some_and(|field| field.slot == Slot::None)
            && fault.outcome == Outcome::Ignored
            && fault.confidence == Confidence::Unverified;
        if cosmetic {
            finding.level(Level::Info);
        }
        let Some(Kind::Choice(words)) = field.map(|field| &field.kind) else { continue };
        let same = words.iter().find(|word| word.eq_ignore_ascii_case(found)).copied();
        if let Some(word) = same.or_else(|| near_miss(found, words.iter().copied())) {
            let safety = if same.is_some() { Safety::Safe } else { Safety::Unsafe };
            let title = format!("write `{word}`");
            finding.help(format!("did you mean `{word}`?"));
            finding.fix(safety, title, fault.span, word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::INVALID_VALUE;
    use crate::lint::tests::check;

    #[test]
    fn only_the_case_of_a_word_is_mended_unasked() {
        let text = "---\nname: abc\ndescription: b\napprovalMode: Plan\n---\nDo the work.\n";
        insta::assert_snapshot!(check(&INVALID_VALUE, ".qwen/agents/a.md", text), @"
        4:15 error `approvalMode` is `Plan`, but must be one of `default`, `plan`, `auto-edit`, `yolo`, `bubble`; Qwen Code skips this agent without a message
          help: did you mean `plan`?
          fix (Safe): write `plan`
            approvalMode: plan
        ");
    }

    #[test]
    fn what_nobody_has_confirmed_is_no_error() {
        let text = "---\nname: a\ndescription: b\neffort: huge\ncolor: mauve\n---\nbody\n";
        insta::assert_snapshot!(check(&INVALID_VALUE, ".claude/agents/a.md", text), @"
        4:9 warning `effort` is `huge`, but must be one of `low`, `medium`, `high`, `xhigh`, `max`; Claude Code probably ignores this without a message
          help: write one of `low`, `medium`, `high`, `xhigh`, `max`
        5:8 info `color` is `mauve`, but must be one of `red`, `blue`, `green`, `yellow`, `purple`, `orange`, `pink`, `cyan`; Claude Code probably ignores this without a message
          help: write one of `red`, `blue`, `green`, `yellow`, `purple`, `orange`, `pink`, `cyan`
        ");
    }
}
