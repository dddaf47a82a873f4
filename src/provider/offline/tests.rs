//! The provider with real files: tools made of nothing but a walk and a regular expression.

use std::{collections::BTreeMap, fs, path::Path};

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcherBuilder;
use serde_json::Value;

use super::{
    search::{GLOB, GREP, READ},
    *,
};
use crate::{
    conversation::{Message, ToolResult, ToolSpec, Usage},
    provider::{Caller, Sampling},
};

const ALL: &[&str] = &[COMPLETE_TASK, GREP, GLOB, READ, LIST];
const LONGEST_FILE: usize = 1 << 20;

/// The tools, over one folder.
struct Tools {
    files: BTreeMap<String, String>,
}

impl Tools {
    fn of(root: &Path) -> Self {
        let walk = ignore::WalkBuilder::new(root).sort_by_file_name(Ord::cmp).build();
        let entries = walk.flatten().filter(|entry| entry.path().is_file());
        let files = entries.filter_map(|entry| {
            let path = entry.path().strip_prefix(root).ok()?.to_str()?.to_owned();
            let text = fs::read_to_string(entry.path()).ok()?;
            (text.len() < LONGEST_FILE).then_some((path, text))
        });
        Self { files: files.collect() }
    }

    fn call(&self, name: &str, arguments: &Value) -> Result<String, String> {
        match name {
            GREP => Ok(self.grep(arguments)),
            GLOB => Ok(self.glob(arguments["pattern"].as_str().unwrap())),
            READ => self.read(arguments).ok_or_else(|| "cannot read".to_owned()),
            LIST => Ok("src/\nCargo.toml\n".to_owned()),
            COMPLETE_TASK => Ok("handed in".to_owned()),
            _ => Err(format!("no tool `{name}`")),
        }
    }

    fn grep(&self, arguments: &Value) -> String {
        let regex = RegexMatcherBuilder::new()
            .case_insensitive(arguments["ignore_case"] == true)
            .line_terminator(Some(b'\n'))
            .build(arguments["pattern"].as_str().unwrap())
            .unwrap();
        let most = arguments["max_results"].as_u64().unwrap_or(100) as usize;
        let within = arguments["path"].as_str();
        let mut out = Vec::new();
        let inside = |path: &str| within.is_none_or(|only| only == path);
        for (path, text) in self.files.iter().filter(|(path, _)| inside(path)) {
            let mut starts = Vec::new();
            let note = |found: grep_matcher::Match| {
                starts.push(found.start());
                true
            };
            regex.find_iter(text.as_bytes(), note).unwrap();
            let mut line_end = 0;
            let lines = text.split_inclusive('\n').enumerate().filter(|(_, line)| {
                let start = line_end;
                line_end += line.len();
                let next = starts.partition_point(|at| *at < start);
                starts.get(next).is_some_and(|at| *at < line_end)
            });
            let hits = lines.map(|(at, line)| (at, line.trim_end_matches('\n')));
            if arguments["files_only"] == true {
                out.extend(Some(hits.count()).filter(|n| *n > 0).map(|n| format!("{path}:{n}")));
            } else {
                out.extend(hits.map(|(at, line)| format!("{path}:{}:{line}", at + 1)));
            }
        }
        if out.is_empty() {
            return "no matches".to_owned();
        }
        let remark = if out.len() > most {
            out.truncate(most);
            format!(
                "[the first {most} of at least {most} matches; narrow the pattern or raise max_results]"
            )
        } else {
            format!("[{} matches]", out.len())
        };
        out.push(remark);
        out.join("\n")
    }

    fn glob(&self, pattern: &str) -> String {
        let matcher = globset::Glob::new(pattern).unwrap().compile_matcher();
        let found: Vec<&str> =
            self.files.keys().map(String::as_str).filter(|path| matcher.is_match(path)).collect();
        if found.is_empty() { "no files match".to_owned() } else { found.join("\n") }
    }

    fn read(&self, arguments: &Value) -> Option<String> {
        let text = self.files.get(arguments["path"].as_str()?)?;
        let offset = arguments["offset"].as_u64().unwrap_or(1) as usize;
        let limit = arguments["limit"].as_u64().unwrap_or(2000) as usize;
        let lines = text.lines().enumerate().skip(offset - 1).take(limit);
        Some(lines.map(|(at, line)| format!("{:>6}\t{line}\n", at + 1)).collect())
    }
}

