//! Codex roles: TOML files in `.codex/agents`, and `[agents.*]` tables in `config.toml`.

use super::{
    Depth, Dialect, Duplicates, Failures, Field, Form, Identity, Kind, Layout, Models, NameRule,
    Names, Outcome, Place, PromptSource, Prompts, Shape, Signature, Slot, Vocabulary, documented,
    fault::Checker,
    models::{CLAUDE, CLAUDE_WORDS, GEMINI},
    unverified, verified,
};
use crate::document::Format;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    id: "codex",
    host: "Codex",
    forms: &[ROLE, CONFIG],
    built_in: &["default", "explorer", "worker"],
    built_in_can_be_replaced: true,
    duplicates: Duplicates::FirstWins,
    tools: &Vocabulary::NONE,
    models: Models {
        default: "the parent's model",
        // A provider of one's own can serve anything under any name.
        foreign: &[&CLAUDE, &GEMINI],
        foreign_aliases: CLAUDE_WORDS,
        on_foreign: unverified(Outcome::FailsAtRun),
        efforts: &["none", "minimal", "low", "medium", "high", "xhigh", "ultra"],
        ..Models::ANY
    },
};

const FAILURES: Failures =
    Failures { no_front_matter: verified(Outcome::Skipped), ..Failures::STRICT };

const ROLE: Form = Form {
    id: "",
    title: "Codex role file",
    formats: &[Format::Toml],
    places: &[
        Place::project(".codex/agents", Names::Ending(&[".toml"]), Depth::Recursive),
        Place::home(".codex/agents", Names::Ending(&[".toml"]), Depth::Recursive),
    ],
    layout: Layout::One,
    identity: Identity::Field,
    prompt: PromptSource::Field,
    prompts: Prompts::PLAIN,
    fields: ROLE_FIELDS,
    failures: FAILURES,
    signature: Signature {
        all: &["name"],
        any: &["developer_instructions", "description"],
        hints: &["nickname_candidates"],
    },
    check: Some(check_role),
};

const CONFIG: Form = Form {
    id: "config",
    title: "Codex `[agents]` tables",
    places: &[
        Place::project(".codex", Names::Exactly(&["config.toml"]), Depth::Flat),
        Place::home(".codex", Names::Exactly(&["config.toml"]), Depth::Flat),
    ],
    layout: Layout::Keyed {
        keys: &["agents"],
        settings: AGENTS_SETTINGS,
        top: &[],
        // What else stands in a config.toml is none of an agent's business.
        unknown_top: verified(Outcome::Accepted),
    },
    identity: Identity::Key,
    fields: TABLE_FIELDS,
    signature: Signature { all: &["agents"], any: &[], hints: &[] },
    check: None,
    ..ROLE
};

static NAME: NameRule = NameRule {
    must_be: "more than blanks",
    pattern: "\\S",
    accepts: |name| !name.trim().is_empty(),
};

const IGNORED: &str = "a role keeps its parent's";
const DESCRIPTION: Field =
    Field::text("description", Slot::Description, "When to start this role.").verified();
const NICKNAMES: Field = Field::new(
    "nickname_candidates",
    Kind::Names(Shape::List),
    Slot::None,
    "Names its threads are shown under: unique, letters, digits, blanks, `_` and `-`.",
)
.verified();

const fn ignored(key: &'static str, slot: Slot) -> Field {
    Field::new(key, Kind::Any, slot, "Read and not applied to roles.").ignored(IGNORED).verified()
}

const fn applied(key: &'static str, slot: Slot, doc: &'static str) -> Field {
    Field::text(key, slot, doc).verified()
}

