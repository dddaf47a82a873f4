//! The provider that is no language model: it turns a question into words, looks for them with
//! the agent's own tools, and hands in the places it found, quoted.
//!
//! It keeps nothing between two answers: what to do next follows from the conversation alone, so
//! a resumed agent goes on where it was. It draws no conclusions and costs no tokens.

mod evidence;
mod line;
mod place;
mod question;
mod rank;
mod report;
mod search;
mod served;
mod vocabulary;
mod words;

use evidence::Task;
use question::Question;
use search::{Call, LIST};
use serde_json::json;
pub use served::{NotServed, Served, serves};

use super::{Delta, Listener, Provider, Reply, Request};
use crate::conversation::{Answer, Part, Stop, ToolCall};

/// The tool with which the report is handed in.
const COMPLETE_TASK: &str = "complete_task";

/// Files that are looked at closely.
const MAX_CLOSE: usize = search::MAX_CALLS;

/// The provider that searches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offline;

impl Provider for Offline {
    fn answer<'a>(&'a self, request: &'a Request<'a>, heard: Listener<'a>) -> Reply<'a> {
        let answer = answer(request);
        let text = answer.text();
        if !text.is_empty() {
            heard(Delta::Text(&text));
        }
        Box::pin(std::future::ready(Ok(answer)))
    }

    fn is_llm(&self) -> bool {
        false
    }
}

fn answer(request: &Request<'_>) -> Answer {
    let has = |tool: &str| request.tools.iter().any(|spec| spec.name == tool);
    let task = Task::of(request.messages, COMPLETE_TASK);
    let question = Question::of(task.text);
    let mut calls = next_calls(&question, &task, has(LIST));
    calls.retain(|call| has(call.tool));
    if calls.is_empty() {
        let report = report(&question, &task);
        if !has(COMPLETE_TASK) {
            let parts = vec![Part::Text { text: report }];
            return Answer { parts, stop: Stop::End, ..Answer::default() };
        }
        calls = vec![Call { tool: COMPLETE_TASK, arguments: json!({ "result": report }) }];
    }
    // Unique in the conversation: it only grows.
    let turn = request.messages.len();
    let calls = calls.into_iter().enumerate();
    let parts = calls.map(|(at, call)| as_part(format!("offline-{turn}-{at}"), &call)).collect();
    Answer { parts, stop: Stop::Calls, ..Answer::default() }
}

/// What to call next: first wide, then close, then to read. Nothing when enough is known.
fn next_calls(question: &Question, task: &Task<'_>, can_list: bool) -> Vec<Call> {
    match task.turns {
        0 if question.is_empty() => vec![search::overview(can_list)],
        0 => search::wide(question),
        1 if !question.is_empty() => {
            let ranked = rank::rank(question, &task.evidence);
            let paths: Vec<&str> = ranked.iter().map(|file| file.path).take(MAX_CLOSE).collect();
            search::close(question, &paths)
        }
        2 if !question.is_empty() => {
            let places = report::places(&rank::rank(question, &task.evidence));
            let places: Vec<(&str, usize)> =
                places.iter().map(|(path, spot)| (*path, spot.line)).collect();
            search::windows(&places)
        }
        _ => Vec::new(),
    }
}

fn report(question: &Question, task: &Task<'_>) -> String {
    if question.is_empty() {
        return report::overview(&task.evidence);
    }
    let ranked = rank::rank(question, &task.evidence);
    report::findings(question, &task.evidence, &ranked)
}

fn as_part(id: String, call: &Call) -> Part {
    Part::Call(ToolCall {
        id,
        name: call.tool.to_owned(),
        arguments: call.arguments.to_string(),
        signature: None,
    })
}

#[cfg(test)]
mod tests;
