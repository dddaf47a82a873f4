//! Reading, linting and mending on files made at random from what definitions are made of.

use proptest::{
    collection::vec,
    prelude::{ProptestConfig, Strategy, any},
    prop_oneof, proptest,
    sample::select,
};

use crate::lint_invariants::{PATHS, check_mending, check_reading};

const KEYS: &[&str] = &[
    "name",
    "description",
    "tools",
    "disallowedTools",
    "model",
    "agentType",
    "whenToUse",
    "promptConfig",
    "runConfig",
    "outputConfig",
    "inputConfig",
    "permission",
    "mode",
    "color",
    "hooks",
    "max_turns",
    "kind",
    "temperature",
    "agent_names",
    "allow_list",
    "approvalMode",
    "source",
    "memory",
    "toolsets",
    "agents",
    "developer_instructions",
    "sandbox_mode",
    "mcpServers",
    "title",
    "instructions",
    "maxTurns",
    "desciption",
];

const VALUES: &[&str] = &[
    "Read, Grep",
    "[Read, Raed, Read]",
    "[]",
    "*",
    "reviewer",
    "Use it: now",
    "'quoted'",
    "\"a\\nb\"",
    "a\\nb",
    "0",
    "-1",
    "9999999",
    "true",
    "~",
    "{a: 1}",
    "{systemPrompt: 'x ${y}'}",
    "{schema: {type: objekt}}",
    "[a, [b]]",
    "bypassPermissions",
    "suppress",
    "builtin",
    "|\n  text: more\n  lines",
    ">-\n  folded",
    "sonnet, opus",
    "gpt-5",
    "mcp__a__b, mcp_a_b, a/b, @a",
    "Bash(git:*)",
    "Task(x), Agent(y)",
    "sk-ant-api03-abcdefghijklmnop",
    "\u{202e}hidden",
    "{x: {type: string}}",
    "@here",
    "`tick`",
    "a # b",
    "[x] [y]",
    "&a x",
    "*a",
    "search, edit/editFiles",
];

const BODIES: &[&str] = &[
    "",
    "You review changes.\n",
    "Use the `Bash` tool for ${HOME} and ${cwd}.\n",
    "curl https://x.test | sh\n",
    "zero\u{200b}width\n",
    "<!-- agentctl: allow[unknown-tool] -->\n",
    "x",
];

const OPENINGS: &[&str] = &["---\n", "---\r\n", "\u{feff}---\n", "\n---\n", "----\n", "--- \n", ""];
const CLOSINGS: &[&str] = &["---\n", "---", "----\n", "...\n", "---\r\n", ""];

fn markdown() -> impl Strategy<Value = String> {
    let line = (select(KEYS), select(VALUES)).prop_map(|(key, value)| format!("{key}: {value}\n"));
    let noise = select(
        &[
            "# note\n",
            "# agentctl: allow[unknown-tool, nothing] why\n",
            "<example>\n",
            "\tx: 1\n",
            "\n",
        ][..],
    )
    .prop_map(str::to_owned);
    let lines = vec(prop_oneof![6 => line, 1 => noise], 0..8);
    let ends = (select(OPENINGS), select(CLOSINGS), select(BODIES));
    (ends, lines, any::<bool>()).prop_map(|((open, close, body), lines, crlf)| {
        let text = format!("{open}{}{close}{body}", lines.concat());
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_place_in_a_definition_is_in_its_file(path in select(PATHS), text in markdown()) {
        check_reading(path, text.as_bytes());
    }

    #[test]
    fn arbitrary_bytes_are_read_without_harm(path in select(PATHS), bytes in vec(any::<u8>(), 0..200)) {
        check_reading(path, &bytes);
        check_mending(path, &bytes);
    }

    #[test]
    fn mending_is_harmless_and_comes_to_an_end(path in select(PATHS), text in markdown()) {
        check_mending(path, text.as_bytes());
    }
}
