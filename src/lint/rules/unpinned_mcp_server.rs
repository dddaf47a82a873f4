//! `unpinned-mcp-server`.

use crate::{
    document::{Map, Node, Value},
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports MCP servers that a definition starts with `npx`, `uvx`, `bunx`, `pnpm dlx`,
    /// `docker run` or the like, without saying which version.
    ///
    /// ## Why is this bad?
    /// Each start downloads and runs whatever was published last, with the rights of whoever
    /// started the agent. A release that was taken over runs at once.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/browser.md"
    /// ---
    /// name: browser
    /// description: Tries out web pages.
    /// mcpServers:
    ///   - pages:
    ///       command: npx
    ///       args: ["-y", "@acme/page-server@latest"]
    /// ---
    /// You try out web pages.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/browser.md"
    /// ---
    /// name: browser
    /// description: Tries out web pages.
    /// mcpServers:
    ///   - pages:
    ///       command: npx
    ///       args: ["-y", "@acme/page-server@2.4.1"]
    /// ---
    /// You try out web pages.
    /// ```
    pub(super) static UNPINNED_MCP_SERVER = {
        name: "unpinned-mcp-server",
        summary: "starts an MCP server in whatever version is newest",
        level: Level::Warning,
        check: Check::Agent(check),
    }
}

/// Keys below which servers stand.
const SERVERS: &[&str] = &["mcpServers", "mcp_servers", "mcp-servers", "extensions", "toolsets"];

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    // Codex and the like may have more in the file than this definition.
    for field in &cx.definition().fields {
        if !SERVERS.contains(&field.path.as_str()) {
            continue;
        }
        if let Some(node) = node_at(&cx.document.root, field.value) {
            visit(cx, findings, node);
        }
    }
}

/// The value that stands at `span`.
fn node_at(node: &Node, span: Span) -> Option<&Node> {
    if node.span == span {
        return Some(node);
    }
    match &node.value {
        Value::Map(map) => map.entries.iter().find_map(|entry| node_at(&entry.value, span)),
        Value::List(items) => items.iter().find_map(|item| node_at(item, span)),
        _ => None,
    }
}

/// Looks at every map with a command in it.
fn visit(cx: &AgentCx<'_>, findings: &mut Findings, node: &Node) {
    match &node.value {
        Value::Map(map) => {
            server(cx, findings, map);
            map.entries.iter().for_each(|entry| visit(cx, findings, &entry.value));
        }
        Value::List(items) => items.iter().for_each(|item| visit(cx, findings, item)),
        _ => {}
    }
}

fn server(cx: &AgentCx<'_>, findings: &mut Findings, map: &Map) {
    let text = |key| map.get(key).and_then(Node::as_text);
    let Some(command) = text("command").or_else(|| text("cmd")) else { return };
    let args = map.get("args").and_then(Node::as_list).unwrap_or_default();
    let args: Vec<&Node> = args.iter().filter(|arg| arg.as_text().is_some()).collect();
    let Some((package, unpinned)) = started(command, &args) else { return };
    if let Some(name) = unpinned {
        let message = format!("this starts whatever version of `{name}` is newest");
        let finding = findings.report(cx, &UNPINNED_MCP_SERVER, package.span, message);
        finding.help("say which version");
    }
}

/// How a version is written.
#[derive(Clone, Copy)]
enum Registry {
    /// `name@1.2.3`.
    Npm,
    /// `name==1.2.3`, `name@1.2.3`.
    Python,
    /// `name:1.2.3`, `name@sha256:…`.
    Image,
}

/// The argument that names the package, and the package itself if it has no version.
fn started<'a>(command: &str, args: &[&'a Node]) -> Option<(&'a Node, Option<&'a str>)> {
    let program = command.rsplit(['/', '\\']).next()?;
    let program = program.strip_suffix(".exe").or(program.strip_suffix(".cmd")).unwrap_or(program);
    let first = args.first().and_then(|arg| arg.as_text()).unwrap_or_default();
    let (registry, skipped) = match (program, first) {
        ("npx" | "bunx" | "pnpx", _) => (Registry::Npm, 0),
        ("pnpm" | "yarn", "dlx") | ("npm", "exec" | "x") | ("bun", "x") => (Registry::Npm, 1),
        ("uvx", _) => (Registry::Python, 0),
        ("pipx", "run") => (Registry::Python, 1),
        ("docker" | "podman", "run") => (Registry::Image, 1),
        _ => return None,
    };
    let args = &args[skipped..];
    let package = package(args, registry)?;
    let text = package.as_text()?;
    let text =
        text.split_once('=').filter(|_| text.starts_with("--")).map_or(text, |(_, name)| name);
    Some((package, (!registry.is_pinned(text)).then_some(text)))
}

