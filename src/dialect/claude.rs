//! Claude Code: Markdown in `.claude/agents`, and in plugins.

use super::{
    Confidence, Depth, Dialect, Duplicates, Failures, Field, Form, Grant, Identity, Kind, Layout,
    McpSyntax, Models, NameRule, Names, Outcome, Place, PromptSource, Prompts, Shape, Signature,
    Slot, Vocabulary, documented,
    models::{CLAUDE_WORDS, GEMINI, GPT},
    tools::{HostTool, main_only, old, t},
    unverified,
};
use crate::document::Format;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    id: "claude",
    host: "Claude Code",
    forms: &[AGENT, PLUGIN],
    built_in: &["Explore", "Plan", "general-purpose", "statusline-setup"],
    built_in_can_be_replaced: true,
    duplicates: Duplicates::FirstWins,
    tools: &TOOLS,
    models: Models {
        aliases: CLAUDE_WORDS,
        default: "the main conversation's model",
        // A gateway can serve anything under any name.
        foreign: &[&GPT, &GEMINI],
        on_foreign: unverified(Outcome::FailsAtRun),
        efforts: &["low", "medium", "high", "xhigh", "max"],
        ..Models::ANY
    },
};

const MARKDOWN: Names = Names::Ending(&[".md"]);

const AGENT: Form = Form {
    id: "",
    title: "Claude Code subagent",
    formats: &[Format::Markdown],
    places: &[
        Place::project(".claude/agents", MARKDOWN, Depth::Recursive),
        Place::home(".claude/agents", MARKDOWN, Depth::Recursive),
    ],
    layout: Layout::One,
    identity: Identity::Field,
    prompt: PromptSource::Body,
    prompts: Prompts {
        without: Some("it runs with an empty system prompt"),
        // The host writes descriptions that way itself, and reads them back.
        unescapes_description: true,
        ..Prompts::PLAIN
    },
    fields: FIELDS,
    failures: Failures {
        // Files with a byte order mark were lost until version 2.1.240.
        byte_order_mark: documented(Outcome::Accepted),
        // Whether the host's reader minds is not known.
        duplicate_key: Some(unverified(Outcome::Skipped)),
        ..Failures::QUIET
    },
    signature: Signature {
        all: &["name"],
        any: &["description", "tools", "model"],
        hints: &["disallowedTools", "permissionMode", "maxTurns", "color", "memory", "isolation"],
    },
    check: Some(check),
};

const PLUGIN: Form = Form {
    id: "plugin",
    title: "Claude Code plugin agent",
    places: &[Place::plugin("plugins/*/agents", MARKDOWN, Depth::Recursive)],
    identity: Identity::FieldOrFile,
    fields: PLUGIN_FIELDS,
    failures: Failures {
        duplicate_key: Some(unverified(Outcome::Unrestricted)),
        fence: Some(unverified(Outcome::Unrestricted)),
        malformed: documented(Outcome::Unrestricted),
        no_front_matter: documented(Outcome::Unrestricted),
        missing: documented(Outcome::Unrestricted),
        byte_order_mark: documented(Outcome::Accepted),
        ..Failures::QUIET
    },
    signature: Signature::NEVER,
    check: None,
    ..AGENT
};

static NAME: NameRule = NameRule {
    must_be: "a name that does not start with `-` and has no `:`",
    pattern: "^[^-:][^:]*$",
    accepts: |name| !name.starts_with('-') && !name.contains(':'),
};

const NAME_FIELD: Field = Field::new(
    "name",
    Kind::Name(&NAME),
    Slot::Name,
    "What identifies the agent: lowercase letters and hyphens.",
)
.required()
.on_bad_value(Outcome::Skipped);
const DESCRIPTION: Field =
    Field::text("description", Slot::Description, "When to hand work to this agent.").required();
