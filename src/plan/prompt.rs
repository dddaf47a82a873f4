//! Prompts with their variables filled in.
//!
//! What comes in through a variable is never expanded again: it is text, wherever it came from.

use std::{fmt, io};

use minijinja::{
    Environment, Error, ErrorKind, UndefinedBehavior, Value as Jinja, syntax::SyntaxConfig,
    value::Serde,
};
use serde_json::{Map, Value};

/// The longest prompt.
const MAX_LENGTH: usize = 4 << 20;
/// Steps a template may take.
const FUEL: u64 = 100_000;

/// A prompt that cannot be rendered. Its author's to mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptError {
    /// It uses names that nothing defines.
    Undefined {
        /// The names.
        missing: Vec<String>,
        /// The names there are.
        available: Vec<String>,
    },
    /// It is no template, or fails when it is filled in.
    Broken {
        /// How.
        reason: String,
        /// The line, from 1.
        line: Option<usize>,
    },
}

impl fmt::Display for PromptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |names: &[String]| {
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Undefined { missing, available } => write!(
                f,
                "the prompt uses {}, which nothing defines; there are {}",
                quoted(missing),
                quoted(available)
            ),
            Self::Broken { reason, line: Some(line) } => {
                write!(f, "line {line} of the prompt cannot be rendered: {reason}")
            }
            Self::Broken { reason, line: None } => {
                write!(f, "the prompt cannot be rendered: {reason}")
            }
        }
    }
}

/// Renders prompts with one set of variables.
pub struct Renderer {
    environment: Environment<'static>,
    variables: Map<String, Value>,
}

impl Renderer {
    /// Fills in `variables`.
    pub fn new(variables: Map<String, Value>) -> Self {
        let mut environment = Environment::empty();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL));
        // Only `${…}` means something; statements would need characters that no prompt has.
        let syntax = SyntaxConfig::builder()
            .variable_delimiters("${", "}")
            .block_delimiters("\u{1}%", "%\u{1}")
            .comment_delimiters("\u{1}#", "#\u{1}")
            .keep_trailing_newline(true)
            .build();
        if let Ok(syntax) = syntax {
            environment.set_syntax(syntax);
        }
        environment.set_formatter(|out, _, value| write_value(out, value));
        environment.add_filter("upper", |text: String| text.to_uppercase());
        environment.add_filter("lower", |text: String| text.to_lowercase());
        environment.add_filter("trim", |text: String| text.trim().to_owned());
        environment.add_filter("length", length);
        environment.add_filter("join", join);
        environment.add_filter("default", default);
        environment.add_filter("tojson", |value: &Jinja| to_json(value).to_string());
        Self { environment, variables }
    }

    /// `text` with every `${…}` filled in. `$${` stands for a `${` that stays.
    pub fn render(&self, text: &str) -> Result<String, PromptError> {
        let mut rendered = String::with_capacity(text.len());
        let mut line = 1;
        for (at, piece) in text.split("$${").enumerate() {
            if at > 0 {
                rendered.push_str("${");
            }
            self.render_piece(piece, line, &mut rendered)?;
            line += piece.matches('\n').count();
        }
        Ok(rendered)
    }

    fn render_piece(
        &self,
        piece: &str,
        first_line: usize,
        rendered: &mut String,
    ) -> Result<(), PromptError> {
        if !piece.contains("${") {
            rendered.push_str(piece);
            return Ok(());
        }
        let broken = |error: &Error| PromptError::Broken {
            reason: error.detail().map_or_else(|| error.kind().to_string(), str::to_owned),
            line: error.line().map(|line| first_line + line - 1),
        };
        let template = self.environment.template_from_str(piece).map_err(|error| broken(&error))?;
        let mut missing: Vec<String> = template
            .undeclared_variables(false)
            .into_iter()
            .filter(|name| !self.variables.contains_key(name))
            .collect();
        if !missing.is_empty() {
            missing.sort();
            let available = self.variables.keys().cloned().collect();
            return Err(PromptError::Undefined { missing, available });
        }
        let mut out = Capped { text: Vec::new(), left: MAX_LENGTH.saturating_sub(rendered.len()) };
        template
            .render_captured_to(Jinja::from(Serde(&self.variables)), &mut out)
            .map_err(|error| broken(&error))?;
        rendered.push_str(&String::from_utf8_lossy(&out.text));
        Ok(())
    }
}

