//! `agentctl schema`.

use std::io::Write as _;

use anyhow::Result;
use serde_json::Value;

use super::{Exit, args::SchemaArgs, world::World};
use crate::{
    app_server::schema as protocol,
    config,
    dialect::{self, DIALECTS},
};

pub(super) fn run(world: &mut World, args: &SchemaArgs) -> Result<Exit> {
    let Some(what) = &args.what else {
        for (name, schema) in schemas() {
            let title = schema.get("title").and_then(Value::as_str).unwrap_or_default();
            writeln!(world.out, "{name:16}  {title}")?;
        }
        return Ok(Exit::Done);
    };
    // `agent` is what people call our own.
    let wanted = if what == "agent" { "agentctl" } else { what };
    match schemas().into_iter().find(|(name, _)| name == wanted) {
        Some((_, schema)) => {
            writeln!(world.out, "{}", serde_json::to_string_pretty(&schema)?)?;
            Ok(Exit::Done)
        }
        None => {
            let names: Vec<_> = schemas().into_iter().map(|(name, _)| name).collect();
            world.error(&format!(
                "there is no schema called `{what}`\nhelp: there are {}",
                names.join(", ")
            ));
            Ok(Exit::Usage)
        }
    }
}

/// Every schema by its name.
fn schemas() -> Vec<(String, Value)> {
    let forms =
        DIALECTS.iter().flat_map(|dialect| dialect.forms.iter().map(move |form| (dialect, form)));
    let mut schemas: Vec<_> = forms
        .map(|(dialect, form)| (form.full_id(dialect), dialect::json_schema(dialect, form)))
        .collect();
    schemas.push(("config".to_owned(), config::json_schema()));
    schemas.push(("protocol".to_owned(), protocol::json_schema()));
    schemas
}
