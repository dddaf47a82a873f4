//! Role templates of the Codex fork: Markdown with `allow_list`, `deny_list` and `agent_names`.

use super::{
    Depth, Dialect, Duplicates, Failures, Field, Form, Grant, Identity, Kind, Layout, McpSyntax,
    Models, Names, Outcome, Place, PromptSource, Prompts, Shape, Signature, Slot, Vocabulary,
    agentctl, documented,
    models::{CLAUDE, CLAUDE_WORDS, GEMINI},
    unverified,
};
use crate::document::Format;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    id: "template",
    host: "Codex fork",
    forms: &[FORM],
    built_in: &["default", "explorer", "worker", "orchestrator"],
    built_in_can_be_replaced: true,
    duplicates: Duplicates::FirstWins,
    tools: &TOOLS,
    models: Models {
        default: "the parent turn's model",
        foreign: &[&CLAUDE, &GEMINI],
        foreign_aliases: CLAUDE_WORDS,
        efforts: &["none", "minimal", "low", "medium", "high", "xhigh", "ultra"],
        ..Models::ANY
    },
};

const FORM: Form = Form {
    id: "",
    title: "role template",
    formats: &[Format::Markdown],
    places: &[Place::project("templates/agents", Names::Ending(&[".md"]), Depth::Flat)],
    layout: Layout::One,
    identity: Identity::FieldOrFile,
    prompt: PromptSource::Body,
    prompts: Prompts { without: Some("it is told nothing but its task"), ..Prompts::PLAIN },
    fields: FIELDS,
    failures: Failures { malformed: documented(Outcome::Rejected), ..Failures::QUIET },
    signature: Signature {
        all: &[],
        any: &["allow_list", "deny_list", "agent_names", "read_only"],
        hints: &["agent_type", "reasoning_effort"],
    },
    check: None,
};

/// The names of agentctl, and whatever else the fork may have.
static TOOLS: Vocabulary = Vocabulary {
    tools: agentctl::NAMES,
    mcp: McpSyntax::DoubleUnderscore,
    unknown: unverified(Outcome::Ignored),
    empty: Grant::Unknown,
    open: true,
    aliases: true,
    every_host: true,
    ..Vocabulary::NONE
};

static FIELDS: &[Field] = &[
    Field::text("agent_type", Slot::Name, "What identifies the role.").default("the file's name"),
    Field::text("name", Slot::Name, "Another spelling of `agent_type`.").unverified(),
    Field::text("description", Slot::Description, "What the role is for."),
    Field::new(
        "allow_list",
        Kind::Names(Shape::ListOrCsv),
        Slot::Tools,
        "The tools its threads may use.",
    )
    .default("every tool"),
    Field::new("deny_list", Kind::Names(Shape::ListOrCsv), Slot::DeniedTools, "Tools taken away."),
    Field::flag("read_only", Slot::ReadOnly, "Forces the read-only sandbox.").default("false"),
    Field::text("model", Slot::Model, "Its model.").default("the parent's"),
    Field::text("reasoning_effort", Slot::Effort, "How hard it thinks.").default("the parent's"),
    Field::new(
        "agent_names",
        agentctl::PERSONAS,
        Slot::Personas,
        "Variants: name, model, reasoning_effort, prompt.",
    ),
];
