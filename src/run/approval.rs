//! Whether a call that changes something may happen.

use std::{future::Future, pin::Pin};

use crate::{
    event::{AgentRef, Decision},
    model::Effect,
    plan::ApprovalMode,
    tools::sandbox::Mode,
};

/// A question for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Who asks.
    pub agent: AgentRef,
    /// Where it is: the agents from the main one down to it.
    pub path: Vec<String>,
    /// The call.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// Exactly what will happen.
    pub detail: String,
}

/// A future of an answer.
pub type Ruling<'a> = Pin<Box<dyn Future<Output = Decision> + Send + 'a>>;

/// Someone who can be asked.
pub trait Approver: Send + Sync {
    /// Asks. Several agents may ask at once.
    fn ask<'a>(&'a self, question: &'a Question) -> Ruling<'a>;
}

/// An approver that always says the same.
#[derive(Clone, Copy, Debug)]
pub struct Always(pub Decision);

impl Approver for Always {
    fn ask<'a>(&'a self, _: &'a Question) -> Ruling<'a> {
        Box::pin(std::future::ready(self.0))
    }
}

/// What has to happen before a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    /// Nothing.
    Open,
    /// Someone has to say yes.
    Ask,
    /// It may not happen.
    Shut,
}

/// What has to happen before a call of a tool with this `effect`.
pub(super) fn gate(effect: Effect, mode: ApprovalMode, sandbox: Mode) -> Gate {
    match effect {
        Effect::Read | Effect::Converse => return Gate::Open,
        Effect::Write | Effect::Execute | Effect::Network => {}
    }
    // Commands in the strictest sandbox change nothing and reach nobody.
    let harmless = effect == Effect::Execute && sandbox == Mode::ReadOnly;
    let confined = match effect {
        Effect::Execute => sandbox != Mode::DangerFullAccess,
        Effect::Write => sandbox == Mode::WorkspaceWrite,
        _ => false,
    };
    match mode {
        ApprovalMode::Suppress if harmless => Gate::Open,
        ApprovalMode::Suppress => Gate::Shut,
        ApprovalMode::AutoApproveInSandbox if confined => Gate::Open,
        ApprovalMode::AutoApproveInSandbox | ApprovalMode::RouteToParent => Gate::Ask,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_looks_is_never_asked_about() {
        for mode in [
            ApprovalMode::RouteToParent,
            ApprovalMode::Suppress,
            ApprovalMode::AutoApproveInSandbox,
        ] {
            for (_, sandbox) in Mode::ALL {
                assert_eq!(gate(Effect::Read, mode, *sandbox), Gate::Open);
                assert_eq!(gate(Effect::Converse, mode, *sandbox), Gate::Open);
            }
        }
    }

    #[test]
    fn a_suppressed_approval_is_a_denial_unless_nothing_can_change() {
        let gate = |effect, sandbox| gate(effect, ApprovalMode::Suppress, sandbox);
        assert_eq!(gate(Effect::Write, Mode::WorkspaceWrite), Gate::Shut);
        assert_eq!(gate(Effect::Execute, Mode::WorkspaceWrite), Gate::Shut);
        assert_eq!(gate(Effect::Execute, Mode::ReadOnly), Gate::Open);
        assert_eq!(gate(Effect::Network, Mode::ReadOnly), Gate::Shut);
    }

    #[test]
    fn only_a_sandbox_approves_by_itself() {
        let gate = |effect, sandbox| gate(effect, ApprovalMode::AutoApproveInSandbox, sandbox);
        assert_eq!(gate(Effect::Execute, Mode::WorkspaceWrite), Gate::Open);
        assert_eq!(gate(Effect::Write, Mode::WorkspaceWrite), Gate::Open);
        assert_eq!(gate(Effect::Execute, Mode::DangerFullAccess), Gate::Ask);
        assert_eq!(gate(Effect::Write, Mode::DangerFullAccess), Gate::Ask);
        assert_eq!(gate(Effect::Network, Mode::WorkspaceWrite), Gate::Ask);
    }
}
