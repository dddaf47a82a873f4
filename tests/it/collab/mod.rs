//! Agents that start, tell, wait for, close and reopen each other, claim by claim.
//!
//! `lead` is the main agent, `mate` can start agents as well, `leaf` cannot. Each claim of the
//! manual's table is a test here, and the other way round.

mod authority;
mod close;
mod directory;
mod elsewhere;
mod events;
mod limits;
mod lists;
mod numbers;
mod restart;
mod spawn;
mod talk;
mod wait;
mod wire;

use std::fmt::Write as _;

use serde_json::Value;

use crate::stage::{Played, Playing, Stage};

/// Every tool with which agents act on each other.
const TOOLS: &str = "spawn_agent, send_input, wait, resume_agent, close_agent, list_agents, \
    list_active_agents, set_thread_note, collaboration.init_agent, collaboration.send, \
    collaboration.wait, collaboration.get_state, collaboration.close";

/// Waits as short as tests need them.
const SHORT: &str = "wait_min_ms = 1\nwait_default_ms = 20000\nwait_max_ms = 20000\n";

/// The agents and what the model of each says, turn by turn. `mate#2` is the second mate.
fn scene(agents: &[(&str, &[&str])]) -> Stage {
    let listed = format!("tools: [read_file, {TOOLS}]");
    Stage::bare()
        .file("script.yaml", &script(agents))
        .file("agents/lead.md", &definition("lead", &listed))
        .file("agents/mate.md", &definition("mate", &listed))
        .file("agents/leaf.md", &definition("leaf", "tools: [read_file]"))
        .collab("")
}

/// A definition with `keys`.
fn definition(name: &str, keys: &str) -> String {
    format!("---\nagentType: {name}\nwhenToUse: Is {name}.\n{keys}\n---\n\nYou are {name}.\n")
}

fn script(agents: &[(&str, &[&str])]) -> String {
    let usage = "usage: {input_tokens: 60, output_tokens: 40}\n";
    agents.iter().fold(format!("{usage}agents:\n"), |mut text, (name, turns)| {
        writeln!(text, "  {name}:\n    turns:").unwrap();
        for turn in *turns {
            writeln!(text, "      - {turn}").unwrap();
        }
        text
    })
}

/// A turn with one call.
fn call(name: &str, arguments: &str) -> String {
    format!("{{tool_calls: [{{name: {name}, arguments: {arguments}}}]}}")
}

/// A turn that starts an agent.
fn spawn(kind: &str, message: &str) -> String {
    call("spawn_agent", &format!("{{agent_type: {kind}, message: '{message}'}}"))
}

/// A turn that waits for agents.
fn wait(ids: &str) -> String {
    call("wait", &format!("{{ids: [{ids}]}}"))
}

impl Stage {
    /// With this in `[collab]`.
    fn collab(self, settings: &str) -> Self {
        self.settings(&format!("[collab]\n{SHORT}{settings}"))
    }

    /// With these settings of the user.
    fn settings(self, settings: &str) -> Self {
        let text = format!("[run]\nretry_delay_ms = 1\n{settings}");
        self.file("~/.config/agentctl/config.toml", &text)
    }

    /// Runs `lead`; what still works when it is done is stopped.
    fn lead_and_cancel(&self) -> Played {
        self.play_with(&["lead", "Go.", "--model", "script:script.yaml", "--on-exit", "cancel"])
    }

    /// Starts `lead`.
    fn start_lead(self) -> Playing {
        self.start_with(&["lead", "Go.", "--model", "script:script.yaml"])
    }

    /// Runs `lead`.
    fn lead(&self) -> Played {
        self.play_with(&["lead", "Go.", "--model", "script:script.yaml"])
    }
}

impl Played {
    /// The whole answers `agent` got from `tool`, in order.
    fn answers_of(&self, agent: &str, tool: &str) -> Vec<String> {
        let ended = self.events.iter().filter(|event| {
            let is_end = event["event_type"] == "TOOL_CALL_END" && event["agent_type"] == agent;
            is_end && event["data"]["tool_name"] == tool
        });
        ended.map(|event| event["data"]["output"].as_str().unwrap().to_owned()).collect()
    }

    /// The answer number `at` that `lead` got from `tool`.
    #[track_caller]
    fn text(&self, tool: &str, at: usize) -> String {
        let answers = self.answers_of("lead", tool);
        answers.get(at).unwrap_or_else(|| panic!("no answer {at} of {tool}\n{self}")).clone()
    }

    /// The same as JSON.
    #[track_caller]
    fn answer(&self, tool: &str, at: usize) -> Value {
        let text = self.text(tool, at);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}\n{self}"))
    }

    /// Makes sure that `lead` got what it wanted, so that everything its script expects was so.
    #[track_caller]
    fn worked(self) -> Self {
        let runs = self.runs("lead");
        assert!(runs.last().is_some_and(|run| run["status"] == "goal"), "{self}");
        self
    }

    /// The runs of the agents of a type, in the order in which they ended.
    fn runs(&self, agent_type: &str) -> Vec<&Value> {
        let all = self.all("COMPLETED").into_iter();
        all.filter(|outcome| outcome["agent_type"] == agent_type).collect()
    }

    /// What the runs of a type came to.
    fn results(&self, agent_type: &str) -> Vec<(String, String)> {
        let of = |run: &'_ Value, key: &str| run[key].as_str().unwrap_or_default().to_owned();
        let runs = self.runs(agent_type).into_iter();
        runs.map(|run| (of(run, "status"), of(run, "result"))).collect()
    }

    /// The thread of the agent that was started as number `at`.
    fn thread(&self, at: usize) -> String {
        let spawned = self.all("COLLAB_AGENT_SPAWN_END");
        let spawned: Vec<_> = spawned.iter().filter(|end| end["success"] == true).collect();
        spawned[at]["receiver_thread_ids"][0].as_str().unwrap().to_owned()
    }
}
