//! The parts of a definition.

use crate::{
    document::Node,
    text::{Span, Spanned},
};

/// One agent.
#[derive(Clone, Debug, Default)]
pub struct Definition {
    /// What identifies it.
    pub name: Name,
    /// A name for people.
    pub display_name: Option<Spanned<String>>,
    /// What it is for and when to use it.
    pub description: Option<Spanned<String>>,
    /// What it may use.
    pub tools: Tools,
    /// What it thinks with.
    pub model: ModelChoice,
    /// What it is told.
    pub prompt: Prompt,
    /// When it must stop.
    pub limits: Limits,
    /// What it takes.
    pub inputs: Vec<Input>,
    /// What it must return.
    pub output: Option<Output>,
    /// How it runs.
    pub behaviour: Behaviour,
    /// Variants of it with names of their own.
    pub personas: Vec<Persona>,
    /// What it names outside of itself.
    pub references: References,
    /// Every key that was written, understood or not, in the order of the file.
    pub fields: Vec<FieldUse>,
    /// The bytes it was read from.
    pub span: Span,
}

/// What identifies an agent, and where that comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// The name; never empty once a definition has been read.
    pub text: String,
    /// Its origin.
    pub origin: NameOrigin,
}

/// Where a name comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameOrigin {
    /// A key in the file; the span is its value.
    Field(Span),
    /// The key under which the agent stands in a file of several.
    MapKey(Span),
    /// The file's name, which is what the host goes by.
    FileName,
    /// The file's name, because the key the host goes by is missing.
    #[default]
    Missing,
}

impl NameOrigin {
    /// The bytes of the name, if it stands in the file.
    pub fn span(self) -> Option<Span> {
        match self {
            Self::Field(span) | Self::MapKey(span) => Some(span),
            Self::FileName | Self::Missing => None,
        }
    }
}

/// What an agent may use, as written: names are the host's, not canonical.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// What is allowed.
    pub allowed: Access,
    /// What is taken away.
    pub denied: Vec<Spanned<String>>,
}

/// What is allowed.
#[derive(Clone, Debug, Default)]
pub enum Access {
    /// Nothing was written: whatever the host gives by default.
    #[default]
    Unsaid,
    /// Exactly these; the span is the whole list.
    Listed(Spanned<Vec<Spanned<String>>>),
}

impl Access {
    /// The names, if there is a list.
    pub fn names(&self) -> Option<&[Spanned<String>]> {
        match self {
            Self::Unsaid => None,
            Self::Listed(list) => Some(&list.value),
        }
    }

    /// Adds a name to the list, starting one if there is none.
    pub fn allow(&mut self, name: Spanned<String>) {
        match self {
            Self::Unsaid => *self = Self::Listed(Spanned::new(vec![name.clone()], name.span)),
            Self::Listed(list) => {
                list.span = list.span.to(name.span);
                list.value.push(name);
            }
        }
    }
}

/// What an agent thinks with.
#[derive(Clone, Debug, Default)]
pub struct ModelChoice {
    /// Models in order of preference; empty means the caller's.
    pub chain: Vec<Spanned<String>>,
    /// How hard to think.
    pub effort: Option<Spanned<String>>,
    /// Sampling temperature.
    pub temperature: Option<Spanned<f64>>,
    /// Nucleus sampling.
    pub top_p: Option<Spanned<f64>>,
    /// Tokens for thinking: -1 is unlimited, 0 is off.
    pub thinking_budget: Option<Spanned<i64>>,
}

/// What an agent is told.
#[derive(Clone, Debug, Default)]
pub struct Prompt {
    /// The system prompt.
    pub system: Option<Spanned<PromptText>>,
    /// The first user message.
    pub query: Option<Spanned<String>>,
    /// A conversation to start from.
    pub initial_messages: Vec<Message>,
}

/// A system prompt. Bodies are long and seldom needed, so they are not copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptText {
    /// The text of the span.
    Body,
    /// This text.
    Value(String),
}

