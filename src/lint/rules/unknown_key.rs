//! `unknown-key`.

use crate::{
    dialect::{DIALECTS, Fault, FaultKind, Field, FieldEffect, Slot},
    document::{Node, Value},
    lint::{
        AgentCx, Check, Finding, Findings, Level, Safety,
        keys::{entry_at, last, siblings, top_keys},
        rule::declare_rule,
        tool_list::{fold, near_miss},
        words::{counted, listed},
    },
};

declare_rule! {
    /// ## What it does
    /// Reports keys that the host does not know.
    ///
    /// A strict host refuses the agent. Others pass the key over: that is reported when it looks
    /// like a slip of the pen, or when it is another host's way to restrict something, because
    /// the restriction is lost then. Other keys that are merely passed over are only noted.
    ///
    /// ## Why is this bad?
    /// `allowed-tools` in a sub-agent of Claude Code restricts nothing: the agent has every tool.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// allowed-tools: Read, Grep
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// tools: Read, Grep
    /// ---
    /// You review changes.
    /// ```
    pub(super) static UNKNOWN_KEY = {
        name: "unknown-key",
        summary: "has a key that the host does not know",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

/// Spellings of restrictions that belong to no table: other kinds of files have them.
const RESTRICTIONS: &[(&str, Slot)] = &[
    ("allowedtools", Slot::Tools),
    ("allowlist", Slot::Tools),
    ("deniedtools", Slot::DeniedTools),
    ("denylist", Slot::DeniedTools),
    ("disallowedtools", Slot::DeniedTools),
    ("excludedtools", Slot::DeniedTools),
    ("maxsteps", Slot::MaxTurns),
    ("maxturns", Slot::MaxTurns),
    ("readonly", Slot::ReadOnly),
    ("sandboxmode", Slot::Sandbox),
];

/// Values that restrict nothing, whatever the key is.
const LOOSE: &[&str] = &[
    "false",
    "*",
    "all",
    "allow",
    "auto",
    "auto-edit",
    "acceptEdits",
    "bypassPermissions",
    "danger-full-access",
    "default",
    "dontAsk",
    "never",
    "yolo",
];

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let (mut refused, mut passed_over) = (Vec::new(), Vec::new());
    for fault in cx.faults() {
        let FaultKind::UnknownKey { path, .. } = &fault.kind else { continue };
        if slip(cx, findings, fault, path)
            || restriction(cx, findings, fault, path)
            || other_word(cx, findings, fault, path)
        {
            continue;
        }
        if fault.outcome.loads() { &mut passed_over } else { &mut refused }
            .push((path.as_str(), fault));
    }
    for group in [refused, passed_over] {
        let Some((_, first)) = group.first() else { continue };
        let are = counted(group.len(), "is not a key", "are not keys");
        let names = listed(group.iter().map(|(path, _)| *path));
        let what = format!("{names} {are} of {} agents", cx.host());
        let finding = cx.report_fact(findings, &UNKNOWN_KEY, first.span, first.fact(), &what);
        finding.help(format!("remove {}", counted(group.len(), "it", "them")));
        if first.outcome.loads() {
            finding.level(Level::Info);
        }
    }
}

/// A key that differs from a known one by a typo, or by how words are joined.
fn slip(cx: &AgentCx<'_>, findings: &mut Findings, fault: &Fault, path: &str) -> bool {
    let key = last(path);
    let written = |other: &str| {
        cx.field(&path.replacen(key, other, 1)).is_some()
            || cx.root().is_some_and(|map| !path.contains('.') && map.get(other).is_some())
    };
    let fields = siblings(cx.entry.form, path).iter().map(|field| field.key);
    // Keys of a whole file stand beside the agents, where `cx.field` does not find them.
    let beside = if cx.field(path).is_some() { Vec::new() } else { top_keys(cx.entry.form) };
    let candidates = fields.chain(beside).filter(|other| !written(other));
    let candidates: Vec<_> = candidates.collect();
    let Some(near) = near_miss(key, candidates.into_iter()) else { return false };
    let what = format!("`{path}` is not a key of {} agents", cx.host());
    let finding = cx.report_fact(findings, &UNKNOWN_KEY, fault.span, fault.fact(), &what);
    finding.help(format!("did you mean `{near}`?"));
    rename(cx, finding, path, near);
    true
}

/// Another host's way to restrict what an agent may do.
fn restriction(cx: &AgentCx<'_>, findings: &mut Findings, fault: &Fault, path: &str) -> bool {
    let Some(slot) = restricts(path).filter(|_| !path.contains('.')) else { return false };
    let entry = entry_at(&cx.document.root, fault.span);
    if entry.is_some_and(|entry| is_loose(&entry.value)) {
        return false;
    }
    let instead = instead(cx, slot);
    if instead.is_some_and(|field| cx.field(field.key).is_some()) {
        return false;
    }
    let what = if fault.outcome.loads() {
        format!("`{path}` is not a key of {} agents, so it restricts nothing", cx.host())
    } else {
        format!("`{path}` is not a key of {} agents", cx.host())
    };
    let finding = cx.report_fact(findings, &UNKNOWN_KEY, fault.span, fault.fact(), &what);
    match instead {
        Some(field) => {
            if field.slot == slot {
                finding.help(format!("write `{}`", field.key));
                rename(cx, finding, path, field.key);
            } else {
                finding.help(format!("use `{}`: {} has nothing closer", field.key, cx.host()));
            }
        }
        None => {
            let nothing = format!("remove it: {} has nothing like it", cx.host());
            finding.help(nothing);
        }
    }
    true
}

/// A key that is refused here, and that other hosts have for something this host has as well.
fn other_word(cx: &AgentCx<'_>, findings: &mut Findings, fault: &Fault, path: &str) -> bool {
    if fault.outcome.loads() || path.contains('.') {
        return false;
    }
    let forms = DIALECTS.iter().flat_map(|dialect| dialect.forms);
    let slots = forms.filter_map(|form| form.field(path)).map(|field| field.slot);
    let own = |slot: Slot| cx.entry.form.fields.iter().find(|field| field.slot == slot);
    let Some(field) = slots.filter(|slot| *slot != Slot::None).find_map(own) else { return false };
    if cx.field(field.key).is_some() {
        return false;
    }
    let what = format!("`{path}` is not a key of {} agents", cx.host());
    let finding = cx.report_fact(findings, &UNKNOWN_KEY, fault.span, fault.fact(), &what);
    finding.help(format!("write `{}`", field.key));
    rename(cx, finding, path, field.key);
    true
}

/// What `key` restricts in the hosts that know it.
fn restricts(key: &str) -> Option<Slot> {
    let folded = fold(key);
    let known = RESTRICTIONS.iter().find(|(name, _)| *name == folded).map(|(_, slot)| *slot);
    known.or_else(|| {
        let forms = DIALECTS.iter().flat_map(|dialect| dialect.forms);
        let fields = forms.filter_map(|form| form.field(key));
        fields.map(|field| field.slot).find(|slot| is_restriction(*slot))
    })
}

fn is_restriction(slot: Slot) -> bool {
    matches!(
        slot,
        Slot::Tools
            | Slot::DeniedTools
            | Slot::ToolSwitches
            | Slot::Permissions
            | Slot::MaxTurns
            | Slot::MaxSeconds
            | Slot::MaxMinutes
            | Slot::MaxTokens
            | Slot::ReadOnly
            | Slot::Sandbox
            | Slot::ApprovalMode
    )
}

fn is_loose(value: &Node) -> bool {
    match &value.value {
        Value::List(items) => items.is_empty() || items.iter().any(is_loose),
        _ => {
            value.scalar_text().is_none_or(|text| LOOSE.contains(&text.as_str()))
                && value.as_map().is_none()
        }
    }
}

/// The key by which this host restricts the same thing, or something close to it.
fn instead(cx: &AgentCx<'_>, slot: Slot) -> Option<&'static Field> {
    let about_tools = [Slot::Tools, Slot::Permissions, Slot::DeniedTools, Slot::ReadOnly];
    let time = [Slot::MaxSeconds, Slot::MaxMinutes];
    let group: &[Slot] = match slot {
        Slot::Tools
        | Slot::DeniedTools
        | Slot::ToolSwitches
        | Slot::Permissions
        | Slot::ReadOnly
        | Slot::Sandbox => &about_tools,
        Slot::MaxSeconds | Slot::MaxMinutes => &time,
        _ => &[],
    };
    let applied = |slot: Slot| {
        let obeyed =
            |field: &&Field| field.slot == slot && !matches!(field.effect, FieldEffect::Ignored(_));
        cx.entry.form.fields.iter().find(obeyed)
    };
    applied(slot).or_else(|| group.iter().find_map(|slot| applied(*slot)))
}

/// Renames the key, if its value can stay as it is. What is joined in another way is plainly the
/// same key; a typo is a guess.
fn rename(cx: &AgentCx<'_>, finding: &mut Finding, path: &str, near: &'static str) {
    let span = finding.span;
    let Some(entry) = entry_at(&cx.document.root, span) else { return };
    let field = siblings(cx.entry.form, path).iter().find(|field| field.key == near);
    if field.is_some_and(|field| field.kind.check(&entry.value).is_err())
        || cx.source.slice(span) != last(path)
    {
        return;
    }
    let same = fold(last(path)) == fold(near);
    let safety = if same { Safety::Safe } else { Safety::Unsafe };
    finding.fix(safety, format!("write `{near}`"), span, near);
}

#[cfg(test)]
mod tests {
    use super::UNKNOWN_KEY;
    use crate::lint::tests::check;

    #[test]
    fn harmless_keys_are_one_note() {
        let text = "---\nname: a\ndescription: b\nversion: 1\nauthor: c\ntags: [d]\n---\nbody\n";
        insta::assert_snapshot!(check(&UNKNOWN_KEY, ".claude/agents/a.md", text), @"
        4:1 info `version`, `author` and `tags` are not keys of Claude Code agents; Claude Code probably ignores this without a message
          help: remove them
        ");
    }

    #[test]
    fn a_slip_is_told_from_a_key_of_another_kind() {
        let text = "---\nname: a\ndescription: b\nmax_turns: 3\ndisalowedTools: Bash\n---\nbody\n";
        insta::assert_snapshot!(check(&UNKNOWN_KEY, ".claude/agents/a.md", text), @"
        4:1 warning `max_turns` is not a key of Claude Code agents; Claude Code probably ignores this without a message
          help: did you mean `maxTurns`?
          fix (Safe): write `maxTurns`
            maxTurns: 3
        5:1 warning `disalowedTools` is not a key of Claude Code agents; Claude Code probably ignores this without a message
          help: did you mean `disallowedTools`?
          fix (Unsafe): write `disallowedTools`
            disallowedTools: Bash
        ");
    }

    #[test]
    fn a_lost_restriction_is_a_warning_with_what_to_write() {
        let text = "---\ndescription: b\nmode: subagent\ndisallowedTools: edit\n---\nbody\n";
        insta::assert_snapshot!(check(&UNKNOWN_KEY, ".opencode/agent/a.md", text), @"
        4:1 warning `disallowedTools` is not a key of opencode agents, so it restricts nothing; opencode sends this to the model provider as an option
          help: use `permission`: opencode has nothing closer
        ");
        let text = "---\nname: a\ndescription: b\ntools: Read\n---\nbody\n";
        insta::assert_snapshot!(check(&UNKNOWN_KEY, ".cursor/agents/a.md", text), @"
        4:1 warning `tools` is not a key of Cursor agents, so it restricts nothing; Cursor probably ignores this without a message
          help: use `readonly`: Cursor has nothing closer
        ");
    }

    #[test]
    fn a_strict_host_refuses_all_of_them_at_once() {
        let text = "---\nname: a\ndescription: b\ncolor: red\nversion: 1\n---\nbody\n";
        insta::assert_snapshot!(check(&UNKNOWN_KEY, ".gemini/agents/a.md", text), @"
        4:1 error `color` and `version` are not keys of Gemini CLI agents; Gemini CLI rejects this agent
          help: remove them
        ");
    }

    #[test]
    fn what_loosens_is_no_lost_restriction() {
        let text = "---\nname: a\ndescription: b\nreadonly: false\nsandbox_mode: danger-full-access\n---\nbody\n";
        insta::assert_snapshot!(check(&UNKNOWN_KEY, ".claude/agents/a.md", text), @"
        4:1 info `readonly` and `sandbox_mode` are not keys of Claude Code agents; Claude Code probably ignores this without a message
          help: remove them
        ");
    }
}
