//! `hidden-unicode`.

use crate::{
    lint::{
        AgentCx, Check, Edit, Findings, Level, Safety,
        landmarks::{Landmarks, searcher},
        once::speaks_for_file,
        rule::declare_rule,
    },
    text::Span,
};

declare_rule! {
    /// ## What it does
    /// Reports characters that nobody sees: those that turn the direction of text, those that
    /// spell out invisible text, and those without width inside of words. What emoji and scripts
    /// need is left alone.
    ///
    /// ## Why is this bad?
    /// The model reads what people who review the file do not. Instructions can be hidden that
    /// way, and a word with a hole in it matches no search.
    ///
    /// ## Bad
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its def​ects.
    /// tools: Read, Grep
    /// ---
    /// You review changes.
    /// ```
    ///
    /// ## Good
    /// ```markdown title=".claude/agents/reviewer.md"
    /// ---
    /// name: reviewer
    /// description: Reviews a change and lists its defects. 👩‍💻
    /// tools: Read, Grep
    /// ---
    /// You review changes.
    /// ```
    pub(super) static HIDDEN_UNICODE = {
        name: "hidden-unicode",
        summary: "has characters in it that nobody sees",
        level: Level::Error,
        check: Check::Agent(check),
    }
}

/// What is reported, each once per file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hidden {
    /// Turns the direction in which text is shown.
    Direction,
    /// Invisible letters.
    Tag,
    /// More variation selectors in a row than anything needs: they can spell out any bytes.
    Selectors,
    /// No width, between two letters of a word.
    InWord,
}

impl Hidden {
    const ALL: [Self; 4] = [Self::Direction, Self::Tag, Self::Selectors, Self::InWord];

    fn what(self) -> &'static str {
        match self {
            Self::Direction => "turns the direction in which the text is shown",
            Self::Tag => "is an invisible letter that a model can read",
            Self::Selectors => "is one of several in a row, which can hide any text",
            Self::InWord => "has no width and stands inside of a word",
        }
    }

    fn level(self) -> Level {
        match self {
            Self::Direction | Self::Tag | Self::Selectors => Level::Error,
            Self::InWord => Level::Warning,
        }
    }
}

fn check(cx: &AgentCx<'_>, findings: &mut Findings) {
    let text = cx.source.text();
    if text.is_ascii() || !SUSPECTS.any(text) || !speaks_for_file(cx) {
        return;
    }
    let found = scan(text);
    for kind in Hidden::ALL {
        let spans: Vec<Span> =
            found.iter().filter(|(other, _)| *other == kind).map(|(_, span)| *span).collect();
        let Some(first) = spans.first() else { continue };
        let code = text[first.range()].chars().next().map_or(0, u32::from);
        let more = match spans.len() {
            1 => String::new(),
            count => format!(" ({count} such characters in this file)"),
        };
        let message = format!("U+{code:04X} {}{more}", kind.what());
        let finding = findings.report(cx, &HIDDEN_UNICODE, *first, message).level(kind.level());
        finding.help("remove what cannot be seen");
        if kind == Hidden::InWord {
            let edits = spans.iter().map(|span| Edit { span: *span, text: String::new() });
            finding.fix_all(Safety::Safe, "remove what has no width", edits.collect());
        }
    }
}

/// One of these is part of everything that [`scan`] finds.
static SUSPECTS: Landmarks = Landmarks::new(|| {
    let directions = ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}');
    let zero_width = ('\u{ad}'..='\u{feff}').filter(|c| is_zero_width(*c));
    let single = directions.chain(zero_width).map(|c| c.to_string().into_bytes());
    // A selector is usual after an emoji; two of them are not.
    let selectors =
        ('\u{fe00}'..='\u{fe0f}').map(|c| format!("{c}\u{fe00}").into_bytes()[..5].to_vec());
    // Tags and the rare selectors share their first two bytes.
    searcher(single.chain(selectors).chain([vec![0xf3, 0xa0]]))
});

fn scan(text: &str) -> Vec<(Hidden, Span)> {
    let mut found = Vec::new();
    let mut before = None;
    // Whether the emoji before is a black flag, whose letters may follow as tags.
    let mut flag = false;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let span = Span::new(at, at + c.len_utf8());
        match c {
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                found.push((Hidden::Direction, span));
            }
            '\u{e0000}'..='\u{e007f}' if !flag => found.push((Hidden::Tag, span)),
            _ if is_selector(c) && before.is_some_and(is_selector) => {
                found.push((Hidden::Selectors, span));
            }
            _ if is_zero_width(c) && in_word(before, next) => found.push((Hidden::InWord, span)),
            _ => {}
        }
        flag = c == '\u{1f3f4}' || (flag && matches!(c, '\u{e0020}'..='\u{e007e}'));
        before = Some(c);
    }
    found
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Zero-width spaces and joiners, marks of direction, soft hyphens and the like.
fn is_zero_width(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
    )
}

/// Letters of other scripts may need them.
fn in_word(before: Option<char>, next: Option<char>) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric();
    before.is_some_and(letter) && next.is_some_and(letter)
}

#[cfg(test)]
mod tests {
    use super::HIDDEN_UNICODE;
    use crate::lint::tests::check;

    fn findings(body: &str) -> String {
        let text = format!("---\nname: a\ndescription: b\n---\n{body}\n");
        check(&HIDDEN_UNICODE, ".claude/agents/a.md", &text)
    }

    #[test]
    fn what_emoji_and_scripts_need_is_fine() {
        for body in [
            "👩‍💻 👨‍👩‍👧 ❤️ 1️⃣",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} flag",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "a \u{200b}b",
            "葛\u{e0100}",
            "naïve café – “quotes” …",
        ] {
            assert_eq!(findings(body), "", "{body}");
        }
    }

    #[test]
    fn each_kind_is_told_of_once() {
        let body = "\u{202e}x\u{202c} \u{e0041}\u{e0042}\u{e0043} y\u{fe0f}\u{fe0e}\u{fe0f}";
        insta::assert_snapshot!(findings(body), @"
        5:1 error U+202E turns the direction in which the text is shown (2 such characters in this file)
          help: remove what cannot be seen
        5:5 error U+E0041 is an invisible letter that a model can read (3 such characters in this file)
          help: remove what cannot be seen
        5:11 error U+FE0E is one of several in a row, which can hide any text (2 such characters in this file)
          help: remove what cannot be seen
        ");
    }

    #[test]
    fn holes_in_words_are_closed() {
        insta::assert_snapshot!(findings("one\u{200b}two three\u{2060}four"), @"
        5:4 warning U+200B has no width and stands inside of a word (2 such characters in this file)
          help: remove what cannot be seen
          fix (Safe): remove what has no width
            onetwo threefour
        ");
    }
}
