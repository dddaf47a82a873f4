//! Finds keys and tokens in a text, and tells them from examples.
//!
//! A token is a run of certain characters, and what it is shows at its beginning, or before it.

use super::landmarks::{Landmarks, searcher};
use crate::text::Span;

/// A key or token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secret {
    /// What it is, after "this looks like".
    pub kind: &'static str,
    /// Where it stands.
    pub span: Span,
    /// Whether its form leaves no doubt.
    pub certain: bool,
}

/// How the secrets of a service look.
struct Form {
    kind: &'static str,
    prefixes: &'static [&'static str],
    /// The length after the prefix.
    least: usize,
    most: usize,
    accepts: fn(u8) -> bool,
}

const ANY: usize = 512;

const fn form(
    kind: &'static str,
    prefixes: &'static [&'static str],
    (least, most): (usize, usize),
    accepts: fn(u8) -> bool,
) -> Form {
    Form { kind, prefixes, least, most, accepts }
}

fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn any(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn aws(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

static FORMS: &[Form] = &[
    form("an Anthropic key", &["sk-ant-"], (40, ANY), any),
    form("an OpenAI key", &["sk-proj-", "sk-svcacct-", "sk-admin-"], (40, ANY), any),
    form("an OpenAI key", &["sk-"], (48, 48), alphanumeric),
    form("an OpenRouter key", &["sk-or-v1-"], (64, 64), alphanumeric),
    form("a GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], (36, 36), alphanumeric),
    form("a GitHub token", &["github_pat_"], (60, 100), any),
    form("a GitLab token", &["glpat-", "gldt-", "glrt-", "glptt-"], (20, 64), any),
    form("a Slack token", &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-"], (24, ANY), any),
    form("an AWS access key", &["AKIA", "ASIA"], (16, 16), aws),
    form("a Google key", &["AIza"], (35, 35), any),
    form("a Google client secret", &["GOCSPX-"], (28, 28), any),
    form("a Stripe key", &["sk_live_", "rk_live_"], (24, ANY), alphanumeric),
    form("an npm token", &["npm_"], (36, 36), alphanumeric),
    form("a PyPI token", &["pypi-AgEI"], (60, ANY), any),
    form("a Hugging Face token", &["hf_"], (34, 34), alphanumeric),
];

/// Shorter runs are never secrets.
const SHORTEST: usize = 10;
/// Shorter bearer tokens are words.
const SHORTEST_BEARER: usize = 24;

const PRIVATE_KEY: &str = "-----BEGIN";
const WEB_TOKEN: &str = "eyJ";
const BEARER: &str = "Bearer ";

/// What every secret starts with, or stands behind.
static BEGINNINGS: Landmarks = Landmarks::new(|| {
    let prefixes = FORMS.iter().flat_map(|form| form.prefixes).copied();
    searcher(prefixes.chain([PRIVATE_KEY, WEB_TOKEN, BEARER]))
});

/// Every secret of `text`.
pub fn secrets(text: &str) -> Vec<Secret> {
    let bytes = text.as_bytes();
    let mut found: Vec<Secret> = Vec::new();
    for at in BEGINNINGS.positions(text) {
        let start = if text[at..].starts_with(BEARER) { at + BEARER.len() } else { at };
        let inside = start > 0 && any(bytes[start - 1]);
        let after_last = found.last().is_none_or(|last| last.span.end as usize <= start);
        let length = bytes[start..].iter().take_while(|byte| any(**byte)).count();
        if !inside && after_last && length >= SHORTEST {
            found.extend(secret(text, start, start + length));
        }
    }
    found
}

/// What the run from `start` to `end` is.
fn secret(text: &str, start: usize, end: usize) -> Option<Secret> {
    let run = &text[start..end];
    if run.starts_with(PRIVATE_KEY) {
        return private_key(text, start);
    }
    if run.starts_with(WEB_TOKEN) {
        return web_token(text, start, end);
    }
    let known = FORMS.iter().find_map(|form| {
        let rest = form.prefixes.iter().find_map(|prefix| run.strip_prefix(prefix))?;
        let fits = (form.least..=form.most).contains(&rest.len()) && rest.bytes().all(form.accepts);
        (fits && is_random(rest) && !is_cut(text, end)).then_some(form.kind)
    });
    match known {
        Some(kind) => Some(Secret { kind, span: Span::new(start, end), certain: true }),
        None => bearer(text, start),
    }
}

/// `-----BEGIN … PRIVATE KEY-----` with a key below.
fn private_key(text: &str, start: usize) -> Option<Secret> {
    let head = text[start..].lines().next()?;
    let open = head.find("PRIVATE KEY-----")? + "PRIVATE KEY-----".len();
    // The lines of a key, or its only line with escaped line ends.
    let rest = text[start + open..]
        .trim_start_matches(|c: char| c.is_whitespace() || c == '\\' || c == 'n');
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let line = rest.bytes().take_while(|byte| base64(*byte)).count();
    let span = Span::new(start, start + open);
    (line >= 40 && is_random(&rest[..line])).then_some(Secret {
        kind: "a private key",
        span,
        certain: true,
    })
}

/// `header.payload.signature`, each in base64.
fn web_token(text: &str, start: usize, end: usize) -> Option<Secret> {
    let tail = |from: usize| {
        let rest = text[from..].strip_prefix('.')?;
        let length = rest.bytes().take_while(|byte| any(*byte)).count();
        (length > 0).then(|| (&rest[..length], from + 1 + length))
    };
    let (payload, middle) = tail(end)?;
    let (signature, last) = tail(middle)?;
    // The user of every example: `{"sub":"1234567890",…`.
    let example = payload.starts_with("eyJzdWIiOiIxMjM0NTY3ODkwIi");
    let real = payload.starts_with("eyJ") && signature.len() >= 20 && !example;
    (real && is_random(signature) && !is_cut(text, last)).then(|| Secret {
        kind: "a JSON web token",
        span: Span::new(start, last),
        certain: false,
    })
}

/// What follows `Authorization: Bearer`.
fn bearer(text: &str, start: usize) -> Option<Secret> {
    let head = text[..start].strip_suffix(BEARER)?;
    let head = head.trim_end_matches([' ', '"', '\'', ':']);
    if !head.to_ascii_lowercase().ends_with("authorization") {
        return None;
    }
    let wide = |byte: u8| any(byte) || matches!(byte, b'.' | b'+' | b'/' | b'=' | b'~');
    let length = text[start..].bytes().take_while(|byte| wide(*byte)).count();
    let token = &text[start..start + length];
    let mixed = token.bytes().any(|byte| byte.is_ascii_digit())
        && token.bytes().any(|byte| byte.is_ascii_alphabetic());
    (length >= SHORTEST_BEARER && mixed && is_random(token) && !is_cut(text, start + length)).then(
        || Secret {
            kind: "a bearer token",
            span: Span::new(start, start + length),
            certain: false,
        },
    )
}

/// Whether the text goes on as an example would: `abc…`, `abc<rest>`, `abc***`.
fn is_cut(text: &str, end: usize) -> bool {
    let rest = &text[end..];
    ["...", "…", "*", "<", "$", "{", "["].iter().any(|mark| rest.starts_with(mark))
}

/// Words of examples.
const EXAMPLES: &[&str] = &[
    "example",
    "placeholder",
    "your",
    "xxxx",
    "dummy",
    "fake",
    "sample",
    "secret",
    "redacted",
    "changeme",
    "insert",
    "replace",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "here",
    "testtest",
];

/// Whether nobody made it up: no words of examples, no repetitions, no sequences, many different
/// characters.
fn is_random(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    if EXAMPLES.iter().any(|word| lower.contains(word)) {
        return false;
    }
    let bytes = lower.as_bytes();
    let runs = |same: fn(u8, u8) -> bool| longest_run(bytes, same);
    let repeated = runs(|a, b| a == b) >= 5;
    let counted = runs(|a, b| b == a.wrapping_add(1)).max(runs(|a, b| a == b.wrapping_add(1))) >= 6;
    !repeated && !counted && entropy(text.as_bytes()) >= 3.2
}

/// The longest stretch in which each byte follows from the one before.
fn longest_run(bytes: &[u8], follows: fn(u8, u8) -> bool) -> usize {
    let mut longest = 1;
    let mut run = 1;
    for pair in bytes.windows(2) {
        run = if follows(pair[0], pair[1]) { run + 1 } else { 1 };
        longest = longest.max(run);
    }
    longest
}

/// Bits per character.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let total = bytes.len() as f64;
    let part = |count: &u32| {
        let share = f64::from(*count) / total;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(part).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made up here: nothing in this file may look like a secret to others who search for them.
    const RANDOM: &str = "q7Rz0VbT4mWk9XcJ2sLd8NfH5gPyE1aUo3iB6KxMwQtGvC7jZeSrDnFhYlA0";

    fn kinds(text: &str) -> Vec<&'static str> {
        secrets(text).iter().map(|secret| secret.kind).collect()
    }

    #[test]
    fn tokens_are_known_by_their_form() {
        let cut = |length: usize| &RANDOM[..length];
        for (text, kind) in [
            (format!("key: {}{}{RANDOM}", "sk-", "ant-api03-"), "an Anthropic key"),
            (format!("export KEY=\"{}{}\"", "ghp_", cut(36)), "a GitHub token"),
            (format!("{}{}", "AKIA", "Q7RZ0VBT4MWK9XCJ"), "an AWS access key"),
            (format!("?key={}{}&x", "AIza", cut(35)), "a Google key"),
            (format!("Authorization: Bearer {}", cut(30)), "a bearer token"),
            (format!("-----BEGIN {}-----\n{RANDOM}\n", "PRIVATE KEY"), "a private key"),
            (format!("eyJ{}.eyJ{}.{}", cut(20), cut(20), cut(40)), "a JSON web token"),
        ] {
            assert_eq!(kinds(&text), [kind], "{text}");
        }
    }

    #[test]
    fn examples_are_left_alone() {
        let cut = |length: usize| &RANDOM[..length];
        for text in [
            format!("{}{}", "AKIA", "IOSFODNN7EXAMPLE"),
            format!("{}{}", "ghp_", "x".repeat(36)),
            format!("{}{}", "sk-ant-", "your-key-goes-here-".repeat(4)),
            format!("{}{}...", "sk-ant-api03-", cut(45)),
            format!("{}{}", "ghp_", "1234567890abcdefghijklmnopqrstuvwxyz"),
            format!("{}{}", "ghp_", cut(12)),
            "Authorization: Bearer <token>".to_owned(),
            "Authorization: Bearer ${ACCESS_TOKEN_OF_SERVICE_1}".to_owned(),
            format!("-----BEGIN {}-----\n...\n", "PRIVATE KEY"),
            format!("Bearer {}", cut(30)),
            "sk-learn-pipelines-and-models-for-the-prediction-of-things".to_owned(),
        ] {
            assert!(kinds(&text).is_empty(), "{text}");
        }
    }
}
