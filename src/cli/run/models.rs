//! The models this process can ask: from settings, from the environment, from this machine.

use std::{
    collections::HashMap,
    fs,
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use anyhow::{Context as _, Result};

use crate::{
    cli::world::World,
    config::{Patience, RunSettings},
    plan::ModelBook,
    provider::{
        ENDPOINTS, Endpoint, EndpointTemplate, ModelError, ModelId, OFFLINE, Provider, REPLAY,
        Recorder, Recording, Replay, SCRIPT, Script, Secret, Wire, http, offline::Offline,
    },
    run::Models,
    text::Source,
};

/// How long a server on this machine has to say that it is there.
const PROBE: Duration = Duration::from_millis(150);

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(15);

/// Every model that can be asked, without looking for servers on this machine.
pub(in crate::cli) fn book(world: &World, settings: &RunSettings) -> ModelBook {
    let secret = |name: &str| world.variable(name).map(Secret::new);
    let mut endpoints: Vec<Endpoint> = settings
        .providers
        .iter()
        .map(|(name, provider)| Endpoint {
            name: name.clone(),
            wire: provider.wire,
            base_url: provider.base_url.clone(),
            key: provider.key_variable.as_deref().and_then(secret),
            key_variable: provider.key_variable.clone(),
        })
        .collect();
    for known in ENDPOINTS {
        if endpoints.iter().any(|endpoint| endpoint.name == known.name) {
            continue;
        }
        let elsewhere = known.base_url_variable.and_then(|name| world.variable(name));
        // The first variable that is set, or the one to set.
        let set = known.key_variables.iter().find(|name| world.variable(name).is_some());
        let variable = set.or(known.key_variables.first()).copied();
        endpoints.push(Endpoint {
            name: known.name.to_owned(),
            wire: known.wire,
            base_url: base_url(known, elsewhere),
            key: variable.and_then(secret),
            key_variable: variable.map(str::to_owned),
        });
    }
    ModelBook {
        endpoints,
        aliases: settings.models.clone(),
        preferred: settings.model.clone(),
        local: None,
    }
}

/// Where a server is, from what its variable says.
fn base_url(known: &EndpointTemplate, elsewhere: Option<String>) -> String {
    match elsewhere {
        Some(host) if known.wire == Wire::Ollama => http::ollama_base_url(&host),
        Some(url) => url.trim_end_matches('/').to_owned(),
        None => known.base_url.to_owned(),
    }
}

/// The models of servers on this machine.
pub(super) async fn on_this_machine(book: &ModelBook, patience: Patience) -> Vec<ModelId> {
    let Ok(client) = http::client(http_patience(patience)) else { return Vec::new() };
    let local: Vec<Endpoint> = http::local_endpoints()
        .into_iter()
        .map(|endpoint| {
            let id = ModelId { provider: endpoint.name.clone(), model: String::new() };
            book.endpoint(&id).cloned().unwrap_or(endpoint)
        })
        .collect();
    let found = http::probe(&client, &local, PROBE).await;
    let models = found.into_iter().flat_map(|found| {
        let provider = found.endpoint;
        found.models.into_iter().map(move |model| ModelId { provider: provider.clone(), model })
    });
    models.collect()
}

fn http_patience(patience: Patience) -> http::Patience {
    http::Patience { connect: CONNECT.min(patience.answer), idle: patience.idle }
}

/// Finds providers, each made once.
pub(super) struct Registry {
    book: ModelBook,
    /// Made when it is first needed: reading the system's certificates takes time.
    client: OnceLock<Result<http::Client, ModelError>>,
    patience: http::Patience,
    cwd: PathBuf,
    recording: Option<Arc<Recording>>,
    /// What stands in for models, read before anything started.
    prepared: HashMap<ModelId, Arc<dyn Provider>>,
    made: Mutex<HashMap<ModelId, Arc<dyn Provider>>>,
}

impl Registry {
    pub fn new(
        book: ModelBook,
        cwd: PathBuf,
        patience: Patience,
        recording: Option<Arc<Recording>>,
    ) -> Self {
        Self {
            book,
            client: OnceLock::new(),
            patience: http_patience(patience),
            cwd,
            recording,
            prepared: HashMap::new(),
            made: Mutex::default(),
        }
    }

    /// Reads the script `id` stands for, if it does, so that a mistake in it shows before anything
    /// starts.
    pub fn prepare(&mut self, id: &ModelId) -> Result<()> {
        if id.provider == SCRIPT {
            let script = self.script(id)?;
            self.prepared.insert(id.clone(), script);
        }
        Ok(())
    }

    fn script(&self, id: &ModelId) -> Result<Arc<dyn Provider>> {
        let bytes = fs::read(self.cwd.join(&id.model))
            .with_context(|| format!("cannot read {}", id.model))?;
        Ok(Arc::new(Script::parse(&Source::new(id.model.clone(), bytes))?))
    }

    /// Answers from `replay` where `id` is asked.
    pub fn replay(&mut self, id: ModelId, replay: Replay) {
        self.prepared.insert(id, Arc::new(replay));
    }

    fn make(&self, id: &ModelId) -> Result<Arc<dyn Provider>, ModelError> {
        if let Some(provider) = self.prepared.get(id) {
            return Ok(Arc::clone(provider));
        }
        if id.provider == OFFLINE {
            return Ok(Arc::new(Offline));
        }
        if id.provider == SCRIPT {
            let unusable = |error| ModelError::Script { message: format!("{error:#}") };
            return self.script(id).map_err(unusable);
        }
        let endpoint = self.book.endpoint(id).ok_or_else(|| ModelError::UnknownModel {
            message: format!("there is no provider called `{}`", id.provider),
        })?;
        if let Some(variable) = self.book.missing_key(id) {
            return Err(ModelError::NoKey { variable: variable.to_owned() });
        }
        let client = self.client.get_or_init(|| http::client(self.patience));
        Ok(http::connect(endpoint.clone(), client.as_ref().map_err(Clone::clone)?))
    }
}

impl Models for Registry {
    fn provider(&self, id: &ModelId) -> Result<Arc<dyn Provider>, ModelError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(provider) = made.get(id) {
            return Ok(Arc::clone(provider));
        }
        let mut provider = self.make(id)?;
        if let Some(recording) = &self.recording
            && id.provider != REPLAY
        {
            provider = Arc::new(Recorder::new(provider, Arc::clone(recording)));
        }
        made.insert(id.clone(), Arc::clone(&provider));
        Ok(provider)
    }
}
