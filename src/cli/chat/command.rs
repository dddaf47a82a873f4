//! What is said to agentctl and not to the agent: lines that begin with a slash.

use std::sync::Arc;

use crate::{
    session::{Member, Mode, ModeKind, Session},
    text::one_line,
};

/// What the commands are, and what they do.
const COMMANDS: &[(&str, &str)] = &[
    ("/help", "this list"),
    ("/mode plan|pair_programming|execute", "how the agent works from its next turn on"),
    ("/agents", "the agents of this conversation and what they are doing"),
    ("/close ID", "closes an agent and those it started"),
    ("/quit", "leaves, as Ctrl-D does"),
];

/// The longest label in a list.
const MAX_NOTE: usize = 50;

/// How much of a thread's name is shown.
const SHORT: usize = 13;

/// What is said to agentctl.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Help,
    Mode(Option<ModeKind>),
    Agents,
    Close(String),
    Quit,
}

impl Command {
    /// The command in `text`, if it is one; or why it is none although it looks like one.
    pub fn parse(text: &str) -> Option<Result<Self, String>> {
        let mut words = text.strip_prefix('/')?.split_whitespace();
        let name = words.next().unwrap_or_default();
        // A path is something to talk about.
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '?')) {
            return None;
        }
        let argument = words.next();
        Some(match (name, argument, words.next()) {
            ("help" | "?", None, _) => Ok(Self::Help),
            ("agents", None, _) => Ok(Self::Agents),
            ("quit" | "exit", None, _) => Ok(Self::Quit),
            ("close", Some(id), None) => Ok(Self::Close(id.to_owned())),
            ("mode", None, _) => Ok(Self::Mode(None)),
            ("mode", Some(mode), None) => mode_called(mode).map(|mode| Self::Mode(Some(mode))),
            _ => Err(format!("there is no command `{}`\n{}", one_line(text), help())),
        })
    }

    /// Does it; what to show for it. Leaving is up to whoever asked.
    pub async fn carry_out(self, session: &Session) -> Result<String, String> {
        match self {
            Self::Help => Ok(help()),
            Self::Mode(None) => Ok(session.mode().map_or_else(
                || "no mode: the agent works as its definition says".to_owned(),
                |mode| format!("mode: {}", mode.mode.name()),
            )),
            Self::Mode(Some(kind)) => {
                session.set_mode(Mode::plain(kind)).map_err(|error| error.to_string())?;
                Ok(format!("mode: {}, from the next turn on", kind.name()))
            }
            Self::Agents => Ok(tree(session)),
            Self::Close(id) => close(session, &id).await,
            Self::Quit => Ok(String::new()),
        }
    }
}

/// The mode called `name`.
pub(super) fn mode_called(name: &str) -> Result<ModeKind, String> {
    let kind = ModeKind::parse(name).filter(|kind| *kind != ModeKind::Custom);
    kind.ok_or_else(|| {
        format!("there is no mode `{}`: it is plan, pair_programming or execute", one_line(name))
    })
}

fn help() -> String {
    let lines: Vec<_> =
        COMMANDS.iter().map(|(name, what)| format!("  {name:<37} {what}")).collect();
    lines.join("\n")
}

/// Every agent below the one that started it.
fn tree(session: &Session) -> String {
    let Ok(main) = session.main() else { return String::new() };
    let mut lines = Vec::new();
    let mut next = vec![main];
    while let Some(member) = next.pop() {
        lines.push(described(&member));
        next.extend(session.children(&member).into_iter().rev());
    }
    lines.join("\n")
}

fn described(member: &Member) -> String {
    let indent = "  ".repeat(member.depth as usize);
    let name = if member.index == 0 { member.me.agent_type.clone() } else { member.name() };
    let (state, id) = (member.state(), member.id());
    let mut line = format!(
        "{indent}{}  {}  {}  {} tokens",
        one_line(&name),
        id.get(..SHORT).unwrap_or(id),
        state.status(),
        state.life.tokens()
    );
    // A label that nobody chose says nothing that the name does not.
    if let Some(note) = member.note().filter(|note| !note.starts_with("agent_type=")) {
        let note: String = one_line(&note).chars().take(MAX_NOTE).collect();
        line.push_str(&format!("  {note}"));
    }
    line
}

async fn close(session: &Session, id: &str) -> Result<String, String> {
    let member = session.find(id).map_err(|error| error.to_string())?;
    if member.index == 0 {
        return Err("that is the agent you are talking to; `/quit` leaves".to_owned());
    }
    let closed: Vec<Arc<Member>> = session.close(&member, None).await;
    if closed.is_empty() {
        return Ok(format!("{} was closed before", one_line(&member.name())));
    }
    let names: Vec<_> = closed.iter().map(|member| one_line(&member.name())).collect();
    Ok(format!("closed {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_what_is_said_to_the_agent() {
        assert_eq!(Command::parse("/agents"), Some(Ok(Command::Agents)));
        assert_eq!(Command::parse("/close worker#1"), Some(Ok(Command::Close("worker#1".into()))));
        assert_eq!(Command::parse("/mode plan"), Some(Ok(Command::Mode(Some(ModeKind::Plan)))));
        for text in ["help", " /help", "/usr/bin/env is missing", "a /quit"] {
            assert_eq!(Command::parse(text), None, "{text}");
        }
        for text in ["/", "/nope", "/close", "/close a b", "/mode dream", "/mode custom", "/quit 1"]
        {
            assert!(matches!(Command::parse(text), Some(Err(_))), "{text}");
        }
    }
}
