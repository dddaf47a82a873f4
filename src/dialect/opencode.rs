//! opencode: Markdown in `.opencode/agent`, and the `agent` table of `opencode.json`.

use super::{
    Depth, Dialect, Duplicates, Failures, Field, Form, Grant, Identity, Kind, Layout, McpSyntax,
    Models, Names, Outcome, Place, PromptSource, Prompts, Signature, Slot, Vocabulary, documented,
    tools::{HostTool, t},
    unverified, verified,
};
use crate::document::Format;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    id: "opencode",
    host: "opencode",
    forms: &[AGENT, CONFIG],
    built_in: &["build", "plan", "general", "explore"],
    built_in_can_be_replaced: true,
    duplicates: Duplicates::Merge,
    tools: &TOOLS,
    models: Models {
        provider_prefix: true,
        default: "the caller's model",
        unknown: documented(Outcome::FailsAtRun),
        ..Models::ANY
    },
};

const MARKDOWN: Names = Names::Ending(&[".md"]);

const FAILURES: Failures = Failures {
    // Unquoted colons are repaired by the host itself; what it cannot repair is skipped.
    malformed: verified(Outcome::Skipped),
    unquoted_colon: Some(verified(Outcome::Accepted)),
    no_front_matter: verified(Outcome::Accepted),
    bad_value: verified(Outcome::HostFails),
    unknown_key: verified(Outcome::Forwarded),
    ..Failures::QUIET
};

const AGENT: Form = Form {
    id: "",
    title: "opencode agent",
    formats: &[Format::Markdown],
    places: &[
        Place::project(".opencode/agent", MARKDOWN, Depth::Recursive),
        Place::project(".opencode/agents", MARKDOWN, Depth::Recursive),
        Place::project(".opencode/mode", MARKDOWN, Depth::Flat),
        Place::project(".opencode/modes", MARKDOWN, Depth::Flat),
        Place::home(".config/opencode/agent", MARKDOWN, Depth::Recursive),
        Place::home(".config/opencode/agents", MARKDOWN, Depth::Recursive),
    ],
    layout: Layout::One,
    identity: Identity::FieldOrPath,
    prompt: PromptSource::Body,
    prompts: Prompts::PLAIN,
    fields: FIELDS,
    failures: FAILURES,
    signature: Signature {
        all: &["description"],
        any: &["mode", "permission", "steps", "maxSteps", "top_p", "disable", "hidden"],
        hints: &["temperature"],
    },
    check: None,
};

const CONFIG: Form = Form {
    id: "config",
    title: "opencode configuration",
    formats: &[Format::Json],
    places: &[
        Place::project("", Names::Exactly(&["opencode.json", "opencode.jsonc"]), Depth::Flat),
        Place::project(
            ".opencode",
            Names::Exactly(&["opencode.json", "opencode.jsonc"]),
            Depth::Flat,
        ),
        Place::home(
            ".config/opencode",
            Names::Exactly(&["opencode.json", "opencode.jsonc"]),
            Depth::Flat,
        ),
    ],
    layout: Layout::Keyed {
        keys: &["agent", "agents", "mode"],
        settings: &[],
        top: &[],
        unknown_top: verified(Outcome::Accepted),
    },
    identity: Identity::Key,
    prompt: PromptSource::Field,
    failures: Failures {
        malformed: verified(Outcome::HostFails),
        // Most readers of JSON keep the last one.
        duplicate_key: Some(unverified(Outcome::Ignored)),
        unquoted_colon: None,
        ..FAILURES
    },
    signature: Signature {
        all: &["agent"],
        any: &[],
        hints: &["$schema", "provider", "permission"],
    },
    ..AGENT
};

const ACTIONS: Kind = Kind::Choice(&["ask", "allow", "deny"]);
const PERMISSION: Kind =
    Kind::AnyOf(&[ACTIONS, Kind::MapOf(&Kind::AnyOf(&[ACTIONS, Kind::MapOf(&ACTIONS)]))]);
