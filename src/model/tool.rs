//! The one name each tool has here. Every host's spelling is an alias of one of these.

/// What a tool can do to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Looks at files.
    Read,
    /// Changes files.
    Write,
    /// Runs programs.
    Execute,
    /// Reaches the network.
    Network,
    /// Talks to agents, the user or the session only.
    Converse,
}

/// A tool by its canonical name.
#[derive(Debug)]
pub struct CanonicalTool {
    /// The name.
    pub name: &'static str,
    /// What it can do.
    pub effect: Effect,
    /// One line for people.
    pub summary: &'static str,
}

const fn tool(name: &'static str, effect: Effect, summary: &'static str) -> CanonicalTool {
    CanonicalTool { name, effect, summary }
}

/// All of them, sorted by name.
pub static CANONICAL_TOOLS: &[CanonicalTool] = &[
    tool("Task", Effect::Converse, "start a sub-agent and wait for its result"),
    tool("TaskOutput", Effect::Converse, "read the result of a background sub-agent"),
    tool("TodoWrite", Effect::Converse, "keep the list of things to do"),
    tool("apply_patch", Effect::Write, "change, create, move or delete files"),
    tool("ask_user", Effect::Converse, "ask the user a question"),
    tool("close_agent", Effect::Converse, "end an agent and its children"),
    tool("collaboration.close", Effect::Converse, "end child agents"),
    tool("collaboration.get_state", Effect::Converse, "look at the tree of agents"),
    tool("collaboration.init_agent", Effect::Converse, "create a child agent"),
    tool("collaboration.send", Effect::Converse, "send a message to child agents"),
    tool("collaboration.wait", Effect::Converse, "wait for child agents"),
    tool("complete_task", Effect::Converse, "hand in the result and finish"),
    tool("exec_command", Effect::Execute, "run a program with arguments"),
    tool("glob_files", Effect::Read, "find files by name"),
    tool("grep_files", Effect::Read, "search file contents"),
    tool("list_active_agents", Effect::Converse, "list the running agents"),
    tool("list_agents", Effect::Converse, "list the kinds of agents there are"),
    tool("list_dir", Effect::Read, "list a folder"),
    tool("notebook_edit", Effect::Write, "change a notebook"),
    tool("read_file", Effect::Read, "read a file"),
    tool("resume_agent", Effect::Converse, "reopen a closed agent"),
    tool("send_input", Effect::Converse, "send a message to an agent"),
    tool("set_thread_note", Effect::Converse, "label an agent's thread"),
    tool("shell", Effect::Execute, "run a shell command"),
    tool("skill", Effect::Converse, "load a skill's instructions"),
    tool("spawn_agent", Effect::Converse, "start an agent"),
    tool("wait", Effect::Converse, "wait for agents"),
    tool("web_fetch", Effect::Network, "fetch a web page"),
    tool("web_search", Effect::Network, "search the web"),
    tool("write_file", Effect::Write, "write a whole file"),
];

/// The tool called `name`.
pub fn canonical_tool(name: &str) -> Option<&'static CanonicalTool> {
    CANONICAL_TOOLS.binary_search_by(|tool| tool.name.cmp(name)).ok().map(|at| &CANONICAL_TOOLS[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_so_that_it_can_be_searched() {
        assert!(CANONICAL_TOOLS.is_sorted_by_key(|tool| tool.name));
        assert!(CANONICAL_TOOLS.iter().all(|tool| canonical_tool(tool.name).is_some()));
    }
}
