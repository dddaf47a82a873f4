//! Finds the front matter of a Markdown file, by bytes.
//!
//! Hosts differ in what they accept as a fence. This splitter takes whatever a person would call
//! front matter, and reports each way in which it is not exactly `---`, so that what a given host
//! does with the file can be decided later from the same split.

use super::problem::{ProblemKind, Problems};
use crate::text::Span;

/// Where the parts of a Markdown file lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// The opening fence, without its line ending.
    pub open: Span,
    /// What stands between the fences.
    pub yaml: Span,
    /// The closing fence, without its line ending; `None` if there is none.
    pub close: Option<Span>,
    /// Everything after the line of the closing fence.
    pub body: Span,
    /// The first line of `yaml` that starts with `---` but is no fence: some hosts end the front
    /// matter there.
    pub loose_close: Option<Span>,
}

/// Splits `text`; `None` if it has no front matter.
pub(super) fn split(text: &str, problems: &mut Problems) -> Option<FrontMatter> {
    let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let blank = leading_blank_lines(&text[bom..]);
    let start = bom + blank;
    let mut lines = Lines { text, at: start };
    let open = lines.next()?;
    let exact = is_fence(&text[open.range()]);
    if !exact && !is_long_fence(&text[open.range()]) {
        return None;
    }

    let mut front = find_close(text, open, lines);
    if !exact {
        // A row of dashes alone is a rule in prose; only one with a partner and keys between
        // them was meant as a fence.
        front.close.filter(|_| looks_like_mapping(&text[front.yaml.range()]))?;
        let found = text[open.range()].trim_end().to_owned();
        problems.push(ProblemKind::WrongOpeningFence { found }, open);
    }
    if bom > 0 {
        problems.push(ProblemKind::ByteOrderMark, Span::new(0, bom));
    }
    if blank > 0 {
        problems.push(ProblemKind::LeadingBlank, Span::new(bom, start));
    }
    match front.close {
        None => problems.push(ProblemKind::Unterminated, open),
        Some(close) if exact && !is_fence(&text[close.range()]) => {
            let found = text[close.range()].trim_end().to_owned();
            problems.push(ProblemKind::WrongClosingFence { found }, close);
            front.loose_close = Some(close);
        }
        Some(_) => {}
    }
    Some(front)
}

/// The closing fence is the first exact `---`; failing that, the first line that was probably
/// meant as one; failing that, the front matter ends at the first blank line.
fn find_close(text: &str, open: Span, lines: Lines<'_>) -> FrontMatter {
    let yaml_start = lines.at;
    let mut loose = None;
    let mut meant = None;
    let mut blank = None;
    let mut rest = lines;
    while let Some(line) = rest.next() {
        let written = &text[line.range()];
        match written.trim_start().bytes().next() {
            None => {
                blank.get_or_insert(line);
                continue;
            }
            Some(b'-' | b'.') => {}
            Some(_) => continue,
        }
        if is_fence(written) {
            return closed(open, yaml_start, line, rest.at, text.len(), loose);
        }
        let dashes = written.starts_with("---");
        if dashes {
            loose.get_or_insert(line);
        }
        if dashes || written.trim_end() == "..." || is_fence(written.trim_start()) {
            meant.get_or_insert((line, rest.at));
        }
    }
    if let Some((line, after)) = meant {
        return closed(open, yaml_start, line, after, text.len(), loose);
    }
    let end = blank.map_or(text.len(), |line| line.start as usize);
    let yaml = Span::new(yaml_start, end);
    let body = Span::new(end, text.len());
    FrontMatter { open, yaml, close: None, body, loose_close: None }
}

fn closed(
    open: Span,
    yaml_start: usize,
    close: Span,
    body_start: usize,
    end: usize,
    loose: Option<Span>,
) -> FrontMatter {
    FrontMatter {
        open,
        yaml: Span::new(yaml_start, close.start as usize),
        close: Some(close),
        body: Span::new(body_start, end),
        loose_close: loose.filter(|line| line.start < close.start),
    }
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("---")
        .is_some_and(|rest| rest.bytes().all(|byte| matches!(byte, b' ' | b'\t')))
}

