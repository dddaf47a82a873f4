//! `agentctl list`.

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};

use crate::support::{Sandbox, agent, assert_snapshot, column, projects};

/// The agents that come with the program.
const BUILT_IN: [&str; 6] = ["Explore", "Plan", "default", "explorer", "orchestrator", "worker"];

/// Projects whose files lie where no host looks by itself.
const NAMED_BY_HAND: [&str; 2] = ["claude-plugin", "docker"];

fn keys(entry: &Value) -> Vec<&str> {
    entry.as_object().unwrap().keys().map(String::as_str).collect()
}

/// What is not built in.
fn found(list: &Value) -> Vec<Value> {
    let entries = list.as_array().unwrap().iter();
    entries.filter(|entry| entry["source"] != "builtin").cloned().collect()
}

fn entry<'a>(list: &'a Value, path: &str) -> &'a Value {
    let mut entries = list.as_array().unwrap().iter();
    entries.find(|entry| entry["path"] == path).unwrap_or_else(|| panic!("no {path} in {list:#}"))
}

#[test]
fn an_empty_directory_has_the_built_in_agents() {
    let sandbox = Sandbox::empty();
    assert_snapshot!("list-empty", sandbox.run(&["list"]));
    assert_eq!(column(&sandbox.json(&["list", "--format", "json"]), "agent_type"), BUILT_IN);
}

#[test]
fn the_keys_of_an_entry_are_those_promised() {
    let sandbox = Sandbox::project("template");
    let usual = ["agent_type", "description", "allow_list", "deny_list"];
    let origin = ["source", "dialect", "path"];
    let list = sandbox.json(&["list", "--format", "json", "--type", "explorer"]);
    let template = &list[0];
    assert_eq!(
        keys(template),
        [&usual[..], &["agent_names"], &origin, &["shadows", "loads"]].concat()
    );
    assert_eq!(keys(&template["agent_names"][0]), ["name", "description"]);

    let list = sandbox.json(&["list", "--format", "json", "--type", "explorer", "--expanded"]);
    let (template, built_in) = (&list[0], &list[1]);
    let expanded = ["model", "reasoning_effort", "default_prompt"];
    assert_eq!(
        keys(template),
        [&usual[..], &["agent_names"], &origin, &["shadows", "loads"], &expanded].concat()
    );
    assert_eq!(
        template["agent_names"][0],
        json!({
            "name": "fast",
            "description": "For small questions",
            "model": "gpt-5.3-codex-mini",
            "reasoning_effort": "minimal",
            "prompt": "Answer in one paragraph.",
        })
    );
    assert_eq!(template["model"], "gpt-5.3-codex-mini");
    assert_eq!(template["reasoning_effort"], "low");
    assert_eq!(
        template["default_prompt"],
        "\nYou answer questions about the code in front of you.\n"
    );
    assert_eq!(
        keys(built_in),
        [&usual[..], &origin, &["display_name", "shadowed_by", "loads"], &expanded].concat()
    );
}

#[test]
fn a_chain_of_models_is_a_list() {
    let sandbox = Sandbox::project("agentctl");
    let list = sandbox.json(&["list", "--format", "json", "--expanded", "--type", "schema-critic"]);
    assert_eq!(list[0]["model"], json!(["anthropic/claude-sonnet-4-5", "openai/gpt-5", "offline"]));
    assert_eq!(list[0]["reasoning_effort"], "high");
}

#[test]
fn every_project_is_read_as_its_hosts_read_it() {
    for project in projects() {
        let seen = Sandbox::project(&project).run(&["list", "--format", "json", "."]);
        assert_snapshot!(format!("list-{project}"), seen);
    }
}

#[test]
fn the_folders_of_every_host_are_found_without_being_named() {
    for project in projects().iter().filter(|name| !NAMED_BY_HAND.contains(&name.as_str())) {
        let sandbox = Sandbox::project(project);
        let paths = |list: Value| -> BTreeSet<String> {
            column(&found(&list).into(), "path").into_iter().collect()
        };
        let named = paths(sandbox.json(&["list", "--format", "json", "."]));
        assert_eq!(paths(sandbox.json(&["list", "--format", "json"])), named, "{project}");
    }
}

