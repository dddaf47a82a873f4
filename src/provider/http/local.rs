//! Looks for models on this machine.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::Url;
use serde_json::Value;
use tokio::time::timeout;

use super::{Client, is_here};
use crate::provider::{ENDPOINTS, Endpoint, Wire};

/// How much of a list of models is read.
const MAX_LIST: usize = 1 << 20;

/// A server that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The endpoint's name.
    pub endpoint: String,
    /// Where it is.
    pub base_url: String,
    /// The models it has that can hold a conversation, as far as their names tell.
    pub models: Vec<String>,
}

/// The servers that may be on this machine, where they are unless somebody says otherwise.
pub fn local_endpoints() -> Vec<Endpoint> {
    let local = ENDPOINTS.iter().filter(|template| template.key_variables.is_empty());
    local
        .map(|template| Endpoint {
            name: template.name.to_owned(),
            wire: template.wire,
            base_url: template.base_url.to_owned(),
            key: None,
            key_variable: None,
        })
        .collect()
}

/// Asks all of `endpoints` that are on this machine for their models, at once. Whoever does not
/// answer in time and in the expected form is not there.
pub async fn probe(client: &Client, endpoints: &[Endpoint], patience: Duration) -> Vec<Found> {
    let found = endpoints.iter().map(|endpoint| async move {
        timeout(patience, ask(client, endpoint)).await.ok().flatten()
    });
    join_all(found).await.into_iter().flatten().collect()
}

async fn ask(client: &Client, endpoint: &Endpoint) -> Option<Found> {
    let base = endpoint.base_url.trim_end_matches('/');
    let (path, list, name) = match endpoint.wire {
        Wire::Ollama => ("/api/tags", "models", "name"),
        Wire::OpenAiChat => ("/models", "data", "id"),
        Wire::Anthropic | Wire::OpenAiResponses | Wire::Gemini => return None,
    };
    let url: Url = format!("{base}{path}").parse().ok().filter(is_here)?;
    let mut response = client.here.get(url).send().await.ok()?;
    if !response.status().is_success() {
        return None;
    }
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.ok()? {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_LIST {
            return None;
        }
    }
    let body: Value = serde_json::from_slice(&body).ok()?;
    let models: Option<Vec<String>> =
        body[list].as_array()?.iter().map(|model| Some(model[name].as_str()?.to_owned())).collect();
    let models = models?.into_iter().filter(|model| !model.contains("embed")).collect();
    Some(Found { endpoint: endpoint.name.clone(), base_url: base.to_owned(), models })
}