fn is_long_fence(line: &str) -> bool {
    let line = line.trim_end();
    line.len() > 3 && line.bytes().all(|byte| byte == b'-')
}

fn looks_like_mapping(yaml: &str) -> bool {
    yaml.lines().any(|line| {
        let key = line.split(": ").next().unwrap_or_default();
        key.len() < line.len() && !key.is_empty() && !key.contains(char::is_whitespace)
    })
}

fn leading_blank_lines(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t', '\r', '\n']).len()
}

/// Lines without their endings, and where the next one starts.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl Lines<'_> {
    fn next(&mut self) -> Option<Span> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let start = self.at;
        let length = rest.find('\n').unwrap_or(rest.len());
        self.at = (start + length + 1).min(self.text.len());
        let line = &rest[..length];
        Some(Span::new(start, start + line.strip_suffix('\r').unwrap_or(line).len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_of(text: &str) -> (Option<FrontMatter>, Vec<ProblemKind>) {
        let mut problems = Problems::default();
        let front = split(text, &mut problems);
        (front, problems.into_sorted().into_iter().map(|problem| problem.kind).collect())
    }

    fn parts(text: &str) -> (&str, &str, Vec<ProblemKind>) {
        let (front, problems) = split_of(text);
        let front = front.unwrap();
        (&text[front.yaml.range()], &text[front.body.range()], problems)
    }

    #[test]
    fn keeps_line_endings_and_offsets() {
        assert_eq!(parts("---\r\na: 1\r\n---\r\nbody\r\n"), ("a: 1\r\n", "body\r\n", vec![]));
        assert_eq!(parts("---\na: 1\n---"), ("a: 1\n", "", vec![]));
        assert_eq!(parts("---\n---\n"), ("", "", vec![]));
        assert_eq!(parts("--- \na: 1\n---\t\nb"), ("a: 1\n", "b", vec![]));
    }

    #[test]
    fn says_what_is_wrong_and_splits_all_the_same() {
        let wrong = |found: &str| ProblemKind::WrongClosingFence { found: found.to_owned() };
        assert_eq!(
            parts("\u{feff}---\na: 1\n---\nb"),
            ("a: 1\n", "b", vec![ProblemKind::ByteOrderMark])
        );
        assert_eq!(
            parts("\n\n---\na: 1\n---\nb"),
            ("a: 1\n", "b", vec![ProblemKind::LeadingBlank])
        );
        assert_eq!(parts("---\na: 1\n----\nb"), ("a: 1\n", "b", vec![wrong("----")]));
        assert_eq!(parts("---\na: 1\n...\nb"), ("a: 1\n", "b", vec![wrong("...")]));
        assert_eq!(
            parts("---\na: 1\n\n# b\n"),
            ("a: 1\n", "\n# b\n", vec![ProblemKind::Unterminated])
        );
        let (yaml, body, problems) = parts("----\na: 1\n----\nb");
        assert_eq!((yaml, body), ("a: 1\n", "b"));
        assert_eq!(problems, [ProblemKind::WrongOpeningFence { found: "----".to_owned() }]);
    }

    #[test]
    fn remembers_a_line_that_only_some_hosts_take_for_the_end() {
        let text = "---\na: 1\n---- x\nb: 2\n---\nbody";
        let (front, problems) = split_of(text);
        assert_eq!(&text[front.unwrap().loose_close.unwrap().range()], "---- x");
        assert_eq!(problems, []);
    }

    #[test]
    fn prose_has_no_front_matter() {
        for text in ["", "# Title\n", "text\n---\na: 1\n---\n", "-----\nprose only\n-----\n"] {
            assert_eq!(split_of(text), (None, vec![]), "{text:?}");
        }
    }
}
