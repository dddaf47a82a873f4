//! What the page asks besides what every client can ask: definitions and conversations.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::{show, stored, trust, validate, world::World};
use crate::{
    authority::authority,
    catalog::{Catalog, Entry, File, Keep},
    dialect::{DIALECTS, Dialect, Grant},
    lint::{FileReport, lint_file},
    model::Access,
    render::{Report, findings_json, show_json},
    serve::Extra,
};

/// How many messages are read at once.
const MAX_MESSAGES: usize = 1_000;

/// Answers them. What has changed since the server was started counts.
pub(super) struct Questions(pub World);

impl Extra for Questions {
    fn methods(&self) -> &'static [&'static str] {
        &["catalog/read", "catalog/file", "thread/messages"]
    }

    fn answer(&self, method: &str, params: &Value) -> Result<Value, String> {
        let mut world = self.0.afresh();
        let answer = match method {
            "catalog/read" => catalog(&mut world),
            "catalog/file" => file(&mut world, params),
            _ => messages(&world, params),
        };
        answer.map_err(|error| format!("{error:#}"))
    }
}

/// Every file with definitions, and what `validate` says about it.
fn catalog(world: &mut World) -> Result<Value> {
    let (catalog, reports) = validate::everything(world)?;
    let findings = serde_json::to_value(findings_json(&Report(&reports)))?;
    let of = |path: &str| -> Vec<&Value> {
        let all = findings["findings"].as_array().into_iter().flatten();
        all.filter(|finding| finding["path"] == path).collect()
    };
    let mut files: Vec<Value> = Vec::new();
    for entries in catalog.entries.chunk_by(|one, next| one.path == next.path) {
        let Some(first) = entries.first() else { continue };
        let path = first.path.display().to_string();
        files.push(json!({
            "path": path,
            "host": first.dialect.host,
            "source": first.origin,
            "agents": entries.iter().map(Entry::full_name).collect::<Vec<_>>(),
            "findings": of(&path),
        }));
    }
    Ok(json!({ "summary": findings["summary"], "files": files }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileParams {
    path: PathBuf,
}

/// The text of a file with definitions, and what each host would make of it.
fn file(world: &mut World, params: &Value) -> Result<Value> {
    let FileParams { path } = FileParams::deserialize(params)?;
    let catalog = world.catalog(&[], Keep::Text)?;
    // Only what the catalog has found is ever read.
    let entries: Vec<&Entry> = catalog.entries.iter().filter(|entry| entry.path == path).collect();
    let Some(first) = entries.first() else { bail!("{} has no definitions", path.display()) };
    let text = first.source.as_ref().map(|source| source.text().to_owned());
    let text = text.map(|text| without_secrets(first, &path, text));
    let hosts: Vec<Value> =
        DIALECTS.iter().flat_map(|host| effects(&catalog, host, &entries)).collect();
    let trust = trust::trusted(world)?;
    let granted = entries.iter().map(|entry| {
        let verdicts = authority(entry, &show::circumstances(&trust, entry));
        json!({ "agent": entry.full_name(), "verdicts": verdicts })
    });
    Ok(json!({ "text": text, "hosts": hosts, "authority": granted.collect::<Vec<_>>() }))
}

/// A file's text with what must not be shown painted over.
fn without_secrets(entry: &Entry, path: &Path, text: String) -> String {
    let file = File::new(path, text.clone().into_bytes(), entry.origin, &[entry.dialect]);
    let FileReport { findings, .. } = lint_file(&file);
    findings.iter().filter(|finding| finding.secret).fold(text, |text, finding| {
        let range = finding.span.start as usize..finding.span.end as usize;
        match text.get(range.clone()) {
            Some(secret) => {
                let dots: String = secret.chars().map(|_| '•').collect();
                format!("{}{dots}{}", &text[..range.start], &text[range.end..])
            }
            None => text,
        }
    })
}

/// What a host would make of the agents of a file.
fn effects(catalog: &Catalog, host: &'static Dialect, entries: &[&Entry]) -> Vec<Value> {
    let own = entries.iter().any(|entry| entry.dialect.id == host.id);
    show::as_host(host, entries)
        .iter()
        .map(|entry| {
            let shown = show_json(catalog, entry, &[], None);
            let problems: Vec<_> = shown["problems"].as_array().into_iter().flatten().collect();
            json!({
                "id": host.id,
                "host": host.host,
                "own": own,
                "agent": shown["agent_type"],
                "loads": shown["loads"],
                "tools": shown["tools"],
                "grant": granted(entry),
                "problems": problems.iter().map(|one| &one["message"]).collect::<Vec<_>>(),
            })
        })
        .collect()
}

/// What a definition gets that names no tool.
fn granted(entry: &Entry) -> Option<&'static str> {
    let vocabulary = entry.dialect.tools;
    let grant = match &entry.definition.tools.allowed {
        Access::Unsaid => vocabulary.absent,
        Access::Listed(names) if names.value.is_empty() => vocabulary.empty,
        Access::Listed(_) => return None,
    };
    Some(match grant {
        Grant::Everything if entry.definition.tools.denied.is_empty() => "every tool",
        Grant::Everything => return None,
        Grant::Nothing => "none",
        Grant::Unknown => "not known",
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MessagesParams {
    thread_id: String,
    #[serde(default)]
    from: usize,
    limit: Option<usize>,
}

/// What was said in a thread, from the first message that is not known yet.
fn messages(world: &World, params: &Value) -> Result<Value> {
    let MessagesParams { thread_id, from, limit } = MessagesParams::deserialize(params)?;
    let store = stored::open(world)?.context("nothing has been run yet")?;
    let mut messages = store.messages_from(&thread_id, from)?;
    messages.truncate(limit.unwrap_or(MAX_MESSAGES).min(MAX_MESSAGES));
    Ok(json!({ "data": messages }))
}
