//! The command line itself: help, completions, the manual, exit codes, and output that nobody reads.

use std::fmt::Write as _;

use agentctl::cli::{EXIT_CODES, command};

use crate::support::{Sandbox, assert_generated, assert_snapshot, closed_pipe, repository};

fn subcommands() -> Vec<String> {
    let shown = |command: &&clap::Command| !command.is_hide_set();
    command().get_subcommands().filter(shown).map(|command| command.get_name().to_owned()).collect()
}

#[test]
fn help_and_version_are_not_errors() {
    let sandbox = Sandbox::empty();
    let version = sandbox.run(&["--version"]);
    assert_eq!(version.exit, Some(0));
    assert_eq!(version.stdout, format!("agentctl {}\n", env!("CARGO_PKG_VERSION")));
    for arguments in [&["--help"][..], &["-h"], &["list", "--help"], &["show", "-h"]] {
        let seen = sandbox.run(arguments);
        assert_eq!((seen.exit, seen.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        assert!(seen.stdout.contains("Usage: agentctl"), "{seen}");
    }
}

#[test]
fn a_command_line_that_makes_no_sense_is_a_usage_error() {
    let sandbox = Sandbox::empty();
    for arguments in [&[][..], &["lst"], &["list", "--format", "xml"], &["show"], &["man", "x"]] {
        let seen = sandbox.run(arguments);
        assert_eq!((seen.exit, seen.stdout.as_str()), (Some(2), ""), "{arguments:?}: {seen}");
        assert!(!seen.stderr.is_empty());
    }
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let seen = Sandbox::empty().run(&["completions", shell]);
        assert_eq!((seen.exit, seen.stderr.as_str()), (Some(0), ""), "{shell}");
        for name in subcommands() {
            assert!(seen.stdout.contains(&name), "{shell} does not complete {name}");
        }
        assert!(seen.stdout.contains("opencode"), "{shell} does not complete dialects");
    }
}

#[test]
fn the_manual_has_every_command_and_exit_code() {
    let seen = Sandbox::empty().run(&["man"]);
    assert!(seen.stdout.contains(".TH agentctl 1"), "{seen}");
    for name in subcommands() {
        let heading = format!(".SH \"AGENTCTL {}\"", name.to_uppercase());
        assert!(seen.stdout.contains(&heading), "no {heading}");
    }
    let (_, exits) = seen.stdout.split_once(".SH \"EXIT STATUS\"").unwrap();
    for (code, _, meaning) in EXIT_CODES {
        assert!(exits.contains(&format!(".TP\n{code}\n{meaning}\n")), "{exits}");
    }
}

#[test]
fn a_reader_that_went_away_is_not_an_error() {
    let sandbox = Sandbox::project("everything");
    for arguments in [
        &["list"][..],
        &["list", "--format", "json"],
        &["list", "--expanded"],
        &["show", "Explore"],
        &["schema"],
        &["schema", "claude"],
        &["completions", "zsh"],
        &["man"],
        &["--help"],
        &["--version"],
    ] {
        let seen = sandbox.see_with_stdout(sandbox.command(arguments), closed_pipe());
        assert_eq!((seen.exit, seen.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_an_error_told_once() {
    let sandbox = Sandbox::empty();
    for arguments in [&["list"][..], &["show", "Plan"], &["schema", "claude"], &["man"]] {
        let full = crate::support::full_device();
        let seen = sandbox.see_with_stdout(sandbox.command(arguments), full);
        assert_eq!(seen.exit, Some(2), "{arguments:?}: {seen}");
        assert_eq!(seen.stderr.lines().count(), 1, "{arguments:?}: {seen}");
    }
}

#[test]
fn colour_is_only_for_those_who_ask() {
    let sandbox = Sandbox::project("claude");
    assert!(!sandbox.run(&["list"]).stdout.contains('\u{1b}'));
    assert!(sandbox.run(&["list", "--color", "always"]).stdout.contains("\u{1b}[2m"));
    assert!(!sandbox.run(&["list", "--color", "never"]).stdout.contains('\u{1b}'));
    let seen = sandbox.run(&["--color", "always", "show", "nobody"]);
    assert!(seen.stderr.starts_with("\u{1b}[31merror:\u{1b}[0m"), "{seen}");
}

#[test]
fn the_manual_in_docs_is_what_help_prints() {
    let mut command = command().term_width(100);
    command.build();
    let mut text =
        "# Commands\n\nWhat `--help` prints, for the program and each of its commands.\n"
            .to_owned();
    section(&mut text, &mut command);
    for subcommand in command.get_subcommands_mut().filter(|command| !command.is_hide_set()) {
        section(&mut text, subcommand);
    }
    assert_generated("docs/cli.md", &text);
    assert_snapshot!("help-list", Sandbox::empty().run(&["list", "--help"]));
}

fn section(text: &mut String, command: &mut clap::Command) {
    let name = command.get_bin_name().unwrap_or("agentctl").to_owned();
    let help = command.render_long_help().to_string();
    let lines: Vec<_> = help.trim_end().lines().map(str::trim_end).collect();
    write!(text, "\n## {name}\n\n```text\n{}\n```\n", lines.join("\n")).unwrap();
}

#[test]
fn the_readme_has_every_exit_code() {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    for (code, _, meaning) in EXIT_CODES {
        let row = format!("| {code} | {meaning} |");
        assert!(readme.lines().any(|line| line == row), "README.md lacks `{row}`");
    }
}

#[test]
fn the_screens_in_the_readme_are_real() {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let question = "where is the grace period implemented?";
    for (typed, arguments) in [
        (format!("run Explore \"{question}\""), vec!["run", "Explore", question, "--no-probe"]),
        ("validate tests/projects/claude".to_owned(), vec!["validate", "tests/projects/claude"]),
    ] {
        let prompt = format!("$ agentctl {typed}\n");
        let screen = readme.split(&prompt).nth(1).unwrap().split("```").next().unwrap();
        let output =
            Sandbox::empty().command(&arguments).current_dir(repository()).output().unwrap();
        let real = [output.stdout, output.stderr].concat();
        let real = String::from_utf8(real).unwrap();
        for shown in screen.split("…\n").filter(|shown| !shown.is_empty()) {
            assert!(real.contains(shown), "README.md shows what is not printed:\n{shown}\n{real}");
        }
    }
}
