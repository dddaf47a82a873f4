//! The tool names a host understands, and what each means here.

use super::{Fact, Outcome, unverified, verified};

/// A host's tool names.
#[derive(Debug)]
pub struct Vocabulary {
    /// Every name and alias.
    pub tools: &'static [HostTool],
    /// Whether `read` and `Read` are the same.
    pub case_sensitive: bool,
    /// Whether a bare `*` means every tool.
    pub star: bool,
    /// How a tool of an MCP server is written.
    pub mcp: McpSyntax,
    /// What the host does with a name it does not know.
    pub unknown: Fact,
    /// What a definition without a list of tools gets.
    pub absent: Grant,
    /// What an empty list gets.
    pub empty: Grant,
    /// What the host does when nothing of a list is left.
    pub none_left: Fact,
    /// Whether extensions, servers or the user can add names of any kind, so that a name which is
    /// not in the table may still be one.
    pub open: bool,
    /// Whether names that stand for the same tool here are the same tool to the host.
    pub aliases: bool,
    /// Whether it takes every host's spelling, so that no name tells it apart.
    pub every_host: bool,
    /// Whether names are patterns.
    pub globs: bool,
    /// How names start that the host finds at run time.
    pub prefixes: &'static [&'static str],
    /// Tools, by canonical name, that only files the user trusts are given.
    pub needs_trust: &'static [&'static str],
    /// Names whose argument the host does not heed in a sub-agent.
    pub argument_ignored: &'static [&'static str],
    /// Keys that add tools to whatever is listed.
    pub added_by: &'static [(&'static str, &'static [&'static str])],
}

/// A host's name for a tool.
#[derive(Debug)]
pub struct HostTool {
    /// The name in a file.
    pub name: &'static str,
    /// The tools it stands for; none if nothing here corresponds to it.
    pub canonical: &'static [&'static str],
    /// Whether a sub-agent can have it at all.
    pub for_subagents: bool,
    /// Whether the host only still understands it, and calls the tool something else.
    pub old: bool,
}

/// What an agent gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grant {
    /// Every tool of its caller.
    Everything,
    /// No tool.
    Nothing,
    /// Not known.
    Unknown,
}

/// How a host writes the name of an MCP tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpSyntax {
    /// Not at all.
    None,
    /// `mcp__server__tool`, `mcp__server`, `mcp__server__*`.
    DoubleUnderscore,
    /// `mcp_server_tool`, `mcp_server_*`; the server's name cannot contain `_`.
    SingleUnderscore,
    /// `server/tool`, `server/*`.
    Slash,
    /// `@server/tool`, `@server`.
    At,
    /// `server_tool`, `server_*`.
    Prefix,
}

/// What a name in a list of tools turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Known tools, by canonical name; empty if nothing here corresponds.
    Tools(&'static [&'static str]),
    /// All tools.
    Everything,
    /// Tools of an MCP server.
    Mcp {
        /// The server.
        server: String,
        /// The tool; `None` for all of them.
        tool: Option<String>,
    },
    /// Nothing this host knows.
    Unknown,
}

