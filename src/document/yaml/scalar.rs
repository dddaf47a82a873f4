//! What a plain scalar is, by the YAML 1.2 core schema.

use crate::document::Value;

/// Resolves text written without quotes.
pub(super) fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Value::Float(f64::NAN),
        _ => {}
    }
    // Nearly every scalar is a word; only these characters can start a number.
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return Value::Text(text.to_owned());
    }
    integer(text).or_else(|| float(text)).unwrap_or_else(|| Value::Text(text.to_owned()))
}

fn integer(text: &str) -> Option<Value> {
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().map(Value::Integer).or_else(|_| text.parse().map(Value::Float)).ok()
}

fn radix(digits: &str, radix: u32) -> Option<Value> {
    // `from_str_radix` would accept a sign here.
    let valid = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    valid.then(|| i64::from_str_radix(digits, radix).ok().map(Value::Integer)).flatten()
}

fn float(text: &str) -> Option<Value> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(digits, ".inf" | ".Inf" | ".INF") {
        let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
        return Some(Value::Float(f64::INFINITY * sign));
    }
    let numeric =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    let valid = digits.bytes().all(numeric) && digits.bytes().any(|byte| byte.is_ascii_digit());
    valid.then(|| text.parse().ok().map(Value::Float)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_core_schema() {
        let text = |text: &str| Value::Text(text.to_owned());
        for (written, value) in [
            ("12", Value::Integer(12)),
            ("-0", Value::Integer(0)),
            ("0777", Value::Integer(777)),
            ("0o17", Value::Integer(15)),
            ("0xff", Value::Integer(255)),
            ("1e3", Value::Float(1000.0)),
            (".5", Value::Float(0.5)),
            ("-.inf", Value::Float(f64::NEG_INFINITY)),
            ("99999999999999999999", Value::Float(1e20)),
            ("yes", text("yes")),
            ("1_000", text("1_000")),
            ("12:30:45", text("12:30:45")),
            ("-", text("-")),
            ("0x-1", text("0x-1")),
            ("1.2.3", text("1.2.3")),
            ("...", text("...")),
            ("infinity", text("infinity")),
        ] {
            assert_eq!(resolve(written), value, "{written}");
        }
    }
}
