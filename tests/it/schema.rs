//! `agentctl schema`, and whether schemas and tables say the same of real files.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use agentctl::{
    catalog::{self, Entry, Exclude, Keep, Reading},
    dialect::{DIALECTS, FaultKind, FieldEffect, Form, json_schema},
    document::{self, Format},
};
use serde_json::Value;

use crate::support::{Sandbox, assert_generated, assert_snapshot, projects, repository};

/// The names `agentctl schema` lists.
fn names() -> Vec<String> {
    let seen = Sandbox::empty().run(&["schema"]);
    seen.stdout.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

/// A file of `tests/projects`.
struct File {
    path: PathBuf,
    /// The name of its schema.
    schema: String,
    /// Its keys and values; the front matter of Markdown.
    value: Value,
    entries: Vec<Entry>,
    /// Whether its text has problems.
    has_problems: bool,
}

impl File {
    /// Whether its host takes everything in it, if not always to heart.
    fn is_good(&self) -> bool {
        self.kinds().all(|kind| matches!(kind, FaultKind::NoEffect { .. }))
    }

    /// Whether a value in it is of the wrong type, not allowed, or missing.
    fn has_wrong_values(&self) -> bool {
        self.kinds().any(|kind| {
            matches!(
                kind,
                FaultKind::WrongType { .. }
                    | FaultKind::BadValue { .. }
                    | FaultKind::Missing { .. }
            )
        })
    }

    /// Whether its text can be read as what it is.
    fn is_well_formed(&self) -> bool {
        let has_keys = !self.kinds().any(|kind| matches!(kind, FaultKind::NoFrontMatter));
        has_keys && !self.has_problems
    }

    fn kinds(&self) -> impl Iterator<Item = &FaultKind> {
        let faults = self.entries.iter().flat_map(|entry| &entry.faults);
        // Which of two files of the same name counts is not a question of what is in them.
        let kinds = faults.map(|fault| &fault.what.kind);
        kinds
            .filter(|kind| !matches!(kind, FaultKind::Duplicate { .. } | FaultKind::TooDeep { .. }))
    }
}

fn files() -> Vec<File> {
    let paths: Vec<PathBuf> =
        projects().iter().map(|name| repository().join("tests/projects").join(name)).collect();
    let (candidates, errors) = catalog::discover_paths(&paths, &Exclude::default());
    assert!(errors.is_empty(), "{errors:?}");
    let mut files: BTreeMap<PathBuf, Vec<Entry>> = BTreeMap::new();
    let reading = Reading { hosts: Vec::new(), keep: Keep::Text, built_in: false };
    for entry in catalog::load(&candidates, &reading, |_| ()).0.entries {
        files.entry(entry.path.clone()).or_default().push(entry);
    }
    files.into_iter().map(|(path, entries)| file(&path, entries)).collect()
}

fn file(path: &Path, entries: Vec<Entry>) -> File {
    let source = entries[0].source.as_ref().unwrap();
    let format = Format::of_path(path).unwrap();
    let (document, problems) = document::parse(source, format);
    let schema = entries[0].form.full_id(entries[0].dialect);
    let path = path.strip_prefix(repository()).unwrap().to_owned();
    File {
        path,
        schema,
        value: document.root.to_json(),
        entries,
        has_problems: !problems.is_empty(),
    }
}

fn forms() -> impl Iterator<Item = (String, &'static Form, Value)> {
    DIALECTS.iter().flat_map(|dialect| {
        dialect.forms.iter().map(|form| (form.full_id(dialect), form, json_schema(dialect, form)))
    })
}

/// Where a schema is checked in.
fn path(name: &str) -> String {
    match name {
        "protocol" => "docs/protocol/schema.json".to_owned(),
        _ => format!("docs/schemas/{name}.json"),
    }
}

#[test]
fn every_schema_is_checked_in_as_it_is_printed() {
    assert_snapshot!("schema-names", Sandbox::empty().run(&["schema"]));
    for name in names() {
        let seen = Sandbox::empty().run(&["schema", &name]);
        assert_eq!(seen.exit, Some(0), "{seen}");
        assert_generated(&path(&name), &seen.stdout);
    }
    let folder = std::fs::read_dir(repository().join("docs/schemas")).unwrap();
    let files: BTreeSet<String> =
        folder.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let paths: BTreeSet<String> = names().iter().map(|name| path(name)).collect();
    let expected = paths.iter().filter_map(|path| path.strip_prefix("docs/schemas/"));
    assert_eq!(files, expected.map(str::to_owned).collect());
}

#[test]
fn every_schema_is_a_json_schema() {
    for name in names() {
        let schema = Sandbox::empty().json(&["schema", &name]);
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
        if let Err(error) = jsonschema::draft202012::meta::validate(&schema) {
            panic!("{name}: {error}");
        }
    }
}

#[test]
fn an_unknown_schema_is_an_error_that_names_the_others() {
    assert_snapshot!("schema-unknown", Sandbox::empty().run(&["schema", "klaude"]));
}

#[test]
fn our_own_schema_has_a_short_name() {
    let sandbox = Sandbox::empty();
    assert_eq!(sandbox.json(&["schema", "agent"]), sandbox.json(&["schema", "agentctl"]));
}

#[test]
fn schemas_accept_what_hosts_accept_and_refuse_what_is_of_the_wrong_type() {
    let schemas: BTreeMap<String, Value> =
        forms().map(|(name, _, schema)| (name, schema)).collect();
    let (mut accepted, mut refused) = (BTreeSet::new(), BTreeSet::new());
    for file in files().iter().filter(|file| file.is_well_formed()) {
        let validator = jsonschema::validator_for(&schemas[&file.schema]).unwrap();
        let errors: Vec<_> = validator
            .iter_errors(&file.value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        let path = file.path.display();
        if file.is_good() {
            assert!(errors.is_empty(), "{path}: {errors:#?}");
            accepted.insert(file.schema.clone());
        } else if file.has_wrong_values() {
            assert!(!errors.is_empty(), "{path}: the schema {} sees nothing", file.schema);
            refused.insert(file.schema.clone());
        }
    }
    assert_eq!(accepted, schemas.into_keys().collect(), "every form has a good file");
    assert!(refused.len() > 10, "{refused:?}");
}

#[test]
fn the_projects_use_most_keys_of_every_host() {
    let files = files();
    for (name, form, _) in forms() {
        let good = files.iter().filter(|file| file.schema == name && file.is_good());
        let definitions = good.flat_map(|file| &file.entries).map(|entry| &entry.definition);
        let used: BTreeSet<&str> = definitions
            .flat_map(|definition| &definition.fields)
            .map(|field| field.path.as_str())
            .collect();
        let keys: Vec<&str> = form
            .fields
            .iter()
            .filter(|field| field.effect == FieldEffect::Applied)
            .map(|field| field.key)
            .collect();
        let unused: Vec<_> = keys.iter().filter(|key| !used.contains(*key)).collect();
        assert!(unused.len() * 2 <= keys.len(), "{name}: not used are {unused:?}");
    }
}

#[test]
fn the_projects_use_every_key_of_our_own() {
    let files = files();
    for (name, _, schema) in forms() {
        if !["agentctl", "agentctl-yaml", "template"].contains(&name.as_str()) {
            continue;
        }
        let good = files.iter().filter(|file| file.schema == name && file.is_good());
        let values: Vec<&Value> = good.map(|file| &file.value).collect();
        let mut unused = Vec::new();
        uses(&schema, &values, &name, &mut unused);
        assert!(unused.is_empty(), "{unused:#?}");
    }
}

/// Collects the keys of `schema` that none of `values` has.
fn uses(schema: &Value, values: &[&Value], path: &str, unused: &mut Vec<String>) {
    for branch in schema["anyOf"].as_array().into_iter().flatten() {
        let fits = |value: &&&Value| jsonschema::is_valid(branch, value);
        let values: Vec<&Value> = values.iter().filter(fits).copied().collect();
        if values.is_empty() {
            unused.push(format!("{path}: {branch}"));
        }
        uses(branch, &values, path, unused);
    }
    for (key, schema) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{key}");
        let values: Vec<&Value> = values.iter().filter_map(|value| value.get(key)).collect();
        if values.is_empty() {
            unused.push(path.clone());
        }
        uses(schema, &values, &path, unused);
    }
    if schema["additionalProperties"].is_object() {
        let maps = values.iter().filter_map(|value| value.as_object());
        let values: Vec<&Value> = maps.flat_map(|map| map.values()).collect();
        uses(&schema["additionalProperties"], &values, &format!("{path}.*"), unused);
    }
    if schema["items"].is_object() {
        let lists = values.iter().filter_map(|value| value.as_array());
        let values: Vec<&Value> = lists.flatten().collect();
        uses(&schema["items"], &values, &format!("{path}[]"), unused);
    }
}
