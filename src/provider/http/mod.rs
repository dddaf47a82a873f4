//! Models behind HTTP.
//!
//! A [`Format`] is how one kind of provider is spoken to: how a request is written and how an
//! answer is read. Everything else is here and the same for all: connections, keys, patience, and
//! what becomes of answers that are none. Nothing is retried here.

mod anthropic;
mod ask;
mod effort;
mod gemini;
mod local;
mod ollama;
mod openai;
mod openai_chat;
mod openai_responses;
mod refusal;
mod sse;
mod stream;
#[cfg(test)]
mod tests;

use std::{
    error::Error,
    sync::Arc,
    time::{Duration, SystemTime},
};

use ask::{Ask, Names};
pub use local::{Found, local_endpoints, probe};
pub use ollama::ollama_base_url;
use reqwest::{
    Response, Url,
    header::{CONTENT_TYPE, HeaderValue, LOCATION, TRANSFER_ENCODING},
    redirect,
};
use serde_json::Value;
use sse::Framing;
use stream::{Ending, Progress, Reader, Stream, not_a_stream, truncated};
use tokio::time::timeout;

use super::{Endpoint, Listener, ModelError, Provider, Reply, Request, Wire};
use crate::{
    conversation::{Answer, Part},
    event::Redactor,
    text::one_line,
};

/// How much is read of an answer that is none.
const MAX_REFUSAL: usize = 64 << 10;
/// How much of it people are shown, in characters.
const MAX_EXCERPT: usize = 300;

/// How long to wait for a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// For the next bytes.
    pub idle: Duration,
}

/// Connections to providers. Cloning it shares them.
#[derive(Clone, Debug)]
pub struct Client {
    /// To this machine: never through a proxy.
    here: reqwest::Client,
    /// To all others; without the system's certificates there is no way to them.
    elsewhere: Result<reqwest::Client, ModelError>,
    idle: Duration,
}

/// Makes a client.
pub fn client(patience: Patience) -> Result<Client, ModelError> {
    // Fails if somebody else was first, which is as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = || {
        // A redirect would carry the key and the conversation to somebody else.
        reqwest::Client::builder()
            .connect_timeout(patience.connect)
            .redirect(redirect::Policy::none())
            .user_agent(concat!("agentctl/", env!("CARGO_PKG_VERSION")))
    };
    let unusable = |error: reqwest::Error| ModelError::Unreachable { message: reason(error) };
    let here = builder().no_proxy().build().or_else(|_| {
        // Local models must work on a machine without certificates.
        builder().no_proxy().tls_certs_only([]).build()
    });
    Ok(Client {
        here: here.map_err(unusable)?,
        elsewhere: builder().build().map_err(unusable),
        idle: patience.idle,
    })
}

impl Client {
    fn to(&self, url: &Url) -> Result<&reqwest::Client, ModelError> {
        if is_here(url) { Ok(&self.here) } else { self.elsewhere.as_ref().map_err(Clone::clone) }
    }
}

/// Whether `url` is on this machine.
fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The provider behind `endpoint`. Nothing is sent before it is asked.
pub fn connect(endpoint: Endpoint, client: &Client) -> Arc<dyn Provider> {
    let format = match endpoint.wire {
        Wire::Anthropic => &anthropic::FORMAT,
        Wire::OpenAiResponses => &openai_responses::FORMAT,
        Wire::OpenAiChat => &openai_chat::FORMAT,
        Wire::Gemini => &gemini::FORMAT,
        Wire::Ollama => &ollama::FORMAT,
    };
    let keys = endpoint.key.iter().map(|key| key.expose().to_owned());
    let redactor = Redactor::new(keys);
    Arc::new(Http { endpoint, format, client: client.clone(), redactor })
}

/// How one kind of provider is spoken to.
#[derive(Debug)]
struct Format {
    /// Where requests for a model go, from a base URL without a slash at the end.
    url: fn(base: &str, model: &str) -> String,
    /// The header for the key, and what comes before the key in it.
    key: (&'static str, &'static str),
    /// Headers besides.
    headers: &'static [(&'static str, &'static str)],
    /// How events follow each other.
    framing: Framing,
    /// Writes a request.
    body: fn(&Ask<'_>) -> Value,
    /// Reads an answer.
    reader: fn() -> Box<dyn Reader>,
}

/// A provider behind HTTP.
#[derive(Debug)]
struct Http {
    endpoint: Endpoint,
    format: &'static Format,
    client: Client,
    redactor: Redactor,
}

impl Provider for Http {
    fn answer<'a>(&'a self, request: &'a Request<'a>, heard: Listener<'a>) -> Reply<'a> {
        Box::pin(async move {
            let names = Names::new(request);
            let answer = self.ask(request, &names, heard).await;
            match answer {
                Ok(answer) => Ok(canonical(answer, &names)),
                Err(error) => Err(error.map_message(|message| self.excerpt(&message))),
            }
        })
    }
}

impl Http {
    async fn ask(
        &self,
        request: &Request<'_>,
        names: &Names<'_>,
        heard: Listener<'_>,
    ) -> Result<Answer, ModelError> {
        let response = self.send(request, names).await?;
        let idle = self.client.idle;
        if !response.status().is_success() {
            return Err(refused(response, idle).await);
        }
        let response = self.streaming(response).await?;
        let ending = ending(&response);
        let stream = Stream::new(self.format.framing, (self.format.reader)());
        receive(response, stream, ending, idle, heard).await
    }

