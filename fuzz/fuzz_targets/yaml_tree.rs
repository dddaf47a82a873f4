//! Any bytes as YAML, JSON or TOML; the first byte chooses. YAML, the largest of the three parsers,
//! gets every byte that names no other, so that ordinary text is a useful seed.

#![no_main]

#[path = "../../tests/it/document_invariants.rs"]
mod document_invariants;

use agentctl::document::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let format = match first {
        b'j' => Format::Json,
        b't' => Format::Toml,
        _ => Format::Yaml,
    };
    document_invariants::check(rest, format);
});
