//! Finds the parts of a regular expression that can match the same text in many ways.
//!
//! Reads only as much of the syntax as that takes, and says nothing where it is not sure.

/// Groups deeper than this are not looked into.
const MAX_DEPTH: usize = 40;

/// One element of a sequence, with its quantifier.
struct Piece<'a> {
    /// As written, the quantifier included.
    text: &'a str,
    /// As written, without the quantifier.
    atom: &'a str,
    /// The alternatives, if it is a group.
    group: Option<Vec<Vec<Piece<'a>>>>,
    /// Whether it can match nothing.
    nullable: bool,
    /// Whether it can be repeated without end.
    unbounded: bool,
}

/// The first part of `pattern` that can match the same text in exponentially many ways.
pub fn explosive_part(pattern: &str) -> Option<&str> {
    // Without two repetitions, or one around an alternative, there is nothing to find.
    if !pattern.contains('(') {
        return None;
    }
    let mut reader = Reader { text: pattern, at: 0 };
    let alternatives = reader.alternatives(0)?;
    alternatives.iter().flatten().find_map(explosive)
}

fn explosive<'a>(piece: &Piece<'a>) -> Option<&'a str> {
    let group = piece.group.as_ref()?;
    if piece.unbounded && (group.iter().any(|sequence| stretches(sequence)) || overlaps(group)) {
        return Some(piece.text);
    }
    group.iter().flatten().find_map(explosive)
}

