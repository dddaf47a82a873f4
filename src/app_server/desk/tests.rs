//! Several clients and one question.

use serde_json::{Value, json};

use super::*;
use crate::{
    app_server::{
        Connection, Stage, StartError, Starter,
        protocol::{AgentInfo, ApprovalPolicy, ThreadStartParams},
    },
    event::AgentRef,
    session::{Mode, Session},
    store::{Store, Thread},
};

/// Starts nothing.
struct Nothing;

fn nothing<T>() -> Result<T, StartError> {
    Err(StartError::Broken("nothing is started here".to_owned()))
}

impl Starter for Nothing {
    fn store(&self) -> Result<Arc<Store>, StartError> {
        nothing()
    }

    fn agents(&self) -> Result<Vec<AgentInfo>, StartError> {
        nothing()
    }

    fn start(
        &self,
        _: &ThreadStartParams,
        _: Option<Mode>,
        _: Stage,
    ) -> Result<Arc<Session>, StartError> {
        nothing()
    }

    fn resume(&self, _: &Thread, _: ApprovalPolicy, _: Stage) -> Result<Arc<Session>, StartError> {
        nothing()
    }
}

async fn client(server: &Arc<Server>) -> Connection {
    let client = server.connect();
    client.receive(r#"{"jsonrpc": "2.0", "id": 0, "method": "initialize"}"#).await;
    client
}

/// What a client is told next, without answers to its own requests.
async fn next(client: &Connection) -> Value {
    loop {
        let message: Value = serde_json::from_str(&client.next().await.unwrap()).unwrap();
        if message.get("method").is_some() {
            return message;
        }
    }
}

/// Asks the clients of `server`.
fn ask(server: &Arc<Server>) -> tokio::task::JoinHandle<Decision> {
    let clients = Clients { server: Arc::downgrade(server), feed: Feed::new(server) };
    let question = Question {
        agent: AgentRef { agent_id: "t".to_owned(), agent_type: "tester".to_owned() },
        path: vec!["tester".to_owned()],
        call_id: "c1".to_owned(),
        tool: "shell".to_owned(),
        detail: "ls".to_owned(),
    };
    tokio::spawn(async move { clients.ask(&question).await })
}

async fn answer(client: &Connection, id: &str, decision: &str) {
    let result = json!({ "decision": decision });
    client.receive(&json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()).await;
}

#[tokio::test]
async fn nobody_is_asked_where_nobody_is() {
    let server = Server::new(Arc::new(Nothing));
    let _silent = server.connect();
    assert_eq!(ask(&server).await.unwrap(), Decision::NobodyToAsk);
}

#[tokio::test]
async fn everyone_is_asked_and_the_first_answer_counts() {
    let server = Server::new(Arc::new(Nothing));
    let (first, second) = (client(&server).await, client(&server).await);
    let decision = ask(&server);
    assert_eq!(next(&first).await["id"], "a1");
    assert_eq!(next(&second).await["params"]["approvalId"], "a1");
    answer(&second, "a1", "decline").await;
    answer(&first, "a1", "accept").await;
    assert_eq!(decision.await.unwrap(), Decision::Denied);
    for client in [&first, &second] {
        let resolved = next(client).await;
        assert_eq!(resolved["method"], "approval/resolved");
        assert_eq!(resolved["params"]["decision"], "decline");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_stays_open_for_others_until_the_last_one_is_gone() {
    let server = Server::new(Arc::new(Nothing));
    let (first, second) = (client(&server).await, client(&server).await);
    let decision = ask(&server);
    next(&first).await;
    drop(first);
    tokio::time::sleep(RELOAD * 2).await;
    assert!(!decision.is_finished());
    drop(second);
    assert_eq!(decision.await.unwrap(), Decision::NobodyToAsk);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_comes_back_is_asked_again() {
    let server = Server::new(Arc::new(Nothing));
    let first = client(&server).await;
    let decision = ask(&server);
    next(&first).await;
    drop(first);
    let back = client(&server).await;
    assert_eq!(next(&back).await["method"], "approval/request");
    tokio::time::sleep(RELOAD * 2).await;
    answer(&back, "a1", "acceptForSession").await;
    assert_eq!(decision.await.unwrap(), Decision::ApprovedForRun);
}

#[tokio::test]
async fn clients_that_cannot_answer_are_nobody() {
    let server = Server::new(Arc::new(Nothing));
    let (first, second) = (client(&server).await, client(&server).await);
    let decision = ask(&server);
    next(&first).await;
    for client in [&first, &second] {
        assert!(!decision.is_finished());
        let error = json!({ "code": -32601, "message": "what?" });
        client.receive(&json!({ "jsonrpc": "2.0", "id": "a1", "error": error }).to_string()).await;
    }
    assert_eq!(decision.await.unwrap(), Decision::NobodyToAsk);
}
