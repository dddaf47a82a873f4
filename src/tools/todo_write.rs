//! `TodoWrite`: the list of things to do.
//!
//! Nothing is kept: the list lives in the conversation, where the model sees it.

use std::fmt::Write as _;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Value, json};

use super::{CallCx, Tool, ToolError, ToolFuture, ToolSpec, parse};

/// Longer lists help nobody.
const MAX_ITEMS: usize = 100;

/// The `TodoWrite` tool.
#[derive(Debug)]
pub struct TodoWrite;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    todos: Vec<Todo>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Todo {
    content: String,
    status: Status,
    #[expect(dead_code, reason = "models send it because other hosts show it")]
    #[serde(default, rename = "activeForm")]
    active_form: Option<IgnoredAny>,
    #[expect(dead_code, reason = "models send it because other hosts keep it")]
    #[serde(default)]
    id: Option<IgnoredAny>,
    #[expect(dead_code, reason = "models send it because other hosts show it")]
    #[serde(default)]
    priority: Option<IgnoredAny>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    InProgress,
    Completed,
}

impl Tool for TodoWrite {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "TodoWrite".to_owned(),
            description: "Write down the whole list of things to do, in order, replacing the list \
                          before. Use it for work of several steps: mark one thing in_progress \
                          when you begin with it, and completed as soon as it is done."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "todos": {
                        "type": "array",
                        "maxItems": MAX_ITEMS,
                        "items": {
                            "type": "object",
                            "properties": {
                                "content": { "type": "string", "description": "What is to be done." },
                                "status": {
                                    "type": "string",
                                    "enum": ["pending", "in_progress", "completed"],
                                    "description": "At most one thing is in_progress.",
                                },
                                "activeForm": { "description": "Not used." },
                                "id": { "description": "Not used." },
                                "priority": { "description": "Not used." },
                            },
                            "required": ["content", "status"],
                            "additionalProperties": false,
                        },
                    },
                },
                "required": ["todos"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, _cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { render(&parse::<Arguments>(arguments)?.todos) })
    }
}

fn render(todos: &[Todo]) -> Result<String, ToolError> {
    let count = |status| todos.iter().filter(|todo| todo.status == status).count();
    if todos.len() > MAX_ITEMS {
        return Err(ToolError::refused(format_args!(
            "a list has at most {MAX_ITEMS} things to do"
        )));
    }
    if todos.iter().any(|todo| todo.content.trim().is_empty()) {
        return Err(ToolError::refused("every `content` says what is to be done"));
    }
    let started = count(Status::InProgress);
    if started > 1 {
        return Err(ToolError::refused(format_args!(
            "{started} things are in_progress; at most one is"
        )));
    }
    let mut list = String::new();
    for Todo { content, status, .. } in todos {
        let mark = match status {
            Status::Pending => ' ',
            Status::InProgress => '>',
            Status::Completed => 'x',
        };
        // Writing to a string cannot fail.
        let _ = writeln!(list, "[{mark}] {}", content.trim());
    }
    let _ = write!(list, "[{} of {} done]", count(Status::Completed), todos.len());
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tests::cx;

    async fn call(arguments: Value) -> Result<String, String> {
        let dir = tempfile::tempdir().unwrap();
        TodoWrite.call((&cx(dir.path())).into(), arguments).await.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn the_list_is_given_back_with_marks() {
        let list = call(json!({ "todos": [
            { "content": "read", "status": "completed", "activeForm": "Reading", "id": "1" },
            { "content": "write ", "status": "in_progress", "priority": "high" },
            { "content": "test", "status": "pending", "id": 3 },
        ]}));
        assert_eq!(list.await.unwrap(), "[x] read\n[>] write\n[ ] test\n[1 of 3 done]");
        assert_eq!(call(json!({ "todos": [] })).await.unwrap(), "[0 of 0 done]");
    }

    #[tokio::test]
    async fn lists_that_make_no_sense_are_refused() {
        let todo = json!({ "content": "x", "status": "in_progress" });
        let said = call(json!({ "todos": [todo, todo] })).await.unwrap_err();
        assert_eq!(said, "2 things are in_progress; at most one is");
        let said = call(json!({ "todos": [{ "content": " ", "status": "pending" }] })).await;
        assert_eq!(said.unwrap_err(), "every `content` says what is to be done");
        let said = call(json!({ "todos": [{ "content": "x", "status": "done" }] })).await;
        assert!(said.unwrap_err().contains("unknown variant `done`"));
        let said = call(json!({ "todos": [], "merge": true })).await;
        assert!(said.unwrap_err().contains("unknown field `merge`"));
    }
}
