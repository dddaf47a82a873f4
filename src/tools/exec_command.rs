//! `exec_command`: a program with arguments, and no shell in between.

use std::{path::PathBuf, time::Duration};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    CallCx, Tool, ToolCx, ToolFuture, parse,
    sandbox::{self, Order},
};
use crate::conversation::ToolSpec;

/// The `exec_command` tool.
#[derive(Debug)]
pub struct ExecCommand;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    program: String,
    #[serde(default)]
    args: Vec<String>,
    timeout_ms: Option<u64>,
    workdir: Option<PathBuf>,
    stdin: Option<String>,
}

impl Tool for ExecCommand {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "exec_command".to_owned(),
            description: "Run a program without a shell and return its exit code and what it \
                          printed. Nothing it starts lives on after it."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "program": { "type": "string" },
                    "args": { "type": "array", "items": { "type": "string" } },
                    "timeout_ms": { "type": "integer", "minimum": 1 },
                    "workdir": { "type": "string", "description": "Relative to the working directory." },
                    "stdin": { "type": "string", "description": "What the program reads." },
                },
                "required": ["program", "args"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { program, args, timeout_ms, workdir, stdin } = parse(arguments)?;
            let order = Order {
                program: &program,
                args: &args,
                stdin: stdin.as_deref(),
                workdir: workdir.as_deref(),
                timeout: timeout_ms.map(Duration::from_millis),
            };
            sandbox::run(&cx, order).await
        })
    }

    fn preview(&self, cx: &ToolCx, arguments: &Value) -> String {
        match parse::<Arguments>(arguments.clone()) {
            Ok(Arguments { program, args, workdir, stdin, .. }) => {
                let mut command = quoted(&program);
                for arg in &args {
                    command.push(' ');
                    command.push_str(&quoted(arg));
                }
                if let Some(stdin) = stdin {
                    command.push_str(" <<< ");
                    command.push_str(&quoted(&stdin));
                }
                sandbox::preview(cx, &command, workdir.as_deref())
            }
            Err(error) => error.to_string(),
        }
    }
}

/// `word` as one would type it for a shell, so that nobody mistakes where it ends.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_when_a_reader_could_mistake_them() {
        assert_eq!(quoted("--flag=a/b.rs"), "--flag=a/b.rs");
        assert_eq!(quoted("rm -rf $HOME"), "'rm -rf $HOME'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
