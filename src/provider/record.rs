//! Writing down what a model said, and saying it again without a network.
//!
//! A recording holds, for every answer, what the agent had said since the answer before. A replay
//! that is asked anything else fails and says where the two part. The working directory stands in
//! it as `${cwd}`, so that a recording can be replayed elsewhere.

use std::{
    collections::HashMap,
    io::{self, Write},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::{Delta, Listener, ModelError, Provider, Reply, Request, Sampling};
use crate::{
    conversation::{Answer, Message, Part, ToolSpec},
    event::Redactor,
};

/// The format's version.
const VERSION: u32 = 1;

/// The first line of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    agentctl_recording: u32,
    today: String,
}

/// One answer, and what led to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Exchange {
    agent: String,
    model: String,
    /// System prompt, tools and sampling, when they differ from the exchange before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    setting: Option<Setting>,
    /// What was said since the answer before.
    messages: Vec<Message>,
    answer: Answer,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Setting {
    system: String,
    tools: Vec<ToolSpec>,
    sampling: Sampling,
}

/// A recording that cannot be used.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The file is not one.
    #[error("line {line} of the recording cannot be read: {reason}")]
    Malformed {
        /// Which line.
        line: usize,
        /// Why.
        reason: String,
    },
    /// The file was written by a newer agentctl.
    #[error("the recording has format {found}; this agentctl reads format {VERSION}")]
    Version {
        /// Its format.
        found: u32,
    },
    /// There is no place to write.
    #[error("the recording cannot be written: {0}")]
    Io(#[from] io::Error),
}

/// How far an agent is in a recording.
#[derive(Debug, Default)]
struct Place {
    /// Messages of the conversation that have been dealt with.
    messages: usize,
    setting: Option<Setting>,
    /// Answers so far.
    answers: usize,
}

type Places = Mutex<HashMap<String, Place>>;

/// Where a recording is written.
pub struct Recording {
    file: Mutex<Box<dyn Write + Send>>,
    places: Places,
    paths: Paths,
    redactor: Redactor,
}

impl Recording {
    /// Begins a recording.
    pub fn begin(
        mut file: Box<dyn Write + Send>,
        today: &str,
        cwd: &Path,
        redactor: Redactor,
    ) -> Result<Arc<Self>, RecordError> {
        let header = Header { agentctl_recording: VERSION, today: today.to_owned() };
        write_line(&mut file, &serde_json::to_value(header).unwrap_or_default())?;
        let paths = Paths::new(cwd);
        Ok(Arc::new(Self { file: Mutex::new(file), places: Places::default(), paths, redactor }))
    }

    fn write(&self, request: &Request<'_>, answer: &Answer) -> io::Result<()> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let place = places.entry(request.caller.agent_id.clone()).or_default();
        let setting = Setting::of(request);
        let changed = place.setting.as_ref() != Some(&setting);
        let exchange = Exchange {
            agent: label(request),
            model: request.model.to_owned(),
            setting: changed.then(|| setting.clone()),
            messages: said_since(request, place.messages),
            answer: answer.clone(),
        };
        place.setting = Some(setting);
        place.messages = request.messages.len();
        let value = self.redactor.value(serde_json::to_value(exchange).unwrap_or_default());
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        write_line(&mut *file, &self.paths.portable(value))
    }
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recording").finish_non_exhaustive()
    }
}

/// A provider whose answers are written down.
#[derive(Debug)]
pub struct Recorder {
    inner: Arc<dyn Provider>,
    recording: Arc<Recording>,
}

impl Recorder {
    /// Writes what `inner` says to `recording`.
    pub fn new(inner: Arc<dyn Provider>, recording: Arc<Recording>) -> Self {
        Self { inner, recording }
    }
}

impl Provider for Recorder {
    fn answer<'a>(&'a self, request: &'a Request<'a>, heard: Listener<'a>) -> Reply<'a> {
        Box::pin(async move {
            let answer = self.inner.answer(request, heard).await?;
            self.recording.write(request, &answer).map_err(|error| ModelError::Script {
                message: format!("the recording cannot be written: {error}"),
            })?;
            Ok(answer)
        })
    }

    fn is_llm(&self) -> bool {
        self.inner.is_llm()
    }
}

/// A recording that answers.
#[derive(Debug)]
pub struct Replay {
    today: String,
    exchanges: HashMap<String, Vec<Exchange>>,
    places: Places,
    paths: Paths,
    redactor: Redactor,
}

