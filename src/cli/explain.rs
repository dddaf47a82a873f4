//! `agentctl explain`.

use std::io::Write as _;

use anyhow::Result;

use super::{Exit, args::ExplainArgs, world::World};
use crate::{
    dialect::{self, DIALECTS},
    lint::{RULES, Rule, closest},
    render::host_page,
};

pub(super) fn run(world: &mut World, args: &ExplainArgs) -> Result<Exit> {
    let Some(name) = &args.rule else {
        let width = RULES.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
        for rule in RULES {
            let Rule { name, level, summary, .. } = rule;
            writeln!(world.out, "{name:width$}  {:7}  {summary}", level.name())?;
        }
        return Ok(Exit::Done);
    };
    if let Some(host) = dialect::dialect(name) {
        writeln!(world.out, "{}", host_page(host).trim_end())?;
        return Ok(Exit::Done);
    }
    let Some(rule) = RULES.iter().find(|rule| rule.name == name) else {
        let near = closest(
            name,
            RULES.iter().map(|rule| rule.name).chain(DIALECTS.iter().map(|host| host.id)),
        );
        let help = near.map_or("`agentctl explain` lists the rules".to_owned(), |near| {
            format!("did you mean `{near}`?")
        });
        world.error(&format!("there is no rule or host called `{name}`\nhelp: {help}"));
        return Ok(Exit::Usage);
    };
    writeln!(world.out, "{}", rule.page().trim_end())?;
    Ok(Exit::Done)
}