#[test]
fn the_table_tells_what_is_shadowed_and_what_is_not_loaded() {
    assert_snapshot!("list-everything-text", Sandbox::project("everything").run(&["list"]));
    let expanded = Sandbox::project("template").run(&["list", "--expanded", "--type", "explorer"]);
    assert_snapshot!("list-expanded-text", expanded);
}

#[test]
fn the_table_is_as_wide_as_it_may_be() {
    let sandbox = Sandbox::project("everything");
    sandbox.write(".claude/agents/long.md", &agent("an-agent-whose-name-is-much-too-long-for-it"));
    for columns in [60, 80, 100, 400] {
        let mut command = sandbox.command(&["list"]);
        command.env("COLUMNS", columns.to_string());
        let seen = sandbox.see(command);
        let table: Vec<_> = seen.stdout.lines().take_while(|line| !line.is_empty()).collect();
        let widest = table.iter().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= columns, "{columns}:\n{seen}");
        assert_eq!(seen.stdout.contains('…'), columns < 400, "{columns}:\n{seen}");
    }
}

#[test]
fn nothing_is_cut_where_nobody_looks() {
    let text = "word ".repeat(200);
    let file = format!("---\nname: wordy\ndescription: {text}\n---\n\nTalk.\n");
    let sandbox = Sandbox::with(&[(".claude/agents/wordy.md", &file)]);
    let mut command = sandbox.command(&["list", "--type", "wordy"]);
    command.env_remove("COLUMNS");
    let seen = sandbox.see(command);
    assert!(seen.stdout.contains(text.trim()), "{seen}");
}

