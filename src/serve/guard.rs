//! Who may ask anything at all: checked before every answer.
//!
//! The server listens on loopback, where every program of the machine and every web page in its
//! browsers can reach it. A page of another site is kept out by `Origin`, one whose name was made
//! to point here by `Host`, and whoever does not know the token by the token.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{
        HeaderMap, HeaderValue, Method, StatusCode, Uri,
        header::{self, HeaderName},
    },
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use super::Token;

/// What requests are checked against.
#[derive(Debug)]
pub(super) struct Guard {
    /// The secret.
    pub token: Token,
    /// The port the server listens on.
    pub port: u16,
}

/// What whoever has no token is told.
const HOW_TO_ENTER: &str =
    "Please open the address that `agentctl serve` printed: it ends with a token.\n";

impl Guard {
    /// The names this server answers to.
    fn hosts(&self) -> [String; 2] {
        [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)]
    }

    /// The cookie that keeps the token; cookies of one machine are shared by all of its ports.
    fn cookie(&self) -> String {
        format!("agentctl_{}", self.port)
    }

    fn knows_host(&self, request: &Request) -> bool {
        let named = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
        let named = named.or_else(|| request.uri().authority().map(|name| name.as_str()));
        named.is_some_and(|named| self.hosts().iter().any(|host| host == named))
    }

    /// Whether the page that asks, if any, is ours.
    fn knows_origin(&self, request: &Request) -> bool {
        let Some(origin) = request.headers().get(header::ORIGIN) else {
            let reads = matches!(*request.method(), Method::GET | Method::HEAD);
            return reads && !request.headers().contains_key(header::UPGRADE);
        };
        self.hosts().iter().any(|host| origin.as_bytes() == format!("http://{host}").as_bytes())
    }

    fn knows_token(&self, headers: &HeaderMap) -> bool {
        let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let bearer = bearer.and_then(|value| value.strip_prefix("Bearer "));
        bearer.is_some_and(|token| self.token.is(token)) || self.has_cookie(headers)
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie();
        let cookies = headers.get_all(header::COOKIE).into_iter();
        let pairs = cookies.filter_map(|value| value.to_str().ok()).flat_map(|all| all.split(';'));
        pairs
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(key, value)| key == name && self.token.is(value))
    }

    /// Keeps the token in a cookie and goes on without it in the address.
    fn enter(&self, uri: &Uri) -> Response {
        let cookie =
            format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie(), self.token.reveal());
        // A path that begins with two slashes would name another host.
        let path = format!("/{}", uri.path().trim_start_matches('/'));
        (StatusCode::SEE_OTHER, [(header::LOCATION, path), (header::SET_COOKIE, cookie)])
            .into_response()
    }

    fn policy(&self) -> String {
        let [one, other] = self.hosts();
        format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
             connect-src 'self' ws://{one} ws://{other}; base-uri 'none'; form-action 'self'; \
             frame-ancestors 'none'"
        )
    }

    /// Adds what keeps browsers from doing more with an answer than to show it.
    fn seal(&self, mut response: Response) -> Response {
        let headers = response.headers_mut();
        let policy = HeaderValue::from_str(&self.policy());
        headers.extend(policy.ok().map(|policy| (header::CONTENT_SECURITY_POLICY, policy)));
        let fixed: [(HeaderName, &'static str); 5] = [
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::CACHE_CONTROL, "no-store"),
            (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
            (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        ];
        for (name, value) in fixed {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

/// Lets a request through, or answers it.
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let refused = |status: StatusCode, why: &'static str| (status, why).into_response();
    let response = if !guard.knows_host(&request) {
        refused(StatusCode::MISDIRECTED_REQUEST, "This server has another name.\n")
    } else if !guard.knows_origin(&request) {
        refused(StatusCode::FORBIDDEN, "Only the page of this server may ask that.\n")
    } else if let Some(token) = given_token(request.uri()) {
        if guard.token.is(token) {
            guard.enter(request.uri())
        } else {
            refused(StatusCode::UNAUTHORIZED, HOW_TO_ENTER)
        }
    } else if !guard.knows_token(request.headers()) {
        refused(StatusCode::UNAUTHORIZED, HOW_TO_ENTER)
    } else {
        next.run(request).await
    };
    guard.seal(response)
}

/// The token in an address.
fn given_token(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}
