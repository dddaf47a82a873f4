//! What every call of `collaboration.*` answers.

use std::{collections::HashSet, fmt::Display, sync::Arc};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    session::{Member, Session, SessionError},
    tools::ToolError,
};

/// A call that was handled, or not.
#[derive(Debug, Default)]
pub(super) struct Report {
    content: String,
    success: bool,
    penalize: bool,
    facts: Box<Facts>,
}

/// What a report says besides.
#[derive(Debug, Default)]
struct Facts {
    /// Beside what every report says.
    own: Map<String, Value>,
    /// In `extra`.
    extra: Map<String, Value>,
}

impl Report {
    /// It worked.
    pub fn success(content: impl Display) -> Self {
        Self { content: content.to_string(), success: true, ..Self::default() }
    }

    /// The model made a mistake.
    pub fn mistake(content: impl Display) -> Self {
        Self { content: content.to_string(), penalize: true, ..Self::default() }
    }

    /// Something has run out or broken that the model could not know of.
    pub fn limit(content: impl Display) -> Self {
        Self { content: content.to_string(), ..Self::default() }
    }

    /// It did not work. Only what the model could have known counts against it.
    pub fn failure(error: &SessionError) -> Self {
        let penalize = error.is_a_mistake();
        Self { content: error.to_string(), penalize, ..Self::default() }
    }

    /// With a fact beside the common ones.
    pub fn with(mut self, key: &str, value: Value) -> Self {
        self.facts.own.insert(key.to_owned(), value);
        self
    }

    /// With a fact in `extra`.
    pub fn extra(mut self, key: &str, value: Value) -> Self {
        self.facts.extra.insert(key.to_owned(), value);
        self
    }

    /// What the model gets.
    pub fn answer(self) -> Result<String, ToolError> {
        let Facts { own: mut metadata, extra } = *self.facts;
        metadata.insert("message_tool_call_success".to_owned(), json!(self.success));
        let penalize = "message_tool_call_error_should_penalize_model".to_owned();
        metadata.insert(penalize, json!(self.penalize));
        metadata.insert("extra".to_owned(), Value::Object(extra));
        let text = json!({ "content": self.content, "metadata": metadata }).to_string();
        if self.success { Ok(text) } else { Err(ToolError::Refused(text)) }
    }
}

/// Reads the arguments of a call; what does not fit is the model's mistake.
pub(super) fn read<T: for<'de> Deserialize<'de>>(arguments: Value) -> Result<T, Report> {
    serde_json::from_value(arguments)
        .map_err(|error| Report::mistake(format_args!("the arguments do not fit: {error}")))
}

/// `recipients` without those that were named before.
pub(super) fn distinct(recipients: Vec<u32>) -> Vec<u32> {
    let mut seen = HashSet::new();
    recipients.into_iter().filter(|index| seen.insert(*index)).collect()
}

/// The direct child of `caller` with a number.
pub(super) fn child(
    session: &Session,
    caller: &Member,
    index: u32,
) -> Result<Arc<Member>, SessionError> {
    let found = session.at(index)?;
    if found.parent == Some(caller.index) {
        Ok(found)
    } else {
        Err(SessionError::NotAChild(index.to_string()))
    }
}
