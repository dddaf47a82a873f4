//! agentctl's own: `agentType` and its configuration blocks, in YAML or Markdown.

use super::{
    Depth, Dialect, Duplicates, Failures, Field, Form, Grant, Identity, Kind, Layout, McpSyntax,
    Models, NameRule, Names, Outcome, Place, PromptSource, Prompts, Shape, Signature, Slot,
    Template, Vocabulary,
    models::ANY_EFFORT,
    tools::{HostTool, main_only, t},
    verified,
};
use crate::document::Format;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    id: "agentctl",
    host: "agentctl",
    forms: &[MARKDOWN, YAML],
    built_in: &["Explore", "Plan", "default", "explorer", "orchestrator", "worker"],
    built_in_can_be_replaced: true,
    duplicates: Duplicates::FirstWins,
    tools: &TOOLS,
    models: Models {
        aliases: &[
            "inherit",
            "sonnet",
            "haiku",
            "opus",
            "claude-sonnet",
            "claude-haiku",
            "claude-opus",
            "offline",
        ],
        provider_prefix: true,
        default: "the caller's model",
        providers: &["anthropic", "openai", "openai-chat", "gemini", "ollama"],
        never_fail: &["inherit", "offline"],
        efforts: ANY_EFFORT,
        ..Models::ANY
    },
};

const FILES: Names = Names::Ending(&[".md", ".yaml", ".yml"]);

/// Our own folders. Files of any dialect may lie in them.
const PLACES: &[Place] = &[
    Place::project("agents", FILES, Depth::Recursive),
    Place::project(".agentctl/agents", FILES, Depth::Recursive),
    Place::home(".config/agentctl/agents", FILES, Depth::Recursive),
];

const MARKDOWN: Form = Form {
    id: "",
    title: "agentctl agent",
    formats: &[Format::Markdown],
    places: PLACES,
    layout: Layout::One,
    identity: Identity::Field,
    prompt: PromptSource::Body,
    prompts: Prompts {
        template: Some(Template::DOLLAR),
        without: Some("it is told nothing but its task"),
        ..Prompts::PLAIN
    },
    fields: FIELDS,
    failures: Failures {
        // Read here by this program, which says what is wrong and goes on.
        byte_order_mark: verified(Outcome::Accepted),
        leading_blank: verified(Outcome::Accepted),
        too_deep: verified(Outcome::Accepted),
        ..Failures::STRICT
    },
    signature: Signature {
        all: &["agentType"],
        any: &[],
        hints: &[
            "whenToUse",
            "promptConfig",
            "runConfig",
            "modelConfig",
            "inputConfig",
            "outputConfig",
        ],
    },
    check: None,
};

const YAML: Form = Form {
    id: "yaml",
    title: "agentctl agent in YAML",
    formats: &[Format::Yaml, Format::Json],
    prompt: PromptSource::Field,
    ..MARKDOWN
};

static NAME: NameRule = NameRule {
    must_be: "1 to 64 letters, digits, `-`, `_` or `.`, the first a letter or digit",
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
    accepts: |name| {
        let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        name.len() <= 64
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(inner)
    },
};

const MODEL_KIND: Kind = Kind::Names(Shape::ListOrOne);
const MODEL_DOC: &str = "A model, an alias or `inherit`; a list is a priority chain.";