#[test]
fn nothing_in_a_file_can_act_on_a_terminal() {
    let path = ".claude/agents/evil\u{1b}[2J\u{202e}.md";
    let hidden = r"\e]0;title\a\e[31m\x9b2J\u202eback\u2066wards\u200b\U000e0041";
    let file = format!(
        "---\nname: \"evil{hidden}\"\ndescription: \"Bad {hidden}\"\ntools: [\"mcp__s{hidden}__t\", \"{hidden}\"]\n\
         model: \"{hidden}\"\n\"key{hidden}\": 1\ncolor: \"{hidden}\"\n---\n\n\u{1b}[31mPrompt\u{202e}\n"
    );
    let broken = "---\nname: bro\u{202e}ken\ndescription: a: \u{200b}b\u{9b}\n---\n";
    let sandbox = Sandbox::with(&[(path, &file), (".claude/agents/broken\u{1b}.md", broken)]);
    let acts = |c: &char| {
        (c.is_control() && *c != '\n')
            || matches!(*c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
    };
    for arguments in [
        &["list"][..],
        &["list", "--format", "json"],
        &["list", "--expanded"],
        &["list", "--expanded", "--format", "json"],
        &["list", "nowhere\u{1b}[31m"],
        &["list", "--type", "evil\u{1b}\u{202e}"],
        &["show", path],
        &["show", path, "--format", "json"],
        &["show", path, "--format", "yaml"],
        &["show", ".claude/agents/broken\u{1b}.md"],
        &["show", "nobody\u{1b}[31m"],
        &["list", "--dialect", "docker", path],
    ] {
        let seen = sandbox.run(arguments);
        let acting: Vec<char> = seen.to_string().chars().filter(acts).collect();
        assert!(acting.is_empty(), "{arguments:?}: {acting:?}\n{seen}");
    }
    let list = sandbox.json(&["list", "--format", "json", path]);
    assert_eq!(list[0]["path"], path, "JSON loses nothing");
}

#[test]
fn the_nearest_definition_of_a_name_counts() {
    let sandbox = Sandbox::with(&[
        (".claude/agents/worker.md", &agent("worker")),
        ("~/.claude/agents/worker.md", &agent("worker")),
        ("~/.claude/agents/mine.md", &agent("mine")),
        ("~/.claude/agents/explorer.md", &agent("explorer")),
    ]);
    let list = sandbox.json(&["list", "--format", "json"]);
    let project = entry(&list, ".claude/agents/worker.md");
    assert_eq!(project["source"], "project");
    assert_eq!(project["shadows"], json!(["~/.claude/agents/worker.md", "builtin:worker.md"]));
    let user = entry(&list, "~/.claude/agents/worker.md");
    assert_eq!((&user["source"], &user["shadowed_by"]), (&json!("user"), &project["path"]));
    assert_eq!(entry(&list, "builtin:worker.md")["shadowed_by"], project["path"]);
    let over_built_in = entry(&list, "~/.claude/agents/explorer.md");
    assert_eq!(over_built_in["shadows"], json!(["builtin:explorer.md"]));
    assert_eq!(entry(&list, "~/.claude/agents/mine.md").get("shadows"), None);
}

#[test]
fn given_folders_take_the_place_of_the_projects_own() {
    let sandbox = Sandbox::with(&[
        (".claude/agents/usual.md", &agent("usual")),
        ("vendor/one/first.md", &agent("first")),
        ("vendor/two/deep/second.md", &agent("second")),
        ("~/.claude/agents/mine.md", &agent("mine")),
    ]);
    let arguments =
        ["list", "--format", "json", "--agents", "vendor/one", "--agents", "vendor/two"];
    let list = sandbox.json(&arguments);
    assert_eq!(column(&found(&list).into(), "agent_type"), ["first", "second", "mine"]);
    assert_eq!(list[1]["path"], "vendor/two/deep/second.md");

    let seen = sandbox.run(&["list", "--agents", "vendor/three"]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    assert!(seen.stderr.contains("cannot read vendor/three"), "{seen}");
}

#[test]
fn the_settings_say_where_to_look_and_what_to_leave_out() {
    let sandbox = Sandbox::with(&[
        ("agentctl.toml", "[catalog]\ndirs = [\"people\", \".\"]\nexclude = [\"**/old-*.md\"]\n"),
        ("people/a.md", &agent("a")),
        ("people/old-b.md", &agent("b")),
        (".claude/agents/c.md", &agent("c")),
        ("sub/.gitkeep", ""),
    ]);
    let list = sandbox.json(&["list", "--format", "json"]);
    let paths = column(&found(&list).into(), "path");
    assert_eq!(paths, ["people/a.md", ".claude/agents/c.md"]);

    let mut command = sandbox.command(&["list", "--format", "json"]);
    command.current_dir(sandbox.path("sub"));
    let list = sandbox.see(command).json();
    let paths = column(&found(&list).into(), "path");
    assert_eq!(paths, ["<work>/people/a.md", "<work>/.claude/agents/c.md"]);
}

#[test]
fn patterns_mean_the_same_in_a_folder_with_an_odd_name() {
    let sandbox = Sandbox::with(&[
        ("[x]{y}/.git/HEAD", ""),
        ("[x]{y}/agentctl.toml", "[catalog]\nexclude = [\"agents/b*\"]\n"),
        ("[x]{y}/agents/a.md", &agent("a")),
        ("[x]{y}/agents/b.md", &agent("b")),
    ]);
    let mut command = sandbox.command(&["list", "--format", "json"]);
    command.current_dir(sandbox.path("[x]{y}"));
    assert_eq!(column(&found(&sandbox.see(command).json()).into(), "agent_type"), ["a"]);
}

#[test]
fn the_users_settings_apply_where_the_project_has_none() {
    let sandbox = Sandbox::with(&[
        ("~/.config/agentctl/config.toml", "[catalog]\nexclude = [\"/**/secret.md\"]\n"),
        ("~/.claude/agents/secret.md", &agent("secret")),
        ("~/.claude/agents/open.md", &agent("open")),
    ]);
    let sandbox_json = sandbox.json(&["list", "--format", "json"]);
    assert_eq!(column(&found(&sandbox_json).into(), "agent_type"), ["open"]);
}

#[test]
fn broken_settings_are_shown_with_line_and_column() {
    for (name, text, place) in [
        ("unknown", "[catalog]\ndir = [\"x\"]\n", "agentctl.toml:2:1"),
        ("type", "[catalog]\ndirs = 3\n", "agentctl.toml:2:8"),
        ("syntax", "[catalog\n", "agentctl.toml:1:9"),
        ("pattern", "[catalog]\nexclude = [\"a[\"]\n", "agentctl.toml:2:13"),
    ] {
        let sandbox = Sandbox::with(&[("agentctl.toml", text)]);
        let seen = sandbox.run(&["list"]);
        assert_eq!((seen.exit, seen.stdout.as_str()), (Some(2), ""), "{name}: {seen}");
        assert!(seen.stderr.contains(place), "{name}: {seen}");
    }
    let sandbox = Sandbox::with(&[("agentctl.toml", "[catalog]\ndir = [\"x\"]\n")]);
    assert_snapshot!("list-broken-settings", sandbox.run(&["list"]));
}

#[test]
fn agents_of_the_repository_are_found_from_below() {
    let sandbox = Sandbox::with(&[
        (".claude/agents/top.md", &agent("top")),
        (".claude/agents/both.md", &agent("both")),
        ("src/.claude/agents/both.md", &agent("both")),
        ("src/deep/.gitkeep", ""),
        ("opencode.json", "{\"agent\": {\"oc\": {\"mode\": \"subagent\"}}}"),
    ]);
    let mut command = sandbox.command(&["list", "--format", "json"]);
    command.current_dir(sandbox.path("src/deep"));
    let list = sandbox.see(command).json();
    assert_eq!(
        column(&found(&list).into(), "path"),
        [
            "../.claude/agents/both.md",
            "../../.claude/agents/both.md",
            "../../.claude/agents/top.md",
            "../../opencode.json"
        ]
    );
    assert_eq!(list[0]["shadows"], json!(["../../.claude/agents/both.md"]));
}

#[test]
fn what_is_above_the_repository_is_not_looked_at() {
    let sandbox = Sandbox::with(&[
        (".claude/agents/outer.md", &agent("outer")),
        ("inner/.git/HEAD", ""),
        ("inner/agents/inner.md", &agent("inner")),
    ]);
    let mut command = sandbox.command(&["list", "--format", "json"]);
    command.current_dir(sandbox.path("inner"));
    assert_eq!(column(&found(&sandbox.see(command).json()).into(), "agent_type"), ["inner"]);
}

#[test]
fn a_home_that_is_the_working_directory_is_listed_once() {
    let sandbox = Sandbox::with(&[
        (".claude/agents/a.md", &agent("a")),
        (".config/opencode/agent/b.md", "---\ndescription: B\nmode: all\n---\n\nB.\n"),
    ]);
    let mut command = sandbox.command(&["list", "--format", "json"]);
    command.env("HOME", sandbox.work());
    let list = sandbox.see(command).json();
    let found = found(&list);
    assert_eq!(column(&found.into(), "agent_type"), ["a", "b"]);
}

#[cfg(unix)]
#[test]
fn links_to_files_are_followed_and_links_to_folders_are_not() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::with(&[
        ("elsewhere/far.md", &agent("far")),
        ("elsewhere/file.md", &agent("linked")),
        (".claude/agents/near.md", &agent("near")),
    ]);
    symlink("../../elsewhere", sandbox.path(".claude/agents/folder")).unwrap();
    symlink("../../elsewhere/file.md", sandbox.path(".claude/agents/link.md")).unwrap();
    symlink("..", sandbox.path(".claude/agents/loop")).unwrap();
    let seen = sandbox.run(&["list", "--format", "json"]);
    assert_eq!((seen.exit, seen.stderr.as_str()), (Some(0), ""));
    assert_eq!(column(&found(&seen.json()).into(), "agent_type"), ["linked", "near"]);
    // The folder of agents itself may be a link.
    symlink("../elsewhere", sandbox.path(".git/shared")).unwrap();
    fs::create_dir(sandbox.path(".gemini")).unwrap();
    symlink("../elsewhere", sandbox.path(".gemini/agents")).unwrap();
    let list = sandbox.json(&["list", "--format", "json"]);
    assert_eq!(entry(&list, ".gemini/agents/far.md")["dialect"], "gemini");
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_are_not_opened() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let sandbox = Sandbox::with(&[(".claude/agents/a.md", &agent("a"))]);
    let pipe = sandbox.path(".claude/agents/pipe.md");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    std::os::unix::fs::symlink("pipe.md", sandbox.path(".claude/agents/link.md")).unwrap();
    let seen = sandbox.run(&["list", "--format", "json"]);
    assert_eq!(column(&found(&seen.json()).into(), "agent_type"), ["a"], "{seen}");
    for command in ["list", "show"] {
        let seen = sandbox.run(&[command, ".claude/agents/pipe.md"]);
        assert_eq!(seen.exit, Some(2), "{seen}");
    }
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_reported_and_the_rest_is_listed() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::with(&[(".claude/agents/a.md", &agent("a")), ("b.md", &agent("b"))]);
    symlink("nowhere.md", sandbox.path(".claude/agents/dangling.md")).unwrap();
    assert_snapshot!("list-unreadable", sandbox.run(&["list", "b.md", "missing", ".claude"]));

    symlink("self.md", sandbox.path(".claude/agents/self.md")).unwrap();
    let seen = sandbox.run(&["list", "--format", "json"]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    assert_eq!(column(&found(&seen.json()).into(), "agent_type"), ["a"]);
    assert_eq!(seen.stderr.lines().count(), 2, "{seen}");
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::with(&[
        (".claude/agents/locked.md", &agent("locked")),
        (".claude/agents/open.md", &agent("open")),
        (".claude/agents/closed/inner.md", &agent("inner")),
    ]);
    let lock = |mode| fs::Permissions::from_mode(mode);
    let file = sandbox.path(".claude/agents/locked.md");
    let folder = sandbox.path(".claude/agents/closed");
    fs::set_permissions(&file, lock(0)).unwrap();
    fs::set_permissions(&folder, lock(0)).unwrap();
    let ineffective = fs::read(&file).is_ok();
    let seen = sandbox.run(&["list", "--format", "json"]);
    fs::set_permissions(&folder, lock(0o755)).unwrap();
    if ineffective {
        println!("skipped: this user may read everything");
        return;
    }
    assert_eq!(seen.exit, Some(2), "{seen}");
    assert_eq!(column(&found(&seen.json()).into(), "agent_type"), ["open"], "{seen}");
    assert!(seen.stderr.contains("locked.md") && seen.stderr.contains("closed"), "{seen}");
}

#[test]
fn a_path_without_definitions_is_an_error() {
    let sandbox = Sandbox::with(&[("docs/README.md", "# Hello\n"), ("notes.txt", "hello\n")]);
    assert_snapshot!("list-nothing", sandbox.run(&["list", "docs", "notes.txt"]));
    let seen = sandbox.run(&["list", "--format", "json", "docs"]);
    assert_eq!((seen.exit, seen.json()), (Some(2), json!([])));
}

#[test]
fn a_type_chooses_and_an_unknown_one_is_an_error() {
    let sandbox = Sandbox::project("claude-plugin");
    let list = sandbox.json(&["list", "--format", "json", "--type", "fraud", "plugins"]);
    assert_eq!(column(&list, "agent_type"), ["fraud"]);
    let list = sandbox.json(&["list", "--format", "json", "--type", "payments:fraud", "plugins"]);
    assert_eq!(column(&list, "agent_type"), ["fraud"]);
    assert_snapshot!("list-unknown-type", sandbox.run(&["list", "--type", "explore"]));
}

#[test]
fn a_broken_file_is_listed_with_its_problem() {
    let list = Sandbox::project("claude").json(&["list", "--format", "json", "."]);
    for (path, line, column) in [
        (".claude/agents/unquoted-colon.md", 3, 14),
        (".claude/agents/unclosed.md", 1, 1),
        (".claude/agents/star.md", 4, 8),
    ] {
        let broken = entry(&list, path);
        assert_eq!(broken["loads"], false, "{broken:#}");
        let start = &broken["problems"][0]["start"];
        assert_eq!((&start["line"], &start["column"]), (&json!(line), &json!(column)), "{path}");
    }
}

#[test]
fn a_file_anywhere_can_be_read_as_any_dialect() {
    let sandbox = Sandbox::with(&[("notes/plan.txt", &agent("plan-b"))]);
    let list = sandbox.json(&["list", "--format", "json", "notes/plan.txt"]);
    assert_eq!((&list[0]["agent_type"], &list[0]["dialect"]), (&json!("plan-b"), &json!("claude")));
    for dialect in ["gemini", "qwen", "factory", "goose", "cursor"] {
        let arguments = ["list", "--format", "json", "--dialect", dialect, "notes/plan.txt"];
        let list = sandbox.json(&arguments);
        assert_eq!(
            (&list[0]["agent_type"], &list[0]["dialect"]),
            (&json!("plan-b"), &json!(dialect))
        );
    }
    let seen = sandbox.run(&["list", "--dialect", "klaude"]);
    assert_eq!(seen.exit, Some(2), "{seen}");
    assert!(seen.stderr.contains("claude"), "{seen}");
}