    /// Sends the request and waits for the head of the answer.
    async fn send(&self, request: &Request<'_>, names: &Names<'_>) -> Result<Response, ModelError> {
        let base = self.endpoint.base_url.trim_end_matches('/');
        let url = (self.format.url)(base, request.model);
        let url: Url = url
            .parse()
            .map_err(|_| ModelError::Unreachable { message: format!("`{base}` is not a URL") })?;
        let by = format!("{}/{}", self.endpoint.name, request.model);
        let body = (self.format.body)(&Ask::new(request, &by, names));
        let key = self.key(&url)?;
        let mut post = self.client.to(&url)?.post(url).header(CONTENT_TYPE, "application/json");
        for (name, value) in self.format.headers {
            post = post.header(*name, *value);
        }
        if let Some(key) = key {
            post = post.header(self.format.key.0, key);
        }
        match timeout(self.client.idle, post.body(body.to_string()).send()).await {
            Err(_) => Err(ModelError::Idle { after: self.client.idle }),
            Ok(Err(error)) => Err(ModelError::Unreachable { message: reason(error) }),
            Ok(Ok(response)) => Ok(response),
        }
    }

    /// The header with the key. Servers on this machine may do without one.
    fn key(&self, url: &Url) -> Result<Option<HeaderValue>, ModelError> {
        let no_key = || {
            let variable = self.endpoint.key_variable.clone();
            ModelError::NoKey { variable: variable.unwrap_or_else(|| self.endpoint.name.clone()) }
        };
        match &self.endpoint.key {
            Some(key) => {
                let text = format!("{}{}", self.format.key.1, key.expose().trim());
                // What no header can hold is no key.
                let mut value = HeaderValue::from_str(&text).map_err(|_| no_key())?;
                value.set_sensitive(true);
                Ok(Some(value))
            }
            None if self.endpoint.key_variable.is_some() && !is_here(url) => Err(no_key()),
            None => Ok(None),
        }
    }

    /// `response`, if it does not already say that it is something else than a stream.
    async fn streaming(&self, response: Response) -> Result<Response, ModelError> {
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default();
        let kind = kind.trim().to_ascii_lowercase();
        let page = matches!(kind.as_str(), "text/html" | "application/xhtml+xml");
        let json = kind == "application/json" && self.format.framing == Framing::Sse;
        if !page && !json {
            return Ok(response);
        }
        let body = beginning(response, self.client.idle).await;
        let text = String::from_utf8_lossy(&body);
        match serde_json::from_str::<Value>(&text) {
            Ok(value) if value.get(0).unwrap_or(&value).get("error").is_some() => {
                Err(refusal::of_event(&value))
            }
            _ => Err(not_a_stream(format!("{kind}: {text}"))),
        }
    }

    /// `message` without the key and fit to print, as much of it as anyone wants to read. The key
    /// goes first, so that no half of it is left.
    fn excerpt(&self, message: &str) -> String {
        let line = one_line(&self.redactor.text(message));
        match line.char_indices().nth(MAX_EXCERPT) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }
}

/// `answer` with the names of tools as everyone else knows them.
fn canonical(mut answer: Answer, names: &Names<'_>) -> Answer {
    for part in &mut answer.parts {
        if let Part::Call(call) = part {
            call.name = names.received(std::mem::take(&mut call.name));
        }
    }
    answer
}

/// How the bytes of `response` will end, if nothing goes wrong.
fn ending(response: &Response) -> Ending {
    let chunked = response.headers().contains_key(TRANSFER_ENCODING);
    if chunked || response.content_length().is_some() { Ending::Announced } else { Ending::Closed }
}

/// Reads an answer to its end.
async fn receive(
    mut response: Response,
    mut stream: Stream,
    ending: Ending,
    idle: Duration,
    heard: Listener<'_>,
) -> Result<Answer, ModelError> {
    loop {
        match timeout(idle, response.chunk()).await {
            Err(_) => return Err(ModelError::Idle { after: idle }),
            Ok(Err(error)) => return Err(truncated(&reason(error))),
            Ok(Ok(None)) => return stream.end(ending, heard),
            Ok(Ok(Some(bytes))) => {
                if stream.take(&bytes, heard)? == Progress::Complete {
                    return stream.end(Ending::Announced, heard);
                }
            }
        }
    }
}

/// The error an answer without success stands for.
async fn refused(response: Response, idle: Duration) -> ModelError {
    let status = response.status();
    if status.is_redirection() {
        let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
        let message = format!("redirected to `{}`, not followed", to.unwrap_or_default());
        return ModelError::BadRequest { status: status.as_u16(), message };
    }
    let retry_after = refusal::retry_after(response.headers(), SystemTime::now());
    let body = beginning(response, idle).await;
    refusal::of_response(status.as_u16(), &body, retry_after)
}

/// The beginning of a body, as far as it comes.
async fn beginning(mut response: Response, idle: Duration) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Ok(Some(bytes))) = timeout(idle, response.chunk()).await {
        body.extend_from_slice(&bytes);
        if body.len() >= MAX_REFUSAL {
            break;
        }
    }
    body.truncate(MAX_REFUSAL);
    body
}

/// What is at the bottom of `error`, without the URL it happened at.
fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut deepest: &dyn Error = &error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}
