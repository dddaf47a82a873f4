//! Docker Agent (cagent): one YAML file with many agents.

use super::{
    Dialect, Duplicates, Failures, Field, Form, Grant, Identity, Kind, Layout, McpSyntax, Models,
    Outcome, PromptSource, Prompts, Shape, Signature, Slot, Vocabulary, documented,
    tools::{HostTool, t},
    unverified, verified,
};
use crate::document::Format;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    id: "docker",
    host: "Docker Agent",
    forms: &[FORM],
    built_in: &[],
    built_in_can_be_replaced: true,
    duplicates: Duplicates::Refused,
    tools: &TOOLS,
    models: Models {
        aliases: &["auto"],
        provider_prefix: true,
        default: "auto",
        declared_in: Some("models"),
        comma_separated: true,
        unknown: documented(Outcome::HostFails),
        ..Models::ANY
    },
};

const FORM: Form = Form {
    id: "",
    title: "Docker Agent file",
    formats: &[Format::Yaml, Format::Json],
    // Such files are named on the command line; they have no folder.
    places: &[],
    layout: Layout::Keyed {
        keys: &["agents"],
        settings: &[],
        top: TOP,
        unknown_top: unverified(Outcome::HostFails),
    },
    identity: Identity::Key,
    prompt: PromptSource::Field,
    prompts: Prompts::PLAIN,
    fields: FIELDS,
    // The tables are from March 2026: the host is strict, but it may have learned new keys since.
    failures: Failures {
        unknown_key: unverified(Outcome::HostFails),
        bad_value: unverified(Outcome::HostFails),
        malformed: verified(Outcome::HostFails),
        ..Failures::STRICT
    },
    signature: Signature {
        all: &["agents"],
        any: &[],
        hints: &["models", "version", "providers", "mcps", "rag", "metadata", "permissions"],
    },
    check: None,
};

static TOP: &[Field] = &[
    Field::new("version", Kind::Scalar, Slot::None, "The version of the format.").verified(),
    Field::new("providers", Kind::MapOf(&Kind::Any), Slot::None, "Model providers by name.")
        .verified(),
    Field::new("models", Kind::MapOf(&Kind::Any), Slot::None, "Models by name.").verified(),
    Field::new("mcps", Kind::MapOf(&Kind::Any), Slot::None, "MCP servers by name.").verified(),
    Field::new("rag", Kind::MapOf(&Kind::Any), Slot::None, "Knowledge bases by name.").verified(),
    Field::new(
        "metadata",
        Kind::MapOf(&Kind::Any),
        Slot::None,
        "Who wrote it, and under which licence.",
    )
    .verified(),
    Field::new(
        "permissions",
        Kind::MapOf(&Kind::Any),
        Slot::None,
        "What is allowed, asked and denied.",
    )
    .verified(),
];

static FIELDS: &[Field] = &[
    Field::text("model", Slot::Model, "`provider/model`, or a name from `models`.").verified(),
    Field::new("fallback", Kind::Any, Slot::None, "Models to try when the first fails.").verified(),
    Field::text("description", Slot::Description, "What it is for.").verified(),
    Field::text("welcome_message", Slot::None, "What it says first.").verified(),
    Field::new(
        "toolsets",
        Kind::List(&Kind::OpenTable(TOOLSET, Outcome::Accepted)),
        Slot::Toolsets,
        "What it may use.",
    )
    .default("no tool")
    .verified(),
    Field::text("instruction", Slot::SystemPrompt, "What it is told.").verified(),
    Field::flag("code_mode_tools", Slot::None, "Whether tools are called from code.").verified(),
    Field::new("sub_agents", Kind::Names(Shape::List), Slot::Agents, "Agents it hands tasks to.")
        .verified(),
    Field::new(
        "handoffs",
        Kind::Names(Shape::List),
        Slot::Agents,
        "Agents it hands the conversation to.",
    )
    .verified(),
    Field::flag("add_date", Slot::None, "Whether it is told the date.").default("false").verified(),
    Field::flag("add_environment_info", Slot::None, "Whether it is told about the machine.")
        .default("false")
        .verified(),
    Field::new(
        "max_iterations",
        Kind::Integer { min: 0, max: i64::MAX },
        Slot::MaxTurns,
        "The most turns; 0 is unlimited.",
    )
    .default("0")
    .verified(),
    Field::new(
        "num_history_items",
        Kind::Integer { min: i64::MIN, max: i64::MAX },
        Slot::None,
        "How much history it sees.",
    )
    .verified(),
    Field::new(
        "add_prompt_files",
        Kind::Names(Shape::List),
        Slot::None,
        "Files added to its prompt.",
    )
    .verified(),
    Field::new("commands", Kind::Any, Slot::None, "Prompts by name.").verified(),
    Field::new(
        "structured_output",
        Kind::OpenTable(STRUCTURED_OUTPUT, Outcome::Accepted),
        Slot::None,
        "What it must return.",
    )
    .verified(),
    Field::new("rag", Kind::Any, Slot::None, "Knowledge bases it uses.").verified(),
    Field::flag("add_description_parameter", Slot::None, "Whether tool calls are explained.")
        .verified(),
    Field::new("hooks", Kind::MapOf(&Kind::Any), Slot::None, "Hooks while it runs.").verified(),
    Field::new("skills", Kind::Any, Slot::None, "Whether it may use skills.").verified(),
];

static TOOLSET: &[Field] =
    &[Field::new("type", Kind::Choice(TOOLSET_TYPES), Slot::None, "Which toolset.")
        .required()
        .unverified()];

const TOOLSET_TYPES: &[&str] = &[
    "mcp",
    "script",
    "think",
    "memory",
    "filesystem",
    "shell",
    "tasks",
    "todo",
    "fetch",
    "api",
    "a2a",
    "lsp",
    "user_prompt",
    "openapi",
    "model_picker",
    "background_agents",
];

static STRUCTURED_OUTPUT: &[Field] = &[
    Field::text("name", Slot::OutputName, "Its name.").required().verified(),
    Field::text("description", Slot::OutputDescription, "What it is.").verified(),
    Field::new("schema", Kind::Schema, Slot::OutputSchema, "Its JSON Schema.")
        .required()
        .verified(),
    Field::flag("strict", Slot::None, "Whether the model is held to it.").verified(),
];

static TOOLS: Vocabulary = Vocabulary {
    tools: NAMES,
    case_sensitive: true,
    star: false,
    mcp: McpSyntax::None,
    // Newer versions may have more toolsets.
    unknown: unverified(Outcome::HostFails),
    absent: Grant::Nothing,
    empty: Grant::Nothing,
    ..Vocabulary::NONE
};

static NAMES: &[HostTool] = &[
    t(
        "filesystem",
        &["read_file", "list_dir", "glob_files", "grep_files", "write_file", "apply_patch"],
    ),
    t("shell", &["shell"]),
    t("script", &["shell"]),
    t("fetch", &["web_fetch"]),
    t("todo", &["TodoWrite"]),
    t("tasks", &["TodoWrite"]),
    t("user_prompt", &["ask_user"]),
    t("background_agents", &["Task"]),
    t("mcp", &[]),
    t("think", &[]),
    t("memory", &[]),
    t("api", &[]),
    t("a2a", &[]),
    t("lsp", &[]),
    t("openapi", &[]),
    t("model_picker", &[]),
];
