//! `[tui]`: what people at a terminal get to see.

use schemars::JsonSchema;
use serde::Deserialize;

use super::patterns::BadValue;

/// What `[tui]` may say.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TuiOptions {
    /// What the terminal is to call attention to while someone waits in another window: everything
    /// (`true`, or without it), nothing (`false`), or a list of `sub-agent-complete`.
    pub notifications: Option<NotificationOptions>,
}

/// What `notifications` may say.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum NotificationOptions {
    /// Everything or nothing.
    All(bool),
    /// Only these.
    Only(#[schemars(with = "Vec<Notification>")] Vec<String>),
}

/// What a terminal can call attention to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum Notification {
    /// An agent that was waited for has ended.
    SubAgentComplete,
}

impl Notification {
    /// Every one with its name.
    pub const ALL: &[(&str, Self)] = &[("sub-agent-complete", Self::SubAgentComplete)];
}

/// `[tui]`, resolved.
#[derive(Clone, Debug, Default)]
pub struct TuiSettings {
    /// What to call attention to; everything if nobody said.
    notifications: Option<Vec<Notification>>,
}

impl TuiSettings {
    pub(super) fn resolve(options: TuiOptions) -> Result<Self, BadValue> {
        let notifications = match options.notifications {
            None => None,
            Some(NotificationOptions::All(true)) => {
                Some(Notification::ALL.iter().map(|(_, what)| *what).collect())
            }
            Some(NotificationOptions::All(false)) => Some(Vec::new()),
            Some(NotificationOptions::Only(names)) => {
                let known: Result<_, _> = names.into_iter().map(notification).collect();
                Some(known?)
            }
        };
        Ok(Self { notifications })
    }

    pub(super) fn over(self, lower: Self) -> Self {
        Self { notifications: self.notifications.or(lower.notifications) }
    }

    /// Whether the terminal is to call attention to `what`.
    pub fn notifies(&self, what: Notification) -> bool {
        self.notifications.as_ref().is_none_or(|wanted| wanted.contains(&what))
    }
}

fn notification(name: String) -> Result<Notification, BadValue> {
    let found = Notification::ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, what)| *what).ok_or_else(|| {
        let known: Vec<_> = Notification::ALL.iter().map(|(name, _)| format!("`{name}`")).collect();
        let message =
            format!("there is no notification called `{name}`; there is {}", known.join(", "));
        BadValue { written: name, message }
    })
}