impl fmt::Debug for Renderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Renderer").field("variables", &self.variables).finish_non_exhaustive()
    }
}

/// Texts as they are, lists with commas, everything else as JSON.
fn write_value(out: &mut minijinja::Output<'_>, value: &Jinja) -> Result<(), Error> {
    if value.is_undefined() {
        return Err(Error::new(ErrorKind::UndefinedError, "a value is undefined"));
    }
    let text = match to_json(value) {
        Value::String(text) => text,
        Value::Null => String::new(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    out.write_str(&text).map_err(Error::from)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn length(value: &Jinja) -> Result<usize, Error> {
    value.len().ok_or_else(|| Error::new(ErrorKind::InvalidOperation, "this has no length"))
}

fn join(value: &Jinja, separator: Option<&str>) -> Result<String, Error> {
    let items: Vec<String> = value.try_iter()?.map(|item| plain(&to_json(&item))).collect();
    Ok(items.join(separator.unwrap_or("")))
}

fn default(value: &Jinja, otherwise: &Jinja) -> Jinja {
    let nothing = value.is_undefined() || value.is_none() || value.as_str() == Some("");
    if nothing { otherwise.clone() } else { value.clone() }
}

fn to_json(value: &Jinja) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Stops a template that writes without end.
struct Capped {
    text: Vec<u8>,
    left: usize,
}

impl io::Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.left {
            return Err(io::Error::other("the prompt is too long"));
        }
        self.left -= bytes.len();
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn render(text: &str, variables: &Value) -> Result<String, String> {
        let variables = variables.as_object().cloned().unwrap_or_default();
        Renderer::new(variables).render(text).map_err(|error| error.to_string())
    }

    #[test]
    fn fills_in_names_and_leaves_everything_else_alone() {
        let text =
            "In ${cwd}: {{ x }} {% if %} <% erb %> $HOME $$ $${cwd} $(ls) ${ n | default(2) }\n";
        let rendered = render(text, &json!({"cwd": "/w", "n": 1}));
        assert_eq!(
            rendered.unwrap(),
            "In /w: {{ x }} {% if %} <% erb %> $HOME $$ ${cwd} $(ls) 1\n"
        );
    }

    #[test]
    fn what_comes_in_is_never_expanded_again() {
        let hostile = "${cwd} ${ghost} $${x}";
        assert_eq!(
            render("<${prompt}>", &json!({"prompt": hostile})).unwrap(),
            format!("<{hostile}>")
        );
    }

    #[test]
    fn missing_names_are_listed_with_those_there_are() {
        let error =
            render("${a} ${b.c} ${cwd} ${a}", &json!({"cwd": "/", "prompt": ""})).unwrap_err();
        assert_eq!(
            error,
            "the prompt uses `a`, `b`, which nothing defines; there are `cwd`, `prompt`"
        );
    }

    #[test]
    fn a_broken_expression_is_pointed_at() {
        let error = render("ok\n$${x}\n${ a b }", &json!({"a": 1})).unwrap_err();
        assert!(error.starts_with("line 3 of the prompt cannot be rendered: "), "{error}");
        let error = render("${HOME:-/root}", &json!({"HOME": 1})).unwrap_err();
        assert!(error.starts_with("line 1 of the prompt cannot be rendered: "), "{error}");
    }

    #[test]
    fn values_of_every_type_have_a_text() {
        let variables = json!({"l": ["a", "b"], "n": 1.5, "i": 3, "t": true, "e": [], "s": "x"});
        let rendered =
            render("${l}|${n}|${i}|${t}|${e}|${s | upper}|${l | tojson}|${l | length}", &variables);
        assert_eq!(rendered.unwrap(), "a, b|1.5|3|true||X|[\"a\",\"b\"]|2");
    }

    #[test]
    fn a_template_cannot_grow_without_end() {
        let variables = json!({"prompt": "x".repeat(1 << 20)});
        let error = render(&"${prompt}".repeat(5), &variables).unwrap_err();
        assert!(error.contains("cannot be rendered"), "{error}");
        assert!(render("${ range(100000000) }", &json!({})).is_err());
        assert!(render("\u{1}% for x in [1] %\u{1}${x}\u{1}% endfor %\u{1}", &json!({})).is_ok());
    }
}
