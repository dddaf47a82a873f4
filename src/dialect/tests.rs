//! What every table must satisfy.

use std::collections::BTreeSet;

use super::*;
use crate::model::canonical_tool;

fn forms() -> impl Iterator<Item = (&'static Dialect, &'static Form)> {
    DIALECTS.iter().flat_map(|dialect| dialect.forms.iter().map(move |form| (*dialect, form)))
}

#[test]
fn ids_and_keys_are_unique() {
    let ids: BTreeSet<_> = forms().map(|(dialect, form)| form.full_id(dialect)).collect();
    assert_eq!(ids.len(), forms().count());
    for (dialect, form) in forms() {
        let keys: BTreeSet<_> = form.fields.iter().map(|field| field.key).collect();
        assert_eq!(keys.len(), form.fields.len(), "{}", form.full_id(dialect));
    }
}

#[test]
fn every_tool_stands_for_tools_that_exist() {
    for dialect in DIALECTS {
        let names: BTreeSet<_> = dialect.tools.tools.iter().map(|tool| tool.name).collect();
        assert_eq!(
            names.len(),
            dialect.tools.tools.len(),
            "{}: a tool is listed twice",
            dialect.id
        );
        for tool in dialect.tools.tools {
            for name in tool.canonical {
                assert!(canonical_tool(name).is_some(), "{}: {} is no tool", dialect.id, name);
            }
        }
    }
}

#[test]
fn every_canonical_tool_and_every_host_s_spelling_is_understood_by_our_own_dialect() {
    for tool in crate::model::CANONICAL_TOOLS {
        let own = agentctl::DIALECT.tools.tool(tool.name).map(|own| own.canonical);
        assert_eq!(own, Some(&[tool.name][..]), "{}", tool.name);
    }
}

#[test]
fn every_field_says_what_it_is_for() {
    fn walk(fields: &[Field]) {
        for field in fields {
            assert!(field.doc.ends_with('.'), "{}: {:?}", field.key, field.doc);
            if let Kind::Table(inner) | Kind::OpenTable(inner, _) = field.kind {
                walk(inner);
            }
        }
    }
    forms().for_each(|(_, form)| walk(form.fields));
}
