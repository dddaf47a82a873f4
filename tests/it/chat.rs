//! `agentctl chat`: a conversation through a pipe and on a terminal.

use std::{fs, io::Write as _, process::Stdio};

use rustix::process::Signal;

use crate::{
    pty::Terminal,
    stage::Stage,
    support::{Sandbox, Seen},
};

const ARGUMENTS: &[&str] = &["chat", "--no-probe", "--model", "script:script.yaml"];

/// What a terminal gets when an empty prompt stands there.
const PROMPT: &str = "\r\x1b[2C\x1b[?25h";

/// A project with a script for the orchestrator and those it starts.
fn stage(main: &str, workers: &str) -> Stage {
    let script = format!("agents:\n  orchestrator:\n    turns:\n{main}{workers}");
    Stage::bare().file("script.yaml", &script)
}

/// Says `lines` through a pipe.
fn piped(stage: &Stage, more: &[&str], lines: &str) -> Seen {
    let arguments = [ARGUMENTS, more].concat();
    let mut command = stage.sandbox.command(&arguments);
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(lines.as_bytes()).unwrap();
    drop(writer);
    command.stdin(Stdio::from(reader));
    stage.sandbox.see(command)
}

fn typed(sandbox: &Sandbox, more: &[&str]) -> Terminal {
    let mut terminal = Terminal::start(sandbox, &[ARGUMENTS, more].concat(), &[("NO_COLOR", "1")]);
    terminal.expect("orchestrator with script:script.yaml");
    terminal
}

/// The thread that the program says how to go on with.
fn resumable(shown: &str) -> String {
    let (_, rest) = shown.split_once("`agentctl chat --resume ").unwrap();
    rest.split('`').next().unwrap().to_owned()
}

const SPAWN: &str =
    "      - tool_calls: [{name: spawn_agent, arguments: {message: Work., agent_type: worker}}]\n";
const WORKER: &str = "  worker:\n    turns:\n      - {delay_ms: 1000, text: worked}\n";

#[test]
fn a_pipe_holds_a_conversation_and_hears_what_becomes_of_those_it_started() {
    let main = format!(
        "      - {{expect: {{last_message: '^hello$'}}, text: Hi.}}\n{SPAWN}      - {{expect: \
         {{last_message: 'agent_id'}}, text: Started.}}\n      - {{expect: {{last_message: '^agent \
         worker .*worked'}}, text: All done.}}\n"
    );
    let stage = stage(&main, WORKER);
    let seen = piped(&stage, &[], "hello\n\nsplit \\\nit\n");
    assert_eq!(
        (seen.exit, seen.stdout.as_str(), seen.stderr.as_str()),
        (Some(0), "Hi.\nStarted.\nAll done.\n", ""),
        "{seen}"
    );
}

#[test]
fn what_goes_wrong_in_a_turn_does_not_end_the_conversation() {
    let main = "      - {error: {kind: auth}}\n      - {text: Better.}\n";
    let seen = piped(&stage(main, ""), &[], "one\ntwo\n");
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), "Better.\n"), "{seen}");
    assert!(seen.stderr.starts_with("error: "), "{seen}");
    let main = "      - {text: Fine.}\n      - {error: {kind: auth}}\n";
    let seen = piped(&stage(main, ""), &["one"], "two\n");
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(1), "Fine.\n"), "{seen}");
}

#[test]
fn a_mode_holds_from_the_next_turn_on_and_unknown_commands_are_not_sent() {
    let main = "      - {expect: {system: 'Mode: plan'}, text: I plan.}\n      - {expect: \
                {system: 'Mode: execute'}, text: I do.}\n";
    let lines = "/plan\n/mode plan\n/agents\none\n/mode execute\ntwo\n/mode dream\n/quit\nthree\n";
    let seen = piped(&stage(main, ""), &[], lines);
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), "I plan.\nI do.\n"), "{seen}");
    for part in [
        "error: there is no command `/plan`\n  /help ",
        "mode: plan, from the next turn on\norchestrator  ",
        "error: there is no mode `dream`",
    ] {
        assert!(seen.stderr.contains(part), "{part}: {seen}");
    }
    let seen = piped(&stage(main, ""), &["--mode", "plan", "go"], "");
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), "I plan.\n"), "{seen}");
    let stage = stage(main, "");
    assert_eq!(piped(&stage, &[], "/mode plan\none\n").exit, Some(0));
    let listed = stage.sandbox.json(&["ps", "--all", "--format", "json"]);
    let id = listed[0]["agent_id"].as_str().unwrap_or_else(|| panic!("{listed}"));
    let seen = piped(&stage, &["--resume", id], "again\n");
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), "I plan.\n"), "{seen}");
    let seen = piped(&stage, &["--mode", "dream"], "");
    assert_eq!(seen.exit, Some(2), "{seen}");
}

