//! The vocabulary in which a dialect's fields are written down.

use crate::{
    dialect::{Confidence, Outcome},
    document::{Node, Value},
};

/// One key of a dialect.
#[derive(Debug)]
pub struct Field {
    /// The key as written in a file.
    pub key: &'static str,
    /// What it may hold.
    pub kind: Kind,
    /// Where the value goes in a definition.
    pub slot: Slot,
    /// Whether the host insists on it.
    pub required: bool,
    /// What the host assumes without it, in words.
    pub default: Option<&'static str>,
    /// One line for people.
    pub doc: &'static str,
    /// What the host does with the key.
    pub effect: FieldEffect,
    /// What the host does with a value it does not accept, where that is not its usual way.
    pub on_bad_value: Option<Outcome>,
    /// How sure all of this is.
    pub confidence: Confidence,
}

/// What a host does with a key it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldEffect {
    /// Obeys it.
    Applied,
    /// Reads it and does nothing; the reason or the consequence.
    Ignored(&'static str),
    /// Obeys it, and wants something else instead.
    Deprecated(&'static str),
}

/// What a key may hold.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Text.
    Text,
    /// Text that is a name, by these rules.
    Name(&'static NameRule),
    /// Any scalar.
    Scalar,
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Integer {
        /// The least the host accepts.
        min: i64,
        /// The most the host accepts.
        max: i64,
    },
    /// A number.
    Number {
        /// The least that makes sense.
        min: f64,
        /// The most that makes sense.
        max: f64,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Names in a list.
    Names(Shape),
    /// A list.
    List(&'static Kind),
    /// A map with these keys.
    Table(&'static [Field]),
    /// A map with these keys and perhaps others, of which the host does this.
    OpenTable(&'static [Field], Outcome),
    /// A map from any key.
    MapOf(&'static Kind),
    /// One of several kinds.
    AnyOf(&'static [Kind]),
    /// A JSON Schema.
    Schema,
    /// Anything.
    Any,
}

/// How a list of names may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `[a, b]` only.
    List,
    /// `[a, b]` or `a, b`.
    ListOrCsv,
    /// `[a, b]` or `a`.
    ListOrOne,
}

/// What a name must look like.
#[derive(Debug)]
pub struct NameRule {
    /// The rule in words, after "must be".
    pub must_be: &'static str,
    /// The same as a regular expression for editors.
    pub pattern: &'static str,
    /// The same as code.
    pub accepts: fn(&str) -> bool,
}

/// A rule that several hosts have.
pub(super) static LOWERCASE: NameRule = NameRule {
    must_be: "lowercase letters, digits, `-` and `_` only",
    pattern: "^[a-z0-9_-]+$",
    accepts: |name| {
        let allowed =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
        !name.is_empty() && name.chars().all(allowed)
    },
};

/// Where a value goes in a [`Definition`](crate::model::Definition).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Nowhere: the host knows the key, the definition has no place for it.
    None,
    Name,
    DisplayName,
    Description,
    Tools,
    DeniedTools,
    /// A map from tool to `true` or `false`.
    ToolSwitches,
    /// A map from tool to `allow`, `ask` or `deny`.
    Permissions,
    /// Docker Agent's list of toolsets.
    Toolsets,
    Model,
    Effort,
    Temperature,
    TopP,
    ThinkingBudget,
    SystemPrompt,
    Query,
    InitialMessages,
    MaxTurns,
    MaxSeconds,
    MaxMinutes,
    GraceSeconds,
    MaxTokens,
    /// A map from name to input.
    Inputs,
    /// A list of inputs.
    Parameters,
    OutputName,
    OutputDescription,
    OutputSchema,
    ForkContext,
    Background,
    ReadOnly,
    ExecutionMode,
    ApprovalMode,
    Sandbox,
    BaseDir,
    DisabledFeatures,
    ClaimedSource,
    Personas,
    Agents,
    Skills,
    McpServers,
}

impl Field {
    /// An optional key that the host obeys, known from its documentation.
    pub const fn new(key: &'static str, kind: Kind, slot: Slot, doc: &'static str) -> Self {
        Self {
            key,
            kind,
            slot,
            required: false,
            default: None,
            doc,
            effect: FieldEffect::Applied,
            on_bad_value: None,
            confidence: Confidence::Documented,
        }
    }

    /// A text.
    pub const fn text(key: &'static str, slot: Slot, doc: &'static str) -> Self {
        Self::new(key, Kind::Text, slot, doc)
    }

    /// A flag.
    pub const fn flag(key: &'static str, slot: Slot, doc: &'static str) -> Self {
        Self::new(key, Kind::Flag, slot, doc)
    }

    /// One of some words.
    pub const fn choice(
        key: &'static str,
        words: &'static [&'static str],
        slot: Slot,
        doc: &'static str,
    ) -> Self {
        Self::new(key, Kind::Choice(words), slot, doc)
    }

    /// A whole number greater than zero.
    pub const fn count(key: &'static str, slot: Slot, doc: &'static str) -> Self {
        Self::new(key, Kind::Integer { min: 1, max: i64::MAX }, slot, doc)
    }

    /// A key the host insists on.
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// What the host assumes without it.
    pub const fn default(mut self, words: &'static str) -> Self {
        self.default = Some(words);
        self
    }

    /// A key the host reads and does nothing with.
    pub const fn ignored(mut self, why: &'static str) -> Self {
        self.effect = FieldEffect::Ignored(why);
        self
    }

    /// A key the host wants replaced.
    pub const fn deprecated(mut self, instead: &'static str) -> Self {
        self.effect = FieldEffect::Deprecated(instead);
        self
    }

    /// What a bad value does here.
    pub const fn on_bad_value(mut self, outcome: Outcome) -> Self {
        self.on_bad_value = Some(outcome);
        self
    }

    /// A fact seen in the host's source or by running it.
    pub const fn verified(mut self) -> Self {
        self.confidence = Confidence::Verified;
        self
    }

    /// A fact nobody has confirmed.
    pub const fn unverified(mut self) -> Self {
        self.confidence = Confidence::Unverified;
        self
    }
}

/// Why a value is not of its kind. The message reads after "`key` must be".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What was wanted.
    pub wanted: String,
    /// Keys and indexes from the value to the part that is wrong.
    pub place: Vec<Step>,
    /// Whether the type is right and only the value is not.
    pub value_only: bool,
}

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the value of a key.
    Key(String),
    /// To an item.
    Item(usize),
}

impl Kind {
    /// What it is called in messages.
    pub fn name(&self) -> String {
        match self {
            Self::Text | Self::Name(_) => "a string".to_owned(),
            Self::Scalar => "a single value".to_owned(),
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Integer { min: 1, max: i64::MAX } => "a whole number above zero".to_owned(),
            Self::Integer { min: i64::MIN, .. } => "a whole number".to_owned(),
            Self::Integer { min, max: i64::MAX } => format!("a whole number from {min}"),
            Self::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Self::Number { min, max } if min.is_finite() && max.is_finite() => {
                format!("a number from {min} to {max}")
            }
            Self::Number { .. } => "a number".to_owned(),
            Self::Choice(words) => {
                let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
                if words.len() == 1 {
                    words.concat()
                } else {
                    format!("one of {}", words.join(", "))
                }
            }
            Self::Names(Shape::List) => "a list of names".to_owned(),
            Self::Names(Shape::ListOrCsv) => {
                "a list of names, or names with commas between".to_owned()
            }
            Self::Names(Shape::ListOrOne) => "a name or a list of names".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Table(_) | Self::OpenTable(..) | Self::MapOf(_) => "a map".to_owned(),
            Self::AnyOf(kinds) => kinds.iter().map(Self::name).collect::<Vec<_>>().join(" or "),
            Self::Schema => "a JSON Schema".to_owned(),
            Self::Any => "anything".to_owned(),
        }
    }

    /// Whether `node` is of this kind. The keys of tables are not looked at: each is checked as
    /// the field it is.
    pub fn check(&self, node: &Node) -> Result<(), Mismatch> {
        let fits = |fits: bool| if fits { Ok(()) } else { Err(self.mismatch()) };
        match (self, &node.value) {
            (Self::Any, _) => Ok(()),
            (Self::Text, value) => fits(matches!(value, Value::Text(_))),
            (Self::Name(rule), Value::Text(text)) => {
                let wanted = || Mismatch::value(rule.must_be.to_owned());
                if (rule.accepts)(text) { Ok(()) } else { Err(wanted()) }
            }
            (Self::Scalar, _) => fits(node.scalar_text().is_some()),
            (Self::Flag, value) => fits(matches!(value, Value::Bool(_))),
            (Self::Integer { min, max }, Value::Integer(number)) => {
                if (min..=max).contains(&number) {
                    Ok(())
                } else {
                    Err(Mismatch::value(self.name()))
                }
            }
            (Self::Number { min, max }, _) => match node.as_number() {
                Some(number) if *min <= number && number <= *max => Ok(()),
                Some(_) => Err(Mismatch::value(self.name())),
                None => Err(self.mismatch()),
            },
            (Self::Choice(words), _) => match node.scalar_text() {
                Some(text) if words.contains(&text.as_str()) => Ok(()),
                Some(_) => Err(Mismatch::value(self.name())),
                None => Err(self.mismatch()),
            },
            (Self::Names(shape), Value::Text(text)) => fits(match shape {
                Shape::List => false,
                Shape::ListOrCsv => true,
                Shape::ListOrOne => !text.contains(','),
            }),
            (Self::Names(_), Value::List(items)) => items
                .iter()
                .enumerate()
                .find(|(_, item)| item.scalar_text().is_none())
                .map_or(Ok(()), |(index, _)| Err(Mismatch::below(Step::Item(index), "a name"))),
            (Self::List(kind), Value::List(items)) => {
                items.iter().enumerate().try_for_each(|(index, item)| {
                    kind.check(item).map_err(|mismatch| mismatch.under(Step::Item(index)))
                })
            }
            (Self::MapOf(kind), Value::Map(map)) => map.entries.iter().try_for_each(|entry| {
                let step = || Step::Key(entry.key.value.clone());
                kind.check(&entry.value).map_err(|mismatch| mismatch.under(step()))
            }),
            (Self::Table(_) | Self::OpenTable(..), Value::Map(_)) => Ok(()),
            (Self::Schema, value) => fits(matches!(value, Value::Map(_) | Value::Bool(_))),
            (Self::AnyOf(kinds), _) => {
                let mut best: Option<Mismatch> = None;
                for kind in *kinds {
                    match kind.check(node) {
                        Ok(()) => return Ok(()),
                        // The branches whose type fits say best what is wrong.
                        Err(other) if other.value_only || !other.place.is_empty() => {
                            best = Some(best.map_or_else(|| other.clone(), |best| best.or(&other)));
                        }
                        Err(_) => {}
                    }
                }
                Err(best.unwrap_or_else(|| self.mismatch()))
            }
            _ => Err(self.mismatch()),
        }
    }

    fn mismatch(&self) -> Mismatch {
        Mismatch { wanted: self.name(), place: Vec::new(), value_only: false }
    }
}

impl Mismatch {
    fn value(wanted: String) -> Self {
        Self { wanted, place: Vec::new(), value_only: true }
    }

    fn below(step: Step, wanted: &str) -> Self {
        Self { wanted: wanted.to_owned(), place: vec![step], value_only: false }
    }

    fn under(mut self, step: Step) -> Self {
        self.place.insert(0, step);
        self
    }

    /// What fits neither: both wishes if they are about the same part, the later one if not.
    fn or(self, other: &Self) -> Self {
        if self.place != other.place || self.value_only != other.value_only {
            return other.clone();
        }
        Self { wanted: format!("{} or {}", self.wanted, other.wanted), ..self }
    }

    /// The key of the part that is wrong, where `path` is the key of the whole.
    pub fn path(&self, path: &str) -> String {
        self.place.iter().fold(path.to_owned(), |path, step| match step {
            Step::Key(key) => format!("{path}.{key}"),
            Step::Item(index) => format!("{path}[{index}]"),
        })
    }

    /// The part of `node` that is wrong.
    pub fn find<'a>(&self, node: &'a Node) -> &'a Node {
        self.place.iter().fold(node, |node, step| {
            let next = match step {
                Step::Key(key) => node.as_map().and_then(|map| map.get(key)),
                Step::Item(index) => node.as_list().and_then(|items| items.get(*index)),
            };
            next.unwrap_or(node)
        })
    }
}
