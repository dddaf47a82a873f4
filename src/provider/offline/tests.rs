//! The provider with real files: tools made of nothing but a walk and a regular expression.

use std::{collections::BTreeMap, fs, path::Path};

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcherBuilder;
use serde_json::Value;

use super::*;
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
            .build(arguments["pattern"].as_str().unwrap())
            .unwrap();
        let most = arguments["max_results"].as_u64().unwrap_or(100) as usize;
        let within = arguments["path"].as_str();
        let mut out = Vec::new();
        let inside = |path: &str| within.is_none_or(|only| only == path);
        for (path, text) in self.files.iter().filter(|(path, _)| inside(path)) {
            if !regex.is_match(text.as_bytes()).unwrap() {
                continue;
            }
            let lines = text.lines().enumerate();
            let hits = lines.filter(|(_, line)| regex.is_match(line.as_bytes()).unwrap());
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

fn repository() -> Tools {
    Tools::of(Path::new(env!("CARGO_MANIFEST_DIR")))
}

/// The file and line named first.
fn best(report: &str) -> &str {
    let line = report.lines().find(|line| line.starts_with("Best match")).unwrap_or_default();
    line.split('`').nth(1).unwrap_or_default()
}

/// Asks `AGENTCTL_ASK` (questions, one a line) about the folder `AGENTCTL_ASK_ROOT`.
#[test]
#[ignore = "prints reports for people who change the ranking"]
fn answers_by_hand() {
    let root = std::env::var("AGENTCTL_ASK_ROOT").unwrap_or(env!("CARGO_MANIFEST_DIR").to_owned());
    let tools = Tools::of(Path::new(&root));
    let verbose = std::env::var("AGENTCTL_ASK_VERBOSE").is_ok();
    for question in std::env::var("AGENTCTL_ASK").unwrap_or_default().lines() {
        let start = std::time::Instant::now();
        let (report, messages) = run(&tools, question);
        let took = start.elapsed();
        let start = std::time::Instant::now();
        let task = Task::of(&messages, COMPLETE_TASK);
        for file in rank::rank(&Question::of(question), &task.evidence).iter().take(8) {
            println!("        {:.2} {} {}", file.score, file.path, file.why);
        }
        println!("        {took:?}, of which a turn {:?}", start.elapsed());
        let files = report.lines().filter(|line| line.starts_with("## "));
        println!("{question}\n    {}   {:?}", best(&report), files.collect::<Vec<_>>());
        if verbose {
            println!("{report}");
        }
    }
}
