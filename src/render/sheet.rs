//! A plan, for people.

use std::fmt::Write as _;

use super::{Paint, json_text};
use crate::{
    conversation::{Message, text_of},
    plan::{Sheet, Step},
    text::{one_line, printable},
};

/// How an agent would be run.
pub fn sheet_text(sheet: &Sheet, paint: Paint) -> String {
    let mut out = String::new();
    let Sheet { directory, tools, .. } = sheet;
    writeln!(out, "{}", paint.bold(one_line(&sheet.agent_type))).ok();
    out.push_str(&run_rows(sheet, paint));
    writeln!(out, "  directory  {}", printable(directory)).ok();
    writeln!(out, "  tools      {}", tools.join(", ")).ok();
    if let Some(system) = &sheet.system_prompt {
        section(&mut out, "System prompt", system, paint);
    }
    for message in &sheet.messages {
        match message {
            Message::User { text } => section(&mut out, "User", text, paint),
            Message::Assistant { parts, .. } => {
                section(&mut out, "Assistant", &text_of(parts), paint)
            }
            Message::Results { results } => {
                for result in results {
                    section(
                        &mut out,
                        &format!("Result of {}", result.name),
                        &result.content,
                        paint,
                    );
                }
            }
        }
    }
    if let Some(tool) = &sheet.complete_task {
        let schema = json_text(&tool.parameters).unwrap_or_default();
        section(&mut out, "complete_task takes", &schema, paint);
    }
    out
}

/// Model, limits, approvals and sandbox, one a line.
pub(super) fn run_rows(sheet: &Sheet, paint: Paint) -> String {
    let mut out = String::new();
    let width = sheet.model_steps.iter().map(|step| step.from.len()).max().unwrap_or(0);
    for (at, Step { from, says, decides }) in sheet.model_steps.iter().enumerate() {
        let label = if at == 0 { "model" } else { "" };
        let mark = if *decides { "→" } else { " " };
        let line = format!("{mark} {from:width$}  {}", one_line(says));
        let line = if *decides { line } else { paint.dim(line) };
        writeln!(out, "  {label:9}  {line}").ok();
    }
    if !sheet.models.is_empty() {
        let models: Vec<_> = sheet.models.iter().map(|model| one_line(model)).collect();
        writeln!(out, "  {:9}  {}", "asks", models.join(", then ")).ok();
    }
    let tokens = sheet.max_tokens.map(|tokens| format!(", {tokens} tokens")).unwrap_or_default();
    let Sheet { max_turns, max_time_seconds, grace_period_seconds, .. } = sheet;
    writeln!(
        out,
        "  {:9}  {max_turns} turns, {max_time_seconds} s{tokens}, then {grace_period_seconds} s of \
         grace",
        "limits"
    )
    .ok();
    writeln!(out, "  {:9}  {}", "approvals", sheet.approval_mode).ok();
    if let Some(sandbox) = sheet.sandbox {
        writeln!(out, "  {:9}  {sandbox}", "sandbox").ok();
    }
    for problem in &sheet.problems {
        writeln!(out, "  {}  {}", paint.yellow("problem  "), one_line(problem)).ok();
    }
    out
}

fn section(out: &mut String, title: &str, text: &str, paint: Paint) {
    writeln!(out, "\n{}", paint.bold(title)).ok();
    for line in printable(text.trim_matches('\n')).lines() {
        writeln!(out, "{}", format!("  {line}").trim_end()).ok();
    }
}
