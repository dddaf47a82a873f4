//! Catalogs as people published them, if a folder with them is at hand.

use std::{collections::BTreeSet, path::Path};

use crate::support::{Sandbox, column};

/// The folder with the catalogs.
const VARIABLE: &str = "AGENTCTL_CORPUS";

struct Expected {
    folder: &'static str,
    dialect: &'static str,
    files: usize,
    agents: usize,
    /// Files that the host does not load.
    lost: usize,
}

const EXPECTED: &[Expected] = &[
    Expected { folder: "wshobson-agents", dialect: "claude", files: 200, agents: 200, lost: 0 },
    Expected { folder: "voltagent-claude", dialect: "claude", files: 158, agents: 158, lost: 8 },
    Expected { folder: "rshah515-claude", dialect: "claude", files: 165, agents: 165, lost: 3 },
    Expected { folder: "awesome-copilot", dialect: "copilot", files: 223, agents: 223, lost: 1 },
    Expected { folder: "voltagent-codex", dialect: "codex", files: 172, agents: 172, lost: 0 },
    Expected { folder: "docker-agent", dialect: "docker", files: 84, agents: 124, lost: 0 },
];

#[test]
fn published_catalogs_are_read_whole() {
    let Some(corpus) = std::env::var_os(VARIABLE) else {
        println!("skipped: {VARIABLE} does not name a folder");
        return;
    };
    for Expected { folder, dialect, files, agents, lost } in EXPECTED {
        let path = Path::new(&corpus).join(folder);
        let list = Sandbox::empty().json(&["list", "--format", "json", path.to_str().unwrap()]);
        let paths: BTreeSet<_> = column(&list, "path").into_iter().collect();
        assert_eq!(paths.len(), *files, "{folder}: files");
        assert_eq!(list.as_array().unwrap().len(), *agents, "{folder}: agents");
        let dialects: BTreeSet<_> = column(&list, "dialect").into_iter().collect();
        assert_eq!(dialects, BTreeSet::from([(*dialect).to_owned()]), "{folder}");
        let entries = list.as_array().unwrap().iter();
        let unloaded: BTreeSet<_> = entries
            .filter(|entry| entry["loads"] == false)
            .map(|entry| entry["path"].to_string())
            .collect();
        assert_eq!(unloaded.len(), *lost, "{folder}: {unloaded:#?}");
    }
}

#[test]
fn published_mistakes_are_mended_without_changing_a_word() {
    let Some(corpus) = std::env::var_os(VARIABLE) else {
        println!("skipped: {VARIABLE} does not name a folder");
        return;
    };
    let mut mended = 0;
    for folder in ["voltagent-claude", "rshah515-claude"] {
        let path = Path::new(&corpus).join(folder);
        let report =
            Sandbox::empty().json(&["validate", "--format", "json", path.to_str().unwrap()]);
        let broken = report["findings"].as_array().unwrap().iter();
        for finding in broken.filter(|finding| finding["rule"] == "unquoted-text") {
            let old = std::fs::read_to_string(finding["path"].as_str().unwrap()).unwrap();
            let said = old.lines().find_map(|line| line.strip_prefix("description: ")).unwrap();
            let sandbox = Sandbox::with(&[("agents/a.md", &old)]);
            sandbox.run(&["validate", "--fix", "agents"]);
            let new = std::fs::read_to_string(sandbox.path("agents/a.md")).unwrap();
            let front = new.split("---\n").nth(1).unwrap();
            let keys: serde_json::Value = serde_yaml::from_str(front).unwrap();
            assert_eq!(keys["description"], said.trim(), "{finding}");
            assert_eq!(new.lines().count(), old.lines().count());
            mended += 1;
        }
    }
    assert_eq!(mended, 11);
}
