//! `agentctl validate` and `agentctl explain`.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::Stdio,
};

use agentctl::lint::RULES;
use serde_json::Value;

use crate::support::{Sandbox, Seen, assert_snapshot, repository};

/// An agent whose description lacks its quotes, with one misspelt tool.
const BROKEN: &str = "---\nname: reviewer\ndescription: Use it for: changes # that matter\ntools: Raed, Grep\n---\n\nYou review changes and report what is wrong with them.\n";
const GOOD: &str = "---\nname: reviewer\ndescription: Reviews changes and reports defects.\ntools: Read, Grep\n---\n\nYou review changes and report what is wrong with them, file by file, with the lines that prove it.\n";

fn reviewer(text: &str) -> Sandbox {
    Sandbox::with(&[(".claude/agents/reviewer.md", text)])
}

fn stdin(sandbox: &Sandbox, arguments: &[&str], text: &str) -> Seen {
    let mut command = sandbox.command(arguments);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Seen {
        exit: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn rules(report: &Value) -> Vec<(String, String)> {
    let findings = report["findings"].as_array().unwrap();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    findings.iter().map(|finding| (text(finding, "rule"), text(finding, "severity"))).collect()
}

#[test]
fn points_at_the_exact_text_and_says_what_the_host_does() {
    assert_snapshot!("validate-broken", reviewer(BROKEN).run(&["validate"]));
}

#[test]
fn a_clean_project_is_said_to_be_clean() {
    let sandbox = reviewer(GOOD);
    assert_snapshot!("validate-clean", sandbox.run(&["validate"]));
    let report = sandbox.json(&["validate", "--format", "json"]);
    assert_eq!(
        report,
        serde_json::json!({
            "version": 1, "files": 1, "summary": { "error": 0, "warning": 0, "info": 0 }, "findings": [],
        })
    );
}

#[test]
fn json_has_every_field_of_a_finding() {
    assert_snapshot!("validate-json", reviewer(BROKEN).run(&["validate", "--format", "json"]));
}

#[test]
fn github_annotations_are_escaped() {
    assert_snapshot!("validate-github", reviewer(BROKEN).run(&["validate", "--format", "github"]));
}

#[test]
fn sarif_is_valid_and_has_rules_fixes_and_fingerprints() {
    let log = reviewer(BROKEN).json(&["validate", "--format", "sarif"]);
    let schema = std::fs::read_to_string(repository().join("tests/data/sarif-2.1.0.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), RULES.len());
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "unquoted-text");
    assert_eq!(
        result["fixes"][0]["artifactChanges"][0]["replacements"][0]["deletedRegion"]["byteOffset"],
        32
    );
    let print = result["partialFingerprints"]["agentctl/v1"].as_str().unwrap();
    assert_eq!(print.len(), 16);
    // Moving the agent down a line does not make it a new finding.
    let moved = BROKEN.replacen("---\n", "---\ncolor: blue\n", 1);
    let log = reviewer(&moved).json(&["validate", "--format", "sarif"]);
    assert_eq!(log["runs"][0]["results"][0]["partialFingerprints"]["agentctl/v1"], print);
}

#[test]
fn warnings_fail_only_when_denied() {
    let sandbox = reviewer(&GOOD.replace("Read", "Raed"));
    assert_eq!(sandbox.run(&["validate"]).exit, Some(0));
    assert_eq!(sandbox.run(&["validate", "--deny-warnings"]).exit, Some(1));
    assert_eq!(reviewer(BROKEN).run(&["validate"]).exit, Some(1));
}

#[test]
fn no_file_is_a_mistake_of_the_caller() {
    let sandbox = Sandbox::with(&[("notes/readme.txt", "x")]);
    assert_snapshot!("validate-nothing", sandbox.run(&["validate"]));
    for path in ["notes", "missing"] {
        let seen = sandbox.run(&["validate", path]);
        assert_eq!(seen.exit, Some(2), "{seen}");
        assert!(seen.stderr.contains(path), "{seen}");
    }
}

#[test]
fn fixes_keep_every_other_byte_and_are_stable() {
    let text = BROKEN.replace("tools:", "# why these\ntools:").replace('\n', "\r\n");
    let sandbox = reviewer(&text);
    let seen = sandbox.run(&["validate", "--fix"]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    let path = sandbox.path(".claude/agents/reviewer.md");
    let fixed = std::fs::read_to_string(&path).unwrap();
    let expected =
        text.replace("Use it for: changes # that matter", "'Use it for: changes # that matter'");
    assert_eq!(fixed, expected);
    sandbox.run(&["validate", "--fix"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    sandbox.run(&["validate", "--fix", "--unsafe-fixes"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected.replace("Raed", "Read"));
}

#[test]
fn a_diff_changes_nothing() {
    let sandbox = reviewer(BROKEN);
    assert_snapshot!("validate-diff", sandbox.run(&["validate", "--diff", "--unsafe-fixes"]));
    let path = sandbox.path(".claude/agents/reviewer.md");
    assert_eq!(std::fs::read_to_string(path).unwrap(), BROKEN);
}

#[cfg(unix)]
#[test]
fn a_fix_keeps_permissions_and_refuses_links() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let sandbox = reviewer(BROKEN);
    let path = sandbox.path(".claude/agents/reviewer.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    sandbox.run(&["validate", "--fix"]);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(!std::fs::read_to_string(&path).unwrap().contains("description: Use"));

    sandbox.write("elsewhere.md", BROKEN);
    std::fs::remove_file(&path).unwrap();
    symlink(sandbox.path("elsewhere.md"), &path).unwrap();
    let seen = sandbox.run(&["validate", "--fix"]);
    assert_eq!(seen.exit, Some(1), "{seen}");
    assert!(seen.stderr.contains("symbolic link"), "{seen}");
    assert_eq!(std::fs::read_to_string(sandbox.path("elsewhere.md")).unwrap(), BROKEN);
    assert!(
        std::fs::read_dir(path.parent().unwrap()).unwrap().count() == 1,
        "a file was left behind"
    );
}

#[test]
fn a_file_that_is_not_text_is_never_rewritten() {
    let sandbox = Sandbox::empty();
    let path = sandbox.path(".claude/agents/a.md");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let bytes = [BROKEN.as_bytes(), b"\xff\xfe\n"].concat();
    std::fs::write(&path, &bytes).unwrap();
    sandbox.run(&["validate", "--fix"]);
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn stdin_is_checked_and_mended_without_a_file() {
    let sandbox = Sandbox::empty();
    assert_snapshot!(
        "validate-stdin",
        stdin(&sandbox, &["validate", "-"], "agentType: x\ndisallowedTools: [shel]\n")
    );
    let name = ".claude/agents/reviewer.md";
    let seen = stdin(&sandbox, &["validate", "-", "--fix", "--stdin-filename", name], BROKEN);
    assert!(seen.stdout.contains("'Use it for: changes # that matter'"), "{seen}");
    let seen = stdin(&sandbox, &["validate", "-"], "just prose\n");
    assert_eq!(seen.exit, Some(2), "{seen}");
}

#[test]
fn settings_choose_rules_and_levels_by_path() {
    let settings = "[lint]\nignore = [\"unquoted-text\"]\n[lint.severity]\nunknown-tool = \"error\"\n[[lint.overrides]]\npaths = [\".claude/agents/old/**\"]\nignore = [\"all\"]\n";
    let sandbox = Sandbox::with(&[
        (".claude/agents/reviewer.md", BROKEN),
        (".claude/agents/old/other.md", &BROKEN.replace("reviewer", "other")),
        ("agentctl.toml", settings),
    ]);
    let report = sandbox.json(&["validate", "--format", "json"]);
    assert_eq!(rules(&report), [("unknown-tool".to_owned(), "error".to_owned())]);
    assert_eq!(report["files"], 2);
    let seen = sandbox.run(&["validate", "--ignore", "unknown-tool"]);
    assert_eq!(seen.exit, Some(0), "{seen}");
    sandbox.write("agentctl.toml", "[lint]\nignore = [\"unquotd-text\"]\n");
    assert_snapshot!("validate-unknown-rule-in-settings", sandbox.run(&["validate"]));
}

#[test]
fn comments_allow_what_they_name_where_they_stand() {
    let allowed = BROKEN
        .replace(
            "description:",
            "# agentctl: allow[unquoted-text] read by our own loader\ndescription:",
        )
        .replace("Grep\n", "Grep # agentctl: allow[unknown-tool]\n");
    let report = reviewer(&allowed).json(&["validate", "--format", "json"]);
    assert_eq!(rules(&report), []);
    // A comment speaks for its place only, and one without effect is reported.
    let elsewhere =
        BROKEN.replace("name: reviewer\n", "name: reviewer # agentctl: allow[unknown-tool]\n");
    let report = reviewer(&elsewhere).json(&["validate", "--format", "json"]);
    let names: Vec<_> = rules(&report).into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(names, ["unused-suppression", "unquoted-text", "unknown-tool"]);
    let file = BROKEN
        .replace("---\nname", "---\n# agentctl: allow-file[unquoted-text, unknown-tool]\nname");
    assert_eq!(rules(&reviewer(&file).json(&["validate", "--format", "json"])), []);
}

#[test]
fn a_baseline_hides_what_was_known_and_nothing_else() {
    let sandbox = reviewer(BROKEN);
    sandbox.write("baseline.json", &sandbox.run(&["validate", "--format", "json"]).stdout);
    assert_eq!(sandbox.run(&["validate", "--baseline", "baseline.json"]).exit, Some(0));
    sandbox.write(".claude/agents/new.md", &BROKEN.replace("reviewer", "new"));
    let report = sandbox.json(&["validate", "--baseline", "baseline.json", "--format", "json"]);
    assert!(report["findings"].as_array().unwrap().iter().all(|finding| finding["agent"] == "new"));
    let seen = sandbox.run(&["validate", "--baseline", "missing.json"]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    assert!(seen.stderr.contains("--format json > missing.json"), "{seen}");
}

#[test]
fn a_file_can_be_checked_for_other_hosts() {
    let sandbox = reviewer(GOOD);
    let report = sandbox.json(&["validate", "--host", "claude,gemini", "--format", "json"]);
    let findings = report["findings"].as_array().unwrap();
    assert!(!findings.is_empty());
    assert!(
        findings.iter().all(|finding| finding["hosts"] == serde_json::json!(["gemini"])),
        "{report}"
    );
}

#[test]
fn only_the_first_hundred_findings_are_drawn() {
    let sandbox = Sandbox::empty();
    for at in 0..120 {
        sandbox.write(
            &format!(".claude/agents/a{at}.md"),
            &BROKEN.replace("reviewer", &format!("a{at}")),
        );
    }
    let seen = sandbox.run(&["validate"]);
    assert_eq!(seen.stdout.matches("╭─[").count(), 100);
    assert!(seen.stdout.contains("more findings are not shown"), "{seen}");
}

#[test]
fn escape_sequences_in_a_file_do_not_reach_the_terminal() {
    let text = "---\nname: \"a\\e[31m\"\ndescription: x\u{202e}y: \u{1b}[2Jz\ntools: \"Re\\eed\"\n---\nbody \u{1b}]0;x\u{7}\n";
    for format in ["text", "github"] {
        let seen = reviewer(text).run(&["validate", "--format", format]);
        for hidden in ['\u{1b}', '\u{202e}', '\u{7}'] {
            assert!(!seen.to_string().contains(hidden), "{format}: {seen:?}");
        }
    }
}

#[test]
fn watching_reports_again_when_a_file_changes() {
    let sandbox = reviewer(BROKEN);
    let mut command = sandbox.command(&["validate", "--watch"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let first = lines.find(|line| line.contains(" in 1 file")).unwrap();
    sandbox.write(".claude/agents/reviewer.md", GOOD);
    let second = lines.find(|line| line.contains(" in 1 file")).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(first.starts_with("1 error") && second.starts_with("0 errors"), "{first} / {second}");
}

#[test]
fn explain_prints_rules_and_hosts() {
    let sandbox = Sandbox::empty();
    let seen = sandbox.run(&["explain"]);
    assert_eq!(seen.stdout.lines().count(), RULES.len());
    for name in ["unquoted-text", "gemini"] {
        assert_eq!(sandbox.run(&["explain", name]).exit, Some(0));
    }
    assert_snapshot!("explain-unknown", sandbox.run(&["explain", "unquotd-text"]));
}

#[test]
fn the_built_in_agents_are_clean() {
    let mut command = Sandbox::empty().command(&["validate", "--deny-warnings", "agents"]);
    let output = command.current_dir(repository()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn the_starting_points_are_clean_in_their_dialects() {
    let folder = repository().join("templates");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    let files: Vec<_> = files.map(|name| name.into_string().unwrap()).collect();
    for dialect in agentctl::dialect::DIALECTS {
        let id = dialect.id;
        let mut own = files.iter().filter(|name| name.starts_with(id)).peekable();
        assert!(own.peek().is_some(), "there is no starting point for {}", dialect.host);
        for name in own {
            let arguments = ["validate", "--deny-warnings", "--dialect", id, name];
            let output =
                Sandbox::empty().command(&arguments).current_dir(&folder).output().unwrap();
            assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stdout));
        }
    }
}

#[test]
fn skills_and_servers_are_looked_for_where_the_project_has_them() {
    let agent = "---\nname: a\ndescription: Reviews changes.\nskills: [review, reveiw]\ntools: Read, mcp__tracker__list, mcp__trakcer__list\n---\n\nYou review changes and report what is wrong with them, file by file, and say which lines prove it.\n";
    let sandbox = Sandbox::with(&[(".claude/agents/a.md", agent)]);
    // Where nothing of the kind is known, nothing can be said.
    assert_eq!(rules(&sandbox.json(&["validate", "--format", "json"])), []);
    sandbox.write(".claude/skills/review/SKILL.md", "---\nname: review\ndescription: x\n---\nx\n");
    sandbox.write(".mcp.json", "{\"mcpServers\": {\"tracker\": {\"command\": \"tracker\"}}}");
    let report = sandbox.json(&["validate", "--format", "json"]);
    let names: Vec<_> = rules(&report).into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(names, ["unknown-skill", "unknown-mcp-server"]);
}

#[test]
fn a_secret_is_reported_and_not_repeated() {
    let secret = ["sk-ant-", "api03-Q7rT2mXw9LkPz4VbN8sYd3HfJ6gCe1A5uRo0iWqS"].concat();
    let text = GOOD.replace("name: reviewer", &format!("name: reviewer # {secret}"));
    let sandbox = reviewer(&text);
    for format in ["text", "json", "sarif", "github"] {
        let seen = sandbox.run(&["validate", "--format", format]);
        assert!(seen.stdout.contains("embedded-secret"), "{seen}");
        assert!(!seen.stdout.contains(&secret[10..]), "{format} repeats the secret");
    }
}

#[test]
fn a_file_in_the_folder_of_another_host_is_told_apart_from_one_that_loads() {
    let sandbox = Sandbox::with(&[(".codex/agents/reviewer.md", GOOD)]);
    let report = sandbox.json(&["validate", "--format", "json"]);
    assert_eq!(rules(&report), [("unread-file".to_owned(), "error".to_owned())]);
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("folder of Codex, and Claude Code does not look there"), "{message}");
}

#[test]
fn comments_count_in_toml_and_text_that_looks_like_one_does_not() {
    let role = |instructions: &str, comment: &str| {
        format!(
            "name = \"a\"\ndescription = \"Reviews changes.\"\n{comment}sandbox_mode = \"read-only\"\ndeveloper_instructions = \"\"\"\nReview.\n{instructions}\"\"\"\n"
        )
    };
    let allow = "# agentctl: allow-file[ignored-field]\n";
    let reported = |text: &str| {
        let sandbox = Sandbox::with(&[(".codex/agents/a.toml", text)]);
        rules(&sandbox.json(&["validate", "--format", "json"]))
            .into_iter()
            .map(|(rule, _)| rule)
            .collect::<Vec<_>>()
    };
    assert_eq!(reported(&role("", "")), ["ignored-field"]);
    assert_eq!(
        reported(&role("", "# agentctl: allow[ignored-field] older versions heed it\n")),
        [""; 0]
    );
    assert_eq!(reported(&role(allow, "")), ["ignored-field"]);
}
