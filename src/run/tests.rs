//! What needs a clock of its own: waiting for people, and for tools that never return.

use std::{
    io,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::{Agent, Approver, Models, Question, Ruling, Surroundings};
use crate::{
    authority::{Circumstances, Position},
    catalog::{File, Origin},
    config::{Patience, RunSettings},
    conversation::ToolSpec,
    event::{Decision, Event, FailureKind, Journal, Outcome, Redactor, Sink, Status, What},
    plan::{ApprovalMode, Call, ModelBook, Plan, Situation, plan},
    provider::{ModelError, ModelId, Provider, Script},
    text::Source,
    tools::{
        CallCx, Root, Tool, ToolCx, ToolError, ToolFuture,
        sandbox::{Mode, Sandbox},
    },
};

const AGENT: &str = "---
agentType: tester
whenToUse: In tests.
model: script:script.yaml
runConfig: {maxTimeSeconds: 10, gracePeriodSeconds: 5}
---

Do it.
";

const WORK: &str = "{tool_calls: [{name: shell, arguments: {}}]}";
const TWICE: &str = "{tool_calls: [{name: shell, arguments: {}}, {name: shell, arguments: {}}]}";
const DONE: &str = "{tool_calls: [{name: complete_task, arguments: {result: done}}]}";

/// A tool that takes its time, stands in for `shell`, and counts its calls.
#[derive(Debug, Default)]
struct Work {
    takes: Duration,
    fails: Option<ToolError>,
    calls: Arc<AtomicU32>,
}

impl Tool for Work {
    fn spec(&self) -> ToolSpec {
        let parameters = serde_json::json!({"type": "object"});
        ToolSpec { name: "shell".to_owned(), description: String::new(), parameters }
    }

    fn call<'a>(&'a self, _: CallCx<'a>, _: Value) -> ToolFuture<'a> {
        Box::pin(async {
            self.calls.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(self.takes).await;
            self.fails.clone().map_or_else(|| Ok("worked".to_owned()), Err)
        })
    }
}

/// Someone who thinks before they answer, and never about two questions at once.
#[derive(Debug)]
struct Person {
    thinks: Duration,
    says: Decision,
    asked: Arc<AtomicU32>,
}

impl Person {
    fn new(thinks: u64, says: Decision) -> Self {
        Self { thinks: Duration::from_secs(thinks), says, asked: Arc::default() }
    }
}

impl Approver for Person {
    fn ask<'a>(&'a self, _: &'a Question) -> Ruling<'a> {
        Box::pin(async {
            self.asked.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(self.thinks).await;
            self.says
        })
    }
}

struct Only(Arc<Script>);

impl Models for Only {
    fn provider(&self, _: &ModelId) -> Result<Arc<dyn Provider>, ModelError> {
        Ok(Arc::<Script>::clone(&self.0))
    }
}

/// Keeps events, up to the first for which there is no room.
#[derive(Clone, Default)]
struct Kept {
    events: Arc<Mutex<Vec<Event>>>,
    full: Option<fn(&What) -> bool>,
}

impl Sink for Kept {
    fn take(&self, event: &Event) -> io::Result<()> {
        if self.full.is_some_and(|full| full(&event.what)) {
            return Err(io::Error::other("no room"));
        }
        self.events.lock().unwrap().push(event.clone());
        Ok(())
    }
}

/// An agent with one tool and a person to ask.
struct Scene {
    folder: TempDir,
    work: Work,
    person: Person,
    kept: Kept,
    cancel: CancellationToken,
}

impl Scene {
    fn new(work: Work, person: Person) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder, work, person, kept: Kept::default(), cancel: CancellationToken::new() }
    }

    fn plan(&self) -> Plan {
        let path = Path::new("agents/tester.md");
        let entry = File::new(path, AGENT.into(), Origin::Builtin, &[]).entries.remove(0);
        let settings = RunSettings::default();
        let models = ModelBook::default();
        let situation = Situation {
            cwd: self.folder.path(),
            today: "2026-01-01",
            models: &models,
            settings: &settings,
            circumstances: Circumstances {
                caller: Some(&["shell"]),
                position: Position::Main,
                background: false,
                trusted: false,
            },
            sandbox: Mode::WorkspaceWrite,
            approval: ApprovalMode::AutoApproveInSandbox,
        };
        plan(&entry, &[], Call::default(), &situation).unwrap()
    }

    async fn play(self, turns: &[&str]) -> Outcome {
        let script: String = turns.iter().map(|turn| format!("  - {turn}\n")).collect();
        let script = format!("turns:\n{script}").into_bytes();
        let script = Script::parse(&Source::new("script.yaml".to_owned(), script)).unwrap();
        let plan = Arc::new(self.plan());
        let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(self.work)];
        let around = Surroundings {
            models: Arc::new(Only(Arc::new(script))),
            tools: tools.into(),
            cx: Arc::new(ToolCx {
                root: Root::open(self.folder.path()).unwrap(),
                sandbox: Sandbox::new(Mode::WorkspaceWrite, "agentctl".into(), []),
                time_limit: Duration::from_secs(3),
                web: false,
            }),
            journal: Arc::new(Journal::new(vec![Box::new(self.kept)], Redactor::default())),
            approver: Arc::new(self.person),
            patience: Patience {
                tool: Duration::from_secs(3),
                ..RunSettings::default().patience()
            },
            cancel: self.cancel,
            inbox: Arc::default(),
            path: Arc::new([]),
        };
        Agent::new(plan, around, "1".to_owned(), 1).run().await
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_for_an_approval_takes_no_time() {
    let scene = Scene::new(Work::default(), Person::new(1200, Decision::Approved));
    let kept = scene.kept.clone();
    let outcome = scene.play(&[WORK, WORK, DONE]).await;
    assert_eq!(outcome.status, Status::Goal);
    assert!(outcome.duration_seconds >= 2400.0, "{}", outcome.duration_seconds);
    let events = kept.events.lock().unwrap();
    let elapsed = events.iter().filter_map(|event| match &event.what {
        What::TurnComplete { progress, .. } => Some(progress.elapsed_seconds),
        _ => None,
    });
    assert!(elapsed.max_by(f64::total_cmp).unwrap() < 1.0);
}