const TOOLS_FIELD: Field = Field::new(
    "tools",
    Kind::Names(Shape::ListOrCsv),
    Slot::Tools,
    "The tools it may use: names, `mcp__server`, `mcp__server__*`.",
)
.default("every tool");
const DISALLOWED: Field = Field::new(
    "disallowedTools",
    Kind::Names(Shape::ListOrCsv),
    Slot::DeniedTools,
    "Tools taken away, before `tools` is looked at.",
);
const MODEL: Field = Field::text(
    "model",
    Slot::Model,
    "`sonnet`, `opus`, `haiku`, `fable`, `inherit` or a full id.",
)
.default("inherit");
const MAX_TURNS: Field = Field::count("maxTurns", Slot::MaxTurns, "The most turns it may take.");
const SKILLS: Field = Field::new(
    "skills",
    Kind::Names(Shape::ListOrCsv),
    Slot::Skills,
    "Skills loaded in full before it starts.",
);
const MEMORY: Field = Field::choice(
    "memory",
    &["user", "project", "local"],
    Slot::None,
    "Where it remembers things; adds Read, Write and Edit to its tools.",
);
const BACKGROUND: Field =
    Field::flag("background", Slot::Background, "Whether it always runs in the background.");
const EFFORT: Field = Field::choice(
    "effort",
    &["low", "medium", "high", "xhigh", "max"],
    Slot::Effort,
    "How hard it thinks.",
)
.default("the session's");
const ISOLATION: Field = Field::choice(
    "isolation",
    &["worktree"],
    Slot::None,
    "Whether it works in a git worktree of its own.",
);
const COLOR: Field = Field::choice(
    "color",
    &["red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"],
    Slot::None,
    "Its colour in the list of agents.",
);
const PERMISSION_MODES: &[&str] =
    &["default", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "plan", "manual"];
const PERMISSION_MODE: Field = Field::choice(
    "permissionMode",
    PERMISSION_MODES,
    Slot::ApprovalMode,
    "Who is asked; without effect below a parent in auto, bypass or acceptEdits mode.",
)
.default("the session's");
const MCP_SERVERS: Field = Field::new(
    "mcpServers",
    Kind::List(&Kind::AnyOf(&[Kind::Text, Kind::MapOf(&Kind::Any)])),
    Slot::McpServers,
    "MCP servers by name, or with their settings.",
);
const HOOKS: Field =
    Field::new("hooks", Kind::MapOf(&Kind::Any), Slot::None, "Hooks while it runs.");
const IN_PLUGIN: &str = "plugin agents cannot have it";

static FIELDS: &[Field] = &[
    NAME_FIELD,
    DESCRIPTION,
    TOOLS_FIELD,
    DISALLOWED,
    MODEL,
    PERMISSION_MODE,
    MAX_TURNS,
    SKILLS,
    MCP_SERVERS,
    HOOKS,
    MEMORY,
    BACKGROUND,
    EFFORT,
    ISOLATION,
    COLOR,
    Field::text("initialPrompt", Slot::Query, "The first message, when it runs as the main agent."),
    Field::count("autoCompactWindow", Slot::None, "When its context is compacted.").unverified(),
    Field::flag("omitClaudeMd", Slot::None, "Whether CLAUDE.md is left out.").unverified(),
    Field::text("observer", Slot::None, "Agents that watch it.").unverified(),
    Field::text("observerMessage", Slot::None, "What the observers are told.").unverified(),
    Field::text(
        "criticalSystemReminder_EXPERIMENTAL",
        Slot::None,
        "A reminder repeated in its context.",
    )
    .unverified(),
];

static PLUGIN_FIELDS: &[Field] = &[
    NAME_FIELD,
    DESCRIPTION,
    TOOLS_FIELD,
    DISALLOWED,
    MODEL,
    MAX_TURNS,
    SKILLS,
    MEMORY,
    BACKGROUND,
    EFFORT,
    ISOLATION,
    COLOR.unverified(),
    PERMISSION_MODE.ignored(IN_PLUGIN),
    MCP_SERVERS.ignored(IN_PLUGIN),
    HOOKS.ignored(IN_PLUGIN),
];

