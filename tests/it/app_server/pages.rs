//! What is written about the protocol.

use std::fs;

use agentctl::app_server::{
    Code,
    schema::{json_schema, notifications, typescript},
};

use crate::support::{assert_generated, repository};

#[test]
fn the_types_are_written_down_for_typescript() {
    assert_generated("docs/protocol/agentctl.d.ts", &typescript(&json_schema()));
}

#[test]
fn every_method_notification_and_code_is_explained() {
    let page = fs::read_to_string(repository().join("docs/protocol/README.md")).unwrap();
    let schema = json_schema();
    let requests = ["requests", "serverRequests"].map(|table| schema[table].as_object().unwrap());
    let methods = requests.into_iter().flat_map(|table| table.keys().cloned());
    for name in methods.chain(notifications(&schema)) {
        assert!(page.contains(&format!("\n| `{name}` |")), "{name} is not explained");
    }
    for (number, _, what) in Code::ALL {
        let row = format!("\n| {number} | {what} |");
        assert!(page.contains(&row), "{row} is missing");
    }
}