#[tokio::test(start_paused = true)]
async fn working_after_an_approval_does() {
    let work = Work { takes: Duration::from_millis(2500), ..Work::default() };
    let scene = Scene::new(work, Person::new(1200, Decision::Approved));
    let outcome = scene.play(&[WORK, WORK, WORK, WORK, "{text: Too late.}"]).await;
    assert_eq!((outcome.status, outcome.turns_used), (Status::Timeout, 4));
}

#[tokio::test(start_paused = true)]
async fn nobody_answering_means_no() {
    let scene = Scene::new(Work::default(), Person::new(1801, Decision::Approved));
    let kept = scene.kept.clone();
    let outcome = scene.play(&[WORK, DONE]).await;
    assert_eq!(outcome.status, Status::Goal);
    let events = kept.events.lock().unwrap();
    let decided = events.iter().find_map(|event| match &event.what {
        What::ApprovalDecision { decision, .. } => Some(*decision),
        _ => None,
    });
    assert_eq!(decided, Some(Decision::TimedOut));
    let told = events.iter().find_map(|event| match &event.what {
        What::ToolCallEnd { success, output, .. } => Some((*success, output.clone())),
        _ => None,
    });
    let (success, output) = told.unwrap();
    assert!(!success && output.contains("nobody answered in time"), "{output}");
}

#[tokio::test(start_paused = true)]
async fn a_run_can_be_stopped_while_someone_is_asked() {
    let scene = Scene::new(Work::default(), Person::new(1200, Decision::Approved));
    let (cancel, calls) = (scene.cancel.clone(), Arc::clone(&scene.work.calls));
    let (outcome, ()) = tokio::join!(scene.play(&[WORK, DONE]), async {
        tokio::time::sleep(Duration::from_secs(60)).await;
        cancel.cancel();
    });
    assert_eq!(outcome.status, Status::Aborted);
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}

#[tokio::test(start_paused = true)]
async fn a_yes_for_the_whole_run_answers_the_questions_that_wait() {
    let scene = Scene::new(Work::default(), Person::new(5, Decision::ApprovedForRun));
    let (asked, calls) = (Arc::clone(&scene.person.asked), Arc::clone(&scene.work.calls));
    let outcome = scene.play(&[TWICE, WORK, DONE]).await;
    assert_eq!(outcome.status, Status::Goal);
    assert_eq!((asked.load(Ordering::Relaxed), calls.load(Ordering::Relaxed)), (1, 3));
}

#[tokio::test(start_paused = true)]
async fn a_yes_for_one_call_answers_no_other() {
    let scene = Scene::new(Work::default(), Person::new(5, Decision::Approved));
    let asked = Arc::clone(&scene.person.asked);
    assert_eq!(scene.play(&[TWICE, WORK, DONE]).await.status, Status::Goal);
    assert_eq!(asked.load(Ordering::Relaxed), 3);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_never_returns_is_given_up() {
    let work = Work { takes: Duration::from_secs(1_000_000), ..Work::default() };
    let scene = Scene::new(work, Person::new(0, Decision::Approved));
    let told = "{expect: {last_message: '`shell` took longer than 3 s'},
        tool_calls: [{name: complete_task, arguments: {result: done}}]}";
    let outcome = scene.play(&[WORK, told]).await;
    assert_eq!((outcome.status, outcome.error), (Status::Goal, None));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_cannot_work_here_ends_the_run() {
    let fails = Some(ToolError::Broken("no shell".to_owned()));
    let scene = Scene::new(Work { fails, ..Work::default() }, Person::new(0, Decision::Approved));
    let outcome = scene.play(&[WORK, DONE]).await;
    let error = outcome.error.unwrap();
    assert_eq!((outcome.status, error.kind), (Status::Error, FailureKind::ToolBroken));
    assert_eq!(error.message, "`shell` cannot work here: no shell");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_written_down_does_not_happen() {
    let mut scene = Scene::new(Work::default(), Person::new(0, Decision::Approved));
    scene.kept.full = Some(|what| matches!(what, What::ToolCallStart { .. }));
    let calls = Arc::clone(&scene.work.calls);
    let outcome = scene.play(&[WORK, DONE]).await;
    assert_eq!(outcome.status, Status::Error);
    assert_eq!(outcome.error.unwrap().kind, FailureKind::Journal);
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}
