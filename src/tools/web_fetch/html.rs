//! HTML to text that reads well: headings, lists, links and code, without scripts and styles.
//!
//! Not a parser: what is broken comes out somehow, in one pass and in little more memory than the
//! page.

use url::Url;

/// Elements whose content is never text for people.
const DROPPED: &[&str] =
    &["script", "style", "template", "svg", "iframe", "object", "noscript", "canvas", "select"];
/// Elements that stand on lines of their own.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "section",
    "summary",
    "table",
    "title",
    "tr",
    "ul",
];
/// What common names stand for.
const ENTITIES: &[(&str, &str)] = &[
    ("amp", "&"),
    ("apos", "'"),
    ("bull", "•"),
    ("copy", "©"),
    ("gt", ">"),
    ("hellip", "…"),
    ("laquo", "«"),
    ("ldquo", "“"),
    ("lsquo", "‘"),
    ("lt", "<"),
    ("mdash", "—"),
    ("middot", "·"),
    ("nbsp", " "),
    ("ndash", "–"),
    ("quot", "\""),
    ("raquo", "»"),
    ("rarr", "→"),
    ("rdquo", "”"),
    ("reg", "®"),
    ("rsquo", "’"),
    ("times", "×"),
    ("trade", "™"),
];

/// The text of `html`, which came from `base`.
pub(super) fn reduced(html: &str, base: &Url) -> String {
    let mut text = Text::default();
    let mut link = None;
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.push(&unescaped(&rest[..at]));
        rest = &rest[at..];
        if !is_markup(rest) {
            text.push("<");
            rest = &rest[1..];
            continue;
        }
        // What never ends takes the rest with it, or looking for ends would take forever.
        let Some(markup) = Markup::read(rest) else { break };
        rest = &rest[markup.length..];
        if DROPPED.contains(&markup.name.as_str()) && !markup.closes {
            rest = after_content(rest, &markup.name);
            continue;
        }
        place(&mut text, &mut link, &markup, base);
    }
    text.push(&unescaped(rest));
    text.out.trim().to_owned()
}

/// Writes what a tag stands for.
fn place(text: &mut Text, link: &mut Option<Url>, markup: &Markup<'_>, base: &Url) {
    match (markup.name.as_str(), markup.closes) {
        ("br", _) => text.line(),
        ("p", _) | ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", true) => text.paragraph(),
        (heading @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6"), false) => {
            text.paragraph();
            let depth = usize::from(heading.as_bytes()[1] - b'0');
            text.push(&"#".repeat(depth));
            text.push(" ");
        }
        ("pre", closes) => {
            text.paragraph();
            text.keeps_space = !closes;
        }
        ("li", false) => {
            text.line();
            text.push("- ");
        }
        ("td" | "th", false) => text.push(" "),
        ("a", false) => *link = markup.attribute("href").and_then(|to| followed(base, &to)),
        ("a", true) => {
            if let Some(to) = link.take() {
                text.push(&format!(" ({to})"));
            }
        }
        ("img", false) => text.push(&markup.attribute("alt").unwrap_or_default()),
        (name, _) if BLOCKS.contains(&name) => text.line(),
        _ => {}
    }
}

/// Where a link leads, if it leads to another page.
fn followed(base: &Url, to: &str) -> Option<Url> {
    let to = base.join(to.trim()).ok().filter(|_| !to.trim().starts_with('#'))?;
    matches!(to.scheme(), "http" | "https").then_some(to)
}

/// What comes after the content of `name`; nothing if it never ends.
fn after_content<'h>(rest: &'h str, name: &str) -> &'h str {
    let mut from = 0;
    while let Some(at) = rest[from..].find("</") {
        let at = from + at;
        let end = at + 2 + name.len();
        if rest.get(at + 2..end).is_some_and(|found| found.eq_ignore_ascii_case(name)) {
            return rest[end..].find('>').map_or("", |close| &rest[end + close + 1..]);
        }
        from = at + 2;
    }
    ""
}

/// Whether the `<` that `html` begins with is more than a sign.
fn is_markup(html: &str) -> bool {
    let after = html[1..].strip_prefix('/').unwrap_or(&html[1..]);
    after.starts_with(|c: char| c.is_ascii_alphabetic()) || html[1..].starts_with(['!', '?'])
}

/// A tag, a comment or a declaration; the latter two have no name.
struct Markup<'h> {
    name: String,
    closes: bool,
    attributes: &'h str,
    /// In bytes, with the brackets.
    length: usize,
}

impl<'h> Markup<'h> {
    /// Reads what `html` begins with, if it ends.
    fn read(html: &'h str) -> Option<Self> {
        let nothing = |length| Self { name: String::new(), closes: false, attributes: "", length };
        if let Some(comment) = html.strip_prefix("<!--") {
            let length = comment.find("-->").map_or(html.len(), |end| 4 + end + 3);
            return Some(nothing(length));
        }
        if html.starts_with("<!") || html.starts_with("<?") {
            return Some(nothing(html.find('>').map_or(html.len(), |end| end + 1)));
        }
        let closes = html.starts_with("</");
        let start = if closes { 2 } else { 1 };
        let length = tag_end(html)?;
        let inner = &html[start..length - 1];
        let split = inner.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(inner.len());
        let name = inner[..split].to_ascii_lowercase();
        Some(Self { name, closes, attributes: &inner[split..], length })
    }

