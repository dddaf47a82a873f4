//! What an agent is told: a text, or several items that come to one.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::tools::ToolError;

/// One of several things an agent is told.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Item {
    Text { text: String },
    Image { image_url: String },
    LocalImage { path: String },
    Audio { audio_url: String },
    LocalAudio { path: String },
    Skill { name: String, path: Option<String> },
    Mention { name: String, path: Option<String> },
}

impl Item {
    /// The item as words. What cannot be shown is named, so that the agent can look for it.
    fn words(&self) -> String {
        let named = |what: &str, name: &str, path: &Option<String>| match path {
            Some(path) => format!("[{what} {name}: {path}]"),
            None => format!("[{what} {name}]"),
        };
        match self {
            Self::Text { text } => text.clone(),
            Self::Image { image_url: place } => format!("[image {place}]"),
            Self::LocalImage { path } => format!("[image {path}]"),
            Self::Audio { audio_url: place } => format!("[audio {place}]"),
            Self::LocalAudio { path } => format!("[audio {path}]"),
            Self::Skill { name, path } => named("skill", name, path),
            Self::Mention { name, path } => named("file", name, path),
        }
    }
}

/// The one text that `message` or `items` come to.
pub(super) fn text(message: Option<String>, items: Option<Vec<Item>>) -> Result<String, ToolError> {
    match (message, items) {
        (Some(_), Some(_)) => {
            Err(ToolError::refused("Provide either message or items, but not both"))
        }
        (None, None) => Err(ToolError::refused("Provide one of: message or items")),
        (Some(message), None) if message.trim().is_empty() => {
            Err(ToolError::refused("Empty message can't be sent to an agent"))
        }
        (Some(message), None) => Ok(message),
        (None, Some(items)) if items.is_empty() => Err(ToolError::refused("Items can't be empty")),
        (None, Some(items)) => {
            let words: Vec<String> = items.iter().map(Item::words).collect();
            let text = words.join("\n\n");
            if text.trim().is_empty() {
                return Err(ToolError::refused("Empty message can't be sent to an agent"));
            }
            Ok(text)
        }
    }
}

/// What a model is told about `items`.
pub(super) fn schema() -> Value {
    json!({
        "type": "array",
        "description": "Instead of `message`: several items, in order.",
        "items": {
            "type": "object",
            "properties": {
                "type": {
                    "type": "string",
                    "enum": [
                        "text", "image", "local_image", "audio", "local_audio", "skill", "mention",
                    ],
                },
                "text": { "type": "string" },
                "image_url": { "type": "string" },
                "audio_url": { "type": "string" },
                "path": { "type": "string" },
                "name": { "type": "string" },
            },
            "required": ["type"],
        },
    })
}
