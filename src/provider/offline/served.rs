//! Which agents a keyword search can stand in for.
//!
//! Those whose whole work is to look and to report what is there. Whoever has to judge, plan,
//! write or change needs a language model, and so does whoever promises a certain output.

use thiserror::Error;

use super::{
    COMPLETE_TASK,
    search::{GLOB, GREP, LIST, READ},
    vocabulary::has,
    words::split,
};

/// An agent that wants to be served.
#[derive(Clone, Copy, Debug)]
pub struct Served<'a> {
    /// Its type, which names it.
    pub agent_type: &'a str,
    /// When it is to be used.
    pub description: &'a str,
    /// The tools it gets, by canonical names.
    pub tools: &'a [&'a str],
    /// Whether it promises an output of a certain form.
    pub has_output_schema: bool,
}

/// Why an agent cannot be served. The definition is fine: it needs a language model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotServed {
    /// It promises more than text.
    #[error("its output has a schema, which a keyword search cannot fill")]
    OutputSchema,
    /// It cannot search.
    #[error("it does not have `{tool}`, without which nothing can be searched")]
    Missing {
        /// What it lacks.
        tool: &'static str,
    },
    /// It can do more than look.
    #[error("it has `{tool}`, and a keyword search cannot decide what to do with it")]
    MoreThanReading {
        /// What it has.
        tool: String,
    },
    /// It is to say more than where things are.
    #[error("its task is to judge or to make something (`{word}`), not only to search")]
    Judges {
        /// The word that says so.
        word: String,
    },
    /// Nothing says that it searches.
    #[error("neither its name nor its description says that it searches")]
    NoSearch,
}

/// The tools that only look, and those every main agent has unless its definition says otherwise.
const READING: &[&str] =
    &[GLOB, GREP, LIST, READ, COMPLETE_TASK, "Task", "TaskOutput", "TodoWrite"];

/// Words of agents that look for things.
const SEARCHES: &str = "discover discovers explore explores explorer exploration explorers find \
                        finder finding finds grep locate locates locator lookup search searcher \
                        searches searching";

/// Words of agents that have to think about what they find.
const JUDGES: &str = "advise advisor analyse analyst analyze analyzer architect assess audit \
                      auditor author bug bugs critic critique debug debugger decide defect defects \
                      design designs develop developer diagnose document edit engineer estimate \
                      evaluate fix fixer flaw flaws generate generator improve judge migrate \
                      optimise optimize plan planner plans prioritise prioritize recommend refactor \
                      research researcher review reviewer reviews rewrite smells suggest summarise \
                      summarize summary tester translate triage validate verify vulnerabilities \
                      vulnerability write writer writes";

/// Whether `agent` is one that searches and reports.
pub fn serves(agent: &Served<'_>) -> Result<(), NotServed> {
    if agent.has_output_schema {
        return Err(NotServed::OutputSchema);
    }
    if let Some(tool) = agent.tools.iter().find(|tool| !READING.contains(tool)) {
        return Err(NotServed::MoreThanReading { tool: (*tool).to_owned() });
    }
    if let Some(tool) = [GREP, READ].into_iter().find(|tool| !agent.tools.contains(tool)) {
        return Err(NotServed::Missing { tool });
    }
    let words = split(agent.agent_type).into_iter().chain(split(agent.description));
    let words: Vec<String> = words.map(|word| word.lower).collect();
    if let Some(word) = words.iter().find(|word| has(JUDGES, word)) {
        return Err(NotServed::Judges { word: word.clone() });
    }
    let searches = words.iter().any(|word| has(SEARCHES, word));
    if searches { Ok(()) } else { Err(NotServed::NoSearch) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ_TOOLS: &[&str] = &[READ, GLOB, GREP, LIST, COMPLETE_TASK];

    fn agent<'a>(agent_type: &'a str, description: &'a str) -> Served<'a> {
        Served { agent_type, description, tools: READ_TOOLS, has_output_schema: false }
    }

    /// What a built-in definition says about when to use it.
    fn built_in(text: &str) -> String {
        let (_, rest) = text.split_once("whenToUse: >-\n").unwrap();
        let lines = rest.lines().take_while(|line| line.starts_with("  "));
        lines.map(str::trim).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn of_the_built_in_agents_only_those_that_explore_are_served() {
        let explore = built_in(include_str!("../../../agents/Explore.md"));
        assert_eq!(serves(&agent("Explore", &explore)), Ok(()));
        let explorer = built_in(include_str!("../../../agents/explorer.md"));
        assert_eq!(serves(&agent("explorer", &explorer)), Ok(()));
        let plan = built_in(include_str!("../../../agents/Plan.md"));
        assert!(matches!(serves(&agent("Plan", &plan)), Err(NotServed::Judges { .. })));
    }

    #[test]
    fn an_agent_is_known_by_what_it_says_it_does() {
        assert_eq!(serves(&agent("code-search", "Finds where things are.")), Ok(()));
        let reviewer = agent("security-reviewer", "Finds weak spots in code.");
        assert_eq!(serves(&reviewer), Err(NotServed::Judges { word: "reviewer".to_owned() }));
        assert_eq!(serves(&agent("helper", "Answers.")), Err(NotServed::NoSearch));
    }

    #[test]
    fn tools_and_schemas_beyond_a_search_are_refused() {
        let finder = agent("finder", "Finds files.");
        let writes = Served { tools: &[READ, GREP, "write_file"], ..finder };
        assert_eq!(
            serves(&writes),
            Err(NotServed::MoreThanReading { tool: "write_file".to_owned() })
        );
        let blind = Served { tools: &[READ, GLOB], ..finder };
        assert_eq!(serves(&blind), Err(NotServed::Missing { tool: GREP }));
        let promises = Served { has_output_schema: true, ..finder };
        assert_eq!(serves(&promises), Err(NotServed::OutputSchema));
    }
}
