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
    sheet_sections(&mut out, sheet, paint);
    out
}

/// What it is told and takes and hands in, filled in as far as that is known.
pub(super) fn sheet_sections(out: &mut String, sheet: &Sheet, paint: Paint) {
    if let Some(system) = &sheet.system_prompt {
        section(out, &paint.bold("System prompt"), system);
    }
    for message in &sheet.messages {
        match message {
            Message::User { text } => section(out, &paint.bold("User"), text),
            Message::Assistant { parts, .. } => {
                section(out, &paint.bold("Assistant"), &text_of(parts));
            }
            Message::Results { results } => {
                for result in results {
                    let title = paint.bold(format!("Result of {}", one_line(&result.name)));
                    section(out, &title, &result.content);
                }
            }
        }
    }
    let tool = sheet.complete_task.as_ref().map(|tool| &tool.parameters);
    let schemas = [("Inputs", sheet.input_schema.as_ref()), ("complete_task takes", tool)];
    for (title, schema) in schemas {
        if let Some(schema) = schema {
            section(out, &paint.bold(title), &json_text(schema).unwrap_or_default());
        }
    }
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

/// A titled text, indented.
pub(super) fn section(out: &mut String, title: &str, text: &str) {
    writeln!(out, "\n{title}").ok();
    for line in printable(text.trim_matches('\n')).lines() {
        writeln!(out, "{}", format!("  {line}").trim_end()).ok();
    }
}