static FIELDS: &[Field] = &[
    Field::new("agentType", Kind::Name(&NAME), Slot::Name, "What identifies the agent.")
        .required()
        .verified(),
    Field::text("displayName", Slot::DisplayName, "Its name for people.").verified(),
    Field::text("whenToUse", Slot::Description, "When a main agent should hand work to it.")
        .verified(),
    Field::text("description", Slot::Description, "Another spelling of `whenToUse`.").verified(),
    Field::new(
        "tools",
        Kind::Names(Shape::ListOrCsv),
        Slot::Tools,
        "The tools it may use, in any host's spelling.",
    )
    .default("every tool its caller has")
    .verified(),
    Field::new(
        "disallowedTools",
        Kind::Names(Shape::ListOrCsv),
        Slot::DeniedTools,
        "Tools taken away.",
    )
    .verified(),
    Field::choice(
        "source",
        &["builtin", "user", "project"],
        Slot::ClaimedSource,
        "Never believed: the source is where the file was found.",
    )
    .verified(),
    Field::text("baseDir", Slot::BaseDir, "Where it works, below the caller's directory.")
        .default("the caller's directory")
        .verified(),
    Field::new("model", MODEL_KIND, Slot::Model, MODEL_DOC).default("inherit").verified(),
    Field::new("modelConfig", Kind::Table(MODEL_CONFIG), Slot::None, "Model settings.").verified(),
    Field::flag(
        "forkContext",
        Slot::ForkContext,
        "Whether it starts with the caller's conversation.",
    )
    .default("false")
    .verified(),
    Field::new("promptConfig", Kind::Table(PROMPT_CONFIG), Slot::None, "What it is told.")
        .verified(),
    Field::new("runConfig", Kind::Table(RUN_CONFIG), Slot::None, "When it must stop.").verified(),
    Field::new("inputConfig", Kind::Table(INPUT_CONFIG), Slot::None, "What it takes.").verified(),
    Field::new("outputConfig", Kind::Table(OUTPUT_CONFIG), Slot::None, "What it must return.")
        .verified(),
    Field::new(
        "disabledFeatures",
        Kind::Names(Shape::List),
        Slot::DisabledFeatures,
        "Features to switch off.",
    )
    .verified(),
    Field::choice(
        "executionMode",
        &["lightweight", "full_codex"],
        Slot::ExecutionMode,
        "How it is run.",
    )
    .default("lightweight")
    .verified(),
    Field::choice(
        "approvalMode",
        &["route_to_parent", "suppress", "auto_approve_in_sandbox"],
        Slot::ApprovalMode,
        "Who is asked before something is changed.",
    )
    .default("route_to_parent")
    .verified(),
    Field::flag("background", Slot::Background, "Whether it always runs in the background.")
        .default("false")
        .verified(),
    Field::flag("readOnly", Slot::ReadOnly, "Whether it may change nothing.")
        .default("false")
        .verified(),
    Field::new("agents", Kind::Names(Shape::ListOrCsv), Slot::Agents, "Agents it may start.")
        .verified(),
    Field::new("skills", Kind::Names(Shape::ListOrCsv), Slot::Skills, "Skills it loads.")
        .verified(),
    Field::new(
        "mcpServers",
        Kind::AnyOf(&[Kind::Names(Shape::List), Kind::MapOf(&Kind::Any)]),
        Slot::McpServers,
        "MCP servers it uses.",
    )
    .verified(),
    Field::new("agent_names", PERSONAS, Slot::Personas, "Variants of it with names of their own.")
        .verified(),
];

pub(super) const PERSONAS: Kind = Kind::AnyOf(&[
    Kind::List(&Kind::AnyOf(&[Kind::Text, Kind::Table(PERSONA_IN_LIST)])),
    Kind::MapOf(&Kind::Table(PERSONA)),
]);

const PERSONA_DESCRIPTION: Field =
    Field::text("description", Slot::None, "What this variant is for.").verified();
const PERSONA_MODEL: Field = Field::text("model", Slot::None, "Its model.").verified();
const PERSONA_EFFORT: Field =
    Field::text("reasoning_effort", Slot::None, "How hard it thinks.").verified();
const PERSONA_PROMPT: Field =
    Field::text("prompt", Slot::None, "What it is told in addition.").verified();

