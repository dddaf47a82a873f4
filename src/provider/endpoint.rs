//! Where models are, and how they are spoken to.

use std::fmt;

/// A key. It cannot be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps `key`.
    pub fn new(key: String) -> Self {
        Self(key)
    }

    /// The key, for the header it belongs in and for whatever takes it out of texts.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::event::REDACTED)
    }
}

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wire {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// OpenAI's Chat Completions, which many others speak.
    OpenAiChat,
    /// Gemini's `streamGenerateContent`.
    Gemini,
    /// Ollama's own.
    Ollama,
}

impl Wire {
    /// Every one, with its name in settings.
    pub const ALL: &[(&str, Self)] = &[
        ("anthropic", Self::Anthropic),
        ("gemini", Self::Gemini),
        ("ollama", Self::Ollama),
        ("openai", Self::OpenAiResponses),
        ("openai-chat", Self::OpenAiChat),
    ];

    /// The one called `name` in settings.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, wire)| *wire)
    }
}

/// The efforts a model knows, by the name of its provider. What agentctl cannot know about is taken
/// to know what most do.
pub fn efforts(provider: &str) -> &'static [&'static str] {
    let known = ENDPOINTS.iter().find(|endpoint| endpoint.name == provider);
    match known.map(|endpoint| endpoint.wire) {
        Some(Wire::Anthropic) => &["low", "medium", "high", "xhigh", "max"],
        Some(Wire::Gemini | Wire::Ollama) => &["low", "medium", "high"],
        Some(Wire::OpenAiResponses | Wire::OpenAiChat) | None => {
            &["none", "minimal", "low", "medium", "high", "xhigh"]
        }
    }
}

/// A server that can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Its name in front of a model's.
    pub name: String,
    /// How it is spoken to.
    pub wire: Wire,
    /// Where it is, without a slash at the end.
    pub base_url: String,
    /// The key.
    pub key: Option<Secret>,
    /// The variable in which the key is looked for; `None` if it needs none.
    pub key_variable: Option<String>,
}

/// An endpoint that is known without settings.
#[derive(Debug)]
pub struct EndpointTemplate {
    /// Its name in front of a model's.
    pub name: &'static str,
    /// How it is spoken to.
    pub wire: Wire,
    /// Where it is.
    pub base_url: &'static str,
    /// The variable that says otherwise.
    pub base_url_variable: Option<&'static str>,
    /// The variables in which a key is looked for; none if it needs none.
    pub key_variables: &'static [&'static str],
    /// The model to use where nobody chose one.
    pub default_model: Option<&'static str>,
}

const fn compatible(
    name: &'static str,
    base_url: &'static str,
    key_variables: &'static [&'static str],
) -> EndpointTemplate {
    EndpointTemplate {
        name,
        wire: Wire::OpenAiChat,
        base_url,
        base_url_variable: None,
        key_variables,
        default_model: None,
    }
}

/// The endpoints there are without settings, in the order in which a key makes one the default.
pub static ENDPOINTS: &[EndpointTemplate] = &[
    EndpointTemplate {
        name: "anthropic",
        wire: Wire::Anthropic,
        base_url: "https://api.anthropic.com",
        base_url_variable: Some("ANTHROPIC_BASE_URL"),
        key_variables: &["ANTHROPIC_API_KEY"],
        default_model: Some("claude-sonnet-4-5"),
    },
    EndpointTemplate {
        name: "openai",
        wire: Wire::OpenAiResponses,
        base_url: "https://api.openai.com/v1",
        base_url_variable: Some("OPENAI_BASE_URL"),
        key_variables: &["OPENAI_API_KEY"],
        default_model: Some("gpt-5.4"),
    },
    EndpointTemplate {
        name: "gemini",
        wire: Wire::Gemini,
        base_url: "https://generativelanguage.googleapis.com",
        base_url_variable: Some("GEMINI_BASE_URL"),
        key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        default_model: Some("gemini-2.5-pro"),
    },
    EndpointTemplate {
        name: "openai-chat",
        wire: Wire::OpenAiChat,
        base_url: "https://api.openai.com/v1",
        base_url_variable: Some("OPENAI_BASE_URL"),
        key_variables: &["OPENAI_API_KEY"],
        default_model: Some("gpt-5.4"),
    },
    EndpointTemplate {
        name: "ollama",
        wire: Wire::Ollama,
        base_url: "http://127.0.0.1:11434",
        base_url_variable: Some("OLLAMA_HOST"),
        key_variables: &[],
        default_model: None,
    },
    compatible("openrouter", "https://openrouter.ai/api/v1", &["OPENROUTER_API_KEY"]),
    compatible("groq", "https://api.groq.com/openai/v1", &["GROQ_API_KEY"]),
    compatible("mistral", "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"]),
    compatible("deepseek", "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"]),
    compatible("xai", "https://api.x.ai/v1", &["XAI_API_KEY"]),
    compatible("lmstudio", "http://127.0.0.1:1234/v1", &[]),
    compatible("llamacpp", "http://127.0.0.1:8080/v1", &[]),
];
