//! What a provider says instead of an answer, as typed errors.
//!
//! Decided by the fields of the provider's error that are meant for programs, then by the status.
//! Prose is read for one thing only, that a conversation is too long, which some providers have no
//! code for.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::provider::ModelError;

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Auth,
    RateLimit,
    Overload,
    TooLong,
    NoSuchModel,
    Request,
    Server,
}

/// What the words in errors mean, whatever the status says.
const WORDS: &[(&str, Fault)] = &[
    ("API_KEY_INVALID", Fault::Auth),
    ("PERMISSION_DENIED", Fault::Auth),
    ("UNAUTHENTICATED", Fault::Auth),
    ("authentication_error", Fault::Auth),
    ("billing_error", Fault::Auth),
    // It comes with the status of a rate limit, but waiting does not help.
    ("insufficient_quota", Fault::Auth),
    ("invalid_api_key", Fault::Auth),
    ("permission_error", Fault::Auth),
    ("RESOURCE_EXHAUSTED", Fault::RateLimit),
    ("rate_limit_error", Fault::RateLimit),
    ("rate_limit_exceeded", Fault::RateLimit),
    ("UNAVAILABLE", Fault::Overload),
    ("overloaded_error", Fault::Overload),
    ("server_is_overloaded", Fault::Overload),
    ("slow_down", Fault::Overload),
    ("context_length_exceeded", Fault::TooLong),
    ("exceed_context_size_error", Fault::TooLong),
    ("request_too_large", Fault::TooLong),
    ("NOT_FOUND", Fault::NoSuchModel),
    ("model_not_found", Fault::NoSuchModel),
    ("not_found_error", Fault::NoSuchModel),
];

/// Words that say less than a status does, and count where there is none.
const GENERAL_WORDS: &[(&str, Fault)] = &[
    ("INVALID_ARGUMENT", Fault::Request),
    ("FAILED_PRECONDITION", Fault::Request),
    ("invalid_prompt", Fault::Request),
    ("invalid_request_error", Fault::Request),
];

/// How providers without a code for it say that a conversation is too long.
const TOO_LONG: &[&str] = &[
    // Anthropic
    "prompt is too long",
    "exceed context limit",
    // Gemini
    "exceeds the maximum number of tokens allowed",
    // vLLM, OpenRouter, DeepSeek and others that speak Chat Completions
    "maximum context length",
    "maximum prompt length",
    "context length exceeded",
    "greater than the context length",
    // llama.cpp and Ollama
    "exceeds the available context size",
    "input length exceeds the context length",
];

/// The status that stands for an error within a stream that has none.
const NO_STATUS: u16 = 500;

/// The error in an answer with `status`.
pub(super) fn of_response(status: u16, body: &[u8], retry_after: Option<Duration>) -> ModelError {
    let text = String::from_utf8_lossy(body);
    match serde_json::from_str(&text) {
        Ok(value) => {
            let said = Said::read(&value);
            let fault = said.word().or_else(|| said.too_long(status)).unwrap_or(match status {
                // Without an error in it, it is a path that is not there.
                404 if !value["error"].is_null() || said.status.is_some() => Fault::NoSuchModel,
                status => by_status(status),
            });
            said.error(fault, status, retry_after)
        }
        Err(_) => {
            // Whatever answered, it is not the provider's interface.
            let message = if text.trim().is_empty() { "no message".into() } else { text };
            let said = Said { message: message.into_owned(), ..Said::default() };
            said.error(by_status(status), status, retry_after)
        }
    }
}

/// The error in an event that came instead of the rest of the answer.
pub(super) fn of_event(value: &Value) -> ModelError {
    let said = Said::read(value);
    let status = said.status.unwrap_or(NO_STATUS);
    let fault = said
        .word()
        .or_else(|| said.too_long(said.status.unwrap_or(400)))
        .or_else(|| said.status.map(by_status))
        .or_else(|| said.find(GENERAL_WORDS))
        .unwrap_or(Fault::Server);
    let status = if fault == Fault::Request && said.status.is_none() { 400 } else { status };
    said.error(fault, status, None)
}