static PERSONA: &[Field] = &[PERSONA_DESCRIPTION, PERSONA_MODEL, PERSONA_EFFORT, PERSONA_PROMPT];
static PERSONA_IN_LIST: &[Field] = &[
    Field::text("name", Slot::None, "Its name.").required().verified(),
    PERSONA_DESCRIPTION,
    PERSONA_MODEL,
    PERSONA_EFFORT,
    PERSONA_PROMPT,
];

static MODEL_CONFIG: &[Field] = &[
    Field::new("model", MODEL_KIND, Slot::Model, MODEL_DOC).default("inherit").verified(),
    Field::new(
        "temperature",
        Kind::Number { min: 0.0, max: 2.0 },
        Slot::Temperature,
        "Sampling temperature.",
    )
    .default("0.7")
    .verified(),
    Field::new("topP", Kind::Number { min: 0.0, max: 1.0 }, Slot::TopP, "Nucleus sampling.")
        .default("0.95")
        .verified(),
    Field::new(
        "thinkingBudget",
        Kind::Integer { min: -1, max: i64::MAX },
        Slot::ThinkingBudget,
        "Tokens for thinking: -1 is unlimited, 0 is off.",
    )
    .verified(),
    Field::text("reasoningEffort", Slot::Effort, "How hard it thinks.").verified(),
];

static PROMPT_CONFIG: &[Field] = &[
    Field::text("systemPrompt", Slot::SystemPrompt, "The system prompt; `${name}` is replaced.")
        .verified(),
    Field::text("query", Slot::Query, "The first message; `${name}` is replaced.")
        .default("Get Started!")
        .verified(),
    Field::new(
        "initialMessages",
        Kind::List(&Kind::Table(MESSAGE)),
        Slot::InitialMessages,
        "A conversation to start from.",
    )
    .verified(),
];

static MESSAGE: &[Field] = &[
    Field::choice("role", &["user", "assistant"], Slot::None, "Who speaks.").required().verified(),
    Field::text("content", Slot::None, "What they say.").required().verified(),
];

static RUN_CONFIG: &[Field] = &[
    Field::count("maxTimeSeconds", Slot::MaxSeconds, "The most seconds it may run.")
        .default("300")
        .verified(),
    Field::count("maxTurns", Slot::MaxTurns, "The most turns it may take.")
        .default("50")
        .verified(),
    Field::new(
        "gracePeriodSeconds",
        Kind::Integer { min: 0, max: i64::MAX },
        Slot::GraceSeconds,
        "Seconds to hand in a result after a limit.",
    )
    .default("60")
    .verified(),
    Field::count("maxTokens", Slot::MaxTokens, "The most tokens it may use over all turns.")
        .verified(),
];

static INPUT_CONFIG: &[Field] =
    &[Field::new("inputs", Kind::MapOf(&Kind::Table(INPUT)), Slot::Inputs, "Inputs by name.")
        .required()
        .verified()];

static INPUT: &[Field] = &[
    Field::choice(
        "type",
        &["string", "number", "boolean", "integer", "string[]", "number[]"],
        Slot::None,
        "What it is.",
    )
    .required()
    .verified(),
    Field::flag("required", Slot::None, "Whether it must be given.").default("false").verified(),
    Field::text("description", Slot::None, "What it is for.").required().verified(),
    Field::new("default", Kind::Any, Slot::None, "What it is when it is not given.").verified(),
];

static OUTPUT_CONFIG: &[Field] = &[
    Field::text("outputName", Slot::OutputName, "The argument of `complete_task` that carries it.")
        .required()
        .verified(),
    Field::text("description", Slot::OutputDescription, "What it is.").required().verified(),
    Field::new("schema", Kind::Schema, Slot::OutputSchema, "Its JSON Schema.")
        .required()
        .verified(),
];

static TOOLS: Vocabulary = Vocabulary {
    tools: NAMES,
    case_sensitive: true,
    star: true,
    mcp: McpSyntax::DoubleUnderscore,
    unknown: verified(Outcome::Rejected),
    absent: Grant::Everything,
    empty: Grant::Nothing,
    aliases: true,
    every_host: true,
    needs_trust: &["shell", "exec_command", "write_file", "apply_patch"],
    ..Vocabulary::NONE
};

