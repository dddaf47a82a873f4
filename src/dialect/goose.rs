//! Goose: agents in Markdown, of which it reads three keys, and recipes in YAML or JSON.

use super::{
    Depth, Dialect, Duplicates, Failures, Field, Form, Identity, Kind, Layout, Models, Names,
    Outcome, Place, PromptSource, Prompts, Signature, Slot, Template, Vocabulary, fault::Checker,
    models::CLAUDE_WORDS, unverified, verified,
};
use crate::document::Format;

/// The dialect.
pub(super) static DIALECT: Dialect = Dialect {
    id: "goose",
    host: "Goose",
    forms: &[AGENT, RECIPE],
    built_in: &[],
    built_in_can_be_replaced: true,
    duplicates: Duplicates::FirstWins,
    tools: &Vocabulary::NONE,
    models: Models {
        // Passed on as it is, and only some providers have such words.
        foreign_aliases: CLAUDE_WORDS,
        ..Models::ANY
    },
};

const MARKDOWN: Names = Names::Ending(&[".md"]);
const RECIPES: Names = Names::Ending(&[".yaml", ".yml", ".json"]);

const AGENT: Form = Form {
    id: "",
    title: "Goose agent",
    formats: &[Format::Markdown],
    places: &[
        Place::project(".goose/agents", MARKDOWN, Depth::Flat),
        Place::project(".agents/agents", MARKDOWN, Depth::Flat),
        Place::home(".agents/agents", MARKDOWN, Depth::Flat),
        Place::home(".config/goose/agents", MARKDOWN, Depth::Flat),
    ],
    layout: Layout::One,
    identity: Identity::Field,
    prompt: PromptSource::Body,
    prompts: Prompts { without: Some("it is told nothing but its task"), ..Prompts::PLAIN },
    fields: AGENT_FIELDS,
    failures: Failures {
        malformed: verified(Outcome::Skipped),
        missing: verified(Outcome::Skipped),
        unknown_key: verified(Outcome::Ignored),
        ..Failures::QUIET
    },
    signature: Signature::NEVER,
    check: None,
};

const RECIPE: Form = Form {
    id: "recipe",
    title: "Goose recipe",
    formats: &[Format::Yaml, Format::Json],
    places: &[
        Place::project(".goose/recipes", RECIPES, Depth::Flat),
        Place::project(".agents/recipes", RECIPES, Depth::Flat),
        Place::home(".config/goose/recipes", RECIPES, Depth::Flat),
    ],
    layout: Layout::Wrapped("recipe"),
    identity: Identity::File,
    prompt: PromptSource::Field,
    prompts: Prompts {
        template: Some(Template {
            open: "{{",
            close: "}}",
            known: &["recipe_dir"],
            whole_file: true,
            undefined: verified(Outcome::Rejected),
            unused: verified(Outcome::Rejected),
        }),
        ..Prompts::PLAIN
    },
    fields: RECIPE_FIELDS,
    failures: Failures {
        malformed: verified(Outcome::Rejected),
        missing: verified(Outcome::Rejected),
        bad_value: verified(Outcome::Rejected),
        unknown_key: verified(Outcome::Ignored),
        ..Failures::QUIET
    },
    signature: Signature {
        all: &["title"],
        any: &["instructions", "prompt"],
        hints: &["extensions", "parameters", "activities", "sub_recipes", "settings", "response"],
    },
    check: Some(check_recipe),
};

const NOT_READ: &str =
    "Goose reads only name, description and model, and gives the agent every extension";

const fn not_read(key: &'static str, slot: Slot) -> Field {
    Field::new(key, Kind::Any, slot, "Not read by Goose.").ignored(NOT_READ).verified()
}

static AGENT_FIELDS: &[Field] = &[
    Field::text("name", Slot::Name, "What identifies it, among agents, recipes and skills.")
        .required()
        .verified(),
    Field::text("description", Slot::Description, "What it is for.").verified(),
    Field::text("model", Slot::Model, "Passed on as it is.").default("the session's").verified(),
    not_read("tools", Slot::Tools),
    not_read("disallowedTools", Slot::DeniedTools),
    not_read("permissionMode", Slot::ApprovalMode),
    not_read("maxTurns", Slot::MaxTurns),
];

