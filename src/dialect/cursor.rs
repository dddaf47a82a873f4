//! Cursor: Markdown in `.cursor/agents`. Little about it is confirmed.

use super::{
    Depth, Dialect, Duplicates, Failures, Field, Form, Identity, Layout, Models, Names, Outcome,
    Place, PromptSource, Signature, Slot, Vocabulary, unverified,
};
use crate::document::Format;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    id: "cursor",
    host: "Cursor",
    forms: &[FORM],
    built_in: &[],
    built_in_can_be_replaced: true,
    duplicates: Duplicates::Unknown,
    tools: &Vocabulary::NONE,
    models: Models { aliases: &["inherit", "fast"], provider_prefix: false, default: "inherit" },
};

const FORM: Form = Form {
    id: "",
    title: "Cursor subagent",
    formats: &[Format::Markdown],
    places: &[
        Place::project(".cursor/agents", Names::Ending(&[".md"]), Depth::Flat),
        Place::home(".cursor/agents", Names::Ending(&[".md"]), Depth::Flat),
    ],
    layout: Layout::One,
    identity: Identity::FieldOrFile,
    prompt: PromptSource::Body,
    fields: FIELDS,
    failures: Failures {
        malformed: unverified(Outcome::Skipped),
        no_front_matter: unverified(Outcome::Accepted),
        missing: unverified(Outcome::Skipped),
        too_deep: unverified(Outcome::Skipped),
        ..Failures::QUIET
    },
    signature: Signature {
        all: &[],
        any: &["is_background", "readonly"],
        hints: &["name", "description", "model"],
    },
    check: None,
};

static FIELDS: &[Field] = &[
    Field::text("name", Slot::Name, "What identifies it.").default("the file's name").unverified(),
    Field::text("description", Slot::Description, "When to hand work to it."),
    Field::text("model", Slot::Model, "`inherit`, `fast` or an id.").default("inherit"),
    Field::flag("readonly", Slot::ReadOnly, "Whether it may change nothing.").default("false"),
    Field::flag("is_background", Slot::Background, "Whether it runs in the background.")
        .default("false"),
];