/// The canonical names, and every host's spelling of them.
pub(super) static NAMES: &[HostTool] = &[
    t("read_file", &["read_file"]),
    t("Read", &["read_file"]),
    t("read", &["read_file"]),
    t("ReadFile", &["read_file"]),
    t("NotebookRead", &["read_file"]),
    t("read_many_files", &["read_file"]),
    t("list_dir", &["list_dir"]),
    t("LS", &["list_dir"]),
    t("list", &["list_dir"]),
    t("ListFiles", &["list_dir"]),
    t("list_directory", &["list_dir"]),
    t("glob_files", &["glob_files"]),
    t("Glob", &["glob_files"]),
    t("glob", &["glob_files"]),
    t("grep_files", &["grep_files"]),
    t("Grep", &["grep_files"]),
    t("grep", &["grep_files"]),
    t("grep_search", &["grep_files"]),
    t("search_file_content", &["grep_files"]),
    t("search", &["grep_files", "glob_files", "list_dir"]),
    t("write_file", &["write_file"]),
    t("Write", &["write_file"]),
    t("write", &["write_file"]),
    t("WriteFile", &["write_file"]),
    t("Create", &["write_file"]),
    t("apply_patch", &["apply_patch"]),
    t("ApplyPatch", &["apply_patch"]),
    t("Edit", &["apply_patch"]),
    t("edit", &["apply_patch"]),
    t("MultiEdit", &["apply_patch"]),
    t("replace", &["apply_patch"]),
    t("notebook_edit", &["notebook_edit"]),
    t("NotebookEdit", &["notebook_edit"]),
    t("shell", &["shell"]),
    t("Shell", &["shell"]),
    t("Bash", &["shell"]),
    t("bash", &["shell"]),
    t("PowerShell", &["shell"]),
    t("Execute", &["shell"]),
    t("execute", &["shell"]),
    t("run_shell_command", &["shell"]),
    t("execute_bash", &["shell"]),
    t("exec_command", &["exec_command"]),
    t("web_fetch", &["web_fetch"]),
    t("WebFetch", &["web_fetch"]),
    t("webfetch", &["web_fetch"]),
    t("FetchUrl", &["web_fetch"]),
    t("fetch", &["web_fetch"]),
    t("web_search", &["web_search"]),
    t("WebSearch", &["web_search"]),
    t("websearch", &["web_search"]),
    t("google_web_search", &["web_search"]),
    t("skill", &["skill"]),
    t("Skill", &["skill"]),
    t("activate_skill", &["skill"]),
    t("complete_task", &["complete_task"]),
    t("spawn_agent", &["spawn_agent"]),
    t("send_input", &["send_input"]),
    t("wait", &["wait"]),
    t("resume_agent", &["resume_agent"]),
    t("close_agent", &["close_agent"]),
    t("list_agents", &["list_agents"]),
    t("list_active_agents", &["list_active_agents"]),
    t("set_thread_note", &["set_thread_note"]),
    t("collaboration.init_agent", &["collaboration.init_agent"]),
    t("collaboration.send", &["collaboration.send"]),
    t("collaboration.wait", &["collaboration.wait"]),
    t("collaboration.get_state", &["collaboration.get_state"]),
    t("collaboration.close", &["collaboration.close"]),
    main_only("Task", &["Task"]),
    main_only("Agent", &["Task"]),
    main_only("TaskOutput", &["TaskOutput"]),
    main_only("TodoWrite", &["TodoWrite"]),
    main_only("todo_write", &["TodoWrite"]),
    main_only("todowrite", &["TodoWrite"]),
    main_only("write_todos", &["TodoWrite"]),
    main_only("ask_user", &["ask_user"]),
    main_only("AskUserQuestion", &["ask_user"]),
];