const HEX_OR_WORD: Kind = Kind::AnyOf(&[
    Kind::Choice(&["primary", "secondary", "accent", "success", "warning", "error", "info"]),
    Kind::Name(&super::NameRule {
        must_be: "`#` and six hexadecimal digits",
        pattern: "^#[0-9a-fA-F]{6}$",
        accepts: |color| {
            color.len() == 7
                && color.starts_with('#')
                && color[1..].bytes().all(|byte| byte.is_ascii_hexdigit())
        },
    }),
]);

static FIELDS: &[Field] = &[
    Field::text("name", Slot::Name, "What identifies it, instead of its path.")
        .default("the path")
        .verified(),
    Field::text("description", Slot::Description, "What it is for.").verified(),
    Field::choice("mode", &["subagent", "primary", "all"], Slot::None, "Where it can be used.")
        .default("all")
        .verified(),
    Field::text("model", Slot::Model, "`provider/model`.").default("the caller's").verified(),
    Field::text("variant", Slot::None, "A variant of the model.").verified(),
    Field::new(
        "temperature",
        Kind::Number { min: f64::NEG_INFINITY, max: f64::INFINITY },
        Slot::Temperature,
        "Sampling temperature.",
    )
    .verified(),
    Field::new(
        "top_p",
        Kind::Number { min: f64::NEG_INFINITY, max: f64::INFINITY },
        Slot::TopP,
        "Nucleus sampling.",
    )
    .verified(),
    Field::text("prompt", Slot::SystemPrompt, "What it is told.").verified(),
    Field::count("steps", Slot::MaxTurns, "The most steps it may take.").verified(),
    Field::count("maxSteps", Slot::MaxTurns, "The most steps it may take.")
        .deprecated("use `steps`")
        .verified(),
    Field::flag("disable", Slot::None, "Whether it is switched off.").default("false").verified(),
    Field::flag("hidden", Slot::None, "Whether it is left out of lists.")
        .default("false")
        .verified(),
    Field::new("color", HEX_OR_WORD, Slot::None, "Its colour.").verified(),
    Field::new(
        "permission",
        PERMISSION,
        Slot::Permissions,
        "What it may do; of several matches the last counts.",
    )
    .default("`*: allow`")
    .verified(),
    Field::new("tools", Kind::MapOf(&Kind::Flag), Slot::ToolSwitches, "Tools switched on or off.")
        .deprecated("use `permission`")
        .verified(),
    Field::new("options", Kind::MapOf(&Kind::Any), Slot::None, "Options for the model provider.")
        .verified(),
];

static TOOLS: Vocabulary = Vocabulary {
    tools: NAMES,
    case_sensitive: true,
    star: true,
    mcp: McpSyntax::Prefix,
    unknown: verified(Outcome::Ignored),
    absent: Grant::Everything,
    empty: Grant::Everything,
    // Plug-ins and the user's own tools have names of any shape.
    open: true,
    globs: true,
    ..Vocabulary::NONE
};

static NAMES: &[HostTool] = &[
    t("read", &["read_file"]),
    t("list", &["list_dir"]),
    t("glob", &["glob_files"]),
    t("grep", &["grep_files"]),
    t("edit", &["apply_patch", "write_file"]),
    t("write", &["apply_patch", "write_file"]),
    t("patch", &["apply_patch", "write_file"]),
    t("bash", &["shell"]),
    t("webfetch", &["web_fetch"]),
    t("websearch", &["web_search"]),
    t("codesearch", &[]),
    t("todowrite", &["TodoWrite"]),
    t("todoread", &["TodoWrite"]),
    t("question", &["ask_user"]),
    t("skill", &["skill"]),
    t("task", &["Task"]),
    t("lsp", &[]),
    t("external_directory", &[]),
    t("doom_loop", &[]),
];
