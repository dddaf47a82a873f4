//! What an agent of a session may do and will do: never more than its parent may do now.

use std::sync::{Arc, PoisonError};

use super::{Member, Session, SessionError, StoredCall, thread::is_trusted};
use crate::{
    authority::{Circumstances, Position},
    catalog::{Entry, File},
    conversation::Message,
    lint::{Level, lint_file},
    plan::{ApprovalMode, Context, Finish, ModelWishes, Plan, PlanError, Situation, plan},
    provider::ModelId,
    text::Source,
};

impl Session {
    /// What an agent will do: its definition, what it was asked, and what its parent may do now.
    pub(super) fn plan_of(&self, member: &Member, context: Context) -> Result<Plan, SessionError> {
        let entry = &member.entry;
        let agent_type = entry.full_name();
        if let Some(first) = self.first_error(entry) {
            return Err(SessionError::Invalid { agent_type, first });
        }
        let parent = member.parent.map(|parent| self.at(parent)).transpose()?;
        let above = parent.map(|parent| parent.plan().ok_or(SessionError::Over)).transpose()?;
        let call = member.call().clone();
        let tools = match &above {
            Some(above) => self.granted(above),
            None => self.available(call.caller.as_deref()),
        };
        let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
        let asked = call.sandbox().unwrap_or_else(|| self.setup.run.sandbox());
        let max_depth = self.setup.collab.max_depth();
        let situation = Situation {
            cwd: &member.cwd,
            today: &self.setup.today,
            models: &self.setup.book,
            settings: &self.setup.run,
            circumstances: Circumstances {
                caller: Some(&tools),
                position: match &above {
                    Some(_) => Position::Below { depth: member.depth as usize, max_depth },
                    None => position(&call, max_depth),
                },
                background: call.background,
                trusted: is_trusted(&(self.setup.trust)(), entry),
            },
            // What its parent may do now is what counts.
            sandbox: above.as_ref().map_or(asked, |above| asked.max(above.sandbox())),
            approval: above.as_ref().map_or(ApprovalMode::AutoApproveInSandbox, |a| a.approval()),
        };
        let parent_model = call.parent_model.as_deref().and_then(ModelId::parse);
        let wishes = ModelWishes {
            call: call.model.clone(),
            parent: above.as_ref().and_then(|a| a.models().first().cloned()).or(parent_model),
            ..self.setup.wishes.clone()
        };
        let mut planned = call.planned(wishes);
        planned.context = context;
        if member.is_announced() {
            planned.notes.push(self.introduction(member));
        }
        plan(entry, &[], planned, &situation).map_err(|source| match source {
            PlanError::UnknownModel(unknown) => SessionError::UnknownModel {
                asked: unknown.name,
                available: self.setup.book.names(),
            },
            source => SessionError::Plan { agent_type, source },
        })
    }

    /// What an agent is told about itself.
    fn introduction(&self, member: &Member) -> String {
        let Member { index, depth, juice, .. } = member;
        let deepest = self.setup.collab.max_depth();
        let mut text = format!(
            "You are agent {index} of this session: `{}`, thread {}, started by agent {}. You are \
             {depth} below the main agent, of {deepest} at most.",
            member.name(),
            member.id(),
            member.parent.unwrap_or_default(),
        );
        if let Some(juice) = juice {
            text.push_str(&format!(" You may use {juice} tokens."));
        }
        text.push_str(" You have the tools you are offered and no others.");
        text
    }

    /// What a new agent of a kind is offered of `history`: nothing unless its definition asks for
    /// that, because conversations are long.
    pub fn offered(&self, agent_type: &str, history: &[Message]) -> Context {
        let entry = self.setup.catalog.find(agent_type).ok();
        let flag = entry.and_then(|entry| entry.definition.behaviour.fork_context.as_ref());
        match flag {
            Some(flag) if flag.value => Context::Offered(history.to_vec()),
            _ => Context::New,
        }
    }

    /// The tools an agent with this plan really has.
    pub(super) fn granted(&self, plan: &Plan) -> Vec<String> {
        self.names.iter().filter(|name| plan.grants(name)).cloned().collect()
    }

    /// The tools a main agent can be given.
    fn available(&self, caller: Option<&[String]>) -> Vec<String> {
        let all = self.names.iter();
        all.filter(|name| caller.is_none_or(|caller| caller.contains(name))).cloned().collect()
    }

    /// The first thing that is wrong with a definition, by the project's own settings.
    fn first_error(&self, entry: &Entry) -> Option<String> {
        let source = entry.source.as_ref()?;
        let mut errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        // Agents of a kind share one text, which never changes.
        let (_, error) = errors
            .entry(Arc::as_ptr(source) as usize)
            .or_insert_with(|| (Arc::clone(source), self.look_for_error(entry, source)));
        error.clone()
    }

    fn look_for_error(&self, entry: &Entry, source: &Source) -> Option<String> {
        let text = source.text();
        let file = File::new(&entry.path, text.as_bytes().to_vec(), entry.origin, &[entry.dialect]);
        let path = self.setup.from.join(&entry.path);
        let findings = self.setup.lint.settle(lint_file(&file), &path);
        let error = findings.into_iter().find(|finding| finding.level == Level::Error);
        error.map(|error| error.message)
    }
}

/// Where an agent stands that was not started by another of its session.
pub fn position(call: &StoredCall, max_depth: usize) -> Position {
    match (&call.caller, call.finish) {
        (Some(_), _) => Position::Below { depth: 1, max_depth },
        (None, Finish::CompleteTask) => Position::Main,
        (None, Finish::LastMessage) => Position::Host,
    }
}