static RECIPE_FIELDS: &[Field] = &[
    Field::text("version", Slot::None, "The version of the format.").default("1.0.0").verified(),
    Field::text("title", Slot::DisplayName, "Its name for people.").required().verified(),
    Field::text("description", Slot::Description, "What it does.").required().verified(),
    Field::text(
        "instructions",
        Slot::SystemPrompt,
        "What the agent is told; this or `prompt` is needed.",
    )
    .verified(),
    Field::text("prompt", Slot::Query, "The first message; this or `instructions` is needed.")
        .verified(),
    Field::new(
        "parameters",
        Kind::List(&Kind::OpenTable(PARAMETER, Outcome::Ignored)),
        Slot::Parameters,
        "What it takes.",
    )
    .verified(),
    Field::new("extensions", Kind::List(&Kind::Any), Slot::McpServers, "Extensions it uses.")
        .verified(),
    Field::new(
        "settings",
        Kind::OpenTable(SETTINGS, Outcome::Ignored),
        Slot::None,
        "Model and limits.",
    )
    .verified(),
    Field::new("activities", Kind::List(&Kind::Text), Slot::None, "Suggestions for the user.")
        .verified(),
    Field::new("author", Kind::Any, Slot::None, "Who wrote it.").verified(),
    Field::new(
        "response",
        Kind::OpenTable(RESPONSE, Outcome::Ignored),
        Slot::None,
        "What it must return.",
    )
    .verified(),
    Field::new(
        "sub_recipes",
        Kind::List(&Kind::OpenTable(SUB_RECIPE, Outcome::Ignored)),
        Slot::Agents,
        "Recipes it can run.",
    )
    .verified(),
    Field::new("retry", Kind::Any, Slot::None, "When to try again.").verified(),
];

static PARAMETER: &[Field] = &[
    Field::text("key", Slot::None, "Its name.").required().verified(),
    Field::choice(
        "input_type",
        &["string", "number", "boolean", "date", "file", "select"],
        Slot::None,
        "What it is.",
    )
    .required()
    .verified(),
    Field::choice(
        "requirement",
        &["required", "optional", "user_prompt"],
        Slot::None,
        "Whether it must be given.",
    )
    .required()
    .verified(),
    Field::text("description", Slot::None, "What it is for.").required().verified(),
    Field::new(
        "default",
        Kind::Scalar,
        Slot::None,
        "What it is when it is not given; optional ones need it.",
    )
    .verified(),
    Field::new("options", Kind::List(&Kind::Scalar), Slot::None, "What can be chosen.").verified(),
];

static SETTINGS: &[Field] = &[
    Field::text("goose_provider", Slot::None, "The model provider.").verified(),
    Field::text("goose_model", Slot::Model, "The model.").verified(),
    Field::new(
        "temperature",
        Kind::Number { min: f64::NEG_INFINITY, max: f64::INFINITY },
        Slot::Temperature,
        "Sampling temperature.",
    )
    .verified(),
    Field::count("max_turns", Slot::MaxTurns, "The most turns it may take.")
        .default("25")
        .verified(),
];

static RESPONSE: &[Field] = &[Field::new(
    "json_schema",
    Kind::Schema,
    Slot::OutputSchema,
    "The JSON Schema of its result.",
)
.verified()];

static SUB_RECIPE: &[Field] = &[
    Field::text("name", Slot::None, "Its name here.").required().verified(),
    Field::text("path", Slot::None, "Where it is.").required().verified(),
    Field::new("values", Kind::MapOf(&Kind::Any), Slot::None, "Fixed parameters.").verified(),
    Field::flag("sequential_when_repeated", Slot::None, "Whether repeats wait for each other.")
        .verified(),
    Field::text("description", Slot::None, "What it does.").verified(),
];

fn check_recipe(checker: &mut Checker<'_>) {
    let prompt = &checker.definition.prompt;
    if prompt.system.is_none() && prompt.query.is_none() {
        let span = checker.definition.span;
        checker.report(
            span,
            unverified(Outcome::Rejected),
            "a recipe needs `instructions` or `prompt`",
            "add one of them",
        );
    }
}
