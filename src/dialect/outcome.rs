//! What a host does with something it does not like, and how sure that is.

use serde::Serialize;

/// How well a fact about a host is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Reported by third parties, or inferred. Never grounds for an error.
    Unverified,
    /// Written in the host's documentation.
    Documented,
    /// Read in the host's source, or seen by running it.
    Verified,
}

/// What a host does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It does not mind.
    Accepted,
    /// It loads the agent and drops the key or value without a word.
    Ignored,
    /// It loads the agent and sends the key to the model provider.
    Forwarded,
    /// It loads the agent, but under the file's name and with every tool.
    Unrestricted,
    /// It does not load the agent and says nothing.
    Skipped,
    /// It does not load the agent and says so.
    Rejected,
    /// It does not start, or loads nothing of the whole file.
    HostFails,
    /// It loads the agent, which fails when it is run.
    FailsAtRun,
}

impl Outcome {
    /// Whether the agent is there afterwards.
    pub fn loads(self) -> bool {
        match self {
            Self::Accepted
            | Self::Ignored
            | Self::Forwarded
            | Self::Unrestricted
            | Self::FailsAtRun => true,
            Self::Skipped | Self::Rejected | Self::HostFails => false,
        }
    }

    /// The outcome as the end of a sentence that starts with the host's name.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Accepted => "accepts this",
            Self::Ignored => "ignores this without a message",
            Self::Forwarded => "sends this to the model provider as an option",
            Self::Unrestricted => "loads this agent under its file name with every tool",
            Self::Skipped => "skips this agent without a message",
            Self::Rejected => "rejects this agent",
            Self::HostFails => "does not start with this file",
            Self::FailsAtRun => "loads this agent and fails when it runs",
        }
    }
}

/// A fact about a host.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// What it does.
    pub outcome: Outcome,
    /// How sure that is.
    pub confidence: Confidence,
}

impl Fact {
    /// What `host` does, as a clause.
    pub fn sentence(self, host: &str) -> String {
        let sure = match self.confidence {
            Confidence::Unverified => " probably",
            Confidence::Documented | Confidence::Verified => "",
        };
        format!("{host}{sure} {}", self.outcome.sentence())
    }
}

/// Seen in the host's source or by running it.
pub const fn verified(outcome: Outcome) -> Fact {
    Fact { outcome, confidence: Confidence::Verified }
}

/// Written in the host's documentation.
pub const fn documented(outcome: Outcome) -> Fact {
    Fact { outcome, confidence: Confidence::Documented }
}

/// Nobody has confirmed it.
pub const fn unverified(outcome: Outcome) -> Fact {
    Fact { outcome, confidence: Confidence::Unverified }
}

/// What a host does with files that are not as it wants them.
#[derive(Clone, Copy, Debug)]
pub struct Failures {
    /// The text does not parse.
    pub malformed: Fact,
    /// `: ` in a value without quotes, where that is not like any other malformed text.
    pub unquoted_colon: Option<Fact>,
    /// A key that stands twice in the same map, where that is not like any other malformed text.
    pub duplicate_key: Option<Fact>,
    /// A fence that is not exactly `---`, where that is not like any other malformed text.
    pub fence: Option<Fact>,
    /// A closing fence like `----`, where that is not like any other wrong fence.
    pub long_closing_fence: Option<Fact>,
    /// A Markdown file without front matter.
    pub no_front_matter: Fact,
    /// A byte order mark before the front matter.
    pub byte_order_mark: Fact,
    /// White space before the front matter.
    pub leading_blank: Fact,
    /// A key the host insists on is not there.
    pub missing: Fact,
    /// A value of the wrong type, or outside of what is allowed.
    pub bad_value: Fact,
    /// A key the host does not know.
    pub unknown_key: Fact,
    /// A file below the folder where a host only reads the folder itself.
    pub too_deep: Fact,
}

impl Failures {
    /// A host that drops what it does not understand without a word, by its documentation.
    pub const QUIET: Self = Self {
        malformed: documented(Outcome::Skipped),
        unquoted_colon: None,
        duplicate_key: None,
        fence: Some(unverified(Outcome::Skipped)),
        long_closing_fence: None,
        no_front_matter: documented(Outcome::Skipped),
        byte_order_mark: unverified(Outcome::Accepted),
        leading_blank: unverified(Outcome::Skipped),
        missing: documented(Outcome::Skipped),
        bad_value: unverified(Outcome::Ignored),
        unknown_key: unverified(Outcome::Ignored),
        too_deep: documented(Outcome::Skipped),
    };

    /// A host that refuses what it does not understand and says so.
    pub const STRICT: Self = Self {
        malformed: verified(Outcome::Rejected),
        unquoted_colon: None,
        duplicate_key: None,
        fence: None,
        long_closing_fence: None,
        no_front_matter: verified(Outcome::Rejected),
        byte_order_mark: verified(Outcome::Rejected),
        leading_blank: verified(Outcome::Rejected),
        missing: verified(Outcome::Rejected),
        bad_value: verified(Outcome::Rejected),
        unknown_key: verified(Outcome::Rejected),
        too_deep: verified(Outcome::Skipped),
    };
}
