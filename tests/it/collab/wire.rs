//! Names with dots at providers that refuse them.

use serde_json::{Value, json};

use super::{TOOLS, definition};
use crate::{
    fault_server::Server,
    run_providers::{FORMATS, run, sandbox},
};

/// Every value of `key` anywhere in `value` that is a text.
fn texts<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                if let Some(text) = field.as_str().filter(|_| name == key) {
                    found.push(text);
                }
                texts(field, key, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, key, found)),
        _ => {}
    }
}

fn names(body: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    texts(body, "name", &mut found);
    texts(body, "tool_name", &mut found);
    found
}

#[tokio::test]
async fn every_format_gets_names_without_dots_and_they_come_back() {
    for format in FORMATS {
        let arguments = json!({"agent_type": "leaf"});
        // A model may also spell the name as it reads it in a prompt.
        let server = Server::sequence(vec![
            format.reply("collaboration_init_agent", &arguments),
            format.reply("collaboration.init_agent", &arguments),
            format.done(),
        ])
        .await;
        let sandbox = sandbox(format.kind, &[&server], "");
        sandbox.write("agents/lead.md", &definition("lead", &format!("tools: [{TOOLS}]")));
        sandbox.write("agents/leaf.md", &definition("leaf", "tools: [read_file]"));
        let lead = ["run", "lead", "Go.", "--model", "one/m", "--format", "jsonl", "--no-probe"];
        let seen = run(&sandbox, &lead).await;
        assert_eq!(seen.exit, Some(0), "{}: {seen}", format.name);
        let called = seen.stdout.matches("\"tool_name\":\"collaboration.init_agent\"").count();
        assert_eq!(called, 4, "{}: {seen}", format.name);
        assert!(seen.stdout.contains("Created agent 2 (leaf#2)."), "{}: {seen}", format.name);
        for request in server.seen() {
            let sent = names(&request.body);
            assert!(sent.contains(&"collaboration_init_agent"), "{}: {sent:?}", format.name);
            let refused: Vec<_> = sent.iter().filter(|name| name.contains('.')).collect();
            assert!(refused.is_empty(), "{}: {refused:?}", format.name);
        }
    }
}
