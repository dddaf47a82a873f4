//! Telling agents something, and stopping them.

use serde_json::json;

use super::{
    connection::Reply,
    protocol::{
        CollaborationMode, Turn, TurnInterruptParams, TurnStartParams, TurnStartResult, TurnStatus,
        UserInput,
    },
    rpc::{self, RpcError},
    server::Server,
};
use crate::{
    event::What,
    session::{Delivery, Member, Mode, ModeKind, ModeSettings, SessionError},
};

/// The mode that is meant.
pub(super) fn mode(asked: CollaborationMode) -> Result<Mode, RpcError> {
    let kind = ModeKind::parse(&asked.mode).ok_or_else(|| {
        let known: Vec<&str> = ModeKind::ALL.iter().map(|(name, ..)| *name).collect();
        let message = format!("there is no mode `{}`; there are {}", asked.mode, known.join(", "));
        RpcError::params(format!("{message} at `collaborationMode.mode`"))
    })?;
    let settings = asked.settings;
    Ok(Mode {
        mode: kind,
        settings: ModeSettings {
            model: settings.model,
            reasoning_effort: settings.reasoning_effort,
            developer_instructions: settings.developer_instructions,
        },
    })
}

impl Server {
    pub(super) fn turn_start(&self, params: TurnStartParams) -> Result<Reply, RpcError> {
        let text = text(&params.input)?;
        let mode = params.collaboration_mode.map(mode).transpose()?;
        let (hosted, member) = self.live_or_why(&params.thread_id)?;
        check_open(&member)?;
        let has_mode = mode.is_some();
        if let Some(mode) = mode {
            if member.index != 0 {
                return Err(RpcError::params("only the main agent of a session has a mode"));
            }
            hosted.session.set_mode(mode)?;
        }
        // A mode holds from the next run on, so what is told with it is for that.
        let later = has_mode && member.state().busy;
        let delivery = if later { Delivery::AfterWork } else { Delivery::NextTurn };
        hosted.session.send(&member, text.clone(), delivery)?;
        hosted.session.record(&member.me, What::UserMessage { text, later })?;
        let feed = &hosted.feed;
        let next = || feed.next_turn(member.id());
        let id = if later { next() } else { feed.turn(member.id()).or_else(next) };
        let turn = Turn { id: id.unwrap_or_default(), status: TurnStatus::InProgress, error: None };
        Ok(rpc::value(TurnStartResult { turn })?.into())
    }

    pub(super) fn turn_interrupt(&self, params: TurnInterruptParams) -> Result<Reply, RpcError> {
        let (hosted, member) = self.live_or_why(&params.thread_id)?;
        let now = hosted.feed.turn(member.id());
        if let Some(asked) = params.turn_id.filter(|asked| now.as_ref() != Some(asked)) {
            let message = format!("{} is not in the turn `{asked}`", member.id());
            return Err(RpcError::params(message));
        }
        hosted.session.interrupt(&member);
        Ok(json!({}).into())
    }
}

fn check_open(member: &Member) -> Result<(), RpcError> {
    if member.is_closed() {
        return Err(SessionError::Closed(member.id().to_owned()).into());
    }
    Ok(())
}

/// What an agent is told.
fn text(input: &[UserInput]) -> Result<String, RpcError> {
    let texts = input.iter().map(|UserInput::Text { text }| text.as_str());
    let text = texts.collect::<Vec<_>>().join("\n\n");
    if text.trim().is_empty() {
        return Err(RpcError::params("it says nothing at `input`"));
    }
    Ok(text)
}
