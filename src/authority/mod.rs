//! The tool filter: which tools an agent really gets when agentctl runs it, and why each was granted
//! or denied.
//!
//! Pure: what the caller has, where the agent stands in the tree and whether its file is trusted
//! are handed in. Names are canonical; what a host's spelling means is asked of its dialect.

mod trust;

pub use trust::{Fingerprint, Trust, TrustedFile, fingerprint};

use serde::Serialize;

use crate::{
    catalog::{Entry, Origin},
    dialect::{Grant, Meaning},
    model::{Access, CANONICAL_TOOLS, Effect, canonical_tool},
    text::Spanned,
};

/// Tools no sub-agent gets: they belong to the main agent.
pub const MAIN_AGENT_ONLY: &[&str] = &["Task", "TaskOutput", "TodoWrite"];

/// Tools that only built-in agents and trusted files get.
pub const NEEDS_TRUST: &[&str] = &["apply_patch", "exec_command", "shell", "write_file"];

/// Tools an agent in the background may use: none of them waits for a person.
pub const BACKGROUND_SAFE: &[&str] = &[
    "apply_patch",
    "glob_files",
    "grep_files",
    "read_file",
    "shell",
    "skill",
    "web_fetch",
    "web_search",
];

/// Tools for starting agents and talking to them.
pub const COLLABORATION: &[&str] = &[
    "close_agent",
    "collaboration.close",
    "collaboration.get_state",
    "collaboration.init_agent",
    "collaboration.send",
    "collaboration.wait",
    "list_active_agents",
    "list_agents",
    "resume_agent",
    "send_input",
    "set_thread_note",
    "spawn_agent",
    "wait",
];

/// How the names of those begin that address agents by their numbers. One vocabulary is enough for
/// an agent that asks for none.
const BY_NUMBER: &str = "collaboration.";

/// The tool with which an agent hands in its result. Every agent has it.
pub const COMPLETE_TASK: &str = "complete_task";

/// How far below the main agent agents may start agents, unless settings say otherwise.
pub const MAX_DEPTH: usize = 2;

/// How an agent is run.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// What its caller has; `None` for everything there is.
    pub caller: Option<&'a [&'a str]>,
    /// Where it stands.
    pub position: Position,
    /// Whether it runs in the background.
    pub background: bool,
    /// Whether the user trusts its file as it is.
    pub trusted: bool,
}

/// Where an agent stands in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// It is the main agent.
    Main,
    /// It is the main agent, and talks with a person.
    Host,
    /// It was started by another.
    Below {
        /// How far below the main agent.
        depth: usize,
        /// How far below agents may still start agents.
        max_depth: usize,
    },
}

/// What decided about a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Tier 0: what can run in the background.
    Background,
    /// Tier 1: what no sub-agent gets.
    SubAgent,
    /// Tier 2: what the definition forbids.
    Denied,
    /// Tier 3: what only built-in and trusted agents get.
    Trust,
    /// Tier 4: what the definition allows.
    Allowed,
    /// What the caller has.
    Caller,
}

/// What became of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The tool.
    pub tool: &'static str,
    /// Whether the agent gets it.
    pub granted: bool,
    /// What decided.
    pub tier: Tier,
    /// Why, in a clause.
    pub reason: String,
}

/// Decides about every tool there is, in the order of their names.
pub fn authority(entry: &Entry, circumstances: &Circumstances<'_>) -> Vec<Verdict> {
    let lists = Lists::of(entry);
    CANONICAL_TOOLS.iter().map(|tool| decide(entry, &lists, circumstances, tool.name)).collect()
}

/// The tools that are granted.
pub fn granted(verdicts: &[Verdict]) -> impl Iterator<Item = &'static str> {
    verdicts.iter().filter(|verdict| verdict.granted).map(|verdict| verdict.tool)
}

