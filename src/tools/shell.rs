//! `shell`: a command line, as one would type it.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    CallCx, Tool, ToolCx, ToolFuture, parse,
    sandbox::{self, Order},
};
use crate::conversation::ToolSpec;

/// The shells, by preference. Neither reads the user's files when it is given a command.
const SHELLS: &[&str] = &["/bin/bash", "/usr/bin/bash", "/bin/sh"];

/// The `shell` tool.
#[derive(Debug)]
pub struct Shell;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    command: String,
    timeout_ms: Option<u64>,
    workdir: Option<PathBuf>,
}

impl Tool for Shell {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "shell".to_owned(),
            description: "Run a shell command and return its exit code and what it printed. \
                          Nothing it starts lives on after it."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "command": { "type": "string" },
                    "timeout_ms": { "type": "integer", "minimum": 1 },
                    "workdir": { "type": "string", "description": "Relative to the working directory." },
                },
                "required": ["command"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move {
            let Arguments { command, timeout_ms, workdir } = parse(arguments)?;
            let order = Order {
                program: shell(),
                args: &["-c".to_owned(), command],
                stdin: None,
                workdir: workdir.as_deref(),
                timeout: timeout_ms.map(Duration::from_millis),
            };
            sandbox::run(&cx, order).await
        })
    }

    fn preview(&self, cx: &ToolCx, arguments: &Value) -> String {
        match parse::<Arguments>(arguments.clone()) {
            Ok(Arguments { command, workdir, .. }) => {
                sandbox::preview(cx, &command, workdir.as_deref())
            }
            Err(error) => error.to_string(),
        }
    }
}

fn shell() -> &'static str {
    SHELLS.iter().find(|shell| Path::new(shell).exists()).unwrap_or(&"/bin/sh")
}