#[test]
fn texts_of_several_lines_are_edited_and_remembered() {
    let main = "      - {expect: {last_message: '^one\\ntwo\\nthree\\nfour$'}, text: First.}
      - {expect: {last_message: '^one\\ntwo\\nthree\\nfive$'}, text: Second.}\n";
    let stage = stage(main, "");
    let mut terminal = typed(&stage.sandbox, &[]);
    terminal.press("onx\x7fe\ntwo\\\r\x1b[200~three\r\nfour\x1b[201~\r");
    terminal.expect("First.").expect("> ").press("\x1b[A\x17five\r").expect("Second.");
    terminal.expect("> ").press("\x04");
    let (shown, exit) = terminal.ends("goes on with it\r\n");
    assert_eq!(exit, Some(0), "{shown:?}");
    let kept = fs::read_to_string(stage.sandbox.path("~/.local/state/agentctl/chat_history"));
    assert_eq!(kept.unwrap(), "\"one\\ntwo\\nthree\\nfour\"\n\"one\\ntwo\\nthree\\nfive\"\n");

    let main = "      - {expect: {last_message: 'five$'}, text: Again.}\n";
    let script = format!("agents:\n  orchestrator:\n    turns:\n{main}");
    let stage = stage.file("script.yaml", &script);
    let mut terminal = typed(&stage.sandbox, &["--resume", &resumable(&shown)]);
    terminal.expect("Second.").press("\x1b[A\r").expect("Again.").expect("> ").press("\x04");
    assert_eq!(terminal.ends("goes on with it\r\n").1, Some(0));
}

#[test]
fn ctrl_c_stops_the_agent_and_then_leaves_what_can_be_gone_on_with() {
    let main = "      - {hang: true}\n      - {text: I am back.}\n      - {hang: true}\n";
    let stage = stage(main, "");
    let mut terminal = typed(&stage.sandbox, &[]);
    terminal.press("draft\x03").press("one\r").expect("[orchestrator] turn 1/").press("\x03");
    terminal.expect("Interrupted.").expect("> ").press("two\r").expect("I am back.");
    terminal.expect(PROMPT).press("\x03").expect("Ctrl-C again or Ctrl-D leaves");
    terminal.press("three\r").expect("[orchestrator] turn 1/").press("\x03\x03");
    let (shown, exit) = terminal.ends("goes on with it\r\n");
    assert_eq!(exit, Some(130), "{shown:?}");
    assert!(!shown.contains("error"), "{shown:?}");

    let main = "      - {expect: {last_message: '^four$'}, text: Here.}\n";
    let script = format!("agents:\n  orchestrator:\n    turns:\n{main}");
    let stage = stage.file("script.yaml", &script);
    let seen = piped(&stage, &["--resume", &resumable(&shown)], "four\n");
    assert_eq!((seen.exit, seen.stdout.as_str()), (Some(0), "Here.\n"), "{seen}");
}

#[test]
fn ctrl_c_twice_at_an_empty_prompt_leaves_and_a_signal_restores_the_terminal() {
    let stage = stage("      - {hang: true}\n", "");
    let mut terminal = typed(&stage.sandbox, &[]);
    terminal.expect(PROMPT).press("\x03").expect("Ctrl-C again").press("\x03");
    let (shown, exit) = terminal.ends("\x1b[?2004l");
    assert_eq!(exit, Some(130), "{shown:?}");
    assert!(!shown.contains("--resume"), "nothing was said: {shown:?}");

    let mut terminal = typed(&stage.sandbox, &["go"]);
    terminal.expect("[orchestrator] turn 1/");
    terminal.signal(Signal::TERM);
    assert_eq!(terminal.ends("goes on with it\r\n").1, Some(130));
}

#[test]
fn a_question_shows_who_asks_and_keeps_nobody_else_from_working() {
    let spawn = "{name: spawn_agent, arguments: {message: Work., agent_type: worker}}";
    let main = format!(
        "      - tool_calls: [{spawn}, {spawn}]\n      - {{text: Started.}}\n      - {{text: One.}}\n\
         \x20     - {{text: Both.}}\n"
    );
    let workers = "  worker#1:
    turns:
      - tool_calls: [{name: write_file, arguments: {path: new.txt, content: written}}]
      - {text: wrote}
  worker#2:
    turns:
      - {delay_ms: 1500, text: waited}
";
    let stage = stage(&main, workers);
    let mut terminal = typed(&stage.sandbox, &["--sandbox", "danger_full_access", "go"]);
    terminal.expect("[orchestrator › worker#1] wants to use `write_file`");
    terminal.expect("new.txt").expect("Allow it?").press("perhaps\r").expect("Please answer");
    terminal.expect("[worker#2] Completed").expect("One.").expect("Allow it?");
    assert!(!stage.sandbox.path("new.txt").exists());
    terminal.press("y\r").expect("`write_file`: allowed").expect("[worker#1] Completed");
    terminal.expect("Both.").expect(PROMPT).press("\x04");
    assert_eq!(terminal.ends("goes on with it\r\n").1, Some(0));
    assert_eq!(fs::read_to_string(stage.sandbox.path("new.txt")).unwrap(), "written");
}

