//! GitHub Copilot and VS Code: `.agent.md` in `.github/agents`, and the older `.chatmode.md`.

use super::{
    Depth, Dialect, Duplicates, Failures, Field, Form, Grant, Identity, Kind, Layout, McpSyntax,
    Models, Names, Outcome, Place, PromptSource, Shape, Signature, Slot, Vocabulary, documented,
    tools::{HostTool, t},
    unverified,
};
use crate::document::Format;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    id: "copilot",
    host: "GitHub Copilot",
    forms: &[AGENT, CHAT_MODE],
    built_in: &[
        "agent",
        "ask",
        "edit",
        "plan",
        "explore",
        "task",
        "code-review",
        "general-purpose",
    ],
    built_in_can_be_replaced: true,
    // The vendor's own pages disagree on whether home or repository wins.
    duplicates: Duplicates::Unknown,
    tools: &TOOLS,
    models: Models { aliases: &[], provider_prefix: false, default: "the session's model" },
};

const AGENT: Form = Form {
    id: "",
    title: "Copilot custom agent",
    formats: &[Format::Markdown],
    places: &[
        Place::project(".github/agents", Names::Ending(&[".agent.md", ".md"]), Depth::Flat),
        Place::home(".copilot/agents", Names::Ending(&[".agent.md", ".md"]), Depth::Flat),
        Place::project("", Names::Ending(&[".agent.md"]), Depth::Recursive),
    ],
    layout: Layout::One,
    identity: Identity::File,
    prompt: PromptSource::Body,
    fields: FIELDS,
    failures: Failures {
        malformed: unverified(Outcome::Skipped),
        unquoted_colon: unverified(Outcome::Skipped),
        no_front_matter: unverified(Outcome::Accepted),
        missing: documented(Outcome::Rejected),
        ..Failures::QUIET
    },
    signature: Signature {
        all: &["description"],
        any: &[
            "handoffs",
            "argument-hint",
            "user-invocable",
            "disable-model-invocation",
            "mcp-servers",
            "infer",
        ],
        hints: &["target", "tools", "model", "agents"],
    },
    check: None,
};

const CHAT_MODE: Form = Form {
    id: "chatmode",
    title: "VS Code chat mode, now a custom agent",
    places: &[
        Place::project(".github/chatmodes", Names::Ending(&[".chatmode.md"]), Depth::Flat),
        Place::project("", Names::Ending(&[".chatmode.md"]), Depth::Recursive),
    ],
    signature: Signature::NEVER,
    ..AGENT
};

static FIELDS: &[Field] = &[
    Field::text("name", Slot::Name, "Its name for people; the file's name identifies it.")
        .default("the file's name"),
    // The cloud agent and the CLI insist on it, VS Code does not.
    Field::text("description", Slot::Description, "What it is for.").required(),
    Field::new(
        "tools",
        Kind::Names(Shape::ListOrCsv),
        Slot::Tools,
        "The tools it may use: aliases, `server/tool`, `server/*`; unknown names are ignored.",
    )
    .default("every tool"),
    Field::new(
        "model",
        Kind::Names(Shape::ListOrOne),
        Slot::Model,
        "Its model; a list is a priority list in VS Code.",
    )
    .default("the session's"),
    Field::choice("target", &["vscode", "github-copilot"], Slot::None, "Where it is offered.")
        .default("both"),
    Field::flag("disable-model-invocation", Slot::None, "Whether other agents cannot start it.")
        .default("false"),
    Field::flag("user-invocable", Slot::None, "Whether it is in the list of agents.")
        .default("true"),
    Field::flag("infer", Slot::None, "Whether other agents can start it.")
        .deprecated("use `disable-model-invocation` and `user-invocable`"),
    Field::new(
        "mcp-servers",
        Kind::MapOf(&Kind::Any),
        Slot::McpServers,
        "MCP servers; not used by VS Code.",
    ),
    Field::new("metadata", Kind::Any, Slot::None, "Notes, by key."),
    Field::text(
        "argument-hint",
        Slot::None,
        "What VS Code shows in the empty input; ignored in the cloud.",
    ),
    Field::new(
        "handoffs",
        Kind::List(&Kind::Table(HANDOFF)),
        Slot::None,
        "Next steps VS Code offers; ignored in the cloud.",
    ),
    Field::new(
        "agents",
        Kind::Names(Shape::ListOrCsv),
        Slot::Agents,
        "Agents it may start; needs the `agent` tool.",
    ),
    Field::new("hooks", Kind::Any, Slot::None, "Hooks; a preview in VS Code."),
    Field::choice("mode", &["agent", "ask", "edit"], Slot::None, "Left over from chat modes.")
        .deprecated("custom agents have no `mode`")
        .unverified(),
];

static HANDOFF: &[Field] = &[
    Field::text("label", Slot::None, "The button's text."),
    Field::text("agent", Slot::Agents, "The agent to switch to."),
    Field::text("prompt", Slot::None, "What to tell it."),
    Field::flag("send", Slot::None, "Whether to send it at once."),
    Field::text("model", Slot::None, "The model to switch to."),
];

static TOOLS: Vocabulary = Vocabulary {
    tools: NAMES,
    case_sensitive: false,
    star: true,
    mcp: McpSyntax::Slash,
    unknown: documented(Outcome::Ignored),
    absent: Grant::Everything,
    empty: Grant::Nothing,
};

static NAMES: &[HostTool] = &[
    t("execute", &["shell"]),
    t("shell", &["shell"]),
    t("Bash", &["shell"]),
    t("powershell", &["shell"]),
    t("read", &["read_file"]),
    t("NotebookRead", &["read_file"]),
    t("view", &["read_file"]),
    t("edit", &["apply_patch", "write_file", "notebook_edit"]),
    t("MultiEdit", &["apply_patch"]),
    t("Write", &["write_file"]),
    t("create", &["write_file"]),
    t("NotebookEdit", &["notebook_edit"]),
    t("search", &["grep_files", "glob_files", "list_dir"]),
    t("Grep", &["grep_files"]),
    t("Glob", &["glob_files"]),
    t("agent", &["Task"]),
    t("custom-agent", &["Task"]),
    t("Task", &["Task"]),
    t("web", &["web_fetch", "web_search"]),
    t("WebSearch", &["web_search"]),
    t("WebFetch", &["web_fetch"]),
    t("todo", &["TodoWrite"]),
    t("TodoWrite", &["TodoWrite"]),
];