/// A tool sub-agents can have.
pub const fn t(name: &'static str, canonical: &'static [&'static str]) -> HostTool {
    HostTool { name, canonical, for_subagents: true, old: false }
}

/// A name that is still understood, and that nobody should be told to write.
pub const fn old(name: &'static str, canonical: &'static [&'static str]) -> HostTool {
    HostTool { name, canonical, for_subagents: true, old: true }
}

/// A tool sub-agents never get, whatever their file says.
pub const fn main_only(name: &'static str, canonical: &'static [&'static str]) -> HostTool {
    HostTool { name, canonical, for_subagents: false, old: false }
}

impl Vocabulary {
    /// A host that has no list of tools in its files.
    pub const NONE: Self = Self {
        tools: &[],
        case_sensitive: true,
        star: false,
        mcp: McpSyntax::None,
        unknown: verified(Outcome::Ignored),
        absent: Grant::Everything,
        empty: Grant::Unknown,
        none_left: unverified(Outcome::Ignored),
        open: false,
        aliases: false,
        every_host: false,
        globs: false,
        prefixes: &[],
        needs_trust: &[],
        argument_ignored: &[],
        added_by: &[],
    };

    /// What `written` means. An argument, as in `Bash(git:*)`, is left aside.
    pub fn meaning(&self, written: &str) -> Meaning {
        let name = written.split('(').next().unwrap_or(written).trim();
        if name == "*" && self.star {
            return Meaning::Everything;
        }
        if let Some(tool) = self.tool(name) {
            return Meaning::Tools(tool.canonical);
        }
        if self.prefixes.iter().any(|prefix| name.starts_with(prefix)) {
            return Meaning::Tools(&[]);
        }
        self.mcp.parse(name).unwrap_or(Meaning::Unknown)
    }

    /// The entry for `name`.
    pub fn tool(&self, name: &str) -> Option<&'static HostTool> {
        self.tools.iter().find(|tool| {
            tool.name == name || (!self.case_sensitive && tool.name.eq_ignore_ascii_case(name))
        })
    }
}

impl McpSyntax {
    /// The server and tool that `name` stands for; `None` if it is not written like this.
    pub fn parse(self, name: &str) -> Option<Meaning> {
        let (server, tool) = match self {
            Self::None | Self::Prefix => return None,
            Self::DoubleUnderscore => split(name.strip_prefix("mcp__")?, "__"),
            Self::SingleUnderscore => {
                let rest = name.strip_prefix("mcp_").filter(|rest| !rest.starts_with('_'))?;
                split(rest, "_")
            }
            Self::Slash => name.split_once('/').map(|(server, tool)| (server, Some(tool)))?,
            Self::At => split(name.strip_prefix('@')?, "/"),
        };
        let tool = tool.filter(|tool| *tool != "*").map(str::to_owned);
        // All tools of a server can be named at once, some of them by a pattern cannot: in
        // `mcp_my_server_*` the server is `my`, and no tool of it is called `server_*`.
        let pattern = tool.as_ref().is_some_and(|tool| tool.contains('*'));
        (!server.is_empty() && !pattern).then(|| Meaning::Mcp { server: server.to_owned(), tool })
    }

    /// How the tool of a server, or all of them, are written; `None` if they cannot be.
    pub fn spell(self, server: &str, tool: Option<&str>) -> Option<String> {
        let tool = tool.unwrap_or("*");
        match self {
            Self::None => None,
            Self::DoubleUnderscore => Some(format!("mcp__{server}__{tool}")),
            Self::SingleUnderscore if server.contains('_') && tool == "*" => None,
            Self::SingleUnderscore => Some(format!("mcp_{server}_{tool}")),
            Self::Slash => Some(format!("{server}/{tool}")),
            Self::At if tool == "*" => Some(format!("@{server}")),
            Self::At => Some(format!("@{server}/{tool}")),
            Self::Prefix => Some(format!("{server}_{tool}")),
        }
    }
}

fn split<'a>(text: &'a str, separator: &str) -> (&'a str, Option<&'a str>) {
    text.split_once(separator).map_or((text, None), |(server, tool)| (server, Some(tool)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mcp(server: &str, tool: Option<&str>) -> Option<Meaning> {
        Some(Meaning::Mcp { server: server.to_owned(), tool: tool.map(str::to_owned) })
    }

    #[test]
    fn mcp_names_are_told_apart_by_their_host_s_syntax() {
        assert_eq!(McpSyntax::DoubleUnderscore.parse("mcp__gh__issue"), mcp("gh", Some("issue")));
        assert_eq!(McpSyntax::DoubleUnderscore.parse("mcp__gh__*"), mcp("gh", None));
        assert_eq!(McpSyntax::DoubleUnderscore.parse("mcp__gh"), mcp("gh", None));
        assert_eq!(McpSyntax::SingleUnderscore.parse("mcp_gh_issue"), mcp("gh", Some("issue")));
        assert_eq!(McpSyntax::SingleUnderscore.parse("mcp__gh__issue"), None);
        assert_eq!(McpSyntax::SingleUnderscore.parse("mcp_gh_*"), mcp("gh", None));
        assert_eq!(McpSyntax::SingleUnderscore.parse("mcp_my_server_*"), None);
        assert_eq!(McpSyntax::Slash.parse("gh/*"), mcp("gh", None));
        assert_eq!(McpSyntax::At.parse("@gh/issue"), mcp("gh", Some("issue")));
    }
}