/// A role is read as a whole Codex configuration, of which only a few keys count.
static ROLE_FIELDS: &[Field] = &[
    Field::new("name", Kind::Name(&NAME), Slot::Name, "What identifies the role.")
        .required()
        .verified(),
    DESCRIPTION.required(),
    Field::text("developer_instructions", Slot::SystemPrompt, "What the role is told.")
        .required()
        .verified(),
    NICKNAMES,
    applied("model", Slot::Model, "Its model; calls cannot change it."),
    applied("model_reasoning_effort", Slot::Effort, "How hard it thinks; calls cannot change it."),
    applied("model_reasoning_summary", Slot::None, "How its thinking is summed up."),
    applied("model_verbosity", Slot::None, "How much it writes."),
    applied("personality", Slot::None, "Its tone."),
    applied("service_tier", Slot::None, "Its service tier."),
    Field::new(
        "features",
        Kind::MapOf(&Kind::Any),
        Slot::None,
        "Features to switch off; switching on does nothing.",
    )
    .verified(),
    Field::new("skills", Kind::Any, Slot::None, "Skills to switch off; switching on does nothing.")
        .verified(),
    ignored("sandbox_mode", Slot::Sandbox),
    ignored("sandbox_workspace_write", Slot::None),
    ignored("approval_policy", Slot::ApprovalMode),
    ignored("approvals_reviewer", Slot::None),
    ignored("mcp_servers", Slot::McpServers),
    ignored("permissions", Slot::None),
    ignored("default_permissions", Slot::None),
    ignored("model_provider", Slot::None),
    ignored("model_providers", Slot::None),
    ignored("web_search", Slot::None),
    ignored("notify", Slot::None),
    Field::new("tools", Kind::MapOf(&Kind::Any), Slot::None, "Read and not applied to roles.")
        .ignored(IGNORED)
        .verified(),
    ignored("shell_environment_policy", Slot::None),
    ignored("model_context_window", Slot::None),
    ignored("model_auto_compact_token_limit", Slot::None),
    ignored("model_instructions_file", Slot::None),
    ignored("compact_prompt", Slot::None),
    ignored("hide_agent_reasoning", Slot::None),
    ignored("show_raw_agent_reasoning", Slot::None),
    ignored("file_opener", Slot::None),
    ignored("history", Slot::None),
    ignored("profile", Slot::None),
    ignored("profiles", Slot::None),
    ignored("projects", Slot::None),
    ignored("project_doc_max_bytes", Slot::None),
    ignored("project_doc_fallback_filenames", Slot::None),
    ignored("hooks", Slot::None),
    ignored("agents", Slot::None),
    ignored("tui", Slot::None),
    ignored("otel", Slot::None),
    ignored("apps", Slot::None),
    ignored("plugins", Slot::None),
    ignored("memories", Slot::None),
    ignored("check_for_update_on_startup", Slot::None),
    ignored("review_model", Slot::None),
    ignored("log_dir", Slot::None),
];

static TABLE_FIELDS: &[Field] = &[
    DESCRIPTION,
    Field::text("config_file", Slot::None, "The role file, from the folder of this config.toml.")
        .verified(),
    NICKNAMES,
];

static AGENTS_SETTINGS: &[Field] = &[
    Field::flag("enabled", Slot::None, "Whether there are sub-agents at all.")
        .default("true")
        .verified(),
    Field::count("max_concurrent_threads_per_session", Slot::None, "The most agents at once.")
        .verified(),
    Field::count(
        "max_threads",
        Slot::None,
        "Another spelling of `max_concurrent_threads_per_session`.",
    )
    .verified(),
    Field::count("max_depth", Slot::None, "How deep agents may start agents.")
        .default("1")
        .verified(),
    Field::text("default_subagent_model", Slot::None, "The model of roles without one.").verified(),
    Field::text(
        "default_subagent_reasoning_effort",
        Slot::None,
        "The effort of roles without one.",
    )
    .verified(),
    Field::flag("interrupt_message", Slot::None, "Whether an interrupted agent is told.")
        .default("true")
        .verified(),
    Field::count("job_max_runtime_seconds", Slot::None, "Without effect.")
        .ignored("it does nothing")
        .verified(),
];

fn check_role(checker: &mut Checker<'_>) {
    for (key, value) in [
        ("description", &checker.definition.description.clone().map(|text| text.value)),
        ("developer_instructions", &Some(checker.prompt().to_owned())),
    ] {
        let field = checker.definition.fields.iter().find(|field| field.path == key);
        if let Some(field) = field.cloned()
            && value.as_deref().is_some_and(|value| value.trim().is_empty())
        {
            checker.report(
                field.value,
                documented(Outcome::Rejected),
                format!("`{key}` is blank"),
                "write something there",
            );
        }
    }
}
