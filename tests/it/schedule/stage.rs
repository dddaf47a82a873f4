//! A session with a model of the test's own, kept in a store or not.

use std::{
    path::Path,
    sync::{Arc, Weak},
    time::Duration,
};

use agentctl::{
    authority::{Circumstances, Trust},
    catalog::{Catalog, File, Origin},
    collab,
    config::{self, Settings},
    conversation::ToolSpec,
    event::{Decision, Journal, Redactor, Sink},
    plan::{ApprovalMode, Finish, ModelBook, ModelWishes, Situation, plan},
    provider::{ModelError, ModelId, Provider},
    run::{Always, Models, Surroundings},
    session::{
        Approvals, Launcher, Main, Roster, RosterSink, Session, Setup, StoredCall, new_thread,
        position,
    },
    store::{Owner, Store, StoreSink},
    text::Source,
    tools::{CallCx, Root, Tool, ToolCx, ToolFuture, sandbox::Sandbox},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// The kind of agent everyone is.
pub const KIND: &str = "tester";

const AGENT: &str = "---
agentType: tester
whenToUse: In tests.
model: script:none
tools: [list_dir, spawn_agent, send_input, wait, close_agent, resume_agent, set_thread_note,
  collaboration.init_agent, collaboration.send, collaboration.wait, collaboration.close,
  collaboration.get_state]
runConfig: {maxTimeSeconds: 10000000, maxTurns: 1000, gracePeriodSeconds: 0}
---

Do what you are told.
";

/// A session whose main agent has nothing to do yet. `settings` is a settings file.
pub fn session(
    folder: &Path,
    settings: &str,
    is_kept: bool,
    model: Arc<dyn Provider>,
    watch: Box<dyn Sink>,
) -> Arc<Session> {
    let source = Source::new("agentctl.toml".to_owned(), settings.into());
    let settings = Settings::parse(&source, folder, config::Owner::User).unwrap();
    let file = File::new(Path::new("agents/tester.md"), AGENT.into(), Origin::Builtin, &[]);
    let entry = file.entries[0].clone();
    let catalog = Catalog { entries: file.entries, files: 1, ..Catalog::default() };
    let call = StoredCall {
        finish: Finish::LastMessage,
        dialect: entry.dialect.id.to_owned(),
        from: folder.to_owned(),
        ..StoredCall::default()
    };
    let book = ModelBook::default();
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Nothing)];
    let names: Vec<&str> = collab::names().chain(["list_dir"]).collect();
    let situation = Situation {
        cwd: folder,
        today: "2026-01-01",
        models: &book,
        settings: &settings.run,
        circumstances: Circumstances {
            caller: Some(&names),
            position: position(&call, settings.collab.max_depth()),
            background: false,
            trusted: false,
        },
        sandbox: settings.run.sandbox(),
        approval: ApprovalMode::AutoApproveInSandbox,
    };
    let plan = plan(&entry, &[], call.planned(ModelWishes::default()), &situation).unwrap();
    let thread = new_thread(&entry, &plan, &call, folder, &Redactor::default());
    let kept = is_kept.then(|| {
        let store = Arc::new(Store::open(&folder.join("threads.db")).unwrap());
        let owner = Owner::this_process();
        store.create(&thread, Some(&owner)).unwrap();
        (store, owner)
    });
    let roster = Arc::new(Roster::default());
    let mut sinks: Vec<Box<dyn Sink>> = Vec::new();
    if let Some((store, owner)) = &kept {
        let sink = StoreSink::new(Arc::clone(store), owner.clone(), Redactor::default());
        sinks.push(Box::new(sink));
    }
    sinks.push(Box::new(RosterSink(Arc::clone(&roster))));
    sinks.push(watch);
    let mut patience = settings.run.patience();
    patience.answer = Duration::from_secs(10_000_000);
    let around = Surroundings {
        models: Arc::new(Only(model)),
        tools: tools.into(),
        cx: Arc::new(ToolCx {
            root: Root::open(folder).unwrap(),
            sandbox: Sandbox::new(plan.sandbox(), "agentctl".into(), []),
            time_limit: patience.tool,
            web: false,
        }),
        journal: Arc::new(Journal::new(sinks, Redactor::default())),
        approver: Arc::new(Always(Decision::Denied)),
        patience,
        cancel: CancellationToken::new(),
        inbox: Arc::default(),
        path: Arc::new([]),
    };
    let setup = Setup {
        catalog,
        trust: Box::new(Trust::default),
        lint: settings.lint,
        run: settings.run,
        collab: settings.collab,
        book,
        wishes: ModelWishes::default(),
        today: "2026-01-01".to_owned(),
        around,
        approve: Approvals::Never,
        helper: ("agentctl".into(), Vec::new()),
        kept,
        launcher: Arc::new(Nowhere),
        roster,
        from: folder.to_owned(),
    };
    let main = Main { thread, entry, plan: Arc::new(plan), call, resumed: None };
    Session::new(setup, main, |session: &Weak<Session>| collab::tools(session)).unwrap()
}

/// One model, whoever asks.
struct Only(Arc<dyn Provider>);

impl Models for Only {
    fn provider(&self, _: &ModelId) -> Result<Arc<dyn Provider>, ModelError> {
        Ok(Arc::clone(&self.0))
    }
}

/// No process is started.
struct Nowhere;

impl Launcher for Nowhere {
    fn launch(&self, _: &str) -> Result<(), String> {
        Err("not here".to_owned())
    }
}

/// A tool that only takes its time, under the name of one that is granted.
#[derive(Debug)]
struct Nothing;

impl Tool for Nothing {
    fn spec(&self) -> ToolSpec {
        let parameters = json!({"type": "object"});
        ToolSpec { name: "list_dir".to_owned(), description: "Nothing.".to_owned(), parameters }
    }

    fn call<'a>(&'a self, _: CallCx<'a>, _: Value) -> ToolFuture<'a> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            Ok("nothing".to_owned())
        })
    }
}
