//! The variables commands see: the user's, without what could be a secret, and without what makes
//! programs run other code or talk to daemons.

use std::ffi::{OsStr, OsString};

use crate::event::is_secret_name;

/// What keys of well-known services begin with.
const KEY_PREFIXES: &[&str] = &[
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "AKIA",
    "AIza",
    "ya29.",
    "xox",
    "xai-",
    "gsk_",
    "hf_",
    "npm_",
    "pypi-",
    "dop_v1_",
    "SG.",
    "eyJhbGci",
    "-----BEGIN",
];

/// Variables that hold no secret and are still not passed on: they lead to agents and daemons that
/// act for the user, or name code that programs run unasked.
const LEFT_OUT: &[&str] = &[
    "BASH_ENV",
    "DOCKER_CONFIG",
    "DOCKER_HOST",
    "ENV",
    "GIT_ASKPASS",
    "GNUPGHOME",
    "GPG_AGENT_INFO",
    "KUBECONFIG",
    "LD_AUDIT",
    "LD_PRELOAD",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "SSH_AUTH_SOCK",
    "SUDO_ASKPASS",
];

/// The beginnings of more of them.
const LEFT_OUT_PREFIXES: &[&str] = &["BASH_FUNC_", "DBUS_"];

/// What every command is told: nobody is there to page or to answer.
const SET: &[(&str, &str)] = &[
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("TERM", "dumb"),
];

/// What a command sees of `environment`.
pub(super) fn scrubbed(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let kept = environment.into_iter().filter(|(name, value)| {
        is_harmless(&name.to_string_lossy(), &value.to_string_lossy())
            && !SET.iter().any(|(set, _)| name == set)
    });
    kept.chain(SET.iter().map(|(name, value)| (name.into(), value.into()))).collect()
}

/// The value of `name`.
pub(super) fn lookup<'e>(environment: &'e [(OsString, OsString)], name: &str) -> Option<&'e OsStr> {
    environment.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
}

fn is_harmless(name: &str, value: &str) -> bool {
    let left_out =
        LEFT_OUT.contains(&name) || LEFT_OUT_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    !left_out && !is_secret_name(name) && !holds_a_key(value)
}

/// Whether `value` looks like a key, or like an address with a password in it.
fn holds_a_key(value: &str) -> bool {
    let words = value.split(|c: char| c.is_whitespace() || matches!(c, '=' | ':' | ',' | '"'));
    words.into_iter().any(|word| KEY_PREFIXES.iter().any(|prefix| word.starts_with(prefix)))
        || has_credentials(value)
}

/// Whether `value` is a URL like `scheme://user:password@host`.
fn has_credentials(value: &str) -> bool {
    value.split_once("://").is_some_and(|(_, rest)| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(environment: &[(&str, &str)]) -> Vec<String> {
        let pairs = environment.iter().map(|(name, value)| (name.into(), value.into()));
        let kept = scrubbed(pairs).into_iter().map(|(name, _)| name.into_string().unwrap());
        kept.filter(|name| !SET.iter().any(|(set, _)| set == name)).collect()
    }

    #[test]
    fn secrets_are_left_out_by_name_and_by_value() {
        let environment = [
            ("PATH", "/usr/bin"),
            ("OPENAI_API_KEY", "x"),
            ("HARMLESS", "sk-123456"),
            ("HEADER", "Authorization: ghp_123456"),
            ("DATABASE_URL", "postgres://me:hunter2@localhost/db"),
            ("HOMEPAGE", "https://example.org/@me:you"),
            ("CI", "true"),
        ];
        assert_eq!(names(&environment), ["PATH", "HOMEPAGE", "CI"]);
    }

    #[test]
    fn what_leads_to_daemons_or_runs_code_is_left_out() {
        let environment = [
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/bus"),
            ("LD_PRELOAD", "/evil.so"),
            ("BASH_ENV", "/evil.sh"),
            ("BASH_FUNC_ls%%", "() { evil; }"),
            ("LANG", "C"),
        ];
        assert_eq!(names(&environment), ["LANG"]);
    }

    #[test]
    fn nobody_is_asked_and_nothing_pages() {
        let environment = scrubbed([("PAGER".into(), "less".into())]);
        assert_eq!(lookup(&environment, "PAGER"), Some(OsStr::new("cat")));
        assert_eq!(environment.iter().filter(|(name, _)| name == "PAGER").count(), 1);
    }

    #[test]
    fn scrubbing_twice_changes_nothing() {
        let once = scrubbed([("A".into(), "b".into()), ("A_TOKEN".into(), "c".into())]);
        assert_eq!(scrubbed(once.clone()), once);
    }
}