#[test]
fn an_agent_that_ends_wakes_the_main_one_and_leaves_what_is_typed() {
    let main = format!(
        "{SPAWN}      - {{text: Started.}}\n      - {{text: It has ended.}}\n      - {{expect: \
         {{last_message: '^half whole$'}}, text: Read.}}\n"
    );
    let stage = stage(&main, WORKER);
    let mut terminal = typed(&stage.sandbox, &["go"]);
    terminal.expect("Started.").expect("> ").press("half ").expect("> half ");
    terminal.expect("[worker#1] Completed").expect("It has ended.").expect("> half ");
    terminal.press("whole\r").expect("Read.").expect("> ").press("/agents\r");
    terminal.expect("  worker#1  ").expect("completed").press("/close worker#1\r");
    terminal.expect("closed worker#1").press("\x04");
    let (shown, _) = terminal.ends("goes on with it\r\n");
    assert!(shown.contains('\x07'), "nobody looked, so somebody is called: {shown:?}");
}

#[test]
fn whoever_looks_is_not_called() {
    let main = format!("{SPAWN}      - {{text: Started.}}\n      - {{text: It has ended.}}\n");
    let stage = stage(&main, WORKER);
    let mut terminal = typed(&stage.sandbox, &[]);
    terminal.expect(PROMPT).press("\x1b[Igo\r").expect("It has ended.").expect("> ").press("\x04");
    let (shown, _) = terminal.ends("goes on with it\r\n");
    assert!(!shown.contains('\x07'), "{shown:?}");
}

#[test]
fn what_models_say_does_not_move_the_cursor() {
    let main = "      - {text: \"\\e[31mboo\\e]0;title\\a\\r\"}\n";
    let stage = stage(main, "");
    let mut terminal = typed(&stage.sandbox, &["go"]);
    terminal.expect("\u{fffd}[31mboo\u{fffd}]0;title\u{fffd}\u{fffd}").expect("> ").press("\x04");
    let (shown, _) = terminal.ends("goes on with it\r\n");
    assert!(!shown.contains("\x1b[31m") && !shown.contains("\x1b]0"), "{shown:?}");
}

#[test]
fn an_answer_goes_to_the_question_that_stands_there() {
    let script = "agents:
  worker:
    turns:
      - tool_calls: [{name: write_file, arguments: {path: a.txt, content: a}}]
      - tool_calls: [{name: write_file, arguments: {path: b.txt, content: b}}]
      - tool_calls: [{name: complete_task, arguments: {result: done}}]
";
    let settings = "[run]\napproval_timeout_seconds = 3\n";
    let stage = Stage::bare().file("script.yaml", script);
    let stage = stage.file("~/.config/agentctl/config.toml", settings);
    let run = ["run", "worker", "go", "--no-probe", "--model", "script:script.yaml"];
    let arguments = [&run[..], &["--sandbox", "danger_full_access"]].concat();
    let mut terminal = Terminal::start(&stage.sandbox, &arguments, &[]);
    // Nobody answers the first in time.
    terminal.expect("a.txt").expect("Allow it?").expect("b.txt").expect("Allow it?").press("y\n");
    let (shown, exit) = terminal.ends("done\r\n");
    assert_eq!(exit, Some(0), "{shown:?}");
    assert!(!stage.sandbox.path("a.txt").exists(), "{shown:?}");
    assert_eq!(fs::read_to_string(stage.sandbox.path("b.txt")).unwrap(), "b");
}

#[test]
fn a_run_shows_its_agents_as_a_tree_and_rings_when_one_ends() {
    let done = "{tool_calls: [{name: complete_task, arguments: {result: done}}]}";
    let look = "{delay_ms: 2000, tool_calls: [{name: list_dir, arguments: {path: .}}]}";
    let main = format!("{SPAWN}      - {look}\n      - {done}\n");
    let stage = stage(&main, WORKER);
    let run = ["run", "orchestrator", "go", "--no-probe", "--model", "script:script.yaml"];
    let mut terminal = Terminal::start(&stage.sandbox, &run, &[]);
    terminal.expect("  [\x1b[36mworker#1\x1b[0m] turn 1/").expect("\x07");
    let (shown, exit) = terminal.ends("done\r\n");
    assert_eq!(exit, Some(0), "{shown:?}");
}
