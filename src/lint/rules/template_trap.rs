//! `template-trap`.

use crate::{
    dialect::{Fault, FaultKind},
    lint::{AgentCx, Check, Edit, Findings, Level, Safety, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports `${WORD}` in the body of an agent whose host treats the body as a template and does
    /// not know the word.
    ///
    /// ## Why is this bad?
    /// Sample code in a prompt is full of it. The agent loads, and every run fails before the
    /// model is asked: "missing required input parameters".
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/builder.md"
    /// ---
    /// name: builder
    /// description: Builds the project.
    /// ---
    /// Build into ${BUILD_DIR}/out and keep `${name}` as it is.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/builder.md"
    /// ---
    /// name: builder
    /// description: Builds the project.
    /// ---
    /// Build into $BUILD_DIR/out and keep `${ name }` as it is.
    /// ```
    pub(super) static TEMPLATE_TRAP = {
        name: "template-trap",
        summary: "has `${word}` in a prompt that the host takes for a template",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let traps: Vec<(&Fault, &str)> = cx
        .faults()
        .filter_map(|fault| match &fault.kind {
            FaultKind::Template { word, .. } => Some((fault, word.as_str())),
            _ => None,
        })
        .collect();
    let Some((first, _)) = traps.first() else { return };
    let mut words: Vec<&str> = Vec::new();
    for (_, word) in &traps {
        if !words.contains(word) {
            words.push(word);
        }
    }
    let finding = cx.report_fault(findings, &TEMPLATE_TRAP, first);
    if words.len() > 1 {
        finding.message = finding.message.replacen(
            &format!("`${{{}}}` in the prompt and does not know that name", words[0]),
            &format!("{} in the prompt and does not know these names", listed(&words)),
            1,
        );
    }
    let edits = traps
        .iter()
        .map(|(fault, word)| Edit { span: fault.span, text: survivor(cx, fault, word) })
        .collect();
    let one = survivor(cx, first, words[0]);
    finding.help(format!("write `{one}`, which is left alone")).fix_all(
        Safety::Unsafe,
        "write the words so that they are left alone",
        edits,
    );
}

/// How the same is written so that the host does not see it: as the shell would have it where the
/// word is a variable of the environment, with blanks elsewhere.
fn survivor(cx: &AgentCx<'_>, fault: &Fault, word: &str) -> String {
    let after = cx.source.text()[fault.span.end as usize..].chars().next();
    let ends = after.is_none_or(|c| !(c.is_ascii_alphanumeric() || c == '_'));
    let environment =
        word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    if environment && ends { format!("${word}") } else { format!("${{ {word} }}") }
}

/// The first few words.
fn listed(words: &[&str]) -> String {
    const SHOWN: usize = 5;
    let mut list: Vec<_> = words.iter().take(SHOWN).map(|word| format!("`${{{word}}}`")).collect();
    if words.len() > SHOWN {
        list.push(format!("{} more", words.len() - SHOWN));
    }
    match list.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => list.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::TEMPLATE_TRAP;
    use crate::lint::tests::check;

    #[test]
    fn tells_all_words_at_once() {
        let text =
            "---\nname: a\ndescription: b\n---\nRun ${HOME}/x, ${HOME}y, ${id} on ${today}.\n";
        insta::assert_snapshot!(check(&TEMPLATE_TRAP, ".gemini/agents/a.md", text), @"
        5:5 error Gemini CLI replaces `${HOME}` and `${id}` in the prompt and does not know these names; Gemini CLI loads this agent and fails when it runs
          help: write `$HOME`, which is left alone
          fix (Unsafe): write the words so that they are left alone
            Run $HOME/x, ${ HOME }y, ${ id } on ${today}.
        ");
    }
}
