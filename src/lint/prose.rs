//! The prose of a Markdown text: what is said to the reader, without code, quotations, examples,
//! tables and headings.

/// One line of prose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// Where it starts in the text.
    pub at: usize,
    /// What it says.
    pub text: &'t str,
    /// The heading above it.
    pub heading: &'t str,
    /// The line that leads in to the list it is an item of.
    pub lead: &'t str,
    /// The line before it in the same paragraph.
    pub before: &'t str,
}

/// The lines of prose in `text`.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut reader = Reader::default();
    let mut at = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        reader.line(start, line.trim_ascii_end())
    })
}

#[derive(Default)]
struct Reader<'t> {
    /// The fence that ends the code block.
    fence: Option<&'t str>,
    /// What ends the comment or example.
    until: Option<&'static str>,
    heading: &'t str,
    lead: &'t str,
    before: &'t str,
}

/// Blocks that show something instead of saying it.
const SHOWN: &[(&str, &str)] =
    &[("<!--", "-->"), ("<example", "</example"), ("<code", "</code"), ("<pre", "</pre")];

impl<'t> Reader<'t> {
    fn line(&mut self, at: usize, line: &'t str) -> Option<Line<'t>> {
        let text = line.trim_ascii_start();
        if self.skips(text) {
            self.before = "";
            return None;
        }
        if text.is_empty() {
            self.before = "";
            return None;
        }
        if text.starts_with('#') {
            (self.heading, self.lead, self.before) = (text, "", "");
            return None;
        }
        let item = is_item(text);
        let indented = line.starts_with("    ") || line.starts_with('\t');
        if text.starts_with(['>', '|']) || (indented && !item && self.before.is_empty()) {
            return None;
        }
        if item {
            self.before = "";
        } else if self.before.is_empty() && !indented && !line.starts_with(' ') {
            self.lead = "";
        }
        let found =
            Line { at, text: line, heading: self.heading, lead: self.lead, before: self.before };
        if text.trim_end_matches('*').ends_with(':') {
            self.lead = text;
        }
        self.before = text;
        Some(found)
    }

    /// Whether the line is inside of, or opens, something that is not prose.
    fn skips(&mut self, text: &'t str) -> bool {
        if let Some(fence) = self.fence {
            if text.starts_with(fence) && text.trim_start_matches(&fence[..1]).trim().is_empty() {
                self.fence = None;
            }
            return true;
        }
        let ticks = text.len() - text.trim_start_matches('`').len();
        let tildes = text.len() - text.trim_start_matches('~').len();
        if ticks >= 3 || tildes >= 3 {
            self.fence = Some(&text[..ticks.max(tildes)]);
            return true;
        }
        if let Some(end) = self.until {
            if text.contains(end) {
                self.until = None;
            }
            return true;
        }
        // Nearly no line has a bracket, and looking for one is cheap.
        let Some(bracket) = text.find('<') else { return false };
        let rest = &text[bracket..];
        let opened = SHOWN.iter().find_map(|(open, end)| Some((rest.find(open)?, *end)));
        if let Some((at, end)) = opened {
            self.until = (!rest[at..].contains(end)).then_some(end);
            return true;
        }
        false
    }
}

/// Whether a line starts an item of a list.
pub(super) fn is_item(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    text.starts_with(['-', '*', '+', '•'])
        || (digits.len() < text.len() && digits.starts_with(['.', ')']))
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn code_examples_quotations_and_headings_are_not_prose() {
        let text = "# head\nOne\n```sh\ncode\n```\n> quote\n<example>\nshown\n</example>\n| a |\n\n    \
                    code\n\nNever:\n- two\n  three\n\nFour\n";
        let seen: Vec<_> = lines(text).map(|line| (line.text.trim(), line.lead)).collect();
        let lead = "Never:";
        assert_eq!(
            seen,
            [("One", ""), ("Never:", ""), ("- two", lead), ("three", lead), ("Four", "")]
        );
    }
}
