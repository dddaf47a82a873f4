//! Gemini CLI: Markdown in `.gemini/agents`, local or remote (A2A).

use super::{
    Depth, Dialect, Duplicates, Failures, Field, Form, Grant, Identity, Kind, Layout, McpSyntax,
    Models, Names, Outcome, Place, PromptSource, Prompts, Shape, Signature, Slot, Vocabulary,
    fault::Checker,
    field::LOWERCASE,
    models::{CLAUDE, CLAUDE_ALIASES, GPT},
    tools::{HostTool, main_only, t},
    verified,
};
use crate::document::Format;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    id: "gemini",
    host: "Gemini CLI",
    forms: &[LOCAL, REMOTE],
    built_in: &["codebase_investigator", "cli_help", "generalist", "browser_agent"],
    built_in_can_be_replaced: false,
    duplicates: Duplicates::FirstWins,
    tools: &TOOLS,
    models: Models {
        aliases: &["inherit", "auto", "pro", "flash", "flash-lite"],
        default: "inherit",
        foreign: &[&CLAUDE, &GPT],
        foreign_aliases: CLAUDE_ALIASES,
        on_foreign: verified(Outcome::FailsAtRun),
        ..Models::ANY
    },
};

const MARKDOWN: Names = Names::Ending(&[".md"]);

const LOCAL: Form = Form {
    id: "",
    title: "Gemini CLI agent",
    formats: &[Format::Markdown],
    places: &[
        Place::project(".gemini/agents", MARKDOWN, Depth::Flat),
        Place::home(".gemini/agents", MARKDOWN, Depth::Flat),
        Place::plugin(".gemini/extensions/*/agents", MARKDOWN, Depth::Flat),
    ],
    layout: Layout::One,
    identity: Identity::Field,
    prompt: PromptSource::Body,
    prompts: Prompts::PLAIN,
    fields: LOCAL_FIELDS,
    failures: Failures {
        // It ends the front matter, and what follows is lost.
        long_closing_fence: Some(verified(Outcome::Accepted)),
        ..Failures::STRICT
    },
    signature: Signature {
        all: &["name", "description"],
        any: &["kind", "max_turns", "timeout_mins", "mcp_servers", "display_name"],
        hints: &["temperature"],
    },
    check: Some(check_local),
};

const REMOTE: Form = Form {
    id: "remote",
    title: "Gemini CLI remote agent",
    layout: Layout::OneOrList,
    fields: REMOTE_FIELDS,
    signature: Signature {
        all: &["name"],
        any: &["agent_card_url", "agent_card_json"],
        hints: &["auth"],
    },
    check: Some(check_remote),
    ..LOCAL
};

const NAME_FIELD: Field =
    Field::new("name", Kind::Name(&LOWERCASE), Slot::Name, "What identifies the agent.")
        .required()
        .verified();
const DISPLAY_NAME: Field =
    Field::text("display_name", Slot::DisplayName, "Its name for people.").verified();

static LOCAL_FIELDS: &[Field] = &[
    Field::choice("kind", &["local"], Slot::None, "What kind of agent it is.")
        .default("local")
        .verified(),
    NAME_FIELD,
    Field::text("description", Slot::Description, "When to hand work to it.").required().verified(),
    DISPLAY_NAME,
    Field::new(
        "tools",
        Kind::Names(Shape::List),
        Slot::Tools,
        "The tools it may use: names, `*`, `mcp_*`, `mcp_server_*`.",
    )
    .default("every tool of its parent")
    .verified(),
    Field::new(
        "mcp_servers",
        Kind::MapOf(&Kind::OpenTable(MCP_SERVER, Outcome::Ignored)),
        Slot::McpServers,
        "MCP servers only it has.",
    )
    .verified(),
    Field::text(
        "model",
        Slot::Model,
        "A Gemini model or `inherit`; not checked when the file is read.",
    )
    .default("inherit")
    .verified(),
    Field::new(
        "temperature",
        Kind::Number { min: f64::NEG_INFINITY, max: f64::INFINITY },
        Slot::Temperature,
        "Sampling temperature, 0 to 2.",
    )
    .default("1")
    .verified(),
    Field::count("max_turns", Slot::MaxTurns, "The most turns it may take.")
        .default("30")
        .verified(),
    Field::count("timeout_mins", Slot::MaxMinutes, "The most minutes it may run.")
        .default("10")
        .verified(),
];