impl Replay {
    /// Reads a recording, for an agent that works in `cwd`. What the agent says is compared without
    /// keys, since the recording has none.
    pub fn parse(text: &str, cwd: &Path, redactor: Redactor) -> Result<Self, RecordError> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let malformed = |line: usize, error: &dyn std::fmt::Display| RecordError::Malformed {
            line: line + 1,
            reason: error.to_string(),
        };
        let (_, first) = lines.next().ok_or_else(|| malformed(0, &"it is empty"))?;
        let header: Header = serde_json::from_str(first).map_err(|error| malformed(0, &error))?;
        if header.agentctl_recording != VERSION {
            return Err(RecordError::Version { found: header.agentctl_recording });
        }
        let mut exchanges: HashMap<String, Vec<Exchange>> = HashMap::new();
        for (at, line) in lines {
            let exchange: Exchange =
                serde_json::from_str(line).map_err(|error| malformed(at, &error))?;
            exchanges.entry(exchange.agent.clone()).or_default().push(exchange);
        }
        let paths = Paths::new(cwd);
        Ok(Self { today: header.today, exchanges, places: Places::default(), paths, redactor })
    }

    /// The day on which it was recorded: what `${today}` has to be for the same prompts.
    pub fn today(&self) -> &str {
        &self.today
    }

    fn next(&self, request: &Request<'_>) -> Result<Answer, String> {
        let agent = label(request);
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let place = places.entry(request.caller.agent_id.clone()).or_default();
        let recorded = self.exchanges.get(&agent).map_or(&[][..], Vec::as_slice);
        let number = place.answers + 1;
        let Some(exchange) = recorded.get(place.answers) else {
            return Err(format!("the recording has no answer {number} for `{agent}`"));
        };
        if let Some(setting) = &exchange.setting {
            place.setting = Some(setting.clone());
        }
        let asked = self.comparable(&Setting::of(request));
        let expected = place.setting.as_ref().map(to_json).unwrap_or_default();
        let messages = said_since(request, place.messages);
        let said = self.comparable(&messages);
        let differs = difference(&expected, &asked, "")
            .or_else(|| difference(&to_json(&exchange.messages), &said, "/messages"));
        if let Some(differs) = differs {
            return Err(format!("before answer {number} of the recording, {differs}"));
        }
        place.messages = request.messages.len();
        place.answers += 1;
        let answer = self.paths.here(to_json(&exchange.answer));
        serde_json::from_value(answer).map_err(|error| error.to_string())
    }

    /// `value` as a recording would hold it.
    fn comparable<T: Serialize>(&self, value: &T) -> Value {
        self.paths.portable(self.redactor.value(to_json(value)))
    }
}

impl Provider for Replay {
    fn answer<'a>(&'a self, request: &'a Request<'a>, heard: Listener<'a>) -> Reply<'a> {
        Box::pin(async move {
            let answer = self.next(request).map_err(|message| ModelError::Script { message })?;
            for part in &answer.parts {
                match part {
                    Part::Text { text } => heard(Delta::Text(text)),
                    Part::Thinking { text, .. } => heard(Delta::Thinking(text)),
                    Part::Call(_) | Part::Opaque { .. } => {}
                }
            }
            Ok(answer)
        })
    }
}

impl Setting {
    fn of(request: &Request<'_>) -> Self {
        Self {
            system: request.system.to_owned(),
            tools: request.tools.to_vec(),
            sampling: request.sampling.clone(),
        }
    }
}

/// The agent, the same in every run.
fn label(request: &Request<'_>) -> String {
    format!("{}#{}", request.caller.agent_type, request.caller.ordinal)
}

/// What the agent said since it had `seen` messages. Answers are known; they are in the recording.
fn said_since(request: &Request<'_>, seen: usize) -> Vec<Message> {
    let new = request.messages.get(seen..).unwrap_or_default();
    let skip = usize::from(seen > 0 && matches!(new.first(), Some(Message::Assistant { .. })));
    new[skip..].to_vec()
}

/// Where two values part, in words.
fn difference(expected: &Value, found: &Value, at: &str) -> Option<String> {
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) => {
            let mut keys: Vec<&String> = a.keys().chain(b.keys()).collect();
            keys.sort();
            keys.dedup();
            keys.into_iter().find_map(|key| {
                let (a, b) = (a.get(key), b.get(key));
                difference(
                    a.unwrap_or(&Value::Null),
                    b.unwrap_or(&Value::Null),
                    &format!("{at}/{key}"),
                )
            })
        }
        (Value::Array(a), Value::Array(b)) => (0..a.len().max(b.len())).find_map(|index| {
            let (a, b) = (a.get(index), b.get(index));
            difference(
                a.unwrap_or(&Value::Null),
                b.unwrap_or(&Value::Null),
                &format!("{at}/{index}"),
            )
        }),
        (a, b) if a == b => None,
        (a, b) => Some(format!("`{at}` is {} and was {}", excerpt(b), excerpt(a))),
    }
}

fn excerpt(value: &Value) -> String {
    const LONGEST: usize = 200;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn to_json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn write_line(file: &mut dyn Write, value: &Value) -> io::Result<()> {
    writeln!(file, "{value}")?;
    file.flush()
}

/// The working directory in texts, made independent of where it is.
#[derive(Debug)]
struct Paths {
    cwd: String,
}

impl Paths {
    const STANDS_FOR_CWD: &str = "${cwd}";

    fn new(cwd: &Path) -> Self {
        Self { cwd: cwd.display().to_string() }
    }

    fn portable(&self, value: Value) -> Value {
        replaced(value, &self.cwd, Self::STANDS_FOR_CWD)
    }

    fn here(&self, value: Value) -> Value {
        replaced(value, Self::STANDS_FOR_CWD, &self.cwd)
    }
}

fn replaced(value: Value, from: &str, to: &str) -> Value {
    match value {
        // A working directory of `/` is in every path.
        Value::String(text) if from.len() > 1 && text.contains(from) => {
            Value::String(text.replace(from, to))
        }
        Value::Array(items) => items.into_iter().map(|item| replaced(item, from, to)).collect(),
        Value::Object(entries) => {
            entries.into_iter().map(|(key, value)| (key, replaced(value, from, to))).collect()
        }
        other => other,
    }
}
