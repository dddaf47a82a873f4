//! Factory droids: Markdown in `.factory/droids`.

use super::{
    Depth, Dialect, Duplicates, Failures, Field, Form, Grant, Identity, Kind, Layout, McpSyntax,
    Models, Names, Outcome, Place, PromptSource, Prompts, Shape, Signature, Slot, Vocabulary,
    documented,
    fault::Checker,
    field::LOWERCASE,
    models::{ANY_EFFORT, CLAUDE_ALIASES},
    tools::{HostTool, t},
    unverified,
};
use crate::document::Format;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    id: "factory",
    host: "Factory",
    forms: &[FORM],
    built_in: &[],
    built_in_can_be_replaced: true,
    duplicates: Duplicates::FirstWins,
    tools: &TOOLS,
    models: Models {
        aliases: &["inherit"],
        default: "inherit",
        foreign_aliases: CLAUDE_ALIASES,
        // The parent's model takes its place.
        on_foreign: unverified(Outcome::Ignored),
        efforts: ANY_EFFORT,
        effort_needs_model: true,
        ..Models::ANY
    },
};

const FORM: Form = Form {
    id: "",
    title: "Factory droid",
    formats: &[Format::Markdown],
    places: &[
        Place::project(".factory/droids", Names::Ending(&[".md"]), Depth::Flat),
        Place::home(".factory/droids", Names::Ending(&[".md"]), Depth::Flat),
    ],
    layout: Layout::One,
    identity: Identity::Field,
    prompt: PromptSource::Body,
    prompts: Prompts::PLAIN,
    fields: FIELDS,
    // Errors are written to the host's log only.
    failures: Failures {
        bad_value: documented(Outcome::Skipped),
        duplicate_key: Some(unverified(Outcome::Skipped)),
        ..Failures::QUIET
    },
    signature: Signature {
        all: &["name"],
        any: &["reasoningEffort"],
        hints: &["mcpServers", "model"],
    },
    check: Some(check),
};

static FIELDS: &[Field] = &[
    Field::new("name", Kind::Name(&LOWERCASE), Slot::Name, "What identifies the droid.").required(),
    Field::text("description", Slot::Description, "What it is for, in at most 500 characters."),
    Field::text("model", Slot::Model, "`inherit`, an id or `custom:name`.").default("inherit"),
    Field::text(
        "reasoningEffort",
        Slot::Effort,
        "How hard it thinks; without effect when the model is inherited.",
    ),
    Field::new(
        "tools",
        Kind::Names(Shape::ListOrOne),
        Slot::Tools,
        "A category or a list of tools; case matters.",
    )
    .default("every tool"),
    Field::new(
        "mcpServers",
        Kind::Names(Shape::List),
        Slot::McpServers,
        "Configured MCP servers by name.",
    ),
];

static TOOLS: Vocabulary = Vocabulary {
    tools: NAMES,
    case_sensitive: true,
    star: false,
    mcp: McpSyntax::DoubleUnderscore,
    unknown: documented(Outcome::Skipped),
    absent: Grant::Everything,
    empty: Grant::Unknown,
    ..Vocabulary::NONE
};

static NAMES: &[HostTool] = &[
    t("Read", &["read_file"]),
    t("LS", &["list_dir"]),
    t("Grep", &["grep_files"]),
    t("Glob", &["glob_files"]),
    t("Create", &["write_file"]),
    t("Edit", &["apply_patch"]),
    t("ApplyPatch", &["apply_patch"]),
    t("Execute", &["shell"]),
    t("WebSearch", &["web_search"]),
    t("FetchUrl", &["web_fetch"]),
    t("Task", &["Task"]),
    t("TodoWrite", &["TodoWrite"]),
    t("read-only", &["read_file", "list_dir", "grep_files", "glob_files"]),
    t("edit", &["write_file", "apply_patch"]),
    t("execute", &["shell"]),
    t("web", &["web_search", "web_fetch"]),
    t("mcp", &[]),
];

fn check(checker: &mut Checker<'_>) {
    if checker.document.front_matter.is_some() && checker.prompt().trim().is_empty() {
        checker
            .no_prompt(documented(Outcome::Skipped), "there is no prompt below the front matter");
    }
    let long =
        checker.definition.description.as_ref().filter(|text| text.value.chars().count() > 500);
    if let Some(span) = long.map(|text| text.span) {
        checker.report(
            span,
            unverified(Outcome::Skipped),
            "the description has more than 500 characters",
            "shorten it",
        );
    }
}
