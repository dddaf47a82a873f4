//! What model calls cost.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Tokens. Every provider counts differently; here the input counts everything that was sent, and
/// the parts of it that went through a cache are given besides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    /// Everything that was sent.
    pub input_tokens: u64,
    /// Everything that came back, thinking included.
    pub output_tokens: u64,
    /// Of the input: written to a cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_creation_input_tokens: u64,
    /// Of the input: read from a cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_read_input_tokens: u64,
    /// Of the output: thinking.
    #[serde(skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
    /// The provider's class of service for the last call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_tier: Option<String>,
}

impl Usage {
    /// Input and output.
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

impl AddAssign<&Self> for Usage {
    fn add_assign(&mut self, other: &Self) {
        let add = |mine: &mut u64, more: u64| *mine = mine.saturating_add(more);
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(&mut self.cache_creation_input_tokens, other.cache_creation_input_tokens);
        add(&mut self.cache_read_input_tokens, other.cache_read_input_tokens);
        add(&mut self.reasoning_tokens, other.reasoning_tokens);
        if other.service_tier.is_some() {
            self.service_tier.clone_from(&other.service_tier);
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
