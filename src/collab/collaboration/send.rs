//! `collaboration.send`: a message to one or more agents.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    super::{
        caller::Handle,
        pair::{Act, Pair, states},
    },
    report::{Report, child, distinct, read},
};
use crate::{
    conversation::ToolSpec,
    event::CollabBegin,
    session::Delivery,
    tools::{CallCx, Tool, ToolError, ToolFuture},
};

/// The `collaboration.send` tool.
#[derive(Debug)]
pub(in crate::collab) struct Send(pub Handle);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    recipients: Vec<u32>,
    message: String,
}

impl Tool for Send {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "collaboration.send".to_owned(),
            description: "Send a message to agents you created. They read it after their present \
                          turn; those that rest begin to work."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "recipients": {
                        "type": "array",
                        "items": { "type": "integer", "minimum": 0 },
                        "description": "The agents' numbers.",
                    },
                    "message": { "type": "string", "description": "What to tell them." },
                },
                "required": ["recipients", "message"],
                "additionalProperties": false,
            }),
        }
    }

    fn call<'a>(&'a self, cx: CallCx<'a>, arguments: Value) -> ToolFuture<'a> {
        Box::pin(async move { self.send(cx, arguments) })
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl Send {
    fn send(&self, cx: CallCx<'_>, arguments: Value) -> Result<String, ToolError> {
        let (session, caller) = self.0.call(cx)?;
        let Arguments { recipients, message } = match read(arguments) {
            Ok(arguments) => arguments,
            Err(report) => {
                let pair = Pair::begin(&session, cx, Act::Interaction, CollabBegin::default())?;
                return refused(pair, report);
            }
        };
        let recipients = distinct(recipients);
        let known = recipients.iter().filter_map(|index| child(&session, &caller, *index).ok());
        let begun = CollabBegin {
            receiver_thread_ids: known.map(|member| member.id().to_owned()).collect(),
            prompt: Some(message.clone()),
            ..CollabBegin::default()
        };
        let pair = Pair::begin(&session, cx, Act::Interaction, begun)?;
        if recipients.is_empty() || message.trim().is_empty() {
            return refused(pair, Report::mistake("recipients and message must not be empty"));
        }
        let text = format!("From agent {}: {message}", caller.index);
        let (mut sent, mut failed, mut mistakes) = (Vec::new(), Vec::new(), 0);
        for index in &recipients {
            let told = child(&session, &caller, *index).and_then(|member| {
                session.send(&member, text.clone(), Delivery::NextTurn)?;
                Ok(member)
            });
            match told {
                Ok(member) => sent.push(member),
                Err(error) => {
                    mistakes += usize::from(error.is_a_mistake());
                    failed.push(format!("{index}: {error}"));
                }
            }
        }
        let reached: Vec<u32> = sent.iter().map(|member| member.index).collect();
        if failed.is_empty() {
            pair.worked(states(&sent), |_| {})?;
            return Report::success("Message sent successfully.")
                .with("is_send_success_msg", json!(true))
                .with("message_content_str", json!(message))
                .extra("recipients", json!(reached))
                .answer();
        }
        let content = format!(
            "The message did not reach everyone. Sent to: {reached:?}. Failed: {}",
            failed.join("; ")
        );
        // One mistake among them is the model's, whatever else went wrong.
        let report = if mistakes > 0 { Report::mistake(content) } else { Report::limit(content) };
        let report = report
            .with("is_send_success_msg", json!(false))
            .with("message_content_str", json!(message))
            .extra("recipients", json!(reached));
        refused(pair, report)
    }
}

/// Writes down that it did not work, and tells the model why.
pub(super) fn refused(pair: Pair, report: Report) -> Result<String, ToolError> {
    match report.answer() {
        Err(error) => Err(pair.failed(error)),
        Ok(answer) => Ok(answer),
    }
}
