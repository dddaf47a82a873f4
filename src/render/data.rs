//! Values as JSON and YAML that are safe to show.
//!
//! Both formats may hold characters that repaint a terminal or reorder what a reader sees. A
//! program reading the output gets exactly what the file says; a person reading it sees escapes.

use std::fmt::Write as _;

use serde_json::Value;

use crate::text::is_printable;

/// `value` as JSON.
pub fn json_text(value: &Value) -> Result<String, serde_json::Error> {
    Ok(escaped_json(&serde_json::to_string_pretty(value)?))
}

/// `value` as JSON in one line.
pub fn json_line(value: &Value) -> String {
    escaped_json(&value.to_string())
}

fn escaped_json(text: &str) -> String {
    escaped(text, |wide, out| {
        for unit in wide.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}").ok();
        }
    })
}

/// `value` as YAML; as JSON, which is YAML too, where a character must be escaped.
pub fn yaml_text(value: &Value) -> Result<String, serde_yaml::Error> {
    let text = serde_yaml::to_string(value)?;
    if text.chars().all(is_printable) {
        return Ok(text.trim_end().to_owned());
    }
    // Numbers, texts, lists and maps with texts as keys: what YAML can hold, JSON can.
    let text = format!("{value:#}");
    Ok(escaped(&text, |wide, out| {
        write!(out, "\\U{:08x}", u32::from(wide)).ok();
    }))
}

/// `json` with what cannot be shown escaped; it only stands in strings. `wide` writes characters
/// beyond `\uffff`.
fn escaped(json: &str, wide: impl Fn(char, &mut String)) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match u16::try_from(u32::from(c)) {
            _ if is_printable(c) => out.push(c),
            Ok(unit) => {
                write!(out, "\\u{unit:04x}").ok();
            }
            Err(_) => wide(c, &mut out),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_invisible_is_written_and_nothing_is_lost() {
        let value = json!({ "a": "x\u{1b}[31m\u{9b}\u{202e}y\u{e0041}z\tü\n" });
        let (json, yaml) = (json_text(&value).unwrap(), yaml_text(&value).unwrap());
        assert!(json.chars().chain(yaml.chars()).all(is_printable), "{json:?} {yaml:?}");
        assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value);
        assert_eq!(serde_yaml::from_str::<Value>(&yaml).unwrap(), value);
    }
}