    /// The value of an attribute.
    fn attribute(&self, name: &str) -> Option<String> {
        let mut rest = self.attributes.trim_start_matches(is_between);
        while !rest.is_empty() {
            let end = rest.find(|c: char| c == '=' || is_between(c)).unwrap_or(rest.len());
            let (found, after) = rest.split_at(end);
            let (value, after) = match after.trim_start().strip_prefix('=') {
                Some(value) => attribute_value(value.trim_start()),
                None => ("", after),
            };
            if found.eq_ignore_ascii_case(name) {
                return Some(unescaped(value));
            }
            rest = after.trim_start_matches(is_between);
        }
        None
    }
}

fn is_between(c: char) -> bool {
    c.is_whitespace() || c == '/'
}

/// The value `text` begins with, and what comes after it.
fn attribute_value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(value) = text.strip_prefix(quote) {
            return value.split_once(quote).unwrap_or((value, ""));
        }
    }
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

/// Where a tag ends; a `>` inside of quotes does not end it.
fn tag_end(html: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in html.bytes().enumerate() {
        match (byte, quote) {
            (b'>', None) => return Some(at + 1),
            (b'"' | b'\'', None) => quote = Some(byte),
            (byte, Some(open)) if byte == open => quote = None,
            _ => {}
        }
    }
    // A quote that never ends is no quote.
    html.find('>').map(|at| at + 1)
}

/// `text` with entities replaced by what they stand for.
fn unescaped(text: &str) -> String {
    /// Longer names there are not.
    const LONGEST: usize = 10;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let name = rest.bytes().take(LONGEST + 1).position(|byte| byte == b';');
        match name.and_then(|end| Some((entity(&rest[..end])?, end))) {
            Some((meaning, end)) => {
                out.push_str(&meaning);
                rest = &rest[end + 1..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?).map(String::from);
    }
    ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, meaning)| (*meaning).to_owned())
}

/// Text with white space as a reader would see it.
#[derive(Default)]
struct Text {
    out: String,
    /// Inside of code, which is taken as it is.
    keeps_space: bool,
    /// Whether a blank goes before the next word.
    blank: bool,
}

impl Text {
    fn push(&mut self, text: &str) {
        if self.keeps_space {
            self.out.push_str(text);
            return;
        }
        for c in text.chars() {
            if c.is_whitespace() {
                self.blank = true;
                continue;
            }
            if std::mem::take(&mut self.blank) && !self.at_line_start() {
                self.out.push(' ');
            }
            self.out.push(c);
        }
    }

    /// Begins a line.
    fn line(&mut self) {
        self.blank = false;
        if !self.at_line_start() {
            self.out.push('\n');
        }
    }

    /// Begins a paragraph.
    fn paragraph(&mut self) {
        self.line();
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn at_line_start(&self) -> bool {
        self.out.is_empty() || self.out.ends_with('\n')
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    fn reduce(html: &str) -> String {
        reduced(html, &Url::parse("https://example.org/a/b").unwrap())
    }

    #[test]
    fn a_page_reads_like_text() {
        let page = "<!doctype html><html><head><title>A &amp; B</title><style>p { x: y }</style>
            <script>if (1 < 2) { \"</p>\" }</script></head><body><!-- <p>no</p> -->
            <h2 class='a>b'>Head</h2><p>One\n  two <b>three</b>&nbsp;&#233;&#x20ac;&unknown; 1 < 2
            <ul><li>first<li><a href=\"../c?d=1&amp;e\">second</a></ul>
            <pre>fn main() {\n    x\n}</pre><img alt='A picture'><a href='javascript:x'>no</a>";
        assert_eq!(
            reduce(page),
            "A & B\n\n## Head\n\nOne two three é€&unknown; 1 < 2\n- first\n- second \
             (https://example.org/c?d=1&e)\n\nfn main() {\n    x\n}\n\nA pictureno"
        );
    }

    #[test]
    fn what_never_ends_ends() {
        for page in ["<script>x", "<!-- x", "<", "a < b", "<a href=\"x", "</", "<!", "&#x;", "&amp"]
        {
            reduce(page);
        }
        assert_eq!(reduce("<script>x</SCRIPT >y"), "y");
        assert_eq!(reduce("a <b"), "a <b");
    }

    #[test]
    fn hostile_pages_take_no_longer() {
        let began = Instant::now();
        for piece in ["<", "<a \"", "&", "<script>", "</", "<!--", "<a href='"] {
            reduce(&piece.repeat((256 << 10) / piece.len()));
        }
        assert!(began.elapsed() < Duration::from_secs(10));
    }

    proptest! {
        #[test]
        fn any_text_is_reduced(page in "(<|>|/|!|-|&|;|#|\"|'|=|a|pre|script|é|\\s){0,60}") {
            reduce(&page);
        }
    }
}