/// How long the provider wants us to wait, at the time `now`.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
    let seconds = |number: f64| Duration::try_from_secs_f64(number.max(0.0)).ok();
    if let Some(millis) = header("retry-after-ms").and_then(number) {
        return seconds(millis / 1000.0);
    }
    let said = header("retry-after")?;
    match number(said) {
        Some(number) => seconds(number),
        None => {
            let date = httpdate::parse_http_date(said).ok()?;
            Some(date.duration_since(now).unwrap_or_default())
        }
    }
}

fn by_status(status: u16) -> Fault {
    match status {
        401..=403 => Fault::Auth,
        413 => Fault::TooLong,
        429 => Fault::RateLimit,
        503 | 529 => Fault::Overload,
        // A request that took too long to arrive, or came too early, is fine later.
        408 | 425 | 500.. => Fault::Server,
        _ => Fault::Request,
    }
}

/// What an error says about itself.
#[derive(Debug, Default)]
struct Said {
    /// For programs, the most telling first.
    words: Vec<String>,
    status: Option<u16>,
    /// For people.
    message: String,
    retry_after: Option<Duration>,
}

impl Said {
    fn read(value: &Value) -> Self {
        // Gemini wraps errors into an array where an array was due.
        let value = value.get(0).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let details = || error["details"].as_array().into_iter().flatten();
        let word = |value: &Value| value.as_str().map(str::to_owned);
        let words = [&error["code"]]
            .into_iter()
            .chain(details().map(|detail| &detail["reason"]))
            .chain([&error["type"], &error["status"]])
            .filter_map(word);
        let number = |value: &Value| value.as_u64().and_then(|number| u16::try_from(number).ok());
        let status = [&error["code"], &error["status"], &value["status"]]
            .into_iter()
            .find_map(number)
            .filter(|status| (400..600).contains(status));
        let message = [error, &error["message"], &value["message"], &value["detail"]]
            .into_iter()
            .find_map(word)
            .unwrap_or_else(|| error.to_string());
        let retry_after = details().find_map(|detail| {
            let seconds = detail["retryDelay"].as_str()?.strip_suffix('s')?.parse().ok()?;
            Duration::try_from_secs_f64(seconds).ok()
        });
        Self { words: words.collect(), status, message, retry_after }
    }

    fn word(&self) -> Option<Fault> {
        self.find(WORDS)
    }

    fn find(&self, table: &[(&str, Fault)]) -> Option<Fault> {
        let meaning = |word: &String| table.iter().find(|(known, _)| known == word);
        self.words.iter().find_map(meaning).map(|(_, fault)| *fault)
    }

    fn too_long(&self, status: u16) -> Option<Fault> {
        let message = self.message.to_ascii_lowercase();
        let blames_the_request = matches!(status, 400 | 413 | 422);
        let says_so = TOO_LONG.iter().any(|phrase| message.contains(phrase));
        (blames_the_request && says_so).then_some(Fault::TooLong)
    }

