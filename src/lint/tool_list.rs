//! What the names in a definition's lists of tools turned out to be.
//!
//! Every name is of exactly one sort, so that exactly one rule speaks about it.

use super::AgentCx;
use crate::{
    dialect::{DIALECTS, HostTool, McpSyntax, Meaning, Vocabulary},
    model::canonical_tool,
    text::Spanned,
};

/// What a name turned out to be.
#[derive(Clone, Debug)]
pub(super) enum Sort {
    /// A tool of the host, or one it finds at run time.
    Tool(Option<&'static HostTool>),
    /// Every tool.
    Everything,
    /// Tools of an MCP server.
    Mcp {
        /// The server.
        server: String,
        /// The tool; `None` for all.
        tool: Option<String>,
    },
    /// A pattern that matches nothing here.
    Wildcard,
    /// Tools of an MCP server as another host writes them.
    McpElsewhere {
        /// The server.
        server: String,
        /// The tool; `None` for all.
        tool: Option<String>,
    },
    /// Something that belongs to a plug-in.
    Plugin,
    /// Nothing.
    Unknown,
}

/// A name and what it is.
#[derive(Clone, Debug)]
pub(super) struct Listed<'a> {
    /// The name as written.
    pub name: &'a Spanned<String>,
    /// What it is.
    pub sort: Sort,
}

/// Names that belong to another host.
#[derive(Clone, Debug)]
pub(super) struct Foreign<'a> {
    /// The host they belong to.
    pub host: &'static str,
    /// The names, each with what this host calls it; nothing if it has no such tool.
    pub names: Vec<(&'a Spanned<String>, Vec<&'static str>)>,
}

/// The tools a definition allows; none if the host does not know such a list.
pub(super) fn allowed<'a>(cx: &AgentCx<'a>) -> impl Iterator<Item = Listed<'a>> + use<'a> {
    sorted(cx, allowed_names(cx), |_| true)
}

/// Those of the allowed tools whose name is `likely` to be worth a look.
pub(super) fn allowed_if<'a>(
    cx: &AgentCx<'a>,
    likely: fn(&str) -> bool,
) -> impl Iterator<Item = Listed<'a>> + use<'a> {
    sorted(cx, allowed_names(cx), likely)
}

/// The tools a definition denies.
pub(super) fn denied<'a>(cx: &AgentCx<'a>) -> impl Iterator<Item = Listed<'a>> + use<'a> {
    sorted(cx, &cx.definition().tools.denied, |_| true)
}

fn allowed_names<'a>(cx: &AgentCx<'a>) -> &'a [Spanned<String>] {
    cx.definition().tools.allowed.names().unwrap_or_default()
}

/// Finding out what a name is takes a walk through the table, so it is done when it is asked for.
fn sorted<'a>(
    cx: &AgentCx<'_>,
    names: &'a [Spanned<String>],
    likely: fn(&str) -> bool,
) -> impl Iterator<Item = Listed<'a>> + use<'a> {
    let tools = cx.dialect().tools;
    let names = if tools.tools.is_empty() { &[] } else { names };
    names
        .iter()
        .filter(move |name| likely(&name.value))
        .map(|name| Listed { name, sort: sort(tools, &name.value) })
}

fn sort(tools: &'static Vocabulary, written: &str) -> Sort {
    let name = bare(written);
    match tools.meaning(written) {
        Meaning::Tools(_) => Sort::Tool(tools.tool(name)),
        Meaning::Everything => Sort::Everything,
        // A set of the host itself is not a server.
        Meaning::Mcp { server, tool: Some(_) } if is_tool_set(tools, &server) => Sort::Unknown,
        Meaning::Mcp { server, tool } => Sort::Mcp { server, tool },
        Meaning::Unknown if name.contains('*') && tools.globs => Sort::Tool(None),
        Meaning::Unknown => unknown(tools, name),
    }
}

fn unknown(tools: &'static Vocabulary, name: &str) -> Sort {
    let is_known = |word: &str| tools.meaning(word) != Meaning::Unknown;
    if let Some((server, tool)) = mcp_elsewhere(tools.mcp, name) {
        return Sort::McpElsewhere { server, tool };
    }
    if name.contains('*') {
        Sort::Wildcard
    } else if name.contains(char::is_whitespace) && name.split_whitespace().all(is_known) {
        // Names with blanks between: some hosts take that for a list.
        Sort::Tool(None)
    } else if name.contains(':') {
        Sort::Plugin
    } else {
        Sort::Unknown
    }
}

fn is_tool_set(tools: &Vocabulary, server: &str) -> bool {
    let inside = |tool: &HostTool| {
        tool.name.split_once('/').is_some_and(|(set, _)| set.eq_ignore_ascii_case(server))
    };
    tools.tools.iter().any(inside)
}

