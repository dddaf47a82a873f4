//! A model that knows nothing but the conversation: whoever asks, it goes on where that ends.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::Response,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::oneshot};

/// The longest request that is read.
const MAX_REQUEST: usize = 4 << 20;

/// The calls of each answer: a tool and its arguments.
pub type Plan = Vec<Vec<(&'static str, Value)>>;

/// What a model does in each conversation, by the first part of the path it is asked at.
#[derive(Default)]
struct Scenes {
    plans: BTreeMap<String, Plan>,
    seen: BTreeMap<String, Vec<Value>>,
}

/// Speaks Chat Completions. It ends when it is dropped.
pub struct PlanServer {
    url: String,
    scenes: Arc<Mutex<Scenes>>,
    stop: Option<oneshot::Sender<()>>,
}

impl Drop for PlanServer {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            stop.send(()).ok();
        }
    }
}

impl PlanServer {
    /// A server in a thread of its own that takes `delay` for every answer.
    pub fn start(delay: Duration) -> Self {
        let scenes = Arc::<Mutex<Scenes>>::default();
        let (stop, stopped) = oneshot::channel();
        let (sender, url) = std::sync::mpsc::channel();
        let state = (Arc::clone(&scenes), delay);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                sender.send(format!("http://{}", listener.local_addr().unwrap())).unwrap();
                let router = Router::new().fallback(answer).with_state(state);
                tokio::select! {
                    _ = stopped => {}
                    served = axum::serve(listener, router) => served.unwrap(),
                }
            });
        });
        Self { url: url.recv().unwrap(), scenes, stop: Some(stop) }
    }

    /// What the model does in the conversation called `name`, and settings that lead to it: its
    /// name is `one/m`.
    pub fn scene(&self, name: &str, plan: Plan) -> String {
        self.scenes.lock().unwrap().plans.insert(name.to_owned(), plan);
        format!(
            "[run]\nretry_delay_ms = 1\n[providers.one]\nkind = \"openai-chat\"\n\
             base_url = \"{}/{name}\"\napi_key_env = \"KEY_VARIABLE\"\n",
            self.url
        )
    }

    /// The conversations the model was shown under `name`, each a list of messages.
    pub fn seen(&self, name: &str) -> Vec<Value> {
        self.scenes.lock().unwrap().seen.get(name).cloned().unwrap_or_default()
    }
}

/// The texts of the results in a conversation.
pub fn results(messages: &Value) -> Vec<&str> {
    let all = messages.as_array().map(Vec::as_slice).unwrap_or_default();
    let results = all.iter().filter(|message| message["role"] == "tool");
    results.map(|message| message["content"].as_str().unwrap_or_default()).collect()
}

async fn answer(
    State((scenes, delay)): State<(Arc<Mutex<Scenes>>, Duration)>,
    request: Request,
) -> Response {
    let path = request.uri().path().to_owned();
    let body = axum::body::to_bytes(request.into_body(), MAX_REQUEST).await.unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let name = path.split('/').nth(1).unwrap_or_default();
    let done = results(&body["messages"]).len();
    let calls = {
        let mut scenes = scenes.lock().unwrap();
        scenes.seen.entry(name.to_owned()).or_default().push(body["messages"].clone());
        next(scenes.plans.get(name).map(Vec::as_slice).unwrap_or_default(), done)
    };
    tokio::time::sleep(delay).await;
    let text = wire(done, &calls);
    Response::builder().header("content-type", "text/event-stream").body(Body::from(text)).unwrap()
}

/// The calls that follow after `done` results.
fn next(plan: &[Vec<(&'static str, Value)>], done: usize) -> Vec<(&'static str, Value)> {
    let mut before = 0;
    for calls in plan {
        if before == done {
            return calls.clone();
        }
        before += calls.len();
    }
    vec![("complete_task", json!({"result": "all of it"}))]
}

fn wire(done: usize, calls: &[(&str, Value)]) -> String {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(at, (name, arguments))| {
            json!({"index": at, "id": format!("c{}", done + at), "type": "function", "function":
                {"name": name, "arguments": arguments.to_string()}})
        })
        .collect();
    let events = [
        json!({"choices": [{"index": 0, "delta": {"content": "Next. "}}]}),
        json!({"choices": [{"index": 0, "delta": {"tool_calls": calls}}]}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
        json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}}),
    ];
    let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    events + "data: [DONE]\n\n"
}
