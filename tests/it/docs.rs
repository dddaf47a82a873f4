//! Pages that are generated from the program.

use std::{collections::BTreeSet, fs};

use agentctl::{dialect::DIALECTS, lint::RULES, render::host_page};

use crate::support::{assert_generated, repository};

#[test]
fn every_rule_has_its_page() {
    let mut index = "# Rules\n\n| rule | level | a definition that … |\n|---|---|---|\n".to_owned();
    for rule in RULES {
        assert_generated(&format!("docs/rules/{}.md", rule.name), &rule.page());
        let (name, level, summary) = (rule.name, rule.level.name(), rule.summary);
        index.push_str(&format!("| [{name}]({name}.md) | {level} | {summary} |\n"));
    }
    assert_generated("docs/rules/README.md", &index);
    let names: BTreeSet<_> = RULES.iter().map(|rule| rule.name).chain(["README"]).collect();
    no_others("docs/rules", &names);
}

#[test]
fn every_host_has_its_page() {
    for dialect in DIALECTS {
        assert_generated(&format!("docs/hosts/{}.md", dialect.id), &host_page(dialect));
    }
    no_others("docs/hosts", &DIALECTS.iter().map(|dialect| dialect.id).collect());
}

fn no_others(folder: &str, names: &BTreeSet<&str>) {
    for entry in fs::read_dir(repository().join(folder)).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        assert!(names.contains(file.trim_end_matches(".md")), "{folder}/{file} belongs to nothing");
    }
}