/// Asks once.
fn ask(messages: &[Message], tools: &[&str]) -> Answer {
    let caller = Caller { agent_id: "1".to_owned(), agent_type: "Explore".to_owned(), ordinal: 1 };
    let spec = |name: &&str| ToolSpec {
        name: (*name).to_owned(),
        description: String::new(),
        parameters: Value::Null,
    };
    let tools: Vec<ToolSpec> = tools.iter().map(spec).collect();
    let request = Request {
        caller: &caller,
        model: "",
        system: "",
        messages,
        tools: &tools,
        sampling: &Sampling::default(),
    };
    let reply = Offline.answer(&request, &|_| {});
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(reply).poll(&mut cx) {
        std::task::Poll::Ready(answer) => answer.unwrap(),
        std::task::Poll::Pending => panic!("it has nothing to wait for"),
    }
}

fn explore(tools: &Tools, prompt: &str) -> String {
    run(tools, prompt).0
}

/// Runs until the report is there, and checks what holds for every run.
fn run(tools: &Tools, prompt: &str) -> (String, Vec<Message>) {
    let mut messages = vec![Message::user(prompt)];
    for _ in 0..4 {
        let answer = ask(&messages, ALL);
        assert_eq!(answer.usage, Usage::default());
        assert!(answer.calls().count() <= search::MAX_CALLS);
        let mut results = Vec::new();
        for call in answer.calls() {
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
            if call.name == COMPLETE_TASK {
                return (arguments["result"].as_str().unwrap().to_owned(), messages);
            }
            let outcome = tools.call(&call.name, &arguments);
            results.push(ToolResult {
                call_id: call.id.clone(),
                name: call.name.clone(),
                is_error: outcome.is_err(),
                content: outcome.unwrap_or_else(|error| error),
            });
        }
        messages.push(Message::Assistant { parts: answer.parts, by: "offline".to_owned() });
        messages.push(Message::Results { results });
    }
    panic!("{prompt}: no report after four turns");
}

/// This repository, without what is large and was not written by hand.
fn repository() -> Tools {
    let mut tools = Tools::of(Path::new(env!("CARGO_MANIFEST_DIR")));
    let large = ["Cargo.lock", "docs/schemas/", "fuzz/", "snapshots/", "tests/"];
    tools.files.retain(|path, _| !large.iter().any(|start| path.starts_with(start)));
    tools
}

/// The file and line named first.
fn best(report: &str) -> &str {
    let line = report.lines().find(|line| line.starts_with("Best match")).unwrap_or_default();
    line.split('`').nth(1).unwrap_or_default()
}

fn tree(files: &[(&str, &str)]) -> Tools {
    let owned = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    Tools { files: owned.collect() }
}

/// Every quoted line stands in its file, where the report says.
fn assert_quotes_exist(tools: &Tools, report: &str) {
    let mut file = "";
    let mut quoted = 0;
    for line in report.lines() {
        if let Some(path) = line.strip_prefix("## `") {
            file = path.trim_end_matches('`');
        }
        let Some((number, text)) = line.split_once('\t') else { continue };
        let number: usize = number.trim().parse().unwrap();
        let real = tools.files[file].lines().nth(number - 1).unwrap();
        assert!(real.starts_with(text.trim_end_matches('…')), "{file}:{number}: {text}");
        quoted += 1;
    }
    assert!(quoted > 0, "{report}");
}

#[test]
fn names_the_place_in_this_repository() {
    let tools = repository();
    for (question, expected) in [
        ("where are tools filtered?", "src/authority/mod.rs:"),
        ("where is shadowing decided?", "src/catalog/shadow.rs:"),
        ("how are front matter fences found?", "src/document/front_matter.rs:"),
        ("where is the exit code table?", "src/cli/exit.rs:"),
        ("where are secrets redacted?", "src/event/redact.rs:"),
        ("which rule reports unknown tools?", "src/lint/rules/unknown_tool.rs:"),
    ] {
        let report = explore(&tools, question);
        assert!(best(&report).starts_with(expected), "{question}\n{report}");
        assert_quotes_exist(&tools, &report);
    }
}

