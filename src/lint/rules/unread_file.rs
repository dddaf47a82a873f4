//! `unread-file`.

use crate::{
    dialect::FaultKind,
    lint::{AgentCx, Check, Findings, Level, rule::declare_rule},
};

declare_rule! {
    /// ## What it does
    /// Reports files that lie where the host never looks: in a subfolder of a folder that is read
    /// without its subfolders, or under a name that is passed over.
    ///
    /// ## Why is this bad?
    /// There is no such agent, and no message says so.
    ///
    /// ## Bad
    /// ```markdown title=".gemini/agents/team/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".gemini/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change.
    /// ---
    /// You review changes.
    /// ```
    pub(super) static UNREAD_FILE = {
        name: "unread-file",
        summary: "lies where the host does not look",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    for fault in cx.faults() {
        match fault.kind {
            FaultKind::TooDeep { .. } => {
                cx.report_fault(findings, &UNREAD_FILE, fault).help("move it one folder up");
            }
            FaultKind::Misplaced { host, .. } => {
                let help = format!("move it to a folder of {host}, or write it for its host");
                cx.report_fault(findings, &UNREAD_FILE, fault).help(help);
            }
            // Such a name is how people switch an agent off.
            FaultKind::NotRead { .. } => {
                cx.report_fault(findings, &UNREAD_FILE, fault)
                    .level(Level::Info)
                    .help("rename it if it is meant to be read");
            }
            _ => {}
        }
    }
}