/// The first argument that is not an option, or what an option names as the package.
fn package<'a>(args: &[&'a Node], registry: Registry) -> Option<&'a Node> {
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let text = arg.as_text()?;
        if registry.names_package(text) {
            return if text.contains('=') { Some(arg) } else { rest.next().copied() };
        }
        if !text.starts_with('-') {
            return Some(arg);
        }
        if registry.takes_value(text) {
            rest.next();
        }
    }
    None
}

impl Registry {
    /// Whether an option is followed by the package.
    fn names_package(self, option: &str) -> bool {
        let name = option.split('=').next().unwrap_or(option);
        match self {
            Self::Npm => matches!(name, "-p" | "--package"),
            Self::Python => matches!(name, "--from" | "--spec"),
            Self::Image => false,
        }
    }

    /// Whether an option is followed by a value of its own.
    fn takes_value(self, option: &str) -> bool {
        match self {
            Self::Npm => matches!(option, "--registry" | "--node-options" | "--prefix" | "--cache"),
            Self::Python => matches!(
                option,
                "--with"
                    | "--python"
                    | "-p"
                    | "--index-url"
                    | "--index"
                    | "--extra-index-url"
                    | "--default-index"
                    | "--env-file"
                    | "--directory"
                    | "--refresh-package"
                    | "--with-editable"
                    | "-i"
            ),
            Self::Image => {
                let flag = matches!(
                    option,
                    "--rm"
                        | "--init"
                        | "--privileged"
                        | "--detach"
                        | "--interactive"
                        | "--tty"
                        | "--read-only"
                );
                let switches = option.strip_prefix('-').is_some_and(|letters| {
                    letters.bytes().all(|letter| matches!(letter, b'i' | b't' | b'd' | b'P' | b'q'))
                });
                !flag && !switches && !option.contains('=')
            }
        }
    }

    /// Whether `package` says which version, is a local path, or is filled in later.
    fn is_pinned(self, package: &str) -> bool {
        let local = package.starts_with(['.', '/', '~', '<', '$', '{'])
            || package.contains("${")
            || package.contains("://")
            || package.starts_with("file:");
        if local || package.is_empty() || package.contains(' ') {
            return true;
        }
        match self {
            Self::Npm => {
                let name = package.strip_prefix('@').unwrap_or(package);
                name.split_once('@').is_some_and(|(_, version)| is_version(version))
                    || name.contains(':')
            }
            Self::Python => {
                package.split_once("==").is_some_and(|(_, version)| is_version(version))
                    || package.split_once('@').is_some_and(|(_, version)| is_version(version))
                    || package.contains(['<', '>', '~'])
            }
            Self::Image => {
                let name = package.rsplit('/').next().unwrap_or(package);
                package.contains("@sha256:")
                    || name.split_once(':').is_some_and(|(_, tag)| tag != "latest")
            }
        }
    }
}

/// Whether it is a number and not the name of whatever is newest.
fn is_version(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, 'v' | '^' | '~' | '=' | '$'))
}

#[cfg(test)]
mod tests {
    use super::UNPINNED_MCP_SERVER;
    use crate::lint::tests::check;

    fn package(command: &str, args: &str) -> String {
        let text = format!(
            "---\nname: a\ndescription: b\nmcpServers:\n  - s: {{command: {command}, args: {args}}}\n---\nbody\n"
        );
        let found = check(&UNPINNED_MCP_SERVER, ".claude/agents/a.md", &text);
        found.split('`').nth(1).unwrap_or_default().to_owned()
    }

    #[test]
    fn the_package_is_found_behind_options() {
        assert_eq!(package("npx", "['-y', '@a/b']"), "@a/b");
        assert_eq!(package("npx", "['--package=b@latest', 'run']"), "b@latest");
        assert_eq!(package("/usr/bin/npx", "[b]"), "b");
        assert_eq!(package("pnpm", "[dlx, b]"), "b");
        assert_eq!(package("uvx", "['--python', '3.12', '--from', b, serve]"), "b");
        assert_eq!(package("docker", "[run, '-i', '--rm', '-e', TOKEN, 'x/y']"), "x/y");
        assert_eq!(
            package("docker", "[run, '-it', '--env=A=b', 'x/y:latest', serve]"),
            "x/y:latest"
        );
    }

    #[test]
    fn versions_paths_and_other_programs_are_fine() {
        assert_eq!(package("npx", "['-y', '@a/b@1.2.3']"), "");
        assert_eq!(package("npx", "['-y', './server']"), "");
        assert_eq!(package("uvx", "['b==1.2']"), "");
        assert_eq!(package("uvx", "['b@1.2']"), "");
        assert_eq!(package("uvx", "['--from', 'git+https://x.org/b@main', b]"), "");
        assert_eq!(package("docker", "[run, '-v', '/a:/b', 'reg.io:5000/x/y:1.0']"), "");
        assert_eq!(package("docker", "[mcp, gateway, run]"), "");
        assert_eq!(package("node", "[server.js]"), "");
        assert_eq!(package("npx", "['-y', '${PACKAGE}']"), "");
    }
}
