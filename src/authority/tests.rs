//! The filter, tier by tier.

use std::path::Path;

use super::*;
use crate::catalog::File;

const SUB: Circumstances<'_> = Circumstances {
    caller: None,
    position: Position::Below { depth: 1, max_depth: 2 },
    background: false,
    trusted: false,
};

fn entry(path: &str, text: &str, origin: Origin) -> Entry {
    File::new(Path::new(path), text.as_bytes().to_vec(), origin, &[]).entries.remove(0)
}

fn own(keys: &str) -> Entry {
    entry("agents/a.yaml", &format!("agentType: a\n{keys}\n"), Origin::Project)
}

fn tools(entry: &Entry, circumstances: Circumstances<'_>) -> Vec<&'static str> {
    granted(&authority(entry, &circumstances)).collect()
}

fn tier(entry: &Entry, circumstances: Circumstances<'_>, tool: &str) -> Option<Tier> {
    let verdicts = authority(entry, &circumstances);
    let verdict = verdicts.into_iter().find(|verdict| verdict.tool == tool)?;
    (!verdict.granted).then_some(verdict.tier)
}

#[test]
fn every_name_in_a_tier_is_a_tool() {
    for name in [MAIN_AGENT_ONLY, NEEDS_TRUST, BACKGROUND_SAFE, COLLABORATION].concat() {
        assert!(canonical_tool(name).is_some(), "{name}");
    }
}

#[test]
fn a_list_grants_what_it_names_in_any_spelling_and_nothing_else() {
    let entry = own("tools: [Read, grep_search, Glob]");
    assert_eq!(tools(&entry, SUB), ["complete_task", "glob_files", "grep_files", "read_file"]);
    let claude = "---\nname: a\ndescription: b\ntools: Read, LS\n---\nx\n";
    let entry = self::entry(".claude/agents/a.md", claude, Origin::Project);
    assert_eq!(tools(&entry, SUB), ["complete_task", "list_dir", "read_file"]);
    assert_eq!(tools(&own("tools: []"), SUB), ["complete_task"]);
}

#[test]
fn a_sub_agent_never_gets_the_tools_of_the_main_agent() {
    let entry = own("tools: [Task, TaskOutput, TodoWrite, read_file]");
    assert_eq!(tools(&entry, SUB), ["complete_task", "read_file"]);
    let main = Circumstances { position: Position::Main, ..SUB };
    assert!(tools(&entry, main).contains(&"Task"));
}

#[test]
fn a_denial_beats_a_grant_and_trust() {
    let entry = own("tools: [read_file, shell]\ndisallowedTools: [Bash]");
    let trusted = Circumstances { trusted: true, ..SUB };
    assert_eq!(tier(&entry, trusted, "shell"), Some(Tier::Denied));
    assert_eq!(tools(&entry, trusted), ["complete_task", "read_file"]);
}

#[test]
fn changing_things_needs_trust_unless_built_in() {
    let entry = own("tools: [shell, exec_command, write_file, apply_patch]");
    for tool in NEEDS_TRUST {
        assert_eq!(tier(&entry, SUB, tool), Some(Tier::Trust), "{tool}");
        assert_eq!(tier(&entry, Circumstances { trusted: true, ..SUB }, tool), None, "{tool}");
    }
    let built_in = self::entry("builtin:a.yaml", "agentType: a\n", Origin::Builtin);
    assert!(tools(&built_in, SUB).contains(&"shell"));
    // What the file claims about itself does not count.
    assert_eq!(tier(&own("source: builtin"), SUB, "shell"), Some(Tier::Trust));
}

#[test]
fn the_background_leaves_only_what_waits_for_nobody() {
    let background = Circumstances { background: true, ..SUB };
    let entry = own("tools: [read_file, list_dir, glob_files, spawn_agent]");
    assert_eq!(tools(&entry, background), ["complete_task", "glob_files", "read_file"]);
    assert_eq!(tier(&entry, background, "list_dir"), Some(Tier::Background));
}

#[test]
fn nobody_gets_what_its_caller_lacks() {
    let caller = Circumstances { caller: Some(&["read_file", "Task"]), ..SUB };
    assert_eq!(tools(&own("displayName: x"), caller), ["complete_task", "read_file"]);
    assert_eq!(tier(&own("tools: [grep_files]"), caller, "grep_files"), Some(Tier::Caller));
}

#[test]
fn agents_start_agents_only_where_it_is_said_and_the_tree_is_not_too_deep() {
    let listed = own("tools: [spawn_agent, wait]");
    assert_eq!(tools(&listed, SUB), ["complete_task", "spawn_agent", "wait"]);
    let deep = Circumstances { position: Position::Below { depth: 2, max_depth: 2 }, ..SUB };
    assert_eq!(tools(&listed, deep), ["complete_task"]);
    assert!(!tools(&own("displayName: x"), SUB).contains(&"spawn_agent"));
    let main = Circumstances { position: Position::Main, ..SUB };
    assert!(!tools(&own("displayName: x"), main).contains(&"spawn_agent"));
    assert_eq!(tools(&listed, main), ["complete_task", "spawn_agent", "wait"]);
    let host = Circumstances { position: Position::Host, ..SUB };
    assert!(tools(&own("displayName: x"), host).contains(&"spawn_agent"));
    assert!(!tools(&own("displayName: x"), host).contains(&"collaboration.send"));
}

#[test]
fn read_only_takes_writing_away() {
    let entry = own("readOnly: true");
    let trusted = Circumstances { trusted: true, ..SUB };
    assert_eq!(tier(&entry, trusted, "write_file"), Some(Tier::Denied));
    assert_eq!(tier(&entry, trusted, "shell"), None);
}

#[test]
fn what_is_not_known_allows_nothing() {
    let docker = self::entry("team.yaml", "agents:\n  root:\n    model: a/b\n", Origin::Project);
    assert_eq!(tools(&docker, SUB), ["complete_task"]);
}
