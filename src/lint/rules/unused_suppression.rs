//! `unused-suppression`.

use crate::lint::{Check, Level, rule::declare_rule};

declare_rule! {
    /// ## What it does
    /// Reports `agentctl: allow[rule]` comments that allow nothing, and names of rules that do
    /// not exist.
    ///
    /// ## Why is this bad?
    /// A comment that once allowed something hides the next real finding, and a misspelt one
    /// never allowed anything.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// # agentctl: allow[missing-field] the host fills it in
    /// description: Reviews a change and lists its defects.
    /// tools: Read, Grep
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects.
    /// tools: Read, Grep
    /// ---
    /// You review changes.
    /// ```
    pub static UNUSED_SUPPRESSION = {
        name: "unused-suppression",
        summary: "allows a rule that nothing breaks",
        level: Level::Warning,
        check: Check::Engine,
    }
}