#[test]
fn texts_about_a_thing_never_win_over_the_file_that_defines_it() {
    let mention = "The grace period is long. A grace period follows the grace period.\n";
    let tools = tree(&[
        ("ARCHITECTURE.md", &format!("# Grace period\n{}", mention.repeat(20))),
        ("CHANGELOG.md", &mention.repeat(50)),
        ("agents/Explore.md", &mention.repeat(9)),
        ("docs/grace-period.md", &format!("# Grace period\n{}", mention.repeat(9))),
        ("snapshots/grace_period.snap", mention),
        ("src/event.rs", "// The grace period ends.\n    let grace_period = 1;\n"),
        (
            "src/run/grace.rs",
            "//! The last turn.\n\npub fn grace_period(run: &Run) -> Duration {\n}\n",
        ),
        ("tests/grace_period.rs", "fn grace_period_is_kept() {}\nfn grace_period() {}\n"),
    ]);
    for question in
        ["where is the grace period implemented?", "grace period", "How does GracePeriod work?"]
    {
        let report = explore(&tools, question);
        assert_eq!(best(&report), "src/run/grace.rs:3", "{report}");
        assert!(report.contains("pub fn grace_period"), "{report}");
    }
    let report = explore(&tools, "which test checks the grace period?");
    assert!(best(&report).starts_with("tests/grace_period.rs:"), "{report}");
    let report = explore(&tools, "documentation of the grace period");
    assert!(best(&report).starts_with("docs/grace-period.md:"), "{report}");
}

#[test]
fn definitions_win_over_uses_unless_uses_are_wanted() {
    let tools = tree(&[
        ("a.py", "from b import load_cache\n\nload_cache()\nload_cache()\nload_cache()\n"),
        ("b.py", "def load_cache():\n    pass\n"),
    ]);
    assert_eq!(best(&explore(&tools, "where is load_cache?")), "b.py:1");
    assert!(best(&explore(&tools, "where is `load_cache` used?")).starts_with("a.py:"));
}

#[test]
fn says_what_was_not_found() {
    let tools = tree(&[("src/a.rs", "fn a() {}\n")]);
    let report = explore(&tools, "where is the flux capacitor?");
    assert!(report.contains("Nothing was found."), "{report}");
    assert!(report.contains("Found nowhere: `flux`, `capacitor`."), "{report}");
    let report = explore(&tools, "where is flux?");
    assert!(!report.contains("Looked for:"), "{report}");
}

#[test]
fn without_words_to_look_for_it_shows_what_there_is() {
    let report = explore(&tree(&[]), "Get Started!");
    assert!(report.contains("has no words that could be looked for"), "{report}");
    assert!(report.contains("- `Cargo.toml`\n- `src/`\n"), "{report}");
}

#[test]
fn the_same_tree_gives_the_same_report() {
    let tools = tree(&[("b.rs", "fn wheel() {}\n"), ("a.rs", "fn wheel() {}\n")]);
    let report = explore(&tools, "wheel");
    assert_eq!(best(&report), "a.rs:1");
    assert_eq!(report, explore(&tools, "wheel"));
}

#[test]
fn in_the_last_turn_it_hands_in_what_it_knows() {
    let tools = tree(&[("src/wheel.rs", "fn wheel() {}\n")]);
    let (_, messages) = run(&tools, "where is the wheel?");
    for known in [1, 3, 5] {
        let answer = ask(&messages[..known], &[COMPLETE_TASK]);
        let call = answer.calls().next().unwrap();
        assert_eq!(call.name, COMPLETE_TASK);
        assert_eq!(call.arguments.contains("src/wheel.rs:1"), known > 1);
    }
    let answer = ask(&messages, &[]);
    assert_eq!(answer.calls().count(), 0);
    assert!(answer.text().contains("src/wheel.rs:1"));
}

#[test]
fn only_tools_that_are_there_are_called_and_failures_are_survived() {
    let messages = [Message::user("where is the wheel?")];
    let answer = ask(&messages, &[COMPLETE_TASK, GREP]);
    assert!(answer.calls().all(|call| call.name == GREP));
    let failed = answer.calls().map(|call| ToolResult {
        call_id: call.id.clone(),
        name: call.name.clone(),
        content: "denied".to_owned(),
        is_error: true,
    });
    let failed = Message::Results { results: failed.collect() };
    let said = Message::Assistant { parts: answer.parts.clone(), by: "offline".to_owned() };
    let answer = ask(&[messages[0].clone(), said, failed], &[COMPLETE_TASK, GREP]);
    let call = answer.calls().next().unwrap();
    assert_eq!(call.name, COMPLETE_TASK);
    assert!(call.arguments.contains("Tool calls that failed"), "{}", call.arguments);
}
