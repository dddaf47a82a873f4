//! Sessions for clients of a server: main agents that wait for what they are told.

use std::{path::PathBuf, sync::Arc};

use super::{
    Order,
    job::{Job, Staging},
    look_up, runtime, thread,
};
use crate::{
    app_server::{
        Stage, StartError, Starter,
        protocol::{AgentInfo, ApprovalPolicy, ThreadStartParams},
    },
    authority::{Circumstances, Position},
    catalog::{Catalog, Entry, Keep},
    cli::{
        args::RunFormat,
        run::{book, environment_wishes},
        world::{Whose, World},
    },
    config::Settings,
    event::{Decision, today},
    lint::{self, Finding, Level},
    plan::{ApprovalMode, Finish, PlanError, Situation, preview},
    provider::efforts,
    run::{Always, Approver},
    session::{Approvals, Mode, Session, StoredCall, is_trusted, new_thread},
    store::{self, NewThread, Owner, Store, note},
    tools::sandbox,
};

/// The agent a client talks to if it names none.
const MAIN_AGENT: &str = "orchestrator";

/// Starts sessions where a command was started. What has changed since then counts.
pub(in crate::cli) struct Sessions {
    world: World,
}

impl Sessions {
    pub fn new(world: &World) -> Self {
        Self { world: world.afresh() }
    }
}

impl Starter for Sessions {
    fn store(&self) -> Result<Arc<Store>, StartError> {
        let path = self.world.state_file(thread::STORE).map_err(broken)?;
        Ok(Arc::new(Store::open(&path).map_err(broken)?))
    }

    fn agents(&self) -> Result<Vec<AgentInfo>, StartError> {
        agents(&mut self.world.afresh()).map_err(broken)
    }

    fn start(
        &self,
        params: &ThreadStartParams,
        mode: Option<Mode>,
        stage: Stage,
    ) -> Result<Arc<Session>, StartError> {
        let world = &mut self.world.afresh();
        let agent = params.agent.as_deref().unwrap_or(MAIN_AGENT);
        let (catalog, entry, findings) =
            look_up(world, agent).map_err(broken)?.map_err(|(_, why)| StartError::Refused(why))?;
        let call = call(world, params, mode, &entry)?;
        let cwd = params.cwd.as_ref().map_or(PathBuf::new(), PathBuf::from);
        let mut order = Order {
            entry,
            findings,
            call,
            catalog: Some(catalog),
            cwd: world.cwd().join(cwd),
            record: None,
            replay: None,
            dry_run: false,
        };
        let job = prepare(world, &mut order)?;
        check_effort(&job, params)?;
        let thread = new_thread(&order.entry, &job.plan, &order.call, &order.cwd, &job.redactor);
        let label = params.note.as_deref().and_then(note);
        let label = label.map(|label| job.redactor.text(&label).into_owned());
        let thread = NewThread { note: label, ..thread };
        let (store, owner) = (self.store()?, Owner::this_process());
        store.create(&thread, Some(&owner)).map_err(broken)?;
        session(world, job, (store, owner), thread, None, stage)
    }

    fn resume(
        &self,
        thread: &store::Thread,
        approvals: ApprovalPolicy,
        stage: Stage,
    ) -> Result<Arc<Session>, StartError> {
        let world = &mut self.world.afresh();
        let mut order = Order::stored(world, thread).map_err(broken)?;
        let allowed = world.settings().map_err(broken)?.run.sandbox();
        let call = &mut order.call;
        call.approve = policy(approvals);
        call.background = false;
        call.finish = Finish::LastMessage;
        // What was allowed then need not be allowed now.
        call.sandbox = call
            .sandbox
            .take()
            .filter(|name| sandbox::Mode::parse(name).is_some_and(|asked| asked >= allowed));
        let job = prepare(world, &mut order)?;
        let (store, owner) = (self.store()?, Owner::this_process());
        let taken = store.take_over(&thread.begun.id, &owner);
        taken.map_err(|error| StartError::Refused(error.to_string()))?;
        session(world, job, (store, owner), thread.begun.clone(), Some(Vec::new()), stage)
    }
}

/// How a main agent is called.
fn call(
    world: &World,
    params: &ThreadStartParams,
    mode: Option<Mode>,
    entry: &Entry,
) -> Result<StoredCall, StartError> {
    if let Some(name) =
        params.sandbox.as_deref().filter(|name| sandbox::Mode::parse(name).is_none())
    {
        let known: Vec<_> = sandbox::Mode::ALL.iter().map(|(name, _)| *name).collect();
        let message = format!("there is no sandbox `{name}`; there are {}", known.join(", "));
        return Err(StartError::Params(message));
    }
    Ok(StoredCall {
        model: params.model.clone(),
        effort: params.reasoning_effort.clone(),
        approve: policy(params.approvals.unwrap_or(ApprovalPolicy::Ask)),
        sandbox: params.sandbox.clone(),
        mode,
        finish: Finish::LastMessage,
        dialect: entry.dialect.id.to_owned(),
        from: world.cwd().to_owned(),
        ..StoredCall::default()
    })
}

