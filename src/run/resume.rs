//! Going on where an agent was stopped, at whatever moment that was.

use std::collections::HashMap;

use crate::{
    conversation::{Message, Part, ToolCall, ToolResult},
    event::What,
};

/// What is missing in a conversation that broke off: results for the calls of its last message.
/// `happened` is everything that happened to the agent. A call that began and never reported is
/// never carried out again in silence; the model is told that nobody knows what became of it.
pub fn recovered(messages: &[Message], happened: &[What]) -> Option<Message> {
    let Some(Message::Assistant { parts, .. }) = messages.last() else { return None };
    let calls: Vec<&ToolCall> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Call(call) => Some(call),
            _ => None,
        })
        .collect();
    if calls.is_empty() {
        return None;
    }
    let last_turn = happened.iter().rposition(|what| matches!(what, What::TurnStart { .. }));
    let turn = &happened[last_turn.unwrap_or(0)..];
    let begun: Vec<&str> = turn
        .iter()
        .filter_map(|what| match what {
            What::ToolCallStart { call_id, .. } => Some(call_id.as_str()),
            _ => None,
        })
        .collect();
    let ended: HashMap<&str, (&str, bool)> = turn
        .iter()
        .filter_map(|what| match what {
            What::ToolCallEnd { call_id, output, success, .. } => {
                Some((call_id.as_str(), (output.as_str(), *success)))
            }
            _ => None,
        })
        .collect();
    let results = calls.iter().enumerate().map(|(at, call)| {
        // Calls begin in their order, so a call without a name is known by its place.
        let id = if call.id.is_empty() { begun.get(at).copied() } else { Some(call.id.as_str()) };
        let (content, is_error) = outcome(call, id.filter(|id| begun.contains(id)), &ended);
        let (call_id, name) = (call.id.clone(), call.name.clone());
        ToolResult { call_id, name, content, is_error }
    });
    Some(Message::Results { results: results.collect() })
}

/// What a call is known to have come to.
fn outcome(
    call: &ToolCall,
    begun: Option<&str>,
    ended: &HashMap<&str, (&str, bool)>,
) -> (String, bool) {
    let Some(id) = begun else {
        let content = format!(
            "agentctl was stopped before this call of `{}` began. It was not carried out.",
            call.name
        );
        return (content, true);
    };
    match ended.get(id) {
        Some((output, success)) => ((*output).to_owned(), !success),
        None => {
            let content = format!(
                "unknown outcome: agentctl was stopped while this call of `{}` was being carried \
                 out. It may have had its effect or not; find out before you do it again.",
                call.name
            );
            (content, true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Progress;

    fn call(id: &str) -> Part {
        Part::Call(ToolCall {
            id: id.to_owned(),
            name: "shell".to_owned(),
            arguments: "{}".to_owned(),
            signature: None,
        })
    }

    fn began(id: &str) -> What {
        let (tool_name, call_id) = ("shell".to_owned(), id.to_owned());
        What::ToolCallStart { tool_name, call_id, arguments: Default::default() }
    }

    fn ended(id: &str, output: &str) -> What {
        What::ToolCallEnd {
            tool_name: "shell".to_owned(),
            call_id: id.to_owned(),
            success: true,
            duration_ms: 1,
            output: output.to_owned(),
        }
    }

    fn told(parts: Vec<Part>, happened: &[What]) -> Vec<(String, bool)> {
        let messages = [Message::user("go"), Message::Assistant { parts, by: "m".to_owned() }];
        match recovered(&messages, happened) {
            Some(Message::Results { results }) => {
                results.into_iter().map(|result| (result.content, result.is_error)).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_known_is_told_and_what_is_not_is_called_unknown() {
        let turn = What::TurnStart { progress: Progress::default() };
        // The same names were used in the turn before.
        let happened = [
            turn.clone(),
            began("1"),
            ended("1", "old"),
            began("2"),
            ended("2", "old"),
            turn,
            began("1"),
            began("2"),
            ended("1", "done"),
        ];
        let told = told(vec![call("1"), call("2"), call("3")], &happened);
        assert_eq!(told[0], ("done".to_owned(), false));
        assert!(told[1].0.starts_with("unknown outcome: "), "{told:?}");
        assert!(told[2].0.contains("was not carried out"), "{told:?}");
    }

    #[test]
    fn calls_without_names_are_known_by_their_place() {
        let happened = [began("1-1"), began("1-2"), ended("1-2", "second")];
        let told = told(vec![call(""), call("")], &happened);
        assert!(told[0].0.starts_with("unknown outcome: "), "{told:?}");
        assert_eq!(told[1], ("second".to_owned(), false));
    }

    #[test]
    fn a_conversation_that_is_whole_needs_nothing() {
        let said = Part::Text { text: "done".to_owned() };
        let whole = [Message::Assistant { parts: vec![said], by: "m".to_owned() }];
        assert_eq!(recovered(&whole, &[]), None);
        assert_eq!(recovered(&[Message::user("go")], &[]), None);
        assert_eq!(recovered(&[], &[]), None);
    }
}