fn decide(
    entry: &Entry,
    lists: &Lists<'_>,
    circumstances: &Circumstances<'_>,
    tool: &'static str,
) -> Verdict {
    let verdict = |granted: bool, tier: Tier, reason: &str| Verdict {
        tool,
        granted,
        tier,
        reason: reason.to_owned(),
    };
    let denied = |tier: Tier, reason: &str| verdict(false, tier, reason);
    if tool == COMPLETE_TASK {
        return verdict(true, Tier::Allowed, "every agent hands in its result with it");
    }
    if circumstances.background && !BACKGROUND_SAFE.contains(&tool) {
        return denied(Tier::Background, "agents in the background do not get it");
    }
    let below = matches!(circumstances.position, Position::Below { .. });
    if below && MAIN_AGENT_ONLY.contains(&tool) {
        return denied(Tier::SubAgent, "sub-agents do not get it");
    }
    if let Some(written) = lists.denied(tool) {
        return denied(Tier::Denied, &format!("`{written}` is forbidden by the definition"));
    }
    let is_read_only = entry.definition.behaviour.read_only.is_some_and(|flag| flag.value);
    let changes = canonical_tool(tool).is_some_and(|tool| tool.effect == Effect::Write);
    if is_read_only && changes {
        return denied(Tier::Denied, "the definition is read-only");
    }
    let is_trusted = entry.origin == Origin::Builtin || circumstances.trusted;
    if NEEDS_TRUST.contains(&tool) && !is_trusted {
        return denied(Tier::Trust, "its file is not trusted: `agentctl trust add` trusts it");
    }
    let allowed = match lists.allowed(tool) {
        Err(reason) => return denied(Tier::Allowed, reason),
        Ok(allowed) => allowed,
    };
    if COLLABORATION.contains(&tool)
        && let Some(reason) = no_collaboration(circumstances.position, &allowed, tool)
    {
        return denied(Tier::Allowed, reason);
    }
    if circumstances.caller.is_some_and(|caller| !caller.contains(&tool)) {
        return denied(Tier::Caller, "its caller does not have it");
    }
    let reason = match allowed {
        Allowed::Listed(written) | Allowed::WithAll(written) => {
            format!("`{written}` is allowed by the definition")
        }
        Allowed::Unsaid => "the definition does not restrict it".to_owned(),
    };
    verdict(true, Tier::Allowed, &reason)
}

/// Why an agent there cannot start others in this way, if it cannot.
fn no_collaboration(position: Position, allowed: &Allowed<'_>, tool: &str) -> Option<&'static str> {
    match (position, allowed) {
        (Position::Host, Allowed::Unsaid | Allowed::WithAll(_)) if !tool.starts_with(BY_NUMBER) => {
            None
        }
        (_, Allowed::Unsaid | Allowed::WithAll(_)) => {
            Some("an agent gets it only if its definition lists it")
        }
        (Position::Below { depth, max_depth }, Allowed::Listed(_)) if depth >= max_depth => {
            Some("it is too deep in the tree")
        }
        (_, Allowed::Listed(_)) => None,
    }
}

/// How a tool is allowed.
enum Allowed<'a> {
    /// By this name.
    Listed(&'a str),
    /// By this name, which stands for everything.
    WithAll(&'a str),
    /// By nothing being said.
    Unsaid,
}

/// The lists of a definition, by what the names mean.
struct Lists<'a> {
    allowed: Result<Vec<(&'a str, Meaning)>, Grant>,
    denied: Vec<(&'a str, Meaning)>,
}

impl<'a> Lists<'a> {
    fn of(entry: &'a Entry) -> Self {
        let vocabulary = entry.dialect.tools;
        let meant = |names: &'a [Spanned<String>]| {
            names
                .iter()
                .map(|name| (name.value.as_str(), vocabulary.meaning(&name.value)))
                .collect()
        };
        let tools = &entry.definition.tools;
        let allowed = match &tools.allowed {
            Access::Unsaid => Err(vocabulary.absent),
            Access::Listed(names) => Ok(meant(&names.value)),
        };
        Self { allowed, denied: meant(&tools.denied) }
    }

    /// The name by which `tool` is forbidden.
    fn denied(&self, tool: &str) -> Option<&'a str> {
        self.denied.iter().find(|(_, meaning)| covers(meaning, tool)).map(|(name, _)| *name)
    }

    /// How `tool` is allowed, or why it is not. Where it is not known what saying nothing means,
    /// nothing is allowed.
    fn allowed(&self, tool: &str) -> Result<Allowed<'a>, &'static str> {
        match &self.allowed {
            Err(Grant::Everything) => Ok(Allowed::Unsaid),
            Err(Grant::Nothing | Grant::Unknown) => Err("the definition allows nothing"),
            Ok(list) => list
                .iter()
                .find(|(_, meaning)| covers(meaning, tool))
                .map(|(name, meaning)| match meaning {
                    Meaning::Everything => Allowed::WithAll(name),
                    _ => Allowed::Listed(name),
                })
                .ok_or("it is not in the definition's list"),
        }
    }
}

fn covers(meaning: &Meaning, tool: &str) -> bool {
    match meaning {
        Meaning::Tools(tools) => tools.contains(&tool),
        Meaning::Everything => true,
        Meaning::Mcp { .. } | Meaning::Unknown => false,
    }
}

#[cfg(test)]
mod tests;