/// An effort that the model does not know is refused before anything is started.
fn check_effort(job: &Job, params: &ThreadStartParams) -> Result<(), StartError> {
    let mode = params.collaboration_mode.as_ref();
    let asked = mode.and_then(|mode| mode.settings.reasoning_effort.as_ref());
    let asked = asked.or(params.reasoning_effort.as_ref());
    let (Some(asked), Some(model)) = (asked, job.plan.models().first()) else { return Ok(()) };
    let known = efforts(&model.provider);
    if known.contains(&asked.as_str()) {
        return Ok(());
    }
    let known = known.join(", ");
    let message = format!("`{model}` does not know the effort `{asked}`; it knows {known}");
    Err(StartError::Params(message))
}

fn policy(approvals: ApprovalPolicy) -> Approvals {
    match approvals {
        ApprovalPolicy::Ask => Approvals::Ask,
        ApprovalPolicy::Never => Approvals::Never,
        ApprovalPolicy::Always => Approvals::Always,
    }
}

fn prepare(world: &mut World, order: &mut Order) -> Result<Job, StartError> {
    // Looking for servers on this machine must not depend on who else works.
    let prepared = runtime().and_then(|runtime| Job::prepare(world, order, &runtime));
    prepared.map_err(|error| StartError::Refused(format!("{error:#}")))?.map_err(|error| {
        let agent = order.entry.full_name();
        let mut findings = order.findings.iter();
        let first = findings.find(|one| one.level == Level::Error);
        let first = first.filter(|_| matches!(error, PlanError::Invalid));
        let why = first.map_or_else(|| error.to_string(), |finding| finding.message.clone());
        StartError::Refused(format!("`{agent}` cannot be run: {why}"))
    })
}

fn session(
    world: &World,
    job: Job,
    kept: (Arc<Store>, Owner),
    thread: NewThread,
    resumed: Option<Vec<String>>,
    stage: Stage,
) -> Result<Arc<Session>, StartError> {
    let approver: Arc<dyn Approver> = match job.approvals() {
        Approvals::Ask => stage.approver,
        Approvals::Never => Arc::new(Always(Decision::Denied)),
        Approvals::Always => Arc::new(Always(Decision::Approved)),
    };
    let cancel = stage.cancel;
    let staging = Staging { format: RunFormat::Text, kept: Some(kept), thread, resumed, cancel };
    job.session(world, staging, stage.sinks, approver).map_err(broken)
}

fn broken(error: impl Into<anyhow::Error>) -> StartError {
    StartError::Broken(format!("{:#}", error.into()))
}

/// Every agent of the catalog, as it would be as a main agent.
fn agents(world: &mut World) -> anyhow::Result<Vec<AgentInfo>> {
    let (catalog, reports) =
        world.read(&[], Whose::Everyone, Keep::Text, Vec::new(), lint::lint_file)?;
    let settings = world.settings()?.clone();
    let mut findings = Vec::new();
    for report in reports {
        let path = world.cwd().join(&report.path);
        findings.extend(settings.lint.settle(report, &path));
    }
    findings.retain(|finding| finding.level == Level::Error);
    let all = catalog.entries.iter();
    all.map(|entry| agent(world, &settings, &catalog, entry, &findings)).collect()
}

fn agent(
    world: &World,
    settings: &Settings,
    catalog: &Catalog,
    entry: &Entry,
    findings: &[Finding],
) -> anyhow::Result<AgentInfo> {
    let book = book(world, &settings.run);
    let situation = Situation {
        cwd: world.cwd(),
        today: &today(std::time::SystemTime::now()),
        models: &book,
        settings: &settings.run,
        circumstances: Circumstances {
            caller: None,
            position: Position::Host,
            background: false,
            trusted: is_trusted(&crate::cli::trust::trusted(world)?, entry),
        },
        sandbox: settings.run.sandbox(),
        approval: ApprovalMode::AutoApproveInSandbox,
    };
    let sheet = preview(entry, &environment_wishes(world), &situation);
    let path = entry.path.display().to_string();
    let here = |finding: &&Finding| finding.path == path && finding.agent == entry.name();
    let mut problems: Vec<String> =
        findings.iter().filter(here).map(|finding| finding.message.clone()).collect();
    problems.extend(sheet.problems);
    let winner = entry.shadowed_by.and_then(|at| catalog.entries.get(at));
    let description = entry.definition.description.as_ref();
    Ok(AgentInfo {
        agent_type: entry.full_name(),
        description: description.map(|text| text.value.clone()),
        source: entry.origin.name().to_owned(),
        dialect: entry.dialect.id.to_owned(),
        path,
        shadowed_by: winner.map(|winner| winner.path.display().to_string()),
        tools: sheet.tools.into_iter().map(str::to_owned).collect(),
        models: sheet.models,
        sandbox: sheet.sandbox.map(str::to_owned),
        problems,
    })
}
