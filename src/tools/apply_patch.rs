//! `apply_patch`: changes to files, all of them or none.

use std::{collections::BTreeSet, path::PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    CallCx, Root, Tool, ToolCx, ToolError, ToolFuture, ToolSpec,
    blocking::{Stop, blocking},
    difference::{difference, moved},
    parse,
    patch::{self, EditError, Operation, Times},
    save::{Change, Content, Target, save},
};

/// Longer patches are refused.
const MAX_BYTES: usize = 5 << 20;

/// The `apply_patch` tool.
#[derive(Debug)]
pub struct ApplyPatch;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    patch: Option<String>,
    path: Option<String>,
    old_string: Option<String>,
    new_string: Option<String>,
    replace_all: Option<bool>,
}

const DESCRIPTION: &str = "\
Change, create, rename or delete files. Everything is done or, if anything does not fit, nothing. \
Either give `patch`:

*** Begin Patch
*** Update File: src/a.rs
@@ fn main() {
     let unchanged = 1;
-    let old = 2;
+    let new = 2;
*** Add File: src/b.rs
+first line
*** Delete File: src/c.rs
*** End Patch

Lines begin with a blank if they stay, `-` if they go and `+` if they come. Copy the lines that \
are there exactly, with enough of them around a change (usually three) that they are in the file \
only once, or name a line above them after `@@`. `*** Move to: path` after `*** Update File:` \
renames, `*** End of File` says that the lines before are the last. A unified diff works too. Or, \
for one change in one file, give `path`, `old_string` and `new_string`.";

impl Tool for ApplyPatch {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "apply_patch".to_owned(),
            description: DESCRIPTION.to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "patch": {
                        "type": "string",
                        "description": "The patch, with paths relative to the working directory. \
                                        Give nothing else then.",
                    },
                    "path": {
                        "type": "string",
                        "description": "Instead of `patch`: the file to change.",
                    },
                    "old_string": {
                        "type": "string",
                        "description": "What to replace, exactly as it is in the file, which has it \
                                        only once. Empty to create the file.",
                    },
                    "new_string": { "type": "string", "description": "What to put there." },
                    "replace_all": {
                        "type": "boolean",
                        "description": "Replace `old_string` wherever it is.",
                    },
                },
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments = parse(arguments)?;
            blocking(&cx, move |root, stop| {
                let plan = Plan::new(root, stop, &arguments)?;
                stop.check()?;
                save(root, &plan.changes)?;
                Ok(plan.summary.join("\n"))
            })
            .await
        })
    }

    fn preview(&self, cx: &ToolCx, arguments: &Value) -> String {
        let stop = Stop::after(cx.time_limit);
        let plan =
            parse(arguments.clone()).and_then(|arguments| Plan::new(&cx.root, &stop, &arguments));
        match plan {
            Ok(plan) => plan.preview(),
            Err(error) => format!("will be refused: {error}"),
        }
    }
}

/// Everything a call will do, worked out before anything is done.
#[derive(Default)]
struct Plan {
    changes: Vec<Change>,
    /// A line for each operation.
    summary: Vec<String>,
    paths: BTreeSet<PathBuf>,
    /// Places in `changes` of files that come under a new name; the old one goes right after.
    moves: BTreeSet<usize>,
}

impl Plan {
    fn new(root: &Root, stop: &Stop, arguments: &Arguments) -> Result<Self, ToolError> {
        let mut plan = Self::default();
        match arguments {
            Arguments {
                patch: Some(patch),
                path: None,
                old_string: None,
                new_string: None,
                ..
            } if arguments.replace_all.is_none() => {
                if patch.len() > MAX_BYTES {
                    return Err(ToolError::refused(format_args!(
                        "`patch` has more than {MAX_BYTES} bytes"
                    )));
                }
                for operation in patch::parse(patch).map_err(ToolError::refused)? {
                    stop.check()?;
                    plan.add(root, stop, operation)?;
                }
            }
            Arguments { patch: None, path: Some(path), old_string, new_string, replace_all } => {
                let (Some(old), Some(new)) = (old_string, new_string) else {
                    return Err(shapes());
                };
                let times = if *replace_all == Some(true) { Times::Always } else { Times::Once };
                plan.replace(root, path, old, new, times)?;
            }
            _ => return Err(shapes()),
        }
        Ok(plan)
    }