/// Whether a sequence can be matched by one repetition alone.
fn stretches(sequence: &[Piece<'_>]) -> bool {
    sequence.iter().enumerate().any(|(at, piece)| {
        let others = sequence.iter().enumerate().filter(|(other, _)| *other != at);
        let stretchy = match &piece.group {
            Some(group) => group.iter().any(|sequence| stretches(sequence)),
            None => false,
        };
        (piece.unbounded || stretchy) && others.clone().all(|(_, other)| other.nullable)
    })
}

/// Whether one alternative is another, once or several times over.
fn overlaps(group: &[Vec<Piece<'_>>]) -> bool {
    let literal = |sequence: &[Piece<'_>]| -> Option<String> {
        let plain = |piece: &Piece<'_>| piece.group.is_none() && piece.atom == piece.text;
        sequence.iter().all(plain).then(|| sequence.iter().map(|piece| piece.atom).collect())
    };
    let texts: Vec<Option<String>> = group.iter().map(|sequence| literal(sequence)).collect();
    let pairs = texts.iter().enumerate().flat_map(|(at, one)| {
        texts
            .iter()
            .enumerate()
            .filter(move |(other, _)| *other != at)
            .map(move |(_, two)| (one, two))
    });
    pairs.filter_map(|(one, two)| Some((one.as_deref()?, two.as_deref()?))).any(|(one, two)| {
        !one.is_empty()
            && (two.len() % one.len() == 0 && two == one.repeat(two.len() / one.len())
                || includes(one, two))
    })
}

/// Whether the class `one` includes the single character or class `two`.
fn includes(one: &str, two: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let single = two.chars().count() == 1 && !two.starts_with('.');
    match one {
        "." => single || matches!(two, "\\w" | "\\d" | "\\s" | "\\W" | "\\D"),
        "\\w" => two == "\\d" || (single && two.chars().all(word)),
        "\\d" => single && two.chars().all(|c| c.is_ascii_digit()),
        _ => false,
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, text: &str) -> bool {
        let there = self.text[self.at..].starts_with(text);
        self.at += if there { text.len() } else { 0 };
        there
    }

    /// Up to the end or a closing parenthesis; `None` if it is not understood.
    fn alternatives(&mut self, depth: usize) -> Option<Vec<Vec<Piece<'a>>>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut alternatives = vec![Vec::new()];
        while let Some(next) = self.peek() {
            match next {
                ')' => break,
                '|' => {
                    self.next();
                    alternatives.push(Vec::new());
                }
                _ => {
                    let piece = self.piece(depth)?;
                    alternatives.last_mut()?.push(piece);
                }
            }
        }
        Some(alternatives)
    }

    fn piece(&mut self, depth: usize) -> Option<Piece<'a>> {
        let start = self.at;
        let mut group = None;
        let mut anchored = false;
        let mut ahead = false;
        match self.next()? {
            '(' => {
                ahead = self.eat("?=") || self.eat("?!");
                anchored = self.eat("?<=") || self.eat("?<!");
                let closed = ahead || anchored || self.eat("?>");
                if !closed && !self.eat("?:") && self.eat("?") {
                    // A name, or flags.
                    let end = self.text[self.at..].find(['>', ':', ')'])?;
                    self.at += end;
                    if self.peek() != Some(')') {
                        self.next();
                    }
                }
                let inner = self.alternatives(depth + 1)?;
                (self.next()? == ')').then_some(())?;
                group = Some(inner).filter(|_| !closed);
            }
            '[' => self.class()?,
            '\\' => {
                self.next()?;
            }
            '^' | '$' => anchored = true,
            _ => {}
        }
        let atom = &self.text[start..self.at];
        let (nullable, unbounded) = self.quantifier();
        let text = &self.text[start..self.at];
        // Looking ahead does not keep repetitions apart; looking back may.
        Some(Piece { text, atom, group, nullable: ahead || (nullable && !anchored), unbounded })
    }

    fn class(&mut self) -> Option<()> {
        self.eat("^");
        // A closing bracket in front is a character where it cannot close anything.
        self.eat("]");
        loop {
            match self.next()? {
                ']' => return Some(()),
                '\\' => {
                    self.next()?;
                }
                '[' if self.peek() == Some(':') => {
                    let end = self.text[self.at..].find(":]")?;
                    self.at += end + 2;
                }
                _ => {}
            }
        }
    }

    /// Whether what stands before can be left out, and whether it can be repeated without end.
    fn quantifier(&mut self) -> (bool, bool) {
        let (nullable, unbounded) = match self.peek() {
            Some('*') => (true, true),
            Some('+') => (false, true),
            Some('?') => (true, false),
            Some('{') => return self.counted(),
            _ => return (false, false),
        };
        self.next();
        self.lazy_or_possessive((nullable, unbounded))
    }

    fn counted(&mut self) -> (bool, bool) {
        let rest = &self.text[self.at + 1..];
        let Some((counts, _)) = rest.split_once('}') else { return (false, false) };
        let (least, most) = counts.split_once(',').unwrap_or((counts, counts));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if counts.is_empty() || !digits(least) || !digits(most) {
            return (false, false);
        }
        self.at += counts.len() + 2;
        self.lazy_or_possessive((least.parse() == Ok(0_u32), most.is_empty()))
    }

    /// A possessive repetition gives nothing back, so it does not explode.
    fn lazy_or_possessive(&mut self, (nullable, unbounded): (bool, bool)) -> (bool, bool) {
        if self.eat("+") {
            return (nullable, false);
        }
        self.eat("?");
        (nullable, unbounded)
    }
}

#[cfg(test)]
mod tests {
    use super::explosive_part;

    #[test]
    fn finds_repetitions_of_repetitions() {
        for (pattern, part) in [
            ("^(a+)+$", "(a+)+"),
            (r"(\w+\s?)*", r"(\w+\s?)*"),
            ("x(?:[a-z]*)*y", "(?:[a-z]*)*"),
            ("((a+))+", "((a+))+"),
            ("(a|aa)+", "(a|aa)+"),
            (r"(\w|\d)+", r"(\w|\d)+"),
            ("(b|(.*){2,})?", "(.*){2,}"),
        ] {
            assert_eq!(explosive_part(pattern), Some(part), "{pattern}");
        }
    }

    #[test]
    fn leaves_what_has_one_way_to_match() {
        for pattern in [
            r"^([a-z]+\.)+[a-z]+$",
            "^[a-z]+(-[a-z0-9]+)*$",
            "(a+b)+",
            "(a|b)+",
            r"(.|\n)*",
            "(?>a+)+",
            "(a+){3}",
            "[(a+)+]",
            r"\(a+\)+",
            "(a{2})+",
            "(ab|a)+",
            "(",
            "",
        ] {
            assert_eq!(explosive_part(pattern), None, "{pattern}");
        }
    }
}