static MCP_SERVER: &[Field] = &[
    Field::text("command", Slot::None, "The program to start.").verified(),
    Field::new("args", Kind::List(&Kind::Text), Slot::None, "Its arguments.").verified(),
    Field::new("env", Kind::MapOf(&Kind::Text), Slot::None, "Its environment.").verified(),
    Field::text("cwd", Slot::None, "Where it runs.").verified(),
    Field::text("url", Slot::None, "Where it listens.").verified(),
    Field::text("http_url", Slot::None, "Where it listens, over HTTP.").verified(),
    Field::new("headers", Kind::MapOf(&Kind::Text), Slot::None, "Headers to send.").verified(),
    Field::text("tcp", Slot::None, "Where it listens, over TCP.").verified(),
    Field::choice("type", &["sse", "http"], Slot::None, "How it is reached.").verified(),
    Field::new(
        "timeout",
        Kind::Number { min: 0.0, max: f64::INFINITY },
        Slot::None,
        "Milliseconds to wait.",
    )
    .verified(),
    Field::flag("trust", Slot::None, "Whether its tools run without asking.").verified(),
    Field::text("description", Slot::None, "What it is for.").verified(),
    Field::new("include_tools", Kind::List(&Kind::Text), Slot::None, "Only these of its tools.")
        .verified(),
    Field::new("exclude_tools", Kind::List(&Kind::Text), Slot::None, "Not these of its tools.")
        .verified(),
    Field::new("auth", Kind::MapOf(&Kind::Any), Slot::None, "How to log in.").verified(),
];

static REMOTE_FIELDS: &[Field] = &[
    Field::choice("kind", &["remote"], Slot::None, "What kind of agent it is.")
        .default("remote")
        .verified(),
    NAME_FIELD,
    Field::text("description", Slot::Description, "When to hand work to it.").verified(),
    DISPLAY_NAME,
    Field::new("auth", Kind::Table(AUTH), Slot::None, "How to log in.").verified(),
    Field::text("agent_card_url", Slot::None, "Where its agent card is.").verified(),
    Field::text("agent_card_json", Slot::None, "Its agent card, as JSON.").verified(),
];

static AUTH: &[Field] = &[
    Field::choice(
        "type",
        &["apiKey", "http", "google-credentials", "oauth"],
        Slot::None,
        "Which way.",
    )
    .required()
    .verified(),
    Field::text("key", Slot::None, "apiKey: the key.").verified(),
    Field::text("name", Slot::None, "apiKey: the header.").verified(),
    Field::text("scheme", Slot::None, "http: Bearer, Basic or another.").verified(),
    Field::text("token", Slot::None, "http Bearer: the token.").verified(),
    Field::text("username", Slot::None, "http Basic: the user.").verified(),
    Field::text("password", Slot::None, "http Basic: the password.").verified(),
    Field::text("value", Slot::None, "http: the value for any other scheme.").verified(),
    Field::new("scopes", Kind::List(&Kind::Text), Slot::None, "OAuth scopes.").verified(),
    Field::text("client_id", Slot::None, "oauth: the client.").verified(),
    Field::text("client_secret", Slot::None, "oauth: its secret.").verified(),
    Field::text("authorization_url", Slot::None, "oauth: where to log in.").verified(),
    Field::text("token_url", Slot::None, "oauth: where to get tokens.").verified(),
    Field::text("issuer", Slot::None, "oauth: the issuer.").verified(),
    Field::new("audiences", Kind::List(&Kind::Text), Slot::None, "oauth: the audiences.")
        .verified(),
    Field::text("redirect_uri", Slot::None, "oauth: where to return to.").verified(),
    Field::text("token_param_name", Slot::None, "oauth: the name of the token parameter.")
        .verified(),
    Field::text("registration_url", Slot::None, "oauth: where to register.").verified(),
];

