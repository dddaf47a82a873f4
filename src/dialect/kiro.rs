//! Kiro and the Amazon Q CLI before it: Markdown or JSON in `.kiro/agents`.

use super::{
    Depth, Dialect, Duplicates, Failures, Field, Form, Grant, Identity, Kind, Layout, McpSyntax,
    Models, Names, Outcome, Place, PromptSource, Prompts, Shape, Signature, Slot, Vocabulary,
    documented,
    tools::{HostTool, t},
    unverified,
};
use crate::document::Format;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    id: "kiro",
    host: "Kiro",
    forms: &[MARKDOWN, JSON],
    built_in: &[],
    built_in_can_be_replaced: true,
    // Sources disagree on whether the workspace or the user wins.
    duplicates: Duplicates::Unknown,
    tools: &TOOLS,
    models: Models { display_names: true, ..Models::ANY },
};

const MARKDOWN: Form = Form {
    id: "",
    title: "Kiro agent",
    formats: &[Format::Markdown],
    places: &[
        Place::project(".kiro/agents", Names::Ending(&[".md"]), Depth::Recursive),
        Place::home(".kiro/agents", Names::Ending(&[".md"]), Depth::Recursive),
    ],
    layout: Layout::One,
    identity: Identity::Path,
    prompt: PromptSource::Body,
    prompts: Prompts::PLAIN,
    fields: FIELDS,
    failures: Failures {
        malformed: documented(Outcome::Skipped),
        // Most readers of JSON keep the last one.
        duplicate_key: Some(unverified(Outcome::Ignored)),
        no_front_matter: unverified(Outcome::Skipped),
        missing: unverified(Outcome::Skipped),
        ..Failures::QUIET
    },
    signature: Signature {
        all: &[],
        any: &[
            "excludedTools",
            "includeMcpJson",
            "includePowers",
            "welcomeMessage",
            "toolsSettings",
            "useLegacyMcpJson",
        ],
        hints: &["name", "resources", "allowedTools", "toolAliases"],
    },
    check: None,
};

const JSON: Form = Form {
    id: "json",
    title: "Kiro agent in JSON",
    formats: &[Format::Json],
    places: &[
        Place::project(".kiro/agents", Names::Ending(&[".json"]), Depth::Recursive),
        Place::home(".kiro/agents", Names::Ending(&[".json"]), Depth::Recursive),
        Place::project(".amazonq/cli-agents", Names::Ending(&[".json"]), Depth::Flat),
        Place::home(".aws/amazonq/cli-agents", Names::Ending(&[".json"]), Depth::Flat),
    ],
    prompt: PromptSource::Field,
    ..MARKDOWN
};

static FIELDS: &[Field] = &[
    Field::text("name", Slot::Name, "Its name for people; the path identifies it.")
        .default("the path"),
    Field::text("description", Slot::Description, "What it is for."),
    Field::text("prompt", Slot::SystemPrompt, "What it is told."),
    Field::text("model", Slot::Model, "Its model.").default("the session's"),
    Field::new(
        "tools",
        Kind::Names(Shape::ListOrCsv),
        Slot::Tools,
        "What it may use: tags, `*`, `@server`, `@server/tool`.",
    ),
    Field::new(
        "excludedTools",
        Kind::Names(Shape::ListOrCsv),
        Slot::DeniedTools,
        "Tools taken away.",
    ),
    Field::new(
        "allowedTools",
        Kind::Names(Shape::List),
        Slot::None,
        "Tools that run without asking: not a restriction.",
    ),
    Field::new(
        "mcpServers",
        Kind::MapOf(&Kind::Any),
        Slot::McpServers,
        "MCP servers with their settings.",
    ),
    Field::flag("includeMcpJson", Slot::None, "Whether the servers of mcp.json are added."),
    Field::flag("includePowers", Slot::None, "Whether powers are added."),
    Field::new(
        "resources",
        Kind::List(&Kind::Any),
        Slot::None,
        "Files, skills and knowledge bases it starts with.",
    ),
    Field::new(
        "permissions",
        Kind::List(&Kind::OpenTable(PERMISSION, Outcome::Ignored)),
        Slot::None,
        "What is allowed, asked and denied.",
    ),
    Field::new("hooks", Kind::Any, Slot::None, "Hooks while it runs."),
    Field::text("welcomeMessage", Slot::None, "What it says first."),
    Field::new("toolAliases", Kind::MapOf(&Kind::Text), Slot::None, "Other names for tools.")
        .deprecated("version 3 drops it"),
    Field::new("toolsSettings", Kind::MapOf(&Kind::Any), Slot::None, "Settings of tools."),
    Field::text("keyboardShortcut", Slot::None, "A key to switch to it.")
        .deprecated("version 3 drops it"),
    Field::flag("useLegacyMcpJson", Slot::None, "Whether the servers of mcp.json are added."),
    Field::text("$schema", Slot::None, "The schema, for editors."),
];

static PERMISSION: &[Field] = &[
    Field::text("capability", Slot::None, "What it is about."),
    Field::choice("effect", &["allow", "ask", "deny"], Slot::None, "What happens."),
    Field::new("match", Kind::Any, Slot::None, "Where it applies."),
    Field::new("exclude", Kind::Any, Slot::None, "Where it does not."),
];

static TOOLS: Vocabulary = Vocabulary {
    tools: NAMES,
    case_sensitive: true,
    star: true,
    mcp: McpSyntax::At,
    unknown: unverified(Outcome::Ignored),
    absent: Grant::Unknown,
    empty: Grant::Unknown,
    open: true,
    aliases: true,
    globs: true,
    ..Vocabulary::NONE
};

static NAMES: &[HostTool] = &[
    t("read", &["read_file", "list_dir", "glob_files", "grep_files"]),
    t("fs_read", &["read_file", "list_dir", "glob_files", "grep_files"]),
    t("write", &["write_file", "apply_patch"]),
    t("fs_write", &["write_file", "apply_patch"]),
    t("shell", &["shell"]),
    t("execute_bash", &["shell"]),
    t("web", &["web_fetch", "web_search"]),
    t("subagent", &["Task"]),
    t("knowledge", &[]),
    t("todo_list", &["TodoWrite"]),
    t("context", &[]),
    t("use_aws", &[]),
    t("@mcp", &[]),
    t("@builtin", &[]),
];
