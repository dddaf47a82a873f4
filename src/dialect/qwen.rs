//! Qwen Code: Markdown in `.qwen/agents`.

use super::{
    Depth, Dialect, Duplicates, Failures, Field, Form, Grant, Identity, Kind, Layout, McpSyntax,
    Models, NameRule, Names, Outcome, Place, PromptSource, Prompts, Shape, Signature, Slot,
    TextLimit, Vocabulary,
    fault::Checker,
    models::CLAUDE_ALIASES,
    tools::{HostTool, main_only, t},
    unverified, verified,
};
use crate::document::Format;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    id: "qwen",
    host: "Qwen Code",
    forms: &[FORM],
    built_in: &["general-purpose"],
    built_in_can_be_replaced: true,
    duplicates: Duplicates::FirstWins,
    tools: &TOOLS,
    models: Models {
        aliases: &["inherit", "fast"],
        default: "inherit",
        foreign_aliases: CLAUDE_ALIASES,
        ..Models::ANY
    },
};

const FORM: Form = Form {
    id: "",
    title: "Qwen Code subagent",
    formats: &[Format::Markdown],
    places: &[
        Place::project(".qwen/agents", Names::Ending(&[".md"]), Depth::Flat),
        Place::home(".qwen/agents", Names::Ending(&[".md"]), Depth::Flat),
    ],
    layout: Layout::One,
    identity: Identity::Field,
    prompt: PromptSource::Body,
    prompts: Prompts {
        max_prompt: Some(TextLimit {
            characters: 10_000,
            beyond: "Qwen Code warns about more",
            unless: None,
        }),
        max_description: Some(TextLimit {
            characters: 1_000,
            beyond: "Qwen Code warns about more",
            unless: None,
        }),
        ..Prompts::PLAIN
    },
    fields: FIELDS,
    failures: Failures {
        malformed: verified(Outcome::Skipped),
        unquoted_colon: None,
        duplicate_key: Some(unverified(Outcome::Skipped)),
        fence: None,
        long_closing_fence: None,
        no_front_matter: verified(Outcome::Skipped),
        byte_order_mark: verified(Outcome::Accepted),
        leading_blank: verified(Outcome::Skipped),
        missing: verified(Outcome::Skipped),
        bad_value: verified(Outcome::Skipped),
        unknown_key: verified(Outcome::Ignored),
        too_deep: verified(Outcome::Skipped),
    },
    signature: Signature {
        all: &["name", "description"],
        any: &["approvalMode", "runConfig", "modelConfig"],
        hints: &["tools", "color"],
    },
    check: Some(check),
};

static NAME: NameRule = NameRule {
    must_be: "2 to 50 letters, digits, `-` or `_`, no `-` or `_` at either end, and not a reserved word",
    pattern: "^[\\p{L}\\p{N}][\\p{L}\\p{N}_-]{0,48}[\\p{L}\\p{N}]$",
    accepts: |name| {
        let edge = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        (2..=50).contains(&name.chars().count())
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
            && edge(name.chars().next())
            && edge(name.chars().last())
            && !RESERVED.contains(&name.to_lowercase().as_str())
    },
};

const RESERVED: &[&str] = &["self", "system", "user", "model", "tool", "config", "default", "main"];

const TURNS: Kind = Kind::AnyOf(&[Kind::Integer { min: 1, max: i64::MAX }, Kind::Text]);

static FIELDS: &[Field] = &[
    Field::new(
        "name",
        Kind::Name(&NAME),
        Slot::Name,
        "What identifies the agent; case does not matter.",
    )
    .required()
    .verified(),
    Field::text("description", Slot::Description, "When to hand work to it.").required().verified(),
    Field::new(
        "tools",
        Kind::Names(Shape::ListOrCsv),
        Slot::Tools,
        "The tools it may use; an empty list means all.",
    )
    .default("every tool")
    .verified(),
    Field::new(
        "disallowedTools",
        Kind::Names(Shape::ListOrCsv),
        Slot::DeniedTools,
        "Tools taken away.",
    )
    .verified(),
    Field::text("model", Slot::Model, "`inherit`, `fast`, an id or `authType:id`.")
        .default("inherit")
        .verified(),
    Field::new(
        "modelConfig",
        Kind::OpenTable(MODEL_CONFIG, Outcome::Ignored),
        Slot::None,
        "Model settings.",
    )
    .deprecated("use `model`")
    .verified(),
    Field::choice(
        "approvalMode",
        &["default", "plan", "auto-edit", "yolo", "bubble"],
        Slot::ApprovalMode,
        "Who is asked.",
    )
    .default("default")
    .verified(),
    Field::choice(
        "permissionMode",
        &["default", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "plan"],
        Slot::ApprovalMode,
        "Claude Code's word for `approvalMode`.",
    )
    .on_bad_value(Outcome::Ignored)
    .verified(),
    Field::new("maxTurns", TURNS, Slot::MaxTurns, "The most turns it may take.").verified(),
    Field::new("runConfig", Kind::OpenTable(RUN_CONFIG, Outcome::Ignored), Slot::None, "Limits.")
        .deprecated("use `maxTurns`")
        .verified(),
    Field::choice(
        "color",
        &["red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan", "auto"],
        Slot::None,
        "Its colour.",
    )
    .on_bad_value(Outcome::Ignored)
    .unverified(),
    Field::flag("background", Slot::Background, "Whether it runs in the background.")
        .on_bad_value(Outcome::Ignored)
        .verified(),
    Field::new(
        "mcpServers",
        Kind::MapOf(&Kind::Any),
        Slot::McpServers,
        "MCP servers with their settings.",
    )
    .on_bad_value(Outcome::Ignored)
    .verified(),
    Field::new("hooks", Kind::MapOf(&Kind::Any), Slot::None, "Hooks while it runs.")
        .on_bad_value(Outcome::Ignored)
        .verified(),
];

