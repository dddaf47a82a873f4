//! A conversation handed to another agent.

use std::collections::HashSet;

use super::{Message, Part, ToolResult};

/// What separates the caller's conversation from the task of an agent that was forked from it.
pub const FORK_BOUNDARY: &str = "\
### FORKING CONVERSATION CONTEXT ###
### ENTERING SUB-AGENT ROUTINE ###
Entered sub-agent context

PLEASE NOTE:
- The messages above this point are from the main thread prior to sub-agent execution.
- Context messages may include tool_use blocks for tools not available in sub-agent context.
- Only complete the specific sub-agent task you have been assigned below.";

/// `messages` as an agent forked from them sees them: calls that have no result are left out, the
/// words around them stay, and the boundary follows.
pub fn forked(messages: &[Message]) -> Vec<Message> {
    let answered: HashSet<&str> = results(messages).map(|result| result.call_id.as_str()).collect();
    let called: HashSet<&str> = calls(messages).collect();
    let mut kept: Vec<Message> =
        messages.iter().filter_map(|message| resolved(message, &answered, &called)).collect();
    kept.push(Message::user(FORK_BOUNDARY));
    kept
}

/// `message` without what has no counterpart, if anything is left of it.
fn resolved(
    message: &Message,
    answered: &HashSet<&str>,
    called: &HashSet<&str>,
) -> Option<Message> {
    match message {
        Message::User { .. } => Some(message.clone()),
        Message::Assistant { parts, by } => {
            let pending = |part: &Part| matches!(part, Part::Call(call) if !answered.contains(call.id.as_str()));
            if !parts.iter().any(pending) {
                return Some(message.clone());
            }
            // Providers take thinking back only together with the calls it led to.
            let kept = |part: &&Part| match part {
                Part::Text { text } => !text.trim().is_empty(),
                Part::Call(call) => answered.contains(call.id.as_str()),
                Part::Thinking { .. } | Part::Opaque { .. } => false,
            };
            let parts: Vec<Part> = parts.iter().filter(kept).cloned().collect();
            (!parts.is_empty()).then(|| Message::Assistant { parts, by: by.clone() })
        }
        Message::Results { results } => {
            let results: Vec<ToolResult> = results
                .iter()
                .filter(|result| called.contains(result.call_id.as_str()))
                .cloned()
                .collect();
            (!results.is_empty()).then_some(Message::Results { results })
        }
    }
}

fn calls(messages: &[Message]) -> impl Iterator<Item = &str> {
    let parts = messages.iter().flat_map(|message| match message {
        Message::Assistant { parts, .. } => parts.as_slice(),
        _ => &[],
    });
    parts.filter_map(|part| match part {
        Part::Call(call) => Some(call.id.as_str()),
        _ => None,
    })
}

fn results(messages: &[Message]) -> impl Iterator<Item = &ToolResult> {
    messages.iter().flat_map(|message| match message {
        Message::Results { results } => results.as_slice(),
        _ => &[],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::ToolCall;

    fn call(id: &str) -> Part {
        Part::Call(ToolCall {
            id: id.to_owned(),
            name: "read_file".to_owned(),
            arguments: "{}".to_owned(),
            signature: None,
        })
    }

    fn said(parts: Vec<Part>) -> Message {
        Message::Assistant { parts, by: "m".to_owned() }
    }

    fn text(text: &str) -> Part {
        Part::Text { text: text.to_owned() }
    }

    fn result(id: &str) -> Message {
        let (call_id, name) = (id.to_owned(), "read_file".to_owned());
        let results = vec![ToolResult { call_id, name, content: "x".to_owned(), is_error: false }];
        Message::Results { results }
    }

    #[test]
    fn pending_calls_go_and_the_words_beside_them_stay() {
        let before = [
            Message::user("do it"),
            said(vec![text("first"), call("1")]),
            result("1"),
            said(vec![text("then"), call("2")]),
            said(vec![call("3")]),
        ];
        let after = forked(&before);
        let mut expected = before[..3].to_vec();
        expected.extend([said(vec![text("then")]), Message::user(FORK_BOUNDARY)]);
        assert_eq!(after, expected);
    }

    #[test]
    fn of_two_calls_in_one_message_only_the_answered_one_stays() {
        let thinking = Part::Thinking { text: "hm".to_owned(), signature: Some("s".to_owned()) };
        let before = [said(vec![thinking, call("1"), call("2")]), result("1"), result("ghost")];
        let after = forked(&before);
        assert_eq!(after[..2], [said(vec![call("1")]), result("1")]);
        assert_eq!(after.len(), 3, "a result nobody asked for is left out");
    }
}