static TOOLS: Vocabulary = Vocabulary {
    tools: NAMES,
    case_sensitive: true,
    // Third parties say so; the documentation only says to leave the key out.
    star: true,
    mcp: McpSyntax::DoubleUnderscore,
    unknown: unverified(Outcome::Ignored),
    absent: Grant::Everything,
    empty: Grant::Nothing,
    // Since version 2.1.208; before, such an agent ran without any tool.
    none_left: documented(Outcome::FailsAtRun),
    argument_ignored: &["Agent", "Task"],
    added_by: &[("memory", &["Read", "Write", "Edit"])],
    ..Vocabulary::NONE
};

static NAMES: &[HostTool] = &[
    t("Read", &["read_file"]),
    t("Write", &["write_file"]),
    t("Edit", &["apply_patch"]),
    old("MultiEdit", &["apply_patch"]),
    t("NotebookEdit", &["notebook_edit"]),
    old("NotebookRead", &["read_file"]),
    t("Glob", &["glob_files"]),
    t("Grep", &["grep_files"]),
    old("LS", &["list_dir"]),
    t("Bash", &["shell"]),
    t("PowerShell", &["shell"]),
    old("BashOutput", &[]),
    old("KillShell", &[]),
    old("KillBash", &[]),
    t("WebFetch", &["web_fetch"]),
    t("WebSearch", &["web_search"]),
    t("TodoWrite", &["TodoWrite"]),
    t("TaskCreate", &["TodoWrite"]),
    t("TaskGet", &["TodoWrite"]),
    t("TaskList", &["TodoWrite"]),
    t("TaskUpdate", &["TodoWrite"]),
    t("TaskStop", &[]),
    t("Skill", &["skill"]),
    old("SlashCommand", &["skill"]),
    t("ToolSearch", &[]),
    t("EnterWorktree", &[]),
    t("ExitWorktree", &[]),
    t("Monitor", &[]),
    t("SendMessage", &["send_input"]),
    t("Artifact", &[]),
    t("LSP", &[]),
    t("CronCreate", &[]),
    t("CronDelete", &[]),
    t("CronList", &[]),
    t("ListAgents", &["list_active_agents"]),
    t("PushNotification", &[]),
    t("RemoteTrigger", &[]),
    t("ReportFindings", &[]),
    t("SendFeedback", &[]),
    t("SendUserFile", &[]),
    t("ShareOnboardingGuide", &[]),
    t("SubagentHandback", &[]),
    old("TeamCreate", &[]),
    old("TeamDelete", &[]),
    t("ListMcpResourcesTool", &[]),
    t("ReadMcpResourceTool", &[]),
    t("Agent", &["Task"]),
    old("Task", &["Task"]),
    main_only("TaskOutput", &["TaskOutput"]),
    main_only("AskUserQuestion", &["ask_user"]),
    main_only("EndConversation", &[]),
    main_only("EnterPlanMode", &[]),
    main_only("ExitPlanMode", &[]),
    main_only("ScheduleWakeup", &[]),
    main_only("WaitForMcpServers", &[]),
    main_only("Workflow", &[]),
];

fn check(checker: &mut super::fault::Checker<'_>) {
    let hooks = checker.document.root.as_map().and_then(|map| map.get("hooks"));
    if let Some(hooks) = hooks.filter(|hooks| hooks.as_list().is_some_and(<[_]>::is_empty)) {
        let fact = super::Fact { outcome: Outcome::Skipped, confidence: Confidence::Unverified };
        let span = hooks.span;
        checker.faults.retain(|fault| fault.span != span);
        checker.report(
            span,
            fact,
            "`hooks: []` makes versions 2.1.251 to 2.1.259 drop the whole agent",
            "remove `hooks`",
        );
    }
}
