//! Pages that are generated from the program.

use std::{collections::BTreeSet, fmt::Write as _, fs};

use agentctl::{
    dialect::DIALECTS,
    lint::RULES,
    model::Effect,
    provider::{ENDPOINTS, Wire},
    render::host_page,
};

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

#[test]
fn every_tool_is_described() {
    let mut page =
        "# Tools\n\nWhat agents can be given, as models see it. `agentctl show AGENT` tells \
                    which of them an agent gets.\n"
            .to_owned();
    for tool in agentctl::tools::built_in() {
        let spec = tool.spec();
        let effect = match tool.effect() {
            Effect::Read => "looks at files",
            Effect::Write => "changes files",
            Effect::Execute => "runs programs",
            Effect::Network => "reaches the network",
            Effect::Converse => "changes nothing",
        };
        write!(page, "\n## {}\n\n{} ({effect})\n\n", spec.name, spec.description).unwrap();
        page.push_str("| argument | type | |\n|---|---|---|\n");
        let required = spec.parameters["required"].as_array().cloned().unwrap_or_default();
        for (name, schema) in spec.parameters["properties"].as_object().into_iter().flatten() {
            let must = if required.contains(&name.as_str().into()) { "**" } else { "" };
            let kind = schema["type"].as_str().unwrap_or("any");
            let what = schema["description"].as_str().unwrap_or_default().replace('|', "\\|");
            writeln!(page, "| {must}`{name}`{must} | {kind} | {what} |").unwrap();
        }
    }
    page.push_str("\nArguments in bold are required.\n");
    assert_generated("docs/tools.md", &page);
}

#[test]
fn every_provider_that_needs_no_settings_is_listed() {
    let mut page = "# Models\n\nModels are named `provider/model`. These providers are known without \
                    settings; [Running agents](run.md#models) tells how one is chosen and how to add \
                    others.\n\n| provider | speaks | key | address | from | default model |\n\
                    |---|---|---|---|---|---|\n"
        .to_owned();
    for known in ENDPOINTS {
        let code = |name: &str| format!("`{name}`");
        let keys: Vec<_> = known.key_variables.iter().map(|name| code(name)).collect();
        let wire =
            Wire::ALL.iter().find(|(_, wire)| *wire == known.wire).map_or("", |(name, _)| name);
        writeln!(
            page,
            "| `{}` | `{wire}` | {} | {} | {} | {} |",
            known.name,
            if keys.is_empty() { "none".to_owned() } else { keys.join(" or ") },
            known.base_url,
            known.base_url_variable.map(code).unwrap_or_default(),
            known.default_model.map(code).unwrap_or_default()
        )
        .unwrap();
    }
    page.push_str(
        "\nWithout a provider: `sonnet`, `opus` and `haiku`, names of Anthropic's, OpenAI's and \
                   Google's models, names from `[models]`, `script:FILE`, and `offline`.\n",
    );
    assert_generated("docs/models.md", &page);
}

#[test]
fn every_claim_about_agents_that_work_together_is_a_test_and_the_other_way_round() {
    let page = fs::read_to_string(repository().join("docs/collaboration.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.contains("::"));
    let named: Vec<&str> = rows.filter_map(|line| line.rsplit('`').nth(1)).collect();
    let mut tests = BTreeSet::new();
    for entry in fs::read_dir(repository().join("tests/it/collab")).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if matches!(line, "#[test]" | "#[tokio::test]") {
                let name = lines.next().unwrap().split("fn ").nth(1).unwrap();
                tests.insert(format!("{module}::{}", name.split('(').next().unwrap()));
            }
        }
    }
    let listed: BTreeSet<String> = named.iter().map(ToString::to_string).collect();
    assert_eq!(listed, tests, "docs/collaboration.md names other tests than there are");
    assert_eq!(listed.len(), named.len(), "docs/collaboration.md names a test twice");
}
