//! What is known about a host, as a Markdown page.

use std::fmt::Write as _;

use crate::dialect::{
    Base, Confidence, Depth, Dialect, Duplicates, Fact, Field, FieldEffect, Form, Grant, Identity,
    Kind, McpSyntax, Names, Place,
};

/// The page about `dialect`: where the host looks, its keys, its tools, and what it does with what
/// it does not like.
pub fn host_page(dialect: &Dialect) -> String {
    let mut out = format!("# {}\n\n`--dialect {}`\n", dialect.host, dialect.id);
    for form in dialect.forms {
        form_section(&mut out, form);
    }
    names(&mut out, dialect);
    tools(&mut out, dialect);
    out
}

fn form_section(out: &mut String, form: &Form) {
    let title = first_upper(form.title);
    writeln!(out, "\n## {title}\n").ok();
    if !form.places.is_empty() {
        writeln!(out, "Looked for in:\n").ok();
        for place in form.places {
            writeln!(out, "- {}", place_text(place)).ok();
        }
        out.push('\n');
    }
    let identity = match form.identity {
        Identity::Field => "its name key, which must be there",
        Identity::FieldOrFile => "its name key, or else the file's name",
        Identity::File => "the file's name",
        Identity::FieldOrPath => "its name key, or else its path below the folder",
        Identity::Path => "its path below the folder",
        Identity::Key => "the key under which it stands",
    };
    writeln!(out, "What identifies an agent: {identity}.\n").ok();
    writeln!(out, "| key | value | default | |\n|---|---|---|---|").ok();
    fields(out, form.fields, "");
    let failures = &form.failures;
    writeln!(out, "\n| what | what the host does | known |\n|---|---|---|").ok();
    for (what, fact) in [
        ("text that does not parse", failures.malformed),
        ("an unquoted `: ` in a value", failures.unquoted_colon.unwrap_or(failures.malformed)),
        ("no front matter", failures.no_front_matter),
        ("a byte order mark", failures.byte_order_mark),
        ("blank lines before the front matter", failures.leading_blank),
        ("a required key is missing", failures.missing),
        ("a value of the wrong kind", failures.bad_value),
        ("an unknown key", failures.unknown_key),
        ("a file in a subfolder it does not look in", failures.too_deep),
    ] {
        let Fact { outcome, confidence } = fact;
        writeln!(out, "| {what} | {} | {} |", outcome.sentence(), known(confidence)).ok();
    }
}

fn fields(out: &mut String, fields_of: &[Field], prefix: &str) {
    for field in fields_of {
        let mut doc = field.doc.to_owned();
        match field.effect {
            FieldEffect::Applied => {}
            FieldEffect::Ignored(why) => write!(doc, " **Has no effect**: {why}.").unwrap_or(()),
            FieldEffect::Deprecated(instead) => {
                write!(doc, " Deprecated: {instead}.").unwrap_or(())
            }
        }
        if field.confidence == Confidence::Unverified {
            doc.push_str(" *Unverified.*");
        }
        let required = if field.required { " (required)" } else { "" };
        let key = format!("`{prefix}{}`{required}", field.key);
        let kind = field.kind.name().replace('|', "\\|");
        writeln!(out, "| {key} | {kind} | {} | {doc} |", field.default.unwrap_or("")).ok();
        if let Kind::Table(inner) | Kind::OpenTable(inner, _) = field.kind {
            fields(out, inner, &format!("{prefix}{}.", field.key));
        }
    }
}

fn place_text(place: &Place) -> String {
    let base = match place.base {
        Base::Project => "",
        Base::Home => "~/",
        Base::Plugin => "",
    };
    let folder = if place.folder.is_empty() { String::new() } else { format!("{}/", place.folder) };
    let depth = if place.depth == Depth::Recursive { "**/" } else { "" };
    let files: Vec<String> = match place.names {
        Names::Ending(endings) => {
            endings.iter().map(|ending| format!("`{base}{folder}{depth}*{ending}`")).collect()
        }
        Names::Exactly(names) => {
            names.iter().map(|name| format!("`{base}{folder}{name}`")).collect()
        }
    };
    let sure = if place.confidence == Confidence::Unverified { " (unverified)" } else { "" };
    format!("{}{sure}", files.join(", "))
}

fn names(out: &mut String, dialect: &Dialect) {
    let duplicates = match dialect.duplicates {
        Duplicates::FirstWins => "The first of several agents with the same name wins.",
        Duplicates::LastWins => "The last of several agents with the same name wins.",
        Duplicates::Merge => "Agents with the same name are merged key by key.",
        Duplicates::Refused => "Two agents with the same name in a file are refused.",
        Duplicates::Unknown => "Which of several agents with the same name wins is not known.",
    };
    writeln!(out, "\n## Names\n\n{duplicates}").ok();
    if !dialect.built_in.is_empty() {
        let list: Vec<_> = dialect.built_in.iter().map(|name| format!("`{name}`")).collect();
        let replaced = if dialect.built_in_can_be_replaced { "can" } else { "cannot" };
        writeln!(out, "Built in are {}, which {replaced} be replaced.", list.join(", ")).ok();
    }
}

fn tools(out: &mut String, dialect: &Dialect) {
    let vocabulary = dialect.tools;
    if vocabulary.tools.is_empty() {
        writeln!(out, "\n## Tools\n\nIts files have no list of tools.").ok();
        return;
    }
    let grant = |grant: Grant| match grant {
        Grant::Everything => "every tool",
        Grant::Nothing => "no tool",
        Grant::Unknown => "not known",
    };
    writeln!(out, "\n## Tools\n").ok();
    writeln!(
        out,
        "No list: {}. An empty list: {}.",
        grant(vocabulary.absent),
        grant(vocabulary.empty)
    )
    .ok();
    let Fact { outcome, confidence } = vocabulary.unknown;
    writeln!(
        out,
        "Of a name it does not know the host {} ({}).",
        outcome.sentence(),
        known(confidence)
    )
    .ok();
    let mcp = match vocabulary.mcp {
        McpSyntax::None => None,
        McpSyntax::DoubleUnderscore => Some("`mcp__server__tool`, `mcp__server__*`, `mcp__server`"),
        McpSyntax::SingleUnderscore => Some("`mcp_server_tool`, `mcp_server_*`"),
        McpSyntax::Slash => Some("`server/tool`, `server/*`"),
        McpSyntax::At => Some("`@server/tool`, `@server`"),
        McpSyntax::Prefix => Some("`server_tool`, `server_*`"),
    };
    if let Some(mcp) = mcp {
        writeln!(out, "Tools of MCP servers are written {mcp}.").ok();
    }
    writeln!(out, "\n| name | means | |\n|---|---|---|").ok();
    for tool in vocabulary.tools {
        let means: Vec<_> = tool.canonical.iter().map(|name| format!("`{name}`")).collect();
        let note = if tool.for_subagents { "" } else { "never given to a sub-agent" };
        writeln!(out, "| `{}` | {} | {note} |", tool.name, means.join(", ")).ok();
    }
}

fn known(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Verified => "seen",
        Confidence::Documented => "documented",
        Confidence::Unverified => "unverified",
    }
}

fn first_upper(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