    fn error(self, fault: Fault, status: u16, retry_after: Option<Duration>) -> ModelError {
        let retry_after = retry_after.or(self.retry_after);
        let message = self.message;
        match fault {
            Fault::Auth => ModelError::Auth { status, message },
            Fault::RateLimit => ModelError::RateLimited { retry_after, message },
            Fault::Overload => ModelError::Overloaded { retry_after, message },
            Fault::TooLong => ModelError::ContextLength { message },
            Fault::NoSuchModel => ModelError::UnknownModel { message },
            Fault::Request => ModelError::BadRequest { status, message },
            Fault::Server => ModelError::Server { status, message },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use serde_json::json;

    use super::*;
    use crate::event::FailureKind;

    fn kind(status: u16, body: &Value) -> FailureKind {
        of_response(status, body.to_string().as_bytes(), None).failure().kind
    }

    #[test]
    fn fields_for_programs_outrank_the_status() {
        let openai =
            |kind: &str, code: &str| json!({"error": {"type": kind, "code": code, "message": "m"}});
        let gemini = |status: &str, reason: &str| json!([{"error": {"code": 400, "status": status, "message": "m", "details": [{"reason": reason}]}}]);
        for (status, body, expected) in [
            (
                400,
                openai("invalid_request_error", "context_length_exceeded"),
                FailureKind::ContextLength,
            ),
            (429, openai("insufficient_quota", "insufficient_quota"), FailureKind::Auth),
            (429, openai("tokens", "rate_limit_exceeded"), FailureKind::RateLimited),
            (403, openai("invalid_request_error", "model_not_found"), FailureKind::UnknownModel),
            (400, gemini("INVALID_ARGUMENT", "API_KEY_INVALID"), FailureKind::Auth),
            (400, gemini("INVALID_ARGUMENT", "OTHER"), FailureKind::BadRequest),
            (
                400,
                json!({"error": {"type": "overloaded_error", "message": "m"}}),
                FailureKind::Overloaded,
            ),
            (404, json!({"error": "model 'x' not found"}), FailureKind::UnknownModel),
            (
                404,
                json!({"message": "m", "type": "NotFoundError", "code": 404}),
                FailureKind::UnknownModel,
            ),
            (404, json!({"detail": "Not Found"}), FailureKind::BadRequest),
            (500, json!({"error": "maximum context length"}), FailureKind::Server),
        ] {
            assert_eq!(kind(status, &body), expected, "{status} {body}");
        }
    }

    #[test]
    fn a_page_that_is_not_there_is_no_unknown_model() {
        let error = of_response(404, b"<html>nothing here</html>", None);
        assert_eq!(error.failure().kind, FailureKind::BadRequest);
    }

    #[test]
    fn errors_within_a_stream_need_no_status() {
        for (event, expected) in [
            (
                json!({"type": "error", "code": "rate_limit_exceeded", "message": "m"}),
                FailureKind::RateLimited,
            ),
            (
                json!({"error": {"type": "invalid_request_error", "message": "m"}}),
                FailureKind::BadRequest,
            ),
            (json!({"error": {"type": "api_error", "message": "m"}}), FailureKind::Server),
            (json!({"error": {"code": 502, "message": "m"}}), FailureKind::Server),
            (json!({"error": {"code": 429, "message": "m"}}), FailureKind::RateLimited),
            (
                json!({"error": "input length exceeds the context length"}),
                FailureKind::ContextLength,
            ),
        ] {
            assert_eq!(of_event(&event).failure().kind, expected, "{event}");
        }
    }

    #[test]
    fn every_way_to_ask_for_patience_is_understood() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_770);
        let wait = |pairs: &[(&'static str, &'static str)]| {
            let headers = pairs.iter().map(|(name, value)| {
                (reqwest::header::HeaderName::from_static(name), value.parse().unwrap())
            });
            retry_after(&headers.collect(), now).map(|wait| wait.as_millis())
        };
        assert_eq!(wait(&[]), None);
        assert_eq!(wait(&[("retry-after", "7")]), Some(7_000));
        assert_eq!(wait(&[("retry-after", "0.5")]), Some(500));
        assert_eq!(wait(&[("retry-after", "-1")]), Some(0));
        assert_eq!(wait(&[("retry-after", "soon")]), None);
        assert_eq!(wait(&[("retry-after", "inf")]), None);
        assert_eq!(wait(&[("retry-after", "7"), ("retry-after-ms", "20")]), Some(20));
        assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]), Some(7_000));
        assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:49:00 GMT")]), Some(0));
        let body =
            json!({"error": {"status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "3.5s"}]}});
        let error = of_response(429, body.to_string().as_bytes(), None);
        assert_eq!(error.retry_after(), Some(Duration::from_millis(3_500)));
    }
}
