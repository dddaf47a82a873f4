//! Text made to cost much: each is read in bounded time and is a clear problem.

use agentctl::{
    document::{Format, MAX_NODES, Problem, parse},
    text::Source,
};

const MIB: usize = 1 << 20;

#[test]
fn hostile_text_is_a_clear_problem() {
    use Format::{Json, Markdown, Toml, Yaml};
    let fences = format!("---\n{}", fill("---x\n", 4 * MIB - 4));
    let cases: &[(&str, Format, String, &[&str])] = &[
        ("deep brackets", Yaml, "[".repeat(10_000), &["TooDeep"]),
        ("deep brackets", Json, "[".repeat(10_000), &["TooDeep"]),
        ("deep brackets", Toml, format!("a = {}", "[".repeat(10_000)), &["Syntax"]),
        ("deep braces", Yaml, "{a: ".repeat(10_000), &["TooDeep"]),
        ("deep braces", Json, "{\"a\":".repeat(10_000), &["TooDeep"]),
        ("deep braces", Toml, format!("a = {}", "{a=".repeat(10_000)), &["Syntax"]),
        ("deep dashes", Yaml, "- ".repeat(10_000), &["TooDeep"]),
        ("deep keys", Yaml, staircase(10_000), &["TooDeep"]),
        ("deep dotted key", Toml, format!("{}a = 1", "a.".repeat(MIB / 2)), &["Syntax"]),
        ("deep header", Toml, format!("[{}a]", "a.".repeat(MIB / 2)), &["Syntax"]),
        ("many keys", Yaml, keys(|key| format!("k{key}: 1\n")), &["TooManyNodes"]),
        ("many keys", Toml, keys(|key| format!("k{key} = 1\n")), &["TooManyNodes"]),
        (
            "many keys",
            Json,
            format!("{{{}\"z\": 1}}", keys(|key| format!("\"k{key}\": 1,"))),
            &["TooManyNodes"],
        ),
        ("equal keys", Yaml, "a: 1\n".repeat(100_000), &["DuplicateKey", "TooManyProblems"]),
        ("equal keys", Toml, "a = 1\n".repeat(100_000), &["DuplicateKey", "TooManyProblems"]),
        (
            "equal keys",
            Json,
            format!("{{{}}}", "\"a\": 1,".repeat(100_000)),
            &["DuplicateKey", "TooManyProblems"],
        ),
        (
            "pairs of keys",
            Yaml,
            keys(|key| format!("k{}: 1\n", key % 9_900)),
            &["DuplicateKey", "TooManyProblems"],
        ),
        ("exponential aliases", Yaml, bomb(), &["AliasBomb"]),
        ("quadratic aliases", Yaml, quadratic(), &["AliasBomb", "TooManyProblems"]),
        ("deep aliases", Yaml, chain(), &["TooDeep", "AliasBomb", "TooManyProblems"]),
        ("merged aliases", Yaml, merges(), &["AliasBomb", "TooManyProblems"]),
        ("colons", Yaml, fill("a: b: c\n", MIB), &["NeedsQuotes", "DuplicateKey"]),
        ("open brackets", Yaml, fill("- [\n", MIB), &["Syntax"]),
        ("stars", Yaml, "*".repeat(4 * MIB), &["NeedsQuotes"]),
        (
            "stars",
            Markdown,
            format!("---\na: {}", "*".repeat(4 * MIB - 7)),
            &["Unterminated", "NeedsQuotes"],
        ),
        ("loose text", Yaml, fill("a: b\nfoo\n", MIB), &["UnindentedText", "DuplicateKey"]),
        ("tabs", Yaml, fill("a: b\n\tc: d\n", MIB), &["TabIndent", "DuplicateKey"]),
        ("zeros", Yaml, "\0".repeat(4 * MIB), &["NulByte"]),
        ("zeros", Toml, "\0".repeat(4 * MIB), &["Syntax"]),
        ("zeros", Json, "\0".repeat(4 * MIB), &["Syntax"]),
        ("bad lines", Toml, fill("=\n", 4 * MIB), &["TooManyNodes"]),
        ("comments", Json, fill("//\n", 4 * MIB), &["JsonExtension", "TooManyProblems"]),
        ("fences", Markdown, fences, &["WrongClosingFence"]),
    ];
    for (name, format, text, expected) in cases {
        let source = Source::new(*name, text.clone().into_bytes());
        let (document, problems) = parse(&source, *format);
        let mut kinds: Vec<String> = Vec::new();
        for kind in problems.iter().map(name_of) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        assert_eq!(kinds, *expected, "{name} as {format:?}");
        assert!(document.root.count() <= 2 * MAX_NODES + 1, "{name} as {format:?}");
    }
}

/// A problem's kind without what it holds.
fn name_of(problem: &Problem) -> String {
    format!("{:?}", problem.kind).chars().take_while(char::is_ascii_alphanumeric).collect()
}

fn fill(text: &str, bytes: usize) -> String {
    text.repeat(bytes / text.len())
}

fn keys(key: impl Fn(usize) -> String) -> String {
    (0..50_000).map(key).collect()
}

fn staircase(depth: usize) -> String {
    // Past the limit the indentation need not grow, or the text itself would be quadratic.
    (0..depth).map(|depth| format!("{}a:\n", " ".repeat(depth.min(400)))).collect()
}

/// Nine copies of nine copies of …
fn bomb() -> String {
    let level = |level: usize| {
        format!("a{}: &a{} [{}]\n", level + 1, level + 1, vec![format!("*a{level}"); 9].join(", "))
    };
    "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned() + &(0..12).map(level).collect::<String>()
}

/// Many copies of one large list.
fn quadratic() -> String {
    format!("a: &a [{}]\nb:\n{}", "x, ".repeat(9_000), "- *a\n".repeat(10_000))
}

/// Each list holds the one before: no line is deep, the last value would be.
fn chain() -> String {
    let level = |level: usize| format!("a{level}: &a{level} [*a{}]\n", level - 1);
    "a0: &a0 [x]\n".to_owned() + &(1..5_000).map(level).collect::<String>()
}

/// Many mappings that each take over one large mapping.
fn merges() -> String {
    let base: String = (0..5_000).map(|key| format!("k{key}: 1, ")).collect();
    let user = |user| format!("m{user}:\n  <<: *a\n");
    format!("a: &a {{{base}}}\n{}", (0..10_000).map(user).collect::<String>())
}
