//! `grep_files`: lines that match a regular expression, printed as ripgrep prints them.

mod matcher;
mod printer;

use std::{ops::ControlFlow, path::Path};

use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use printer::Printer;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    CallCx, Root, Tool, ToolError, ToolFuture, ToolSpec,
    blocking::{Stop, blocking},
    glob_files::Pattern,
    parse,
    root::{Links, open_regular},
    walk::{Found, Hidden, Visited, walk},
};

/// Matches returned unless told otherwise.
const DEFAULT_RESULTS: usize = 100;
/// Most matches one call returns.
const MAX_RESULTS: usize = 500;
/// Most lines shown around a match.
const MAX_CONTEXT: usize = 10;
/// Files with longer lines are not searched to the end.
const MAX_LINE_BYTES: usize = 16 << 20;

/// The `grep_files` tool.
#[derive(Debug)]
pub struct GrepFiles;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    #[serde(default)]
    path: String,
    glob: Option<String>,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    context: usize,
    max_results: Option<usize>,
    #[serde(default)]
    files_only: bool,
}

impl Tool for GrepFiles {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "grep_files".to_owned(),
            description: "Search the lines of text files with a regular expression. Prints \
                          `path:line:text` for matches and `path-line-text` for lines around them. \
                          Hidden, ignored and binary files are left out, unless `path` names them \
                          or a folder they are in."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": {
                        "type": "string",
                        "description": "A regular expression in Rust's syntax, matched within lines. \
                                        Escape `(`, `[`, `{`, `.` and the like to find them.",
                    },
                    "path": {
                        "type": "string",
                        "description": "The file or folder to search, relative to the working \
                                        directory; all of it unless given.",
                    },
                    "glob": {
                        "type": "string",
                        "description": "Search only files that fit, such as `*.rs` or `src/**/*.ts`; \
                                        with `!` in front, only files that do not.",
                    },
                    "ignore_case": { "type": "boolean", "description": "Take `a` for `A`." },
                    "context": {
                        "type": "integer",
                        "minimum": 0,
                        "maximum": MAX_CONTEXT,
                        "description": "Lines to show before and after each match.",
                    },
                    "max_results": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MAX_RESULTS,
                        "description": format!("Most matches to show; {DEFAULT_RESULTS} unless given."),
                    },
                    "files_only": {
                        "type": "boolean",
                        "description": "Show `path:count` for each file instead of its lines.",
                    },
                },
                "required": ["pattern"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments = parse(arguments)?;
            blocking(&cx, move |root, stop| search(root, stop, &arguments)).await
        })
    }
}

fn search(root: &Root, stop: &Stop, arguments: &Arguments) -> Result<String, ToolError> {
    let results = arguments.max_results.unwrap_or(DEFAULT_RESULTS);
    if !(1..=MAX_RESULTS).contains(&results) {
        return Err(ToolError::refused(format_args!("`max_results` is 1 to {MAX_RESULTS}")));
    }
    if arguments.context > MAX_CONTEXT {
        return Err(ToolError::refused(format_args!("`context` is 0 to {MAX_CONTEXT}")));
    }
    let matcher = matcher::build(&arguments.pattern, arguments.ignore_case)?;
    let filter = arguments.glob.as_deref().map(|glob| Filter::new(root, glob)).transpose()?;
    let mut searcher = searcher(arguments);
    let mut printer = Printer::new(results, arguments);
    walk(root, &arguments.path, Hidden::Skip, stop, &mut |found: &Found<'_>| -> Visited {
        if filter.as_ref().is_some_and(|filter| !filter.lets_through(found.path, found.below)) {
            return Ok(ControlFlow::Continue(()));
        }
        let Ok(file) = open_regular(found.folder, Path::new(found.name), Links::Refuse) else {
            return Ok(ControlFlow::Continue(()));
        };
        let file = stop.reader(file.into_std());
        // A file that cannot be read to the end has shown what it has.
        let _searched = searcher.search_reader(&matcher, file, printer.file(found.path));
        stop.check()?;
        Ok(printer.end_of_file())
    })?;
    Ok(printer.finish())
}

fn searcher(arguments: &Arguments) -> Searcher {
    SearcherBuilder::new()
        .line_number(true)
        .before_context(arguments.context)
        .after_context(arguments.context)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(MAX_LINE_BYTES))
        .build()
}

/// Which files are searched.
struct Filter {
    pattern: Pattern,
    /// The others are.
    inverted: bool,
}

impl Filter {
    fn new(root: &Root, glob: &str) -> Result<Self, ToolError> {
        let inverted = glob.starts_with('!');
        let pattern = Pattern::new(root, glob.strip_prefix('!').unwrap_or(glob))?;
        Ok(Self { pattern, inverted })
    }

    /// Models write globs as seen from the root and as seen from the folder they search.
    fn lets_through(&self, path: &Path, below: &Path) -> bool {
        (self.pattern.fits(path) || self.pattern.fits(below)) != self.inverted
    }
}

#[cfg(test)]
mod tests;
