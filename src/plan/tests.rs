//! What only a caller with a conversation of its own can bring about.

use std::path::Path;

use super::{Call, ModelBook, ModelWishes, Plan, PlanError, Situation, plan};
use crate::{
    authority::{Circumstances, Position},
    catalog::{File, Origin},
    config::RunSettings,
    conversation::{FORK_BOUNDARY, Message, Part, ToolCall},
    lint::lint_file,
    tools::sandbox::Mode,
};

fn planned(text: &str, mut call: Call) -> Result<Plan, PlanError> {
    let file = File::new(Path::new("agents/tester.md"), text.into(), Origin::Project, &[]);
    let findings = lint_file(&file).findings;
    call.models = ModelWishes { call: Some("script:s".to_owned()), ..ModelWishes::default() };
    let (models, settings) = (ModelBook::default(), RunSettings::default());
    let situation = Situation {
        cwd: Path::new("/work"),
        today: "2026-11-18",
        models: &models,
        settings: &settings,
        circumstances: Circumstances {
            caller: None,
            position: Position::Below { depth: 1, max_depth: 2 },
            background: false,
            trusted: false,
        },
        sandbox: Mode::WorkspaceWrite,
        approval: super::ApprovalMode::AutoApproveInSandbox,
    };
    plan(&file.entries[0], &findings, call, &situation)
}

fn asked(prompt: &str) -> Call {
    Call { prompt: Some(prompt.to_owned()), ..Call::default() }
}

const FORKING: &str =
    "---\nagentType: tester\nwhenToUse: In tests.\nforkContext: true\n---\nGo on with the work.\n";

fn context() -> Vec<Message> {
    let call = ToolCall {
        id: "1".to_owned(),
        name: "Task".to_owned(),
        arguments: "{}".to_owned(),
        signature: None,
    };
    let parts = vec![Part::Text { text: "Let me delegate.".to_owned() }, Part::Call(call)];
    vec![Message::user("Fix it."), Message::Assistant { parts, by: "m".to_owned() }]
}

#[test]
fn a_forked_agent_sees_the_conversation_before_the_boundary_and_its_task_after_it() {
    let plan =
        planned(FORKING, Call { context: super::Context::Offered(context()), ..asked("Look.") })
            .unwrap();
    let said = Part::Text { text: "Let me delegate.".to_owned() };
    let expected = [
        Message::user("Fix it."),
        Message::Assistant { parts: vec![said], by: "m".to_owned() },
        Message::user(FORK_BOUNDARY),
        Message::user("Look."),
    ];
    assert_eq!(plan.messages(), expected);
}

#[test]
fn an_agent_that_does_not_fork_sees_nothing_of_it() {
    let text = FORKING.replace("forkContext: true\n", "");
    let plan =
        planned(&text, Call { context: super::Context::Offered(context()), ..asked("Look.") })
            .unwrap();
    assert_eq!(plan.messages(), [Message::user("Look.")]);
}

#[test]
fn a_definition_cannot_ask_for_a_wider_sandbox_than_it_may_have() {
    let text = "---\nname: tester\ndescription: In tests.\nsandbox_mode: x\n---\nGo.\n";
    let mut file = File::new(Path::new("agents/t.md"), text.into(), Origin::Project, &[]);
    let definition = &mut file.entries[0].definition;
    let written = |mode: &str| Some(crate::text::Spanned::new(mode.to_owned(), Default::default()));
    definition.behaviour.sandbox = written("danger-full-access");
    let error = super::sandbox(definition, Mode::WorkspaceWrite).unwrap_err();
    assert!(matches!(error, PlanError::Sandbox { asked: Mode::DangerFullAccess, .. }), "{error}");
    definition.behaviour.sandbox = written("read-only");
    assert_eq!(super::sandbox(definition, Mode::WorkspaceWrite).unwrap(), Mode::ReadOnly);
    assert_eq!(super::sandbox(definition, Mode::DangerFullAccess).unwrap(), Mode::ReadOnly);
}

#[test]
fn a_folder_outside_of_the_working_directory_is_refused() {
    for outside in ["/etc", "..", "a/../../b"] {
        let text =
            format!("---\nagentType: t\nwhenToUse: In tests.\nbaseDir: {outside}\n---\nGo.\n");
        let error = planned(&text, asked("Look.")).unwrap_err();
        assert!(matches!(error, PlanError::BaseDir(_)), "{outside}: {error}");
    }
}