static MODEL_CONFIG: &[Field] = &[
    Field::text("model", Slot::Model, "Its model.").verified(),
    Field::new(
        "temp",
        Kind::Number { min: 0.0, max: 2.0 },
        Slot::Temperature,
        "Sampling temperature.",
    )
    .verified(),
    Field::new("top_p", Kind::Number { min: 0.0, max: 1.0 }, Slot::TopP, "Nucleus sampling.")
        .verified(),
];

static RUN_CONFIG: &[Field] = &[
    Field::count("max_turns", Slot::MaxTurns, "The most turns it may take.").verified(),
    Field::new(
        "max_time_minutes",
        Kind::Number { min: 0.0, max: f64::INFINITY },
        Slot::MaxMinutes,
        "The most minutes it may run.",
    )
    .verified(),
];

static TOOLS: Vocabulary = Vocabulary {
    tools: NAMES,
    case_sensitive: true,
    star: true,
    mcp: McpSyntax::DoubleUnderscore,
    unknown: verified(Outcome::Ignored),
    absent: Grant::Everything,
    empty: Grant::Everything,
    none_left: verified(Outcome::Ignored),
    aliases: true,
    ..Vocabulary::NONE
};

static NAMES: &[HostTool] = &[
    t("edit", &["apply_patch"]),
    t("Edit", &["apply_patch"]),
    t("replace", &["apply_patch"]),
    t("write_file", &["write_file"]),
    t("WriteFile", &["write_file"]),
    t("read_file", &["read_file"]),
    t("ReadFile", &["read_file"]),
    t("grep_search", &["grep_files"]),
    t("search_file_content", &["grep_files"]),
    t("Grep", &["grep_files"]),
    t("SearchFiles", &["grep_files"]),
    t("glob", &["glob_files"]),
    t("Glob", &["glob_files"]),
    t("FindFiles", &["glob_files"]),
    t("run_shell_command", &["shell"]),
    t("Shell", &["shell"]),
    t("todo_write", &["TodoWrite"]),
    t("TodoList", &["TodoWrite"]),
    t("TodoWrite", &["TodoWrite"]),
    t("save_memory", &[]),
    t("SaveMemory", &[]),
    t("agent", &["Task"]),
    t("Agent", &["Task"]),
    t("task", &["Task"]),
    t("Task", &["Task"]),
    t("skill", &["skill"]),
    t("Skill", &["skill"]),
    t("exit_plan_mode", &[]),
    t("web_fetch", &["web_fetch"]),
    t("WebFetch", &["web_fetch"]),
    t("web_search", &["web_search"]),
    t("WebSearch", &["web_search"]),
    t("list_directory", &["list_dir"]),
    t("ListFiles", &["list_dir"]),
    t("ReadFolder", &["list_dir"]),
    t("notebook_edit", &["notebook_edit"]),
    t("lsp", &[]),
    main_only("ask_user_question", &["ask_user"]),
];

/// Shorter prompts are refused.
const MIN_PROMPT: usize = 10;

fn check(checker: &mut Checker<'_>) {
    let Some(front) = checker.document.front_matter.clone() else { return };
    let length = checker.prompt().trim().chars().count();
    if length < MIN_PROMPT {
        let what = format!(
            "the prompt has {length} characters, and Qwen Code wants at least {MIN_PROMPT}"
        );
        checker.no_prompt(verified(Outcome::Skipped), what);
    }
    checker.template(&[], verified(Outcome::FailsAtRun));
    let text = checker.source.text();
    for fence in [Some(front.open), front.close].into_iter().flatten() {
        let written = checker.source.slice(fence);
        if !written.starts_with("---") || written.trim_end() != "---" {
            continue;
        }
        let what = if written != "---" {
            "blanks follow the `---`"
        } else if fence.end as usize == text.len() {
            "the line of the closing `---` does not end"
        } else {
            continue;
        };
        checker.fence(fence, verified(Outcome::Skipped), what);
    }
}