/// `name` as another host would write a tool of an MCP server.
fn mcp_elsewhere(own: McpSyntax, name: &str) -> Option<(String, Option<String>)> {
    if own == McpSyntax::None || belongs_to_a_host(name) {
        return None;
    }
    let syntaxes =
        [McpSyntax::DoubleUnderscore, McpSyntax::At, McpSyntax::Slash, McpSyntax::SingleUnderscore];
    let parsed =
        syntaxes.into_iter().filter(|syntax| *syntax != own).find_map(|syntax| {
            match syntax.parse(name)? {
                Meaning::Mcp { server, tool } if is_word(&server) => Some((server, tool)),
                _ => None,
            }
        });
    parsed.or_else(|| {
        let mut words = name.split(['-', '_', '.']);
        let says_so = words.any(|word| word.eq_ignore_ascii_case("mcp")) && is_word(name);
        (says_so && !name.starts_with("mcp_") && own != McpSyntax::Slash)
            .then(|| (name.to_owned(), None))
    })
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn belongs_to_a_host(name: &str) -> bool {
    DIALECTS.iter().any(|dialect| exact(dialect.tools, name).is_some())
}

fn exact(tools: &'static Vocabulary, name: &str) -> Option<&'static HostTool> {
    tools.tools.iter().find(|tool| tool.name == name)
}

/// A name without its argument: `Bash` of `Bash(git:*)`.
pub(super) fn bare(written: &str) -> &str {
    written.split('(').next().unwrap_or(written).trim()
}

/// The host whose names stand in the list of allowed tools by mistake, if there is one.
pub(super) fn foreign<'a>(cx: &AgentCx<'_>, allowed: &[Listed<'a>]) -> Option<Foreign<'a>> {
    let tools = cx.dialect().tools;
    let unknown: Vec<_> = allowed
        .iter()
        .filter(|listed| matches!(listed.sort, Sort::Unknown))
        .map(|listed| listed.name)
        .collect();
    if unknown.is_empty() {
        return None;
    }
    let (host, canonical) = most_likely_host(cx, &unknown)?;
    let names: Vec<_> = unknown
        .into_iter()
        .filter_map(|name| Some((name, translate(tools, canonical(bare(&name.value))?))))
        .collect();
    // A single name in the wrong case is a slip; so may be a single name where anyone can add
    // names of their own.
    let strange = |name: &Spanned<String>| near(tools, &name.value).is_none();
    let strangers = names.iter().filter(|(name, _)| strange(name)).count();
    let enough = if tools.open { strangers >= 2 } else { strangers >= 1 || names.len() >= 2 };
    enough.then_some(Foreign { host, names })
}

type Canonical = Box<dyn Fn(&str) -> Option<&'static [&'static str]>>;

fn most_likely_host(
    cx: &AgentCx<'_>,
    names: &[&Spanned<String>],
) -> Option<(&'static str, Canonical)> {
    // How many of the names a host knows, and how many of them by exactly this spelling.
    let known = |tools: &'static Vocabulary| {
        let mut count = (0, 0);
        for name in names.iter().map(|name| bare(&name.value)) {
            if tools.tool(name).is_some_and(|tool| !tool.canonical.is_empty()) {
                count.0 += 1;
                count.1 += usize::from(exact(tools, name).is_some());
            }
        }
        count
    };
    // What understands every host's names is nobody's own vocabulary.
    let others = DIALECTS
        .iter()
        .filter(|dialect| dialect.id != cx.dialect().id && !dialect.tools.every_host)
        .map(|dialect| (known(dialect.tools), *dialect))
        .filter(|(count, _)| count.0 > 0);
    let best = others.reduce(|best, next| if next.0 > best.0 { next } else { best });
    if let Some((_, dialect)) = best {
        let tools = dialect.tools;
        return Some((dialect.host, Box::new(|name| Some(tools.tool(name)?.canonical))));
    }
    let ours = names.iter().any(|name| canonical_tool(bare(&name.value)).is_some());
    ours.then(|| -> (&'static str, Canonical) {
        (
            "agentctl",
            Box::new(|name| canonical_tool(name).map(|tool| std::slice::from_ref(&tool.name))),
        )
    })
}

/// What a host calls these tools.
pub(super) fn translate(tools: &'static Vocabulary, canonical: &[&str]) -> Vec<&'static str> {
    let usable = || tools.tools.iter().filter(|tool| !tool.old && tool.for_subagents);
    let mut names = Vec::new();
    for wanted in canonical {
        // Tables start with the names that a host prefers.
        let name = usable().find(|tool| tool.canonical.contains(wanted));
        names.extend(name.map(|tool| tool.name).filter(|name| !names.contains(name)));
    }
    names
}

/// The host's tool that `written` is a slip of the pen for.
pub(super) fn near(tools: &'static Vocabulary, written: &str) -> Option<&'static str> {
    let current = tools.tools.iter().filter(|tool| !tool.old).map(|tool| tool.name);
    let all = tools.tools.iter().map(|tool| tool.name);
    near_miss(bare(written), current)
        .or_else(|| near_miss(bare(written), all).filter(|_| tools.open))
}

/// The candidate that `written` differs from in case and separators only, or by a typo.
pub(super) fn near_miss<'a>(
    written: &str,
    candidates: impl Iterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    let folded = fold(written);
    candidates.clone().find(|candidate| fold(candidate) == folded).or_else(|| {
        let typo = |candidate: &&str| is_typo(&folded, &fold(candidate));
        candidates.into_iter().find(typo)
    })
}

/// `written` without case and separators.
pub(super) fn fold(written: &str) -> String {
    let letters = written.chars().filter(|c| !matches!(c, '-' | '_' | ' ' | '.'));
    letters.flat_map(char::to_lowercase).collect()
}

fn is_typo(written: &str, candidate: &str) -> bool {
    let longest = written.len().max(candidate.len());
    let slips = match written.len().min(candidate.len()) {
        0..4 => return false,
        4..8 => 1,
        _ => 2,
    };
    // Cheap before exact: most candidates are of another length.
    longest - written.len().min(candidate.len()) <= slips
        && strsim::damerau_levenshtein(written, candidate) <= slips
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_is_a_slip_or_two_and_a_short_word_is_another_word() {
        let near = |name| near_miss(name, ["Read", "WebSearch", "Task", "Bash"].into_iter());
        assert_eq!(near("Raed"), Some("Read"));
        assert_eq!(near("web_search"), Some("WebSearch"));
        assert_eq!(near("WebSerch"), Some("WebSearch"));
        assert_eq!(near("LS"), None);
        assert_eq!(near("terminalCommand"), None);
    }
}