/// One message of a conversation.
#[derive(Clone, Debug)]
pub struct Message {
    /// Who speaks.
    pub role: Spanned<String>,
    /// What they say.
    pub content: Spanned<String>,
}

/// When an agent must stop. Times are in seconds, whatever the file's unit is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Model calls.
    pub max_turns: Option<Spanned<i64>>,
    /// Running time.
    pub max_seconds: Option<Spanned<f64>>,
    /// Time to hand in a result after a limit.
    pub grace_seconds: Option<Spanned<f64>>,
    /// Tokens over all turns.
    pub max_tokens: Option<Spanned<i64>>,
}

/// Names every prompt may use as `${name}` without declaring them.
pub const TEMPLATE_VARIABLES: &[&str] = &["agent_type", "cwd", "prompt", "today"];

/// One typed input.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its name.
    pub name: Spanned<String>,
    /// Its type; `None` if what stands there is none of them.
    pub kind: Option<Spanned<InputType>>,
    /// Whether it must be given.
    pub required: bool,
    /// What it is for.
    pub description: Option<Spanned<String>>,
    /// What it is when it is not given.
    pub default: Option<Node>,
}

/// The types an input can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputType {
    /// Text.
    String,
    /// Any number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// A list of texts.
    StringList,
    /// A list of numbers.
    NumberList,
}

impl InputType {
    /// Every type, with its spelling in definitions.
    pub const ALL: &[(&str, Self)] = &[
        ("string", Self::String),
        ("number", Self::Number),
        ("boolean", Self::Boolean),
        ("integer", Self::Integer),
        ("string[]", Self::StringList),
        ("number[]", Self::NumberList),
    ];

    /// The type called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(spelling, _)| *spelling == name).map(|(_, kind)| *kind)
    }

    /// Its spelling.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(spelling, _)| spelling)
    }
}

/// What an agent must return.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The argument of `complete_task` that carries it.
    pub name: Option<Spanned<String>>,
    /// What it is.
    pub description: Option<Spanned<String>>,
    /// Its JSON Schema, with places.
    pub schema: Option<Node>,
}

/// How an agent runs.
#[derive(Clone, Debug, Default)]
pub struct Behaviour {
    /// Whether it starts with the caller's conversation.
    pub fork_context: Option<Spanned<bool>>,
    /// Whether it runs in the background.
    pub background: Option<Spanned<bool>>,
    /// Whether it may change nothing.
    pub read_only: Option<Spanned<bool>>,
    /// How the executor runs it.
    pub execution_mode: Option<Spanned<String>>,
    /// Who is asked before something is changed.
    pub approval_mode: Option<Spanned<String>>,
    /// What commands may touch.
    pub sandbox: Option<Spanned<String>>,
    /// Where it works.
    pub base_dir: Option<Spanned<String>>,
    /// Features of the host to switch off.
    pub disabled_features: Vec<Spanned<String>>,
    /// What the file claims its source is. Never believed.
    pub claimed_source: Option<Spanned<String>>,
}

/// A variant of an agent.
#[derive(Clone, Debug)]
pub struct Persona {
    /// Its name.
    pub name: Spanned<String>,
    /// What it is for.
    pub description: Option<Spanned<String>>,
    /// Its model.
    pub model: Option<Spanned<String>>,
    /// How hard it thinks.
    pub reasoning_effort: Option<Spanned<String>>,
    /// What it is told in addition.
    pub prompt: Option<Spanned<String>>,
}

/// What a definition names outside of itself.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// Agents it hands work to.
    pub agents: Vec<Spanned<String>>,
    /// Skills it loads.
    pub skills: Vec<Spanned<String>>,
    /// MCP servers it uses or starts.
    pub mcp_servers: Vec<Spanned<String>>,
    /// Those of them that come with their settings, so that nobody else must know them.
    pub own_servers: Vec<String>,
}

/// A key that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldUse {
    /// Keys from the top of the definition, joined with dots.
    pub path: String,
    /// The key.
    pub key: Span,
    /// The value.
    pub value: Span,
    /// Whether the dialect has such a key.
    pub understood: bool,
}
