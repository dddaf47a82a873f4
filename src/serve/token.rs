//! What lets a browser in.

use std::fmt;

use subtle::ConstantTimeEq as _;

/// How many bytes a token has.
const BYTES: usize = 32;

/// A secret that only whoever reads the output of `agentctl serve` knows.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A new one, from the randomness of the system.
    pub fn new() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Its text, for whoever may know it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether `text` is it. Takes as long whichever characters differ.
    pub fn is(&self, text: &str) -> bool {
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_different_and_never_shown() {
        let (one, other) = (Token::new().unwrap(), Token::new().unwrap());
        assert_eq!(one.reveal().len(), 64);
        assert!(one.is(one.reveal()) && !one.is(other.reveal()));
        assert!(!one.is("") && !one.is(&one.reveal()[1..]));
        assert!(!format!("{one:?}").contains(one.reveal()));
    }
}