    fn add(&mut self, root: &Root, stop: &Stop, operation: Operation) -> Result<(), ToolError> {
        match operation {
            Operation::Add { path, text } => {
                let target = self.fresh(root, &path)?;
                self.write(target, text.into_bytes(), None);
                self.summary.push(format!("added {path}"));
            }
            Operation::Delete { path, hunks } => {
                let (target, before) = self.existing(root, &path)?;
                if !hunks.is_empty() {
                    let left = edited(&path, patch::apply(&text(&path, &before)?, &hunks, stop))?;
                    if !left.is_empty() {
                        return Err(ToolError::refused(format_args!(
                            "`{path}` is not what the patch says it deletes"
                        )));
                    }
                }
                self.changes.push(Change { target, after: None });
                self.summary.push(format!("deleted {path}"));
            }
            Operation::Update { path, moved_to, hunks } => {
                let (target, before) = self.existing(root, &path)?;
                let after = if hunks.is_empty() {
                    before.bytes.clone()
                } else {
                    edited(&path, patch::apply(&text(&path, &before)?, &hunks, stop))?.into_bytes()
                };
                match moved_to {
                    None if after == before.bytes => return Err(unchanged(&path)),
                    None => {
                        self.write(target, after, before.mode);
                        self.summary.push(format!("updated {path}"));
                    }
                    Some(new) => {
                        let fresh = self.fresh(root, &new)?;
                        self.moves.insert(self.changes.len());
                        self.write(fresh, after, before.mode);
                        self.changes.push(Change { target, after: None });
                        self.summary.push(format!("moved {path} to {new}"));
                    }
                }
            }
        }
        Ok(())
    }

    fn replace(
        &mut self,
        root: &Root,
        path: &str,
        old: &str,
        new: &str,
        times: Times,
    ) -> Result<(), ToolError> {
        let target = self.target(root, path)?;
        let Some(before) = target.before.clone().filter(|before| !before.bytes.is_empty()) else {
            if !old.is_empty() {
                let why = if target.before.is_some() { "is empty" } else { "does not exist" };
                return Err(ToolError::refused(format_args!("`{path}` {why}")));
            }
            let mode = target.before.as_ref().and_then(|before| before.mode);
            let done = if target.before.is_some() { "updated" } else { "added" };
            self.write(target, new.as_bytes().to_vec(), mode);
            self.summary.push(format!("{done} {path}"));
            return Ok(());
        };
        let after = edited(path, patch::replace(&text(path, &before)?, old, new, times))?;
        if after.as_bytes() == before.bytes {
            return Err(unchanged(path));
        }
        self.write(target, after.into_bytes(), before.mode);
        self.summary.push(format!("updated {path}"));
        Ok(())
    }

    /// A file nothing else in the patch is about.
    fn target(&mut self, root: &Root, path: &str) -> Result<Target, ToolError> {
        let target = Target::find(root, path)?;
        if !self.paths.insert(target.path.clone()) {
            return Err(ToolError::refused(format_args!(
                "`{path}` is in the patch more than once; put all changes of a file together"
            )));
        }
        Ok(target)
    }

    fn fresh(&mut self, root: &Root, path: &str) -> Result<Target, ToolError> {
        let target = self.target(root, path)?;
        if target.before.is_some() {
            return Err(ToolError::refused(format_args!("`{path}` exists already")));
        }
        Ok(target)
    }

    fn existing(&mut self, root: &Root, path: &str) -> Result<(Target, Content), ToolError> {
        let target = self.target(root, path)?;
        match target.before.clone() {
            Some(before) => Ok((target, before)),
            None => Err(ToolError::refused(format_args!("`{path}` does not exist"))),
        }
    }

    fn preview(&self) -> String {
        let mut said = Vec::new();
        let mut changes = self.changes.iter().enumerate();
        while let Some((at, change)) = changes.next() {
            said.push(match self.moves.contains(&at).then(|| changes.next()).flatten() {
                Some((_, old)) => moved(old, change),
                None => difference(change),
            });
        }
        said.join("\n")
    }

    fn write(&mut self, target: Target, bytes: Vec<u8>, mode: Option<u32>) {
        self.changes.push(Change { target, after: Some(Content { bytes, mode }) });
    }
}

fn shapes() -> ToolError {
    ToolError::refused("give either `patch` alone, or `path`, `old_string` and `new_string`")
}

fn unchanged(path: &str) -> ToolError {
    ToolError::refused(format_args!("nothing would change in `{path}`"))
}

fn text(path: &str, content: &Content) -> Result<String, ToolError> {
    String::from_utf8(content.bytes.clone())
        .map_err(|_| ToolError::refused(format_args!("`{path}` is not UTF-8 text")))
}

fn edited(path: &str, result: Result<String, EditError>) -> Result<String, ToolError> {
    result.map_err(|error| match error {
        EditError::Stopped(error) => error,
        error => ToolError::refused(format_args!("`{path}` is not as expected: {error}")),
    })
}

#[cfg(test)]
mod tests;