static TOOLS: Vocabulary = Vocabulary {
    tools: NAMES,
    case_sensitive: true,
    star: true,
    mcp: McpSyntax::SingleUnderscore,
    unknown: verified(Outcome::Rejected),
    absent: Grant::Everything,
    empty: Grant::Nothing,
    prefixes: &["discovered_tool_"],
    ..Vocabulary::NONE
};

static NAMES: &[HostTool] = &[
    t("glob", &["glob_files"]),
    t("write_todos", &["TodoWrite"]),
    t("write_file", &["write_file"]),
    t("google_web_search", &["web_search"]),
    t("web_fetch", &["web_fetch"]),
    t("replace", &["apply_patch"]),
    t("run_shell_command", &["shell"]),
    t("grep_search", &["grep_files"]),
    t("search_file_content", &["grep_files"]),
    t("read_file", &["read_file"]),
    t("read_many_files", &["read_file"]),
    t("list_directory", &["list_dir"]),
    t("activate_skill", &["skill"]),
    t("ask_user", &["ask_user"]),
    t("tracker_create_task", &["TodoWrite"]),
    t("tracker_update_task", &["TodoWrite"]),
    t("tracker_get_task", &["TodoWrite"]),
    t("tracker_list_tasks", &["TodoWrite"]),
    t("tracker_add_dependency", &["TodoWrite"]),
    t("tracker_visualize", &["TodoWrite"]),
    t("get_internal_docs", &[]),
    t("enter_plan_mode", &[]),
    t("exit_plan_mode", &[]),
    t("complete_task", &["complete_task"]),
    t("read_mcp_resource", &[]),
    t("list_mcp_resources", &[]),
    main_only("update_topic", &[]),
    main_only("invoke_agent", &["Task"]),
];

/// Names a body may use in `${…}`.
const TEMPLATE_NAMES: &[&str] = &["query", "cliVersion", "activeModel", "today"];

fn check_local(checker: &mut Checker<'_>) {
    underscore_files_are_skipped(checker);
    if checker.document.front_matter.is_none() {
        return;
    }
    if loose_fences_lose_the_prompt(checker) {
        return;
    }
    if checker.prompt().trim().is_empty() {
        let what = "there is no prompt below the front matter";
        return checker.no_prompt(verified(Outcome::FailsAtRun), what);
    }
    checker.template(TEMPLATE_NAMES, verified(Outcome::FailsAtRun));
}

fn underscore_files_are_skipped(checker: &mut Checker<'_>) {
    if checker.file_name().starts_with('_') {
        let reason = "files whose name starts with `_` are not read";
        checker.not_read(verified(Outcome::Skipped), reason);
    }
}

/// Any line that starts with `---` ends the front matter here; what follows on the line makes the
/// body disappear.
fn loose_fences_lose_the_prompt(checker: &mut Checker<'_>) -> bool {
    let front = checker.document.front_matter.as_ref();
    let Some(close) = front.and_then(|front| front.loose_close) else { return false };
    if !checker.source.slice(close).starts_with("---") {
        return false;
    }
    let what = "this line ends the front matter, and the prompt below it is discarded";
    checker.fence(close, verified(Outcome::FailsAtRun), what);
    true
}

fn check_remote(checker: &mut Checker<'_>) {
    underscore_files_are_skipped(checker);
    let uses = |path: &str| checker.definition.fields.iter().find(|field| field.path == path);
    let (url, json) = (uses("agent_card_url"), uses("agent_card_json"));
    let (span, what, remedy) = match (url, json) {
        (Some(_), Some(json)) => (
            json.key,
            "a remote agent has either `agent_card_url` or `agent_card_json`",
            "keep one of the two",
        ),
        (None, None) => (
            checker.definition.span,
            "a remote agent needs `agent_card_url` or `agent_card_json`",
            "say where its agent card is",
        ),
        _ => return,
    };
    checker.report(span, verified(Outcome::Rejected), what, remedy);
}
